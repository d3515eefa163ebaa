// Compressible Neo-Hookean membrane:  psi = mu/2 (tr C - 2 - 2 ln J) + lambda/2 (ln J)^2     [Pa]
//   C = I + 2 E,  J = sqrt(det C) area ratio
//   lambda = Y nu/(1 - nu^2), mu = Y/(2 (1 + nu)): plane stress, so that small strains have young and poisson
// Isotropic: young_weft and shear are not used. Grows without bound as the area goes to zero and so forbids collapse; the
// value there is infinite, which a line search turns away from, and the forces are not finite. For rubber at large stretch use tri_rubber.
#pragma once
#include "energy/tri_green.h"
#include <limits>

namespace sinew {

// det C over (E11, E22, E12), its derivatives
inline Density determinant_of_strain(const Vec3& e) {
    Density d;
    const Real a = 1 + 2 * e[0], b = 1 + 2 * e[1];
    d.value = a * b - 4 * e[2] * e[2];
    d.d = {2 * b, 2 * a, -8 * e[2]};
    d.dd << 0, 4, 0, 4, 0, 0, 0, 0, -8;
    return d;
}

struct TriNeohookean : TriGreen<TriNeohookean> {
    static constexpr std::string_view name = "tri_neohookean";
    static constexpr std::string_view doc = "isotropic Neo-Hookean membrane that cannot collapse";
    struct Params : MembraneParams {};
    template <class V> static void fields(Params& p, V&& v) { membrane_fields(p, v); }
    static std::array<Real, 6> constants(const Params& p) {
        return {p.young * p.poisson / (1 - p.poisson * p.poisson), p.young / (2 * (1 + p.poisson)), 0, 0, 0, 0};
    }
    // psi >= lambda/2 (ln J)^2
    static Real lower_bound(const Data& d) { return d.constants[0] >= 0 ? 0 : -std::numeric_limits<Real>::infinity(); }
    static Density density(const std::array<Real, 6>& c, const Vec3& e, int) {
        const Real lambda = c[0], mu = c[1];
        const Density det = determinant_of_strain(e);
        Density out;
        if (!(det.value > 0)) {
            out.value = std::numeric_limits<Real>::infinity();
            out.d.setConstant(std::numeric_limits<Real>::quiet_NaN());
            return out;
        }
        // ln J = 1/2 ln det
        const Real log_j = 0.5 * std::log(det.value), f = 0.5 * (lambda * log_j - mu) / det.value;
        out.value = mu * (e[0] + e[1] - log_j) + 0.5 * lambda * log_j * log_j;
        out.d = Vec3(mu, mu, 0) + f * det.d;
        out.dd = f * det.dd + (0.25 * lambda / det.value - f) / det.value * det.d * det.d.transpose();
        return out;
    }
};

} // namespace sinew
