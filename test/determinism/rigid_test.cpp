// Same bits for heaps of rigid bodies that are large enough for every loop of the soft step to have several pieces: contacts in
// colours, packed trees of joints, touches, islands. On 1, 2, 3 and 8 threads; with every cache dropped before each step; and
// interrupted and continued from what a checkpoint holds.
#include "determinism/same_state.h"
#include "model/visit.h"
#include "paths.h"
#include "solver/velocity_build.h"
#include <fmt/format.h>

using namespace sinew;

namespace {

struct Heap {
    const char* name;
    std::string text;
    int steps, bodies, touches; // at least so many of them
};

// a wall of n rows of boxes
std::string pyramid(int n) {
    return R"json({ "sinew": 1, "time": { "fps": 60, "seconds": 10 }, "vars": { "n": )json" + std::to_string(n) + R"json( },
        "objects": {
            "floor": { "kind": "plane", "friction": 0.6 },
            "cube": { "kind": "box", "size": [1, 1, 1], "mass": 1, "friction": 0.6,
                      "vars": { "r": "floor((2*n + 1 - sqrt((2*n + 1)^2 - 8*k))/2)" },
                      "at": ["(k - (r*n - r*(r - 1)/2) - 0.5*(n - 1 - r))*1.05", "0.5 + r", 0],
                      "replicate": { "count": "n*(n + 1)/2", "index": "k" } } },
        "solver": "velocity" })json";
}

// dolls of ten boxes held together by ball joints, which are packed, in a block that falls on the floor; each third one has hinges with
// limits at its knees, and is not
std::string dolls(int n) {
    const auto doll = [](const std::string& name, const std::string& knee) {
        std::string out = "\"" + name + R"json(": { "objects": {
            "chest": { "kind": "box", "size": [0.36, 0.6, 0.2], "mass": 30, "at": [0, 1.2, 0] },
            "head": { "kind": "box", "size": [0.2, 0.24, 0.2], "mass": 5, "at": [0, 1.68, 0] },
            "arm": { "kind": "box", "size": [0.28, 0.1, 0.1], "mass": 3, "replicate": { "count": 2, "at": ["0.38*(2*i - 1)", 1.42, 0] } },
            "hand": { "kind": "box", "size": [0.24, 0.08, 0.08], "mass": 2, "replicate": { "count": 2, "at": ["0.7*(2*i - 1)", 1.42, 0] } },
            "thigh": { "kind": "box", "size": [0.14, 0.38, 0.14], "mass": 8, "replicate": { "count": 2, "at": ["0.1*(2*i - 1)", 0.65, 0] } },
            "shank": { "kind": "box", "size": [0.1, 0.36, 0.1], "mass": 4, "replicate": { "count": 2, "at": ["0.1*(2*i - 1)", 0.22, 0] } } },
          "joints": { "neck": { "kind": "ball", "between": ["chest", "head"], "at": [0, 1.53, 0] })json";
        for (int side = 0; side < 2; ++side) {
            const std::string k = std::to_string(side), sign = side ? "" : "-";
            out += ", \"shoulder" + k + R"(": { "kind": "ball", "between": ["chest", "arm/)" + k + "\"], \"at\": [" + sign + "0.21, 1.42, 0] }";
            out += ", \"elbow" + k + R"(": { "kind": "ball", "between": ["arm/)" + k + "\", \"hand/" + k + "\"], \"at\": [" + sign + "0.55, 1.42, 0] }";
            out += ", \"hip" + k + R"(": { "kind": "ball", "between": ["chest", "thigh/)" + k + "\"], \"at\": [" + sign + "0.1, 0.87, 0] }";
            out += ", \"knee" + k + "\": { " + knee + R"(, "between": ["thigh/)" + k + "\", \"shank/" + k + "\"], \"at\": [" + sign + "0.1, 0.43, 0] }";
        }
        return out + " } }";
    };
    const std::string place = R"json("rotate": { "axis": [1, 0.3, 0.2], "angle": "60 deg" },
        "at": ["1.9*(i - n*floor(i/n))", "0.5 + 0.75*floor(i/(n*n))", "1.1*(floor(i/n) - n*floor(i/(n*n))) + 0.2*floor(i/(n*n))"])json";
    return R"json({ "sinew": 1, "time": { "fps": 60, "seconds": 10 }, "vars": { "n": )json" + std::to_string(n) + R"json( },
        "prefabs": { )json" + doll("loose", R"("kind": "ball")") + ",\n" +
           doll("kneed", R"("kind": "hinge", "axis": [1, 0, 0], "limits": ["-2 deg", "140 deg"])") + R"json( },
        "objects": { "floor": { "kind": "plane" },
                     "doll": { "use": "loose", "replicate": { "count": "2*n*n", "index": "i" }, )json" + place + R"json( },
                     "other": { "use": "kneed", "replicate": { "count": "n*n", "index": "j" }, "vars": { "i": "j + 2*n*n" }, )json" + place + R"json( } },
        "solver": "velocity" })json";
}

// ragdolls in generalised coordinates among free boxes
std::string trees(int n) {
    return R"json({ "sinew": 1, "time": { "fps": 60, "seconds": 10 }, "vars": { "n": )json" + std::to_string(n) + R"json( }, "include": ["prefabs/ragdoll.json"],
        "objects": { "floor": { "kind": "plane", "at": [0, -1, 0] },
                     "doll": { "use": "ragdoll", "height": 1.8, "mass": 75, "rotate": { "axis": [0, 0, 1], "angle": "25 deg" },
                               "replicate": { "count": "n*n*n", "index": "i", "at": ["(i - n*floor(i/n))*1.3", "1.2*floor(i/(n*n)) - 0.4", "(floor(i/n) - n*floor(i/(n*n)))*0.8"] } },
                     "box": { "kind": "box", "size": [0.3, 0.3, 0.3], "density": 300, "replicate": { "count": "n*n", "index": "i", "at": ["(i - n*floor(i/n))*1.3", -0.85, "0.8*floor(i/n) + 0.3"] } } },
        "solver": "articulated" })json";
}

void PrintTo(const Heap& h, std::ostream* out) { *out << h.name; }

} // namespace

class rigid_heaps : public testing::TestWithParam<Heap> {};

TEST_P(rigid_heaps, any_number_of_threads_gives_the_same_state) {
    const Heap& heap = GetParam();
    check_thread_counts([&](int threads) { return start(heap.text, threads); }, heap.steps, [&](const Simulation& s) {
        EXPECT_EQ(std::string_view(s.report.path).substr(0, 9), "soft_step");
        EXPECT_GT(frame_count(s.compiled.model), heap.bodies);
        EXPECT_GT(s.report.contact_count, heap.touches);
    });
}

TEST_P(rigid_heaps, caches_dropped_before_every_step_give_the_same_state) {
    check_dropped_caches([&](int threads) { return start(GetParam().text, threads); }, GetParam().steps);
}

TEST_P(rigid_heaps, an_interrupted_and_continued_run_gives_the_same_state) {
    check_continued_runs([&](int threads) { return start(GetParam().text, threads); }, GetParam().steps);
}

// Ragdolls in generalised coordinates, which have another path: trees, their rows and their contacts.
TEST(articulated_heap, any_number_of_threads_dropped_caches_and_a_continued_run_give_the_same_state) {
    const OpenScene open = [](int threads) -> std::optional<Simulation> {
        Result<Scene> scene = parse_scene(trees(2), source_dir() + "/scenes/scene.json");
        for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
        if (!scene) return std::nullopt;
        Result<Compiled> compiled = compile_scene(*scene.value);
        if (!compiled) return std::nullopt;
        Context context;
        context.threads = threads;
        Result<Simulation> made = make_simulation(context, std::move(*compiled.value));
        if (made) measure_start(*made.value);
        return std::move(made.value);
    };
    const int steps = 30;
    check_thread_counts(open, steps, [](const Simulation& s) { EXPECT_GT(s.report.contact_count, 20); });
    check_dropped_caches(open, steps);
    check_continued_runs(open, steps);
}

// A wall of boxes and a layer of dolls by the packed soft step, in single precision: the same bits on every machine and by every compiler.
// To be changed only together with what computes them.
TEST(golden_hash, of_rigid_heaps_is_the_same_everywhere) {
    constexpr std::uint64_t kPyramid = 0x908f0dd9151326b8, kDolls = 0x2fc52529a5c2465e;
    std::optional<Simulation> wall = start(pyramid(12), 1), crowd = start(dolls(2), 1);
    ASSERT_TRUE(wall && crowd);
    run_to_step(*wall, 30);
    run_to_step(*crowd, 60);
    EXPECT_GT(crowd->report.contact_count, 50);
    EXPECT_EQ(hash(wall->now), kPyramid) << fmt::format("now {:#x}", hash(wall->now));
    EXPECT_EQ(hash(crowd->now), kDolls) << fmt::format("now {:#x}", hash(crowd->now));
}

INSTANTIATE_TEST_SUITE_P(soft_step, rigid_heaps,
                         testing::Values(Heap{"pyramid", pyramid(65), 30, 2 * kGrain, 3 * kTouchGrain},
                                         Heap{"dolls", dolls(9), 60, 2 * kGrain, 3 * kTouchGrain}),
                         [](const auto& info) { return info.param.name; });
