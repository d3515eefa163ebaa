// Membranes of triangles against the continuum (spec T 8.2, first rows): quadratic form, moduli by direction, invariants,
// limits, patch tests, scripted rest states, viscosity.
#include "constraint/dihedral.h"
#include "constraint/tri_strain.h"
#include "dense.h"
#include "energy/hinge_theta.h"
#include "energy/tri_baraff_witkin.h"
#include "energy/tri_fung.h"
#include "energy/tri_neohookean.h"
#include "energy/tri_rubber.h"
#include "energy/tri_stvk.h"
#include "energy/tri_stvk_animated.h"
#include <Eigen/LU>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

struct Flat { // a triangle at rest in the plane y = 0
    std::array<Real3, 3> x{Real3{0.1, 0, 0.2}, Real3{1.2, 0, 0.1}, Real3{0.5, 0, 1.3}};
    RestView view() const { return {x, {}, {}, {}}; }
    Real area() const { return 0.5 * (vec(x[1]) - vec(x[0])).cross(vec(x[2]) - vec(x[0])).norm(); }
};
MembraneParams cloth() {
    MembraneParams p;
    p.young = 900;
    p.young_weft = 300;
    p.poisson = 0.35;
    p.shear = 120;
    p.thickness = 0.02;
    return p;
}
// world positions under the in-plane map f of the axes x and z, then a rotation
Stencil<3> mapped(const Flat& flat, const Mat2& f, const Quat& turn = Quat::Identity()) {
    Stencil<3> s;
    for (int i = 0; i < 3; ++i) {
        const Vec2 a = f * Vec2(flat.x[i].x, flat.x[i].z);
        s.x[i] = turn * Vec3(a[0], 0.3, a[1]);
    }
    return s;
}
// axes of the flat triangle: e_x, and normal x e_x; the normal of its corners points to -y, so the second axis is +z
Mat2 green(const Mat2& f) { return 0.5 * (f.transpose() * f - Mat2::Identity()); }
Mat2 root(const Mat2& c) {
    const EigenSystem eigen = eigen_system(c);
    return eigen.with(eigen.values.cwiseSqrt());
}
Mat2 random_map(Rng& rng) {
    Mat2 f;
    f << draw_uniform(rng, 0.6, 1.5), draw_uniform(rng, -0.5, 0.5), draw_uniform(rng, -0.5, 0.5), draw_uniform(rng, 0.6, 1.5);
    return f;
}
Real direct_density(const OrthotropicModuli& m, const Mat2& e, const Vec2& weft) {
    const Real j1 = e.trace(), j2 = (e * e).trace(), j3 = weft.dot(e * weft);
    return 0.5 * m.lambda * j1 * j1 + m.mu * j2 + m.alpha * j1 * j3 + m.beta * j3 * j3;
}
template <class E> Real energy(const typename E::Params& p, const Flat& flat, const Stencil<3>& s) {
    return E::template eval<0>(E::prepare(p, flat.view()), {}, s).value;
}
// least energy per volume of a strip strained by e along the direction t: transverse and shear strain relax
template <class E> Real relaxed_density(const typename E::Params& p, Real angle, Real e) {
    const Flat flat;
    const Vec2 t(std::cos(angle), std::sin(angle)), n(-t[1], t[0]);
    const auto w = [&](Real a, Real b) {
        const Mat2 strain = e * t * t.transpose() + a * n * n.transpose() + b * (t * n.transpose() + n * t.transpose());
        return energy<E>(p, flat, mapped(flat, root(Mat2::Identity() + 2 * strain))) / (flat.area() * p.thickness);
    };
    // Newton on a function of two numbers by differences; exact in one step where w is quadratic
    Vec2 at(0, 0);
    const Real h = 1e-3 * e;
    for (int k = 0; k < 8; ++k) {
        const auto f = [&](Real a, Real b) { return w(at[0] + a, at[1] + b); };
        const Vec2 g((f(h, 0) - f(-h, 0)) / (2 * h), (f(0, h) - f(0, -h)) / (2 * h));
        Mat2 hess;
        hess(0, 0) = (f(h, 0) - 2 * f(0, 0) + f(-h, 0)) / (h * h);
        hess(1, 1) = (f(0, h) - 2 * f(0, 0) + f(0, -h)) / (h * h);
        hess(0, 1) = hess(1, 0) = (f(h, h) - f(h, -h) - f(-h, h) + f(-h, -h)) / (4 * h * h);
        at -= hess.inverse() * g;
    }
    return w(at[0], at[1]);
}

// tri_stvk once more, through the invariants
struct Quadratic : TriOrthotropic<Quadratic> {
    struct Params : MembraneParams {};
    static std::array<Real, 6> constants(const Params& p) {
        const OrthotropicModuli m = orthotropic_moduli(p);
        return {m.lambda, m.mu, m.alpha, m.beta, 0, 0};
    }
    static Density invariants(const std::array<Real, 6>& c, const Vec3& j, int) { return quadratic_invariants(c, j); }
};

} // namespace

TEST(tri_stvk, energy_in_edge_lengths_is_the_energy_of_the_strain_tensor) {
    Rng rng{1, 7, 0};
    for (int k = 0; k < 200; ++k) {
        MembraneParams p = sample_membrane(rng);
        const Flat flat;
        const Real angle = draw_uniform(rng, 0, 2 * kPi);
        p.warp = {std::cos(angle), 0, std::sin(angle)};
        const Mat2 f = random_map(rng);
        const Real direct = direct_density(orthotropic_moduli(p), green(f), Vec2(-std::sin(angle), std::cos(angle)));
        const Real value = energy<TriStvk>(p, flat, mapped(flat, f, exp_rotation(draw_vec(rng, -1, 1))));
        // rounding of squared edges of order 1 against strains of order 1
        EXPECT_NEAR(value, direct * flat.area() * p.thickness, 1e-13 * std::max(1.0, p.young));
    }
}

TEST(tri_stvk, modulus_along_a_direction_is_that_of_the_orthotropic_plate) {
    const MembraneParams p = cloth();
    for (Real angle : {0.0, 0.3, 0.7, kPi / 4, 1.2, kPi / 2}) {
        const Real c = std::cos(angle), s = std::sin(angle), g = p.shear; // engineering modulus: 1/G (spec T, E3)
        const Real compliance = c * c * c * c / p.young + (1 / g - 2 * p.poisson / p.young) * c * c * s * s + s * s * s * s / p.young_weft;
        const Real e = 0.01;
        // differences of a quadratic are exact up to rounding: eps w/(1e-3 e)^2 w^-1 ~ 1e-6
        EXPECT_NEAR(2 * relaxed_density<TriStvk>(p, angle, e) / (e * e) * compliance, 1, 1e-6) << "angle " << angle;
    }
}

TEST(tri_stvk, four_moduli_have_the_plate_matrix_and_the_isotropic_limit) {
    const MembraneParams p = cloth();
    const Mat3 c = moduli_matrix(orthotropic_moduli(p));
    const Real eta = p.young_weft / p.young, f = p.young / (1 - eta * p.poisson * p.poisson);
    EXPECT_NEAR(c(0, 0), f, 1e-10);
    EXPECT_NEAR(c(1, 1), eta * f, 1e-10);
    EXPECT_NEAR(c(0, 1), eta * p.poisson * f, 1e-10);
    EXPECT_NEAR(c(2, 2), 4 * p.shear, 1e-10); // over the tensor shear: sigma_12 = 2 G e_12, counted twice
    MembraneParams iso;
    iso.young = 700, iso.poisson = 0.3;
    const OrthotropicModuli m = orthotropic_moduli(iso);
    EXPECT_NEAR(m.lambda, 700 * 0.3 / (1 - 0.09), 1e-10); // plane stress, not the three-dimensional constant
    EXPECT_NEAR(2 * m.mu, 700 / 1.3, 1e-10);
    EXPECT_NEAR(m.alpha, 0, 1e-10);
    EXPECT_NEAR(m.beta, 0, 1e-10);
    EXPECT_TRUE(is_admissible(p));
    MembraneParams bad = p;
    bad.young_weft = 9000;
    EXPECT_FALSE(is_admissible(bad)); // eta nu^2 = 10 * 0.35^2 > 1
}

TEST(tri_stvk, turning_rest_shape_and_warp_together_changes_nothing) {
    Rng rng{4, 4, 0};
    for (int k = 0; k < 50; ++k) {
        const MembraneParams p = sample_membrane(rng);
        const std::array<Vec3, 3> rest = sample_rest_tri(rng);
        const Stencil<3> s = sample_tri(rng, 0, rest);
        const Quat turn = exp_rotation(draw_vec(rng, -2, 2));
        MembraneParams turned = p;
        turned.warp = real3(turn * vec(p.warp));
        std::array<Real3, 3> a, b;
        for (int i = 0; i < 3; ++i) a[i] = real3(rest[i]), b[i] = real3(turn * rest[i]);
        const Real e0 = TriStvk::eval<0>(TriStvk::prepare(p, {a, {}, {}, {}}), {}, s).value;
        const Real e1 = TriStvk::eval<0>(TriStvk::prepare(turned, {b, {}, {}, {}}), {}, s).value;
        EXPECT_NEAR(e0, e1, 1e-11 * std::max(1.0, e0));
    }
}

TEST(tri_stvk, natural_invariants_give_the_same_energy) {
    Rng rng{5, 5, 0};
    for (int k = 0; k < 100; ++k) {
        const MembraneParams p = sample_membrane(rng);
        const OrthotropicModuli m = orthotropic_moduli(p);
        const Vec3 e = draw_vec(rng, -1, 1); // E11 along the warp, E22 along the weft, E12
        const Real eta = weft_ratio(p), y = p.young / (1 - eta * p.poisson * p.poisson);
        // L1 along the weft, L2 along the warp, L3 = E12^2; eps = (L2, L1, sqrt(2 L3)) (spec T, E5)
        const Vec3 eps(e[0], e[1], std::sqrt(2 * e[2] * e[2]));
        Mat3 c;
        c << y, eta * p.poisson * y, 0, eta * p.poisson * y, eta * y, 0, 0, 0, 2 * p.shear;
        const Real natural = 0.5 * eps.dot(c * eps);
        const Real j = quadratic_invariants({m.lambda, m.mu, m.alpha, m.beta, 0, 0}, strain_invariants(e)).value;
        EXPECT_NEAR(j, natural, 1e-12 * p.young);
    }
}

TEST(tri_orthotropic, law_of_invariants_gives_the_quadratic_membrane_and_its_derivatives) {
    Rng rng{6, 6, 0};
    for (int k = 0; k < 100; ++k) {
        Quadratic::Params p;
        static_cast<MembraneParams&>(p) = sample_membrane(rng);
        p.damping = 0;
        const std::array<Vec3, 3> rest = sample_rest_tri(rng);
        const std::array<Real3, 3> x{real3(rest[0]), real3(rest[1]), real3(rest[2])};
        const Stencil<3> s = sample_tri(rng, k % 4, rest);
        const auto a = Quadratic::eval<2>(Quadratic::prepare(p, {x, {}, {}, {}}), {}, s);
        const auto b = TriStvk::eval<2>(TriStvk::prepare(p, {x, {}, {}, {}}), {}, s);
        const Real scale = std::max(1.0, b.hessian.cwiseAbs().maxCoeff());
        EXPECT_NEAR(a.value, b.value, 1e-12 * scale);
        EXPECT_LT((a.gradient - b.gradient).norm(), 1e-11 * scale);
        EXPECT_LT((a.hessian - b.hessian).norm(), 1e-11 * scale);
    }
}

TEST(membranes, have_young_modulus_and_poisson_ratio_at_small_strain) {
    const Real e = 1e-3;
    const auto modulus = [&]<class E>(Real angle) {
        typename E::Params p;
        p.young = 1000, p.poisson = 0.5, p.thickness = 0.01;
        return 2 * relaxed_density<E>(p, angle, e) / (e * e);
    };
    // third derivatives of the energy: relative change of the order of the strain; Green's strain is not the stretch
    for (Real angle : {0.0, 0.8}) {
        EXPECT_NEAR((modulus.operator()<TriNeohookean>(angle)), 1000, 5);
        EXPECT_NEAR((modulus.operator()<TriRubber>(angle)), 1000, 5);
        EXPECT_NEAR((modulus.operator()<TriFung>(angle)), 1000, 5);
        EXPECT_NEAR((modulus.operator()<TriStvk>(angle)), 1000, 1e-2);
    }
    TriBaraffWitkin::Params p;
    p.young = 1000, p.young_weft = 400;
    EXPECT_NEAR(2 * relaxed_density<TriBaraffWitkin>(p, 0, e) / (e * e), 1000, 5);
    EXPECT_NEAR(2 * relaxed_density<TriBaraffWitkin>(p, kPi / 2, e) / (e * e), 400, 5);
}

TEST(tri_rubber, pulled_to_twice_its_length_stores_the_energy_of_the_incompressible_solid) {
    TriRubber::Params p;
    p.young = 3e5, p.thickness = 0.001;
    const Flat flat;
    const Real l = 2;
    Mat2 f = Mat2::Zero();
    f(0, 0) = l, f(1, 1) = 1 / std::sqrt(l); // uniaxial: width and thickness shrink alike
    const Real exact = 0.5 * 1e5 * (l * l + 2 / l - 3) * flat.area() * p.thickness;
    EXPECT_NEAR(energy<TriRubber>(p, flat, mapped(flat, f)), exact, 1e-12 * exact);
    // and that width carries no transverse force: the derivative along it vanishes
    const auto w = [&](Real width) {
        Mat2 g = f;
        g(1, 1) = width;
        return energy<TriRubber>(p, flat, mapped(flat, g));
    };
    const Real h = 1e-5;
    EXPECT_NEAR((w(f(1, 1) + h) - w(f(1, 1) - h)) / (2 * h), 0, 1e-6 * exact);
}

TEST(tri_fung, stiffens_with_the_exponential_of_the_quadratic_energy) {
    TriFung::Params p;
    p.young = 1000, p.poisson = 0, p.thickness = 0.01, p.stiffening = 0.1;
    const Flat flat;
    Mat2 f = Mat2::Identity();
    f(0, 0) = std::sqrt(1 + 2 * 0.1); // Green's strain 0.1 along the warp: Q = c
    const Real exact = 0.5 * 1000 * 0.01 * (std::exp(1) - 1) * flat.area() * p.thickness;
    EXPECT_NEAR(energy<TriFung>(p, flat, mapped(flat, f)), exact, 1e-12 * exact);
}

TEST(membranes, patch_of_uneven_triangles_under_a_uniform_strain_has_no_force_inside) {
    // five points: a square's corners and an uneven inner point
    const std::array<Real3, 5> x{Real3{0, 0, 0}, Real3{1, 0, 0}, Real3{1, 0, 1}, Real3{0, 0, 1}, Real3{0.37, 0, 0.61}};
    const int tri[4][3] = {{0, 4, 1}, {1, 4, 2}, {2, 4, 3}, {3, 4, 0}};
    Mat2 f;
    f << 1.2, 0.15, -0.1, 0.9;
    const Quat turn = exp_rotation(Vec3(0.4, -0.9, 0.2));
    const auto inner_force = [&]<class E>() {
        typename E::Params p;
        static_cast<MembraneParams&>(p) = cloth();
        Vec3 sum = Vec3::Zero();
        Real size = 0;
        for (const auto& t : tri) {
            const std::array<Real3, 3> rest{x[t[0]], x[t[1]], x[t[2]]};
            Flat flat{rest};
            const VecN<9> g = E::template eval<1>(E::prepare(p, {rest, {}, {}, {}}), {}, mapped(flat, f, turn)).gradient;
            sum += g.template segment<3>(3);
            size = std::max(size, g.norm());
        }
        return sum.norm() / size;
    };
    EXPECT_LT(inner_force.operator()<TriStvk>(), 1e-14);
    EXPECT_LT(inner_force.operator()<TriBaraffWitkin>(), 1e-14);
    EXPECT_LT(inner_force.operator()<TriNeohookean>(), 1e-14);
    EXPECT_LT(inner_force.operator()<TriRubber>(), 1e-14);
    EXPECT_LT(inner_force.operator()<TriFung>(), 1e-13); // the exponential of 30 makes ten times as much of rounding
}

TEST(membranes, collapsed_triangles_stay_finite_or_are_infinitely_costly) {
    const Flat flat;
    Stencil<3> line, point;
    for (int i = 0; i < 3; ++i) line.x[i] = Vec3(i, 0, 0), point.x[i] = Vec3(1, 2, 3);
    const auto is_finite = [&]<class E>(const Stencil<3>& s) {
        const auto d = E::prepare(typename E::Params{}, flat.view());
        return E::template eval<2>(d, {}, s).hessian.allFinite() && E::hessian_psd(d, {}, s).allFinite();
    };
    for (const Stencil<3>& s : {line, point}) {
        EXPECT_TRUE(is_finite.operator()<TriStvk>(s));
        EXPECT_TRUE(is_finite.operator()<TriBaraffWitkin>(s));
        EXPECT_TRUE(is_finite.operator()<TriFung>(s));
        EXPECT_EQ(energy<TriNeohookean>({}, flat, s), std::numeric_limits<Real>::infinity());
        EXPECT_EQ(energy<TriRubber>({}, flat, s), std::numeric_limits<Real>::infinity());
        // forces there are not finite, so that a solver without a search cannot go on; matrices are
        const auto says_so = [&]<class E>() {
            const auto d = E::prepare(typename E::Params{}, flat.view());
            return !E::template eval<1>(d, {}, s).gradient.allFinite() && E::hessian_psd(d, {}, s).allFinite();
        };
        // three points in one place: edges are zero, and zero times the stress that is none is none
        EXPECT_TRUE(says_so.operator()<TriNeohookean>());
        EXPECT_TRUE(says_so.operator()<TriRubber>());
    }
    // no area at rest: no energy rather than a division by zero
    const std::array<Real3, 3> flat_line{Real3{0, 0, 0}, Real3{1, 0, 0}, Real3{2, 0, 0}};
    EXPECT_EQ(TriStvk::eval<0>(TriStvk::prepare({}, {flat_line, {}, {}, {}}), {}, mapped(flat, Mat2::Identity())).value, 0);
    EXPECT_EQ(TriFung::eval<0>(TriFung::prepare(TriFung::Params{}, {flat_line, {}, {}, {}}), {}, mapped(flat, Mat2::Identity())).value, 0);
}

TEST(scripted_rest, without_weight_is_the_plain_membrane) {
    Rng rng{8, 8, 0};
    for (int k = 0; k < 50; ++k) {
        TriStvkAnimated::Params p;
        static_cast<MembraneParams&>(p) = sample_membrane(rng);
        const std::array<Vec3, 3> rest = sample_rest_tri(rng);
        const std::array<Real3, 3> x{real3(rest[0]), real3(rest[1]), real3(rest[2])};
        const Stencil<3> s = sample_tri(rng, 0, rest);
        const auto a = TriStvkAnimated::eval<2>(TriStvkAnimated::prepare(p, {x, {}, {}, {}}), {}, s);
        const auto b = TriStvk::eval<2>(TriStvk::prepare(p, {x, {}, {}, {}}), {}, s);
        EXPECT_NEAR(a.value, b.value, 1e-11 * std::max(1.0, b.value));
        EXPECT_LT((a.hessian - b.hessian).norm(), 1e-10 * b.hessian.norm());
    }
}

TEST(scripted_rest, following_a_moving_surface_has_no_force_where_the_cloth_lies_on_it) {
    TriStvkAnimated::Params p;
    static_cast<MembraneParams&>(p) = cloth();
    p.weight = {1, 1, 1};
    p.moving = {2, 0, 1};
    const Flat flat;
    const auto d = TriStvkAnimated::prepare(p, flat.view());
    const std::array<Real3, 3> surface{Real3{0, 1, 0}, Real3{0, 2.1, 0.4}, Real3{1.3, 0.8, 0.2}};
    StepContext c;
    c.animated = surface.data();
    Stencil<3> s;
    s.x = {vec(surface[2]), vec(surface[0]), vec(surface[1])};
    EXPECT_LT(TriStvkAnimated::eval<1>(d, c, s).gradient.norm(), 1e-12);
    // half way: lengths, not positions, are blended
    p.weight = {0.5, 0.5, 0.5};
    const auto l2 = TriStvkAnimated::lengths2(TriStvkAnimated::prepare(p, flat.view()), c);
    const auto rest = triangle_edges(vec(flat.x[0]), vec(flat.x[1]), vec(flat.x[2])), now = edges_of(s);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(std::sqrt(l2[i]), 0.5 * (rest[i].norm() + now[i].norm()), 1e-12);
}

TEST(scripted_rest, scale_gives_pure_area_strain) {
    TriStvkAnimated::Params p;
    p.young = 1000, p.poisson = 0.3, p.thickness = 0.01;
    p.weight = {1, 1, 1};
    p.scale = 0;
    FieldSet fields;
    fields.scalars.push_back({"grow", make_expression(1.25)});
    StepContext c;
    c.fields = &fields;
    const Flat flat;
    const auto d = TriStvkAnimated::prepare(p, flat.view());
    // at rest for the scaled shape
    EXPECT_LT(TriStvkAnimated::eval<1>(d, c, mapped(flat, 1.25 * Mat2::Identity())).gradient.norm(), 1e-12);
    // unscaled it is under the isotropic strain e = (1/1.25^2 - 1)/2: psi = Y/(1 - nu) e^2 per volume of the new rest area
    const Real e = 0.5 * (1 / 1.5625 - 1), exact = 1000 / 0.7 * e * e * 1.5625 * flat.area() * 0.01;
    EXPECT_NEAR(TriStvkAnimated::eval<0>(d, c, mapped(flat, Mat2::Identity())).value, exact, 1e-12 * exact);
    // a rest shape without area is refused: the true one stays
    fields.scalars[0].value = make_expression(0.0);
    EXPECT_LT(TriStvkAnimated::eval<1>(d, c, mapped(flat, Mat2::Identity())).gradient.norm(), 1e-12);
}

TEST(viscous_membranes, resist_strain_rates_and_not_rigid_motion) {
    const Flat flat;
    MembraneParams p = cloth();
    p.damping = 0.5;
    const auto d = TriStvk::prepare(p, flat.view());
    const std::array<int, 3> stencil{0, 1, 2};
    StepContext c;
    c.elapsed = 0.01;
    c.stencil = stencil.data();
    c.x_now = flat.x.data();
    // a turned triangle at its rest lengths
    const Stencil<3> turned = mapped(flat, Mat2::Identity(), exp_rotation(Vec3(0.3, 0.5, -1)));
    EXPECT_LT(TriStvk::eval<1>(d, c, turned).gradient.norm(), 1e-12);
    // elastic and viscous together are the two apart: the viscous part is a membrane of stiffness damping/elapsed about
    // the lengths at the start
    Mat2 f = Mat2::Identity();
    f(0, 1) = 0.2;
    const Stencil<3> s = mapped(flat, f);
    MembraneParams dry = p;
    dry.damping = 0;
    const Real elastic = TriStvk::eval<0>(TriStvk::prepare(dry, flat.view()), c, s).value;
    EXPECT_NEAR(TriStvk::eval<0>(d, c, s).value, (1 + 0.5 / 0.01) * elastic, 1e-11);
    const MatN<9> both = TriStvk::eval<2>(d, c, s).hessian, alone = TriStvk::eval<2>(TriStvk::prepare(dry, flat.view()), c, s).hessian;
    EXPECT_LT((both - 51 * alone).norm(), 1e-10 * both.norm());
    // outside of an implicit step it is a force, and never gives energy
    Rng rng{2, 2, 0};
    Stencil<3> moving = s;
    for (int k = 0; k < 50; ++k) {
        for (Vec3& v : moving.v) v = draw_vec(rng, -1, 1);
        VecN<9> v;
        v << moving.v[0], moving.v[1], moving.v[2];
        EXPECT_LE(TriStvk::force<0>(d, {}, moving).force.dot(v), 1e-14);
    }
}

TEST(tri_strain, rows_hold_the_energy_of_the_orthotropic_membrane) {
    Rng rng{12, 1, 0};
    for (int k = 0; k < 50; ++k) {
        const MembraneParams m = sample_membrane(rng);
        TriStrain::Params p;
        p.young = m.young, p.young_weft = m.young_weft, p.poisson = m.poisson, p.shear = m.shear, p.thickness = m.thickness;
        p.warp = m.warp;
        const std::array<Vec3, 3> rest = sample_rest_tri(rng);
        const std::array<Real3, 3> x{real3(rest[0]), real3(rest[1]), real3(rest[2])};
        const Stencil<3> s = sample_tri(rng, k % 4, rest);
        const Real rows = 0.5 * TriStrain::eval<0>(TriStrain::prepare(p, {x, {}, {}, {}}), {}, s).c.squaredNorm();
        const Real energy = TriStvk::eval<0>(TriStvk::prepare(m, {x, {}, {}, {}}), {}, s).value;
        EXPECT_NEAR(rows, energy, 1e-11 * std::max(1.0, energy));
    }
}

TEST(tri_strain, cauchys_strain_is_greens_to_first_order_and_knows_rotations) {
    Rng rng{14, 1, 0};
    const Flat flat;
    TriStrain::Params green, cauchy;
    green.young = cauchy.young = 50, green.thickness = cauchy.thickness = 0.1, cauchy.linear = true;
    const auto g = TriStrain::prepare(green, flat.view()), c = TriStrain::prepare(cauchy, flat.view());
    for (int k = 0; k < 20; ++k) {
        std::array<Vec3, 3> way;
        for (Vec3& w : way) w = draw_vec(rng, -1, 1);
        const auto difference = [&](Real size) {
            Stencil<3> s;
            for (int i = 0; i < 3; ++i) s.x[i] = vec(flat.x[i]) + size * way[i];
            return (TriStrain::eval<0>(g, {}, s).c - TriStrain::eval<0>(c, {}, s).c).norm();
        };
        EXPECT_NEAR(difference(1e-3) / difference(1e-4), 100, 1e-3 * 100); // what is left is of second order
        // a rotation strains the linear rows only
        const Quat turn = exp_rotation(draw_vec(rng, 0.2, 1));
        Stencil<3> s;
        for (int i = 0; i < 3; ++i) s.x[i] = turn * vec(flat.x[i]);
        EXPECT_LT(TriStrain::eval<0>(g, {}, s).c.norm(), 1e-14);
        EXPECT_GT(TriStrain::eval<0>(c, {}, s).c.norm(), 1e-2);
    }
}

TEST(dihedral, row_holds_the_energy_of_the_squared_angle) {
    Rng rng{13, 1, 0};
    for (int k = 0; k < 50; ++k) {
        const std::array<Real3, 4> rest{Real3{0.3, 0.9, 0}, Real3{0, 0, 0}, Real3{1, 0, 0}, Real3{0.6, -0.7, 0.4}};
        Stencil<4> s;
        for (int i = 0; i < 4; ++i) s.x[i] = vec(rest[i]) + draw_vec(rng, -0.3, 0.3);
        const auto row = Dihedral::prepare({2.5, 1}, {rest, {}, {}, {}});
        HingeParams p;
        p.stiffness = 2.5;
        const Real c = Dihedral::eval<0>(row, {}, s).c[0];
        EXPECT_NEAR(c * c / (2 * row.compliance), HingeTheta::eval<0>(HingeTheta::prepare(p, {rest, {}, {}, {}}), {}, s).value, 1e-13);
    }
}
