#include "geometry/triangle.h"
#include <algorithm>

namespace sinew {

Real closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
    const Vec3 d = b - a;
    const Real dd = d.squaredNorm();
    return dd > 0 ? std::clamp((p - a).dot(d) / dd, 0.0, 1.0) : 0;
}

namespace {
constexpr Real kThin = 1e-16; // (height / longest edge)^2 below which the plane of a triangle is not to be trusted

TrianglePoint on_edge(int edge, Real s, const Vec3& p0, const Vec3& p1) {
    TrianglePoint r;
    const int next = (edge + 1) % 3;
    r.weight[edge] = 1 - s;
    r.weight[next] = s;
    r.point = s == 0 ? p0 : s == 1 ? p1 : Vec3(p0 + s * (p1 - p0));
    r.feature = TriangleFeature(s == 0 ? 4 + edge : s == 1 ? 4 + next : 1 + edge);
    return r;
}

TrianglePoint closest_on_edges(const Vec3& p, const Vec3 x[3]) {
    TrianglePoint best;
    Real least = std::numeric_limits<Real>::infinity();
    for (int e = 0; e < 3; ++e) {
        const Vec3 &p0 = x[e], &p1 = x[(e + 1) % 3];
        const TrianglePoint q = on_edge(e, closest_on_segment(p, p0, p1), p0, p1);
        const Real d = (p - q.point).squaredNorm();
        if (d < least) least = d, best = q;
    }
    return best;
}
} // namespace

TrianglePoint closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 x[3] = {a, b, c};
    const Vec3 n = (b - a).cross(c - a);
    const Real nn = n.squaredNorm();
    // inside all three edge planes: the foot of the perpendicular
    Vec3 w;
    bool inside = nn > 0;
    for (int e = 0; e < 3 && inside; ++e) {
        const Vec3 &p0 = x[(e + 1) % 3], &p1 = x[(e + 2) % 3];
        w[e] = n.dot((p1 - p0).cross(p - p0)) / nn;
        inside = w[e] > 0;
    }
    if (!inside) return closest_on_edges(p, x);
    // a combination of the corners, not p minus a multiple of n: never off the triangle, however thin it is
    TrianglePoint r;
    r.weight = w / w.sum();
    r.point = r.weight[0] * a + r.weight[1] * b + r.weight[2] * c;
    const Real longest = std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
    if (nn > kThin * longest * longest) return r;
    const TrianglePoint e = closest_on_edges(p, x); // weights of a sliver are noise
    return (p - e.point).squaredNorm() < (p - r.point).squaredNorm() ? e : r;
}

bool triangle_overlaps_box(const Vec3& a, const Vec3& b, const Vec3& c, const Aabb& box) {
    const Vec3 center = (box.lo + box.hi) / 2, half = (box.hi - box.lo) / 2;
    const Vec3 x[3] = {a - center, b - center, c - center};
    if (!overlap(box, merge(merge(box_of(a), b), c))) return false;
    const auto separates = [&](const Vec3& axis) {
        const Real p0 = axis.dot(x[0]), p1 = axis.dot(x[1]), p2 = axis.dot(x[2]), r = half.dot(axis.cwiseAbs());
        return std::min({p0, p1, p2}) > r || std::max({p0, p1, p2}) < -r;
    };
    if (separates((x[1] - x[0]).cross(x[2] - x[0]))) return false;
    for (int e = 0; e < 3; ++e)
        for (int k = 0; k < 3; ++k)
            if (separates(Vec3::Unit(k).cross(x[(e + 1) % 3] - x[e]))) return false;
    return true;
}

} // namespace sinew
