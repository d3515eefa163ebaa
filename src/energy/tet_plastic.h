// Multiplicative plasticity of isotropic tetrahedra (spec P56; Irving, Teran and Fedkiw 2004, Bargteil et al. 2007).
//   F = Fe Fp, det Fp = 1,  E = V psi(Fe)
// Fp is memory: constant within a step, so that the step stays the minimisation of a potential, and updated at its end.
// Flow: with Fe = U diag(s) V^T, e_i = ln s_i, d = e - mean(e), Kirchhoff stresses t_i = s_i dpsi/ds_i,
//   von Mises    m = sqrt(3/2) |dev t| [Pa],  accumulated plastic strain a, yield stress Y [Pa], hardening H [Pa]
//   if m > Y + H a: the part g of d becomes plastic, Fp <- V exp(g d) V^T Fp,  a <- a + g sqrt(2/3) |d|
// with g in (0, 1) such that afterwards m = Y + H a (radial return in logarithmic strain; here solved for, because psi need not
// be quadratic in it). A finite `rate` r takes the fraction 1 - exp(-r dt) of it: creep. Elements that are inverted or nearly flat
// do not flow, nor beyond a ratio `limit` of the longest to the shortest plastic stretch. Elastic energy only falls, by the
// dissipation m a' V to first order: Report.work_plastic.
#pragma once
#include "energy/tet.h"

namespace sinew {

struct PlasticLaw {
    Real yield, hardening, rate, limit;
};
using PrincipalStress = Vec3 (*)(Real mu, Real lambda, const Vec3& stretch); // dpsi/ds_i
// memory of one element: Fp^-1 - I column-major, accumulated plastic strain
inline constexpr int kPlasticMemory = 10;
void flow_plastic(const PlasticLaw&, PrincipalStress, const TetData&, const std::array<Vec3, 4>& x, Real dt, Real* memory);

inline Mat3 plastic_inverse(const Real* memory) { // Fp^-1
    Mat3 out = Mat3::Identity();
    if (memory) out += Eigen::Map<const Mat3>(memory);
    return out;
}

template <class E, class Elastic> struct TetPlastic {
    static constexpr Share share = Share::elastic;
    static constexpr int points = 4;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    static constexpr int sample_kinds = kTetSamples;
    static constexpr int memory_size = kPlasticMemory;
    struct Params : Elastic::Params {
        Real yield = 1e3, hardening = 0, rate = 0, limit = 20;
    };
    struct Data {
        TetData tet;
        PlasticLaw law;
    };

    template <class V> static void fields(Params& p, V&& v) {
        Elastic::fields(p, v);
        v("yield", p.yield, Field{.min = 0, .min_exclusive = true, .unit = "Pa", .doc = "stress at which it flows"});
        v("hardening", p.hardening, Field{.min = 0, .unit = "Pa", .doc = "rise of the yield stress per plastic strain"});
        v("rate", p.rate, Field{.min = 0, .unit = "1/s", .doc = "of creep; 0 = flows at once"});
        v("limit", p.limit, Field{.min = 1, .doc = "largest ratio of plastic stretches"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        return {Elastic::prepare(p, rest), {p.yield, p.hardening, p.rate, p.limit}};
    }
    template <int Order> static Local<12, Order> eval(const Data& d, const StepContext& c, const Stencil<4>& s) {
        return Elastic::template eval_with<Order>(inverse_of(d.tet.shape) * plastic_inverse(c.memory), d.tet, s);
    }
    // rows of elastic laws that have them at any rest shape
    static constexpr int root_rows = 2;
    template <int Order>
    static LocalRows<2, 12, Order> root(const Data& d, const StepContext& c, const Stencil<4>& s)
        requires requires { Elastic::template root_with<Order>(Mat3(), d.tet, s); }
    {
        return Elastic::template root_with<Order>(inverse_of(d.tet.shape) * plastic_inverse(c.memory), d.tet, s);
    }
    static Real lower_bound(const Data& d)
        requires requires { Elastic::lower_bound(d.tet); }
    {
        return Elastic::lower_bound(d.tet);
    }
    static MatN<12> hessian_psd(const Data& d, const StepContext& c, const Stencil<4>& s) {
        return Elastic::hessian_psd_with(inverse_of(d.tet.shape) * plastic_inverse(c.memory), d.tet, s);
    }
    static void finish(const Data& d, const StepContext& c, const Stencil<4>& s, Real* memory) {
        flow_plastic(d.law, principal_stress, d.tet, s.x, c.dt, memory);
    }
    static Vec3 principal_stress(Real mu, Real lambda, const Vec3& stretch) {
        return Elastic::stress(mu, lambda, stretch.asDiagonal()).diagonal();
    }
    static bool is_inverted(const Data& d, const Stencil<4>& s) { return Elastic::is_inverted(d.tet, s); }
    static Sample<E> sample(Rng& rng, int which) {
        const Sample<Elastic> t = Elastic::sample(rng, which);
        return {{t.data, {1, 0, 0, 20}}, t.at};
    }
};

} // namespace sinew
