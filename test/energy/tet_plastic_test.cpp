// Multiplicative plasticity: spec P56, V33.
#include "energy/tet_corotated_plastic.h"
#include "energy/tet_mesh_fixture.h"
#include "energy/tet_neohookean_plastic.h"
#include "energy/tet_stable_neohookean_plastic.h"
#include <Eigen/LU>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

template <class E> struct Element {
    typename E::Data data;
    std::array<Real, kPlasticMemory> memory{};
    explicit Element(const typename E::Params& p) : data(E::prepare(p, RestView{kUnitCorner, kUnitMasses, {}, {}})) {}
    static Stencil<4> at(const Mat3& F) {
        Stencil<4> s;
        for (int k = 0; k < 4; ++k) s.x[k] = F * vec(kUnitCorner[k]);
        return s;
    }
    StepContext context() const {
        StepContext c;
        c.dt = 0.01, c.memory = memory.data();
        return c;
    }
    Real energy(const Mat3& F) const { return E::template eval<0>(data, context(), at(F)).value; }
    Mat3 stress(const Mat3& F) const {
        const VecN<12> g = E::template eval<1>(data, context(), at(F)).gradient;
        return 6 * Mat3::Map(g.data() + 3);
    }
    void flow(const Mat3& F) {
        std::array<Real, kPlasticMemory> next = memory;
        E::finish(data, context(), at(F), next.data());
        memory = next;
    }
    Mat3 plastic() const { return plastic_inverse(memory.data()).inverse(); }
};

Real von_mises(const Mat3& kirchhoff) {
    const Mat3 dev = kirchhoff - kirchhoff.trace() / 3 * Mat3::Identity();
    return std::sqrt(1.5) * dev.norm();
}

template <class E> void check_cycle() {
    typename E::Params p;
    p.young = 1e4, p.poisson = 0.3, p.yield = 500, p.hardening = 200;
    Element<E> e(p);
    Real work = 0, elastic = 0, most = 0;
    Mat3 F = Mat3::Identity();
    // stretch to 1.5, back to 1, with the work of the stress by the trapezoidal rule
    const int n = 4000;
    for (int i = 0; i <= n; ++i) {
        const Real s = i <= n / 2 ? 1 + i / Real(n) : 1.5 - (i - n / 2) / Real(n);
        Mat3 next = Mat3::Identity();
        next(0, 0) = s;
        const Real before = e.stress(F)(0, 0);
        const Real start = s - F(0, 0);
        F = next;
        work += 0.5 * (before + e.stress(F)(0, 0)) * start / 6;
        const Real energy = e.energy(F);
        e.flow(F);
        EXPECT_LE(e.energy(F), energy + 1e-12);
        EXPECT_NEAR(e.plastic().determinant(), 1, 1e-12);
        most = std::max(most, von_mises(e.stress(F) * F.transpose()) - 500 - 200 * e.memory[9]);
        elastic = e.energy(F);
    }
    EXPECT_LT(most, 1e-6) << E::name; // on the yield surface or inside, to the tolerance of the search
    EXPECT_GT(work, elastic) << E::name; // a closed cycle takes energy
    EXPECT_GT(e.plastic()(0, 0), 1.05) << E::name; // and leaves a strain
    EXPECT_GT(e.memory[9], 0.3) << E::name;
    // compressed back to its old length it is under stress
    EXPECT_LT(e.stress(F)(0, 0), -100) << E::name;
}

} // namespace

TEST(tet_plastic, a_closed_cycle_dissipates_keeps_the_volume_and_stays_on_the_yield_surface) {
    check_cycle<TetCorotatedPlastic>();
    check_cycle<TetNeohookeanPlastic>();
    check_cycle<TetStableNeohookeanPlastic>();
}

TEST(tet_plastic, nothing_flows_below_the_yield_stress_nor_by_pressure_or_rotation) {
    TetCorotatedPlastic::Params p;
    p.young = 1e4, p.poisson = 0.3, p.yield = 500;
    Element<TetCorotatedPlastic> e(p);
    e.flow(Vec3(1.03, 1, 1).asDiagonal());
    e.flow(2 * Mat3::Identity());
    e.flow(exp_rotation(Vec3(1, 2, 3)).toRotationMatrix());
    e.flow(Vec3(1, 1, -1).asDiagonal()); // inverted
    for (Real m : e.memory) EXPECT_EQ(m, 0);
    e.flow(Vec3(1.2, 1, 1).asDiagonal());
    EXPECT_GT(e.memory[9], 0);
}

TEST(tet_plastic, flow_does_not_depend_on_the_frame) {
    TetStableNeohookeanPlastic::Params p;
    p.young = 1e4, p.yield = 300;
    const Mat3 F = (Mat3() << 1.3, 0.2, 0, 0.1, 0.8, 0.1, 0, 0.1, 1).finished();
    const Mat3 R = exp_rotation(Vec3(1, -1, 0.5)).toRotationMatrix();
    Element<TetStableNeohookeanPlastic> a(p), b(p);
    a.flow(F);
    b.flow(R * F);
    for (int i = 0; i < kPlasticMemory; ++i) EXPECT_NEAR(a.memory[i], b.memory[i], 1e-13);
    EXPECT_GT(a.memory[9], 0.05);
}

TEST(tet_plastic, creep_takes_its_fraction_of_the_excess) {
    TetCorotatedPlastic::Params p;
    p.young = 1e4, p.poisson = 0.3, p.yield = 500;
    Element<TetCorotatedPlastic> at_once(p);
    p.rate = 5;
    Element<TetCorotatedPlastic> creeping(p);
    const Mat3 F = Vec3(1.2, 1, 1).asDiagonal();
    at_once.flow(F);
    creeping.flow(F);
    EXPECT_NEAR(creeping.memory[9] / at_once.memory[9], 1 - std::exp(-5 * 0.01), 1e-9);
    for (int i = 0; i < 400; ++i) creeping.flow(F);
    EXPECT_NEAR(creeping.memory[9], at_once.memory[9], 1e-6); // exp(-20)
}

TEST(tet_plastic, the_limit_of_plastic_stretch_stops_the_flow) {
    TetCorotatedPlastic::Params p;
    p.young = 1e4, p.poisson = 0.3, p.yield = 100, p.limit = 2;
    Element<TetCorotatedPlastic> e(p);
    for (int i = 1; i <= 300; ++i) e.flow(Vec3(1 + 0.01 * i, 1, 1).asDiagonal());
    const Vec3 s = compute_svd(e.plastic()).sigma;
    EXPECT_LE(s[0] / s[2], 2);
    EXPECT_GT(s[0] / s[2], 1.9);
}
