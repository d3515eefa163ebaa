// Incompressible Neo-Hookean membrane in plane stress:  psi = mu/2 (tr C + 1/det C - 3)     [Pa]
//   The thickness stretches by 1/J, which is where the second term comes from: the exact membrane of an incompressible
//   solid, right at any stretch (balloons). mu = young/3; poisson (1/2), young_weft and shear are not used.
// Grows without bound as the area goes to zero; there the value is infinite and the forces are not finite.
#pragma once
#include "energy/tri_neohookean.h"

namespace sinew {

struct TriRubber : TriGreen<TriRubber> {
    static constexpr std::string_view name = "tri_rubber";
    static constexpr std::string_view doc = "incompressible Neo-Hookean membrane in plane stress: rubber sheets, balloons";
    struct Params : MembraneParams {};
    template <class V> static void fields(Params& p, V&& v) { membrane_fields(p, v); }
    static std::array<Real, 6> constants(const Params& p) { return {p.young / 3, 0, 0, 0, 0, 0}; }
    static Density density(const std::array<Real, 6>& c, const Vec3& e, int) {
        const Real mu = c[0];
        const Density det = determinant_of_strain(e);
        Density out;
        if (!(det.value > 0)) {
            out.value = std::numeric_limits<Real>::infinity();
            out.d.setConstant(std::numeric_limits<Real>::quiet_NaN());
            return out;
        }
        const Real inverse = 1 / det.value, f = -0.5 * mu * inverse * inverse;
        // tr C - 2 = 2 (E11 + E22)
        out.value = mu * (e[0] + e[1]) + 0.5 * mu * (inverse - 1);
        out.d = Vec3(mu, mu, 0) + f * det.d;
        out.dd = f * det.dd + mu * inverse * inverse * inverse * det.d * det.d.transpose();
        return out;
    }
};

} // namespace sinew
