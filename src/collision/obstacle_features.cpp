#include "collision/obstacle_features.h"
#include "geometry/convex.h"
#include "geometry/distance_closest.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

constexpr Real kPolar = 1e-6; // rounding of the cones' half-spaces, as in collision/mesh_feature.h
constexpr int kInside = 32;   // FeaturePoint::feature

Vec3 half_of(const ImplicitShape& s) { return vec(s.size); }
Vec3 corner_of(const Vec3& half, int c) {
    return {c & 1 ? half.x() : -half.x(), c & 2 ? half.y() : -half.y(), c & 4 ? half.z() : -half.z()};
}
bool in_box(const Vec3& half, const Vec3& p) {
    return ((p.cwiseAbs() - half).array() <= 1e-9 * half.maxCoeff()).all();
}
Real support(const Vec3& half, const Vec3& n) { return half.dot(n.cwiseAbs()); }

// The least translation that frees an element of an obstacle: along n by depth.
struct Way {
    Vec3 normal = Vec3::UnitY();
    Real depth = std::numeric_limits<Real>::infinity();
};

// +-n as ways out. `reach` is the obstacle's support along n, the same to both sides.
void try_way(const Vec3& n, Real reach, std::span<const Vec3> element, Way& best) {
    if (!(n.squaredNorm() > 0.5)) return; // edges that are parallel, or a triangle without area
    Real low = n.dot(element[0]), high = low;
    for (const Vec3& x : element) low = std::min(low, n.dot(x)), high = std::max(high, n.dot(x));
    if (reach - low < best.depth) best = {n, reach - low};
    if (reach + high < best.depth) best = {-n, reach + high};
}

// Out of a box. The directions are the facets of the Minkowski difference: faces of the box, the triangle, pairs of edges.
Way least_way(const Vec3& half, std::span<const Vec3> element) {
    Way best;
    for (int axis = 0; axis < 3; ++axis) try_way(Vec3::Unit(axis), half[axis], element, best);
    const int count = int(element.size());
    for (int i = 0; i < (count == 2 ? 1 : count); ++i)
        for (int axis = 0; axis < 3; ++axis) {
            const Vec3 n = (element[(i + 1) % count] - element[i]).cross(Vec3::Unit(axis)).stableNormalized();
            try_way(n, support(half, n), element, best);
        }
    if (count == 3) {
        const Vec3 n = (element[1] - element[0]).cross(element[2] - element[0]).stableNormalized();
        try_way(n, support(half, n), element, best);
    }
    return best;
}

// Whether a gap is no deeper than the least way, up to rounding.
bool is_least(Real gap, const Way& way) { return -gap <= way.depth * (1 + 1e-9); }

void add(const FeaturePoint& p, Real limit, FeaturePoints& out) {
    if (p.distance < limit && out.count < int(out.point.size())) out.point[out.count++] = p;
}

bool edge_allows(std::span<const Vec3> inward, const Vec3& n) {
    return std::all_of(inward.begin(), inward.end(), [&](const Vec3& t) { return n.dot(t) >= -kPolar * t.norm(); });
}

Vec3 normal_of(const std::array<Vec3, 3>& t) { return (t[1] - t[0]).cross(t[2] - t[0]).stableNormalized(); }

// a point of the core of radius r against a triangle
void add_core_triangle(const Vec3& core, Real r, int feature, const std::array<Vec3, 3>& t, const Vec3& m, Real limit,
                       FeaturePoints& out) {
    const Closest near = closest_vertex_triangle(core, t[0], t[1], t[2]);
    if (near.feature.kind != Feature::point_plane) return;
    const Real length = std::sqrt(near.squared);
    const Vec3 n = length > 0 ? Vec3(-near.difference / length) : m;
    add({{near.weight[1], near.weight[2], near.weight[3]}, n, length - r, feature}, limit, out);
}

// the axis through the triangle: out over the nearer end, or sideways over an edge of the triangle
bool add_pierced(const Vec3& a, const Vec3& b, Real r, const std::array<Vec3, 3>& t, const Vec3& m, Real limit,
                 FeaturePoints& out) {
    const Real ha = m.dot(a - t[0]), hb = m.dot(b - t[0]);
    if (!(std::min(ha, hb) < 0 && std::max(ha, hb) > 0)) return false;
    const Vec3 x = a + ha / (ha - hb) * (b - a);
    const Closest near = closest_vertex_triangle(x, t[0], t[1], t[2]);
    if (near.feature.kind != Feature::point_plane) return false;
    Way best; // of the axis alone: the radius adds to every way
    const auto along = [&](const Vec3& n) { try_way(n, std::abs(n.dot(b - a)) / 2, t, best); }; // the axis is centred
    along(m);
    for (int i = 0; i < 3; ++i) along((b - a).cross(t[(i + 1) % 3] - t[i]).stableNormalized());
    add({{near.weight[1], near.weight[2], near.weight[3]}, best.normal, -best.depth - r, kInside}, limit, out);
    return true;
}

// Side of the triangle's plane to which less has to move: the box reaches as far to both.
Vec3 clear_side(const std::array<Vec3, 3>& t, const Vec3& m) { return m.dot(t[0]) >= 0 ? m : Vec3(-m); }

void add_box_triangle(const Vec3& half, const std::array<Vec3, 3>& t, const Vec3& m, Real limit, FeaturePoints& out) {
    const Vec3 n = clear_side(t, m);
    if (n.dot(t[0]) - support(half, n) >= limit) return;
    const Way way = least_way(half, t);
    for (int c = 0; c < 8; ++c) {
        const Vec3 corner = corner_of(half, c);
        const Real gap = n.dot(t[0] - corner);
        if (gap >= limit) continue;
        const Closest near = closest_vertex_triangle(corner, t[0], t[1], t[2]);
        if (near.feature.kind != Feature::point_plane) continue;
        if (gap < 0 && !(is_least(gap, way) && in_box(half, corner - near.difference))) continue;
        add({{near.weight[1], near.weight[2], near.weight[3]}, n, gap, c}, limit, out);
    }
}

void add_core_edge(const Vec3& core, Real r, int feature, const std::array<Vec3, 2>& e, std::span<const Vec3> inward,
                   const Vec3& facing, Real limit, FeaturePoints& out) {
    const Closest near = closest_vertex_edge(core, e[0], e[1]);
    if (near.feature.kind != Feature::point_line) return;
    const Real length = std::sqrt(near.squared);
    const Vec3 n = length > 0 ? Vec3(-near.difference / length) : facing;
    if (length > 0 && !edge_allows(inward, n)) return;
    add({{near.weight[1], near.weight[2], 0}, n, length - r, feature}, limit, out);
}

void add_axis_edge(const Vec3& a, const Vec3& b, Real r, const std::array<Vec3, 2>& e, std::span<const Vec3> inward, Real limit,
                   FeaturePoints& out) {
    const Closest near = closest_edge_edge(a, b, e[0], e[1]);
    if (near.feature.kind != Feature::line_line) return;
    const Real length = std::sqrt(near.squared);
    const Vec3 n = length > 0 ? Vec3(near.difference / length) : Vec3((b - a).cross(e[1] - e[0]).stableNormalized());
    if (length > 0 && !edge_allows(inward, n)) return;
    add({{near.weight[2], near.weight[3], 0}, n, length - r, 16}, limit, out);
}

// a line across the box's edge `g` (axis, corner at its lower end)
void add_box_edge(const Vec3& half, int axis, int corner, const std::array<Vec3, 2>& e, std::span<const Vec3> inward, Real limit,
                  FeaturePoints& out) {
    const Vec3 along = e[1] - e[0], g = corner_of(half, corner);
    Vec3 n = along.cross(Vec3::Unit(axis));
    const Real sine = n.norm();
    if (!(sine > 1e-9 * along.norm())) return; // parallel: corners and vertices tell it
    n /= sine;
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const Real si = g[i] < 0 ? -1 : 1, sj = g[j] < 0 ? -1 : 1;
    if (n[i] * si + n[j] * sj < 0) n = -n;
    if (n[i] * si < -kPolar || n[j] * sj < -kPolar || !edge_allows(inward, n)) return;
    // nearest points of the two lines: in the plane of i, j the edge g is a point
    const Real s = ((g[i] - e[0][i]) * along[i] + (g[j] - e[0][j]) * along[j]) / (along[i] * along[i] + along[j] * along[j]);
    if (!(s > 0 && s < 1)) return;
    const Vec3 x = e[0] + s * along;
    const Real gap = n[i] * (x[i] - g[i]) + n[j] * (x[j] - g[j]);
    if (!(std::abs(x[axis]) < half[axis]) || (gap < 0 && !in_box(half, x))) return;
    add({{1 - s, s, 0}, n, gap, 16 + 4 * axis + (si > 0) + 2 * (sj > 0)}, limit, out);
}

void add_box_corner(const Vec3& half, int c, const std::array<Vec3, 2>& e, std::span<const Vec3> inward, Real limit,
                    FeaturePoints& out) {
    const Vec3 corner = corner_of(half, c);
    const Closest near = closest_vertex_edge(corner, e[0], e[1]);
    if (near.feature.kind != Feature::point_line || !(near.squared > 0)) return;
    const Real length = std::sqrt(near.squared);
    const Vec3 n = -near.difference / length;
    for (int k = 0; k < 3; ++k)
        if (n[k] * (corner[k] < 0 ? -1 : 1) < 0) return; // an edge or a face of the box is nearer
    if (edge_allows(inward, n)) add({{near.weight[1], near.weight[2], 0}, n, length, c}, limit, out);
}

// of several directions in which an edge could leave the box, the one of least depth; none where an end is nearer to a face
void keep_best_direction(const Way& way, FeaturePoints& out) {
    const auto drop = [&](auto&& keeps) {
        int kept = 0;
        for (int k = 0; k < out.count; ++k)
            if (out.point[k].distance >= 0 || keeps(out.point[k])) out.point[kept++] = out.point[k];
        out.count = kept;
    };
    drop([&](const FeaturePoint& p) { return is_least(p.distance, way); });
    if (out.count == 0) return;
    int best = 0;
    for (int k = 1; k < out.count; ++k)
        if (out.point[k].distance > out.point[best].distance + 1e-12) best = k;
    const Vec3 n = out.point[best].normal;
    if (out.point[best].distance < 0) drop([&](const FeaturePoint& p) { return p.normal.dot(n) > 1 - 1e-6; });
}

} // namespace

void find_triangle_features(const ImplicitShape& s, const std::array<Vec3, 3>& t, Real limit, FeaturePoints& out) {
    out.count = 0;
    if (s.kind == ImplicitShape::plane) return;
    const Vec3 m = normal_of(t);
    if (!(m.squaredNorm() > 0.5)) return; // without area: its edges are all of it
    if (s.kind == ImplicitShape::box) return add_box_triangle(half_of(s), t, m, limit, out);
    if (s.kind == ImplicitShape::sphere) return add_core_triangle(Vec3::Zero(), s.size.x, 0, t, m, limit, out);
    const Vec3 end(0, s.size.y, 0);
    if (add_pierced(-end, end, s.size.x, t, m, limit, out)) return;
    add_core_triangle(-end, s.size.x, 0, t, m, limit, out);
    if (s.size.y > 0) add_core_triangle(end, s.size.x, 1, t, m, limit, out);
}

void find_edge_features(const ImplicitShape& s, const std::array<Vec3, 2>& e, std::span<const Vec3> inward, const Vec3& facing,
                        Real limit, FeaturePoints& out) {
    out.count = 0;
    switch (s.kind) {
    case ImplicitShape::plane: return;
    case ImplicitShape::sphere: return add_core_edge(Vec3::Zero(), s.size.x, 0, e, inward, facing, limit, out);
    case ImplicitShape::capsule: {
        const Vec3 end(0, s.size.y, 0);
        add_core_edge(-end, s.size.x, 0, e, inward, facing, limit, out);
        if (s.size.y > 0) {
            add_core_edge(end, s.size.x, 1, e, inward, facing, limit, out);
            add_axis_edge(-end, end, s.size.x, e, inward, limit, out);
        }
        return;
    }
    case ImplicitShape::box: break;
    }
    const Vec3 half = half_of(s);
    for (int c = 0; c < 8; ++c) {
        add_box_corner(half, c, e, inward, limit, out);
        for (int axis = 0; axis < 3; ++axis)
            if (!(c >> axis & 1)) add_box_edge(half, axis, c, e, inward, limit, out);
    }
    keep_best_direction(least_way(half, e), out);
}

bool find_cut(const ImplicitShape& s, const std::array<Vec3, 3>& t, FeaturePoint& out) {
    const Vec3 half = half_of(s);
    if (!(normal_of(t).squaredNorm() > 0.5)) return false;
    // the triangle clipped by the six faces, in barycentric weights
    std::array<Vec3, 9> polygon{Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()}, next;
    int count = 3;
    for (int face = 0; face < 6 && count; ++face) {
        const int k = face / 2;
        const Real sign = face & 1 ? -1 : 1;
        const Vec3 height(half[k] - sign * t[0][k], half[k] - sign * t[1][k], half[k] - sign * t[2][k]); // inside: >= 0
        int kept = 0;
        for (int i = 0; i < count; ++i) {
            const Vec3 &p = polygon[i], &q = polygon[(i + 1) % count];
            const Real hp = height.dot(p), hq = height.dot(q);
            if (hp >= 0) next[kept++] = p;
            if ((hp < 0) != (hq < 0)) next[kept++] = p + hp / (hp - hq) * (q - p);
        }
        polygon = next, count = kept;
    }
    if (count == 0) return false;
    Vec3 middle = Vec3::Zero();
    for (int i = 0; i < count; ++i) middle += polygon[i] / count;
    const Way way = least_way(half, t);
    out = {{middle[0], middle[1], middle[2]}, way.normal, -way.depth, kInside};
    return out.distance < 0;
}

bool find_cut(const ImplicitShape& s, const std::array<Vec3, 2>& e, FeaturePoint& out) {
    const Vec3 half = half_of(s), along = e[1] - e[0];
    Real t0 = 0, t1 = 1;
    for (int k = 0; k < 3; ++k) {
        if (along[k] == 0) {
            if (std::abs(e[0][k]) > half[k]) return false;
            continue;
        }
        const Real a = (-half[k] - e[0][k]) / along[k], b = (half[k] - e[0][k]) / along[k];
        t0 = std::max(t0, std::min(a, b)), t1 = std::min(t1, std::max(a, b));
    }
    if (!(t0 <= t1)) return false;
    const Real middle = 0.5 * (t0 + t1);
    const Way way = least_way(half, e);
    out = {{1 - middle, middle, 0}, way.normal, -way.depth, kInside};
    return out.distance < 0;
}

} // namespace sinew
