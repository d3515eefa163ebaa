// Emitters and sinks that move: by a motion, with held bodies, with rigid bodies. Newly born particles without gravity fly straight, so that
// at a time t particle j, born at b = j/rate, is at x(b) + (t - b) v with v = v(b), wherever the steps end.
// length: emitters and sinks share the scenes and what judges them
#include "allocation_counter.h"
#include "core/math.h"
#include "core/random.h"
#include "model/emit.h"
#include "scene/start_text.h"
#include <fmt/format.h>
#include <functional>
#include <set>

using namespace sinew;

namespace {

// motions and their velocities are evaluated (model/way.h): rounding of sums
constexpr double kNear = 1e-9;

std::string scene_of(const std::string& objects, const std::string& dt = "0.05", const std::string& more = "") {
    return R"({ "gravity": 0, "time": { "fps": 20, "dt": )" + dt + R"(, "seconds": 2 }, "solver": "explicit", "objects": { )" + objects + " }" + more + " }";
}

void run_to(Simulation& s, double t) {
    while (s.now.time < t - 1e-9) ASSERT_EQ(simulate_step(s), Status::ok) << s.report.message;
}

struct Birth {
    Vec3 x, v;
};
// every particle of the first emitter that lives
void check_births(const Simulation& s, double rate, const std::function<Birth(double)>& born, double near = kNear) {
    const Emitter& e = s.compiled.model.emitters[0];
    int alive = 0;
    for (int i = e.points.begin; i < e.points.end; ++i) {
        if (!s.now.point.alive[i]) continue;
        ++alive;
        const double b = (s.now.point.id[i] - 1) / rate;
        const Birth expected = born(b);
        EXPECT_LT((vec(s.now.point.v[i]) - expected.v).norm(), near) << "born at " << b;
        EXPECT_LT((vec(s.now.point.x[i]) - expected.x - (s.now.time - b) * expected.v).norm(), near) << "born at " << b;
    }
    EXPECT_EQ(alive, int(std::floor(s.now.time * rate + 1e-9)) + 1);
}

Quat about(const Vec3& axis, double angle) { return exp_rotation(angle * axis); }
const Vec3 kY = Vec3::UnitY(), kZ = Vec3::UnitZ();

std::set<int> living(const Simulation& s) { // numbers of the births
    std::set<int> out;
    const Emitter& e = s.compiled.model.emitters[0];
    for (int i = e.points.begin; i < e.points.end; ++i)
        if (s.now.point.alive[i]) out.insert(int(s.now.point.id[i]) - 1);
    return out;
}

// whether particle j was taken, for each that is born on a grid of n x n of this spacing, but for those near an edge: side > 0 inside
void check_taken(const std::string& sinks, double t, int n, double spacing, double margin, const std::function<double(double, double)>& side) {
    Simulation s = start_text(scene_of(fmt::format(R"("grid": {{ "kind": "emitter", "rate": 0, "initial": {0}, "capacity": {0}, "shape": "grid", "size": [{1}, {1}, 0], "spacing": {2} }}, )",
                                                   n * n, (n - 1) * spacing, spacing) + sinks));
    run_to(s, t);
    const std::set<int> left = living(s);
    int judged = 0;
    for (int j = 0; j < n * n; ++j) {
        const double x = (j % n - n / 2) * spacing, y = (j / n - n / 2) * spacing, inside = side(x, y);
        if (std::abs(inside) < margin) continue;
        ++judged;
        EXPECT_EQ(!left.count(j), inside > 0) << sinks << ": " << x << ", " << y;
    }
    EXPECT_GT(judged, n * n * 3 / 4);
}

// fails the first try of every third step, so that it is taken in two halves
struct FailsSometimes final : Solver {
    std::unique_ptr<Solver> solver;
    std::int64_t failed_step = -1;
    Report step(const Model& m, const Input& input, const State& now, State& next, double dt, Trace* trace) override {
        if (now.step % 3 != 2 || failed_step == now.step) return solver->step(m, input, now, next, dt, trace);
        failed_step = now.step;
        Report r;
        r.status = Status::failed;
        return r;
    }
};

std::vector<Error> errors_of(const std::string& text) {
    const Result<Scene> r = parse_scene(text, "scene.json");
    return r ? compile_scene(*r.value).errors : r.errors;
}

} // namespace

TEST(ways, births_on_a_spinning_emitter_have_its_place_and_velocity_at_their_instant) {
    const auto born = [](double b) {
        const Quat turn = about(kY, 3 * b);
        const Vec3 x = turn * Vec3(2, 0, 0);
        return Birth{x, turn * Vec3(0.5, 1, 0) + 3 * kY.cross(x)};
    };
    for (const char* dt : {"0.05", "0.001"}) { // 0.15 rad a step, and hardly any
        Simulation s = start_text(scene_of(R"("jet": { "kind": "emitter", "rate": 37, "size": [0, 0, 0], "at": [2, 0, 0], "speed": [0.5, 1, 0],
            "motion": { "spin": { "axis": [0, 1, 0], "rate": 3, "center": [0, 0, 0] } } })", dt));
        run_to(s, 1);
        check_births(s, 37, born);
    }
}

TEST(ways, a_part_of_the_emitters_velocity_may_be_inherited) {
    for (const double part : {0.0, 0.5, 1.0}) {
        Simulation s = start_text(scene_of(R"("table": { "kind": "box", "size": [4, 0.1, 4], "contact": false, "motion": { "spin": { "axis": [0, 1, 0], "rate": 3 } } },
            "jet": { "kind": "emitter", "rate": 37, "size": [0, 0, 0], "parent": "table", "at": [2, 0.3, 0], "speed": [0.5, 1, 0], "inherit_velocity": )" +
                                           std::to_string(part) + " }"));
        run_to(s, 1);
        check_births(s, 37, [&](double b) {
            const Quat turn = about(kY, 3 * b);
            const Vec3 x = turn * Vec3(2, 0.3, 0);
            return Birth{x, turn * Vec3(0.5, 1, 0) + part * 3 * kY.cross(x)};
        });
    }
}

TEST(ways, a_motion_on_top_of_that_of_the_parent_is_carried_by_it) {
    // an arm that slides outwards on a table that spins: the centrifugal and the sliding velocity both show
    Simulation s = start_text(scene_of(R"("table": { "kind": "box", "contact": false, "at": [1, 0, 0], "motion": { "spin": { "axis": [0, 1, 0], "rate": 2 } } },
        "jet": { "kind": "emitter", "rate": 23, "size": [0, 0, 0], "parent": "table", "at": [1, 0, 0], "motion": { "move": ["t^2", 0, 0] } })"));
    run_to(s, 1);
    check_births(s, 23, [](double b) {
        const Quat turn = about(kY, 2 * b);
        const Vec3 arm = turn * Vec3(1 + b * b, 0, 0);
        return Birth{Vec3(1, 0, 0) + arm, turn * Vec3(2 * b, 0, 0) + 2 * kY.cross(arm)};
    });
}

TEST(ways, keys_that_turn_a_corner_give_the_velocity_that_begins_and_jumps_give_none) {
    Simulation s = start_text(scene_of(R"("jet": { "kind": "emitter", "rate": 40, "size": [0, 0, 0],
        "motion": { "between": "linear", "keys": [ { "t": 0, "at": [0, 0, 0] }, { "t": 1, "at": [3, 0, 0] }, { "t": 2, "at": [3, 4, 0] } ] } })"));
    run_to(s, 1.5);
    check_births(s, 40, [](double b) { // one of them is born at the corner
        return b < 1 - 1e-9 ? Birth{{3 * b, 0, 0}, {3, 0, 0}} : Birth{{3, 4 * (b - 1), 0}, {0, 4, 0}};
    });
    Simulation jumps = start_text(scene_of(R"("jet": { "kind": "emitter", "rate": 20000, "lifetime": 0.1, "capacity": 3000, "size": [0, 0, 0],
        "motion": { "between": "hold", "keys": [ { "t": 0, "at": [0, 0, 0] }, { "t": 0.5, "at": [3, 0, 0] } ] } })"));
    run_to(jumps, 0.55); // births are closer to each other than the points of a difference
    const Emitter& e = jumps.compiled.model.emitters[0];
    int alive = 0;
    for (int i = e.points.begin; i < e.points.end; ++i) {
        if (!jumps.now.point.alive[i]) continue;
        ++alive;
        EXPECT_EQ(jumps.now.point.v[i], Real3{});
        EXPECT_EQ(jumps.now.point.x[i].x, jumps.now.point.id[i] - 1 < 10000 ? 0 : 3);
    }
    EXPECT_NEAR(alive, 0.1 * 20000, 1.5); // on both sides of the jump
}

TEST(ways, smooth_keys_give_the_derivative_of_their_curve) {
    const std::string motion = R"({ "keys": [ { "t": 0, "at": [0, 0, 0], "rotate": { "axis": [0, 1, 0], "angle": 0 } },
        { "t": 0.7, "at": [1, 2, 0], "rotate": { "axis": [1, 1, 0], "angle": 1 } }, { "t": 2, "at": [2, 0, 1], "rotate": { "axis": [0, 0, 1], "angle": 2 } } ] })";
    Simulation s = start_text(scene_of(R"("jet": { "kind": "emitter", "rate": 31, "size": [0, 0, 0], "speed": [0, 0, 1], "motion": )" + motion + " }"));
    run_to(s, 1.5);
    const Motion& m = s.compiled.script.movers[0].motion;
    check_births(s, 31, [&](double b) {
        const double d = 1e-5;
        const Pose here = evaluate_motion(m, b);
        const Vec3 v = (vec(evaluate_motion(m, b + d).position) - vec(evaluate_motion(m, b - d).position)) / (2 * d);
        return Birth{vec(here.position), quat(here.rotation) * Vec3(0, 0, 1) + (b == 0 ? Vec3(Vec3::Zero()) : v)};
    }, 1e-7); // of the central difference
}

TEST(ways, births_on_a_falling_spinning_body_have_its_place_and_velocity_at_their_instant) {
    // improved_euler is exact for the parabola, exponential_midpoint for the spin of a ball, whatever the step; the emitter is within a step what
    // the parabola is. The particles feel no gravity
    const std::string scene = R"({ "time": { "fps": 20, "dt": 0.05, "seconds": 2 }, "solver": "explicit",
        "solvers": { "explicit": { "scheme": "improved_euler", "rotation": "exponential_midpoint" } },
        "objects": { "ball": { "kind": "sphere", "radius": 0.2, "mass": 3, "at": [0, 2, 0], "velocity": [4, 3, -1], "angular_velocity": [0, 0, 3], "contact": false },
                     "jet": { "kind": "emitter", "rate": 37, "size": [0, 0, 0], "parent": "ball", "at": [0.5, 0, 0], "speed": [1, 0, 0], "velocity": [0, 0, 2],
                              "gravity": false } } })";
    Simulation s = start_text(scene);
    run_to(s, 1);
    check_births(s, 37, [](double b) {
        const Quat turn = about(kZ, 3 * b);
        const Vec3 arm = turn * Vec3(0.5, 0, 0), v(4, 3 - 9.81 * b, -1);
        return Birth{Vec3(4 * b, 2 + 3 * b - 9.81 * b * b / 2, -b) + arm, v + 3 * kZ.cross(arm) + turn * Vec3(1, 0, 2)};
    });
}

TEST(ways, births_at_the_start_are_where_the_motion_begins) {
    Simulation s = start_text(scene_of(R"("jet": { "kind": "emitter", "rate": 0, "initial": 8, "size": [0, 0, 0], "at": [1, 0, 0],
        "motion": { "move": [0, "1 + 2*t", 0] } })"));
    for (int i = 0; i < 8; ++i) {
        EXPECT_LT((vec(s.now.point.x[i]) - Vec3(1, 1, 0)).norm(), 1e-12);
        EXPECT_LT((vec(s.now.point.v[i]) - Vec3(0, 2, 0)).norm(), kNear);
    }
}

TEST(ways, sites_and_boxes_turn_with_the_emitter) {
    Simulation s = start_text(scene_of(R"("jet": { "kind": "emitter", "rate": 50, "shape": "grid", "size": [2, 0, 0], "spacing": 1, "inherit_velocity": 0,
        "motion": { "spin": { "axis": [0, 0, 1], "rate": 1 } } })"));
    run_to(s, 1);
    check_births(s, 50, [](double b) {
        const int j = int(std::lround(b * 50));
        return Birth{about(kZ, b) * Vec3(j % 3 - 1, 0, 0), Vec3::Zero()};
    });
    Simulation box = start_text(scene_of(R"("jet": { "kind": "emitter", "rate": 500, "size": [2, 0.1, 0.1], "inherit_velocity": 0,
        "motion": { "spin": { "axis": [0, 0, 1], "rate": 1 } } })"));
    run_to(box, 1);
    for (int j : living(box)) {
        const Vec3 x = about(kZ, -j / 500.0) * vec(box.now.point.x[j]);
        EXPECT_TRUE(std::abs(x.x()) <= 1 && std::abs(x.y()) <= 0.05 + 1e-12 && std::abs(x.z()) <= 0.05 + 1e-12) << j;
    }
}

TEST(ways, a_motion_that_follows_a_measurement_moves_evenly_to_where_it_was_measured) {
    // at the end of a step of h the emitter is where the cart was at its start: 2 (t - h), and from the second step on it moves as fast
    const double h = 0.05;
    Simulation s = start_text(scene_of(R"("cart": { "kind": "box", "mass": 1, "velocity": [2, 0, 0], "contact": false },
        "jet": { "kind": "emitter", "rate": 33, "size": [0, 0, 0], "motion": { "at": ["cart.x", 1, 0] } })"));
    run_to(s, 1);
    check_births(s, 33, [&](double b) { return b < h ? Birth{{0, 1, 0}, {0, 0, 0}} : Birth{{2 * (b - h), 1, 0}, {2, 0, 0}}; });
}

TEST(ways, an_emitter_follows_a_held_body_that_the_program_moves) {
    for (const char* motion : {R"("static")", R"({ "spin": { "axis": [0, 1, 0], "rate": 1 } })"}) { // whatever the scene says of it
        Simulation s = start_text(scene_of(fmt::format(R"("lift": {{ "kind": "box", "contact": false, "motion": {} }},
            "jet": {{ "kind": "emitter", "rate": 37, "size": [0, 0, 0], "parent": "lift", "at": [1, 0, 0] }})", motion)));
        for (int k = 1; k <= 20; ++k) {
            ASSERT_TRUE(fill_input(s.compiled.script, s.compiled.model, s.now, 0.05, s.input).empty());
            s.input.targets = {{find(s.compiled.model, "lift"), {{0, 0.05 * k * 2, 0}, {}}}};
            ASSERT_EQ(advance_step(*s.solver, s.compiled.model, s.input, s.now, s.spare, 0.05, s.report, 3), Status::ok);
        }
        check_births(s, 37, [](double b) { return Birth{{1, 2 * b, 0}, {0, 2, 0}}; });
    }
}

TEST(ways, an_emitter_stays_where_its_body_was_removed) {
    Simulation s = start_text(scene_of(R"("cart": { "kind": "box", "mass": 1, "velocity": [2, 0, 0], "contact": false },
        "jet": { "kind": "emitter", "rate": 20, "size": [0, 0, 0], "parent": "cart" })", "0.05", R"(, "events": [ { "at": 0.5, "remove": ["cart"] } ])"));
    run_to(s, 1);
    check_births(s, 20, [](double b) { return b <= 0.5 + 1e-9 ? Birth{{2 * b, 0, 0}, {2, 0, 0}} : Birth{{1, 0, 0}, {0, 0, 0}}; });
}

TEST(ways, a_turned_sink_takes_exactly_those_inside) {
    Simulation s = start_text(scene_of(R"("grid": { "kind": "emitter", "rate": 0, "initial": 441, "capacity": 441, "shape": "grid", "size": [2, 2, 0], "spacing": 0.1 },
        "drain": { "kind": "sink", "size": [1.5, 0.5, 1], "at": [0.03, -0.02, 0], "rotate": { "axis": [0, 0, 1], "angle": "45 deg" } })"));
    const std::set<int> left = living(s), later = (run_to(s, 0.1), living(s)); // those born inside are gone at once
    EXPECT_EQ(left, later);
    for (int j = 0; j < 441; ++j) {
        const double x = (j % 21 - 10) * 0.1 - 0.03, y = (j / 21 - 10) * 0.1 + 0.02;
        EXPECT_EQ(!left.count(j), std::abs(x + y) <= 0.75 * std::sqrt(2) && std::abs(y - x) <= 0.25 * std::sqrt(2)) << j;
    }
    EXPECT_LT(left.size(), 400u);
}

TEST(ways, a_sink_that_moves_takes_all_that_it_passes_over_and_nothing_else) {
    // a thin plate of height 1 at 8 m/s: 0.4 m a step, ten times the spacing; and a ball; and a plate that a held body carries, its front
    // leaning by 45 degrees
    const std::string grid = R"("grid": { "kind": "emitter", "rate": 0, "initial": 2601, "capacity": 2601, "shape": "grid", "size": [2, 2, 0], "spacing": 0.04 })";
    const auto taken = [&](const std::string& sink, const std::function<bool(double, double)>& inside) {
        Simulation s = start_text(scene_of(grid + ", " + sink));
        ASSERT_EQ(living(s).size(), 2601u);
        run_to(s, 0.25);
        const std::set<int> left = living(s);
        for (int j = 0; j < 2601; ++j) {
            const double x = (j % 51 - 25) * 0.04, y = (j / 51 - 25) * 0.04;
            EXPECT_EQ(!left.count(j), inside(x, y)) << sink << ": " << x << ", " << y;
        }
    };
    taken(R"("plate": { "kind": "sink", "size": [0.01, 1.02, 1], "at": [-1.5, 0, 0], "motion": { "slide": { "velocity": [8, 0, 0] } } })",
          [](double x, double y) { return std::abs(y) <= 0.51 && x <= 0.505; });
    taken(R"("ball": { "kind": "sink", "shape": "sphere", "size": [0.33, 0, 0], "at": [0.01, -1.5, 0], "motion": { "slide": { "velocity": [0, 8, 0] } } })",
          [](double x, double y) { return std::hypot(x - 0.01, std::max(0.0, y - 0.5)) <= 0.33; });
    taken(R"("cart": { "kind": "box", "contact": false, "at": [-1.5, 0, 0], "motion": { "slide": { "velocity": [8, 0, 0] } } },
             "plate": { "kind": "sink", "parent": "cart", "size": [0.01, 0.7, 1], "rotate": { "axis": [0, 0, 1], "angle": "45 deg" } })",
          [](double x, double y) { // from lower right to upper left, of half length 0.35, seen at an angle
              const double c = std::sqrt(0.5), high = c * (0.35 + 0.005), ahead = 0.5 - y + c * 0.005 * 2;
              return std::abs(y) <= high - 0.008 ? x <= ahead : false;
          });
}

TEST(ways, a_sink_on_a_thrown_body_takes_what_the_body_meets) {
    Simulation s = start_text(scene_of(R"("line": { "kind": "emitter", "rate": 0, "initial": 101, "capacity": 101, "shape": "grid", "size": [10, 0, 0], "spacing": 0.1, "at": [5, 0, 0] },
        "cart": { "kind": "box", "mass": 1, "velocity": [4, 0, 0], "at": [-1, 0, 0], "contact": false },
        "mouth": { "kind": "sink", "shape": "sphere", "size": [0.25, 0, 0], "parent": "cart" })"));
    run_to(s, 1.5); // its front is at -1 + 6 + 0.25 m
    const std::set<int> left = living(s);
    for (int j = 0; j <= 100; ++j) EXPECT_EQ(left.count(j) == 0, j * 0.1 <= 5.25) << j;
}

TEST(ways, an_outside_that_moves_takes_what_it_leaves_behind) {
    Simulation s = start_text(scene_of(R"("line": { "kind": "emitter", "rate": 0, "initial": 101, "capacity": 101, "shape": "grid", "size": [10, 0, 0], "spacing": 0.1, "at": [5, 0, 0] },
        "room": { "kind": "sink", "outside": true, "size": [12, 2, 2], "at": [5, 0, 0], "motion": { "slide": { "velocity": [2.1, 0, 0] } } })"));
    ASSERT_EQ(living(s).size(), 101u);
    run_to(s, 1.05); // its rear is at -1 + 2.205 m
    for (int j = 0; j <= 100; ++j) EXPECT_EQ(living(s).count(j) == 1, j * 0.1 >= 1.205) << j;
}

TEST(ways, a_run_that_is_continued_ends_with_the_same_bits_for_any_number_of_threads) {
    const std::string scene = R"x({ "time": { "fps": 20, "substeps": 4, "seconds": 1 }, "solver": "velocity",
        "objects": { "floor": { "kind": "plane", "at": [0, -1, 0] },
            "rocket": { "kind": "box", "size": [0.2, 0.5, 0.2], "mass": 1, "velocity": [1, 2, 0], "angular_velocity": [1, 0, 3] },
            "arm": { "kind": "box", "contact": false, "at": [0, 3, 0], "motion": { "spin": { "axis": [0, 1, 0], "rate": 3 } } },
            "a": { "kind": "emitter", "rate": 90, "parent": "rocket", "at": [0, -0.3, 0], "speed": [0, -2, 0], "spread": 0.1, "lifetime": 0.4 },
            "b": { "kind": "emitter", "rate": 70, "parent": "arm", "at": [1, 0, 0], "spread": 0.1, "motion": { "move": [0, "rocket.y", 0] } },
            "d": { "kind": "sink", "shape": "sphere", "size": [0.3, 0, 0], "motion": { "at": ["rocket.x", "-sin(4*t)", 0] } } } })x";
    Simulation whole = start_text(scene, 1);
    StateFile middle;
    while (!is_finished(whole)) {
        if (whole.now.step == 37) middle = save_run(whole);
        ASSERT_EQ(simulate_step(whole), Status::ok);
    }
    for (int threads : {1, 2, 3, 8}) {
        Simulation s = start_text(scene, threads);
        continue_from(s, middle);
        while (!is_finished(s)) ASSERT_EQ(simulate_step(s), Status::ok);
        EXPECT_EQ(hash(s.now), hash(whole.now)) << threads << " threads";
    }
}

TEST(ways, what_nothing_moves_is_where_it_was_written_under_a_held_parent_too) {
    // flies along x at 1 m/s from a point, the drain begins 0.85 m ahead and is left out by none of what comes there
    const char* tail = R"("rate": 90, "size": [0, 0, 0], "at": [1, 2, 3], "speed": [1, 0, 0] },
        "drain": { "kind": "sink", "size": [0.3, 3, 3], "at": [2, 2, 3])";
    Simulation alone = start_text(scene_of(std::string(R"("jet": { "kind": "emitter", )") + tail + " }"));
    Simulation carried = start_text(scene_of(std::string(R"("base": { "kind": "box", "contact": false, "at": [0, 0, 0] }, "jet": { "kind": "emitter", "parent": "base", )") + tail +
                                             R"(, "parent": "base" })"));
    for (Simulation* s : {&alone, &carried}) {
        run_to(*s, 2);
        const Emitter& e = s->compiled.model.emitters[0];
        const std::set<int> left = living(*s);
        for (int i = e.points.begin; i < e.points.end; ++i) {
            if (!s->now.point.alive[i]) continue;
            const double flown = 2 - (s->now.point.id[i] - 1) / 90.0;
            EXPECT_LT((vec(s->now.point.x[i]) - Vec3(1 + flown, 2, 3)).norm(), 1e-12);
            EXPECT_EQ(s->now.point.v[i], (Real3{1, 0, 0}));
        }
        for (int j = 0; j <= 180; ++j) EXPECT_EQ(left.count(j) == 1, 2 - j / 90.0 < 0.85) << j;
    }
    EXPECT_EQ(alone.now.point.x, carried.now.point.x);
    EXPECT_EQ(alone.now.point.alive, carried.now.point.alive);
}

TEST(ways, births_around_a_corner_have_the_velocity_of_one_of_its_sides) {
    for (double before : {1e-3, 1.2e-4, 3e-5, -1.2e-4, -1e-9}) { // [s] before it
        Simulation s = start_text(scene_of(fmt::format(R"("jet": {{ "kind": "emitter", "rate": 1, "from": {}, "until": 1.5, "size": [0, 0, 0],
            "motion": {{ "between": "linear", "keys": [ {{ "t": 0, "at": [0, 0, 0] }}, {{ "t": 1, "at": [2, 0, 0] }}, {{ "t": 2, "at": [6, 0, 0] }} ] }} }})", 1 - before)));
        run_to(s, 1.1);
        ASSERT_EQ(living(s), std::set<int>{0});
        EXPECT_NEAR(s.now.point.v[std::size_t(s.compiled.model.emitters[0].points.begin)].x, before > 0 ? 2 : 4, kNear) << before;
    }
}

TEST(ways, births_have_a_finite_velocity_where_a_motion_ends) {
    Simulation s = start_text(scene_of(R"("jet": { "kind": "emitter", "rate": 10, "until": 1, "size": [0, 0, 0], "motion": { "at": ["(1 - t)^1.5", 0, 0] } })"));
    run_to(s, 0.95);
    ASSERT_EQ(simulate_step(s), Status::ok);
    check_births(s, 10, [](double b) { return Birth{{std::pow(std::max(0.0, 1 - b), 1.5), 0, 0}, {-1.5 * std::sqrt(std::max(0.0, 1 - b)), 0, 0}}; }, 1e-7); // roots of rounding
}

TEST(ways, births_on_a_body_that_turns_round_more_than_once_a_step_are_on_its_way) {
    for (double spin : {100.0, -150.0, 300.0}) { // 5, -7.5 and 15 rad a step
        Simulation s = start_text(fmt::format(R"({{ "gravity": 0, "time": {{ "fps": 20, "dt": 0.05, "seconds": 2 }}, "solver": "explicit",
            "solvers": {{ "explicit": {{ "rotation": "exponential_midpoint" }} }},
            "objects": {{ "ball": {{ "kind": "sphere", "radius": 0.2, "mass": 3, "angular_velocity": [0, 0, {}], "contact": false }},
                         "jet": {{ "kind": "emitter", "rate": 37, "size": [0, 0, 0], "parent": "ball", "at": [0.5, 0, 0] }} }} }})", spin));
        run_to(s, 0.5);
        check_births(s, 37, [&](double b) {
            const Vec3 x = about(kZ, spin * b) * Vec3(0.5, 0, 0);
            return Birth{x, spin * kZ.cross(x)};
        }, 1e-8); // of 150 m/s, and ten steps' rounding of the rotation
    }
}

TEST(ways, births_on_a_long_chain_of_held_bodies_cost_little) {
    std::string objects = R"("b0": { "kind": "box", "contact": false, "motion": { "slide": { "velocity": [1, 0, 0] } } })";
    for (int k = 1; k < 25; ++k) objects += fmt::format(R"(, "b{}": {{ "kind": "box", "contact": false, "parent": "b{}", "at": [0, 0.1, 0] }})", k, k - 1);
    Simulation s = start_text(scene_of(objects + R"(, "jet": { "kind": "emitter", "rate": 37, "initial": 1, "capacity": 50, "size": [0, 0, 0], "parent": "b24" })"));
    run_to(s, 0.5); // never, where each body asks its parent several times
    for (int j : living(s)) EXPECT_NEAR(s.now.point.v[std::size_t(j)].x, 1, kNear);
    EXPECT_EQ(living(s).size(), 20u); // at the start, and at 0, 1/37, .. 18/37
}

TEST(ways, what_is_on_its_own_after_the_start_carries_nothing) {
    // points that start with a body, and stay where they are once it is gone; points that are fixed to a lift
    Simulation s = start_text(scene_of(R"("cart": { "kind": "box", "mass": 1, "velocity": [2, 0, 0], "contact": false },
        "dust": { "kind": "particles", "positions": [[0, 1, 0]], "parent": "cart" },
        "jet": { "kind": "emitter", "rate": 20, "size": [0, 0, 0], "parent": "dust", "at": [0, 1, 0] })"));
    run_to(s, 1);
    check_births(s, 20, [](double) { return Birth{{0, 1, 0}, {2, 0, 0}}; }); // it starts with what it starts with
    Simulation lifted = start_text(scene_of(R"("lift": { "kind": "box", "contact": false, "motion": { "slide": { "velocity": [0, 2, 0] } } },
        "dust": { "kind": "particles", "positions": [[0, 1, 0]], "fixed": "all", "parent": "lift" },
        "jet": { "kind": "emitter", "rate": 20, "size": [0, 0, 0], "parent": "dust", "at": [0, 1, 0] })"));
    run_to(lifted, 1);
    check_births(lifted, 20, [](double b) { return Birth{{0, 1 + 2 * b, 0}, {0, 2, 0}}; });
}

TEST(ways, steps_that_are_taken_in_parts_change_no_birth) {
    const auto fail = [](Simulation& s) {
        auto fails = std::make_unique<FailsSometimes>();
        fails->solver = std::move(s.solver);
        s.solver = std::move(fails);
        int retries = 0;
        while (s.now.time < 1 - 1e-9) {
            ASSERT_NE(simulate_step(s), Status::failed);
            retries += s.report.retries;
        }
        EXPECT_GT(retries, 3);
    };
    Simulation own = start_text(scene_of(R"("jet": { "kind": "emitter", "rate": 37, "size": [0, 0, 0], "at": [2, 0, 0], "motion": { "spin": { "axis": [0, 1, 0], "rate": 3, "center": [0, 0, 0] } } })"));
    Simulation held = start_text(scene_of(R"("table": { "kind": "box", "contact": false, "motion": { "spin": { "axis": [0, 1, 0], "rate": 3 } } },
        "jet": { "kind": "emitter", "rate": 37, "size": [0, 0, 0], "at": [2, 0, 0], "parent": "table" })"));
    for (Simulation* s : {&own, &held}) {
        fail(*s);
        check_births(*s, 37, [](double b) {
            const Vec3 x = about(kY, 3 * b) * Vec3(2, 0, 0);
            return Birth{x, 3 * kY.cross(x)};
        });
    }
    Simulation free = start_text(R"({ "time": { "fps": 20, "dt": 0.05, "seconds": 2 }, "solver": "explicit", "solvers": { "explicit": { "scheme": "improved_euler" } },
        "objects": { "ball": { "kind": "sphere", "radius": 0.2, "mass": 3, "velocity": [4, 3, -1], "contact": false },
                     "jet": { "kind": "emitter", "rate": 37, "size": [0, 0, 0], "parent": "ball", "gravity": false } } })");
    fail(free);
    check_births(free, 37, [](double b) { return Birth{{4 * b, 3 * b - 9.81 * b * b / 2, -b}, {4, 3 - 9.81 * b, -1}}; });
}

TEST(ways, the_part_that_is_inherited_can_be_set_while_it_runs) {
    Simulation s = start_text(scene_of(R"("jet": { "kind": "emitter", "rate": 37, "size": [0, 0, 0], "motion": { "slide": { "velocity": [4, 0, 0] } } })", "0.05",
                                       R"(, "events": [ { "at": 0.5, "set": { "jet.inherit_velocity": 0.25 } } ])"));
    run_to(s, 1);
    check_births(s, 37, [](double b) { return Birth{{4 * b, 0, 0}, {b < 0.5 ? 4.0 : 1.0, 0, 0}}; });
}

TEST(ways, a_box_that_turns_takes_what_it_sweeps_over_and_nothing_else) {
    // a bar through the origin, 1.5 rad a step; its ends are up to 1 - cos(0.1) = 0.5 % ahead or behind of their circle, its sides half its width
    const auto sector = [](double x, double y, double angle) { // how far inside
        const double r = std::hypot(x, y);
        double a = std::atan2(y, x);
        if (a < -1e-9) a += kPi;
        const double side = a <= angle ? std::min(a, std::min(kPi / 2, angle - a)) : -std::min(std::min(a - angle, kPi - a), kPi / 2);
        const double across = r * std::sin(side);
        return r > 1 ? std::min(1 - r, across) : std::min(across, 1 - r);
    };
    const std::string bar = R"("bar": { "kind": "sink", "size": [2, 0.01, 1], )";
    check_taken(bar + R"("motion": { "spin": { "axis": [0, 0, 1], "rate": 30 } } })", 0.05, 51, 0.05, 0.011, [&](double x, double y) { return sector(x, y, 1.5); });
    check_taken(R"("hub": { "kind": "box", "contact": false, "motion": { "spin": { "axis": [0, 0, 1], "rate": 30 } } }, )" + bar + R"("parent": "hub" })", 0.05, 51, 0.05, 0.011,
                [&](double x, double y) { return sector(x, y, 1.5); });
    // round and round: it ends each step where it began
    check_taken(bar + R"("motion": { "spin": { "axis": [0, 0, 1], "rate": "40*pi" } } })", 0.05, 51, 0.05, 0.011, [](double x, double y) { return 1 - std::hypot(x, y); });
}

TEST(ways, a_ball_on_an_arm_takes_what_is_on_its_arc) {
    const auto arc = [](double x, double y) {
        const double a = std::clamp(std::atan2(y, x), 0.0, 1.5);
        return 0.2 - std::hypot(x - std::cos(a), y - std::sin(a));
    };
    check_taken(R"("ball": { "kind": "sink", "shape": "sphere", "size": [0.2, 0, 0], "at": [1, 0, 0], "motion": { "spin": { "axis": [0, 0, 1], "rate": 30, "center": [0, 0, 0] } } })",
                0.05, 51, 0.05, 0.006, arc);
    // about itself it takes no more than at rest
    check_taken(R"("ball": { "kind": "sink", "shape": "sphere", "size": [0.52, 0, 0], "motion": { "spin": { "axis": [0, 0, 1], "rate": 30 } } })", 0.2, 51, 0.05, 1e-9,
                [](double x, double y) { return 0.52 - std::hypot(x, y); });
}

TEST(ways, a_ball_that_goes_round_without_turning_takes_what_is_on_its_arc) {
    const auto arc = [](double x, double y) {
        const double a = std::clamp(std::atan2(y, x), 0.0, 1.5);
        return 0.2 - std::hypot(x - std::cos(a), y - std::sin(a));
    };
    // as above, said by its place; chords off by a twenty-fifth of its radius, 8 mm
    check_taken(R"x("ball": { "kind": "sink", "shape": "sphere", "size": [0.2, 0, 0], "at": [1, 0, 0], "motion": { "move": ["cos(30*t) - 1", "sin(30*t)", 0] } })x", 0.05, 51, 0.05, 0.011, arc);
    // once round within a step: it ends where it began, and yet has been everywhere on its circle
    check_taken(R"x("ball": { "kind": "sink", "shape": "sphere", "size": [0.2, 0, 0], "at": [1, 0, 0], "motion": { "move": ["cos(40*pi*t) - 1", "sin(40*pi*t)", 0] } })x", 0.05, 51, 0.05, 0.011,
                [](double x, double y) { return 0.2 - std::abs(std::hypot(x, y) - 1); });
}

TEST(ways, sinks_that_jump_take_nothing_between) {
    const auto at = [](double cx) {
        return [cx](double x, double y) { return std::min(0.3 - std::abs(x - cx), 0.3 - std::abs(y)); };
    };
    const std::string sink = R"("jumps": { "kind": "sink", "size": [0.6, 0.6, 0.6], "motion": )";
    // from 9 m away to the middle in one step
    check_taken(sink + R"({ "between": "hold", "keys": [{ "t": 0, "at": [9, 0, 0] }, { "t": 0.5, "at": [0, 0, 0] }] } })", 0.6, 51, 0.05, 1e-9, at(0));
    // parked outside, in once, out again; the second round is not reached
    check_taken(sink + R"({ "between": "hold", "repeat": true, "keys": [{ "t": 0, "at": [9, 0, 0] }, { "t": 0.5, "at": [0.5, 0, 0] }, { "t": 1, "at": [-9, 0, 0] }, { "t": 1.5, "at": [9, 0, 0] }] } })",
                1.6, 51, 0.05, 1e-9, at(0.5));
    // one that goes from -5 to 5 high over all and begins again after 1 s: its way back would be through the middle
    check_taken(sink + R"({ "between": "linear", "repeat": true, "keys": [{ "t": 0, "at": [-5, 0, 0] }, { "t": 0.5, "at": [0, 0, 9] }, { "t": 1, "at": [5, 0, 0] }] } })", 1.2, 51, 0.05, 1e-9,
                [](double, double) { return -1.0; });
    // what goes round and round by keys that end where they began does not jump
    check_taken(sink + R"({ "between": "linear", "repeat": true, "keys": [{ "t": 0, "at": [-5, 0, 0] }, { "t": 0.02, "at": [5, 0, 0] }, { "t": 0.06, "at": [-5, 0, 0] }] } })", 0.2, 51, 0.05, 1e-9,
                [](double, double y) { return 0.3 - std::abs(y); });
}

TEST(ways, motions_that_are_no_number_fail_the_step_by_name) {
    for (const char* motion : {R"x({ "rotate": { "axis": [0, 0, 1], "angle": "sqrt(0.5 - t)" } })x", R"x({ "move": ["sqrt(0.5 - t)", 0, 0] })x"})
        for (const char* kind : {R"("kind": "sink", "size": [1, 1, 1])", R"("kind": "sink", "outside": true)", R"("kind": "sink", "shape": "sphere")", R"("kind": "emitter", "rate": 9)"}) {
            Simulation s = start_text(scene_of(fmt::format(R"("dust": {{ "kind": "emitter", "rate": 20, "initial": 5, "at": [0, 9, 0], "size": [0, 0, 0] }}, "lost": {{ {}, "at": [0, 20, 0], "motion": {} }})", kind, motion)));
            run_to(s, 0.5);
            EXPECT_EQ(simulate_step(s), Status::failed) << kind << motion;
            EXPECT_EQ(s.report.failed_object, "lost") << s.report.message;
            EXPECT_NE(s.report.message.find("motion is not finite"), std::string::npos) << s.report.message;
        }
    // from the start on: nothing is taken, and the first step fails
    Simulation s = start_text(scene_of(R"x("dust": { "kind": "emitter", "rate": 20, "initial": 5 }, "lost": { "kind": "sink", "motion": { "rotate": { "axis": [0, 0, 1], "angle": "sqrt(t - 0.5)" } } })x"));
    EXPECT_EQ(living(s).size(), 5u);
    EXPECT_EQ(simulate_step(s), Status::failed);
    EXPECT_EQ(s.report.failed_object, "lost");
}

TEST(ways, of_steady_steps_take_no_memory) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    Simulation s = start_text(scene_of(R"x("cart": { "kind": "box", "mass": 1, "velocity": [2, 0, 0], "angular_velocity": [0, 0, 9], "contact": false },
        "table": { "kind": "box", "contact": false, "motion": { "spin": { "axis": [0, 1, 0], "rate": 3 } } },
        "arm": { "kind": "box", "contact": false, "parent": "table", "motion": { "move": ["sin(t)", 0, 0] } },
        "a": { "kind": "emitter", "rate": 200, "parent": "cart" }, "b": { "kind": "emitter", "rate": 200, "parent": "arm", "motion": { "move": [0, "cart.x", 0] } },
        "c": { "kind": "sink", "size": [1, 1, 1], "parent": "arm" }, "d": { "kind": "sink", "parent": "cart", "at": [0, 3, 0] }, "e": { "kind": "sink", "at": [0, 5, 0], "motion": { "move": ["cart.x", 0, 0] } })x"));
    run_to(s, 0.5);
    const std::size_t alive = living(s).size();
    State before = s.now;
    const long count = allocation_count();
    for (int k = 0; k < 10; ++k) {
        before.time = s.now.time;
        s.now.time += 0.05;
        emit(s.compiled.model, 0.05, before, s.now);
    }
    EXPECT_EQ(allocation_count(), count);
    EXPECT_NE(living(s).size(), alive);
}

TEST(ways, sinks_that_are_removed_take_nothing_and_spawned_ones_are_where_they_were_put) {
    Simulation s = start_text(scene_of(R"("line": { "kind": "emitter", "rate": 0, "initial": 101, "capacity": 101, "shape": "grid", "size": [10, 0, 0], "spacing": 0.1, "at": [5, 0, 0] },
        "mouth": { "kind": "sink", "shape": "sphere", "size": [0.25, 0, 0], "at": [-1, 0, 0], "motion": { "slide": { "velocity": [4, 0, 0] } } })", "0.05",
                                       R"(, "events": [ { "at": 1, "remove": ["mouth"] } ])"));
    run_to(s, 1.5);
    for (int j = 0; j <= 100; ++j) EXPECT_EQ(living(s).count(j) == 0, j * 0.1 <= 3.25) << j;
    const Result<Scene> more = parse_scene(R"({ "objects": { "hole": { "kind": "sink", "size": [1, 0.1, 1] } } })", "more.json");
    ASSERT_TRUE(more);
    const Real half = std::sqrt(0.5);
    ASSERT_TRUE(spawn(s.compiled.model, s.now, *more.value, {{6, 0.4, 0}, {half, 0, 0, half}}, "hole")); // upright: 0.1 wide, 1 high
    run_to(s, 1.6);
    for (int j = 33; j <= 100; ++j) EXPECT_EQ(living(s).count(j) == 0, j == 60) << j;
}

TEST(ways, what_has_no_effect_is_refused) {
    const auto refused = [](const std::string& objects, const std::string& path) {
        const std::vector<Error> errors = errors_of(scene_of(objects));
        ASSERT_EQ(errors.size(), 1u) << objects;
        EXPECT_EQ(errors[0].path, path);
    };
    refused(R"("jet": { "kind": "emitter", "motion": "free" })", "objects.jet.motion");
    refused(R"("hole": { "kind": "sink", "motion": "free" })", "objects.hole.motion");
    refused(R"("jet": { "kind": "emitter", "inherit_velocity": 0.5 })", "objects.jet.inherit_velocity");
    EXPECT_TRUE(errors_of(scene_of(R"("base": { "kind": "box" }, "jet": { "kind": "emitter", "inherit_velocity": 0.5, "parent": "base" })")).empty());
}

TEST(ways, sinks_that_are_spawned_follow_no_body_and_what_carries_none_is_no_reason) {
    const auto spawn_error = [](const std::string& objects) {
        const std::vector<Error> errors = errors_of(scene_of(R"("jet": { "kind": "emitter" })", "0.05", R"(, "events": [ { "at": 1, "spawn": { )" + objects + " } } ]"));
        return errors.empty() ? "" : errors.back().path;
    };
    const std::string cart = R"("cart": { "kind": "box", "mass": 1 }, )", table = R"("table": { "kind": "box", "parent": "cart" }, )";
    EXPECT_EQ(spawn_error(cart + R"("hole": { "kind": "sink", "parent": "cart" })"), "events[0].spawn.hole.parent");
    EXPECT_EQ(spawn_error(cart + table + R"("hole": { "kind": "sink", "parent": "table" })"), "events[0].spawn.hole.parent");
    EXPECT_EQ(spawn_error(cart + R"("edge": { "kind": "sink", "parent": "cart" }, "hole": { "kind": "sink", "parent": "edge" })"), "events[0].spawn.hole.parent");
    EXPECT_EQ(spawn_error(cart + R"("dust": { "kind": "particles", "positions": [[0, 1, 0]], "parent": "cart" }, "hole": { "kind": "sink", "parent": "dust" })"), "");
    EXPECT_EQ(spawn_error(R"("edge": { "kind": "sink" }, "hole": { "kind": "sink", "parent": "edge" })"), "");
    EXPECT_EQ(spawn_error(R"("hole": { "kind": "sink", "motion": "free" })"), "events[0].spawn.hole.motion");
    EXPECT_EQ(spawn_error(R"("hole": { "kind": "sink", "motion": "static" })"), "");
}
