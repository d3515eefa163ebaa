// Spec U V13 at the level of positions: where sweeps over contacts end, forces and gaps complement each other.
#include "solver/position_contact.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

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
        const Real gap = s.gap + (o.friction == FrictionSet::cone && o.de_saxce ? o.h * c.friction * slip.norm() : 0);
        Real normal = c.normal - gap / d;
        Vec3 tangential = c.tangential - o.h * slip / d;
        const Real factor = keep_in_friction_set(o.friction, c.friction, tangential.norm(), normal);
        tangential *= factor;
        worst = std::max(worst, d * std::max(std::abs(normal - c.normal), (tangential - c.tangential).norm()));
    }
    return worst;
}

} // namespace

TEST(position_proof, sweeps_over_contacts_end_where_forces_and_gaps_complement_each_other) {
    const auto parallel = make_parallel({.threads = 1});
    for (const FrictionSet friction : {FrictionSet::cylinder, FrictionSet::cone}) {
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
