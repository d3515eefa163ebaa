// A heavy beam of length 1 clamped level at one end, by its differential equation.
#pragma once
#include "core/math.h"
#include <cmath>

namespace sinew {

// tip of the heavy elastica: EI a'' = -q (1 - s) cos a, a(0) = 0, a'(1) = 0, by shooting and RK4
inline Vec2 elastica_tip(Real q_over_ei) {
    const auto shoot = [&](Real slope, Vec2* tip) {
        const int n = 2000;
        const Real h = 1.0 / n;
        Eigen::Vector4d y(0, slope, 0, 0); // a, a', x, y
        const auto f = [&](Real s, const Eigen::Vector4d& u) {
            return Eigen::Vector4d(u[1], q_over_ei * (1 - s) * std::cos(u[0]), std::cos(u[0]), std::sin(u[0]));
        };
        for (int i = 0; i < n; ++i) {
            const Real s = i * h;
            const Eigen::Vector4d k1 = f(s, y), k2 = f(s + h / 2, y + h / 2 * k1), k3 = f(s + h / 2, y + h / 2 * k2), k4 = f(s + h, y + h * k3);
            y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        }
        if (tip) *tip = {y[2], y[3]};
        return y[1];
    };
    Real low = -q_over_ei, high = 0; // a' at the clamp
    for (int i = 0; i < 100; ++i) {
        const Real middle = 0.5 * (low + high);
        (shoot(middle, nullptr) > 0 ? high : low) = middle;
    }
    Vec2 tip;
    shoot(0.5 * (low + high), &tip);
    return tip;
}

} // namespace sinew
