#include "output/recording.h"
#include "output/samples.h"
#include "output/select.h"

namespace sinew {

TEST(Select, wildcards_match_as_expected) {
    EXPECT_TRUE(matches("*", ""));
    EXPECT_TRUE(matches("hero/*", "hero/left/arm"));
    EXPECT_FALSE(matches("hero/*", "hero"));
    EXPECT_TRUE(matches("*arm", "hero/left/arm"));
    EXPECT_TRUE(matches("a*b*c", "a_b_b_c"));
    EXPECT_FALSE(matches("a*b*c", "a_b_b_d"));
    EXPECT_TRUE(matches("st?p", "step"));
    EXPECT_FALSE(matches("st?p", "stp"));
    EXPECT_FALSE(matches("", "x"));
    // no exponential search
    EXPECT_FALSE(matches(std::string(200, '*') + "b", std::string(20000, 'a')));
}

TEST(Select, objects_fields_and_frames_are_chosen) {
    TemporaryFolder folder;
    ExporterSettings settings;
    settings.objects = {"hero/*", "sheet"};
    settings.fields = {"sp*"};
    settings.every = 3;
    settings.first = 1003;
    settings.last = 1010;
    auto exporter = make_exporter("recording", settings);
    ASSERT_TRUE(exporter);
    const SnapshotLayout layout = make_sample_layout();
    ASSERT_NO_ERRORS((*exporter.value)->open(folder.path("a.sinew"), layout));
    for (int f = 1001; f <= 1015; ++f)
        ASSERT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(layout, f)));
    ASSERT_NO_ERRORS((*exporter.value)->close());

    RecordingReader reader;
    ASSERT_NO_ERRORS(reader.open(folder.path("a.sinew")));
    ASSERT_EQ(reader.frame_count(), 3);
    EXPECT_EQ(reader.frames[0].frame, 1004);
    EXPECT_EQ(reader.frames[1].frame, 1007);
    EXPECT_EQ(reader.frames[2].frame, 1010);
    ASSERT_EQ(reader.layout.objects.size(), 2u);
    EXPECT_EQ(reader.layout.objects[0].name, "sheet");
    EXPECT_EQ(reader.layout.objects[1].name, "hero/box");
    Snapshot s;
    ASSERT_NO_ERRORS(reader.read(0, s));
    ASSERT_EQ(s.objects[0].fields.size(), 1u);
    EXPECT_EQ(s.objects[0].fields[0].name, "speed");
}

TEST(Select, a_name_without_an_object_is_an_error_that_lists_the_objects) {
    TemporaryFolder folder;
    ExporterSettings settings;
    settings.objects = {"shet"};
    auto exporter = make_exporter("recording", settings);
    const Errors errors = (*exporter.value)->open(folder.path("a.sinew"), make_sample_layout());
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].value, "shet");
    EXPECT_EQ(errors[0].allowed, "sheet, hero/box, rope, rain");
    EXPECT_EQ(errors[0].nearest, "sheet");
    EXPECT_TRUE(folder.files().empty());
}

TEST(Select, a_field_that_never_appears_is_an_error_at_the_end) {
    TemporaryFolder folder;
    ExporterSettings settings;
    settings.fields = {"strain"};
    auto exporter = make_exporter("recording", settings);
    const SnapshotLayout layout = make_sample_layout();
    ASSERT_NO_ERRORS((*exporter.value)->open(folder.path("a.sinew"), layout));
    ASSERT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(layout, 1001)));
    const Errors errors = (*exporter.value)->close();
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].value, "strain");
    EXPECT_NE(errors[0].allowed.find("velocity"), std::string::npos);
}

TEST(Select, frames_that_do_not_grow_and_snapshots_that_do_not_fit_are_refused) {
    TemporaryFolder folder;
    auto exporter = make_exporter("recording", {});
    const SnapshotLayout layout = make_sample_layout();
    ASSERT_NO_ERRORS((*exporter.value)->open(folder.path("a.sinew"), layout));
    Snapshot s = make_sample_snapshot(layout, 1001);
    ASSERT_NO_ERRORS((*exporter.value)->write(s));
    EXPECT_EQ((*exporter.value)->write(s).size(), 1u);
    s.frame = 1002;
    s.objects.pop_back();
    const Errors errors = (*exporter.value)->write(s);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].file, folder.path("a.sinew"));
}

TEST(Select, unknown_exporters_and_bad_settings_are_errors) {
    EXPECT_EQ(make_exporter("objj", {}).errors.size(), 1u);
    ExporterSettings settings;
    settings.every = 0;
    settings.level = 99;
    EXPECT_EQ(make_exporter("recording", settings).errors.size(), 2u);
}

TEST(Select, paths_of_frames_and_objects) {
    EXPECT_EQ(numbered_path("out/drape.obj", 7), "out/drape.0007.obj");
    EXPECT_EQ(numbered_path("out.d/drape", -3), "out.d/drape.-003");
    EXPECT_EQ(numbered_path("drape.obj", 123456), "drape.123456.obj");
    EXPECT_EQ(object_path("out/drape.pc2", "hero/chest"), "out/drape.hero_chest.pc2");
}

} // namespace sinew
