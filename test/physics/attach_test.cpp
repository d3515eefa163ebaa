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

// a sheet of 3 x 3 points, held at its corners' side, and particles that hang on it
std::string sheet_and_weights(const std::string& solver, const std::string& attach, const std::string& more = "", double mass = 0.1) {
    return fmt::format(R"({{ "sinew": 1, "solver": "{}", "time": {{ "dt": 0.002, "seconds": 0.4 }},
        "objects": {{ "sheet": {{ "kind": "cloth_grid", "size": [1, 1], "edge": 0.5, "model": "shell", "material": "cotton", "fixed": "all" }},
                      "weight": {{ "kind": "particles", "positions": [[0.15, 0, 0.1]], "mass": {} }} }},
        "contact": [ {{ "between": ["weight", "sheet"], "off": true }} ], "attach": [ {} ] {} }})", solver, mass, attach, more);
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
    for (const char* solver : {"newton", "position"})
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
    auto s = start(sheet_and_weights("newton", R"({ "points": { "of": "weight" }, "to": "sheet", "rigid": true })", R"(, "events": [ { "at": 0.2, "release": "weight.attach" } ])"));
    ASSERT_TRUE(s);
    while (!is_finished(*s)) ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
    EXPECT_NEAR(measure(*s, "weight.y"), -0.5 * 9.81 * 0.04, 0.005); // implicit Euler: g t dt/2, and a step more or less
}

// 1 kg on a pin that bears 5 N breaks it, and says so once; on one that bears 50 N it does not.
TEST(attach, an_overloaded_attachment_to_a_deformable_breaks) {
    for (double bears : {5.0, 50.0}) {
        auto s = start(sheet_and_weights("newton", fmt::format(R"({{ "points": {{ "of": "weight" }}, "to": "sheet", "stiffness": 1e4, "damping": 100, "breaks_at": {} }})", bears), "", 1));
        ASSERT_TRUE(s);
        int broken = 0;
        while (!is_finished(*s)) {
            ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
            for (const std::string& e : s->events) broken += e.find("weight.attach") != std::string::npos;
        }
        EXPECT_EQ(broken, bears < 9.81 ? 1 : 0);
        if (bears < 9.81) {
            EXPECT_LT(measure(*s, "weight.y"), -0.3);
        } else {
            EXPECT_GT(measure(*s, "weight.y"), -0.01);
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
