// The Valanis-Landel class: members that exist otherwise are reproduced, others have the derivatives and laws they must have.
#include "energy/tet_mesh_fixture.h"
#include "energy/tet_neohookean.h"
#include "energy/tet_ogden.h"
#include "energy/tet_strain.h"
#include "energy/tet_stvk.h"
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

// the three materials that have files of their own, as a, b and c
struct StrainMember {
    Real mu = 0, lambda = 0;
    Series2 a(const Series2& s) const { return Series2(mu) * (s - Series2(1)) * (s - Series2(1)); }
    Series2 b(const Series2&) const { return {}; }
    Series2 c(const Series2&) const { return {}; }
};
// St. Venant and Kirchhoff: mu sum E_i^2 + lambda/2 (sum E_i)^2, E_i = (s_i^2 - 1)/2; the mixed terms are of products:
// (s_i^2 - 1)(s_j^2 - 1) = (s_i s_j)^2 - s_i^2 - s_j^2 + 1
struct StvkMember {
    Real mu = 0, lambda = 0;
    Series2 a(const Series2& s) const {
        const Series2 e = Series2(0.5) * (s * s - Series2(1));
        return Series2(mu + 0.5 * lambda) * e * e - Series2(0.5 * lambda) * (s * s - Series2(1));
    }
    Series2 b(const Series2& p) const { return Series2(0.25 * lambda) * (p * p - Series2(1)); }
    Series2 c(const Series2&) const { return {}; }
};
struct NeohookeanMember {
    Real mu = 0, lambda = 0;
    Series2 a(const Series2& s) const { return Series2(0.5 * mu) * (s * s - Series2(1)); }
    Series2 b(const Series2&) const { return {}; }
    Series2 c(const Series2& J) const { return Series2(0.5 * lambda) * log(J) * log(J) - Series2(mu) * log(J); }
};
// one that nobody has: exponential in the stretches, a rational function of areas, a logarithm of the volume
struct OddMember {
    Series2 a(const Series2& s) const { return exp(Series2(1.3) * (s - Series2(1))); }
    Series2 b(const Series2& p) const { return Series2(0.4) / p; }
    Series2 c(const Series2& J) const { return Series2(-0.7) * log(J) + Series2(2) * (J - Series2(1)) * (J - Series2(1)); }
};

template <class M, class E> void expect_same(const char* name) {
    Rng rng{3, 5, 0};
    for (int i = 0; i < 60; ++i) {
        const TetSample t = sample_tet(rng, i % kTetSamples, false);
        const M m{draw_uniform(rng, 1, 5), draw_uniform(rng, 1, 10)};
        const Mat3 F = deformation(inverse_of(t.shape), t.x);
        const Svd3 svd = compute_svd(F);
        const PrincipalStiffness ours = valanis_landel_stiffness(m, svd.sigma), theirs = E::principal(m.mu, m.lambda, svd.sigma);
        const Real scale = std::max(1.0, theirs.stretch.cwiseAbs().maxCoeff());
        // roundings of sums of a few terms of the scale; divided differences of a' lose up to four digits more
        EXPECT_NEAR(valanis_landel_energy(m, svd.sigma), E::psi(m.mu, m.lambda, F), 1e-12 * scale) << name;
        EXPECT_LT((svd.U * valanis_landel_stress(m, svd.sigma).asDiagonal() * svd.V.transpose() - E::stress(m.mu, m.lambda, F)).norm(),
                  1e-12 * scale) << name;
        EXPECT_LT((ours.stretch - theirs.stretch).norm(), 1e-12 * scale) << name;
        EXPECT_LT((ours.twist - theirs.twist).norm(), 1e-11 * scale) << name;
        EXPECT_LT((ours.flip - theirs.flip).norm(), 1e-8 * scale) << name;
    }
}

template <class M> void expect_derivatives(const M& m, const char* name) {
    Rng rng{11, 2, 0};
    for (int i = 0; i < 60; ++i) {
        const TetSample t = sample_tet(rng, i % kTetSamples, false);
        const Mat3 F = deformation(inverse_of(t.shape), t.x);
        const auto energy = [&](const Mat3& at) { return valanis_landel_energy(m, compute_svd(at).sigma); };
        const auto stress = [&](const Mat3& at) {
            const Svd3 s = compute_svd(at);
            return Mat3(s.U * valanis_landel_stress(m, s.sigma).asDiagonal() * s.V.transpose());
        };
        const Svd3 svd = compute_svd(F);
        const MatN<9> K = stiffness_matrix(svd.U, svd.V, valanis_landel_stiffness(m, svd.sigma));
        const Real h = 1e-5, scale = std::max(1.0, K.cwiseAbs().maxCoeff());
        for (int c = 0; c < 9; ++c) {
            Mat3 dF = Mat3::Zero();
            dF(c % 3, c / 3) = h;
            // h^2 and eps/h
            EXPECT_NEAR(stress(F)(c % 3, c / 3), (energy(F + dF) - energy(F - dF)) / (2 * h), 1e-7 * scale) << name;
            const Mat3 fd = (stress(F + dF) - stress(F - dF)) / (2 * h);
            EXPECT_LT((Mat3::Map(K.col(c).data()) - fd).norm(), 1e-6 * scale) << name;
        }
    }
}

} // namespace

TEST(valanis_landel, reproduces_the_materials_that_are_members_of_it) {
    expect_same<StrainMember, TetStrain>("strain");
    expect_same<StvkMember, TetStvk>("St. Venant-Kirchhoff");
    expect_same<NeohookeanMember, TetNeohookean>("Neo-Hookean");
}

TEST(valanis_landel, any_three_functions_have_exact_stress_and_stiffness) {
    expect_derivatives(OddMember{}, "odd");
    Rng rng{1, 1, 0};
    expect_derivatives(TetOgden::draw_member(rng), "Ogden");
}

TEST(valanis_landel, repeated_stretches_are_no_exception) {
    // the divided differences at equal stretches are the limits of those nearby
    const OddMember m;
    const PrincipalStiffness at = valanis_landel_stiffness(m, Vec3(1.2, 1.2, 1.2));
    for (const Real gap : {1e-9, 1e-6, 1e-3}) {
        const PrincipalStiffness near = valanis_landel_stiffness(m, Vec3(1.2, 1.2 + gap, 1.2 - gap));
        // stiffness changes by a few units per stretch
        EXPECT_LT((near.flip - at.flip).norm(), 20 * gap + 1e-9);
        EXPECT_LT((near.twist - at.twist).norm(), 20 * gap + 1e-12);
    }
}

TEST(tet_ogden, small_strain_and_uniaxial_pull_follow_the_law) {
    TetOgden::Params p;
    p.moduli = {6.3e5, 1.2e3, -1e4}; // Ogden's fit of Treloar's vulcanised rubber
    p.exponents = {1.3, 5, -2};
    p.bulk = 1e9;
    const OgdenMember m = TetOgden::member(p);
    const Lame l = TetOgden::small_strain(m);
    EXPECT_NEAR(l.mu, 0.5 * (6.3e5 * 1.3 + 1.2e3 * 5 + 2e4), 1e-6);
    const PrincipalStiffness k = valanis_landel_stiffness(m, Vec3::Ones());
    EXPECT_NEAR(k.stretch(0, 0), l.lambda + 2 * l.mu, 1e-9 * l.lambda);
    EXPECT_NEAR(k.stretch(0, 1), l.lambda, 1e-9 * l.lambda);
    EXPECT_NEAR(k.flip[0], 2 * l.mu, 1e-9 * l.lambda);
    for (const Real s : {0.6, 1.5, 3.0, 6.0}) {
        // free sides: their stress vanishes; found by bisection around the incompressible stretch
        Real low = 0.98 / std::sqrt(s), high = 1.02 / std::sqrt(s);
        for (int i = 0; i < 100; ++i) {
            const Real mid = 0.5 * (low + high);
            (valanis_landel_stress(m, Vec3(s, mid, mid))[1] < 0 ? low : high) = mid;
        }
        const Real nominal = valanis_landel_stress(m, Vec3(s, low, low))[0];
        Real law = 0; // sum m_p (s^(n-1) - s^(-n/2-1)) of the incompressible solid
        for (int i = 0; i < 3; ++i) law += p.moduli[i] * (std::pow(s, p.exponents[i] - 1) - std::pow(s, -0.5 * p.exponents[i] - 1));
        EXPECT_NEAR(nominal, law, 0.01 * std::abs(law)) << s; // the volume gives way by stress/bulk, 1e-3 to 1e-2
    }
}

TEST(valanis_landel, an_inverted_element_of_rubber_is_infinite_and_its_forces_are_not_finite) {
    Rng rng{7, 1, 0};
    for (Real low : {-0.5, -1e-9, 0.0}) {
        const TetSample t = sample_tet(rng, 4, false);
        const Mat3 rest = inverse_of(t.shape).inverse();
        Stencil<4> s;
        s.x[0] = Vec3::Zero();
        for (int i = 0; i < 3; ++i) s.x[i + 1] = Vec3(rest(0, i), rest(1, i), low * rest(2, i));
        const TetOgden::Data d{t.shape, TetOgden::draw_member(rng)};
        const auto out = TetOgden::eval<1>(d, {}, s);
        EXPECT_EQ(out.value, std::numeric_limits<Real>::infinity()) << low;
        EXPECT_FALSE(out.gradient.allFinite()) << low;
        EXPECT_TRUE(TetOgden::hessian_psd(d, {}, s).allFinite()) << low;
    }
}
