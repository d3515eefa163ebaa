// The gather against a plain loop over elements, and its independence of the number of threads.
#include "energy/assemble.h"
#include "energy/list.h"
#include "energy/spring.h"
#include "model/builder.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

// a random cloud of points with random springs, drag and gravity
ModelBuilder cloud_of_springs(int points, int springs) {
    ModelBuilder b;
    begin_object(b, "cloud", "particles");
    Rng rng{5, 0, 0};
    std::vector<Real3> x(points);
    for (Real3& a : x) a = real3(draw_vec(rng, -1, 1));
    const std::vector<Real> mass(points, 0.5);
    add_points(b, x, mass);
    for (Real3& a : b.state.point.v) a = real3(draw_vec(rng, -1, 1));
    const auto& spring = *find_energy("spring");
    const Spring::Params stiff{100, 3};
    for (int i = 0; i < springs; ++i) {
        const int a = draw_int(rng, points), c = (a + 1 + draw_int(rng, points - 1)) % points;
        add_energy(b, spring, &stiff, std::array<int, 2>{a, c});
    }
    const auto& gravity = *find_energy("gravity");
    const auto params = gravity.make_params();
    for (int i = 0; i < points; ++i) add_energy(b, gravity, params.get(), std::array<int, 1>{i});
    for (Real3& a : b.state.point.x) vec(a) += draw_vec(rng, -0.1, 0.1);
    finish_model(b);
    return b;
}

Evaluation evaluation_of_points(const State& s) {
    Evaluation ev;
    ev.x = s.point.x.data();
    ev.v = s.point.v.data();
    return ev;
}

} // namespace

TEST(assemble, gather_equals_a_plain_loop_bit_for_bit) {
    const ModelBuilder b = cloud_of_springs(300, 5000);
    const Dofs dofs = dofs_of(b.model);
    const auto parallel = make_parallel({.threads = 2});
    ElementSet set;
    collect_elements(*b.model.elements, set);
    for (View view : {kValue, kForce}) {
        Gather gather;
        build_gather(set, dofs, view, gather);
        std::vector<Real> got(dofs.size(), 0), wanted(dofs.size(), 0);
        if (view == kValue) add_gradient(*parallel, set, dofs, evaluation_of_points(b.state), gather, got);
        else add_force(*parallel, set, dofs, evaluation_of_points(b.state), gather, got);
        for (const Table* t : set.tables) {
            if (!(t->row->views & view)) continue;
            std::vector<Real> local(t->row->dofs);
            for (int e = 0; e < t->count(); ++e) {
                (view == kValue ? t->row->gradient : t->row->force)(*t, evaluation_of_points(b.state), e, e + 1, local.data());
                for (int i = 0; i < t->row->points; ++i)
                    for (int k = 0; k < 3; ++k) wanted[3 * t->stencil[e * t->row->stencil + i] + k] += local[3 * i + k];
            }
        }
        EXPECT_EQ(got, wanted);
    }
}

TEST(assemble, energy_and_gradient_have_the_same_bits_for_any_thread_count) {
    const ModelBuilder b = cloud_of_springs(2000, 40000);
    const Dofs dofs = dofs_of(b.model);
    ElementSet set;
    collect_elements(*b.model.elements, set);
    Gather gather;
    build_gather(set, dofs, kValue, gather);
    std::vector<Real> first;
    Real first_energy = 0;
    for (int threads : {1, 2, 3, 8}) {
        const auto parallel = make_parallel({.threads = threads});
        std::vector<Real> g(dofs.size(), 0), partial;
        add_gradient(*parallel, set, dofs, evaluation_of_points(b.state), gather, g);
        const Real energy = total_energy(*parallel, set, evaluation_of_points(b.state), partial);
        if (threads == 1) first = g, first_energy = energy;
        EXPECT_EQ(g, first) << threads;
        EXPECT_EQ(energy, first_energy) << threads;
    }
}
