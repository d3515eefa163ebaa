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
    case ImpactLaw::stick_slide: break;
    }
    Vec3 P = stick_slide(K, n, u, e, mu);
    if (!guard || impact_energy(K, u, P) <= 0) return P;
    // the largest e without gain; at e = 0 there is none
    Real low = 0, high = e;
    for (int k = 0; k < 40; ++k) {
        const Real middle = 0.5 * (low + high);
        if (impact_energy(K, u, stick_slide(K, n, u, middle, mu)) <= 0) low = middle;
        else high = middle;
    }
    P = stick_slide(K, n, u, low, mu);
    return impact_energy(K, u, P) <= 0 ? P : stick_slide(K, n, u, 0, mu);
}

} // namespace sinew
