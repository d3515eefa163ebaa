// Bodies of all kinds in one loop: momentum, friction after the loop, restitution, soft contacts, damping (spec U 3.8, 3.9).
#include "physics/simulation.h"
#include "position/position_fixture.h"
#include <cmath>
#include <fmt/format.h>
#include <map>

using namespace sinew;

namespace {

// two things in space that fly at each other along y: each pair of kinds
const std::pair<const char*, const char*> kFlyers[] = {
    {"box", R"("kind": "box", "size": [0.3, 0.3, 0.3], "mass": 0.5, "friction": 0.3)"},
    {"cloth", R"("kind": "cloth_grid", "size": [0.5, 0.5], "edge": 0.1, "material": "cotton", "thickness": 0.02)"},
    {"solid", R"("kind": "solid", "size": [0.3, 0.2, 0.3], "cells": [3, 2, 3], "thickness": 0.01,
        "material": { "solid_density": 30, "friction": 0.3, "solid": { "model": "stvk", "young": 5e3 } })"},
    {"rod", R"("kind": "rod", "curve": "line", "size": 0.5, "count": 12, "radius": "2 cm", "young": "0.2 MPa", "density": 300)"},
    {"grain", R"("kind": "particles", "positions": [[0.03, 0, 0.02]], "masses": [0.1], "radius": 0.05, "thickness": 0.05)"}};

} // namespace

TEST(position_coupling, every_pair_of_kinds_exchanges_an_impulse_and_keeps_momentum) {
    for (int i = 0; i < 5; ++i)
        for (int j = i; j < 5; ++j) {
            auto s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "fps": 120, "substeps": 1, "seconds": 0.5 }},
                "objects": {{ "a": {{ {}, "at": [0.01, 0.35, 0.02], "velocity": [0, -2, 0] }},
                              "b": {{ {}, "at": [0, -0.35, 0], "velocity": [0, 2, 0] }} }},
                "solver": "position" }})", kFlyers[i].second, kFlyers[j].second));
            ASSERT_TRUE(s) << kFlyers[i].first << ' ' << kFlyers[j].first;
            const Vec3 before = vec(s->report.momentum);
            const Real size = 2 * 2 * s->report.mass;
            const Real a0 = measure(*s, "a.velocity.y");
            while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok) << kFlyers[i].first << ' ' << kFlyers[j].first;
            // they met: a was turned back or slowed; and what one lost the other gained, to rounding of 60 steps of 20 sweeps
            EXPECT_GT(measure(*s, "a.velocity.y"), a0 + 0.2) << kFlyers[i].first << ' ' << kFlyers[j].first;
            EXPECT_LT((vec(s->report.momentum) - before).norm(), 1e-11 * size) << kFlyers[i].first << ' ' << kFlyers[j].first;
        }
}

namespace {

Vec3 momentum_of(const Simulation& s, int object) {
    const Model& m = s.compiled.model;
    Vec3 p = Vec3::Zero();
    for (int i = m.objects[object].points.begin; i < m.objects[object].points.end; ++i) p += m.point.mass[i] * vec(s.now.point.v[i]);
    for (int i = m.objects[object].frames.begin; i < m.objects[object].frames.end; ++i) p += m.frame.mass[i] * vec(s.now.frame.v[i]);
    return p;
}

} // namespace

TEST(position_coupling, what_one_of_ten_pairs_loses_in_an_iteration_the_other_gains) {
    for (int i = 0; i < 5; ++i)
        for (int j = i + 1; j < 5; ++j) {
            // a step is one sub-step of one iteration
            auto s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "fps": 1000, "substeps": 1, "seconds": 0.3 }},
                "objects": {{ "a": {{ {}, "at": [0.01, 0.35, 0.02], "velocity": [0, -2, 0] }},
                              "b": {{ {}, "at": [0, -0.35, 0], "velocity": [0, 2, 0] }} }},
                "solver": "position", "solvers": {{ "position": {{ "iterations": 1, "substeps": 1 }} }} }})", kFlyers[i].second, kFlyers[j].second));
            ASSERT_TRUE(s) << kFlyers[i].first << ' ' << kFlyers[j].first;
            const Real size = 2 * s->report.mass;
            Vec3 a = momentum_of(*s, 0), b = momentum_of(*s, 1);
            Real exchanged = 0;
            while (!is_finished(*s)) {
                ASSERT_EQ(simulate_step(*s), Status::ok) << kFlyers[i].first << ' ' << kFlyers[j].first;
                const Vec3 of_a = momentum_of(*s, 0) - a, of_b = momentum_of(*s, 1) - b;
                EXPECT_LT((of_a + of_b).norm(), 1e-13 * size) << kFlyers[i].first << ' ' << kFlyers[j].first; // round-off of one iteration
                exchanged += of_a.norm();
                a += of_a, b += of_b;
            }
            EXPECT_GT(exchanged, 0.02 * size) << kFlyers[i].first << ' ' << kFlyers[j].first;
        }
}

namespace {

// one of each kind about the origin, all on their way to the middle
std::optional<Simulation> start_closed(const std::string& settings) {
    auto s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "fps": 1000, "substeps": 1, "frames": 20 }},
        "objects": {{
            "box": {{ {}, "at": [-0.17, 0.175, 0.02], "velocity": [0.1, -2, 0] }},
            "cloth": {{ {} }},
            "solid": {{ {}, "at": [0.17, 0.14, 0], "velocity": [0, -2, 0.1] }},
            "rod": {{ {}, "at": [0, -0.045, 0], "rotate": {{ "axis": [0, 1, 0], "angle": "30 deg" }}, "velocity": [0, 2, 0] }},
            "grains": {{ "kind": "particles", "positions": [[0.03, 0.08, 0.02], [-0.15, -0.09, 0.15], [0.15, -0.09, -0.15], [0.02, -0.15, 0.01]],
                         "masses": [0.1, 0.1, 0.2, 0.1], "radius": 0.05, "thickness": 0.05, "self_contact": true, "velocity": [0, 1, 0] }} }},
        "solver": "position", "solvers": {{ "position": {{ {} }} }} }})",
        kFlyers[0].second, kFlyers[1].second, kFlyers[2].second, kFlyers[3].second, settings));
    if (s) s->now.frame.w[0] = {1, 2, -1};
    return s;
}

// Momentum and angular momentum, of velocities at places that may be others. Twist carries its part along the edges of the rod.
std::pair<Vec3, Vec3> closed_momenta(const Simulation& s, const State& at, const State& with) {
    const Model& m = s.compiled.model;
    std::pair<Vec3, Vec3> p = {Vec3::Zero(), Vec3::Zero()};
    for (int i = 0; i < point_count(m); ++i) {
        const Vec3 mv = m.point.mass[i] * vec(with.point.v[i]);
        p.first += mv, p.second += vec(at.point.x[i]).cross(mv);
    }
    for (int i = 0; i < frame_count(m); ++i) {
        const Vec3 mv = m.frame.mass[i] * vec(with.frame.v[i]);
        const Quat q = quat(at.frame.q[i]);
        p.first += mv, p.second += vec(at.frame.p[i]).cross(mv) + q * (mat(m.frame.inertia[i]) * (q.conjugate() * vec(with.frame.w[i])));
    }
    for (const Object& o : m.objects)
        for (int k = o.scalars.begin; k < o.scalars.end; ++k) {
            const int i = o.points.begin + k - o.scalars.begin;
            p.second += m.scalar.mass[k] * with.scalar.ds[k] * (vec(at.point.x[i + 1]) - vec(at.point.x[i])).normalized();
        }
    return p;
}

// where everything goes without rows
State predicted(const Model& m, const State& s, Real h) {
    State out = s;
    for (int i = 0; i < point_count(m); ++i) vec(out.point.x[i]) += h * vec(s.point.v[i]);
    for (int i = 0; i < frame_count(m); ++i) {
        vec(out.frame.p[i]) += h * vec(s.frame.v[i]);
        const Mat3 I = mat(m.frame.inertia[i]), inverse = I.inverse();
        const Quat before = quat(s.frame.q[i]);
        const Vec3 w = vec(s.frame.w[i]), L = before * (I * (before.conjugate() * w));
        const auto spin = [&](const Quat& r) { return Vec3(r * (inverse * (r.conjugate() * L))); };
        const Quat after = (exp_rotation(h * spin(exp_rotation(0.5 * h * w) * before)) * before).normalized();
        out.frame.q[i] = real4(after), out.frame.w[i] = real3(spin(after));
    }
    return out;
}

} // namespace

TEST(position_coupling, five_kinds_in_one_loop_keep_momentum_in_every_iteration) {
    // A step is one sub-step of one iteration. Friction acts at the two surfaces of a contact, a thickness apart, and its pair of forces has a
    // torque: angular momentum is looked at without, along directions of the start. Points of a body that turns have moved along by then, which
    // is all that may be missing: what contacts push the box with (in part against each other: four times what it gains), times the way of its
    // corners; else 1e-10, where 2e-11 was seen. `newton` moves by its curvature too.
    for (const std::string& method : kDualMethods)
        for (const auto& [friction, directions] : {std::pair{"cylinder", "current"}, std::pair{"none", "start"}}) {
            const std::string name = method + " " + friction + " " + directions;
            // bodies have dozens of rows here: Jacobi at 1/2 does not converge
            const bool jacobi = method.find("jacobi") != std::string::npos;
            auto s = start_closed(fmt::format(R"("method": "{}", "friction": "{}", "directions": "{}", "relaxation": {}, "iterations": 1, "substeps": 1)",
                                              method, friction, directions, jacobi ? 0.1 : 0));
            ASSERT_TRUE(s) << name;
            const Model& m = s->compiled.model;
            const Real h = 1e-3, size = 2 * s->report.mass, kCorner = 0.26; // of a box of 30 cm
            std::array<Real, 5> exchanged{};
            while (!is_finished(*s)) {
                std::array<Vec3, 5> of;
                for (int k = 0; k < 5; ++k) of[k] = momentum_of(*s, k);
                const State before = s->now, way = predicted(m, before, h);
                ASSERT_EQ(simulate_step(*s), Status::ok) << name << s->report.message;
                State place = before; // of the directions; bodies are turned already
                place.frame.q = way.frame.q;
                const auto after = closed_momenta(*s, place, s->now), without = closed_momenta(*s, place, way);
                EXPECT_LT((after.first - without.first).norm(), 1e-15 * size) << name; // round-off of one iteration
                if (std::string_view(directions) == "start" && method != "newton") {
                    const Real turned = h * std::max(vec(before.frame.w[0]).norm(), vec(s->now.frame.w[0]).norm());
                    EXPECT_LT((after.second - without.second).norm(), 1e-10 * size + 4 * kCorner * turned * (momentum_of(*s, 0) - of[0]).norm()) << name;
                }
                for (int k = 0; k < 5; ++k) exchanged[k] += (momentum_of(*s, k) - of[k]).norm() / size;
            }
            for (int k = 0; k < 5; ++k) EXPECT_GT(exchanged[k], 0.005) << name << ' ' << k;
        }
}

namespace {

// One of each kind, so that every two of them meet within 40 ms: box and solid side by side, a rod along the front of both, cloth from below against
// the three, and a grain against each of the others.
std::optional<Simulation> start_ten_pairs(const std::string& settings) {
    auto s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "fps": 1000, "substeps": 1, "frames": 40 }},
        "objects": {{
            "box": {{ {}, "at": [-0.16, 0.155, 0], "velocity": [1, 0, 0] }},
            "cloth": {{ "kind": "cloth_grid", "size": [0.8, 0.8], "edge": 0.05, "material": "cotton", "thickness": 0.02, "at": [0, -0.03, 0], "velocity": [0, 2, 0] }},
            "solid": {{ {}, "at": [0.16, 0.105, 0], "velocity": [-1, 0, 0] }},
            "rod": {{ {}, "at": [-0.5, 0.03, 0.18], "velocity": [0, 0, -1] }},
            "grains": {{ "kind": "particles", "positions": [[-0.2, 0.36, 0.02], [0.02, 0.06, -0.27], [0.2, 0.26, 0.01], [0.1, 0.06, 0.26]],
                         "mass": 0.1, "radius": 0.05, "thickness": 0.05 }} }},
        "solver": "position", "solvers": {{ "position": {{ {} }} }} }})",
        kFlyers[0].second, kFlyers[2].second, kFlyers[3].second, settings));
    if (!s) return s;
    const int grain = s->compiled.model.objects[4].points.begin;
    s->now.point.v[grain] = {0, -1, 0}, s->now.point.v[grain + 2] = {0, -1, 0}, s->now.point.v[grain + 3] = {0, 0, -1};
    return s;
}

using PairImpulses = std::array<std::array<Vec3, 5>, 5>; // [N s] on the first by the second

PairImpulses no_impulses() {
    PairImpulses out;
    for (auto& row : out) row.fill(Vec3::Zero());
    return out;
}

} // namespace

TEST(position_coupling, in_one_loop_of_five_kinds_each_of_ten_pairs_exchanges_an_impulse) {
    // What each body gains in a step, by its velocities, is what the contacts with the four others say, each taken as +f on one and -f on the other:
    // a pair that were not equal and opposite would be missing in the sum of one of its two. `limit_restitution` cuts remembered friction where it has acted already, so it is off where there is friction.
    const char* kinds[] = {"box", "cloth", "solid", "rod", "grain"};
    for (const std::string settings : {R"("iterations": 1, "substeps": 1, "limit_restitution": false)", R"("limit_restitution": false)", R"("friction": "none")",
                                       R"("friction": "none", "method": "jacobi", "relaxation": 0.1, "iterations": 20, "substeps": 1)"}) {
        auto s = start_ten_pairs(settings);
        ASSERT_TRUE(s);
        const Real size = 2 * s->report.mass;
        const Vec3 start = closed_momenta(*s, s->now, s->now).first;
        PairImpulses total = no_impulses();
        std::array<std::array<Real, 5>, 5> sum{}; // [N s] of sizes
        while (!is_finished(*s)) {
            std::array<Vec3, 5> before;
            for (int k = 0; k < 5; ++k) before[k] = momentum_of(*s, k);
            ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
            PairImpulses step = no_impulses();
            for (const ContactForce& c : s->solver->contacts()) {
                step[c.object_a][c.object_b] += 1e-3 * vec(c.force);
                step[c.object_b][c.object_a] -= 1e-3 * vec(c.force);
            }
            for (int i = 0; i < 5; ++i) {
                Vec3 given = Vec3::Zero();
                for (int j = 0; j < 5; ++j) {
                    if (j == i) continue; // grains among themselves
                    given += step[i][j], total[i][j] += step[i][j], sum[i][j] += step[i][j].norm();
                }
                // round-off of up to 200 contacts in 20 sweeps
                EXPECT_LT((momentum_of(*s, i) - before[i] - given).norm(), 1e-13 * size) << settings << ' ' << kinds[i] << ' ' << s->now.time;
            }
        }
        EXPECT_LT((closed_momenta(*s, s->now, s->now).first - start).norm(), 1e-13 * size) << settings; // of 40 steps
        for (int i = 0; i < 5; ++i)
            for (int j = i + 1; j < 5; ++j) {
                RecordProperty(fmt::format("{}-{}", kinds[i], kinds[j]), fmt::format("{:.3g}", sum[i][j]));
                EXPECT_GT(total[i][j].norm(), 2e-4 * size) << settings << ' ' << kinds[i] << ' ' << kinds[j];
            }
    }
}

TEST(position_coupling, at_the_defaults_angular_momentum_changes_by_friction_a_thickness_apart) {
    // Points do not spin: two of them that rub, a thickness d apart, get the pair of forces f, -f and nobody the torque d f. So what is lost or
    // gained is at most d times the impulse of friction, 17 mm in the mean of 20 to 100 here. Without friction 4e-4 of m v r are left:
    // contacts keep their normals of the start of a step while what they join moves and turns.
    for (const char* friction : {"cylinder", "none"}) {
        auto s = start_closed(fmt::format(R"("friction": "{}")", friction));
        ASSERT_TRUE(s);
        const Real size = 2 * s->report.mass * 0.3; // all of it at 2 m/s, 30 cm from the middle
        Real changed = 0, rubbed = 0;               // [N m s], [N s]
        while (!is_finished(*s)) {
            const Vec3 before = closed_momenta(*s, s->now, s->now).second;
            ASSERT_EQ(simulate_step(*s), Status::ok);
            changed += (closed_momenta(*s, s->now, s->now).second - before).norm();
            for (const ContactForce& c : s->solver->contacts()) {
                const Vec3 f = vec(c.force), n = vec(c.normal);
                rubbed += 1e-3 * (f - n.dot(f) * n).norm();
            }
        }
        RecordProperty(friction, fmt::format("changed {:.3g} of {:.3g}, friction {:.3g} N s", changed, size, rubbed));
        EXPECT_LT(changed, 0.03 * rubbed + 0.001 * size) << friction; // seen: 0.0198 of 1.17 N s, and 0.0004 of 1.17 N m s
        EXPECT_EQ(rubbed > 0.1, std::string_view(friction) == "cylinder");
    }
}

TEST(position_coupling, more_sub_steps_do_not_throw_apart_what_begins_deep_in_each_other) {
    // A grain begins 1 cm and more within the solid. Pushed out at once it had depth/h, and the solid kept what it was pressed by: 3.1 J became
    // 7, 11, 66, 2e4 and 1e5 J in 1, 2, 5, 10 and 20 sub-steps. No gravity, so nothing works on the bodies: kinetic energy never exceeds the start.
    std::map<std::pair<int, int>, Real> first; // [N s] normal impulses of pairs of objects in one sub-step
    Real first_sum = 0;
    for (const int substeps : {1, 2, 5, 10, 20}) {
        auto s = start_closed(fmt::format(R"("friction": "none", "iterations": 20, "substeps": {})", substeps));
        ASSERT_TRUE(s);
        const Real start = s->report.energy_kinetic, size = 2 * s->report.mass;
        const Vec3 momentum = closed_momenta(*s, s->now, s->now).first;
        std::map<std::pair<int, int>, Real> pairs;
        Real sum = 0;
        while (!is_finished(*s)) {
            ASSERT_EQ(simulate_step(*s), Status::ok) << substeps;
            EXPECT_LT(s->report.energy_kinetic, start) << substeps << ' ' << s->now.time;
            for (const ContactForce& c : s->solver->contacts()) {
                const Real impulse = 1e-3 * vec(c.normal).dot(vec(c.force));
                pairs[std::minmax(c.object_a, c.object_b)] += impulse, sum += impulse;
            }
        }
        EXPECT_LT((closed_momenta(*s, s->now, s->now).first - momentum).norm(), 1e-13 * size) << substeps; // round-off of 20 steps of up to 400 sweeps
        if (substeps == 1) first = pairs, first_sum = sum;
        EXPECT_NEAR(sum, first_sum, 0.15 * first_sum) << substeps; // seen: 2.06 to 2.10 N s
        for (const auto& [pair, impulse] : pairs) {                // seen: by 15 % at most
            RecordProperty(fmt::format("{}: {}-{}", substeps, pair.first, pair.second), fmt::format("{:.3g}", impulse));
            EXPECT_LT(impulse, 1.3 * first[pair]) << substeps << ' ' << pair.first << ' ' << pair.second;
            EXPECT_GT(impulse, first[pair] / 1.3) << substeps << ' ' << pair.first << ' ' << pair.second;
        }
    }
}

TEST(position_coupling, friction_after_the_loop_lets_things_creep_that_friction_within_holds) {
    const auto slid = [](const char* friction) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 60, "substeps": 1, "seconds": 2 }}, "gravity": [3, -9.3, 0],
            "objects": {{ "floor": {{ "kind": "plane", "friction": 0.5 }},
                "p": {{ "kind": "particles", "positions": [[0, 0, 0]], "masses": [1], "material": {{ "friction": 0.5 }}, "thickness": 0 }} }},
            "solver": "position", "solvers": {{ "position": {{ "friction": "{}", "iterations": 20, "substeps": 1 }} }} }})", friction));
        if (!s) return -1.0;
        while (!is_finished(*s))
            if (simulate_step(*s) != Status::ok) return -1.0;
        return s->now.point.x[0].x;
    };
    EXPECT_LT(std::abs(slid("cylinder")), 1e-9); // 3 < 0.5 * 9.3
    EXPECT_NEAR(slid("post"), 120 * 3.0 / 3600, 0.01); // each step goes on by h^2 a before the velocity is taken
}

TEST(position_coupling, a_box_slides_to_a_stop_at_the_distance_of_coulombs_law) {
    for (const char* method : {"gauss_seidel", "accelerated_jacobi", "fast_projection"}) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 120, "substeps": 1, "seconds": 2 }},
            "objects": {{ "floor": {{ "kind": "plane", "friction": 0.4 }},
                "box": {{ "kind": "box", "size": [0.4, 0.2, 0.4], "mass": 2, "at": [0, 0.1, 0], "velocity": [3, 0, 0], "friction": 0.4 }} }},
            "solver": "position", "solvers": {{ "position": {{ "method": "{}", "iterations": 30, "substeps": 2 }} }} }})", method));
        ASSERT_TRUE(s);
        while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
        // v^2/(2 mu g) = 1.147 m, less h v/2 of the last step's direction of time
        EXPECT_NEAR(measure(*s, "box.x"), 9 / (2 * 0.4 * 9.81), 0.02) << method;
        EXPECT_NEAR(measure(*s, "box.y"), 0.1, 2e-3) << method;
        EXPECT_LT(measure(*s, "box.speed"), 0.01) << method;
    }
}

TEST(position_coupling, a_box_that_slides_in_the_cone_stays_down) {
    // V6 of a body, whose corners give way along the normal and along the floor by different amounts. Steps in one scale for both: or
    // the gap ends at h mu |u| (d_n/d_t - 1), 6 mm here
    for (const char* method : {"gauss_seidel", "jacobi", "apgd", "gpminres"}) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 120, "substeps": 1, "seconds": 0.25 }},
            "objects": {{ "floor": {{ "kind": "plane", "friction": 0.4 }},
                "box": {{ "kind": "box", "size": [0.4, 0.2, 0.4], "mass": 2, "at": [0, 0.1, 0], "velocity": [3, 0, 0], "friction": 0.4 }} }},
            "solver": "position", "solvers": {{ "position": {{ "friction": "cone", "method": "{}", "iterations": 300, "substeps": 1 }} }} }})", method));
        ASSERT_TRUE(s);
        while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
        EXPECT_NEAR(measure(*s, "box.y"), 0.1, 1e-4) << method;
        EXPECT_NEAR(measure(*s, "box.speed"), 3 - 0.4 * 9.81 * 0.25, 0.01) << method;
    }
}

TEST(position_coupling, viscosity_of_a_rod_does_not_depend_on_the_number_of_sub_steps) {
    const auto left = [](int substeps) { // [J] after a stretched rod has swung for a while
        auto s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "fps": 1000, "substeps": 1, "seconds": 0.05 }},
            "objects": {{ "rod": {{ "kind": "rod", "curve": "line", "size": 0.2, "count": 3, "radius": "5 mm", "young": "1 MPa", "viscosity": "1 kPa s",
                                    "density": 1000 }} }},
            "solver": "position", "solvers": {{ "position": {{ "iterations": 20, "substeps": {} }} }} }})", substeps));
        if (!s) return -1.0;
        s->now.point.v[0].x = -0.2, s->now.point.v[2].x = 0.2;
        while (!is_finished(*s))
            if (simulate_step(*s) != Status::ok) return -1.0;
        return energy_total(s->report);
    };
    const Real one = left(1), ten = left(10);
    EXPECT_GT(one, 0);
    // five times too much viscosity would leave a tenth; implicit Euler's own damping differs between the two
    EXPECT_NEAR(std::log(ten / one), 0, 0.5) << one << ' ' << ten;
}

TEST(position_coupling, what_was_pushed_out_leaves_no_faster_than_restitution_says) {
    const auto speed = [](bool limit, double restitution) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "fps": 60, "substeps": 1, "seconds": 0.1 }},
            "objects": {{ "floor": {{ "kind": "plane", "restitution": {} }},
                "p": {{ "kind": "particles", "positions": [[0, -0.01, 0]], "masses": [1], "velocity": [0, -1, 0], "thickness": 0 }} }},
            "solver": "position", "solvers": {{ "position": {{ "limit_restitution": {} }} }} }})", restitution, limit));
        if (!s) return -1.0;
        while (!is_finished(*s))
            if (simulate_step(*s) != Status::ok) return -1.0;
        return s->now.point.v[0].y;
    };
    EXPECT_GT(speed(false, 0), 0.5);          // 10 mm deep in a sub-step of 1.7 ms: any speed
    EXPECT_NEAR(speed(true, 0), 0, 1e-12);
    EXPECT_NEAR(speed(true, 0.5), 0.5, 1e-9);
}

TEST(position_coupling, a_soft_contact_gives_way_by_its_compliance) {
    auto s = start(R"({ "sinew": 1, "time": { "fps": 60, "substeps": 1, "seconds": 3 },
        "objects": { "floor": { "kind": "plane" }, "p": { "kind": "particles", "positions": [[0, 0, 0]], "masses": [2], "thickness": 0 } },
        "solver": "position", "solvers": { "position": { "contact_compliance": 1e-4, "contact_damping_time": 0.05, "iterations": 20 } } })");
    ASSERT_TRUE(s);
    while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok);
    EXPECT_NEAR(s->now.point.x[0].y, -1e-4 * 2 * 9.81, 1e-7); // alpha m g
}

TEST(position_coupling, sequential_positions_end_where_projection_does) {
    auto s = start(R"({ "sinew": 1, "time": { "fps": 60, "substeps": 1, "seconds": 2 },
        "objects": { "floor": { "kind": "plane" }, "box": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 1, "at": [0, 0.3, 0] } },
        "solver": "sequential_positions" })");
    ASSERT_TRUE(s);
    while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok);
    EXPECT_NEAR(s->now.frame.p[1].y + s->now.frame.p[0].y, 0.1, 1e-4); // on the floor; gravity's way in a sub-step is 27 um
}

TEST(position_coupling, damping_keeps_momentum) {
    const auto end = [](const std::string& settings) {
        auto s = start(R"({ "sinew": 1, "gravity": 0, "time": { "fps": 60, "substeps": 1, "seconds": 1 },
            "objects": { "cloth": { "kind": "cloth_grid", "size": [0.5, 0.5], "edge": 0.1, "material": "cotton" } },
            "solver": "position", "solvers": { "position": { "substeps": 2, )" + settings + " } } }");
        if (!s) return std::array<Real, 4>{};
        Vec3 before = Vec3::Zero();
        for (int i = 0; i < point_count(s->compiled.model); ++i) {
            const Real3 x = s->now.point.x[i];
            s->now.point.v[i] = {3 * x.z, 2 * x.x * x.z, x.x};
            before += s->compiled.model.point.mass[i] * vec(s->now.point.v[i]);
        }
        while (!is_finished(*s))
            if (simulate_step(*s) != Status::ok) return std::array<Real, 4>{};
        return std::array<Real, 4>{(vec(s->report.momentum) - before).norm(), s->report.energy_kinetic, s->report.energy_elastic, 0};
    };
    const auto none = end(R"("damping_part": 0)"), velocity = end(R"("damping": "velocity", "damping_part": 0.5)"),
               rigid = end(R"("damping": "rigid", "damping_part": 0.2)");
    for (const auto& r : {none, velocity, rigid}) EXPECT_LT(r[0], 1e-13);
    EXPECT_GT(none[1], 0);
    // along the rows there is little to take, and taking it may even leave more motion across them, as the source says (8.2)
    EXPECT_LT(velocity[1], 1.05 * none[1]);
    EXPECT_LT(rigid[1], none[1]);
}
