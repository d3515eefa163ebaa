// Support functions of the convex cores, geometry/convex.h. Box: sign of each coordinate. Cylinder and cone:
// the rim point along the radial part of d. Hull: linear search up to 32 vertices, above that steepest ascent
// over the edges, which ends at a furthest vertex because a vertex of a convex polytope without a better
// neighbour is one.
#include "geometry/convex.h"
#include <cmath>

namespace sinew {

Placement make_placement(const Pose& pose) {
    Quat q = quat(pose.rotation);
    const Real n = q.norm();
    if (!(n > 1e-150) || !std::isfinite(n)) return {Mat3::Identity(), vec(pose.position)};
    q.coeffs() /= n;
    return {q.toRotationMatrix(), vec(pose.position)};
}

static bool is_length(Real x) { return std::isfinite(x) && x >= 0; }

std::optional<Convex> make_convex(const ShapeStore& store, const Shape& s) {
    Convex c;
    if (!is_length(s.rounding)) return {};
    c.size = vec(s.size);
    c.radius = s.rounding;
    int sizes = 0; // how many of the three must be lengths
    switch (s.kind) {
    case Shape::point:
        c.size.setZero();
        break;
    case Shape::sphere:
        sizes = 1;
        c.radius += s.size.x;
        break;
    case Shape::segment:
        c.core = Convex::segment;
        if (!is_length(s.size.y)) return {};
        break;
    case Shape::capsule:
        c.core = Convex::segment;
        sizes = 2;
        c.radius += s.size.x;
        break;
    case Shape::box:
        c.core = Convex::box;
        sizes = 3;
        break;
    case Shape::cylinder:
        c.core = Convex::cylinder;
        sizes = 2;
        break;
    case Shape::cone:
        c.core = Convex::cone;
        sizes = 2;
        break;
    case Shape::half_space:
        c.core = Convex::half_space;
        break;
    case Shape::plane:
        c.core = Convex::plane;
        break;
    case Shape::hull:
        if (s.data < 0 || s.data >= int(store.hulls.size()) || store.hulls[s.data].vertices.empty())
            return {};
        c.core = Convex::hull;
        c.hull_data = &store.hulls[s.data];
        break;
    default:
        return {};
    }
    for (int i = 0; i < sizes; ++i)
        if (!is_length(c.size[i])) return {};
    return c;
}

Vec3 perpendicular(const Vec3& n) {
    int least = 0;
    for (int i = 1; i < 3; ++i)
        if (std::abs(n[i]) < std::abs(n[least])) least = i;
    const Vec3 c = n.cross(Vec3::Unit(least));
    const Real length = c.norm();
    return length > 0 ? Vec3(c / length) : Vec3(Vec3::UnitX());
}

Convex make_triangle(const Vec3& a, const Vec3& b, const Vec3& c, Real radius) {
    Convex t;
    t.core = Convex::triangle;
    t.radius = radius;
    t.corner = {a, b, c};
    // the longest side is the base: the least cancellation in the height
    const Vec3 side[3] = {b - a, c - b, a - c};
    int base = 0;
    for (int i = 1; i < 3; ++i)
        if (side[i].squaredNorm() > side[base].squaredNorm()) base = i;
    const Vec3 area = side[base].cross(side[(base + 1) % 3]);
    const Real norm = area.norm();
    t.normal = norm > 1e-14 * side[base].squaredNorm() ? Vec3(area / norm) : perpendicular(side[base]);
    return t;
}

static SupportPoint rim(Real radius, Real y, const Vec3& d) {
    const Real radial = std::sqrt(d.x() * d.x() + d.z() * d.z());
    if (!(radial > 0)) return {Vec3(0, y, 0), -1};
    return {Vec3(radius * (d.x() / radial), y, radius * (d.z() / radial)), -1};
}

static SupportPoint support_hull(const HullShape& h, const Vec3& d, int hint) {
    const int count = int(h.vertices.size());
    if (count <= 32 || int(h.neighbor_begin.size()) != count + 1) {
        int best = 0;
        Real most = vec(h.vertices[0]).dot(d);
        for (int i = 1; i < count; ++i) {
            const Real s = vec(h.vertices[i]).dot(d);
            if (s > most) most = s, best = i;
        }
        return {vec(h.vertices[best]), best};
    }
    int best = hint >= 0 && hint < count ? hint : 0;
    Real most = vec(h.vertices[best]).dot(d);
    for (int moves = 0; moves < count; ++moves) {
        const int from = best;
        for (int k = h.neighbor_begin[from]; k < h.neighbor_begin[from + 1]; ++k) {
            const Real s = vec(h.vertices[h.neighbor[k]]).dot(d);
            if (s > most) most = s, best = h.neighbor[k];
        }
        if (best == from) break;
    }
    return {vec(h.vertices[best]), best};
}

SupportPoint support(const Convex& c, const Vec3& d, int hint) {
    switch (c.core) {
    case Convex::segment:
        return d.y() >= 0 ? SupportPoint{Vec3(0, c.size.y(), 0), 1}
                          : SupportPoint{Vec3(0, -c.size.y(), 0), 0};
    case Convex::triangle: {
        int best = 0;
        for (int i = 1; i < 3; ++i)
            if (c.corner[i].dot(d) > c.corner[best].dot(d)) best = i;
        return {c.corner[best], best};
    }
    case Convex::box: {
        const int id = int(d.x() >= 0) | int(d.y() >= 0) << 1 | int(d.z() >= 0) << 2;
        return {Vec3(id & 1 ? c.size.x() : -c.size.x(), id & 2 ? c.size.y() : -c.size.y(),
                     id & 4 ? c.size.z() : -c.size.z()),
                id};
    }
    case Convex::cylinder:
        return rim(c.size.x(), d.y() >= 0 ? c.size.y() : -c.size.y(), d);
    case Convex::cone:
        if (d.y() * 2 * c.size.y() >= c.size.x() * std::sqrt(d.x() * d.x() + d.z() * d.z()))
            return {Vec3(0, c.size.y(), 0), 0};
        return rim(c.size.x(), -c.size.y(), d);
    case Convex::hull:
        return support_hull(*c.hull_data, d, hint);
    default:
        return {Vec3::Zero(), 0};
    }
}

Vec3 center_of(const Convex& c) {
    if (c.core == Convex::triangle) return (c.corner[0] + c.corner[1] + c.corner[2]) / 3;
    if (c.core != Convex::hull) return Vec3::Zero();
    Vec3 sum = Vec3::Zero();
    for (const Real3& v : c.hull_data->vertices) sum += vec(v);
    return sum / Real(c.hull_data->vertices.size());
}

Real radius_about(const Convex& c, const Vec3& o) {
    Real most = 0; // squared
    switch (c.core) {
    case Convex::triangle:
        for (const Vec3& v : c.corner) most = std::max(most, (v - o).squaredNorm());
        break;
    case Convex::hull:
        for (const Real3& v : c.hull_data->vertices) most = std::max(most, (vec(v) - o).squaredNorm());
        break;
    case Convex::cylinder:
    case Convex::cone: {
        const Real rim = std::hypot(o.x(), o.z()) + c.size.x(), low = -c.size.y() - o.y(),
                   high = c.size.y() - o.y();
        const Real top = c.core == Convex::cone ? std::hypot(o.x(), o.z()) : rim;
        most = std::max(rim * rim + low * low, top * top + high * high);
        break;
    }
    case Convex::segment:
        most = (o.cwiseAbs() + Vec3(0, c.size.y(), 0)).squaredNorm();
        break;
    case Convex::box:
        most = (o.cwiseAbs() + c.size).squaredNorm();
        break;
    default:
        most = o.squaredNorm();
    }
    return std::sqrt(most) + c.radius;
}

} // namespace sinew
