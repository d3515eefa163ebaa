// Stiffening orthotropic membrane after Fung (1967):  psi = c (exp(Q/c) - 1)
//   Q   the quadratic orthotropic energy of tri_stvk [Pa], so that small strains behave the same
//   c   1/2 young strain^2 [Pa]: at the strain `stiffening` along the warp the energy has grown by the factor e - 1
// Skin, tissue and loosely woven cloth: soft first, then stiff. Q is convex in E, and so is psi.
#pragma once
#include "energy/tri_orthotropic.h"

namespace sinew {

struct TriFung : TriOrthotropic<TriFung> {
    static constexpr std::string_view name = "tri_fung";
    static constexpr std::string_view doc = "orthotropic membrane that stiffens exponentially: skin, loose weave";
    struct Params : MembraneParams {
        Real stiffening = 0.2;
    };
    template <class V> static void fields(Params& p, V&& v) {
        membrane_fields(p, v);
        v("stiffening", p.stiffening, Field{.min = 0.001, .doc = "strain along the warp at which the stress has grown e-fold"});
    }
    static std::array<Real, 6> constants(const Params& p) {
        const OrthotropicModuli m = orthotropic_moduli(p);
        return {m.lambda, m.mu, m.alpha, m.beta, 0.5 * p.young * p.stiffening * p.stiffening, 0};
    }
    static Density invariants(const std::array<Real, 6>& c, const Vec3& j, int order) {
        Density q = quadratic_invariants(c, j);
        const Real scale = c[4], grown = std::exp(q.value / scale);
        q.value = scale * std::expm1(q.value / scale);
        if (order >= 2) q.dd = grown * (q.dd + q.d * q.d.transpose() / scale);
        q.d *= grown;
        return q;
    }
};

} // namespace sinew
