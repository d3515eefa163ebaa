// Bending (spec T 8.2): closed-form derivatives against automatic differentiation, half-hinge assembly against the sum of
// elements, invariances, calibration by rolled plates, barrier, viscosity, orthotropy, degenerate triangles.
#include "../../bench/generated/hinge_symbolic.h"
#include "core/random.h"
#include "dense.h"
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
#include <cstring>
#include <gtest/gtest.h>
#include <map>

using namespace sinew;

namespace {

// a sheet of n x n cells, curved in both directions, as hinge elements
struct Sheet {
    std::vector<Real3> x;
    Table table;
    HingeMesh mesh;
    BlockSparse plain, fast;
    std::vector<Real> plain_gradient, fast_gradient;
};
Sheet make_sheet(int n, const Parallel& parallel) {
    Sheet s;
    const PolygonMesh grid = make_grid(n, n, 1, 1);
    const auto triangles = triangulate(grid).triangles;
    Rng rng{11, 3, 0};
    std::vector<Real3> rest;
    for (const Real3& p : grid.positions) {
        rest.push_back(p);
        s.x.push_back({p.x + 0.1 / n * draw_uniform(rng, -1, 1), 0.2 * std::sin(7 * p.x + 4 * p.z) + 0.1 / n * draw_uniform(rng, -1, 1),
                       p.z + 0.1 / n * draw_uniform(rng, -1, 1)});
    }
    s.table.row = find_energy("hinge_tan");
    std::map<std::pair<int, int>, std::array<int, 3>> first; // by ends: apex, from, to
    HingeParams p;
    for (const auto& t : triangles)
        for (int i = 0; i < 3; ++i) {
            const int apex = t[i], a = t[(i + 1) % 3], b = t[(i + 2) % 3];
            const auto [at, is_new] = first.try_emplace(std::minmax(a, b), std::array<int, 3>{apex, a, b});
            if (is_new) continue;
            const std::array<int, 4> stencil{at->second[0], at->second[1], at->second[2], apex};
            std::array<Real3, 4> view;
            for (int k = 0; k < 4; ++k) view[k] = rest[stencil[k]];
            add_element(s.table, &p, stencil, {view, {}, {}, {}}, 0);
        }
    // sum of elements, and the mesh at once
    Evaluation ev;
    ev.x = s.x.data();
    ElementSet set;
    set.tables = {&s.table};
    Dofs dofs;
    dofs.points = int(s.x.size());
    BlockPattern pattern;
    HessianPlan plan;
    EXPECT_TRUE(build_hessian_pattern(set, {}, dofs, pattern));
    EXPECT_TRUE(build_hessian_plan(set, dofs, pattern, plan, HingeSums::per_element));
    s.plain = make_block_sparse(pattern);
    s.fast = make_block_sparse(pattern);
    compute_hessian(parallel, set, ev, {Projection::none}, plan, s.plain);
    Gather gather;
    build_gather(set, dofs, kValue, gather);
    s.plain_gradient.assign(3 * s.x.size(), 0.0);
    add_gradient(parallel, set, dofs, ev, gather, s.plain_gradient);
    GatherPlan hinge_plan;
    EXPECT_TRUE(build_hinge_mesh(s.table.stencil, s.mesh));
    EXPECT_TRUE(build_hinge_plan(s.mesh, pattern, hinge_plan));
    compute_hinge_shapes(parallel, s.x.data(), s.mesh);
    compute_hinge_terms<HingeTan>(parallel, reinterpret_cast<const HingeTan::Data*>(s.table.data.data()), {}, s.table.stencil, s.mesh);
    compute_hinge_gradients(parallel, s.mesh);
    std::vector<Real> blocks(s.mesh.value_count);
    compute_hinge_blocks(parallel, Projection::none, s.mesh, blocks.data());
    gather_elements(parallel, hinge_plan, blocks, s.fast);
    s.fast_gradient.assign(3 * s.x.size(), 0.0);
    for (std::size_t h = 0; h < s.mesh.edges.size(); ++h)
        for (int k = 0; k < 4; ++k)
            for (int c = 0; c < 3; ++c) s.fast_gradient[3 * s.table.stencil[4 * h + k] + c] += s.mesh.gradient[12 * h + 3 * k + c];
    return s;
}

// energy per area of an equilateral mesh (edge l) rolled on a cylinder of curvature k about an axis at `angle`: three hinges
// per vertex, each of the area sqrt(3)/2 l^2
template <class L> Real rolled_density(Real l, Real k, Real angle, const HingeParams& p) {
    const auto rolled = [&](const Vec2& a) {
        const Vec2 along(std::cos(angle), std::sin(angle)), across(-along[1], along[0]);
        const Real u = a.dot(across), v = a.dot(along);
        return Vec3(std::sin(k * u) / k, (std::cos(k * u) - 1) / k, v);
    };
    Real sum = 0;
    for (int d = 0; d < 3; ++d) {
        const Real t = d * kPi / 3;
        const Vec2 e(std::cos(t), std::sin(t)), up(-e[1], e[0]);
        const std::array<Vec2, 4> flat{0.5 * l * e + std::sqrt(0.75) * l * up, Vec2(0, 0), l * e, 0.5 * l * e - std::sqrt(0.75) * l * up};
        std::array<Real3, 4> rest;
        Stencil<4> s;
        for (int i = 0; i < 4; ++i) {
            rest[i] = {flat[i][0], 0, flat[i][1]};
            s.x[i] = rolled(flat[i]);
        }
        sum += L::template eval<0>(L::prepare(p, {rest, {}, {}, {}}), {}, s).value;
    }
    return sum / (std::sqrt(0.75) * l * l);
}

} // namespace

TEST(hinge, gradient_and_hessian_of_the_angle_equal_automatic_differentiation) {
    Rng rng{5, 1, 0};
    for (int k = 0; k < 200; ++k) {
        const Stencil<4> s = HingeTheta::sample(rng, k % 4).at;
        const Hinge h = make_hinge(s.x);
        const Jet<12> jet = angle(make_variables<4>(s.x));
        EXPECT_NEAR(full_angle(h.half), jet.value, 1e-14);
        const MatN<12> hessian = hinge_hessian(h), reference = hessian_of(jet);
        EXPECT_LT((hinge_gradient(h) - gradient_of(jet)).norm(), 1e-14 * gradient_of(jet).norm());
        // thin triangles lose digits in the differentiated formula: cancellation of their area, 30 times here
        EXPECT_LT((hessian - reference).norm(), (k % 4 == 3 ? 1e-12 : 3e-14) * reference.norm()) << "kind " << k % 4;
    }
}

TEST(hinge, computer_algebra_gives_the_same_gradient_and_hessian) {
    Rng rng{6, 1, 0};
    for (int k = 0; k < 60; ++k) {
        const Sample<HingeTan> sample = HingeTan::sample(rng, k % 3);
        const auto local = HingeTan::eval<2>(sample.data, {}, sample.at);
        const Psi psi = HingeTan::psi(sample.data, {}, make_hinge(sample.at.x).half);
        VecN<12> g;
        MatN<12> h;
        bench::hinge_symbolic(sample.at.x[0].data(), [&](Real, Real) { return std::pair{psi.d, psi.dd}; }, g.data(), h.data());
        EXPECT_LT((g - local.gradient).norm(), 1e-13 * local.gradient.norm());
        EXPECT_LT((h - local.hessian).norm(), 1e-12 * local.hessian.norm()); // cancellation in the long sums
    }
}

TEST(hinge, constant_lengths_after_baraff_and_witkin_give_the_gradient_of_a_flat_hinge_only) {
    // sine and cosine of the angle with the lengths of normals and edge as constants of the moment
    const auto frozen = [](const std::array<Vec3, 4>& x0) {
        const auto x = make_variables<4>(x0);
        using V = VecOf<Jet<12>>;
        const Real edge = (x0[2] - x0[1]).norm(), upper = (x0[1] - x0[0]).cross(x0[2] - x0[0]).norm(),
                   lower = (x0[2] - x0[3]).cross(x0[1] - x0[3]).norm();
        const V e = x[2] - x[1], n = (x[1] - x[0]).cross(x[2] - x[0]), m = (x[2] - x[3]).cross(x[1] - x[3]);
        return atan2(Jet<12>(n.cross(m).dot(e) / (edge * upper * lower)), Jet<12>(n.dot(m) / (upper * lower)));
    };
    for (Real fold : {0.0, 0.5, 1.5}) {
        const Stencil<4> s = folded_hinge(fold);
        const Hinge h = make_hinge(s.x);
        const Jet<12> jet = frozen(s.x);
        EXPECT_NEAR(jet.value, fold, 1e-14);
        const Real gradient = (gradient_of(jet) - hinge_gradient(h)).norm() / hinge_gradient(h).norm();
        if (fold == 0) { EXPECT_LT(gradient, 1e-14); }
        else EXPECT_GT(gradient, 0.02); // wrong forces: the approximation is for the matrix alone
        const Real hessian = (hessian_of(jet) - hinge_hessian(h)).norm() / hinge_hessian(h).norm();
        EXPECT_GT(hessian, 0.05);
    }
}

TEST(hinge, angle_is_that_of_the_fold_with_its_sign) {
    for (Real a : {-3.0, -1.5, -0.2, 0.0, 1e-9, 0.7, 2.9}) {
        EXPECT_NEAR(full_angle(make_hinge(folded_hinge(a).x).half), a, 1e-14);
    }
}

TEST(hinge_mesh, half_hinges_per_triangle_equal_the_sum_of_elements) {
    const auto parallel = make_parallel({.threads = 2});
    Sheet s = make_sheet(12, *parallel);
    ASSERT_EQ(s.mesh.edges.size(), std::size_t(s.table.count()));
    EXPECT_EQ(s.mesh.triangles.size(), 288u);
    Real difference = 0;
    const int n = 3 * int(s.x.size());
    const MatX plain = dense_matrix(s.plain, n), fast = dense_matrix(s.fast, n);
    difference = (plain - fast).norm() / plain.norm();
    EXPECT_LE(difference, 5 * std::ldexp(1.0, -53)) << difference / std::ldexp(1.0, -53) << " units of 2^-53";
    for (std::size_t i = 0; i < s.plain_gradient.size(); ++i) EXPECT_NEAR(s.plain_gradient[i], s.fast_gradient[i], 1e-19);
    // diagonal blocks become symmetric when both neighbours are in
    EXPECT_LT((fast - fast.transpose()).norm(), 1e-15 * fast.norm());
    // projected: positive semi-definite and equal to the sum of projected elements
    ElementSet set;
    set.tables = {&s.table};
    Dofs dofs;
    dofs.points = int(s.x.size());
    HessianPlan plan;
    GatherPlan hinge_plan;
    ASSERT_TRUE(build_hessian_plan(set, dofs, s.plain.pattern, plan, HingeSums::per_element));
    ASSERT_TRUE(build_hinge_plan(s.mesh, s.plain.pattern, hinge_plan));
    Evaluation ev;
    ev.x = s.x.data();
    compute_hessian(*parallel, set, ev, {Projection::clamp}, plan, s.plain);
    std::vector<Real> blocks(s.mesh.value_count);
    compute_hinge_blocks(*parallel, Projection::clamp, s.mesh, blocks.data());
    gather_elements(*parallel, hinge_plan, blocks, s.fast);
    EXPECT_LT((dense_matrix(s.plain, n) - dense_matrix(s.fast, n)).norm(), 1e-15 * dense_matrix(s.plain, n).norm());
}

TEST(hinge_mesh, blocks_have_the_same_bits_with_and_without_wide_instructions) {
    const auto parallel = make_parallel({.threads = 2});
    Sheet s = make_sheet(20, *parallel); // more triangles than a chunk
    for (Projection how : {Projection::none, Projection::clamp}) {
        std::vector<Real> wide(s.mesh.value_count, -1), plain(s.mesh.value_count, -2);
        compute_hinge_blocks(*parallel, how, s.mesh, wide.data(), has_avx2());
        compute_hinge_blocks(*parallel, how, s.mesh, plain.data(), false);
        EXPECT_EQ(std::memcmp(wide.data(), plain.data(), sizeof(Real) * wide.size()), 0);
    }
}

TEST(hinge_mesh, matrix_of_the_solvers_is_that_of_the_elements_for_every_law) {
    const auto parallel = make_parallel({.threads = 2});
    for (const char* law : {"hinge_bridson", "hinge_tan", "hinge_theta", "hinge_willmore"}) {
        Sheet s = make_sheet(5, *parallel);
        Table hinges, springs; // springs first and last: plans are merged between others
        hinges.row = find_energy(law);
        springs.row = find_energy("spring");
        HingeParams p;
        p.damping = 0.1;
        std::vector<Real3> before;
        for (const Real3& x : s.x) before.push_back({x.x, 0.9 * x.y, x.z});
        for (int e = 0; e < s.table.count(); ++e) {
            const std::span<const int> stencil{s.table.stencil.data() + 4 * e, 4};
            std::array<Real3, 4> view;
            for (int k = 0; k < 4; ++k) view[k] = {s.x[stencil[k]].x, 0, s.x[stencil[k]].z};
            add_element(hinges, &p, stencil, {view, {}, {}, {}}, 0);
            const auto params = springs.row->make_params();
            add_element(springs, params.get(), stencil.first(2), {std::span<const Real3>(view).first(2), {}, {}, {}}, 0);
        }
        ElementSet set;
        set.tables = {&springs, &hinges, &springs};
        Dofs dofs;
        dofs.points = int(s.x.size());
        Evaluation ev;
        ev.x = s.x.data(), ev.v = s.x.data(), ev.x_now = before.data();
        ev.dt = ev.elapsed = 0.01;
        HessianPlan by_element, by_triangle;
        ASSERT_TRUE(build_hessian_plan(set, dofs, s.plain.pattern, by_element, HingeSums::per_element));
        ASSERT_TRUE(build_hessian_plan(set, dofs, s.plain.pattern, by_triangle));
        ASSERT_TRUE(by_triangle.hinges[1].mesh);
        std::vector<Real> direction, partial;
        for (int i = 0; i < dofs.size(); ++i) direction.push_back(std::sin(0.3 * i));
        for (int mode = 0; mode < 5; ++mode) {
            const Projection how[] = {Projection::none, Projection::clamp, Projection::gauss_newton, Projection::absolute, Projection::clamp};
            const HessianTerms terms{how[mode], true, 1, 100, mode == 4};
            compute_hessian(*parallel, set, ev, terms, by_element, s.plain);
            compute_hessian(*parallel, set, ev, terms, by_triangle, s.fast);
            const MatX plain = dense_matrix(s.plain, dofs.size()), fast = dense_matrix(s.fast, dofs.size());
            EXPECT_LT((plain - fast).norm(), 1e-14 * plain.norm()) << law << " mode " << mode; // sums in another order
            if (mode > 0) { EXPECT_GT(eigenvalues_of(fast)[0], -1e-14 * fast.norm()); }
            const Real a = hessian_form(*parallel, set, dofs, ev, terms, direction, by_element, partial);
            const Real b = hessian_form(*parallel, set, dofs, ev, terms, direction, by_triangle, partial);
            EXPECT_NEAR(a, b, 1e-12 * std::abs(a)) << law << " mode " << mode;
        }
        // what stands still because a point is dead pushes nowhere
        std::vector<std::uint8_t> alive(s.x.size(), 1);
        alive[8] = 0;
        ev.alive = alive.data();
        compute_hessian(*parallel, set, ev, {Projection::none}, by_element, s.plain);
        compute_hessian(*parallel, set, ev, {Projection::none}, by_triangle, s.fast);
        EXPECT_LT((dense_matrix(s.plain, dofs.size()) - dense_matrix(s.fast, dofs.size())).norm(), 1e-14 * dense_matrix(s.plain, dofs.size()).norm());
    }
}

// What `eigen` and `absolute` mean for one element, and that clamp of a hinge is neither: psi' Hess theta is left out there.
TEST(hinge, eigenvalues_of_the_whole_element_are_projected_where_asked) {
    const auto parallel = make_parallel({.threads = 1});
    Rng rng{11, 2, 0};
    int differ = 0;
    for (int k = 0; k < 30; ++k) {
        const Sample<HingeTheta> sample = HingeTheta::sample(rng, k % 3);
        Table t;
        t.row = find_energy("hinge_theta");
        t.stencil = {0, 1, 2, 3}, t.object = {0};
        const std::byte* bytes = reinterpret_cast<const std::byte*>(&sample.data);
        t.data.assign(bytes, bytes + sizeof(sample.data));
        std::array<Real3, 4> x;
        for (int i = 0; i < 4; ++i) x[i] = real3(sample.at.x[i]);
        const ElementSet set{{&t}};
        Dofs dofs;
        dofs.points = 4;
        Evaluation ev;
        ev.x = x.data();
        BlockPattern pattern;
        HessianPlan plan;
        ASSERT_TRUE(build_hessian_pattern(set, {}, dofs, pattern));
        ASSERT_TRUE(build_hessian_plan(set, dofs, pattern, plan));
        BlockSparse matrix = make_block_sparse(pattern);
        const auto projected = [&](Projection how, bool eigen) {
            compute_hessian(*parallel, set, ev, {how, true, 0, 0, eigen}, plan, matrix);
            return dense_matrix(matrix, 12);
        };
        const MatX raw = projected(Projection::none, false);
        const EigenSystem system = eigen_system(raw);
        EXPECT_LT((projected(Projection::clamp, true) - system.with(system.values.cwiseMax(0))).norm(), 1e-12 * raw.norm());
        EXPECT_LT((projected(Projection::absolute, false) - system.with(system.values.cwiseAbs())).norm(), 1e-12 * raw.norm());
        differ += (projected(Projection::clamp, false) - projected(Projection::clamp, true)).norm() > 1e-3 * raw.norm();
    }
    EXPECT_GT(differ, 15);
}

TEST(hinge_mesh, knows_translations_and_rotations) {
    const auto parallel = make_parallel({.threads = 1});
    const Sheet s = make_sheet(6, *parallel);
    const int n = 3 * int(s.x.size());
    const MatX h = dense_matrix(s.fast, n);
    VecX shift(n), turn(n), turned(n);
    const Vec3 a(0.3, -1, 0.5), w(0.2, 0.7, -0.4);
    for (std::size_t i = 0; i < s.x.size(); ++i) {
        shift.segment<3>(3 * i) = a;
        turn.segment<3>(3 * i) = w.cross(vec(s.x[i]));
        turned.segment<3>(3 * i) = w.cross(Eigen::Map<const Vec3>(s.fast_gradient.data() + 3 * i));
    }
    EXPECT_LT((h * shift).norm(), 1e-13 * h.norm());
    EXPECT_LT((h * turn - turned).norm(), 1e-13 * h.norm()); // a turned sheet has turned forces
}

TEST(hinge_mesh, refuses_meshes_whose_orientation_or_edges_are_not_simple) {
    HingeMesh mesh;
    // the second pair has the triangle (0, 1, 2) the other way round
    EXPECT_FALSE(build_hinge_mesh(std::vector<int>{0, 1, 2, 3, 1, 0, 2, 4}, mesh));
    // an edge with three triangles
    EXPECT_FALSE(build_hinge_mesh(std::vector<int>{0, 1, 2, 3, 0, 1, 2, 4}, mesh));
    EXPECT_TRUE(build_hinge_mesh({}, mesh));
}

TEST(hinge, rolled_plate_has_the_energy_of_its_rigidity) {
    HingeParams p;
    p.stiffness = 2.5;
    const Real l = 1e-3, k = 1; // the error is of the order (k l)^2
    for (Real angle : {0.0, 0.3, 0.9, 1.4}) {
        EXPECT_NEAR(rolled_density<HingeTheta>(l, k, angle, p) / (0.5 * 2.5 * k * k), 1, 1e-5);
        EXPECT_NEAR(rolled_density<HingeTan>(l, k, angle, p) / (0.5 * 2.5 * k * k), 1, 1e-5);
        EXPECT_NEAR(rolled_density<HingeWillmore>(l, k, angle, p) / (0.5 * 2.5 * k * k), 1, 1e-5);
        // 1 - cos loses digits: theta^2/8 ~ 1e-7 against 1
        EXPECT_NEAR(rolled_density<HingeBridson>(l, k, angle, p) / (0.5 * 2.5 * k * k), 1, 1e-4);
    }
    p.coefficient = 3; // as published: three times the plate
    EXPECT_NEAR(rolled_density<HingeTan>(l, k, 0.3, p) / (0.5 * 2.5 * k * k), 3, 3e-5);
}

TEST(hinge, bending_along_warp_and_weft_has_their_rigidities) {
    HingeParams p;
    p.stiffness = 4, p.stiffness_weft = 1;
    const auto rigidity = [&](Real angle) { // of an edge in this direction from the warp: it bends across itself
        return edge_rigidity(p, Vec3(std::cos(angle), 0, std::sin(angle)), Vec3::UnitY());
    };
    EXPECT_NEAR(rigidity(kPi / 2), 4, 1e-12);
    EXPECT_NEAR(rigidity(0), 1, 1e-12);
    EXPECT_NEAR(rigidity(kPi / 4), 0.25 * (4 + 1 + 2 * 2), 1e-12); // Huber: H = sqrt(4 1)
    p.twist = 5;
    EXPECT_NEAR(rigidity(kPi / 4), 0.25 * (4 + 1 + 2 * 5), 1e-12);
    // isotropic: the same in every direction
    p.stiffness_weft = -1, p.twist = -1;
    for (Real a : {0.1, 0.7, 1.3}) EXPECT_NEAR(rigidity(a), 4, 1e-12);
}

TEST(hinge_tan, force_grows_without_bound_as_the_fold_closes) {
    const auto d = flat_hinge_data<HingeTan>();
    Real last = 0;
    for (Real gap : {1e-1, 1e-2, 1e-3, 1e-4}) {
        const Real f = HingeTan::eval<1>(d, {}, folded_hinge(kPi - gap)).gradient.norm();
        EXPECT_GT(f, 500 * last); // psi' ~ 16 k a/gap^3
        last = f;
    }
    // whereas the angle's own square stays bounded
    EXPECT_LT(HingeTheta::eval<1>(flat_hinge_data<HingeTheta>(), {}, folded_hinge(kPi - 1e-4)).gradient.norm(), 1e-4);
}

TEST(hinge, viscosity_resists_bending_rates_and_not_rigid_motion) {
    HingeParams p;
    p.stiffness = 3, p.damping = 0.2;
    const auto d = flat_hinge_data<HingeTan>(p);
    HingeParams dry = p;
    dry.damping = 0;
    const auto elastic = flat_hinge_data<HingeTan>(dry);
    const Stencil<4> start = folded_hinge(0.5);
    std::array<Real3, 4> now;
    for (int i = 0; i < 4; ++i) now[i] = real3(start.x[i]);
    const std::array<int, 4> stencil{0, 1, 2, 3};
    StepContext c;
    c.elapsed = 0.01;
    c.x_now = now.data();
    c.stencil = stencil.data();
    // turned and shifted: only the elastic force
    Stencil<4> moved = start;
    for (Vec3& x : moved.x) x = exp_rotation(Vec3(1, 0.3, -0.5)) * x + Vec3(1, 2, 3);
    EXPECT_LT((HingeTan::eval<1>(d, c, moved).gradient - HingeTan::eval<1>(elastic, c, moved).gradient).norm(), 1e-11);
    // both at once are the sum of the two: the viscous part is a hinge at rest where the step began
    const Stencil<4> s = folded_hinge(0.8);
    auto viscous = elastic;
    viscous.stiffness = d.damping / c.elapsed;
    viscous.rest = HingeTan::phi(make_hinge(start.x).half).value;
    const auto both = HingeTan::eval<2>(d, c, s), a = HingeTan::eval<2>(elastic, c, s), b = HingeTan::eval<2>(viscous, c, s);
    EXPECT_NEAR(both.value, a.value + b.value, 1e-12 * both.value);
    EXPECT_LT((both.gradient - a.gradient - b.gradient).norm(), 1e-12 * both.gradient.norm());
    EXPECT_LT((both.hessian - a.hessian - b.hessian).norm(), 1e-12 * both.hessian.norm());
    // outside of an implicit step a force that takes energy
    Rng rng{9, 9, 0};
    Stencil<4> moving = s;
    for (int k = 0; k < 50; ++k) {
        VecN<12> v;
        for (int i = 0; i < 4; ++i) v.segment<3>(3 * i) = moving.v[i] = draw_vec(rng, -1, 1);
        EXPECT_LE(HingeTan::force<0>(d, {}, moving).force.dot(v), 1e-14);
    }
}

TEST(hinge, triangles_without_area_push_nowhere) {
    Stencil<4> apex = folded_hinge(0.4), edge = folded_hinge(0.4);
    apex.x[0] = Vec3(0.3, 0, 0); // on the shared edge
    edge.x[2] = edge.x[1];       // no shared edge
    for (const Stencil<4>& s : {apex, edge}) {
        const auto e = HingeTan::eval<2>(flat_hinge_data<HingeTan>(), {}, s);
        EXPECT_EQ(e.value, 0);
        EXPECT_EQ(e.gradient.norm(), 0);
        EXPECT_EQ(e.hessian.norm(), 0);
    }
    // and at rest: no stiffness rather than infinite
    const std::array<Real3, 4> rest{real3(apex.x[0]), real3(apex.x[1]), real3(apex.x[2]), real3(apex.x[3])};
    EXPECT_EQ(HingeTan::prepare({}, {rest, {}, {}, {}}).stiffness, 0);
}
