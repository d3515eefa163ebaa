// Materials of tetrahedra against their laws: spec P V12-V14, spec C 3.4 and 8.3, spec U 3.7.1.
#include "constraint/tet_hooke.h"
#include "dense.h"
#include "energy/tet_anisotropic.h"
#include "energy/tet_arap.h"
#include "energy/tet_corotated.h"
#include "energy/tet_linear.h"
#include "energy/tet_mesh_fixture.h"
#include "energy/tet_neohookean.h"
#include "energy/tet_stable_neohookean.h"
#include "energy/tet_strain.h"
#include "energy/tet_stvk.h"
#include "energy/tet_viscous.h"
#include <Eigen/LU>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

TetMesh one_tet() { return {{kUnitCorner.begin(), kUnitCorner.end()}, {{0, 1, 2, 3}}}; }

// P of a homogeneous deformation: for the unit corner, V = 1/6 and Dm = I, columns of P are 6 times the gradients
Mat3 stress_of(const TetMeshFixture& f, const Mat3& F) {
    const auto g = f.gradient(map_points(f.mesh, F));
    Mat3 P;
    P << 6 * g[1], 6 * g[2], 6 * g[3];
    return P;
}

// nominal stress along x of a bar stretched by s, its sides free: the lateral stretch is found by Newton's method
struct Uniaxial {
    Real stress, lateral;
};
Uniaxial pull(const TetMeshFixture& f, Real s) {
    Real l = 1;
    const auto side = [&](Real a) { return stress_of(f, Vec3(s, a, a).asDiagonal())(1, 1); };
    for (int k = 0; k < 60; ++k) {
        const Real h = 1e-6, slope = (side(l + h) - side(l - h)) / (2 * h);
        const Real step = side(l) / slope;
        l -= step;
        if (std::abs(step) < 1e-14) break;
    }
    return {stress_of(f, Vec3(s, l, l).asDiagonal())(0, 0), l};
}

MatN<9> clamp_dense(const MatN<9>& K) {
    const EigenSystem eigen = eigen_system(K);
    return eigen.with(eigen.values.cwiseMax(0));
}

// the closed-form system of one material: equal to finite differences of P, its projection to the dense one
template <class E> void check_eigen_system(bool inverts) {
    Rng rng{7, 1, 0};
    for (int i = 0; i < 60; ++i) {
        const TetSample t = sample_tet(rng, i % kTetSamples, inverts);
        const Real mu = draw_uniform(rng, 1, 5), lambda = draw_uniform(rng, 1, 10);
        const Mat3 F = deformation(inverse_of(t.shape), t.x);
        const Svd3 svd = compute_svd(F);
        PrincipalStiffness k = E::principal(mu, lambda, svd.sigma);
        const MatN<9> K = stiffness_matrix(svd.U, svd.V, k);
        const Real scale = K.cwiseAbs().maxCoeff(), h = 1e-5;
        for (int c = 0; c < 9; ++c) {
            Mat3 dF = Mat3::Zero();
            dF(c % 3, c / 3) = h;
            const Mat3 fd = (E::stress(mu, lambda, F + dF) - E::stress(mu, lambda, F - dF)) / (2 * h);
            EXPECT_LT((Mat3::Map(K.col(c).data()) - fd).norm(), 1e-7 * scale) << E::name; // h^2 and eps/h
        }
        clamp_principal(k);
        EXPECT_LT((stiffness_matrix(svd.U, svd.V, k) - clamp_dense(K)).norm(), 1e-12 * scale) << E::name;
        // pulled back by dF/dx
        MatN<9, 12> G = MatN<9, 12>::Zero();
        const Mat3 inverse = inverse_of(t.shape);
        for (int n = 0; n < 4; ++n)
            for (int j = 0; j < 3; ++j) {
                const Real g = n ? inverse(n - 1, j) : -inverse.col(j).sum();
                for (int r = 0; r < 3; ++r) G(r + 3 * j, 3 * n + r) = g;
            }
        const MatN<12> H = t.shape.volume * G.transpose() * stiffness_matrix(svd.U, svd.V, k) * G;
        EXPECT_LT((H - tet_hessian(inverse, t.shape.volume, svd.U, svd.V, k)).norm(), 1e-12 * scale) << E::name;
    }
}

} // namespace

TEST(tet, closed_form_eigen_systems_match_finite_differences_and_dense_projection) {
    check_eigen_system<TetStvk>(true);
    check_eigen_system<TetCorotated>(true);
    check_eigen_system<TetArap>(true);
    check_eigen_system<TetStrain>(true);
    check_eigen_system<TetStableNeohookean>(true);
    check_eigen_system<TetNeohookean>(false);
}

TEST(tet, every_material_has_the_young_modulus_and_poisson_ratio_asked_for) {
    for (const std::string& name : solid_rows()) {
        // no lateral contraction, general moduli, and powers (tet_valanis_landel_test.cpp)
        if (name == "tet_strain" || name == "tet_arap" || name == "tet_anisotropic" || name == "tet_ogden") continue;
        const TetMeshFixture f(name, one_tet(), {{"young", 1000}, {"poisson", 0.45}});
        const Real e = 1e-5; // the error is of second order in the strain
        const Uniaxial up = pull(f, 1 + e), down = pull(f, 1 - e);
        EXPECT_NEAR((up.stress - down.stress) / (2 * e), 1000, 1e-4) << name;
        EXPECT_NEAR(-(up.lateral - down.lateral) / (2 * e), 0.45, 1e-5) << name;
    }
    // without volume term: no lateral contraction
    EXPECT_NEAR(pull({"tet_strain", one_tet(), {{"young", 1000}}}, 1.2).stress, 200, 1e-9);
    EXPECT_NEAR(pull({"tet_arap", one_tet(), {{"young", 1000}, {"poisson", 0.25}}}, 1.2).stress, 160, 1e-9);
    EXPECT_NEAR(pull({"tet_arap", one_tet(), {{"young", 1000}, {"poisson", 0.25}}}, 1.2).lateral, 1, 1e-12);
}

TEST(tet, raw_lame_parameters_act_softer_as_the_erratum_says) {
    TetStableNeohookean::Params p;
    p.young = 1000, p.poisson = 0.45, p.raw = true;
    TetMeshFixture f("tet_stable_neohookean", one_tet());
    f.table = {};
    f.table.row = &f.row;
    add_element(f.table, &p, f.mesh.tets[0], RestView{kUnitCorner, kUnitMasses, {}, {}}, 0);
    const Real e = 1e-5;
    const Uniaxial up = pull(f, 1 + e), down = pull(f, 1 - e);
    EXPECT_NEAR((up.stress - down.stress) / (2 * e), 996.2, 0.05);
    EXPECT_NEAR(-(up.lateral - down.lateral) / (2 * e), 0.4444, 5e-5);
}

// spec P V13, E = 1, nu = 0
TEST(tet, uniaxial_laws_of_finite_strain) {
    const TetMeshFixture stvk("tet_stvk", one_tet(), {{"young", 1}, {"poisson", 0}});
    const TetMeshFixture corotated("tet_corotated", one_tet(), {{"young", 1}, {"poisson", 0}});
    const TetMeshFixture linear("tet_linear", one_tet(), {{"young", 1}, {"poisson", 0}});
    for (const auto& [s, expected] : {std::pair{0.1, -0.0495}, {0.25, -0.11719}, {0.5, -0.1875}, {0.9, -0.0855},
                                      {1.1, 0.1155}, {1.5, 0.9375}, {2.0, 3.0}, {3.0, 12.0}}) {
        EXPECT_NEAR(stress_of(stvk, Vec3(s, 1, 1).asDiagonal())(0, 0), expected, 6e-6); // digits of the table
        EXPECT_NEAR(stress_of(corotated, Vec3(s, 1, 1).asDiagonal())(0, 0), s - 1, 1e-14);
        EXPECT_NEAR(stress_of(linear, Vec3(s, 1, 1).asDiagonal())(0, 0), s - 1, 1e-14);
    }
    const Real least = 1 / std::sqrt(3.0); // where compression is weakest
    EXPECT_NEAR(stress_of(stvk, Vec3(least, 1, 1).asDiagonal())(0, 0), -0.19245, 5e-6);
    EXPECT_GT(stress_of(stvk, Vec3(least - 0.01, 1, 1).asDiagonal())(0, 0), -0.19245);
    // Neo-Hookean: sigma = mu (s - 1/s) at lambda = 0; stable: mu = l = E/2 at nu = 0: sigma = mu s + (l (s - 1) - mu)
    const TetMeshFixture neo("tet_neohookean", one_tet(), {{"young", 1}, {"poisson", 0}});
    const TetMeshFixture stable("tet_stable_neohookean", one_tet(), {{"young", 1}, {"poisson", 0}});
    for (const Real s : {0.3, 0.8, 1.4, 3.0}) {
        EXPECT_NEAR(stress_of(neo, Vec3(s, 1, 1).asDiagonal())(0, 0), 0.5 * (s - 1 / s), 1e-13);
        EXPECT_NEAR(stress_of(stable, Vec3(s, 1, 1).asDiagonal())(0, 0), 0.5 * s + 0.5 * (s - 1) - 0.5, 1e-13);
    }
}

// spec U 3.7.1: nominal stress s E (s^2 - 1)/2, lateral Green strain -nu (s^2 - 1)/2
TEST(tet, st_venant_kirchhoff_bar_with_lateral_contraction) {
    const TetMeshFixture f("tet_stvk", one_tet(), {{"young", 10}, {"poisson", 0.3}});
    for (const Real s : {0.8, 1.2, 1.5}) {
        const Uniaxial u = pull(f, s);
        EXPECT_NEAR(u.stress, s * 10 * (s * s - 1) / 2, 1e-8);
        EXPECT_NEAR((u.lateral * u.lateral - 1) / 2, -0.3 * (s * s - 1) / 2, 1e-9);
    }
}

// spec P V13: a rotation by theta reads as cos(theta) - 1 in Cauchy's strain, as nothing in the others
TEST(tet, rotations_strain_the_linear_material_only) {
    for (const Real degrees : {1.0, 5.0, 10.0, 30.0, 45.0, 90.0, 180.0}) {
        const Mat3 R = exp_rotation(Vec3(0, 0, degrees * kPi / 180)).toRotationMatrix();
        const TetMeshFixture linear("tet_linear", one_tet(), {{"young", 1}, {"poisson", 0}});
        EXPECT_NEAR(stress_of(linear, R)(0, 0), std::cos(degrees * kPi / 180) - 1, 1e-14);
        for (const std::string& name : solid_rows()) {
            if (name == "tet_linear") continue;
            const TetMeshFixture f(name, one_tet());
            EXPECT_LT(stress_of(f, R).norm(), 1e-9) << name; // young 1e5 times rounding
            EXPECT_LT(std::abs(f.energy(map_points(f.mesh, R))), 1e-9) << name;
        }
    }
}

// spec P V12: net torque of a random element
TEST(tet, linear_material_feels_a_torque_and_the_others_none) {
    const Mat3 F = (Mat3() << 1.1, 0.3, -0.2, 0.1, 0.8, 0.4, -0.3, 0.2, 1.2).finished();
    for (const std::string& name : solid_rows()) {
        const TetMeshFixture f(name, one_tet());
        const auto x = map_points(f.mesh, F);
        const auto g = f.gradient(x);
        Vec3 torque = Vec3::Zero(), sum = Vec3::Zero();
        Real size = 0;
        for (int i = 0; i < 4; ++i) torque += vec(x[i]).cross(g[i]), sum += g[i], size += g[i].norm();
        EXPECT_LT(sum.norm(), 1e-15 * size) << name;
        if (name == "tet_linear") { EXPECT_GT(torque.norm(), 1e-3 * size); }
        else EXPECT_LT(torque.norm(), 1e-14 * size) << name;
    }
}

// spec P V14a: a random mesh in a homogeneous deformation has no force inside, and the stress everywhere
TEST(tet, patch_test_of_every_material) {
    Rng rng{3, 1, 0};
    TetMesh mesh = make_box_tets({1, 1, 1}, {3, 3, 3}, CellSplit::five);
    std::vector<bool> inner(mesh.points.size());
    for (std::size_t i = 0; i < mesh.points.size(); ++i) {
        inner[i] = vec(mesh.points[i]).cwiseAbs().maxCoeff() < 0.49;
        if (inner[i]) vec(mesh.points[i]) += draw_vec(rng, -0.06, 0.06);
    }
    const Mat3 F = (Mat3() << 1.2, 0.2, -0.1, 0.1, 0.9, 0.15, -0.2, 0.1, 1.1).finished();
    for (const std::string& name : solid_rows()) {
        const TetMeshFixture f(name, mesh);
        const auto x = map_points(mesh, F, Vec3(0.3, 0.2, 0.1));
        const auto g = f.gradient(x);
        Real inside = 0, outside = 0;
        Vec3 pull = Vec3::Zero();
        for (std::size_t i = 0; i < g.size(); ++i) {
            (inner[i] ? inside : outside) = std::max(inner[i] ? inside : outside, g[i].norm());
            if (mesh.points[i].x > 0.49) pull += g[i];
        }
        EXPECT_LT(inside, 1e-12 * outside) << name;
        // the side x = 1/2 of area 1 carries P e_x, less what its edges share with the other sides: energy by volume
        const TetMeshFixture one(name, one_tet());
        EXPECT_NEAR(f.energy(x), 6 * one.energy(map_points(one.mesh, F)), 1e-12 * std::abs(f.energy(x))) << name;
    }
}

TEST(tet, isotropic_stiffness_makes_the_general_material_st_venant_kirchhoff) {
    const TetMeshFixture stvk("tet_stvk", one_tet(), {{"young", 1000}, {"poisson", 0.3}});
    TetAnisotropic::Params p;
    p.young = {1000, 1000, 1000};
    TetMeshFixture general("tet_anisotropic", one_tet());
    const Mat3 F = (Mat3() << 1.2, 0.2, -0.1, 0.1, 0.9, 0.15, -0.2, 0.1, 1.1).finished();
    for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(1, 2, 3)}) { // isotropic: axes do not matter
        p.axis = real3(axis);
        general.table = {};
        general.table.row = &general.row;
        add_element(general.table, &p, general.mesh.tets[0], RestView{kUnitCorner, kUnitMasses, {}, {}}, 0);
        EXPECT_LT((stress_of(general, F) - stress_of(stvk, F)).norm(), 1e-10);
    }
}

TEST(tet, orthotropic_moduli_act_along_their_axes) {
    TetAnisotropic::Params p;
    p.young = {9000, 3000, 1000}, p.poisson = {0.3, 0.2, 0.1}, p.shear = {400, 500, 600};
    const Vec3 a = Vec3(1, 1, 0).normalized(), b = Vec3(-1, 1, 0).normalized(), c = Vec3::UnitZ();
    p.axis = real3(a), p.second_axis = real3(b);
    const MatN<6> S = invert_dense(TetAnisotropic::stiffness_of(p));
    // strain of a unit tension along n, as a matrix; shear components are halves of the engineering ones
    const auto strain = [&](const Mat3& stress) {
        VecN<6> s;
        s << stress(0, 0), stress(1, 1), stress(2, 2), stress(1, 2), stress(0, 2), stress(0, 1);
        VecN<6> e = S * s;
        e.tail<3>() *= 0.5;
        return stress_matrix(e);
    };
    EXPECT_NEAR(1 / a.dot(strain(a * a.transpose()) * a), 9000, 1e-8);
    EXPECT_NEAR(1 / b.dot(strain(b * b.transpose()) * b), 3000, 1e-8);
    EXPECT_NEAR(1 / c.dot(strain(c * c.transpose()) * c), 1000, 1e-8);
    EXPECT_NEAR(-b.dot(strain(a * a.transpose()) * b) * 9000, 0.3, 1e-12);
    EXPECT_NEAR(-c.dot(strain(b * b.transpose()) * c) * 3000, 0.2, 1e-12);
    EXPECT_NEAR(-c.dot(strain(a * a.transpose()) * c) * 9000, 0.1, 1e-12);
    EXPECT_NEAR(0.5 / a.dot(strain(a * b.transpose() + b * a.transpose()) * b), 600, 1e-8);
    EXPECT_NEAR(0.5 / b.dot(strain(b * c.transpose() + c * b.transpose()) * c), 400, 1e-8);
}

TEST(tet, stresses_of_the_three_measures_agree) {
    // spec P55: sigma = P F^T/J is symmetric, S = F^-1 P is symmetric, for every objective material
    const Mat3 F = (Mat3() << 1.2, 0.2, -0.1, 0.1, 0.9, 0.15, -0.2, 0.1, 1.1).finished();
    for (const std::string& name : solid_rows()) {
        if (name == "tet_linear") continue;
        const Mat3 P = stress_of({name, one_tet()}, F);
        const Mat3 sigma = P * F.transpose() / F.determinant(), S = F.inverse() * P;
        EXPECT_LT((sigma - sigma.transpose()).norm(), 1e-12 * P.norm()) << name;
        EXPECT_LT((S - S.transpose()).norm(), 1e-12 * P.norm()) << name;
        EXPECT_LT((F.determinant() * sigma * F.inverse().transpose() - F * S).norm(), 1e-12 * P.norm());
    }
}

TEST(tet, classical_neohookean_is_infinite_when_inverted_and_never_negative) {
    EXPECT_EQ(TetNeohookean::psi(1, 2, Vec3(1, 1, -0.5).asDiagonal()), std::numeric_limits<Real>::infinity());
    EXPECT_EQ(TetNeohookean::psi(1, 2, Vec3(1, 1, 0).asDiagonal()), std::numeric_limits<Real>::infinity());
    Rng rng{5, 1, 0};
    for (int i = 0; i < 1000; ++i) {
        const Vec3 s(draw_uniform(rng, 0.01, 3), draw_uniform(rng, 0.01, 3), draw_uniform(rng, 0.01, 3));
        const Real l = std::log(s.prod());
        EXPECT_GE(TetNeohookean::psi(1, 2, s.asDiagonal()), l * l * (1 - 1e-12)); // lambda/2 (ln J)^2
    }
}

TEST(tet, inverted_elements_are_counted) {
    const TetMeshFixture f("tet_corotated", one_tet());
    const auto count = [&](const Vec3& s) {
        const auto x = map_points(f.mesh, s.asDiagonal());
        return f.row.inverted(f.table, TetMeshFixture::evaluation(x), 0, 1);
    };
    EXPECT_EQ(count({1, 1, 1}), 0);
    EXPECT_EQ(count({1, 1, -0.1}), 1);
    EXPECT_EQ(count({1, 1, 0}), 1);
}

TEST(tet, viscous_stress_damps_strain_rates_and_no_rigid_motion) {
    TetViscous::Params p;
    p.time = 0.1, p.young = 1000, p.poisson = 0.3;
    const TetViscous::Data d = TetViscous::prepare(p, RestView{kUnitCorner, kUnitMasses, {}, {}});
    const StepContext c;
    Rng rng{9, 1, 0};
    for (int i = 0; i < 50; ++i) {
        Stencil<4> s;
        const Mat3 F = Mat3::Identity() + 0.3 * Mat3::NullaryExpr([&] { return draw_uniform(rng, -1, 1); });
        for (int k = 0; k < 4; ++k) s.x[k] = F * vec(kUnitCorner[k]);
        // rigid: v = u + w x x
        const Vec3 u = draw_vec(rng, -1, 1), w = draw_vec(rng, -1, 1);
        for (int k = 0; k < 4; ++k) s.v[k] = u + w.cross(s.x[k]);
        EXPECT_LT(TetViscous::force<0>(d, c, s).force.norm(), 1e-12);
        // any: takes power out, without resultant and torque
        Real power = 0;
        Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
        for (Vec3& v : s.v) v = draw_vec(rng, -1, 1);
        const VecN<12> f = TetViscous::force<0>(d, c, s).force;
        for (int k = 0; k < 4; ++k) {
            power += f.segment<3>(3 * k).dot(s.v[k]);
            sum += f.segment<3>(3 * k);
            torque += s.x[k].cross(Vec3(f.segment<3>(3 * k)));
        }
        EXPECT_LT(power, 0);
        EXPECT_LT(sum.norm(), 1e-13 * f.norm());
        EXPECT_LT(torque.norm(), 1e-13 * f.norm());
    }
    // at rest it is a K for every material of these moduli
    Stencil<4> rest;
    for (int k = 0; k < 4; ++k) rest.x[k] = vec(kUnitCorner[k]), rest.v[k].setZero();
    const MatN<12> D = -TetViscous::force<1>(d, c, rest).dfdv;
    for (const char* name : {"tet_linear", "tet_corotated", "tet_stvk", "tet_neohookean", "tet_stable_neohookean"}) {
        const TetMeshFixture f(name, one_tet(), {{"young", 1000}, {"poisson", 0.3}});
        MatN<12> K;
        f.row.hessian(f.table, TetMeshFixture::evaluation(f.mesh.points), 0, 1, Projection::none, K.data());
        EXPECT_LT((D - 0.1 * K).norm(), 1e-12 * D.norm()) << name;
    }
}

TEST(tet_hooke, rows_hold_the_energy_of_the_solid) {
    Rng rng{21, 1, 0};
    const std::array<Real3, 4> rest{Real3{0, 0, 0}, Real3{1, 0, 0.1}, Real3{0.3, 0, 1.2}, Real3{0.2, -0.9, 0.3}};
    for (int k = 0; k < 50; ++k) {
        TetHooke::Params p;
        p.young = draw_uniform(rng, 10, 100), p.poisson = draw_uniform(rng, -0.3, 0.45);
        TetParams t;
        t.young = p.young, t.poisson = p.poisson;
        Stencil<4> s;
        for (int i = 0; i < 4; ++i) s.x[i] = vec(rest[i]) + draw_vec(rng, -0.3, 0.3);
        const RestView view{rest, {}, {}, {}};
        const Real green = TetStvk::eval<0>(TetStvk::prepare(t, view), {}, s).value;
        EXPECT_NEAR(0.5 * TetHooke::eval<0>(TetHooke::prepare(p, view), {}, s).c.squaredNorm(), green, 1e-12 * std::max(1.0, green));
        p.linear = true;
        const Real cauchy = TetLinear::eval<0>(TetLinear::prepare(t, view), {}, s).value;
        EXPECT_NEAR(0.5 * TetHooke::eval<0>(TetHooke::prepare(p, view), {}, s).c.squaredNorm(), cauchy, 1e-12 * std::max(1.0, cauchy));
        // a rotation strains the linear rows only
        const Quat turn = exp_rotation(draw_vec(rng, -1, 1));
        for (int i = 0; i < 4; ++i) s.x[i] = turn * vec(rest[i]);
        EXPECT_GT(TetHooke::eval<0>(TetHooke::prepare(p, view), {}, s).c.norm(), 1e-3);
        p.linear = false;
        EXPECT_LT(TetHooke::eval<0>(TetHooke::prepare(p, view), {}, s).c.norm(), 1e-13);
    }
}

TEST(tet_hooke, over_the_current_volume_is_another_law_and_gives_in_when_pressed) {
    // spec U 3.7.1: W(x) in place of W0, to reproduce the source only
    Rng rng{21, 2, 0};
    const std::array<Real3, 4> rest{Real3{0, 0, 0}, Real3{1, 0, 0.1}, Real3{0.3, 0, 1.2}, Real3{0.2, -0.9, 0.3}};
    const RestView view{rest, {}, {}, {}};
    TetHooke::Params p;
    p.young = 50, p.poisson = 0.2;
    const auto usual = TetHooke::prepare(p, view);
    p.volume = "current";
    const auto current = TetHooke::prepare(p, view);
    const auto energy = [&](const auto& d, const Mat3& F) {
        Stencil<4> s;
        for (int i = 0; i < 4; ++i) s.x[i] = F * vec(rest[i]);
        const auto rows = TetHooke::eval<1>(d, {}, s);
        EXPECT_TRUE(rows.c.allFinite() && rows.jacobian.allFinite());
        return 0.5 * rows.c.squaredNorm();
    };
    // St. Venant-Kirchhoff's energy times det F
    for (int k = 0; k < 50; ++k) {
        Mat3 F = Mat3::Identity();
        for (int c = 0; c < 3; ++c) F.col(c) += draw_vec(rng, -0.25, 0.25);
        const Real expected = F.determinant() * energy(usual, F);
        EXPECT_NEAR(energy(current, F), expected, 1e-12 * std::max(1.0, expected));
    }
    // pressed along one axis: St. Venant and Kirchhoff's grows all the way, (1 - s^2)^2; this one, s (1 - s^2)^2, is largest at 1/sqrt 5 and
    // pushes on to nothing from there, and behind that there is none
    const auto pressed = [&](const auto& d, Real s) { return energy(d, Vec3(1, s, 1).asDiagonal()); };
    for (Real s = 0.95; s > 0.01; s -= 0.05) EXPECT_LT(pressed(usual, s + 0.05), pressed(usual, s)) << s;
    const Real top = 1 / std::sqrt(5.0);
    EXPECT_GT(pressed(current, top), pressed(current, top + 0.01));
    EXPECT_GT(pressed(current, top), pressed(current, top - 0.01));
    EXPECT_LT(pressed(current, 1e-3), 0.01 * pressed(current, top));
    EXPECT_EQ(pressed(current, 0), 0);
    EXPECT_EQ(pressed(current, -0.5), 0);
    EXPECT_GT(pressed(usual, -0.5), 0);
}

TEST(tet, degenerate_rest_shapes_feel_nothing) {
    TetMesh flat{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {{0, 1, 2, 3}}};
    for (const std::string& name : solid_rows()) {
        const TetMeshFixture f(name, flat);
        EXPECT_EQ(f.energy(map_points(flat, 2 * Mat3::Identity())), 0) << name;
    }
}
