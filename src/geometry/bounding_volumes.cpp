#include "geometry/bounding_volumes.h"
#include "linalg/svd3.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr Real kSlack = 1e-15; // relative: a few roundings of a sum of three products

// corners of a box, enough to bound it again
std::array<Vec3, 8> corners_of(const Obb& b) {
    std::array<Vec3, 8> c;
    for (int k = 0; k < 8; ++k)
        c[k] = b.center + b.axes * Vec3(k & 1 ? b.half.x() : -b.half.x(), k & 2 ? b.half.y() : -b.half.y(),
                                        k & 4 ? b.half.z() : -b.half.z());
    return c;
}

Real size_of(std::span<const Vec3> points) {
    Real size = 0;
    for (const Vec3& p : points) size = std::max(size, p.cwiseAbs().maxCoeff());
    return size;
}

// the box along given axes
Obb box_along(const Mat3& axes, std::span<const Vec3> points) {
    const Vec3 from = points[0]; // differences keep digits far from zero
    Vec3 lo = Vec3::Zero(), hi = Vec3::Zero();
    for (const Vec3& p : points) {
        const Vec3 q = axes.transpose() * (p - from);
        lo = lo.cwiseMin(q), hi = hi.cwiseMax(q);
    }
    Obb b;
    b.axes = axes;
    b.center = from + axes * (0.5 * (lo + hi));
    b.half = 0.5 * (hi - lo) + Vec3::Constant(8 * kSlack * (size_of(points) + (hi - lo).maxCoeff()));
    return b;
}
Real surface(const Obb& b) {
    return b.half.x() * b.half.y() + b.half.y() * b.half.z() + b.half.z() * b.half.x();
}

Mat3 principal_axes(std::span<const Vec3> points) {
    Vec3 mean = Vec3::Zero();
    for (const Vec3& p : points) mean += p - points[0];
    mean = points[0] + mean / Real(points.size());
    Mat3 covariance = Mat3::Zero();
    for (const Vec3& p : points) covariance += (p - mean) * (p - mean).transpose();
    const Mat3 axes = compute_svd(covariance).U;
    return axes.allFinite() ? axes : Mat3(Mat3::Identity());
}

template <int K> std::array<Vec3, K / 2> make_directions() {
    std::array<Vec3, K / 2> d;
    int n = 0;
    for (int k = 0; k < 3; ++k) d[n++] = Vec3::Unit(k);
    if (K == 14 || K == 26)
        for (int k = 0; k < 4; ++k) d[n++] = Vec3(1, k & 1 ? -1 : 1, k & 2 ? -1 : 1);
    if (K == 18 || K == 26)
        for (int k = 0; k < 3; ++k)
            for (int sign : {1, -1}) {
                Vec3 v = Vec3::Zero();
                v[k] = 1, v[(k + 1) % 3] = sign;
                d[n++] = v;
            }
    return d;
}

} // namespace

template <int K> const std::array<Vec3, K / 2>& directions(const Kdop<K>&) {
    static const std::array<Vec3, K / 2> d = make_directions<K>();
    return d;
}

bool is_empty(const Sphere& a) { return a.radius < 0; }
bool is_empty(const Obb& a) { return a.half.x() < 0; }

void build_bounds(std::span<const Vec3> points, Aabb& out) {
    out = {};
    for (const Vec3& p : points) out = merge(out, p);
}

void build_bounds(std::span<const Vec3> points, Sphere& out) {
    out = {};
    if (points.empty()) return;
    const auto farthest = [&](const Vec3& from) {
        return *std::max_element(points.begin(), points.end(), [&](const Vec3& a, const Vec3& b) {
            return (a - from).squaredNorm() < (b - from).squaredNorm();
        });
    };
    const Vec3 a = farthest(points[0]), b = farthest(a);
    Vec3 center = a + 0.5 * (b - a);
    Real radius = 0.5 * (b - a).norm();
    for (const Vec3& p : points) {
        const Real d = (p - center).norm();
        if (d <= radius) continue;
        center += (d - radius) / (2 * d) * (p - center);
        radius = 0.5 * (d + radius);
    }
    // towards the farthest point by ever smaller steps (Badoiu and Clarkson 2003)
    for (int k = 2; k < 40; ++k) {
        const Vec3 moved = center + (farthest(center) - center) / Real(k + 1);
        if ((farthest(moved) - moved).norm() < (farthest(center) - center).norm()) center = moved;
    }
    out.center = center;
    out.radius = (farthest(center) - center).norm() * (1 + 4 * kSlack);
}

void build_bounds(std::span<const Vec3> points, Obb& out) {
    out = {};
    if (points.empty()) return;
    out = box_along(Mat3::Identity(), points);
    const Obb other = box_along(principal_axes(points), points);
    if (surface(other) < surface(out)) out = other;
}

template <int K> void build_bounds(std::span<const Vec3> points, Kdop<K>& out) {
    out = {};
    const auto& d = directions(out);
    for (const Vec3& p : points)
        for (int k = 0; k < K / 2; ++k) {
            const Real x = d[k].dot(p);
            out.lo[k] = std::min(out.lo[k], x), out.hi[k] = std::max(out.hi[k], x);
        }
}

Sphere merge(const Sphere& a, const Sphere& b) {
    if (is_empty(a)) return b;
    if (is_empty(b)) return a;
    const Vec3 d = b.center - a.center;
    const Real distance = d.norm();
    if (distance + b.radius <= a.radius) return a;
    if (distance + a.radius <= b.radius) return b;
    Sphere out;
    out.radius = 0.5 * (distance + a.radius + b.radius);
    out.center = a.center + (out.radius - a.radius) / distance * d;
    out.radius += 8 * kSlack * (out.radius + a.center.norm() + distance);
    return out;
}

Obb merge(const Obb& a, const Obb& b) {
    if (is_empty(a)) return b;
    if (is_empty(b)) return a;
    std::array<Vec3, 16> points;
    const auto first = corners_of(a), second = corners_of(b);
    std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), points.begin()));
    Obb best = box_along(a.axes, points);
    for (const Mat3& axes : {b.axes, principal_axes(points)}) {
        const Obb other = box_along(axes, points);
        if (surface(other) < surface(best)) best = other;
    }
    return best;
}

template <int K> Kdop<K> merge(const Kdop<K>& a, const Kdop<K>& b) {
    Kdop<K> out;
    for (int k = 0; k < K / 2; ++k)
        out.lo[k] = std::min(a.lo[k], b.lo[k]), out.hi[k] = std::max(a.hi[k], b.hi[k]);
    return out;
}

Sphere grow(const Sphere& a, Real r) {
    return is_empty(a) ? a
                       : Sphere{a.center, (a.radius + r) * (1 + 4 * kSlack) + 4 * kSlack * a.center.norm()};
}
Obb grow(const Obb& a, Real r) {
    if (is_empty(a)) return a;
    Obb out = a;
    out.half += Vec3::Constant(r + 8 * kSlack * (r + a.half.maxCoeff() + a.center.cwiseAbs().maxCoeff()));
    return out;
}
template <int K> Kdop<K> grow(const Kdop<K>& a, Real r) {
    if (is_empty(a)) return a;
    Kdop<K> out = a;
    const auto& d = directions(a);
    for (int k = 0; k < K / 2; ++k) {
        const Real reach = r * d[k].norm(),
                   more = 4 * kSlack * (reach + std::abs(a.lo[k]) + std::abs(a.hi[k]));
        out.lo[k] -= reach + more, out.hi[k] += reach + more;
    }
    return out;
}

bool overlap(const Sphere& a, const Sphere& b) {
    if (is_empty(a) || is_empty(b)) return false;
    const Real reach = a.radius + b.radius;
    return (a.center - b.center).norm() <= reach * (1 + 4 * kSlack) + 4 * kSlack * a.center.norm();
}

// L along the axes of a, the axes of b, and their cross products: |t.L| > sum of half sides along L is apart
bool overlap(const Obb& a, const Obb& b) {
    if (is_empty(a) || is_empty(b)) return false;
    const Mat3 R = a.axes.transpose() * b.axes;
    const Mat3 A = R.cwiseAbs() + Mat3::Constant(4 * kSlack); // also makes parallel edges harmless
    const Vec3 t = a.axes.transpose() * (b.center - a.center);
    const Real slack = 8 * kSlack *
                       (a.center.cwiseAbs().maxCoeff() + b.center.cwiseAbs().maxCoeff() + a.half.maxCoeff() +
                        b.half.maxCoeff());
    for (int i = 0; i < 3; ++i) {
        if (std::abs(t[i]) > a.half[i] + A.row(i).dot(b.half) + slack) return false;
        if (std::abs(t.dot(R.col(i))) > b.half[i] + A.col(i).dot(a.half) + slack) return false;
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const Real reach =
                a.half[i1] * A(i2, j) + a.half[i2] * A(i1, j) + b.half[j1] * A(i, j2) + b.half[j2] * A(i, j1);
            if (std::abs(t[i2] * R(i1, j) - t[i1] * R(i2, j)) > reach + 2 * slack) return false;
        }
    return true;
}

template <int K> bool overlap(const Kdop<K>& a, const Kdop<K>& b) {
    if (is_empty(a) || is_empty(b)) return false;
    bool all = true;
    for (int k = 0; k < K / 2; ++k) all &= (a.lo[k] <= b.hi[k]) && (b.lo[k] <= a.hi[k]);
    return all;
}

bool contains(const Sphere& a, const Vec3& p) { return (p - a.center).norm() <= a.radius; }
bool contains(const Obb& a, const Vec3& p) {
    return ((a.axes.transpose() * (p - a.center)).array().abs() <= a.half.array()).all();
}
template <int K> bool contains(const Kdop<K>& a, const Vec3& p) {
    const auto& d = directions(a);
    for (int k = 0; k < K / 2; ++k) {
        const Real x = d[k].dot(p);
        if (!(a.lo[k] <= x && x <= a.hi[k])) return false;
    }
    return true;
}

#define SINEW_KDOP(K)                                                                                        \
    template const std::array<Vec3, K / 2>& directions(const Kdop<K>&);                                      \
    template void build_bounds(std::span<const Vec3>, Kdop<K>&);                                             \
    template Kdop<K> merge(const Kdop<K>&, const Kdop<K>&);                                                  \
    template Kdop<K> grow(const Kdop<K>&, Real);                                                             \
    template bool overlap(const Kdop<K>&, const Kdop<K>&);                                                   \
    template bool contains(const Kdop<K>&, const Vec3&);
SINEW_KDOP(14)
SINEW_KDOP(18)
SINEW_KDOP(26)
#undef SINEW_KDOP

} // namespace sinew
