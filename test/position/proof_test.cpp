// Spec U V10 (the column of velocity stepping), V12 at the level of positions, and U114: grains.
#include "energy/gravity.h"
#include "physics/simulation.h"
#include "position/position_fixture.h"
#include "solver/velocity.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

// the tensioned chain of V10 under velocity time stepping with an exact solve and gamma = 1
Real velocity_deflection(Real end_mass) {
    constexpr Real g = 9.8;
    ModelBuilder c;
    c.model.gravity = {0, -g, 0};
    begin_object(c, "chain", "chain");
    std::vector<Real3> x;
    std::vector<Real> mass(11, 0.1);
    mass[10] = end_mass;
    for (int i = 0; i <= 10; ++i) x.push_back({0, -0.1 * i, 0});
    add_points(c, x, mass);
    c.model.point.flags[0] = kFixed;
    for (int i = 0; i < 10; ++i) add_link(c, i, i + 1, 0);
    const Gravity::Params down{Real3{0, -g, 0}};
    for (int i = 1; i <= 10; ++i) add_energy(c, *find_energy("gravity"), &down, std::array<int, 1>{i});
    for (int i = 1; i < 10; ++i) c.state.point.v[i].x = i % 2 ? 0.05 : -0.05;
    finish_model(c);
    VelocitySettings s;
    s.method = "direct", s.stabilisation = "baumgarte", s.erp = 1, s.substeps = 1, s.sleep = false;
    State now = c.state, next;
    const auto solver = make_velocity({.threads = 1}, c.model, now, &s);
    Real worst = 0;
    for (int i = 0; i < 300; ++i) {
        const Report r = solver->step(c.model, {}, now, next, 1.0 / 60);
        EXPECT_NE(r.status, Status::failed) << r.message;
        std::swap(now, next);
        for (const Real3& p : now.point.x) worst = std::max(worst, std::abs(p.x));
        if (!(worst < 1e3)) break;
    }
    return worst;
}

} // namespace

TEST(position_proof, velocity_stepping_throws_a_taut_chain_about) {
    // V10: 3.7e-3, 1.8e-3, 1.3 (unstable), 14 (unstable) in the source, where the last two say no more than that they are large
    const Real light = velocity_deflection(0.1), heavy = velocity_deflection(1);
    EXPECT_NEAR(light, 3.7e-3, 0.06 * 3.7e-3);
    EXPECT_NEAR(heavy, 1.8e-3, 0.06 * 1.8e-3);
    EXPECT_GT(velocity_deflection(10), 0.3);
    EXPECT_GT(velocity_deflection(100), 0.3);
}

TEST(position_proof, friction_between_many_grains_never_adds_energy) {
    // V12 in a heap that comes together without gravity: kinetic energy after every step is at most that before
    auto s = start(R"({ "sinew": 1, "gravity": 0, "time": { "fps": 120, "substeps": 1, "seconds": 1 },
        "objects": { "a": { "kind": "particles", "shape": "grid", "size": [0.3, 0.3, 0.3], "spacing": 0.1, "mass": 0.02, "radius": 0.045, "thickness": 0.045,
                            "self_contact": true, "velocity": [0.5, 0, 0.1], "at": [-0.3, 0, 0], "material": { "friction": 0.5 } },
                     "b": { "kind": "particles", "shape": "grid", "size": [0.3, 0.3, 0.3], "spacing": 0.1, "mass": 0.03, "radius": 0.045, "thickness": 0.045,
                            "self_contact": true, "velocity": [-0.5, 0.1, 0], "at": [0.3, 0.03, 0.02], "material": { "friction": 0.5 } } },
        "solver": "position", "solvers": { "position": { "iterations": 10, "substeps": 1 } } })");
    ASSERT_TRUE(s);
    Real last = s->report.energy_kinetic;
    const Real begin = last;
    while (!is_finished(*s)) {
        ASSERT_EQ(simulate_step(*s), Status::ok);
        EXPECT_LE(s->report.energy_kinetic, last * (1 + 1e-10));
        last = s->report.energy_kinetic;
    }
    EXPECT_LT(last, 0.7 * begin); // they met
}

TEST(position_proof, friction_in_a_falling_heap_adds_no_more_than_the_work_of_gravity) {
    // V12: kinetic energy is at most that of the start and what gravity did since. (Not from step to step: what lies in others' way is
    // lifted out of it slowly, 2e-6 J per step here.)
    auto s = start(R"({ "sinew": 1, "time": { "fps": 120, "substeps": 1, "seconds": 1 },
        "objects": { "floor": { "kind": "plane", "friction": 0.5 },
                     "grains": { "kind": "particles", "shape": "grid", "size": [0.3, 0.4, 0.3], "spacing": 0.1, "mass": 0.02, "radius": 0.045, "thickness": 0.045,
                            "self_contact": true, "velocity": [0.5, 0, 0.1], "at": [0, 0.5, 0], "rotate": { "axis": [1, 0.3, 0.2], "angle": "40 deg" }, "material": { "friction": 0.5 } } },
        "solver": "position", "solvers": { "position": { "iterations": 10, "substeps": 1 } } })");
    ASSERT_TRUE(s);
    const Real weight = s->report.mass * 9.81;
    const Real kinetic = s->report.energy_kinetic, height = measure(*s, "grains.y");
    while (!is_finished(*s)) {
        ASSERT_EQ(simulate_step(*s), Status::ok);
        EXPECT_LE(s->report.energy_kinetic, kinetic + weight * (height - measure(*s, "grains.y"))) << s->now.time;
    }
    EXPECT_LT(measure(*s, "grains.y"), height - 0.3); // it fell and spread
    EXPECT_GT(s->report.contact_count, 20);
}

TEST(position_proof, heaps_of_grains_stand_the_steeper_the_rougher_they_are) {
    // U114: a block of grains falls on its edge (an upright one stands: grains do not turn); what is left of its height grows with friction, and nothing sinks in
    const auto height = [](double friction) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 60, "seconds": 1.5 }},
            "objects": {{ "floor": {{ "kind": "plane", "friction": {0} }},
                "grains": {{ "kind": "particles", "shape": "grid", "size": [0.3, 0.7, 0.3], "at": [0, 0.6, 0], "spacing": 0.1, "mass": 0.01, "radius": 0.05,
                             "thickness": 0.05, "self_contact": true, "rotate": {{ "axis": [1, 0.3, 0.2], "angle": "40 deg" }},
                             "material": {{ "friction": {0} }} }} }},
            "solver": "position" }})", friction));
        if (!s) return -1.0;
        while (!is_finished(*s))
            if (simulate_step(*s) != Status::ok) return -1.0;
        EXPECT_LT(s->report.penetration, 0.01) << friction;
        return measure(*s, "grains.y");
    };
    const Real smooth = height(0), some = height(0.3), rough = height(0.9);
    EXPECT_GT(smooth, 0.03);
    EXPECT_LT(smooth, 0.08); // one layer, radius 0.05
    EXPECT_GT(some, 1.2 * smooth);
    EXPECT_GT(rough, 1.5 * some);
}
