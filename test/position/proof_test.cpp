// Spec U V10 (the column of velocity stepping), V12 and V13 at the level of positions, and U114: grains.
#include "physics/simulation.h"
#include "position/position_fixture.h"
#include "solver/position_contact.h"
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

// grains that press on each other and on two walls: contacts by hand
struct Pile {
    std::vector<Real3> x, v;
    std::vector<Real> inverse;
    PositionContacts all;
    DualState to;
    Pile() {
        // four grains of radius 0.5 in a corner of the walls y = 0 and x = 0, pushed into each other
        x = {{0.49, 0.49, 0}, {1.47, 0.49, 0.02}, {0.98, 1.33, -0.01}, {1.96, 1.34, 0}};
        v = {{0.3, -0.2, 0.1}, {-0.5, -0.1, 0}, {0.2, -1, 0.3}, {-1, -0.6, -0.2}};
        inverse = {1, 0.5, 2, 1.3};
        to.x = x.data(), to.v = v.data(), to.point_inverse = inverse.data();
        for (int i = 0; i < 4; ++i) {
            wall(i, Vec3::UnitY());
            wall(i, Vec3::UnitX());
            for (int j = 0; j < i; ++j) pair(i, j);
        }
        std::vector<int> begin{0}, bodies;
        for (const PositionContact& c : all.contacts) {
            for (int k = 0; k < c.sides; ++k) bodies.push_back(all.sides[c.side + k].body);
            begin.push_back(int(bodies.size()));
        }
        colour_elements(begin, bodies, 4, std::vector<unsigned char>(4, 0), all.colours);
    }
    void wall(int i, const Vec3& n) {
        PositionContact c;
        c.side = int(all.sides.size()), c.sides = 1, c.n = n, c.offset = -0.5, c.friction = 0.4;
        all.sides.push_back({i, 1, Vec3::Zero()});
        all.contacts.push_back(c);
    }
    void pair(int i, int j) {
        PositionContact c;
        c.side = int(all.sides.size()), c.sides = 2, c.friction = 0.4, c.offset = -1;
        c.n = (vec(x[i]) - vec(x[j])).normalized();
        all.sides.push_back({i, 1, Vec3::Zero()});
        all.sides.push_back({j, -1, Vec3::Zero()});
        all.contacts.push_back(c);
    }
};

// V13: |l - P(l - r/d)| over all contacts, r the gap and h times the slip, l h^2 d the size of both
Real optimality(const Pile& p, const PositionContactOptions& o) {
    Real worst = 0;
    for (const PositionContact& c : p.all.contacts) {
        const ContactState s = contact_state(p.all, c, p.to, 4);
        const Vec3 slip = s.velocity - c.n.dot(s.velocity) * c.n;
        const Real d = o.h * o.h * contact_response(p.all, c, p.to, 4, c.n);
        const Real gap = s.gap + (o.friction == ContactFriction::cone && o.de_saxce ? o.h * c.friction * slip.norm() : 0);
        Real normal = c.normal - gap / d;
        Vec3 tangential = c.tangential - o.h * slip / d;
        const Real factor = keep_in_friction_set(o.friction, c.friction, tangential.norm(), normal);
        tangential *= factor;
        worst = std::max(worst, d * std::max(std::abs(normal - c.normal), (tangential - c.tangential).norm()));
    }
    return worst;
}

} // namespace

TEST(position_proof, velocity_stepping_throws_a_taut_chain_about) {
    // V10: 3.7e-3, 1.8e-3, 1.3 (unstable), 14 (unstable) in the source, where the last two say no more than that they are large
    EXPECT_NEAR(velocity_deflection(0.1), 3.7e-3, 1e-3);
    EXPECT_NEAR(velocity_deflection(1), 1.8e-3, 1e-3);
    EXPECT_GT(velocity_deflection(10), 0.3);
    EXPECT_GT(velocity_deflection(100), 0.3);
}

TEST(position_proof, sweeps_over_contacts_end_where_forces_and_gaps_complement_each_other) {
    const auto parallel = make_parallel({.threads = 1});
    for (const ContactFriction friction : {ContactFriction::cylinder, ContactFriction::cone}) {
        Pile pile;
        PositionContactOptions o;
        o.h = 1.0 / 60, o.friction = friction;
        Real last = 1e300, first = 0;
        for (int k = 0; k < 4000; ++k) {
            project_contacts(*parallel, o, pile.to, 4, pile.all);
            if (k == 0) first = optimality(pile, o);
            if ((k + 1) % 1000 == 0) {
                const Real now = optimality(pile, o);
                EXPECT_LE(now, std::max(last, 1e-13)) << k;
                last = now;
            }
        }
        EXPECT_GT(first, 1e-4);
        EXPECT_LT(last, 1e-10); // [m]
        int pushing = 0, sliding = 0, open = 0;
        for (const PositionContact& c : pile.all.contacts) {
            pushing += c.normal > 0;
            open += c.normal == 0;
            sliding += c.normal > 0 && c.tangential.norm() > 0.999 * c.friction * c.normal;
        }
        EXPECT_GE(pushing, 4);
        EXPECT_GE(sliding, 1);
        EXPECT_GE(open, 1);
    }
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

TEST(position_proof, heaps_of_grains_stand_the_steeper_the_rougher_they_are) {
    // U114: a column of grains falls down; what is left of its height grows with friction, and nothing sinks in
    const auto height = [](double friction) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 60, "seconds": 1.5 }},
            "objects": {{ "floor": {{ "kind": "plane", "friction": {0} }},
                "grains": {{ "kind": "particles", "shape": "grid", "size": [0.3, 0.7, 0.3], "at": [0, 0.4, 0], "spacing": 0.1, "mass": 0.01, "radius": 0.05,
                             "thickness": 0.05, "self_contact": true, "rotate": {{ "axis": [0.1, 1, 0.2], "angle": "10 deg" }},
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
    EXPECT_GT(rough, 1.1 * some);
}
