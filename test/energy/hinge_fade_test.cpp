// Bending of triangles that collapse (spec T28, 3.3.9): what has a limit as the shared edge vanishes, the fade that gives one to the rest,
// its derivatives against automatic differentiation, and the assembly per triangle with it.
#include "core/random.h"
#include "energy/assemble_hessian.h"
#include "energy/hinge_bridson.h"
#include "energy/hinge_mesh.h"
#include "energy/hinge_tan.h"
#include "energy/hinge_theta.h"
#include "energy/hinge_willmore.h"
#include "energy/hinge_angle.h"
#include "energy/list.h"
#include "geometry/generate.h"
#include "geometry/triangulate.h"
#include "scene/shell.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

// a generic fold whose shared edge is `r` times as long, about its middle, or whose upper apex is `r` times as high
Stencil<4> collapsed_edge(Real r) {
    Stencil<4> s = folded_hinge(0.7);
    const Vec3 middle(0.55, 0.02, -0.01), along = Vec3(1, 0.1, 0.2).normalized();
    s.x[0] = Vec3(0.9, 0.8, 0.1); // feet of both apexes well outside of what is left of the edge
    s.x[1] = middle - 0.5 * r * along, s.x[2] = middle + 0.5 * r * along;
    return s;
}
Stencil<4> collapsed_apex(Real r) {
    Stencil<4> s = folded_hinge(0.7);
    s.x[0] = Vec3(0.4, 0.9 * r, 0);
    return s;
}
// E = k a (theta - rest)^2 s s~, written down once more for automatic differentiation
Jet<12> faded_theta(const HingeTheta::Data& d, const std::array<Vec3, 4>& at) {
    const auto x = make_variables<4>(at);
    const auto fade = [&](int a, int b, int c, Real area2) {
        const VecOf<Jet<12>> n = (x[b] - x[a]).cross(x[c] - x[a]);
        const Jet<12> left = Jet<12>(1.0) - Jet<12>(n.dot(n)) / (area2 * area2);
        return left > Jet<12>(0.0) ? Jet<12>(1.0) - left * left * left : Jet<12>(1.0);
    };
    const Jet<12> u = angle(x) - Jet<12>(d.rest);
    return u * u * d.stiffness * fade(0, 1, 2, d.fade_upper) * fade(3, 2, 1, d.fade_lower);
}

} // namespace

// Spec T28: the source says that all terms have limits as the edge vanishes. Those of the apexes and of the edge as a whole have, those
// of its ends grow like 1/l: the edge turns faster.
TEST(hinge, gradient_of_a_vanishing_edge_has_a_limit_for_the_edge_as_a_whole_only) {
    const auto at = [](Real r) { return hinge_gradient(make_hinge(collapsed_edge(r).x)); };
    const VecN<12> a = at(1e-5), b = at(1e-7);
    EXPECT_LT((a.segment<3>(0) - b.segment<3>(0)).norm(), 1e-8);
    EXPECT_LT((a.segment<3>(9) - b.segment<3>(9)).norm(), 1e-8);
    // the sum of two opposite numbers of 1e7 keeps nine digits
    EXPECT_LT((a.segment<3>(3) + a.segment<3>(6) - b.segment<3>(3) - b.segment<3>(6)).norm(), 1e-7);
    EXPECT_NEAR(b.segment<3>(3).norm() / a.segment<3>(3).norm(), 100, 0.01);
    EXPECT_NEAR(full_angle(make_hinge(collapsed_edge(1e-5).x).half), full_angle(make_hinge(collapsed_edge(1e-9).x).half), 1e-6);
}

TEST(hinge, energy_of_collapsing_triangles_fades_with_exact_derivatives) {
    HingeParams p;
    p.stiffness = 2, p.rest_angle = 0.3;
    const auto d = flat_hinge_data<HingeTheta>(p);
    for (Real r : {8e-3, 4e-3, 1e-3})
        for (const Stencil<4>& s : {collapsed_edge(r), collapsed_apex(r)}) {
            const auto e = HingeTheta::eval<2>(d, {}, s);
            const Jet<12> jet = faded_theta(d, s.x);
            EXPECT_NEAR(e.value, jet.value, 1e-12 * jet.value);
            // 1 - (1 - u)^3 loses digits of u: 1e-16/u, u = (r/kFadePart)^2
            EXPECT_LT((e.gradient - gradient_of(jet)).norm(), 1e-11 * gradient_of(jet).norm());
            EXPECT_LT((e.hessian - hessian_of(jet)).norm(), 1e-11 * hessian_of(jet).norm());
            EXPECT_LT((e.hessian - e.hessian.transpose()).norm(), 1e-13 * e.hessian.norm());
        }
    // continuous where the fade begins, and no part of it above
    const auto plain = [&](const Stencil<4>& s) { return HingeTheta::elastic(d, {}, {full_angle(make_hinge(s.x).half), 1, 0}).value; };
    EXPECT_EQ(HingeTheta::eval<0>(d, {}, collapsed_apex(0.0101)).value, plain(collapsed_apex(0.0101)));
    EXPECT_NEAR(HingeTheta::eval<0>(d, {}, collapsed_apex(0.00999)).value / plain(collapsed_apex(0.00999)), 1, 1e-7);
}

template <class L> void check_limits() {
    HingeParams p;
    p.stiffness = 2, p.rest_angle = 0.3, p.damping = 0.1;
    const auto d = flat_hinge_data<L>(p);
    const Real size = L::template eval<2>(d, {}, folded_hinge(0.7)).hessian.norm();
    for (int which = 0; which < 2; ++which) {
        Real last = 1e300;
        for (Real r : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
            Stencil<4> s = which ? collapsed_apex(r) : collapsed_edge(r);
            for (int i = 0; i < 4; ++i) s.v[i] = Vec3(i, 1 - i * i, 2 * i);
            const auto e = L::template eval<2>(d, {}, s);
            // value like u, force like u/r, Hessian bounded by what it was at the start of the fade, about 1/kFadePart^2
            EXPECT_LT(e.value, 10 * r * r / (kFadePart * kFadePart)) << L::name;
            EXPECT_LT(e.gradient.norm(), 0.5 * last) << L::name << which;
            EXPECT_LT(e.hessian.norm(), 100 * size / (kFadePart * kFadePart)) << L::name << which;
            EXPECT_LT(L::hessian_psd(d, {}, s).norm(), 100 * size / (kFadePart * kFadePart)) << L::name << which;
            const auto f = L::template force<1>(d, {}, s);
            EXPECT_TRUE(f.force.allFinite() && f.dfdx.allFinite());
            last = e.gradient.norm();
        }
    }
}
TEST(hinge, forces_of_collapsing_triangles_go_to_zero_and_stiffness_stays_bounded_for_every_law) {
    check_limits<HingeBridson>();
    check_limits<HingeTan>();
    check_limits<HingeTheta>();
    check_limits<HingeWillmore>();
}

TEST(hinge_mesh, faded_hinges_are_those_of_the_elements) {
    const auto parallel = make_parallel({.threads = 2});
    const PolygonMesh grid = make_grid(5, 5, 1, 1);
    Rng rng{4, 4, 0};
    std::vector<Real3> x;
    for (const Real3& p : grid.positions)
        x.push_back({p.x + 0.01 * draw_uniform(rng, -1, 1), 0.2 * std::sin(7 * p.x + 4 * p.z), p.z + 0.01 * draw_uniform(rng, -1, 1)});
    const auto near = [&](int a, int b, Real part) { x[a] = real3(vec(x[b]) + part * (vec(x[a]) - vec(x[b]))); };
    near(14, 15, 0.003);                                                               // an inner edge
    x[20] = real3(0.5 * (vec(x[26]) + vec(x[27])) + 0.002 * (vec(x[20]) - vec(x[26]))); // a point next to an edge
    Table hinges;
    hinges.row = find_energy("hinge_tan");
    HingeParams p;
    for (const std::array<int, 4>& stencil : find_hinges(triangulate(grid).triangles)) {
        std::array<Real3, 4> view;
        for (int k = 0; k < 4; ++k) view[k] = grid.positions[stencil[k]];
        add_element(hinges, &p, stencil, {view, {}, {}, {}}, 0);
    }
    ElementSet set;
    set.tables = {&hinges};
    Dofs dofs;
    dofs.points = int(x.size());
    BlockPattern pattern;
    ASSERT_TRUE(build_hessian_pattern(set, {}, dofs, pattern));
    HessianPlan by_element, by_triangle;
    ASSERT_TRUE(build_hessian_plan(set, dofs, pattern, by_element, HingeSums::per_element));
    ASSERT_TRUE(build_hessian_plan(set, dofs, pattern, by_triangle));
    BlockSparse plain = make_block_sparse(pattern), fast = make_block_sparse(pattern);
    Evaluation ev;
    ev.x = x.data();
    for (Projection how : {Projection::none, Projection::clamp}) {
        compute_hessian(*parallel, set, ev, {how}, by_element, plain);
        compute_hessian(*parallel, set, ev, {how}, by_triangle, fast);
        // blocks of collapsed triangles are 1e4 times the others and cancel in part
        EXPECT_LT((dense_matrix(plain, dofs.size()) - dense_matrix(fast, dofs.size())).norm(), 1e-11 * dense_matrix(plain, dofs.size()).norm());
    }
    HingeMesh& mesh = *by_triangle.hinges[0].mesh;
    std::size_t faded = 0;
    for (const auto& chunk : mesh.faded) faded += chunk.size();
    EXPECT_GE(faded, 5u);
    // forces as well
    compute_hinge_gradients(*parallel, mesh);
    std::vector<Real> gradient(12 * hinges.count());
    hinges.row->gradient(hinges, ev, 0, hinges.count(), gradient.data());
    Real largest = 0;
    for (Real g : gradient) largest = std::max(largest, std::abs(g));
    for (std::size_t i = 0; i < gradient.size(); ++i) EXPECT_NEAR(mesh.gradient[i], gradient[i], 1e-10 * largest);
}
