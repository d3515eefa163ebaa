// Files of animations that lie: every cut and every changed byte of a small cache, recording or mesh is an error or an
// animation of finite numbers, never a crash or a giant array.
#include "output/animation.h"
#include "core/random.h"
#include "output/output.h"
#include "output/samples.h"
#include <cmath>

namespace sinew {
namespace {

void write_sheet(const char* format, const std::string& path) {
    SnapshotLayout layout = make_sample_layout();
    layout.objects.resize(1);
    auto exporter = make_exporter(format, {});
    ASSERT_NO_ERRORS((*exporter.value)->open(path, layout));
    for (int f = 1001; f <= 1003; ++f) ASSERT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(layout, f)));
    ASSERT_NO_ERRORS((*exporter.value)->close());
}

// reads all there is; true if it opened
bool read_whole_animation(const AnimationRequest& request) {
    Result<std::unique_ptr<Animation>> opened = open_animation(request);
    EXPECT_NE(bool(opened), !opened.errors.empty());
    if (!opened) return false;
    Animation& a = **opened.value;
    EXPECT_GT(a.point_count, 0);
    std::vector<Real3> x;
    for (std::size_t k = 0; k < a.times.size(); ++k) {
        if (!a.read(int(k), x).empty()) continue;
        EXPECT_EQ(int(x.size()), a.point_count);
        for (const Real3& p : x) EXPECT_TRUE(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z));
        if (k > 0) { EXPECT_GT(a.times[k], a.times[k - 1]); }
    }
    EXPECT_FALSE(a.read(-1, x).empty());
    EXPECT_FALSE(a.read(int(a.times.size()), x).empty());
    return true;
}

TEST(animation_files, cut_and_changed_files_give_errors_or_finite_samples) {
    TemporaryFolder folder;
    Rng rng{3, 0, 0};
    int opened = 0, refused = 0;
    for (const std::string format : {"pc2", "mdd", "recording"}) {
        const std::string extension = format == "recording" ? "sinew" : format;
        const std::string whole = folder.path("a." + extension), damaged = folder.path("b." + extension);
        write_sheet(format.c_str(), whole);
        if (HasFatalFailure()) return;
        const std::string bytes = read_text_file(whole);
        EXPECT_TRUE(read_whole_animation({whole, "", 24, 1001}));
        for (int trial = 0; trial < 300; ++trial) {
            std::string text = bytes;
            if (trial % 3 == 0) text.resize(std::size_t(draw_int(rng, int(bytes.size()))));
            else
                // the first bytes hold the counts
                for (int k = 0; k < 1 + trial % 4; ++k) text[std::size_t(draw_int(rng, trial % 2 ? 40 : int(bytes.size())))] = char(draw_int(rng, 256));
            write_text_file(damaged, text);
            read_whole_animation({damaged, "", 24, 1001}) ? ++opened : ++refused;
        }
    }
    EXPECT_GT(opened, 100);
    EXPECT_GT(refused, 100);
}

TEST(animation_files, a_cache_that_declares_many_samples_of_no_points_is_refused) {
    TemporaryFolder folder;
    const std::string path = folder.path("a.pc2");
    write_sheet("pc2", path);
    std::string bytes = read_text_file(path);
    for (int k = 16; k < 20; ++k) bytes[k] = 0;      // points
    for (int k = 28; k < 32; ++k) bytes[k] = 0x7f;   // samples
    write_text_file(path, bytes);
    const auto opened = open_animation({path, "", 24, 0});
    ASSERT_FALSE(opened);
    EXPECT_NE(text_of(opened.errors).find("no vertices"), std::string::npos);
}

TEST(animation_files, one_object_of_a_recording_or_of_obj_files_is_chosen_by_name) {
    TemporaryFolder folder;
    const SnapshotLayout layout = make_sample_layout();
    for (const char* format : {"recording", "obj"}) {
        const bool obj = std::string(format) == "obj";
        auto exporter = make_exporter(format, {});
        ASSERT_NO_ERRORS((*exporter.value)->open(folder.path(obj ? "all.obj" : "all.sinew"), layout));
        for (int f = 1001; f <= 1003; ++f) ASSERT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(layout, f)));
        ASSERT_NO_ERRORS((*exporter.value)->close());
        const std::string file = folder.path(obj ? "all.*.obj" : "all.sinew");
        auto box = open_animation({file, obj ? "hero/box" : "hero/box", 24, 1001});
        ASSERT_TRUE(box) << text_of(box.errors);
        EXPECT_EQ((*box.value)->point_count, 8);
        EXPECT_EQ((*box.value)->polygon_begin.size(), 7u);
        std::vector<Real3> x;
        ASSERT_NO_ERRORS((*box.value)->read(2, x));
        const Pose pose = make_sample_snapshot(layout, 1003).objects[1].pose;
        Real3 middle; // of the vertices: where the body is
        for (const Real3& p : x) middle = {middle.x + p.x / 8, middle.y + p.y / 8, middle.z + p.z / 8};
        EXPECT_NEAR(middle.x, pose.position.x, 1e-6); // float32
        EXPECT_FALSE(open_animation({file, "hat", 24, 1001}));
    }
    EXPECT_FALSE(open_animation({folder.path("all.sinew"), "", 24, 1001})); // several: which?
}

} // namespace
} // namespace sinew
