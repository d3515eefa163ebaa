// Forces that solvers tell of their contacts, against the change of momentum:  p' - p = h (sum F + m g) for what touches.
#include "physics/simulation.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

struct ForceBalance {
    double worst = 0; // [N] the largest difference in any step
    double most = 0;  // [N] the largest force told
    int steps = 0;    // that told a force
};

Vec3 momentum_of(const Model& m, const State& s, const Object& o) {
    Vec3 p = Vec3::Zero();
    for (int i = o.points.begin; i < o.points.end; ++i) p += m.point.mass[i] * vec(s.point.v[i]);
    for (int i = o.frames.begin; i < o.frames.end; ++i) p += m.frame.mass[i] * vec(s.frame.v[i]);
    return p;
}
double mass_of(const Model& m, const Object& o) {
    double sum = 0;
    for (int i = o.points.begin; i < o.points.end; ++i) sum += m.point.mass[i];
    for (int i = o.frames.begin; i < o.frames.end; ++i) sum += m.frame.mass[i];
    return sum;
}

// of the object of that name, over the whole scene
ForceBalance balance_of(const std::string& scene, std::string_view name) {
    ForceBalance out;
    auto s = start(scene);
    if (!s) return out;
    const Model& m = s->compiled.model;
    const Object& o = m.objects[find(m, name).index];
    const int id = find(m, name).index;
    while (!is_finished(*s)) {
        const Vec3 before = momentum_of(m, s->now, o);
        const double time = s->now.time;
        EXPECT_NE(simulate_step(*s), Status::failed) << s->report.message;
        if (s->report.status == Status::failed) return out;
        Vec3 sum = Vec3::Zero();
        for (const ContactForce& f : s->solver->contacts()) {
            EXPECT_TRUE(f.object_a == id || f.object_b == id);
            EXPECT_NEAR(vec(f.normal).norm(), 1, 1e-12);
            EXPECT_GE(vec(f.force).dot(vec(f.normal)), -1e-12); // nothing pulls
            sum += (f.object_a == id ? 1 : -1) * vec(f.force);
        }
        if (!s->solver->contacts().empty()) ++out.steps;
        const double h = s->now.time - time;
        const Vec3 wanted = (momentum_of(m, s->now, o) - before) / h - mass_of(m, o) * vec(m.gravity);
        out.worst = std::max(out.worst, (wanted - sum).norm());
        out.most = std::max(out.most, sum.norm());
    }
    return out;
}

std::string with_solver(std::string text, const std::string& solver, const std::string& settings) {
    return text + R"(, "solver": ")" + solver + R"(", "solvers": { ")" + solver + R"(": )" + settings + " } }";
}

const std::string kSheet = R"({ "sinew": 1, "time": { "dt": DT, "seconds": 0.6 },
    "objects": { "ball": { "kind": "sphere", "radius": 0.3, "stiffness": 400, "friction": 0.4 },
                 "sheet": { "kind": "cloth_grid", "size": [0.6, 0.6], "edge": 0.1, "at": [0, 0.33, 0],
                            "material": { "membrane": { "model": "spring", "stiffness": 200 } } } })";

std::string sheet(const std::string& dt) {
    std::string text = kSheet;
    text.replace(text.find("DT"), 2, dt);
    return text;
}

} // namespace

// explicit schemes (not forward Euler, which blows up, nor Verlet, whose velocities are differences of positions): the sums of the same forces that moved the points; momenta of some N s are
// rounded at 1e-16, over h = 1 ms
TEST(contact_force, explicit_schemes_tell_what_moved_the_points) {
    for (const char* scheme : {"symplectic_euler", "improved_euler", "rk2_trapezoid", "rk2_midpoint", "rk4", "leapfrog"}) {
        const ForceBalance b = balance_of(with_solver(sheet("0.001"), "explicit", std::string(R"({ "scheme": ")") + scheme + "\" }"), "sheet");
        EXPECT_GT(b.steps, 100) << scheme;
        EXPECT_GT(b.most, 1) << scheme;
        EXPECT_LT(b.worst, 1e-9) << scheme;
    }
}

// implicit steps: to what the iteration leaves, force_tolerance times the largest force on each of 49 points
TEST(contact_force, implicit_steps_tell_contact_and_friction) {
    const std::string tight = R"({ "tolerance": 1e-10, "force_tolerance": 1e-11 })";
    for (const char* solver : {"newton", "nonlinear_cg"}) {
        const char* loose = R"({ "tolerance": 1e-10, "force_tolerance": 1e-9, "max_iterations": 2000 })";
        const ForceBalance b = balance_of(with_solver(sheet("0.01"), solver, solver == std::string("newton") ? tight : loose), "sheet");
        EXPECT_GT(b.steps, 20) << solver;
        EXPECT_GT(b.most, 1) << solver;
        EXPECT_LT(b.worst, 1e-5) << solver;
    }
}

// a free body on a plane that gives way
TEST(contact_force, bodies_under_explicit_steps) {
    const ForceBalance b = balance_of(R"({ "sinew": 1, "time": { "dt": 0.001, "seconds": 0.5 },
        "objects": { "floor": { "kind": "plane", "stiffness": 1e4, "damping": 20 },
                     "box": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 1, "at": [0, 0.2, 0] } }, "solver": "explicit" })", "box");
    EXPECT_GT(b.steps, 20); // it bounces: a half period of pi sqrt(m/k) = 31 ms each time, less where corners hit one by one
    EXPECT_GT(b.most, 10);
    EXPECT_LT(b.worst, 1e-9); // momenta of 1 N s rounded, over 1 ms
}

// the held body is side a of the pair where it comes first: the force told is on it, and the free one feels the opposite
TEST(contact_force, a_held_box_is_either_side) {
    for (const char* objects : {R"("low": { "kind": "box", "size": [1, 0.2, 1], "stiffness": 1e4 }, "top": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 1, "at": [0, 0.25, 0] })",
                                R"("top": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 1, "at": [0, 0.25, 0] }, "low": { "kind": "box", "size": [1, 0.2, 1], "stiffness": 1e4 })"}) {
        const ForceBalance b = balance_of(std::string(R"({ "sinew": 1, "time": { "dt": 0.001, "seconds": 0.3 }, "objects": { )") + objects +
                                              R"( }, "solver": "explicit" })",
                                          "top");
        EXPECT_GT(b.steps, 10);
        EXPECT_GT(b.most, 10);
        EXPECT_LT(b.worst, 1e-9);
    }
}

// Two particles joined by nothing but a damper: the speed between them decays by exp(-c t/mu), mu = m/2, under every solver that takes
// it; steps of first order, h c/mu = 0.01: an error of half of that times t c/mu = 1.
TEST(contact_force, a_damper_without_a_spring_acts_under_every_solver) {
    for (const char* solver : {"explicit", "newton", "nonlinear_cg", "position", "velocity"}) {
        auto s = start(std::string(R"({ "sinew": 1, "gravity": 0, "time": { "dt": 0.002, "substeps": 1, "seconds": 0.2 },
            "objects": { "p": { "kind": "particles", "positions": [[0, 0, 0], [1, 0, 0]], "velocities": [[-1, 0, 0], [1, 0, 0]], "mass": 2,
                                "links": [[0, 1]], "material": { "rod": { "model": "spring", "stiffness": 0, "damping": 5 } } } },
            "solver": ")") + solver + "\" }");
        ASSERT_TRUE(s) << solver;
        while (!is_finished(*s)) ASSERT_NE(simulate_step(*s), Status::failed) << solver;
        const Real speed = s->now.point.v[1].x - s->now.point.v[0].x;
        EXPECT_NEAR(speed / (2 * std::exp(-5.0 * 0.2)), 1, 0.01) << solver;
    }
}

// one rod falls across another that is held at its ends, under either solver
TEST(contact_force, rods_that_cross) {
    for (const char* solver : {R"("solver": "newton", "solvers": { "newton": { "tolerance": 1e-11, "force_tolerance": 1e-11 } })",
                               R"("solver": "explicit", "solvers": { "explicit": { "scheme": "leapfrog" } })"}) {
        const bool implicit = std::string_view(solver).find("newton") != std::string_view::npos;
        const ForceBalance b = balance_of(std::string(R"({ "sinew": 1, "time": { "seconds": 0.12, )") +
                                          (implicit ? R"("dt": 0.002 },)" : R"("dt": 2e-5, "substeps": 1 },)") +
            R"("objects": { "held": { "kind": "rod", "from": [-0.1, 0, 0.004], "to": [0.1, 0, 0], "count": 10, "radius": 0.003, "clamp": "both" },
                     "free": { "kind": "rod", "from": [0.003, 0.02, -0.1], "to": [0.003, 0.02, 0.1], "count": 10, "radius": 0.003 } }, )" + solver + " }", "free");
        EXPECT_GT(b.steps, 5) << solver;
        EXPECT_GT(b.most, 0.01) << solver;
        EXPECT_LT(b.worst, 1e-6 * std::max(1.0, b.most)) << solver;
    }
}
