// Points of a deformable attached to another one, to a free body, released and broken.
#include "physics/simulation.h"
#include "constraint/attach_place.h"
#include "constraint/joint_object.h"
#include "core/math.h"
#include "model/element.h"
#include "sinew/sinew.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

// A sheet of 3 x 3 points, all held, and a particle that hangs on it. Under velocity it is of springs, and the particle is on one of them, a diagonal.
std::string sheet_and_weights(const std::string& solver, const std::string& attach, const std::string& more = "", double mass = 0.1) {
    return fmt::format(R"({{ "sinew": 1, "solver": "{}", "time": {{ "dt": 0.002, "seconds": 0.4 }},
        "objects": {{ "sheet": {{ "kind": "cloth_grid", "size": [1, 1], "edge": 0.5, "model": "{}", "material": "cotton", "fixed": "all" }},
                      "weight": {{ "kind": "particles", "positions": [{}], "mass": {} }} }},
        "contact": [ {{ "between": ["weight", "sheet"], "off": true }} ], "attach": [ {} ] {} }})", solver, solver == "velocity" ? "links" : "shell", solver == "velocity" ? "[0.15, 0, 0.15]" : "[0.15, 0, 0.1]", mass, attach, more);
}
const AttachPlace::Data* find_place(const Model& m, const Table*& table) {
    for (const Table& t : m.elements->constraints)
        if (t.row->name == AttachPlace::name && t.count() == 1) {
            table = &t;
            return reinterpret_cast<const AttachPlace::Data*>(t.data.data());
        }
    return nullptr;
}

} // namespace

// The place is that of the triangle below the point: weights that add up to one and give its position, and not a vertex.
TEST(attach, a_point_is_held_at_the_nearest_place_of_a_triangle) {
    const auto c = compile_text(sheet_and_weights("newton", R"({ "points": { "of": "weight" }, "to": "sheet", "stiffness": 100 })"));
    ASSERT_TRUE(c);
    const Table* t = nullptr;
    const AttachPlace::Data* d = find_place(c->model, t);
    ASSERT_TRUE(d);
    Vec3 x = Vec3::Zero();
    Real sum = 0;
    int corners = 0;
    for (int k = 0; k < 4; ++k) {
        sum += d->weight[k];
        if (t->stencil[1 + k] < 0) continue;
        x += d->weight[k] * vec(c->state.point.x[t->stencil[1 + k]]);
        corners += d->weight[k] > 0.01;
    }
    EXPECT_NEAR(sum, 1, 1e-14);
    EXPECT_EQ(corners, 3);
    EXPECT_LT((x - vec(c->state.point.x[t->stencil[0]])).norm(), 1e-14); // it lies on the sheet
    EXPECT_DOUBLE_EQ(d->compliance, 0.01);
}

// A weight of 0.1 kg on a pin of 100 N/m hangs m g/k below its place; held rigidly it stays on it.
TEST(attach, soft_and_rigid_pins_carry_a_weight) {
    for (const char* solver : {"newton", "position", "velocity"})
        for (bool rigid : {false, true}) {
            auto s = start(sheet_and_weights(solver, fmt::format(R"({{ "points": {{ "of": "weight" }}, "to": "sheet", "stiffness": 100, "damping": 20, "rigid": {} }})", rigid)));
            ASSERT_TRUE(s);
            while (!is_finished(*s)) ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
            // overdamped: k/c = 5/s leaves exp(-2) of the way; energy solvers hold rigid rows by 1e7 N/m
            const double hanging = 0.1 * 9.81 / 100;
            if (rigid) {
                EXPECT_NEAR(measure(*s, "weight.y"), 0, 1e-5) << solver;
            } else {
                EXPECT_LT(measure(*s, "weight.y"), -0.5 * hanging) << solver;
                EXPECT_GT(measure(*s, "weight.y"), -1.01 * hanging) << solver;
            }
        }
}

// What is not on the other body cannot be held rigidly: said at load, by name.
TEST(attach, a_rigid_pin_away_from_the_body_is_refused) {
    std::string text = sheet_and_weights("newton", R"({ "points": { "of": "weight" }, "to": "sheet", "rigid": true })");
    text.replace(text.find("[0.15, 0, 0.1]"), 14, "[0.15, 1, 0.1]");
    Result<Scene> scene = parse_scene(text, "scene.json");
    ASSERT_TRUE(scene);
    const Result<Compiled> c = compile_scene(*scene.value);
    ASSERT_FALSE(c);
    EXPECT_NE(to_string(c.errors[0]).find("rigid"), std::string::npos);
    EXPECT_NE(to_string(c.errors[0]).find("sheet"), std::string::npos);
}

// Released by an event, a pin to a deformable and one to a free body fall from then on: half a g t^2 after the release.
TEST(attach, pins_are_released_by_events) {
    for (const char* solver : {"newton", "position", "velocity"}) {
        auto s = start(sheet_and_weights(solver, R"({ "points": { "of": "weight" }, "to": "sheet", "rigid": true })", R"(, "events": [ { "at": 0.2, "release": "weight.attach" } ])"));
        ASSERT_TRUE(s);
        while (!is_finished(*s)) ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
        EXPECT_NEAR(measure(*s, "weight.y"), -0.5 * 9.81 * 0.04, 0.005) << solver; // implicit Euler: g t dt/2, and a step more or less
    }
}

// 1 kg on a pin that bears 5 N breaks it, and says so once; on one that bears 50 N it does not.
TEST(attach, an_overloaded_attachment_to_a_deformable_breaks) {
    for (const char* solver : {"newton", "position", "velocity"})
        for (double bears : {5.0, 50.0}) {
            auto s = start(sheet_and_weights(solver, fmt::format(R"({{ "points": {{ "of": "weight" }}, "to": "sheet", "stiffness": 1e4, "damping": 100, "breaks_at": {} }})", bears), "", 1));
            ASSERT_TRUE(s);
            int broken = 0;
            while (!is_finished(*s)) {
                ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
                for (const std::string& e : s->events) broken += e.find("weight.attach") != std::string::npos;
            }
            EXPECT_EQ(broken, bears < 9.81 ? 1 : 0) << solver;
            if (bears < 9.81) {
                EXPECT_LT(measure(*s, "weight.y"), -0.3) << solver;
            } else {
                EXPECT_GT(measure(*s, "weight.y"), -0.01) << solver;
            }
        }
}

// Pins of points to a free body: momentum is kept and the body is carried. A box of 2 kg on a particle of 1 kg that moves: both end at v/3,
// because the pin is at the centre of the box and does not turn it.
TEST(attach, a_pin_of_a_point_to_a_free_body_shares_its_momentum) {
    for (const char* solver : {"position", "velocity"}) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "solver": "{}", "gravity": 0, "time": {{ "dt": 0.001, "seconds": 0.3 }},
            "objects": {{ "box": {{ "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 2, "contact": false }},
                          "bead": {{ "kind": "particles", "positions": [[0, 0, 0]], "mass": 1, "velocity": [3, 0, 0] }} }},
            "attach": [ {{ "points": {{ "of": "bead" }}, "to": "box", "stiffness": 1e4, "damping": 200 }} ] }})", solver));
        ASSERT_TRUE(s) << solver;
        while (!is_finished(*s)) ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
        // c (1/m + 1/M)/2 = 150/s: nothing is left of the relative motion after 0.3 s
        EXPECT_NEAR(measure(*s, "box.velocity.x"), 1, 1e-3) << solver;
        EXPECT_NEAR(measure(*s, "bead.velocity.x"), 1, 1e-3) << solver;
    }
}

namespace {

struct PlaceCase {
    const char* name;
    std::string body, at; // of the object, and a place on it
    int corners;
};
std::vector<PlaceCase> place_cases() {
    return {{"tetrahedron", R"({ "kind": "solid", "size": [0.4, 0.4, 0.4], "cells": [2, 2, 2], "material": { "solid_density": 30, "solid": { "model": "stable_neohookean", "young": "20 kPa" } } })", "[0.13, 0.07, 0.04]", 4},
            {"segment", R"({ "kind": "rod", "from": [-0.5, 0, 0], "to": [0.5, 0, 0], "count": 8, "radius": "2 cm", "young": "1 MPa", "density": 1500 })", "[0.2, 0, 0]", 2}};
}

} // namespace

// A bead of 0.5 kg is shot into a body that floats, held at a place within one of its elements: the pin pulls corners by their weights and the
// bead by the opposite, so that the momentum of both together stays what it was, and bead and place go on together.
TEST(attach, a_bead_in_a_tetrahedron_and_on_a_segment_pulls_as_it_is_pulled) {
    for (const PlaceCase& c : place_cases())
        for (const char* solver : {"newton", "position", "velocity"})
            for (bool rigid : {false, true}) {
                if (c.corners == 2 && std::string_view(solver) == "velocity") continue; // rods have twists, scalars, which it does not take
                const std::string what = fmt::format("{}, {}, {}", c.name, solver, rigid ? "rigid" : "soft");
                auto s = start(fmt::format(R"({{ "sinew": 1, "solver": "{}", "gravity": 0, "time": {{ "dt": 0.001, "seconds": 0.2 }},
                    "objects": {{ "body": {}, "bead": {{ "kind": "particles", "positions": [{}], "mass": 0.5, "velocity": [0.3, 1, 0.2] }} }},
                    "contact": [ {{ "between": ["bead", "body"], "off": true }} ],
                    "attach": [ {{ "points": {{ "of": "bead" }}, "to": "body", "stiffness": 2e3, "damping": 20, "rigid": {} }} ] }})", solver, c.body, c.at, rigid));
                ASSERT_TRUE(s) << what;
                const Table* t = nullptr;
                const AttachPlace::Data* d = find_place(s->compiled.model, t);
                ASSERT_TRUE(d) << what;
                const auto apart = [&] {
                    Vec3 x = vec(s->now.point.x[t->stencil[0]]);
                    for (int k = 0; k < 4; ++k)
                        if (t->stencil[1 + k] >= 0) x -= d->weight[k] * vec(s->now.point.x[t->stencil[1 + k]]);
                    return x.norm();
                };
                int corners = 0;
                for (int k = 0; k < 4; ++k) corners += t->stencil[1 + k] >= 0 && d->weight[k] > 0.01;
                EXPECT_EQ(corners, c.corners) << what;
                EXPECT_LT(apart(), 1e-14) << what; // it lies there
                const Vec3 before = vec(s->report.momentum);
                double most = 0, drift = 0;
                while (!is_finished(*s)) {
                    ASSERT_NE(simulate_step(*s), Status::failed) << what << s->report.message;
                    most = std::max(most, apart());
                    drift = std::max(drift, (vec(s->report.momentum) - before).norm());
                }
                EXPECT_LT(drift, 1e-13) << what; // rounding: 0.5 kg m/s, 200 steps, dozens of points
                // v sqrt(m/k) of 1.1 m/s and 0.5 kg at most; energy solvers hold rigid rows by 1e7 N/m, position exactly. At the end c/(2m) = 20/s has left
                // exp(-4) of it, and what swings of the body pulls
                const bool exact = rigid && std::string_view(solver) == "position";
                EXPECT_LT(most, exact ? 1e-14 : rigid ? 2.4e-4 : 0.017) << what;
                EXPECT_LT(apart(), exact ? 1e-14 : rigid ? 1e-6 : 1e-3) << what;
                EXPECT_GT(most, rigid ? -1 : 1e-3) << what; // a soft one gives way
                // all of it together moves at 0.22 m/s
                EXPECT_LT(vec(s->now.point.v[t->stencil[0]]).norm(), 0.5) << what;
            }
}
