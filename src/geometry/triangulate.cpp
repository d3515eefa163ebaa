// Ear clipping after Meisters (1975) with the usual two savings: only reflex corners can lie in an ear, and
// after a cut the next corner is skipped, which gives fewer slivers. Collinear corners are cut last, so that
// they take part in triangles with area wherever possible. The work is bounded: a polygon that needs more
// than kWorkBase + kWorkPerCorner * n point tests (far more than thousand-cornered polygons need) is finished
// without the tests.
#include "geometry/triangulate.h"
#include "core/math.h"

namespace sinew {

namespace {
constexpr Real kCollinear = 1e-12; // share of the polygon's area below which a triangle counts as flat
constexpr std::int64_t kWorkBase = 10'000'000, kWorkPerCorner = 4096;

Real cross2(const Vec2& a, const Vec2& b, const Vec2& c) {
    return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

struct Clipper {
    std::vector<Vec2> x; // corners in the plane of the polygon
    std::vector<int> prev, next;
    std::vector<int> reflex; // corners that were reflex when last looked at, in the polygon's order
    std::vector<char> cut, is_reflex;
    Real flat = 0; // twice the area of a flat triangle
    std::int64_t work = 0;
};

Real turn(const Clipper& k, int i) { return cross2(k.x[k.prev[i]], k.x[i], k.x[k.next[i]]); }

// Reflex corners inside the triangle or on its border, those that coincide with a corner of it excepted
// (bridges to holes).
bool contains_reflex(Clipper& k, int a, int b, int c) {
    std::size_t kept = 0;
    bool found = false;
    k.work += std::int64_t(k.reflex.size());
    for (std::size_t n = 0; n < k.reflex.size(); ++n) {
        const int r = k.reflex[n];
        // drop corners that were cut or have become convex
        if (k.cut[r] || !k.is_reflex[r]) continue;
        k.reflex[kept++] = r;
        if (found || r == a || r == b || r == c) continue;
        const Vec2& p = k.x[r];
        if (p == k.x[a] || p == k.x[b] || p == k.x[c]) continue;
        found = cross2(k.x[a], k.x[b], p) >= 0 && cross2(k.x[b], k.x[c], p) >= 0 &&
                cross2(k.x[c], k.x[a], p) >= 0;
    }
    k.reflex.resize(kept);
    return found;
}

enum class Rule { ear, flat, any };

bool may_cut(Clipper& k, int i, Rule rule) {
    if (rule == Rule::any) return true;
    ++k.work;
    const Real area = turn(k, i);
    if (rule == Rule::flat) return std::abs(area) <= k.flat;
    return area > k.flat && !contains_reflex(k, k.prev[i], i, k.next[i]);
}

void cut_corner(Clipper& k, int i) {
    const int p = k.prev[i], n = k.next[i];
    k.cut[i] = 1;
    k.next[p] = n;
    k.prev[n] = p;
    // a convex corner never becomes reflex by cutting an ear, except by rounding: then it is simply not an
    // ear
    for (int j : {p, n}) k.is_reflex[j] = k.is_reflex[j] && turn(k, j) <= k.flat;
}

void clip_ears(Clipper& k, std::vector<std::array<int, 3>>& out) {
    const int n = int(k.x.size());
    const std::int64_t limit = kWorkBase + kWorkPerCorner * n;
    Rule rule = Rule::ear;
    for (int left = n, i = 0, idle = 0; left > 3;) {
        if (k.work > limit) rule = Rule::any;
        if (may_cut(k, i, rule)) {
            out.push_back({k.prev[i], i, k.next[i]});
            cut_corner(k, i);
            i = k.next[k.next[i]];
            rule = Rule::ear;
            idle = 0;
            --left;
        } else {
            i = k.next[i];
            if (++idle < left) continue;
            // a full turn without a cut: be less strict
            rule = rule == Rule::ear ? Rule::flat : Rule::any;
            idle = 0;
        }
        if (left == 3) {
            out.push_back({k.prev[i], i, k.next[i]});
            return;
        }
    }
}

Clipper make_clipper(const PolygonMesh& m, int polygon, const Vec3& area) {
    Clipper k;
    const int begin = m.polygon_begin[polygon], n = polygon_size(m, polygon);
    const Vec3 normal = area.normalized(), u = normal.unitOrthogonal(), v = normal.cross(u);
    const Vec3 origin = vec(m.positions[m.polygon_vertex[begin]]);
    k.flat = kCollinear * 2 * area.norm();
    k.x.resize(n), k.prev.resize(n), k.next.resize(n), k.cut.assign(n, 0), k.is_reflex.assign(n, 0);
    for (int i = 0; i < n; ++i) {
        const Vec3 d = vec(m.positions[m.polygon_vertex[begin + i]]) - origin;
        k.x[i] = Vec2(d.dot(u), d.dot(v));
        k.prev[i] = i ? i - 1 : n - 1;
        k.next[i] = i + 1 < n ? i + 1 : 0;
    }
    for (int i = 0; i < n; ++i)
        if (turn(k, i) <= k.flat) k.is_reflex[i] = 1, k.reflex.push_back(i);
    return k;
}

bool is_fan_valid(const PolygonMesh& m, int polygon, const Vec3& area) {
    const int begin = m.polygon_begin[polygon], end = m.polygon_begin[polygon + 1];
    const Vec3 x0 = vec(m.positions[m.polygon_vertex[begin]]);
    const Real flat = kCollinear * 2 * area.squaredNorm();
    for (int c = begin + 1; c + 1 < end; ++c) {
        const Vec3 a = vec(m.positions[m.polygon_vertex[c]]) - x0,
                   b = vec(m.positions[m.polygon_vertex[c + 1]]) - x0;
        if (!(a.cross(b).dot(area) > flat)) return false;
    }
    return true;
}
} // namespace

Real fan_area(const std::vector<Real3>& positions, std::span<const int> polygon) {
    const auto at = [&](std::size_t i) { return Vec3(vec(positions[polygon[i]])); };
    Real area = 0;
    for (std::size_t i = 2; i < polygon.size(); ++i) area += (at(i - 1) - at(0)).cross(at(i) - at(0)).norm();
    return area;
}

Real3 polygon_area_vector(const PolygonMesh& m, int polygon) {
    const int begin = m.polygon_begin[polygon], end = m.polygon_begin[polygon + 1];
    const Vec3 x0 = vec(m.positions[m.polygon_vertex[begin]]);
    Vec3 sum = Vec3::Zero();
    for (int c = begin + 1; c + 1 < end; ++c)
        sum += (vec(m.positions[m.polygon_vertex[c]]) - x0)
                   .cross(vec(m.positions[m.polygon_vertex[c + 1]]) - x0);
    return real3(0.5 * sum);
}

Triangulation triangulate(const PolygonMesh& m) {
    Triangulation t;
    std::vector<std::array<int, 3>> local; // corners counted from the polygon's first
    for (int p = 0; p < polygon_count(m); ++p) {
        const int begin = m.polygon_begin[p], n = polygon_size(m, p);
        local.clear();
        if (n > 3) {
            const Real3 area_vector = polygon_area_vector(m, p);
            const Vec3 area = vec(area_vector);
            const bool planar = std::isfinite(area.squaredNorm()) && area.squaredNorm() > 0;
            if (planar && !is_fan_valid(m, p, area)) {
                Clipper k = make_clipper(m, p, area);
                clip_ears(k, local);
            }
        }
        if (local.empty())
            for (int i = 1; i + 1 < n; ++i) local.push_back({0, i, i + 1});
        for (const auto& l : local) {
            const std::array<int, 3> c{begin + l[0], begin + l[1], begin + l[2]};
            t.corners.push_back(c);
            t.triangles.push_back({m.polygon_vertex[c[0]], m.polygon_vertex[c[1]], m.polygon_vertex[c[2]]});
            t.polygon.push_back(p);
        }
    }
    return t;
}

} // namespace sinew
