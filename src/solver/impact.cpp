#include "solver/impact.h"
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

Vec3 frictionless(const Mat3& K, const Vec3& n, const Vec3& u, Real e) {
    return -(1 + e) * u.dot(n) / n.dot(K * n) * n;
}

Vec3 stick_slide(const Mat3& K, const Vec3& n, const Vec3& u, Real e, Real mu) {
    const Vec3 stick = -K.inverse() * (u + e * u.dot(n) * n);
    const Real normal = stick.dot(n);
    if (normal >= 0 && (stick - normal * n).norm() <= mu * normal) return stick;
    const Vec3 slip = u - u.dot(n) * n;
    const Real speed = slip.norm();
    if (!(speed > 0)) return frictionless(K, n, u, e);
    const Vec3 along = n - mu * slip / speed;
    const Real d = n.dot(K * along);
    if (!(d > 1e-12 * K.trace())) return frictionless(K, n, u, e); // jamming: sliding cannot stop the approach
    return -(1 + e) * u.dot(n) / d * along;
}

// p_t across n that stops the slip u, K_tt p_t = -u_t
Vec3 stop_slip(const Mat3& K, const Vec3& n, const Vec3& u) {
    const Vec3 t0 = n.unitOrthogonal(), t1 = n.cross(t0);
    Mat2 across;
    across << t0.dot(K * t0), t0.dot(K * t1), t1.dot(K * t0), t1.dot(K * t1);
    const Vec2 p = -across.inverse() * Vec2(t0.dot(u), t1.dot(u));
    return p.x() * t0 + p.y() * t1;
}

Vec3 poisson(const Mat3& K, const Vec3& n, const Vec3& u, Real e, Real mu) {
    Vec3 P = stick_slide(K, n, u, 0, mu);
    const Real load = e * P.dot(n);
    if (load > 0) {
        P += load * n;
        const Vec3 friction = stop_slip(K, n, u + K * P);
        const Real size = friction.norm();
        P += size > mu * load ? Vec3(mu * load / size * friction) : friction;
    }
    const Vec3 after = u + K * P;
    return after.dot(n) < 0 ? Vec3(P + stick_slide(K, n, after, 0, mu)) : P;
}

Vec3 chatterjee_ruina(const Mat3& K, const Vec3& n, const Vec3& u, Real e, Real mu) {
    const Vec3 plastic = frictionless(K, n, u, 0), stick = -K.inverse() * u;
    const Vec3 sum = (1 + e) * plastic + (stick - plastic);
    const Real normal = sum.dot(n), tangential = (sum - normal * n).norm();
    if (tangential <= mu * normal) return sum;
    const Vec3 change = stick - plastic;
    const Real across = (stick - stick.dot(n) * n).norm(), d = across - mu * n.dot(change);
    if (!(d > 0)) return (1 + e) * plastic;
    const Real kappa = std::clamp(mu * (1 + e) * n.dot(plastic) / d, 0.0, 1.0);
    return (1 + e) * plastic + kappa * change;
}

} // namespace

Vec3 compute_impact(ImpactLaw law, const Mat3& K, const Vec3& n, const Vec3& u, Real e, Real mu, bool guard) {
    if (!(u.dot(n) < 0) || !(n.dot(K * n) > 0)) return Vec3::Zero();
    if (!(K.determinant() > 1e-14 * std::pow(K.trace(), 3))) law = ImpactLaw::frictionless; // held in some direction
    switch (law) {
    case ImpactLaw::sticking: return -K.inverse() * u;
    case ImpactLaw::frictionless: return frictionless(K, n, u, e);
    case ImpactLaw::chatterjee_ruina: return chatterjee_ruina(K, n, u, e, mu);
    case ImpactLaw::stick_slide:
    case ImpactLaw::poisson: break;
    }
    const auto impulse = [&](Real part) { return law == ImpactLaw::poisson ? poisson(K, n, u, part, mu) : stick_slide(K, n, u, part, mu); };
    const Vec3 P = impulse(e);
    if (!guard || impact_energy(K, u, P) <= 0) return P;
    // the largest e without gain
    Real low = 0, high = e;
    for (int k = 0; k < 40; ++k) {
        const Real middle = 0.5 * (low + high);
        (impact_energy(K, u, impulse(middle)) <= 0 ? low : high) = middle;
    }
    // Friction along the first slip may turn it round, and then gains even at e = 0, where K couples slip and approach: the law that never does stops it.
    const Vec3 kept = impulse(low);
    return impact_energy(K, u, kept) <= 0 ? kept : chatterjee_ruina(K, n, u, 0, mu);
}

} // namespace sinew
