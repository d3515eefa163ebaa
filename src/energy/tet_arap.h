// As-rigid-as-possible: the co-rotated material without its volume term.  psi = mu |F - R|^2,  P = 2 mu (F - R)
//   mu = E_y/(2 (1 + nu)) [Pa]: shear is right, Young's modulus is E_y/(1 + nu), there is no lateral contraction
#pragma once
#include "energy/tet_corotated.h"

namespace sinew {

struct TetArap : TetIsotropic<TetArap> {
    static constexpr std::string_view name = "tet_arap";
    static constexpr std::string_view doc = "as-rigid-as-possible tetrahedron: shear modulus only";
    static Lame lame(const TetParams& p) { return {make_lame(p.young, p.poisson).mu, 0}; }
    static Real psi(Real mu, Real, const Mat3& F) { return TetCorotated::psi(mu, 0, F); }
    static Mat3 stress(Real mu, Real, const Mat3& F) { return TetCorotated::stress(mu, 0, F); }
    static PrincipalStiffness principal(Real mu, Real, const Vec3& s) { return TetCorotated::principal(mu, 0, s); }
};

} // namespace sinew
