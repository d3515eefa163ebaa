#include "output/point_cache.h"
#include "output/samples.h"
#include "output/world.h"
#include <cstring>

namespace sinew {
namespace {
void write_caches(const char* name, const std::string& path, const ExporterSettings& settings) {
    const SnapshotLayout layout = make_sample_layout();
    auto exporter = make_exporter(name, settings);
    ASSERT_NO_ERRORS((*exporter.value)->open(path, layout));
    for (int f = 1001; f <= 1010; ++f)
        ASSERT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(layout, f)));
    ASSERT_NO_ERRORS((*exporter.value)->close());
}
void expect_samples(const PointCache& cache, std::size_t object, int every) {
    const SnapshotLayout layout = make_sample_layout();
    std::vector<Real3> x;
    for (int sample = cache.sample_count - 1; sample >= 0; --sample) {
        ASSERT_NO_ERRORS(cache.read(sample, x));
        const Snapshot s = make_sample_snapshot(layout, 1001 + every * sample);
        const std::vector<Real3> want = make_world_positions(layout.objects[object], s.objects[object]);
        ASSERT_EQ(x.size(), want.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            for (int c = 0; c < 3; ++c) EXPECT_EQ(x[i][c], double(float(want[i][c])));
    }
}
} // namespace

TEST(PointCache, each_object_has_its_file_and_reads_back) {
    for (const std::string name : {"pc2", "mdd"}) {
        TemporaryFolder folder;
        write_caches(name.c_str(), folder.path("drape." + name), {});
        const std::vector<std::string> objects = {"sheet", "hero_box", "rope", "rain"};
        EXPECT_EQ(folder.files().size(), 4u);
        for (std::size_t i = 0; i < 4; ++i) {
            PointCache cache;
            ASSERT_NO_ERRORS(cache.open(folder.path("drape." + objects[i] + "." + name)));
            EXPECT_EQ(cache.is_pc2, name == "pc2");
            EXPECT_EQ(cache.point_count, make_sample_layout().objects[i].point_count);
            EXPECT_EQ(cache.sample_count, 10);
            expect_samples(cache, i, 1);
            std::vector<Real3> x;
            EXPECT_EQ(cache.read(10, x).size(), 1u);
            EXPECT_EQ(cache.read(-1, x).size(), 1u);
        }
    }
}

TEST(PointCache, one_object_has_the_name_that_was_asked_for_and_pc2_says_its_frames) {
    TemporaryFolder folder;
    ExporterSettings settings;
    settings.objects = {"sheet"};
    settings.every = 3;
    write_caches("pc2", folder.path("sheet.pc2"), settings);
    EXPECT_EQ(folder.files(), std::vector<std::string>{"sheet.pc2"});
    PointCache cache;
    ASSERT_NO_ERRORS(cache.open(folder.path("sheet.pc2")));
    EXPECT_EQ(cache.start_frame, 1001);
    EXPECT_EQ(cache.frame_step, 3);
    EXPECT_EQ(cache.sample_count, 4);
    expect_samples(cache, 0, 3);
}

TEST(PointCache, the_bytes_are_those_of_the_formats) {
    TemporaryFolder folder;
    ExporterSettings settings;
    settings.objects = {"rope"};
    write_caches("pc2", folder.path("rope.pc2"), settings);
    write_caches("mdd", folder.path("rope.mdd"), settings);
    const Snapshot s = make_sample_snapshot(make_sample_layout(), 1001);
    const float y = float(s.objects[2].position[0].y);
    std::uint8_t bytes[4];
    std::memcpy(bytes, &y, 4);

    const std::string pc2 = read_text_file(folder.path("rope.pc2"));
    ASSERT_EQ(pc2.size(), 32u + 10 * 5 * 12);
    std::string head = std::string("POINTCACHE2\0", 12) + std::string("\1\0\0\0\5\0\0\0", 8);
    head += std::string("\0\x40\x7a\x44", 4); // 1001.0f
    head += std::string("\0\0\x80\x3f", 4);   // 1.0f
    head += std::string("\x0a\0\0\0", 4);     // 10 samples
    head += std::string("\0\0\0\x40", 4);     // x = 2.0f
    EXPECT_EQ(pc2.substr(0, 36), head);
    EXPECT_EQ(std::memcmp(pc2.data() + 36, bytes, 4), 0);

    const std::string mdd = read_text_file(folder.path("rope.mdd"));
    ASSERT_EQ(mdd.size(), 8u + 10 * 4 + 10 * 5 * 12);
    EXPECT_EQ(mdd.substr(0, 12), std::string("\0\0\0\x0a\0\0\0\5\0\0\0\0", 12));
    EXPECT_EQ(mdd.substr(48, 4), std::string("\x40\0\0\0", 4)); // x = 2.0f
    std::reverse(bytes, bytes + 4);
    EXPECT_EQ(std::memcmp(mdd.data() + 52, bytes, 4), 0);
}

TEST(PointCache, mdd_keeps_the_times) {
    TemporaryFolder folder;
    ExporterSettings settings;
    settings.objects = {"rope"};
    write_caches("mdd", folder.path("rope.mdd"), settings);
    PointCache cache;
    ASSERT_NO_ERRORS(cache.open(folder.path("rope.mdd")));
    ASSERT_EQ(cache.times.size(), 10u);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(cache.times[std::size_t(i)], double(float(i / 24.0)));
}

TEST(PointCache, a_changing_number_of_points_and_uneven_frames_are_refused) {
    TemporaryFolder folder;
    const SnapshotLayout layout = make_sample_layout();
    ExporterSettings settings;
    settings.objects = {"rope"};
    auto exporter = make_exporter("pc2", settings);
    ASSERT_NO_ERRORS((*exporter.value)->open(folder.path("a.pc2"), layout));
    ASSERT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(layout, 1001)));
    Errors errors = (*exporter.value)->write(make_sample_snapshot(layout, 1003));
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].allowed, "1002");
    SnapshotLayout longer = layout;
    longer.objects[2].point_count = 6;
    longer.objects[2].rest.clear();
    errors = (*exporter.value)->change_layout(longer);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].path, "objects.rope");
    EXPECT_EQ(errors[0].message, "its number of vertices changes during the run, which PC2 cannot hold");
}

TEST(PointCache, a_run_that_was_not_ended_cleanly_cannot_be_continued_and_says_what_to_do) {
    TemporaryFolder folder;
    auto exporter = make_exporter("pc2", {});
    const Errors errors = (*exporter.value)->resume(folder.path("a.pc2"), make_sample_layout(), 1005);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_NE(errors[0].message.find("by convert"), std::string::npos);
}

TEST(PointCache, every_truncation_is_refused_and_damage_never_crashes) {
    for (const std::string name : {"pc2", "mdd"}) {
        TemporaryFolder folder;
        ExporterSettings settings;
        settings.objects = {"rope"};
        write_caches(name.c_str(), folder.path("a"), settings);
        const std::string whole = read_text_file(folder.path("a"));
        PointCache cache;
        std::vector<Real3> x;
        for (std::size_t n = 0; n < whole.size(); n += n < 60 ? 1 : 37) {
            write_text_file(folder.path("b"), whole.substr(0, n));
            EXPECT_EQ(cache.open(folder.path("b")).size(), 1u) << n;
        }
        for (std::size_t at = 0; at < 60; ++at)
            for (unsigned char value : {0x00, 0x7f, 0x80, 0xff}) {
                std::string damaged = whole;
                damaged[at] = char(value);
                write_text_file(folder.path("b"), damaged);
                if (cache.open(folder.path("b")).empty() && cache.sample_count > 0)
                    cache.read(cache.sample_count - 1, x);
            }
    }
}

} // namespace sinew
