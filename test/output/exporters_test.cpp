// What holds for every exporter of the list.
#include "output/convert.h"
#include "output/recording.h"
#include "output/samples.h"
#include <map>
#include <sys/resource.h>

namespace sinew {
namespace {
Errors run(Exporter& exporter, const std::string& path, int first, int last) {
    const SnapshotLayout layout = make_sample_layout();
    if (Errors e = exporter.open(path, layout); !e.empty()) return e;
    for (int f = first; f <= last; ++f)
        if (Errors e = exporter.write(make_sample_snapshot(layout, f)); !e.empty()) return e;
    return exporter.close();
}
std::map<std::string, std::string> contents(const TemporaryFolder& folder) {
    std::map<std::string, std::string> files;
    for (const std::string& name : folder.files()) files[name] = read_text_file(folder.path(name));
    return files;
}
std::string name_of(const ExporterEntry& e) { return "drape." + std::string(e.extension); }
} // namespace

TEST(Exporters, are_sorted_documented_and_found_by_name) {
    std::string_view before;
    for (const ExporterEntry& e : exporters()) {
        EXPECT_LT(before, e.name);
        EXPECT_FALSE(e.doc.empty());
        EXPECT_EQ(find_exporter(e.name), &e);
        before = e.name;
    }
    EXPECT_EQ(exporters().size(), 8u);
    EXPECT_EQ(find_exporter("abc"), nullptr);
}

TEST(Exporters, write_their_files_and_leave_no_rubbish) {
    for (const ExporterEntry& e : exporters()) {
        TemporaryFolder folder;
        EXPECT_NO_ERRORS(run(**make_exporter(e.name, {}).value, folder.path(name_of(e)), 1001, 1003));
        EXPECT_FALSE(folder.files().empty()) << e.name;
        for (const std::string& name : folder.files())
            EXPECT_EQ(name.find(".tmp"), std::string::npos) << name;
    }
}

TEST(Exporters, converting_a_float64_recording_gives_the_same_files_as_the_run_itself) {
    TemporaryFolder recordings;
    ExporterSettings exact;
    exact.precision = exact.field_precision = Precision::float64;
    ASSERT_NO_ERRORS(run(**make_exporter("recording", exact).value, recordings.path("a.sinew"), 1001, 1006));
    for (const ExporterEntry& e : exporters()) {
        TemporaryFolder direct, converted;
        ExporterSettings settings;
        settings.objects = {"sheet", "r*"};
        settings.fields = {"speed", "age", "*energy"};
        settings.every = 2;
        ASSERT_NO_ERRORS(run(**make_exporter(e.name, settings).value, direct.path(name_of(e)), 1001, 1006));
        int calls = 0;
        ASSERT_NO_ERRORS(convert(recordings.path("a.sinew"), e.name, converted.path(name_of(e)), settings,
                                 [&](int done, int total) {
                                     EXPECT_EQ(done, ++calls);
                                     EXPECT_EQ(total, 3);
                                     return true;
                                 }));
        EXPECT_EQ(calls, 3);
        EXPECT_EQ(contents(direct), contents(converted)) << e.name;
    }
}

TEST(Exporters, a_resumed_run_leaves_the_same_files_as_one_run) {
    for (const ExporterEntry& e : exporters()) {
        TemporaryFolder whole, parts;
        ASSERT_NO_ERRORS(run(**make_exporter(e.name, {}).value, whole.path(name_of(e)), 1001, 1008));
        ASSERT_NO_ERRORS(run(**make_exporter(e.name, {}).value, parts.path(name_of(e)), 1001, 1006));
        const SnapshotLayout layout = make_sample_layout();
        auto again = make_exporter(e.name, {});
        ASSERT_NO_ERRORS((*again.value)->resume(parts.path(name_of(e)), layout, 1004));
        EXPECT_EQ((*again.value)->write(make_sample_snapshot(layout, 1004)).size(), 1u); // it has that one
        for (int f = 1005; f <= 1008; ++f)
            ASSERT_NO_ERRORS((*again.value)->write(make_sample_snapshot(layout, f)));
        ASSERT_NO_ERRORS((*again.value)->close());
        EXPECT_EQ(contents(whole), contents(parts)) << e.name;
    }
}

TEST(Exporters, recordings_and_vtk_files_that_end_before_the_checkpoint_are_not_continued) {
    const SnapshotLayout layout = make_sample_layout(); // begins with frame 1001
    for (const char* name : {"recording", "vtk"}) {
        TemporaryFolder folder;
        const std::string path = folder.path(name_of(*find_exporter(name)));
        ExporterSettings every;
        every.every = 4;
        ASSERT_NO_ERRORS(run(**make_exporter(name, every).value, path, 1001, 1012)); // 1001, 1005, 1009
        for (int frame : {1009, 1010, 1012}) EXPECT_NO_ERRORS((*make_exporter(name, every).value)->resume(path, layout, frame));
        const Errors errors = (*make_exporter(name, every).value)->resume(path, layout, 1013);
        ASSERT_EQ(errors.size(), 1u) << name;
        EXPECT_EQ(errors[0].message, "cannot continue: it ends at frame 1009, the checkpoint is at 1013, and what is between is lost");
        EXPECT_EQ(errors[0].file, path);
    }
}

TEST(Exporters, a_full_disk_is_an_error_with_path_and_reason) {
    for (const ExporterEntry& e : exporters()) {
        TemporaryFolder folder;
        auto exporter = make_exporter(e.name, {});
        Errors errors;
        {
            SmallDisk disk(100);
            errors = run(**exporter.value, folder.path(name_of(e)), 1001, 1005);
            if (errors.empty()) errors = (*exporter.value)->close();
        }
        ASSERT_FALSE(errors.empty()) << e.name;
        EXPECT_EQ(errors[0].message, "cannot write: File too large") << e.name;
        EXPECT_EQ(errors[0].file.rfind(folder.path("drape."), 0), 0u) << errors[0].file;
        EXPECT_EQ(errors[0].file.find(".tmp"), std::string::npos);
    }
}

TEST(Exporters, a_missing_folder_is_an_error_with_path_and_reason) {
    for (const ExporterEntry& e : exporters()) {
        TemporaryFolder folder;
        const Errors errors =
            run(**make_exporter(e.name, {}).value, folder.path("no/" + name_of(e)), 1001, 1002);
        ASSERT_FALSE(errors.empty()) << e.name;
        EXPECT_EQ(errors[0].message, "cannot create: No such file or directory") << e.name;
    }
}

TEST(Exporters, float64_is_refused_by_formats_that_cannot_hold_it) {
    ExporterSettings settings;
    settings.precision = Precision::float64;
    for (const ExporterEntry& e : exporters())
        EXPECT_EQ(bool(make_exporter(e.name, settings)), e.float64) << e.name;
}

TEST(Exporters, a_change_of_topology_is_followed_or_refused_by_name) {
    const SnapshotLayout first = make_sample_layout();
    SnapshotLayout second = first;
    second.objects.resize(2);
    for (const ExporterEntry& e : exporters()) {
        TemporaryFolder folder;
        auto exporter = make_exporter(e.name, {});
        ASSERT_NO_ERRORS((*exporter.value)->open(folder.path(name_of(e)), first));
        ASSERT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(first, 1001)));
        const Errors errors = (*exporter.value)->change_layout(second);
        if (e.name == "pc2" || e.name == "mdd") {
            ASSERT_EQ(errors.size(), 2u);
            EXPECT_EQ(errors[0].path, "objects.rope");
            EXPECT_NE(errors[0].message.find("disappears"), std::string::npos);
            continue;
        }
        ASSERT_NO_ERRORS(errors);
        ASSERT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(second, 1002)));
        ASSERT_NO_ERRORS((*exporter.value)->close());
    }
}

TEST(Exporters, an_empty_scene_is_written_by_all_but_point_caches) {
    for (const ExporterEntry& e : exporters()) {
        TemporaryFolder folder;
        auto exporter = make_exporter(e.name, {});
        const Errors errors = (*exporter.value)->open(folder.path(name_of(e)), SnapshotLayout{});
        EXPECT_EQ(errors.empty(), e.name != "pc2" && e.name != "mdd") << e.name;
        if (!errors.empty()) continue;
        EXPECT_NO_ERRORS((*exporter.value)->write(Snapshot{}));
        EXPECT_NO_ERRORS((*exporter.value)->close());
    }
}

TEST(Convert, follows_a_change_of_layout) {
    TemporaryFolder folder;
    const SnapshotLayout first = make_sample_layout();
    SnapshotLayout second = first;
    second.objects.resize(1);
    RecordingWriter writer;
    ASSERT_NO_ERRORS(writer.open(folder.path("a.sinew"), first));
    ASSERT_NO_ERRORS(writer.write(make_sample_snapshot(first, 1001)));
    ASSERT_NO_ERRORS(writer.change_layout(second));
    ASSERT_NO_ERRORS(writer.write(make_sample_snapshot(second, 1002)));
    ASSERT_NO_ERRORS(writer.close());
    ASSERT_NO_ERRORS(convert(folder.path("a.sinew"), "recording", folder.path("b.sinew")));
    EXPECT_EQ(read_text_file(folder.path("a.sinew")), read_text_file(folder.path("b.sinew")));
    ASSERT_NO_ERRORS(convert(folder.path("a.sinew"), "obj", folder.path("a.obj")));
    EXPECT_NE(read_text_file(folder.path("a.1001.obj")).find("o rope"), std::string::npos);
    EXPECT_EQ(read_text_file(folder.path("a.1002.obj")).find("o rope"), std::string::npos);
}

TEST(Convert, stops_when_told_and_refuses_nonsense) {
    TemporaryFolder folder;
    ASSERT_NO_ERRORS(run(**make_exporter("recording", {}).value, folder.path("a.sinew"), 1001, 1006));
    Errors errors =
        convert(folder.path("a.sinew"), "ply", folder.path("a.ply"), {}, [](int n, int) { return n < 2; });
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].message, "stopped after frame 1002");
    EXPECT_EQ(folder.files(), (std::vector<std::string>{"a.1001.ply", "a.1002.ply", "a.sinew"}));
    EXPECT_EQ(convert(folder.path("b.sinew"), "ply", folder.path("a.ply")).size(), 1u);
    EXPECT_EQ(convert(folder.path("a.sinew"), "play", folder.path("a.ply")).size(), 1u);
    EXPECT_EQ(convert(folder.path("a.sinew"), "recording", folder.path("a.sinew")).size(), 1u);
    ExporterSettings settings;
    settings.first = 2000;
    EXPECT_EQ(convert(folder.path("a.sinew"), "ply", folder.path("a.ply"), settings).size(), 1u);
    RecordingReader reader;
    ASSERT_NO_ERRORS(reader.open(folder.path("a.sinew")));
    EXPECT_EQ(reader.frame_count(), 6);
}

TEST(Exporters, many_objects_need_few_descriptors) {
    // point caches are one file per object
    SnapshotLayout layout;
    Snapshot s;
    for (int i = 0; i < 60; ++i) {
        SnapshotObject o;
        o.name = "b" + std::to_string(i);
        o.point_count = 1;
        layout.objects.push_back(o);
        s.objects.emplace_back();
        s.objects.back().position = {{double(i), 0, 0}};
    }
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    rlimit few = before;
    few.rlim_cur = 40;
    ::setrlimit(RLIMIT_NOFILE, &few);
    for (const char* name : {"pc2", "mdd"}) {
        TemporaryFolder folder;
        auto exporter = make_exporter(name, {});
        EXPECT_NO_ERRORS((*exporter.value)->open(folder.path("a.pc2"), layout));
        for (s.frame = 0; s.frame < 3; ++s.frame) EXPECT_NO_ERRORS((*exporter.value)->write(s));
        EXPECT_NO_ERRORS((*exporter.value)->close());
        EXPECT_EQ(folder.files().size(), 60u);
    }
    ::setrlimit(RLIMIT_NOFILE, &before);
}

} // namespace sinew
