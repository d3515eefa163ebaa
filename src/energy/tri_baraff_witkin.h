// Membrane after Baraff and Witkin (1998), section 4.2, as an energy density:
//   psi = 1/2 k_u (|w_u| - 1)^2 + 1/2 k_v (|w_v| - 1)^2 + 1/2 k_s (w_u . w_v)^2     [Pa]
//   w_u, w_v  images of the unit warp and weft directions;  |w_u|^2 = 1 + 2 E11,  w_u . w_v = 2 E12
//   k_u = young, k_v = young_weft, k_s = shear modulus; `poisson` enters through the default of shear only: warp and weft
//   do not know of each other, which is what tells this model from St. Venant-Kirchhoff's.
// Their conditions scale with the area, so that their energy goes with its square and a finer mesh is softer; here the
// energy is per area. Where a thread direction has collapsed to a point (|w| < 1e-9) the force along it is left out.
#pragma once
#include "energy/tri_green.h"

namespace sinew {

struct TriBaraffWitkin : TriGreen<TriBaraffWitkin> {
    static constexpr std::string_view name = "tri_baraff_witkin";
    static constexpr std::string_view doc = "membrane of independent warp, weft and shear after Baraff and Witkin 1998";
    struct Params : MembraneParams {};
    template <class V> static void fields(Params& p, V&& v) { membrane_fields(p, v); }
    static std::array<Real, 6> constants(const Params& p) {
        return {p.young, p.young * weft_ratio(p), shear_modulus(p), 0, 0, 0};
    }
    static Density density(const std::array<Real, 6>& c, const Vec3& e, int) {
        Density out;
        for (int i = 0; i < 2; ++i) {
            const Real w = std::sqrt(std::max(0.0, 1 + 2 * e[i]));
            out.value += 0.5 * c[i] * (w - 1) * (w - 1);
            if (w < 1e-9) continue;
            out.d[i] = c[i] * (1 - 1 / w);       // dw/dE = 1/w
            out.dd(i, i) = c[i] / (w * w * w);
        }
        out.value += 2 * c[2] * e[2] * e[2];
        out.d[2] = 4 * c[2] * e[2];
        out.dd(2, 2) = 4 * c[2];
        return out;
    }
};

} // namespace sinew
