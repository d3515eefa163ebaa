#include "collision/field_features.h"
#include "collision/mesh_feature.h"
#include "geometry/distance_closest.h"
#include "geometry/height_field.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr Real kFlat = 1e-9;  // sine of the bend below which a place of the field is flat: rounding of heights

struct NodeRange {
    int i0, i1, k0, k1; // inclusive; empty where i0 > i1
};
// Nodes of all cells that the box, grown by `reach`, covers in x and z.
NodeRange nodes_near(const HeightFieldShape& f, const Aabb& box, Real reach) {
    const auto low = [&](Real x, Real d, int n) { return int(std::clamp(std::floor((x - reach) / d), 0.0, Real(n))); };
    const auto high = [&](Real x, Real d, int n) { return int(std::clamp(std::ceil((x + reach) / d), -1.0, Real(n - 1))); };
    return {low(box.lo.x(), f.dx, f.nx), high(box.hi.x(), f.dx, f.nx), low(box.lo.z(), f.dz, f.nz), high(box.hi.z(), f.dz, f.nz)};
}
Real highest(const HeightFieldShape& f, const NodeRange& r) {
    Real top = -std::numeric_limits<Real>::infinity();
    for (int k = r.k0; k <= r.k1; ++k)
        for (int i = r.i0; i <= r.i1; ++i) top = std::max(top, Real(f.height[std::size_t(k) * f.nx + i]));
    return top;
}
// What lies below the field by some depth can be nearest to what is as far aside. Deeper than the element is large its
// vertices say enough: nothing is searched for there.
NodeRange nodes_near(const HeightFieldShape& f, const Aabb& box, Real limit, bool& any) {
    const NodeRange over = nodes_near(f, box, std::max(limit, 0.0));
    const Real top = highest(f, over);
    any = top > box.lo.y() - limit;
    const Real depth = std::min(top - box.lo.y(), std::max(limit, 0.0) + (box.hi - box.lo).norm());
    return any && depth > limit ? nodes_near(f, box, depth) : over;
}

// The place x on the element and y on the field as a normal and a signed distance; false if it says nothing.
bool make_feature(const HeightFieldShape& f, const Vec3& x, const Vec3& y, const Vec3& fallback, Real limit, bool border, FeaturePoint& out) {
    const HeightSample under = sample_height(f, x.x(), x.z());
    const Vec3 way = x - y;
    const Real length = way.norm();
    const bool below = under.inside && x.y() < under.height;
    out.distance = below ? -length : length;
    if (!(out.distance < limit)) return false;
    // at distance zero the direction is rounding
    const bool touching = !(length > 1e-12 * (x.cwiseAbs().maxCoeff() + y.cwiseAbs().maxCoeff()));
    out.normal = touching ? fallback : Vec3((below ? -1 : 1) / length * way);
    if (!(out.normal.y() > 0)) return false;
    if (!below || touching || !border) return true;
    const SurfacePoint near = find_closest(f, x, length);
    return near.triangle < 0 || length <= 2 * near.distance;
}

bool on_border(const HeightFieldShape& f, int i, int k) { return i == 0 || k == 0 || i + 1 == f.nx || k + 1 == f.nz; }

constexpr std::array<std::array<int, 2>, 6> kNeighbors{{{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}}};

// whether n is a normal of the field at its node, and the node is no inside of a flat part along n
bool node_allows(const HeightFieldShape& f, int i, int k, const Vec3& n) {
    const Vec3 at = height_field_node(f, i, k);
    bool bent = false;
    for (const auto& [di, dk] : kNeighbors) {
        const int i1 = i + di, k1 = k + dk;
        if (i1 < 0 || k1 < 0 || i1 >= f.nx || k1 >= f.nz) {
            bent = true; // the border of a flat field holds what lies across it
            continue;
        }
        const Vec3 e = height_field_node(f, i1, k1) - at;
        const Real slope = n.dot(e), length = e.norm();
        if (slope > kPolar * length) return false;
        bent = bent || slope < -kFlat * length;
    }
    return bent;
}

Vec3 into(const Vec3& a, const Vec3& b, const Vec3& third) { // from the edge ab, perpendicular to it
    const Vec3 along = (b - a).normalized(), r = third - a;
    return (r - r.dot(along) * along).normalized();
}

struct FieldEdge {
    Vec3 a, b;
    int sides = 0;
    std::array<Vec3, 2> into; // its triangles
    int feature = 0;
};
// kind 0 along x, 1 along z, 2 along the diagonal, from node (i, k); false if there is none
bool find_field_edge(const HeightFieldShape& f, int i, int k, int kind, FieldEdge& e) {
    const int i1 = i + (kind != 1), k1 = k + (kind != 0);
    if (i1 >= f.nx || k1 >= f.nz) return false;
    e.a = height_field_node(f, i, k), e.b = height_field_node(f, i1, k1);
    e.sides = 0;
    // the two corners across, by the cut of the cells along (i, k) to (i + 1, k + 1)
    const std::array<std::array<int, 2>, 2> across[3] = {
        {{{i + 1, k + 1}, {i, k - 1}}}, {{{i + 1, k + 1}, {i - 1, k}}}, {{{i + 1, k}, {i, k + 1}}}};
    for (const auto& [ci, ck] : across[kind])
        if (ci >= 0 && ck >= 0 && ci < f.nx && ck < f.nz) e.into[e.sides++] = into(e.a, e.b, height_field_node(f, ci, ck));
    e.feature = int((std::int64_t(k) * f.nx + i) * 3 + kind + std::int64_t(f.nx) * f.nz);
    return true;
}
bool edge_allows(const FieldEdge& e, const Vec3& n) {
    bool bent = e.sides < 2;
    for (int s = 0; s < e.sides; ++s) {
        const Real slope = n.dot(e.into[s]);
        if (slope > kPolar) return false;
        bent = bent || slope < -kFlat;
    }
    return bent;
}

template <std::size_t N> Aabb box_around(const std::array<Vec3, N>& x) {
    Aabb box;
    for (const Vec3& p : x) box = merge(box, p);
    return box;
}

template <class Point> void sort_by_feature(std::vector<Point>& all) {
    std::sort(all.begin(), all.end(), [](const Point& a, const Point& b) { return a.feature < b.feature; });
}

void add_place(const FieldPoint& p, std::vector<FieldPoint>& out) {
    const auto same = [&](const FieldPoint& q) { return is_near(p.normal, q.normal); };
    if (p.normal.y() > 0 && std::none_of(out.begin(), out.end(), same)) out.push_back(p);
}

// the place y of the field as nearest to p around there
bool make_place(const Vec3& p, const Vec3& y, Real limit, std::int64_t feature, FieldPoint& out) {
    const Vec3 way = p - y;
    const Real length = way.norm();
    if (!(length < limit && length > 0)) return false;
    out = {length, way / length, feature + 1};
    return true;
}

} // namespace

void find_field_vertex_features(const HeightFieldShape& f, const Vec3& p, Real limit, std::vector<FieldPoint>& out) {
    out.clear();
    SurfaceDistance nearest;
    if (!find_field_distance(f, p, limit, nearest)) return;
    out.push_back({nearest.distance, nearest.normal, 0});
    if (!(nearest.distance > 0)) return;
    const NodeRange r = nodes_near(f, box_of(p), limit);
    const std::int64_t nodes = std::int64_t(f.nx) * f.nz;
    FieldPoint place;
    for (int k = r.k0; k <= r.k1; ++k)
        for (int i = r.i0; i <= r.i1; ++i) {
            if (make_place(p, height_field_node(f, i, k), limit, k * f.nx + i, place) && node_allows(f, i, k, place.normal)) add_place(place, out);
            for (int kind = 0; kind < 3; ++kind) {
                FieldEdge e;
                if (!find_field_edge(f, i, k, kind, e)) continue;
                const Closest near = closest_vertex_edge(p, e.a, e.b);
                if (near.feature.kind == Feature::point_line && make_place(p, p - near.difference, limit, e.feature, place) &&
                    edge_allows(e, place.normal))
                    add_place(place, out);
            }
            for (int half = 0; half < 2 && i + 1 < f.nx && k + 1 < f.nz; ++half) {
                const int t = 2 * (k * (f.nx - 1) + i) + half;
                const std::array<Vec3, 3> x = height_field_triangle(f, t);
                const Vec3 n = (x[1] - x[0]).cross(x[2] - x[0]).normalized();
                const Real height = n.dot(p - x[0]);
                if (!(height > 0 && height < limit)) continue;
                const Closest near = closest_vertex_triangle(p, x[0], x[1], x[2]);
                if (near.feature.kind == Feature::point_plane) add_place({height, n, 4 * nodes + t + 1}, out);
            }
        }
    sort_by_feature(out);
}

void find_field_triangle_features(const HeightFieldShape& f, const std::array<Vec3, 3>& t, Real limit, std::vector<FeaturePoint>& out) {
    out.clear();
    const Aabb box = box_around(t);
    bool any = false;
    const NodeRange r = nodes_near(f, box, limit, any);
    Vec3 m = (t[1] - t[0]).cross(t[2] - t[0]).stableNormalized();
    if (!any || !(m.squaredNorm() > 0.5)) return;
    if (m.y() < 0) m = -m;
    for (int k = r.k0; k <= r.k1; ++k)
        for (int i = r.i0; i <= r.i1; ++i) {
            const Vec3 y = height_field_node(f, i, k);
            if (!(m.dot(t[0] - y) < limit)) continue; // the foot is along m, and above the field the node is below it
            const Closest near = closest_vertex_triangle(y, t[0], t[1], t[2]);
            if (near.feature.kind != Feature::point_plane) continue;
            FeaturePoint p;
            p.weight = {near.weight[1], near.weight[2], near.weight[3]};
            p.feature = k * f.nx + i;
            if (!make_feature(f, y - near.difference, y, m, limit, on_border(f, i, k), p) || !node_allows(f, i, k, p.normal)) continue;
            out.push_back(p);
        }
}

void find_field_edge_features(const HeightFieldShape& f, const std::array<Vec3, 2>& e, std::span<const Vec3> inward, Real limit,
                              std::vector<FeaturePoint>& out) {
    out.clear();
    const Aabb box = box_around(e);
    bool any = false;
    NodeRange r = nodes_near(f, box, limit, any);
    if (!any) return;
    r.i0 = std::max(0, r.i0 - 1), r.k0 = std::max(0, r.k0 - 1); // edges start one node before
    const auto on_sheet = [&](const Vec3& n) {
        return std::all_of(inward.begin(), inward.end(), [&](const Vec3& t) { return n.dot(t) >= -kPolar * t.norm(); });
    };
    const Vec3 along = (e[1] - e[0]).stableNormalized(), up = (Vec3::UnitY() - along.y() * along).stableNormalized();
    for (int k = r.k0; k <= r.k1; ++k)
        for (int i = r.i0; i <= r.i1; ++i) {
            FeaturePoint p;
            const Vec3 y = height_field_node(f, i, k);
            const Closest foot = closest_vertex_edge(y, e[0], e[1]);
            p.weight = {foot.weight[1], foot.weight[2], 0};
            p.feature = k * f.nx + i;
            if (foot.feature.kind == Feature::point_line && make_feature(f, y - foot.difference, y, up, limit, on_border(f, i, k), p) &&
                node_allows(f, i, k, p.normal) && on_sheet(p.normal))
                out.push_back(p);
            for (int kind = 0; kind < 3; ++kind) {
                FieldEdge g;
                if (!find_field_edge(f, i, k, kind, g) || std::max(g.a.y(), g.b.y()) < box.lo.y() - limit) continue;
                const Closest near = closest_edge_edge(e[0], e[1], g.a, g.b);
                if (near.feature.kind != Feature::line_line) continue;
                const Vec3 cross = (e[1] - e[0]).cross(g.b - g.a).stableNormalized();
                const Vec3 x = near.weight[0] * e[0] + near.weight[1] * e[1];
                p.weight = {near.weight[0], near.weight[1], 0};
                p.feature = g.feature;
                if (make_feature(f, x, x + near.difference, cross.y() < 0 ? Vec3(-cross) : cross, limit, g.sides < 2, p) &&
                    edge_allows(g, p.normal) && on_sheet(p.normal))
                    out.push_back(p);
            }
        }
    sort_by_feature(out);
}

} // namespace sinew
