// Contacts found by the way of the surface: nothing passes itself or another (spec U 8.2; issue: zero intersections by the exact
// test, median safe step at least 0.1).
#include "paths.h"
#include "physics/simulation.h"
#include "sinew/scene.h"
#include "core/random.h"
#include "solver/position_way.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

using namespace sinew;

namespace {

struct Outcome {
    int intersections = 0;      // most of any frame
    int frames_with = 0;
    Real median = 0, least = 1; // safe step
    Real stretch = 0, most_stretch = 0; // at the end; in any frame
    int warnings = 0;           // steps with one
    Real kinetic = 0;           // at the end
    Real high = 0;
    Real turned = 0;            // cosine of half the angle of the grip at the end, where there is one
    bool ok = false;
};

std::string read_scene(const std::string& name) {
    std::ifstream in(source_dir() + "/scenes/position/" + name + ".json");
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}
void put(std::string& s, const std::string& from, const std::string& to) {
    const std::size_t at = s.find(from);
    if (at != std::string::npos) s.replace(at, from.size(), to);
}
std::string read_scene(const std::string& name, int cells, bool continuous) {
    std::string s = read_scene(name);
    put(s, "\"cells\": 20", fmt::format("\"cells\": {}", cells));
    if (cells >= 60) put(s, "\"iterations\": 4", "\"iterations\": 8"); // sweeps reach as many cells as they are: 4 leave the folds stretched by 15.3 %
    if (!continuous) put(s, "\"continuous\": true", "\"continuous\": false");
    return s;
}

Outcome run_scene(const std::string& text, int threads, Real seconds, const std::string& cloth = "cloth") {
    Outcome out;
    auto s = start(text, threads);
    if (!s) return out;
    std::vector<Real> steps;
    while (!is_finished(*s) && s->now.time < seconds) {
        if (simulate_step(*s) != Status::ok) return out;
        steps.push_back(s->report.step_length);
        const int count = int(measure(*s, "intersections"));
        out.intersections = std::max(out.intersections, count);
        out.frames_with += count > 0;
        out.warnings += !s->report.warnings.empty();
        out.most_stretch = std::max(out.most_stretch, measure(*s, cloth + ".stretch"));
    }
    std::sort(steps.begin(), steps.end());
    out.median = steps[steps.size() / 2], out.least = steps.front();
    out.stretch = measure(*s, cloth + ".stretch");
    out.high = measure(*s, cloth + ".max.y");
    out.kinetic = measure(*s, cloth + ".kinetic");
    if (text.find("\"grip\"") != std::string::npos) out.turned = measure(*s, "grip.rotation.w");
    out.ok = true;
    testing::Test::RecordProperty("intersections", out.intersections);
    testing::Test::RecordProperty("median_safe_step", fmt::format("{:.4g} least {:.4g}", out.median, out.least));
    testing::Test::RecordProperty("stretch", fmt::format("{:.4g} most {:.4g} high {:.4g} kinetic {:.4g}", out.stretch, out.most_stretch, out.high, out.kinetic));
    testing::Test::RecordProperty("warnings", out.warnings);
    return out;
}

} // namespace

TEST(position_continuous, a_cloth_that_falls_in_folds_never_meets_itself) {
    const Outcome r = run_scene(read_scene("cloth_folds", 12, true), 1, 1.2);
    ASSERT_TRUE(r.ok);
    EXPECT_EQ(r.intersections, 0);
    EXPECT_GE(r.median, 0.1);
    EXPECT_LT(r.high, 0.6); // it does come down: it was 0.95 m high
}

TEST(position_continuous, a_twisted_cloth_never_meets_itself) {
    const Outcome r = run_scene(read_scene("cloth_twist", 14, true), 1, 10);
    ASSERT_TRUE(r.ok);
    EXPECT_EQ(r.intersections, 0);
    EXPECT_GE(r.median, 0.1);
    EXPECT_NEAR(r.turned, 1, 1e-3); // two whole turns: one would be -1
    EXPECT_EQ(r.warnings, 0);       // the grip always leaves a way
    EXPECT_LT(r.most_stretch, 0.5); // the worst triangle within the rope, as in the scene; seen: 0.455
}

namespace {

// a ball of 5 mm at 60 m/s, 1 m in a step, past or onto a held sheet of 20 cm
Real3 shoot(Real x, bool continuous) {
    auto s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "fps": 60, "substeps": 1, "seconds": 0.05 }},
        "objects": {{ "sheet": {{ "kind": "cloth_grid", "size": [0.2, 0.2], "edge": 0.1, "fixed": "all", "material": "cotton", "thickness": 0 }},
            "ball": {{ "kind": "particles", "positions": [[{}, 0.9, 0.01]], "masses": [0.01], "radius": 0.005, "thickness": 0.005, "velocity": [0, -60, 0] }} }},
        "solver": "position", "solvers": {{ "position": {{ "substeps": 1, "iterations": 8, "continuous": {} }} }} }})", x, continuous));
    if (!s) return {};
    while (!is_finished(*s))
        if (simulate_step(*s) != Status::ok) return {};
    return s->now.point.x[point_count(s->compiled.model) - 1];
}

} // namespace

TEST(position_continuous, a_fast_ball_meets_what_it_hits_and_nothing_else) {
    const Real3 hit = shoot(0.02, true), past = shoot(0.12, true);
    EXPECT_NEAR(hit.y, 0.005, 1e-6);  // on the sheet: eight sweeps of one contact
    EXPECT_NEAR(past.y, 0.9 - 3, 1e-9); // three steps of a metre
    EXPECT_NEAR(past.x, 0.12, 1e-12);
}

// Vertices that drift together, tremble, and of which a few are fast: pairs are looked for by each one's own way, and what is found is what
// all pairs give; an end within the reach of the last search needs no new one.
TEST(position_continuous, impacts_are_those_of_all_pairs_however_fast_a_few_vertices_are) {
    auto s = start(R"({ "sinew": 1, "objects": { "low": { "kind": "cloth_grid", "size": [0.6, 0.6], "edge": 0.1, "material": "cotton", "thickness": 0.01 },
        "high": { "kind": "cloth_grid", "size": [0.6, 0.6], "edge": 0.12, "at": [0, 0.1, 0], "material": "cotton", "thickness": 0.01, "self_contact": true } },
        "solver": "position" })");
    ASSERT_TRUE(s);
    const Model& m = s->compiled.model;
    const ParallelPtr parallel = make_parallel({.threads = 2});
    const std::size_t n = m.surface.vertices.size();
    std::vector<Real3> from(s->now.point.x.begin(), s->now.point.x.end()), to;
    ASSERT_EQ(from.size(), n);
    SurfaceScratch surface;
    Contacts contacts;
    WayScratch own, all;
    Rng rng{5, 0, 0};
    int found = 0, searches = 0;
    for (int round = 0; round < 4; ++round) {
        for (Real3& x : from) x.y += draw_uniform(rng, -0.01, 0.01);
        to = from;
        for (Real3& x : to) x.x += 0.3, x.y += 0.4 + draw_uniform(rng, -0.03, 0.03), x.z += draw_uniform(rng, -0.02, 0.02); // all drift by half a metre
        for (int k = 0; k < round; ++k) to[std::size_t(draw_int(rng, int(n)))].y -= 0.5;
        ASSERT_TRUE(detect_surface(*parallel, m, from, {}, {.margin = 0.001}, surface, contacts));
        own.ahead.begun = false;
        for (Real part : {1.0, 0.25}) {
            ASSERT_TRUE(find_impacts(*parallel, m, s->now, {from, to, {}}, part, surface, own));
            SurfaceTopology topology;
            ASSERT_TRUE(build_surface_topology(m, {}, surface.options, surface, topology));
            ASSERT_TRUE(find_candidates(*parallel, topology, surface.neighbors, from, 10, all.ahead.boxes, all.ahead.pairs));
            all.ahead.begun = true, all.ahead.drift.setZero(), all.ahead.reach.assign(n, 10);
            ASSERT_TRUE(find_impacts(*parallel, m, s->now, {from, to, {}}, part, surface, all));
            ASSERT_EQ(own.impacts.size(), all.impacts.size()) << round;
            for (std::size_t i = 0; i < own.impacts.size(); ++i) {
                EXPECT_EQ(own.impacts[i].pair, all.impacts[i].pair);
                EXPECT_EQ(own.impacts[i].time, all.impacts[i].time);
            }
            found += int(own.impacts.size());
        }
        EXPECT_EQ(own.ahead.searches, ++searches); // one for both parts
    }
    EXPECT_EQ(all.ahead.searches, 0);
    EXPECT_GT(found, 20);
}

TEST(soak_position_continuous, a_cloth_of_60_x_60_dropped_in_folds_never_meets_itself) {
    const Outcome r = run_scene(read_scene("cloth_folds", 60, true), 2, 10);
    ASSERT_TRUE(r.ok);
    EXPECT_EQ(r.intersections, 0);
    EXPECT_GE(r.median, 0.1);
    EXPECT_LT(r.stretch, 0.15);
    EXPECT_LT(r.high, 0.3);
}

TEST(soak_position_continuous, without_it_the_cloth_in_folds_meets_itself) {
    const Outcome r = run_scene(read_scene("cloth_folds", 20, false), 2, 1.5);
    ASSERT_TRUE(r.ok);
    EXPECT_GT(r.intersections, 0);
}

TEST(soak_position_continuous, a_cloth_twisted_by_two_turns_never_meets_itself) {
    const Outcome r = run_scene(read_scene("cloth_twist", 60, true), 2, 10);
    ASSERT_TRUE(r.ok);
    EXPECT_EQ(r.intersections, 0);
    EXPECT_GE(r.median, 0.1);
    EXPECT_NEAR(r.turned, 1, 1e-3);
    EXPECT_EQ(r.warnings, 0);       // what is prescribed always left a way
    EXPECT_LT(r.stretch, 0.5);      // the bound of the scene, of the worst triangle within the rope; seen: 0.42, and 0.56 on the way
    EXPECT_LT(r.most_stretch, 0.65);
}

// X04 by the method of the source, on 40 x 40 cells: it hangs from its corners, is let go and falls
TEST(soak_position_scenes, conjugate_residuals_carry_the_cloth_from_its_corners_and_let_it_fall) {
    std::string text = read_scene("corners_and_sphere");
    put(text, "\"cells\": 100", "\"cells\": 40");
    put(text, "\"substeps\": 30, \"iterations\": 1", "\"method\": \"conjugate_residuals\", \"substeps\": 10, \"iterations\": 6");
    ASSERT_NE(text.find("conjugate_residuals\", \"substeps\""), std::string::npos);
    const Outcome r = run_scene(text, 2, 1);
    ASSERT_TRUE(r.ok);
    EXPECT_LT(r.most_stretch, 0.45); // the bounds of the scene
    EXPECT_GT(r.high, 1);
    EXPECT_LT(r.high, 1.45);         // 1.5 while it hangs, 0.2 s of a fall
}
