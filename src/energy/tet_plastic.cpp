#include "energy/tet_plastic.h"
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace sinew {

static Real von_mises(const Vec3& t) {
    const Vec3 dev = t.array() - t.mean();
    return std::sqrt(1.5) * dev.norm();
}

void flow_plastic(const PlasticLaw& law, PrincipalStress stress, const TetData& d, const std::array<Vec3, 4>& x, Real dt,
                  Real* memory) {
    if (d.shape.volume == 0) return;
    const Mat3 inverse = plastic_inverse(memory);
    const Svd3 svd = compute_svd(deformation(inverse_of(d.shape) * inverse, x));
    if (!(svd.sigma[2] > 0.01 * svd.sigma[0])) return;
    const Vec3 e = svd.sigma.array().log(), dev = e.array() - e.mean();
    const Real size = std::sqrt(2.0 / 3) * dev.norm();

    // m - (Y + H a) once the part g has flowed
    const auto excess = [&](Real g) {
        const Vec3 s = svd.sigma.array() * (-g * dev.array()).exp();
        return von_mises(s.cwiseProduct(stress(d.mu, d.lambda, s))) - law.yield - law.hardening * (memory[9] + g * size);
    };
    Real high = excess(0);
    if (!(high > 0) || size == 0) return;
    // false position, Illinois variant, between 0 (too much stress) and 1 (none left to shear)
    Real a = 0, b = 1, low = excess(1), g = 1;
    int side = 0;
    for (int k = 0; k < 100 && b - a > 1e-15; ++k) {
        g = std::clamp((a * low - b * high) / (low - high), a, b);
        const Real f = excess(g);
        if (std::abs(f) <= 1e-12 * law.yield) break;
        if (f > 0) {
            a = g, high = f;
            if (side == 1) low *= 0.5;
            side = 1;
        } else {
            b = g, low = f;
            if (side == -1) high *= 0.5;
            side = -1;
        }
    }
    if (law.rate > 0) g *= 1 - std::exp(-law.rate * dt);

    const Vec3 part = (-g * dev.array()).exp();
    Mat3 next = inverse * (svd.V * part.asDiagonal() * svd.V.transpose());
    const Vec3 stretch = compute_svd(next).sigma;
    if (!(stretch[0] <= law.limit * stretch[2])) return;
    next /= std::cbrt(next.determinant()); // det Fp = 1 up to rounding
    Mat3::Map(memory) = next - Mat3::Identity();
    memory[9] += g * size;
}

} // namespace sinew
