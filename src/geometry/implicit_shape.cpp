#include "geometry/implicit_shape.h"
#include <limits>

namespace sinew {

namespace {
// Length and direction without overflow or underflow; `fallback` where the vector is zero, NaN stays NaN.
Real split(const Vec3& v, const Vec3& fallback, Vec3& direction) {
    const Real scale = v.cwiseAbs().maxCoeff();
    if (scale == 0) {
        direction = fallback;
        return 0;
    }
    const Vec3 w = v / scale;
    const Real length = w.norm();
    direction = w / length;
    return scale * length;
}

// Around the closest point of the core (a point or a segment).
ImplicitHit around(const Vec3& core, const Vec3& p, Real radius, const Vec3& fallback) {
    ImplicitHit r;
    const Real length = split(p - core, fallback, r.normal);
    r.distance = length - radius;
    r.closest = core + radius * r.normal;
    return r;
}

Vec3 capsule_core(const ImplicitShape& s, const Vec3& p) {
    return Vec3(0, std::min(std::max(p.y(), -s.size.y), s.size.y), 0);
}

ImplicitHit box_distance(const Vec3& half, const Vec3& p) {
    ImplicitHit r;
    const Vec3 clamped = p.cwiseMax(-half).cwiseMin(half);
    if (clamped != p) {
        r.distance = split(p - clamped, Vec3::UnitY(), r.normal);
        r.closest = clamped;
        return r;
    }
    // inside or on the surface: the nearest face, the first axis and the positive side if several are
    int axis = 0;
    const Vec3 depth = half - p.cwiseAbs();
    for (int k = 1; k < 3; ++k)
        if (depth[k] < depth[axis]) axis = k;
    const Real side = p[axis] < 0 ? -1 : 1;
    r.distance = -depth[axis];
    r.normal = side * Vec3::Unit(axis);
    r.closest = p;
    r.closest[axis] = side * half[axis];
    return r;
}

// Of the distance to a point, (Id - n n^T) / length; to a line or a plane, Id without their directions.
Mat3 round_hessian(const Vec3& offset, const Mat3& free) {
    Vec3 n;
    const Real length = split(offset, Vec3::Zero(), n);
    if (length == 0) return Mat3::Zero();
    return (free - n * n.transpose()) / length;
}
} // namespace

ImplicitHit evaluate_shape(const ImplicitShape& s, const Vec3& p) {
    switch (s.kind) {
    case ImplicitShape::sphere:
        return around(Vec3::Zero(), p, s.size.x, Vec3::UnitY());
    case ImplicitShape::capsule:
        return around(capsule_core(s, p), p, s.size.x, Vec3::UnitX());
    case ImplicitShape::box:
        return box_distance(vec(s.size), p);
    case ImplicitShape::plane:
        break;
    }
    return {p.y(), Vec3::UnitY(), Vec3(p.x(), 0, p.z())};
}

Mat3 shape_hessian(const ImplicitShape& s, const Vec3& p) {
    Mat3 free = Mat3::Identity(); // directions in which the closest point of the core does not move along
    if (s.kind == ImplicitShape::sphere) return round_hessian(p, free);
    if (s.kind == ImplicitShape::capsule) {
        const Vec3 core = capsule_core(s, p);
        if (core.y() == p.y()) free(1, 1) = 0;
        return round_hessian(p - core, free);
    }
    if (s.kind == ImplicitShape::box) {
        const Vec3 half = vec(s.size), clamped = p.cwiseMax(-half).cwiseMin(half);
        int outside = 0;
        for (int k = 0; k < 3; ++k) {
            if (clamped[k] != p[k])
                ++outside;
            else
                free(k, k) = 0;
        }
        // over a face, and inside, the distance is linear
        if (outside >= 2) return round_hessian(p - clamped, free);
    }
    return Mat3::Zero();
}

void shape_bounds(const ImplicitShape& s, Vec3& min, Vec3& max) {
    constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
    switch (s.kind) {
    case ImplicitShape::sphere:
        max = Vec3::Constant(s.size.x);
        break;
    case ImplicitShape::capsule:
        max = Vec3(s.size.x, s.size.x + s.size.y, s.size.x);
        break;
    case ImplicitShape::box:
        max = vec(s.size);
        break;
    case ImplicitShape::plane:
        min = Vec3::Constant(-kInfinity);
        max = Vec3(kInfinity, 0, kInfinity);
        return;
    }
    min = -max;
}

} // namespace sinew
