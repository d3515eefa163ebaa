// Animated obstacles: what our exporters wrote moves the vertices of a mesh again, at the samples and between them.
//   x(t) = x_k + (t - t_k) fps (x_k+1 - x_k),  v = fps (x_k+1 - x_k)
// Positions in the files are float32, MDD times too: 1e-7 relative.
#include "core/math.h"
#include "model/visit.h"
#include "output/output.h"
#include "output/samples.h"
#include "output/world.h"
#include "scene/compile.h"
#include "simulate.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sinew {
namespace {

constexpr int kFirst = 1001, kLast = 1006, kSubsteps = 3;
constexpr double kFps = 24;

SnapshotLayout sheet_layout() {
    SnapshotLayout layout = make_sample_layout();
    layout.objects.resize(1);
    layout.fps = kFps;
    layout.first_frame = kFirst;
    return layout;
}

// the motion of the sheet, written by one of our exporters
void write_motion(const char* format, const std::string& path) {
    const SnapshotLayout layout = sheet_layout();
    auto exporter = make_exporter(format, {});
    ASSERT_TRUE(exporter);
    ASSERT_NO_ERRORS((*exporter.value)->open(path, layout));
    for (int f = kFirst; f <= kLast; ++f) ASSERT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(layout, f)));
    ASSERT_NO_ERRORS((*exporter.value)->close());
}

Result<Simulation> start_animation(const std::string& file, const std::string& object, int threads = 1) {
    const std::string text = fmt::format(R"({{ "time": {{ "fps": {}, "frames": [{}, {}], "substeps": {} }},
        "objects": {{ "skin": {{ "kind": "animated", {} }},
                      "rock": {{ "kind": "particles", "positions": [[0, 9, 0]] }} }} }})", kFps, kFirst, kLast, kSubsteps, object);
    write_text_file(file, text);
    const Result<Scene> scene = load_scene(file);
    if (!scene) return {std::nullopt, scene.errors};
    Result<Compiled> compiled = compile_scene(*scene.value);
    if (!compiled) return {std::nullopt, compiled.errors};
    return make_simulation(Context{threads, {}, {}}, std::move(*compiled.value));
}

Vec3 expected(const SnapshotLayout& layout, int i, double t, Vec3& v) {
    const double at = t * kFps;
    const int k = std::min(int(at * (1 + 1e-12)), kLast - kFirst - 1);
    const Vec3 a = vec(make_sample_snapshot(layout, kFirst + k).objects[0].position[i]);
    const Vec3 b = vec(make_sample_snapshot(layout, kFirst + k + 1).objects[0].position[i]);
    v = kFps * (b - a);
    return a + (at - k) * (b - a);
}

void expect_motion(const std::string& file, const std::string& object) {
    Result<Simulation> made = start_animation(file, object);
    ASSERT_TRUE(made) << text_of(made.errors);
    Simulation& s = *made.value;
    const SnapshotLayout layout = sheet_layout();
    const int n = layout.objects[0].point_count;
    ASSERT_EQ(int(s.now.animated.x.size()), n);
    Vec3 v;
    for (int i = 0; i < n; ++i) EXPECT_LT((vec(s.now.animated.x[i]) - expected(layout, i, 0, v)).norm(), 1e-6);
    while (!is_finished(s)) {
        const double begin = s.now.time;
        ASSERT_EQ(simulate_step(s), Status::ok) << s.report.message;
        for (int i = 0; i < n; ++i) {
            const Vec3 x = expected(layout, i, s.now.time, v);
            EXPECT_LT((vec(s.now.animated.x[i]) - x).norm(), 1e-6) << file << " t = " << s.now.time;
            expected(layout, i, begin, v); // a step lies between two samples
            EXPECT_LT((vec(s.now.animated.v[i]) - v).norm(), 1e-4) << file << " t = " << begin; // 1e-6 over dt = 1/72
        }
    }
    // and it can be written again
    const Snapshot seen = make_snapshot(s);
    EXPECT_EQ(int(seen.objects[0].position.size()), n);
    EXPECT_EQ(seen.objects[0].fields[0].name, "velocity");
    EXPECT_GT(s.compiled.model.surface.triangles.size(), 0u);
}

TEST(animation, point_caches_recordings_and_sequences_of_our_own_give_the_motion_back) {
    TemporaryFolder folder;
    for (const char* format : {"obj", "pc2", "mdd", "recording", "ply"}) {
        const std::string extension = std::string(format) == "recording" ? "sinew" : format;
        write_motion(format, folder.path("skin." + extension));
        if (HasFatalFailure()) return;
        const bool cache = extension == "pc2" || extension == "mdd";
        const std::string file = extension == "obj" || extension == "ply" ? "skin.*." + extension : "skin." + extension;
        const std::string mesh = cache ? R"(, "mesh": "skin.1001.obj")" : "";
        SCOPED_TRACE(format);
        expect_motion(folder.path("scene.json"), fmt::format(R"("animation": "{}"{})", file, mesh));
    }
}

TEST(animation, placement_scale_unit_and_motion_carry_it) {
    TemporaryFolder folder;
    write_motion("obj", folder.path("skin.obj"));
    Result<Simulation> made = start_animation(folder.path("scene.json"), R"("animation": { "file": "skin.*.obj", "unit": "cm", "from": "1 s" },
        "scale": 3, "at": [0, 5, 0], "rotate": { "axis": [0, 0, 1], "angle": "90 deg" },
        "motion": { "slide": { "velocity": [2, 0, 0] } })");
    ASSERT_TRUE(made) << text_of(made.errors);
    Simulation& s = *made.value;
    const SnapshotLayout layout = sheet_layout();
    for (int k = 0; k < 4; ++k) ASSERT_EQ(simulate_step(s), Status::ok);
    for (int i = 0; i < layout.objects[0].point_count; ++i) {
        const Real3 a = make_sample_snapshot(layout, kFirst).objects[0].position[i]; // it has not begun to deform
        const Vec3 want = Vec3(-0.03 * a.y + 2 * s.now.time, 5 + 0.03 * a.x, 0.03 * a.z);
        EXPECT_LT((vec(s.now.animated.x[i]) - want).norm(), 1e-6);
        EXPECT_LT((vec(s.now.animated.v[i]) - Vec3(2, 0, 0)).norm(), 1e-9);
    }
}

TEST(animation, it_holds_still_after_the_last_sample_or_starts_again) {
    TemporaryFolder folder;
    write_motion("recording", folder.path("skin.sinew"));
    const double length = (kLast - kFirst) / kFps;
    const SnapshotLayout layout = sheet_layout();
    for (bool repeat : {false, true}) {
        // the animation began 4/5 of its length before the scene
        Result<Simulation> made = start_animation(folder.path("scene.json"), fmt::format(
            R"("animation": {{ "file": "skin.sinew", "from": {}, "repeat": {} }})", -0.8 * length, repeat));
        ASSERT_TRUE(made) << text_of(made.errors);
        Simulation& s = *made.value;
        for (int k = 0; k < 6; ++k) ASSERT_EQ(simulate_step(s), Status::ok); // two frames: one beyond the end
        Vec3 v;
        const Vec3 want = repeat ? expected(layout, 5, s.now.time - 0.2 * length, v) : expected(layout, 5, length, v);
        EXPECT_LT((vec(s.now.animated.x[5]) - want).norm(), 1e-6) << repeat;
        if (!repeat) { EXPECT_LT(vec(s.now.animated.v[5]).norm(), 1e-9); }
    }
}

TEST(animation, a_run_continued_from_a_state_has_the_same_bits) {
    TemporaryFolder folder;
    write_motion("recording", folder.path("skin.sinew"));
    Result<Simulation> one = start_animation(folder.path("scene.json"), R"("animation": "skin.sinew")");
    ASSERT_TRUE(one) << text_of(one.errors);
    for (int k = 0; k < 5; ++k) ASSERT_EQ(simulate_step(*one.value), Status::ok);
    Result<Simulation> two = start_animation(folder.path("scene.json"), R"("animation": "skin.sinew")");
    continue_from(*two.value, save_run(*one.value));
    for (Simulation* s : {&*one.value, &*two.value})
        for (int k = 0; k < 5; ++k) ASSERT_EQ(simulate_step(*s), Status::ok);
    EXPECT_EQ(hash(one.value->now), hash(two.value->now));
}

TEST(animation, what_is_wrong_is_said_with_its_place) {
    TemporaryFolder folder;
    write_motion("obj", folder.path("skin.obj"));
    write_motion("pc2", folder.path("skin.pc2"));
    write_text_file(folder.path("short.0001.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_text_file(folder.path("short.0002.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\n");
    write_text_file(folder.path("junk.mdd"), "not a cache");
    write_text_file(folder.path("junk.sinew"), "not a recording");
    const std::vector<std::array<std::string, 2>> cases{
        {R"("animation": "nowhere.pc2")", "cannot"},
        {R"("animation": "skin.pc2")", "has no faces"},
        {R"("animation": "skin.pc2", "mesh": "short.0001.obj")", "has 3 vertices, the animation 12"},
        {R"("animation": "none.*.obj")", "no file of this sequence"},
        {R"("animation": "skin.obj")", "one * in the file's name"},
        {R"("animation": "short.*.obj")", "has 4 vertices where the first sample has 3"},
        {R"("animation": "junk.mdd", "mesh": "short.0001.obj")", "MDD"},
        {R"("animation": "junk.sinew")", "no Sinew recording"},
        {R"("animation": "skin.abc")", "not a known kind"},
        {R"("animation": { "file": "skin.*.obj", "object": "hat" })", "no such object"},
        {R"("animation": { "file": "skin.*.obj", "speed": 2 })", "speed"},
        {R"("mesh": "short.0001.obj")", "animation"},
    };
    for (const auto& [object, message] : cases) {
        const Result<Simulation> made = start_animation(folder.path("scene.json"), object);
        ASSERT_FALSE(made) << object;
        EXPECT_NE(text_of(made.errors).find(message), std::string::npos) << object << "\n" << text_of(made.errors);
        EXPECT_GT(made.errors[0].line, 0) << object;
        EXPECT_TRUE(made.errors[0].path.starts_with("objects.skin")) << made.errors[0].path;
    }
}

TEST(animation, a_file_that_disappears_while_running_stops_the_run_with_its_name) {
    TemporaryFolder folder;
    write_motion("obj", folder.path("skin.obj"));
    Result<Simulation> made = start_animation(folder.path("scene.json"), R"("animation": "skin.*.obj")");
    ASSERT_TRUE(made) << text_of(made.errors);
    std::filesystem::remove(folder.path("skin.1003.obj"));
    Status status = Status::ok;
    while (status == Status::ok && !is_finished(*made.value)) status = simulate_step(*made.value);
    EXPECT_EQ(status, Status::failed);
    EXPECT_NE(made.value->report.message.find("skin.1003.obj"), std::string::npos) << made.value->report.message;
}

} // namespace
} // namespace sinew
