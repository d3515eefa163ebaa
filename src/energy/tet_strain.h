// Distance to the rotations (spec C09).  psi = k/2 |F - R|^2 = k/2 sum (s_i - 1)^2,  P = k (F - R)
//   k [Pa] is Young's modulus; no volume term, no lateral contraction
// Twist eigenvalues k (1 - 2/(s_i + s_j)) are negative under compression: k I majorises the Hessian, which is why projective
// dynamics descends always, and slowly.
#pragma once
#include "energy/tet_corotated.h"

namespace sinew {

struct TetStrain : TetIsotropic<TetStrain> {
    static constexpr std::string_view name = "tet_strain";
    static constexpr std::string_view doc = "tetrahedron by its distance to the rotations, without lateral contraction";
    struct Params {
        Real young = 1e5;
    };
    template <class V> static void fields(Params& p, V&& v) {
        v("young", p.young, Field{.min = 0, .min_exclusive = true, .unit = "Pa", .doc = "Young's modulus"});
    }
    static Lame lame(const Params& p) { return {0.5 * p.young, 0}; }
    static Real psi(Real mu, Real, const Mat3& F) { return TetCorotated::psi(mu, 0, F); }
    static Mat3 stress(Real mu, Real, const Mat3& F) { return TetCorotated::stress(mu, 0, F); }
    static PrincipalStiffness principal(Real mu, Real, const Vec3& s) { return TetCorotated::principal(mu, 0, s); }
};

} // namespace sinew
