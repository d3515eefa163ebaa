#include "solver/velocity_steady.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr Real kBalance = 0.1; // part of the tolerance by which a step may change velocities

// touches whose law is that of a friction cone between two bodies, and that nothing pushes apart
bool is_plain(const Touch& t, Real slop) {
    return t.kind == 0 && t.pair && t.gap >= -slop && t.rule.restitution == 0 && t.rule.rolling_friction == 0 &&
           t.rule.torsional_friction == 0 && (t.known || t.gap > 0);
}

Vec3 velocity_at(const RowProblem& q, int b, const Vec3& x) { return q.v[b] + q.w[b].cross(x - q.x[b]); }

void push(const Vec3& p, int b, const Vec3& x, RowProblem& q) {
    if (!(q.inverse_mass[b] > 0)) return;
    q.v[b] += q.inverse_mass[b] * p;
    const Vec3 moment = (x - q.x[b]).cross(p);
    const Mat3& W = q.inverse_inertia[b];
    q.w[b] += W.col(0) * moment.x() + W.col(1) * moment.y() + W.col(2) * moment.z();
}

// at least the largest number on the diagonal of J W J^T [1/kg]
Real response(const RowProblem& q, int b, const Vec3& x) {
    return q.inverse_mass[b] + (x - q.x[b]).squaredNorm() * q.inverse_inertia[b].trace();
}

// |p - P(p - r/d)| d with the cone's projection P; of an impulse in the cone it is at most |r|, which will do where that is small
Real residual(const SteadyOptions& o, const Touch& t, const RowProblem& q) {
    const Real mu = t.rule.friction;
    const Vec3 u = velocity_at(q, t.body_a, t.at) - velocity_at(q, t.body_b, t.at);
    const Real un = t.n.dot(u), pn = t.n.dot(t.impulse);
    const Vec3 ut = u - un * t.n, pt = t.impulse - pn * t.n;
    const Real rn = un + contact_rate(t.gap, o.dt) + (o.de_saxce ? mu * ut.norm() : 0), r2 = rn * rn + ut.squaredNorm();
    if (r2 <= o.tolerance * o.tolerance && pn >= 0 && pt.squaredNorm() <= mu * mu * pn * pn) return std::sqrt(r2);
    const Real d = response(q, t.body_a, t.at) + response(q, t.body_b, t.at);
    const Vec3 zt = pt - ut / d;
    const Real slide = zt.norm(), zn = pn - rn / d;
    Real n = zn, f = 1; // projected: normal part, factor of the tangential one
    if (mu * slide <= -zn) n = f = 0;
    else if (slide > mu * zn) n = (zn + mu * slide) / (1 + mu * mu), f = mu * n / slide;
    return d * std::max(std::abs(pn - n), (pt - f * zt).norm());
}

// Whether impulses and forces of the step leave the velocity at the contact alone, where it does not slide; q has what they change.
bool is_balanced(const SteadyOptions& o, const Touch& t, const RowProblem& q) {
    const Real pn = t.n.dot(t.impulse);
    if (!(pn > 0)) return true;
    const auto change = [&](int b) { return q.inverse_mass[b] > 0 ? velocity_at(q, b, t.at) : Vec3(Vec3::Zero()); };
    const Vec3 u = change(t.body_a) - change(t.body_b);
    const Real un = t.n.dot(u);
    const bool sticks = (t.impulse - pn * t.n).squaredNorm() < 0.999 * t.rule.friction * t.rule.friction * pn * pn;
    return std::abs(un) <= kBalance * o.tolerance && (!sticks || (u - un * t.n).norm() <= kBalance * o.tolerance);
}

} // namespace

Steady solve_steady(const SteadyOptions& o, std::span<const int> bodies, std::span<const int> touches, const TouchList& list,
                  const std::vector<Vec3>& linear, const std::vector<Vec3>& angular, RowProblem& q) {
    constexpr int kMost = 64;
    std::array<Vec3, 2 * kMost> before;
    if (bodies.size() > kMost) return Steady::no;
    for (int i : touches)
        if (!is_plain(list.touches[i], o.slop)) return Steady::no;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        const int b = bodies[k];
        before[2 * k] = q.v[b], before[2 * k + 1] = q.w[b];
        q.v[b] = o.dt * linear[b], q.w[b] = o.dt * angular[b];
    }
    for (int i : touches) {
        const Touch& t = list.touches[i];
        if (t.impulse == Vec3::Zero()) continue;
        push(t.impulse, t.body_a, t.at, q);
        push(-t.impulse, t.body_b, t.at, q);
    }
    const auto all = [&](auto&& holds) { return std::all_of(touches.begin(), touches.end(), [&](int i) { return holds(list.touches[i]); }); };
    const bool balanced = all([&](const Touch& t) { return is_balanced(o, t, q); });
    for (std::size_t k = 0; k < bodies.size(); ++k) q.v[bodies[k]] += before[2 * k], q.w[bodies[k]] += before[2 * k + 1];
    const bool solved = all([&](const Touch& t) { return residual(o, t, q) <= o.tolerance; });
    for (std::size_t k = 0; k < bodies.size() && !(solved && balanced); ++k) q.v[bodies[k]] = before[2 * k], q.w[bodies[k]] = before[2 * k + 1];
    return !solved ? Steady::no : balanced ? Steady::yes : Steady::unbalanced;
}

} // namespace sinew
