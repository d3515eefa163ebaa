// Closest points of convex cores, geometry/convex_closest.h. Cylinder and cone are solved in the half-plane
// through the axis and p: coordinates rho (distance from the axis) and y, where the solids are a rectangle
// and a triangle.
#include "geometry/convex_closest.h"
#include "geometry/gjk.h"
#include <cmath>

namespace sinew {

namespace {

// From a point outside or on the shape; `fallback` is the normal where the distance vanishes
ClosestPoint from_outside(const Vec3& p, const Vec3& closest, const Vec3& fallback) {
    const Vec3 d = p - closest;
    const Real distance = d.norm();
    if (!(distance > 1e-14 * (p.cwiseAbs() + closest.cwiseAbs()).maxCoeff())) return {0, fallback, closest};
    return {distance, d / distance, closest};
}

ClosestPoint on_segment(const Convex& c, const Vec3& p) {
    const Real y = std::min(std::max(p.y(), -c.size.y()), c.size.y());
    return from_outside(p, {0, y, 0}, Vec3::UnitX());
}

ClosestPoint on_box(const Convex& c, const Vec3& p) {
    const Vec3 clamped = p.cwiseMin(c.size).cwiseMax(-c.size);
    if (clamped != p) return from_outside(p, clamped, Vec3::UnitY());
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        if (c.size[i] - std::abs(p[i]) < c.size[axis] - std::abs(p[axis])) axis = i;
    const Vec3 n = (p[axis] < 0 ? -1 : 1) * Vec3::Unit(axis);
    Vec3 q = p;
    q[axis] = n[axis] * c.size[axis];
    return {std::abs(p[axis]) - c.size[axis], n, q};
}

// In the half-plane (rho, y): distance, normal and closest point as for space
struct Flat {
    Real distance;
    Vec2 normal, closest;
};
Flat flat_outside(const Vec2& q, const Vec2& closest, const Vec2& fallback) {
    const Real d = (q - closest).norm();
    return d > 0 ? Flat{d, (q - closest) / d, closest} : Flat{0, fallback, closest};
}

Flat on_rectangle(Real radius, Real half, const Vec2& q) {
    const Vec2 clamped(std::min(q.x(), radius), std::min(std::max(q.y(), -half), half));
    if (clamped != q) return flat_outside(q, clamped, Vec2::UnitX());
    const Real side = q.x() - radius, cap = std::abs(q.y()) - half, up = q.y() < 0 ? -1 : 1;
    if (side > cap) return {side, Vec2::UnitX(), {radius, q.y()}};
    return {cap, {0, up}, {q.x(), up * half}};
}

Flat on_cone_profile(Real radius, Real half, const Vec2& q) {
    const Vec2 rim(radius, -half), slope(-radius, 2 * half);
    const Real length = slope.norm();
    if (!(length > 0)) return flat_outside(q, rim, Vec2::UnitY());
    const Vec2 out(2 * half / length, radius / length);
    const Real side = out.dot(q - rim), base = -half - q.y();
    if (side <= 0 && base <= 0) {
        if (side > base) return {side, out, q - side * out};
        return {base, {0, -1}, {q.x(), -half}};
    }
    const Real t = std::min(std::max((q - rim).dot(slope) / (length * length), Real(0)), Real(1));
    const Vec2 on_slope = rim + t * slope, on_base(std::min(q.x(), radius), -half);
    if (base > 0 && (q - on_base).squaredNorm() <= (q - on_slope).squaredNorm())
        return flat_outside(q, on_base, {0, -1});
    return flat_outside(q, on_slope, out);
}

ClosestPoint on_revolution(const Convex& c, const Vec3& p) {
    const Real rho = std::hypot(p.x(), p.z());
    const Vec3 radial = rho > 0 ? Vec3(p.x() / rho, 0, p.z() / rho) : Vec3(Vec3::UnitX());
    const Vec2 q(rho, p.y());
    const Flat f = c.core == Convex::cylinder ? on_rectangle(c.size.x(), c.size.y(), q)
                                              : on_cone_profile(c.size.x(), c.size.y(), q);
    const auto space = [&](const Vec2& v) { return Vec3(v.x() * radial + v.y() * Vec3::UnitY()); };
    return {f.distance, space(f.normal), space(f.closest)};
}

Vec3 on_side(const Vec3& a, const Vec3& b, const Vec3& p) {
    const Vec3 e = b - a;
    const Real ee = e.squaredNorm(), t = ee > 0 ? e.dot(p - a) / ee : 0;
    return t <= 0 ? a : t >= 1 ? b : Vec3(a + t * e);
}

ClosestPoint on_triangle(const Convex& c, const Vec3& p) {
    const Real height = c.normal.dot(p - c.corner[0]);
    const Vec3 n = height < 0 ? Vec3(-c.normal) : c.normal, foot = p - height * c.normal;
    bool inside = true;
    for (int i = 0; i < 3; ++i)
        inside = inside && c.normal.dot((c.corner[(i + 1) % 3] - c.corner[i]).cross(foot - c.corner[i])) > 0;
    if (inside) return {std::abs(height), n, foot};
    Vec3 best = c.corner[0];
    for (int i = 0; i < 3; ++i) {
        const Vec3 x = on_side(c.corner[i], c.corner[(i + 1) % 3], p);
        if ((x - p).squaredNorm() < (best - p).squaredNorm()) best = x;
    }
    return from_outside(p, best, n);
}

ClosestPoint on_hull(const Convex& c, const Vec3& p) {
    const HullShape& h = *c.hull_data;
    int face = -1;
    Real most = -std::numeric_limits<Real>::infinity();
    for (std::size_t f = 0; f < h.face_normal.size(); ++f) {
        const Real d = vec(h.face_normal[f]).dot(p) - h.face_offset[f];
        if (d > most) most = d, face = int(f);
    }
    const Vec3 n = face < 0 ? Vec3(Vec3::UnitY()) : Vec3(vec(h.face_normal[face]));
    if (face >= 0 && most <= 0) return {most, n, p - most * n};
    const Convex point;
    Simplex s;
    const GjkResult r =
        run_gjk({&c, &point, {Mat3::Identity(), p}}, std::numeric_limits<Real>::infinity(), s);
    if (r.state == GjkResult::overlapping) return {most, n, p - most * n};
    return {r.distance, -r.v / r.distance, p + r.v};
}

} // namespace

ClosestPoint closest_on_core(const Convex& c, const Vec3& p) {
    switch (c.core) {
    case Convex::segment:
        return on_segment(c, p);
    case Convex::triangle:
        return on_triangle(c, p);
    case Convex::box:
        return on_box(c, p);
    case Convex::cylinder:
    case Convex::cone:
        return on_revolution(c, p);
    case Convex::hull:
        return on_hull(c, p);
    case Convex::half_space:
        return {p.y(), Vec3::UnitY(), {p.x(), 0, p.z()}};
    case Convex::plane:
        return {std::abs(p.y()), p.y() < 0 ? Vec3(-Vec3::UnitY()) : Vec3(Vec3::UnitY()), {p.x(), 0, p.z()}};
    default:
        return from_outside(p, Vec3::Zero(), Vec3::UnitY());
    }
}

ClosestPoint closest_point(const Convex& c, const Vec3& p) {
    ClosestPoint r = closest_on_core(c, p);
    r.distance -= c.radius;
    r.closest += c.radius * r.normal;
    return r;
}

} // namespace sinew
