// USD files over a run: changes of topology, resume, damaged files, no room.
#include "output/convert.h"
#include "output/output.h"
#include "output/samples.h"
#include "output/usda.h"

namespace sinew {
namespace {
// a run whose topology changes: at 4 the sheet loses a vertex, "new" comes and "old" goes, at 7 "old" is
// back; "gone" is removed at 6
SnapshotLayout changing_layout(int frame) {
    SnapshotLayout layout;
    layout.objects = {make_usd_square("sheet"), make_usd_square("gone"), make_usd_square("new/one")};
    layout.objects[0].polygon_groups = {{PolygonGroupKind::material, "red", {0}}};
    if (frame >= 4) {
        SnapshotObject& sheet = layout.objects[0];
        sheet.point_count = 3;
        sheet.rest.pop_back();
        sheet.polygon_begin = {0, 3};
        sheet.polygon_vertex = {0, 2, 1};
        sheet.polygon_groups[0].name = "blue";
    } else {
        layout.objects.pop_back();
    }
    if (frame < 4 || frame >= 7) layout.objects.insert(layout.objects.begin() + 1, make_usd_square("old"));
    return layout;
}
Snapshot changing_snapshot(int frame) {
    const SnapshotLayout layout = changing_layout(frame);
    Snapshot s = make_usd_rise(layout, frame);
    for (std::size_t i = 0; i < layout.objects.size(); ++i) {
        if (layout.objects[i].name == "gone" && frame >= 6) s.objects[i].alive.assign(4, 0);
        if (layout.objects[i].name == "sheet" && frame >= 5)
            s.objects[i].fields = {{"strain", 1, {0.5 * frame, 1, 2}}};
        if (layout.objects[i].name == "old")
            s.objects[i].position = layout.objects[i].rest; // rests, while it is away too
        if (layout.objects[i].name == "old" && frame == 9) s.objects[i].position[0].x = 5;
    }
    return s;
}
void write_changing(Exporter& exporter, int first, int last) {
    for (int f = first; f <= last; ++f) {
        if (f == 4 || f == 7) ASSERT_NO_ERRORS(exporter.change_layout(changing_layout(f)));
        ASSERT_NO_ERRORS(exporter.write(changing_snapshot(f)));
    }
}
std::vector<std::string> shown_at(const UsdaPrim& prim, int first, int last) {
    std::vector<std::string> out;
    for (int f = first; f <= last; ++f)
        out.push_back(
            prim.has("visibility") && prim.attribute("visibility").at(f).texts[0] == "invisible" ? "-" : "+");
    return out;
}
} // namespace

TEST(Usd, a_change_of_topology_is_followed) {
    TemporaryFolder folder;
    auto exporter = make_exporter("usd", {});
    ASSERT_NO_ERRORS((*exporter.value)->open(folder.path("a.usda"), changing_layout(1)));
    write_changing(**exporter.value, 1, 9);
    ASSERT_NO_ERRORS((*exporter.value)->close());
    const UsdaPrim root = parse_usda(read_text_file(folder.path("a.usda")));
    const UsdaPrim& sheet = root.child("World/sheet");
    for (int f = 1; f <= 9; ++f) {
        const SnapshotLayout layout = changing_layout(f);
        EXPECT_EQ(sheet.attribute("faceVertexCounts").at(f).numbers, std::vector<double>{f < 4 ? 4.0 : 3.0});
        EXPECT_EQ(sheet.attribute("faceVertexIndices").at(f).numbers,
                  as_numbers(layout.objects[0].polygon_vertex));
        expect_floats(sheet.attribute("points").at(f),
                      flat_numbers(changing_snapshot(f).objects[0].position));
        EXPECT_EQ(sheet.child("red").attribute("indices").at(f).numbers.size(), f < 4 ? 1u : 0u);
        EXPECT_EQ(sheet.child("blue").attribute("indices").at(f).numbers.size(), f < 4 ? 0u : 1u);
    }
    for (int f = 1; f <= 9; ++f)
        EXPECT_EQ(sheet.attribute("primvars:sinew:strain").at(f).none, f < 5) << f; // of the square it has none
    using Shown = std::vector<std::string>;
    EXPECT_EQ(shown_at(sheet, 1, 9), Shown(9, "+"));
    EXPECT_EQ(shown_at(root.child("World/old"), 1, 9), (Shown{"+", "+", "+", "-", "-", "-", "+", "+", "+"}));
    EXPECT_EQ(shown_at(root.child("World/gone"), 1, 9), (Shown{"+", "+", "+", "+", "+", "-", "-", "-", "-"}));
    EXPECT_EQ(shown_at(root.child("World/new/one"), 1, 9),
              (Shown{"-", "-", "-", "+", "+", "+", "+", "+", "+"}));
}

// Frames 1 to 3 and 7 to 9 have everything that an object may lack, 4 to 6 nothing of it, on other topology: values of one would be taken
// for the other.
namespace {
bool is_full(int frame) { return frame < 4 || frame > 6; }
SnapshotLayout lacking_layout(int frame) {
    SnapshotLayout layout;
    layout.objects = {make_usd_square("sheet"), make_usd_cloud("rain", is_full(frame) ? 3 : 2)};
    SnapshotObject& sheet = layout.objects[0];
    sheet.vertex_groups = {{"always", {0}}};
    if (is_full(frame)) {
        sheet.uv = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
        sheet.polygon_uv = {0, 1, 2, 3};
        sheet.vertex_groups.push_back({"corner", {0, 2}});
    } else {
        sheet.point_count = 3;
        sheet.rest.pop_back();
        sheet.polygon_begin = {0, 3};
        sheet.polygon_vertex = {0, 2, 1};
        sheet.vertex_groups.push_back({"later", {1}});
    }
    return layout;
}
Snapshot lacking_snapshot(int frame) {
    Snapshot s = make_usd_rise(lacking_layout(frame), frame);
    if (is_full(frame)) {
        s.objects[0].fields = {{"velocity", 3, std::vector<double>(12, 2)}, {"strain", 1, {1, 2, 3, 4}}};
        s.objects[1].fields = {{"age", 1, {1, 2, 3.0 + frame}}};
        s.objects[1].id = {7, 8, 9};
    } else {
        s.objects[0].fields = {{"heat", 1, {1, 2, 3}}};
    }
    return s;
}
void write_lacking(Exporter& exporter, int first, int last) {
    for (int f = first; f <= last; ++f) {
        if (f == 4 || f == 7) ASSERT_NO_ERRORS(exporter.change_layout(lacking_layout(f)));
        ASSERT_NO_ERRORS(exporter.write(lacking_snapshot(f)));
    }
}
} // namespace

TEST(Usd, what_a_new_topology_lacks_has_no_value) {
    TemporaryFolder folder;
    auto exporter = make_exporter("usd", {});
    ASSERT_NO_ERRORS((*exporter.value)->open(folder.path("a.usda"), lacking_layout(1)));
    write_lacking(**exporter.value, 1, 9);
    ASSERT_NO_ERRORS((*exporter.value)->close());
    const std::string want = read_text_file(folder.path("a.usda"));
    const UsdaPrim root = parse_usda(want);
    const UsdaPrim &sheet = root.child("World/sheet"), &rain = root.child("World/rain");
    for (int f = 1; f <= 9; ++f) {
        for (const char* name : {"primvars:st", "primvars:st:indices", "primvars:sinew:group:corner", "velocities",
                                 "primvars:sinew:strain"})
            EXPECT_EQ(sheet.attribute(name).at(f).none, !is_full(f)) << name << " " << f;
        for (const char* name : {"ids", "primvars:sinew:age"})
            EXPECT_EQ(rain.attribute(name).at(f).none, !is_full(f)) << name << " " << f;
        for (const char* name : {"primvars:sinew:group:later", "primvars:sinew:heat"})
            EXPECT_EQ(sheet.attribute(name).at(f).none, is_full(f)) << name << " " << f;
        EXPECT_EQ(sheet.attribute("primvars:sinew:group:always").at(f).numbers.size(), is_full(f) ? 4u : 3u);
        if (!is_full(f)) continue;
        EXPECT_EQ(sheet.attribute("primvars:st:indices").at(f).numbers, (std::vector<double>{0, 1, 2, 3}));
        EXPECT_EQ(sheet.attribute("velocities").at(f).numbers, std::vector<double>(12, 2));
        EXPECT_EQ(rain.attribute("primvars:sinew:age").at(f).numbers, (std::vector<double>{1, 2, 3.0 + f}));
    }
    // and so after a resume, whatever the first run had
    for (int end = 1; end <= 9; ++end)
        for (int keep = 1; keep <= end; ++keep) {
            auto first = make_exporter("usd", {}), second = make_exporter("usd", {});
            ASSERT_NO_ERRORS((*first.value)->open(folder.path("a.usda"), lacking_layout(1)));
            write_lacking(**first.value, 1, end);
            ASSERT_NO_ERRORS((*first.value)->close());
            ASSERT_NO_ERRORS((*second.value)->resume(folder.path("a.usda"), lacking_layout(keep), keep));
            write_lacking(**second.value, keep + 1, 9);
            ASSERT_NO_ERRORS((*second.value)->close());
            ASSERT_EQ(read_text_file(folder.path("a.usda")), want) << end << " " << keep;
        }
}

TEST(Usd, a_resumed_run_with_changes_of_topology_has_the_same_bytes) {
    TemporaryFolder folder;
    auto whole = make_exporter("usd", {});
    ASSERT_NO_ERRORS((*whole.value)->open(folder.path("whole.usda"), changing_layout(1)));
    write_changing(**whole.value, 1, 9);
    ASSERT_NO_ERRORS((*whole.value)->close());
    const std::string want = read_text_file(folder.path("whole.usda"));
    for (int end = 1; end <= 9; ++end)
        for (int keep = 0; keep <= end; ++keep) { // 0: nothing of the first run is kept
            auto first = make_exporter("usd", {});
            ASSERT_NO_ERRORS((*first.value)->open(folder.path("parts.usda"), changing_layout(1)));
            write_changing(**first.value, 1, end);
            ASSERT_NO_ERRORS((*first.value)->close());
            auto second = make_exporter("usd", {});
            ASSERT_NO_ERRORS(
                (*second.value)->resume(folder.path("parts.usda"), changing_layout(std::max(1, keep)), keep));
            write_changing(**second.value, keep + 1, 9);
            ASSERT_NO_ERRORS((*second.value)->close());
            ASSERT_EQ(read_text_file(folder.path("parts.usda")), want) << end << " " << keep;
        }
    EXPECT_EQ(folder.files(), (std::vector<std::string>{"parts.usda", "whole.usda"}));
}

TEST(Usd, a_resumed_run_knows_names_that_are_no_identifiers) {
    SnapshotLayout layout;
    for (const char* name : {"a b", "a_b", "hero", "hero/\"x\"", "/", "\xff"})
        layout.objects.push_back(make_usd_square(name));
    layout.objects[1].vertex_groups = {{"left; right", {0, 1}}, {"left__right", {2}}};
    layout.objects[1].polygon_groups = {{PolygonGroupKind::group, "a/b", {0}},
                                        {PolygonGroupKind::object, "a/b", {0}}};
    layout.camera = {1, 2, 3, 0, 0, 0, 0, 1, 0, 0.5};
    layout.up = "-x";
    const auto frame = [&](int f) {
        Snapshot s = make_usd_rise(layout, f);
        s.objects[0].fields = {{"a; b", 1, {1, 2, 3, 4.0 + f}}, {"a__b", 6, std::vector<double>(24, f)}};
        return s;
    };
    TemporaryFolder folder;
    for (const int keep : {9, 4}) { // the second continues at 4 what the first has written up to 9
        auto exporter = make_exporter("usd", {});
        ASSERT_NO_ERRORS(keep == 9 ? (*exporter.value)->open(folder.path("whole.usda"), layout)
                                   : (*exporter.value)->resume(folder.path("parts.usda"), layout, keep));
        for (int f = keep == 9 ? 0 : keep + 1; f <= 9; ++f)
            ASSERT_NO_ERRORS((*exporter.value)->write(frame(f)));
        ASSERT_NO_ERRORS((*exporter.value)->close());
        if (keep == 9) std::filesystem::copy_file(folder.path("whole.usda"), folder.path("parts.usda"));
    }
    EXPECT_EQ(read_text_file(folder.path("parts.usda")), read_text_file(folder.path("whole.usda")));
}

TEST(Usd, recordings_hand_on_up_and_camera) {
    TemporaryFolder folder;
    SnapshotLayout layout;
    layout.objects = {make_usd_square("a"), make_usd_square("b")};
    layout.camera = {1, 2, 3, 0, 0, 0, 0, 0, 1, 0.5};
    layout.up = "z";
    ExporterSettings some;
    some.objects = {"a"};
    auto exporter = make_exporter("recording", some);
    ASSERT_NO_ERRORS((*exporter.value)->open(folder.path("a.sinew"), layout));
    ASSERT_NO_ERRORS((*exporter.value)->write(make_usd_rise(layout, 0)));
    ASSERT_NO_ERRORS((*exporter.value)->close());
    ASSERT_NO_ERRORS(convert(folder.path("a.sinew"), "usd", folder.path("a.usda")));
    const UsdaPrim root = parse_usda(read_text_file(folder.path("a.usda")));
    EXPECT_EQ(root.text("upAxis"), "Z");
    EXPECT_EQ(root.child("World").order, (std::vector<std::string>{"Camera", "a"}));
}

TEST(Usd, files_that_cannot_be_continued_are_refused_with_the_line) {
    TemporaryFolder folder;
    const SnapshotLayout layout = make_sample_layout();
    const std::string path = folder.path("a.usda");
    Errors errors = (*make_exporter("usd", {}).value)->resume(path, layout, 1005);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_NE(errors[0].message.find("by convert"), std::string::npos);
    write_text_file(path, "PXR-USDC\n");
    EXPECT_NE(
        (*make_exporter("usd", {}).value)->resume(path, layout, 1005)[0].message.find("no USD file as text"),
        std::string::npos);
    write_text_file(path, "#usda 1.0\n(\n    doc = \"Blender v3.4\"\n)\n");
    errors = (*make_exporter("usd", {}).value)->resume(path, layout, 1005);
    EXPECT_NE(errors[0].message.find("another program"), std::string::npos);
    EXPECT_EQ(errors[0].line, 3);

    {
        auto exporter = make_exporter("usd", {});
        ASSERT_NO_ERRORS((*exporter.value)->open(path, layout));
        for (int f = 1001; f <= 1003; ++f)
            ASSERT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(layout, f)));
        ASSERT_NO_ERRORS((*exporter.value)->close());
    }
    const std::string whole = read_text_file(path);
    for (std::size_t n = 0; n + 1 < whole.size(); n += 97) {
        write_text_file(path, whole.substr(0, n));
        EXPECT_EQ((*make_exporter("usd", {}).value)->resume(path, layout, 1003).size(), 1u) << n;
    }
    // damage is refused or taken for another value, and never crashes
    for (std::size_t n = 0; n < whole.size(); n += 53)
        for (const char c : {' ', '}', '"', '\n'}) {
            std::string damaged = whole;
            damaged[n] = c;
            write_text_file(path, damaged);
            (void)(*make_exporter("usd", {}).value)->resume(path, layout, 1003);
        }
    EXPECT_EQ(folder.files(), std::vector<std::string>{"a.usda"});
}

TEST(Usd, nothing_is_left_behind_where_a_file_cannot_be_made) {
    TemporaryFolder folder;
    const SnapshotLayout layout = make_sample_layout();
    write_text_file(folder.path("file"), "");
    Errors errors = (*make_exporter("usd", {}).value)->open(folder.path("file/a.usda"), layout);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].message, "cannot create: Not a directory");
    std::filesystem::create_directory(folder.path("b.usda"));
    errors = (*make_exporter("usd", {}).value)->open(folder.path("b.usda"), layout);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].message, "cannot create: Is a directory");
    { // given up before close
        auto exporter = make_exporter("usd", {});
        ASSERT_NO_ERRORS((*exporter.value)->open(folder.path("c.usda"), layout));
        ASSERT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(layout, 1001)));
        EXPECT_EQ(folder.files().size(), 3u);
    }
    { // no room for what many frames leave in the temporary file, and for the file itself
        for (const auto& [room, last] : {std::pair{100u, 1012}, std::pair{3000u, 1003}}) {
            auto exporter = make_exporter("usd", {});
            ASSERT_NO_ERRORS((*exporter.value)->open(folder.path("c.usda"), layout));
            for (int f = 1001; f <= last; ++f)
                ASSERT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(layout, f)));
            const SmallDisk disk(room);
            errors = (*exporter.value)->close();
            ASSERT_EQ(errors.size(), 1u) << room;
            EXPECT_EQ(errors[0].message, "cannot write: File too large");
            EXPECT_EQ(errors[0].file, folder.path("c.usda"));
            EXPECT_NO_ERRORS((*exporter.value)->close());
        }
    }
    EXPECT_EQ(folder.files(), (std::vector<std::string>{"b.usda", "file"}));
}

} // namespace sinew
