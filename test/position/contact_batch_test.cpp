// Contacts in batches against contacts one by one.
#include "core/random.h"
#include "model/stencil.h"
#include "solver/position_contact_batch.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

constexpr int kTouchingPoints = 600, kContacts = 300;

struct Touching {
    std::vector<Real3> x, v;
    std::vector<Real> inverse;
    PositionContacts all;

    Touching() {
        Rng rng{17, 4, 0};
        for (int i = 0; i < kTouchingPoints; ++i) {
            x.push_back(real3(draw_vec(rng, -1, 1)));
            v.push_back(real3(draw_vec(rng, -1, 1)));
            inverse.push_back(i % 11 == 0 ? 0 : draw_uniform(rng, 0.5, 3));
        }
        std::vector<unsigned char> held;
        for (Real w : inverse) held.push_back(!(w > 0));
        all.body_begin = {0};
        for (int k = 0; k < kContacts; ++k) { // against what is prescribed, between points, with triangles and edges, and of five
            PositionContact c;
            c.side = int(all.sides.size());
            c.sides = 1 + k % 5;
            const int first = draw_int(rng, kTouchingPoints);
            for (int i = 0; i < c.sides; ++i) all.sides.push_back({(first + 37 * i) % kTouchingPoints, i == 0 ? 1.0 : -1.0 / (c.sides - 1), Vec3::Zero()});
            c.n = draw_direction(rng);
            c.outside = draw_vec(rng, -0.1, 0.1), c.drive = draw_vec(rng, -0.1, 0.1);
            c.offset = draw_uniform(rng, -1, 0.5);
            c.friction = k % 3 == 0 ? 0 : 0.5;
            c.normal = k % 2 ? 1 : 0;
            for (int i = 0; i < c.sides; ++i) all.bodies.push_back(all.sides[c.side + i].body);
            all.body_begin.push_back(int(all.bodies.size()));
            all.contacts.push_back(c);
        }
        colour_elements(all.body_begin, all.bodies, kTouchingPoints, held, all.colours);
    }
    DualState state() {
        DualState s;
        s.x = x.data(), s.v = v.data(), s.point_inverse = inverse.data();
        return s;
    }
};

} // namespace

TEST(position_contact_batch, sweeps_over_batches_are_those_over_contacts) {
    struct {
        FrictionSet friction;
        bool de_saxce;
    } const models[] = {{FrictionSet::cylinder, false}, {FrictionSet::cone, false}, {FrictionSet::cone, true}, {FrictionSet::none, false}};
    for (const auto& [friction, de_saxce] : models) {
        PositionContactOptions o;
        o.h = 0.01, o.relaxation = 0.9, o.friction = friction, o.de_saxce = de_saxce, o.compliance = 1e-5, o.damping_time = 0.002;
        Touching one, four, plain;
        ContactPack pack, without;
        ASSERT_TRUE(pack_contacts(o, four.state(), kTouchingPoints, four.all, pack));
        ASSERT_TRUE(pack_contacts(o, plain.state(), kTouchingPoints, plain.all, without));
        EXPECT_EQ(pack.singles.size(), std::size_t(kContacts / 5)); // those of five points
        without.avx2 = false;
        const ParallelPtr parallel = make_parallel({.threads = 2});
        for (int k = 0; k < 4; ++k) {
            project_contacts(*parallel, o, one.state(), kTouchingPoints, one.all);
            project_contacts(*parallel, o, four.state(), kTouchingPoints, four.all, pack);
            project_contacts(*parallel, o, plain.state(), kTouchingPoints, plain.all, without);
        }
        store_forces(pack, four.all);
        store_forces(without, plain.all);
        Real largest = 0, rubbing = 0;
        for (int k = 0; k < kContacts; ++k) { // rounding of another order of the same operations; forces are about 1e4 N
            const PositionContact &a = one.all.contacts[k], &b = four.all.contacts[k], &c = plain.all.contacts[k];
            EXPECT_NEAR(a.normal, b.normal, 1e-9 * (1 + a.normal));
            EXPECT_LT((a.tangential - b.tangential).norm(), 1e-9 * (1 + a.normal));
            EXPECT_EQ(b.normal, c.normal); // with and without AVX2
            EXPECT_EQ(b.tangential, c.tangential);
            largest = std::max(largest, a.normal), rubbing = std::max(rubbing, a.tangential.norm());
        }
        EXPECT_GT(largest, 1);
        EXPECT_EQ(rubbing > 1, friction != FrictionSet::none);
        for (int i = 0; i < kTouchingPoints; ++i) {
            EXPECT_LT((vec(one.x[i]) - vec(four.x[i])).norm(), 1e-12);
            EXPECT_LT((vec(one.v[i]) - vec(four.v[i])).norm(), 1e-10);
            EXPECT_EQ(vec(four.x[i]), vec(plain.x[i]));
        }
    }
}

TEST(position_contact_batch, models_that_batches_do_not_know_are_refused) {
    Touching t;
    ContactPack pack;
    PositionContactOptions o;
    o.h = 0.01;
    for (FrictionSet friction : {FrictionSet::box, FrictionSet::single}) {
        o.friction = friction;
        EXPECT_FALSE(pack_contacts(o, t.state(), kTouchingPoints, t.all, pack));
    }
    o.friction = FrictionSet::cylinder;
    o.sequential = true;
    EXPECT_FALSE(pack_contacts(o, t.state(), kTouchingPoints, t.all, pack));
}
