// Contacts in batches against contacts one by one.
#include "collision/detect.h"
#include "core/random.h"
#include "model/stencil.h"
#include "model/surface.h"
#include "physics/simulation.h"
#include "solver/position_contact_batch.h"
#include "solver/position_problem.h"

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

namespace {

const char* kClothOnSphere = R"({ "sinew": 1, "time": { "fps": 60, "substeps": 1, "seconds": 0.5 },
    "objects": {
        "ball":  { "kind": "sphere", "radius": 0.5, "friction": 0.5 },
        "cloth": { "kind": "cloth_grid", "size": [1, 1], "edge": 0.05, "at": [0.05, 0.52, 0.03], "material": "cotton", "thickness": "8 mm" } },
    "solver": "position" })";
const char* kGrainsOnBox = R"({ "sinew": 1, "time": { "fps": 60, "substeps": 1, "seconds": 0.2 },
    "objects": {
        "box":   { "kind": "box", "size": [0.6, 0.2, 0.6], "at": [-0.4, -0.1, 0], "friction": 0.4 },
        "floor": { "kind": "plane", "at": [0, -0.05, 0], "rotate": { "axis": [0, 0, 1], "angle": "5 deg" }, "friction": 0.6 },
        "grains": { "kind": "particles", "shape": "grid", "size": [1.6, 0.16, 0.6], "at": [0, 0.13, 0], "spacing": 0.08, "mass": 0.002, "radius": 0.04,
                    "thickness": 0.04, "self_contact": true } },
    "solver": "position" })";

// the contacts of a scene as the solver finds them, where it has got to, and a step of free fall ahead of it
struct OnObstacles {
    State s;
    PositionProblem p;
    PositionContacts all;
    int points = 0, with_bodies = 0; // contacts with bodies

    OnObstacles(const Simulation& sim, Real h) : s(sim.now), points(point_count(sim.compiled.model)) {
        constexpr Real kMargin = 0.01;
        const Model& m = sim.compiled.model;
        const ParallelPtr parallel = make_parallel({.threads = 1});
        refresh_masses(m, s, p);
        refresh_tables(m, p);
        refresh_inertias(m, s.frame, p);
        std::vector<Real3> surface(m.surface.vertices.size());
        surface_positions(*parallel, m, surface_state(s), surface);
        Contacts found;
        DetectScratch obstacles;
        SurfaceScratch scratch;
        EXPECT_TRUE(detect_obstacles(*parallel, m, surface, s.point.alive, s.frame, {kMargin}, obstacles, found));
        EXPECT_TRUE(detect_surface(*parallel, m, surface, s.point.alive, {.margin = kMargin}, scratch, found));
        RowProblem bodies;
        build_bodies(m, s, bodies);
        TouchList list;
        list_touches(*parallel, m, s, found, bodies, {.dt = h, .near = kMargin}, list);
        build_position_contacts(m, s, found, list, p.held, all);
        for (const ContactSide& side : all.sides) with_bodies += side.body >= points;
        // what is held may be on its way: it carries friction along
        for (int f = 0; f < frame_count(m); ++f) s.frame.v[f] = {0.3, -0.1, 0.2}, s.frame.w[f] = {0.5, 1, -0.7};
        for (int i = 0; i < points; ++i) {
            s.point.v[i].y -= 9.81 * h;
            vec(s.point.x[i]) += h * vec(s.point.v[i]);
        }
    }
    DualState state() {
        DualState d;
        d.x = s.point.x.data(), d.v = s.point.v.data(), d.p = s.frame.p.data(), d.q = s.frame.q.data();
        d.frame_v = s.frame.v.data(), d.frame_w = s.frame.w.data();
        d.point_inverse = p.point_inverse.data(), d.frame_inverse = p.frame_inverse.data(), d.frame_inverse_inertia = p.frame_inverse_inertia.data();
        return d;
    }
};

} // namespace

TEST(position_contact_batch, contacts_with_bodies_that_nothing_moves_are_batched) {
    constexpr Real h = 1.0 / 120;
    for (const char* scene : {kClothOnSphere, kGrainsOnBox}) {
        auto sim = start(scene);
        ASSERT_TRUE(sim);
        run_to_end(*sim);
        for (const FrictionSet friction : {FrictionSet::cylinder, FrictionSet::cone}) {
            PositionContactOptions o;
            o.h = h, o.friction = friction;
            OnObstacles one(*sim, h), four(*sim, h);
            ASSERT_GT(one.with_bodies, 64);
            ContactPack pack;
            ASSERT_TRUE(pack_contacts(o, four.state(), four.points, four.all, pack));
            EXPECT_TRUE(pack.singles.empty());
            const ParallelPtr parallel = make_parallel({.threads = 2});
            for (int k = 0; k < 10; ++k) {
                project_contacts(*parallel, o, one.state(), one.points, one.all);
                project_contacts(*parallel, o, four.state(), four.points, four.all, pack);
            }
            store_forces(pack, four.all);
            // rounding of another order of sums, of places of about 1 m: 1e-16 m over h^2 of 7e-5 s^2 and 1/m, ten sweeps
            Real largest = 0, rubbing = 0;
            for (const PositionContact& c : one.all.contacts) largest = std::max(largest, c.normal), rubbing = std::max(rubbing, c.tangential.norm());
            for (std::size_t k = 0; k < one.all.contacts.size(); ++k) {
                const PositionContact &a = one.all.contacts[k], &b = four.all.contacts[k];
                EXPECT_NEAR(a.normal, b.normal, 1e-10 * largest);
                EXPECT_LT((a.tangential - b.tangential).norm(), 1e-10 * largest);
            }
            for (int i = 0; i < one.points; ++i) {
                EXPECT_LT((vec(one.s.point.x[i]) - vec(four.s.point.x[i])).norm(), 1e-13);
                EXPECT_LT((vec(one.s.point.v[i]) - vec(four.s.point.v[i])).norm(), 1e-11);
            }
            EXPECT_GT(largest, 0.001); // [N] weights are 0.003 and 0.02
            EXPECT_GT(rubbing, 0.0001);
        }
    }
}

TEST(position_contact_batch, contacts_with_bodies_that_move_go_one_by_one) {
    auto sim = start(kClothOnSphere);
    ASSERT_TRUE(sim);
    run_to_end(*sim);
    OnObstacles t(*sim, 0.01);
    t.p.frame_inverse[0] = 1;
    PositionContactOptions o;
    o.h = 0.01;
    ContactPack pack;
    ASSERT_TRUE(pack_contacts(o, t.state(), t.points, t.all, pack));
    EXPECT_EQ(int(pack.singles.size()), t.with_bodies);
}
