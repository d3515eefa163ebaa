// Membranes by any orthotropic energy psi(J1, J2, J3) (spec T 3.1.4).
//   J1 = tr E, J2 = tr E^2, J3 = strain along the weft (axis 2)
// Every orthotropic energy of a sheet is such a function (Tamstorf 2016, 3.7). A law L derives from TriOrthotropic<L> and has
//   static Density invariants(const std::array<Real, 6>&, const Vec3& J, int order);   psi over (J1, J2, J3)
// beside name, doc, Params, fields and constants of tri_green.h; tri_fung.h is one.
#pragma once
#include "energy/tri_green.h"

namespace sinew {

inline Vec3 strain_invariants(const Vec3& e) {
    return {e[0] + e[1], e[0] * e[0] + e[1] * e[1] + 2 * e[2] * e[2], e[1]};
}

// chain rule from the invariants to (E11, E22, E12): J1 and J3 are linear, J2 is quadratic
inline Density density_of_invariants(const Density& psi, const Vec3& e, int order) {
    Density out;
    out.value = psi.value;
    if (order == 0) return out;
    Mat3 g; // dJ/dE by rows
    g << 1, 1, 0, 2 * e[0], 2 * e[1], 4 * e[2], 0, 1, 0;
    out.d = g.transpose() * psi.d;
    if (order == 1) return out;
    out.dd = g.transpose() * psi.dd * g;
    out.dd.diagonal() += psi.d[1] * Vec3(2, 2, 4);
    return out;
}

template <class L> struct TriOrthotropic : TriGreen<L> {
    static Density density(const std::array<Real, 6>& c, const Vec3& e, int order) {
        return density_of_invariants(L::invariants(c, strain_invariants(e), order), e, order);
    }
};

// psi = lambda/2 J1^2 + mu J2 + alpha J1 J3 + beta J3^2 with its derivatives; constants lambda, mu, alpha, beta
inline Density quadratic_invariants(const std::array<Real, 6>& c, const Vec3& j) {
    Density q;
    q.value = 0.5 * c[0] * j[0] * j[0] + c[1] * j[1] + c[2] * j[0] * j[2] + c[3] * j[2] * j[2];
    q.d = {c[0] * j[0] + c[2] * j[2], c[1], c[2] * j[0] + 2 * c[3] * j[2]};
    q.dd << c[0], 0, c[2], 0, 0, 0, c[2], 0, 2 * c[3];
    return q;
}

} // namespace sinew
