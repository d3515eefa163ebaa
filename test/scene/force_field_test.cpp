// Attractors and drag on what they name: points and free bodies alike, under every solver that takes them.
#include "scene/compile_text.h"
#include "core/math.h"
#include "scene/field_kinds.h"
#include "simulate.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

Simulation start_pulled(const std::string& text, std::string_view solver = {}) {
    Result<Compiled> compiled = compile_scene(parsed_scene(text), solver);
    for (const Error& e : compiled.errors) ADD_FAILURE() << to_string(e);
    if (!compiled) return {};
    Result<Simulation> made = make_simulation(Context{.threads = 1}, std::move(*compiled.value));
    for (const Error& e : made.errors) ADD_FAILURE() << to_string(e);
    return made ? std::move(*made.value) : Simulation{};
}

void pull(Simulation& s, std::int64_t steps) {
    for (std::int64_t end = s.now.step + steps; s.now.step < end;) ASSERT_NE(simulate_step(s), Status::failed) << s.report.message;
}

std::string errors_of(const std::string& text) {
    const Result<Compiled> r = compile_scene(parsed_scene(text));
    std::string all;
    for (const Error& e : r.errors) all += to_string(e) + "\n";
    return all;
}

} // namespace

TEST(force_field, every_kind_of_force_says_which_objects_it_acts_on) {
    for (const FieldKind& k : field_kinds()) {
        const auto params = k.make_params();
        FieldList list;
        k.describe(params.get(), list);
        EXPECT_EQ(find_field(list, "objects") != nullptr, k.add != nullptr) << k.name;
    }
}

TEST(force_field, it_acts_once_on_points_and_free_bodies_and_not_on_what_is_held_or_passive) {
    const Compiled c = compile(R"({ "fields": { "u": { "kind": "velocity", "velocity": [1, 0, 0] },
                                                "pull": { "kind": "attractor_point", "strength": 2, "objects": ["ball", "*"] },
                                                "air": { "kind": "drag", "linear": 1 } },
        "objects": { "ball": { "kind": "sphere", "mass": 3 }, "crate": { "kind": "compound", "mass": 2, "parts": [ { "kind": "box" } ] },
                     "table": { "kind": "box" }, "grains": { "kind": "particles", "positions": [[0, 3, 0], [0, 4, 0]] },
                     "smoke": { "kind": "particles", "positions": [[0, 5, 0]], "passive": true } } })");
    EXPECT_EQ(element_count(c.model, "attractor_point"), 2);
    EXPECT_EQ(element_count(c.model, "attractor_point_frame"), 2);
    EXPECT_EQ(element_count(c.model, "drag"), 2);
    EXPECT_EQ(element_count(c.model, "drag_frame"), 2);
}

TEST(force_field, a_name_that_no_force_can_move_is_an_error) {
    const auto text = [](const char* objects) {
        return fmt::format(R"({{ "fields": {{ "pull": {{ "kind": "attractor_line", "objects": {} }} }},
            "objects": {{ "table": {{ "kind": "box" }}, "ball": {{ "kind": "sphere", "mass": 1, "at": [0, 3, 0] }} }} }})", objects);
    };
    EXPECT_NE(errors_of(text(R"(["table"])")).find("nothing of it can be moved by a force"), std::string::npos);
    EXPECT_NE(errors_of(text(R"(["tabel"])")).find("no object of this name"), std::string::npos);
    EXPECT_EQ(errors_of(text(R"(["ball"])")), "");
    EXPECT_EQ(errors_of(text(R"(["*"])")), "");
    EXPECT_EQ(errors_of(text(R"(["?a*"])")), ""); // both, one of which it moves
}

// The same numbers for a body and for a particle of its mass: v' = -s x - (c/m) (v - u), from rest. A solver that does not take bodies says so.
TEST(force_field, a_body_moves_as_a_particle_of_its_mass_under_every_solver) {
    const std::string text = R"({ "gravity": 0, "time": { "dt": 0.002, "substeps": 1, "seconds": 1 },
        "fields": { "pull": { "kind": "attractor_plane", "at": [0, 0, 0], "axis": [0, 1, 0], "strength": 9, "exponent": -1, "softening": 1e-3 },
                    "gust": { "kind": "wind", "velocity": ["2*y", 0, 1] }, "calm": { "kind": "velocity", "velocity": [0, 0, 0] },
                    "air": { "kind": "drag", "linear": 1.5, "quadratic": 0.5 } },
        "objects": { "body": { "kind": "box", "size": [0.1, 0.2, 0.3], "mass": 2, "contact": false, "at": [0, 1, 0], "angular_velocity": [0, 0, 3] })";
    const std::string particle = R"(, "grain": { "kind": "particles", "positions": [[5, 1, 0]], "mass": 2, "air": {} })";
    int able = 0;
    for (const SolverEntry& entry : solver_entries()) {
        SCOPED_TRACE(entry.name);
        const bool points = entry.needs.points;
        const std::string all = text + (points ? particle : "") + "} }";
        if (!entry.needs.frames) {
            const Result<Compiled> refused = compile_scene(parsed_scene(all), entry.name);
            ASSERT_FALSE(refused);
            EXPECT_NE(to_string(refused.errors[0]).find("free rigid bodies"), std::string::npos);
            continue;
        }
        ++able;
        Simulation s = start_pulled(all, entry.name);
        ASSERT_TRUE(s.solver);
        pull(s, 500);
        const Vec3 p = vec(s.now.frame.p[0]), v = vec(s.now.frame.v[0]);
        if (points) {
            EXPECT_LT((p - vec(s.now.point.x[0]) + Vec3(5, 0, 0)).norm(), 1e-9); // the same sums, in places 5 m apart
            EXPECT_LT((v - vec(s.now.point.v[0])).norm(), 1e-9);
        }
        // by Runge-Kutta on the equation itself, 1e-12; schemes of first order: h w^2 t = 0.002 * 9 * 1 at most
        Vec3 x(0, 1, 0), u = Vec3::Zero();
        const auto rate = [](const Vec3& at, const Vec3& speed) {
            const Vec3 w = speed - Vec3(2 * at.y(), 0, 1);
            return Vec3(Vec3(0, -9 * at.y(), 0) - (1.5 + 0.5 * w.norm()) / 2 * w);
        };
        for (int i = 0; i < 1000; ++i) {
            const Real h = 1e-3;
            const Vec3 a1 = rate(x, u), a2 = rate(x + 0.5 * h * u, u + 0.5 * h * a1),
                       a3 = rate(x + 0.5 * h * (u + 0.5 * h * a1), u + 0.5 * h * a2), a4 = rate(x + h * (u + 0.5 * h * a2), u + h * a3);
            x += h * u + h * h / 6 * (a1 + a2 + a3);
            u += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        }
        EXPECT_LT((p - x).norm(), 0.02);
        EXPECT_LT((v - u).norm(), 0.02);
        EXPECT_NEAR(s.now.frame.w[0].z, 3, 1e-6); // no torque
    }
    EXPECT_GE(able, 4);
}

// an attractor that is switched on, and a gust, reach what sleeps
TEST(force_field, what_rests_wakes_when_a_field_begins) {
    for (const char* field : {R"("kind": "attractor_plane", "at": [10, 0, 0], "axis": [1, 0, 0], "strength": 20, "exponent": 0, "from": 2)", R"("kind": "drag", "linear": 20)"})
        for (const char* solver : {"velocity", "articulated"}) {
            SCOPED_TRACE(fmt::format("{} {}", solver, field));
            Simulation s = start_pulled(fmt::format(R"({{ "time": {{ "fps": 60, "substeps": 1, "seconds": 3 }},
                "fields": {{ "later": {{ {} }}, "gust": {{ "kind": "wind", "velocity": [8, 0, 0], "from": 2 }} }},
                "objects": {{ "floor": {{ "kind": "plane" }}, "crate": {{ "kind": "box", "mass": 1, "at": [0, 0.5, 0], "friction": 0.2 }} }} }})", field), solver);
            ASSERT_TRUE(s.solver);
            pull(s, 115);
            const int body = s.compiled.model.objects[std::size_t(find(s.compiled.model, "crate").index)].frames.begin;
            EXPECT_LT(std::abs(s.now.frame.p[body].x), 1e-3);
            pull(s, 65);
            EXPECT_GT(s.now.frame.p[body].x, 0.5);
        }
}
