#include "model/dual.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace sinew {

void solve_small(int n, const Real* A, const Real* b, Real* x) {
    std::array<Real, 144> l;
    std::array<Real, 12> pivot;
    Real size = 0;
    for (int i = 0; i < n; ++i) size = std::max(size, A[i * (n + 1)]);
    for (int j = 0; j < n; ++j) {
        Real d = A[j * (n + 1)];
        for (int k = 0; k < j; ++k) d -= l[j * n + k] * l[j * n + k] * pivot[k];
        pivot[j] = d > 1e-14 * size ? d : 0;
        for (int i = j + 1; i < n; ++i) {
            Real v = A[i * n + j];
            for (int k = 0; k < j; ++k) v -= l[i * n + k] * l[j * n + k] * pivot[k];
            l[i * n + j] = pivot[j] > 0 ? v / pivot[j] : 0;
        }
    }
    for (int i = 0; i < n; ++i) {
        x[i] = b[i];
        for (int k = 0; k < i; ++k) x[i] -= l[i * n + k] * x[k];
    }
    for (int i = 0; i < n; ++i) x[i] = pivot[i] > 0 ? x[i] / pivot[i] : 0;
    for (int i = n - 1; i >= 0; --i)
        for (int k = i + 1; k < n; ++k) x[i] -= l[k * n + i] * x[k];
}

namespace {

// what a response needs: rows x dofs, W J^T stored like J
struct Response {
    Real value[kMaxDualRows * kMaxDualDofs];
};

// false if all of the element is held
bool respond(const DualElement& e, const DualState& s, Response& out) {
    bool free = false;
    for (int i = 0; i < e.points; ++i) {
        const Real w = e.id[i] < 0 ? 0 : s.point_inverse[e.id[i]];
        free = free || w > 0;
        for (int r = 0; r < e.rows; ++r)
            for (int k = 3 * i; k < 3 * i + 3; ++k) out.value[r * e.dofs + k] = w * e.jacobian[r * e.dofs + k];
    }
    int at = 3 * e.points;
    for (int i = 0; i < e.frames; ++i, at += 6) {
        const int f = e.id[e.points + i];
        const Real w = s.frame_inverse[f];
        free = free || w > 0;
        for (int r = 0; r < e.rows; ++r) {
            const Real* j = e.jacobian + r * e.dofs + at;
            Real* to = out.value + r * e.dofs + at;
            for (int k = 0; k < 3; ++k) to[k] = w * j[k];
            Eigen::Map<Vec3>(to + 3) = s.frame_inverse_inertia[f] * Eigen::Map<const Vec3>(j + 3);
        }
    }
    for (int i = 0; i < e.scalars; ++i, ++at) {
        const Real w = s.scalar_inverse[e.id[e.points + e.frames + i]];
        free = free || w > 0;
        for (int r = 0; r < e.rows; ++r) out.value[r * e.dofs + at] = w * e.jacobian[r * e.dofs + at];
    }
    return free;
}

// u = J v
void rates(const DualElement& e, const DualState& s, Real* u) {
    for (int r = 0; r < e.rows; ++r) {
        const Real* j = e.jacobian + r * e.dofs;
        Real sum = 0;
        for (int i = 0; i < e.points; ++i, j += 3)
            if (e.id[i] >= 0) sum += Eigen::Map<const Vec3>(j).dot(vec(s.v[e.id[i]]));
        for (int i = 0; i < e.frames; ++i, j += 6) {
            const int f = e.id[e.points + i];
            sum += Eigen::Map<const Vec3>(j).dot(vec(s.frame_v[f])) + Eigen::Map<const Vec3>(j + 3).dot(vec(s.frame_w[f]));
        }
        for (int i = 0; i < e.scalars; ++i, ++j) sum += *j * s.ds[e.id[e.points + e.frames + i]];
        u[r] = sum;
    }
}

void move(const DualElement& e, const DualState& s, const Response& response, const Real* change, Real reach, Real kick) {
    Real d[kMaxDualDofs] = {};
    for (int r = 0; r < e.rows; ++r)
        for (int k = 0; k < e.dofs; ++k) d[k] += response.value[r * e.dofs + k] * change[r];
    for (int i = 0; i < e.points; ++i) {
        if (e.id[i] < 0 || !(s.point_inverse[e.id[i]] > 0)) continue; // what is held belongs to no colour
        const Eigen::Map<const Vec3> by(d + 3 * i);
        vec(s.x[e.id[i]]) += reach * by;
        vec(s.v[e.id[i]]) += kick * by;
    }
    int at = 3 * e.points;
    for (int i = 0; i < e.frames; ++i, at += 6) {
        const int f = e.id[e.points + i];
        if (!(s.frame_inverse[f] > 0)) continue;
        const Eigen::Map<const Vec3> by(d + at), turn(d + at + 3);
        vec(s.p[f]) += reach * by;
        vec(s.frame_v[f]) += kick * by;
        vec(s.frame_w[f]) += kick * turn;
        s.q[f] = real4((exp_rotation(reach * turn) * quat(s.q[f])).normalized());
    }
    for (int i = 0; i < e.scalars; ++i, ++at) {
        const int k = e.id[e.points + e.frames + i];
        if (!(s.scalar_inverse[k] > 0)) continue;
        s.s[k] += reach * d[at];
        s.ds[k] += kick * d[at];
    }
}

} // namespace

void project_element(const DualElement& e, const Sweep& w, Real* lambda) {
    Response response;
    if (!respond(e, w.to, response)) return;
    const int n = e.rows;
    Real A[kMaxDualRows * kMaxDualRows], r[kMaxDualRows], u[kMaxDualRows], change[kMaxDualRows];
    for (int a = 0; a < n; ++a)
        for (int b = 0; b <= a; ++b) {
            Real sum = 0;
            for (int k = 0; k < e.dofs; ++k) sum += e.jacobian[a * e.dofs + k] * response.value[b * e.dofs + k];
            A[a * n + b] = A[b * n + a] = sum;
        }
    const bool velocity = e.level == Level::velocity;
    const Real rho = w.own_damping ? std::max(e.damping_time, w.damping_time) : w.damping_time;
    Real alpha = e.compliance, scale = w.reach, omega = w.relaxation;
    if (velocity || rho > 0) rates(e, w.to, u);
    if (velocity) {
        for (int k = 0; k < n; ++k) r[k] = -w.h * (u[k] - e.rate[k]);
        scale = w.h * w.kick;
        alpha *= w.h; // of such rows: the inverse of the damping
    } else {
        for (int k = 0; k < n; ++k) r[k] = -e.c[k] - (rho > 0 ? rho * (u[k] - e.rate[k]) : 0);
        scale += rho * w.kick;
    }
    if (w.softness == Softness::factor && !velocity) omega *= w.stiffness, alpha = 0;
    else if (w.softness == Softness::feedback || velocity)
        for (int k = 0; k < n; ++k) r[k] -= alpha * lambda[k];
    for (int i = 0; i < n * n; ++i) A[i] *= scale;
    for (int k = 0; k < n; ++k) A[k * (n + 1)] += alpha;
    if (e.bound == Bound::equality) {
        if (n == 1) change[0] = A[0] > 0 ? r[0] / A[0] : 0;
        else solve_small(n, A, r, change);
        for (int k = 0; k < n; ++k) change[k] *= omega;
    } else {
        for (int k = 0; k < n; ++k) {
            Real wanted = A[k * (n + 1)] > 0 ? lambda[k] + omega * r[k] / A[k * (n + 1)] : lambda[k];
            if (e.bound == Bound::lower) wanted = std::max(0.0, wanted);
            if (e.bound == Bound::box) wanted = std::clamp(wanted, -e.limit, e.limit);
            change[k] = wanted - lambda[k];
            for (int i = k + 1; i < n; ++i) r[i] -= A[i * n + k] * change[k];
        }
    }
    for (int k = 0; k < n; ++k) lambda[k] += change[k];
    move(e, w.to, response, change, w.reach, w.kick);
}

} // namespace sinew
