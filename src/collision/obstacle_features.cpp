#include "collision/obstacle_features.h"
#include "collision/mesh_feature.h"
#include "geometry/convex.h"
#include "geometry/distance_closest.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

constexpr int kInside = 32; // FeaturePoint::feature

Vec3 half_of(const ImplicitShape& s) { return vec(s.size); }
Vec3 corner_of(const Vec3& half, int c) {
    return {c & 1 ? half.x() : -half.x(), c & 2 ? half.y() : -half.y(), c & 4 ? half.z() : -half.z()};
}
bool in_box(const Vec3& half, const Vec3& p) {
    return ((p.cwiseAbs() - half).array() <= 1e-9 * half.maxCoeff()).all();
}
Real support(const Vec3& half, const Vec3& n) { return half.dot(n.cwiseAbs()); }

// Whether a gap along some normal says where the element is: at most twice as deep as its deepest point (a corner that
// pokes out of an endless plane has at most sqrt(3) times). Deeper ones go the wrong way, out over a far side.
bool is_told(const Vec3& half, std::span<const Vec3> element, Real gap) {
    if (gap >= 0) return true;
    Real size = half.maxCoeff();
    for (const Vec3& x : element) size = std::max(size, x.cwiseAbs().maxCoeff());
    return -gap <= 2 * find_deepest(half, element).depth + 1e-12 * size; // rounding of what only touches
}

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

// the axis through the triangle: out over the nearer end
bool add_pierced(const Vec3& a, const Vec3& b, Real r, const std::array<Vec3, 3>& t, const Vec3& m, Real limit,
                 FeaturePoints& out) {
    const Real ha = m.dot(a - t[0]), hb = m.dot(b - t[0]);
    if (!(std::min(ha, hb) < 0 && std::max(ha, hb) > 0)) return false;
    const Vec3 x = a + ha / (ha - hb) * (b - a);
    const Closest near = closest_vertex_triangle(x, t[0], t[1], t[2]);
    if (near.feature.kind != Feature::point_plane) return false;
    const Real nearer = std::abs(ha) <= std::abs(hb) ? ha : hb;
    add({{near.weight[1], near.weight[2], near.weight[3]}, nearer > 0 ? m : Vec3(-m), -std::abs(nearer) - r, kInside}, limit, out);
    return true;
}

// Side of the triangle's plane to which less has to move: the box reaches as far to both.
Vec3 clear_side(const std::array<Vec3, 3>& t, const Vec3& m) { return m.dot(t[0]) >= 0 ? m : Vec3(-m); }

void add_box_triangle(const Vec3& half, const std::array<Vec3, 3>& t, const Vec3& m, Real limit, FeaturePoints& out) {
    const Vec3 n = clear_side(t, m);
    if (n.dot(t[0]) - support(half, n) >= limit) return;
    for (int c = 0; c < 8; ++c) {
        const Vec3 corner = corner_of(half, c);
        const Real gap = n.dot(t[0] - corner);
        if (gap >= limit) continue;
        const Closest near = closest_vertex_triangle(corner, t[0], t[1], t[2]);
        if (near.feature.kind != Feature::point_plane) continue;
        if (gap < 0 && !(in_box(half, corner - near.difference) && is_told(half, t, gap))) continue;
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

// of several directions in which an edge could leave the box, the one of least depth
void keep_best_direction(const Vec3& half, std::span<const Vec3> e, FeaturePoints& out) {
    int best = 0;
    for (int k = 1; k < out.count; ++k)
        if (out.point[k].distance > out.point[best].distance + 1e-12) best = k;
    if (out.count == 0 || out.point[best].distance >= 0) return;
    const Vec3 n = out.point[best].normal;
    int kept = 0;
    const bool told = is_told(half, e, out.point[best].distance);
    for (int k = 0; k < out.count; ++k)
        if (out.point[k].distance >= 0 || (told && out.point[k].normal.dot(n) > 1 - 1e-6)) out.point[kept++] = out.point[k];
    out.count = kept;
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
    keep_best_direction(half, e, out);
}

// Inside a box the depth is the least of six linear functions, so that its maximum over an element is at a vertex, where two
// of them are equal on an edge, or where three are equal inside a triangle.
DeepPoint find_deepest(const Vec3& half, std::span<const Vec3> element) {
    const int count = int(element.size());
    std::array<Vec3, 6> face; // distance from each face at the element's vertices, positive inside
    for (int f = 0; f < 6; ++f)
        for (int i = 0; i < 3; ++i) face[f][i] = half[f / 2] - (f & 1 ? -1 : 1) * element[std::min(i, count - 1)][f / 2];
    DeepPoint best;
    const auto try_at = [&](const Vec3& w) {
        int nearest = 0;
        for (int f = 1; f < 6; ++f)
            if (face[f].dot(w) < face[nearest].dot(w)) nearest = f;
        const Real depth = face[nearest].dot(w);
        if (depth > best.depth) best = {{w[0], w[1], w[2]}, (nearest & 1 ? -1 : 1) * Vec3::Unit(nearest / 2), depth};
    };
    for (int i = 0; i < count; ++i) try_at(Vec3::Unit(i));
    for (int f = 0; f < 6; ++f)
        for (int g = f + 1; g < 6; ++g) {
            const Vec3 d = face[f] - face[g];
            for (int i = 0; i < (count == 2 ? 1 : 3); ++i) {
                const int j = (i + 1) % 3;
                if (d[i] * d[j] < 0) try_at((d[j] * Vec3::Unit(i) - d[i] * Vec3::Unit(j)) / (d[j] - d[i]));
            }
            for (int h = g + 1; h < 6 && count == 3; ++h) {
                // w with d . w = e . w = 0: perpendicular to both, scaled to sum 1
                const Vec3 w = d.cross(face[f] - face[h]);
                const Real sum = w.sum();
                if (sum != 0 && (w / sum).minCoeff() > 0) try_at(w / sum);
            }
        }
    return best;
}

FeaturePoint make_peak(const Vec3& half, const std::array<Vec3, 3>& t, const DeepPoint& p) {
    const Vec3 n = clear_side(t, normal_of(t));
    const Real gap = n.dot(t[0]) - support(half, n);
    const bool inside = std::min({p.weight[0], p.weight[1], p.weight[2]}) > 0;
    if (inside && n.squaredNorm() > 0.5 && gap < 0 && is_told(half, t, gap)) return {p.weight, n, gap, kInside};
    return {p.weight, p.normal, -p.depth, kInside};
}

bool find_piercing(const ImplicitShape& s, const std::array<Vec3, 3>& t, FeaturePoint& out) {
    const Vec3 half = half_of(s), m = normal_of(t);
    if (!(m.squaredNorm() > 0.5)) return false;
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
    for (int i = 0; i < count; ++i) {
        if (!(polygon[i].minCoeff() > 1e-9)) return false; // an edge of the triangle is in the box too
        middle += polygon[i] / count;
    }
    const Vec3 n = clear_side(t, m);
    out = {{middle[0], middle[1], middle[2]}, n, n.dot(t[0]) - support(half, n), kInside};
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
    out = {{1 - middle, middle, 0}, Vec3::UnitY(), -std::numeric_limits<Real>::infinity(), kInside};
    for (int axis = 0; axis < 3; ++axis)
        for (Real side : {1.0, -1.0}) {
            const Vec3 n = side * along.cross(Vec3::Unit(axis)).stableNormalized();
            const Real gap = n.dot(e[0]) - support(half, n);
            if (n.squaredNorm() > 0.5 && gap > out.distance) out.normal = n, out.distance = gap;
        }
    return out.distance < 0 && std::isfinite(out.distance);
}

} // namespace sinew
