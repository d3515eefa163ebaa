// Everything that can be met is a convex item in one tree of boxes. Rays meet triangles watertight (Woop et al. 2013).
// Other rays and moved shapes advance conservatively: a plane with normal n that separates item and shape by d lets the
// shape go d / (n . u) along the unit direction u; for convex shapes the steps converge to the touch from below.
#include "sinew/query.h"
#include "collision/aabb_tree_visit.h"
#include "geometry/convex_distance.h"
#include "geometry/shape_bounds.h"
#include "geometry/triangle.h"
#include "model/surface.h"
#include <algorithm>

namespace sinew {

struct QueryItem {
    Convex convex;
    Placement place;
    int object = -1;
    QueryHit::Part part = QueryHit::shape;
    int index = -1;
};
struct Query {
    ParallelPtr parallel;
    std::vector<QueryItem> items; // by object, part, index
    std::vector<Aabb> boxes;
    std::vector<Real3> x;         // surface
    std::vector<Id> id;           // per object
    std::vector<std::uint32_t> groups;
    std::shared_ptr<const ShapeStore> shapes; // hulls of the items
    AabbTree tree;
    TreeScratch scratch;
};
void QueryDelete::operator()(Query* q) const { delete q; }

namespace {

constexpr int kAdvances = 200;

bool is_met(const Query& q, const QueryFilter& f, int object) {
    return (q.groups[object] & f.groups) && !(f.ignore && f.ignore == q.id[object]);
}

void add_colliders(const Model& m, const State& s, int object, Range colliders, Query& q) {
    static const ShapeStore none;
    for (int k = colliders.begin; k < colliders.end; ++k) {
        const Collider& c = m.colliders[k];
        const std::optional<Convex> convex = make_convex(m.shapes ? *m.shapes : none, c.shape);
        if (!convex) continue;
        const Placement frame = make_placement({s.frame.p[c.frame], s.frame.q[c.frame]}), own = make_placement(c.pose);
        q.items.push_back({*convex, {frame.R * own.R, frame.R * own.p + frame.p}, object, QueryHit::shape, -1});
    }
}

bool all_convex(const Model& m, Range colliders) {
    static const ShapeStore none;
    for (int k = colliders.begin; k < colliders.end; ++k)
        if (!make_convex(m.shapes ? *m.shapes : none, m.colliders[k].shape)) return false;
    return colliders.count() > 0;
}

// triangles as they are; edges without triangle and vertices without edge with their thickness
void add_surface(const Model& m, const State& s, int object, std::vector<std::uint8_t>& used, Query& q) {
    const Object& o = m.objects[object];
    const auto at = [&](int v) { return Vec3(vec(q.x[v])); };
    const auto alive = [&](int v) { return is_alive(m, s.point.alive, m.surface.vertices[v]); };
    for (int k = o.triangles.begin; k < o.triangles.end; ++k) {
        const auto& t = m.surface.triangles[k];
        for (int v : t) used[v] = 1;
        if (alive(t[0]) && alive(t[1]) && alive(t[2]))
            q.items.push_back({make_triangle(at(t[0]), at(t[1]), at(t[2]), 0), {}, object, QueryHit::triangle, k - o.triangles.begin});
    }
    for (int k = o.edges.begin; k < o.edges.end; ++k) {
        const auto& e = m.surface.edges[k];
        if ((used[e[0]] && used[e[1]]) || !alive(e[0]) || !alive(e[1])) continue;
        Convex c;
        c.core = Convex::segment;
        const Vec3 way = at(e[1]) - at(e[0]);
        c.size = {0, way.norm() / 2, 0};
        c.radius = std::max(m.surface.thickness[e[0]], m.surface.thickness[e[1]]);
        const Vec3 y = way.squaredNorm() > 0 ? Vec3(way.normalized()) : Vec3(Vec3::UnitY()), x = perpendicular(y);
        Placement f;
        f.R << x, y, x.cross(y);
        f.p = 0.5 * (at(e[0]) + at(e[1]));
        q.items.push_back({c, f, object, QueryHit::edge, k - o.edges.begin});
    }
    for (int k = o.edges.begin; k < o.edges.end; ++k)
        for (int v : m.surface.edges[k]) used[v] = 1;
    for (int v = o.surface.begin; v < o.surface.end; ++v) {
        if (used[v] || !alive(v)) continue;
        Convex c;
        c.radius = m.surface.thickness[v];
        q.items.push_back({c, {Mat3::Identity(), at(v)}, object, QueryHit::vertex, v - o.surface.begin});
    }
}

// t of the ray with the triangle, NaN = none; the same edge gives the same decision for both its triangles
Real hit_triangle(const Ray& ray, const std::array<Vec3, 3>& c) {
    int kz = 0;
    ray.direction.cwiseAbs().maxCoeff(&kz);
    int kx = (kz + 1) % 3, ky = (kz + 2) % 3;
    if (ray.direction[kz] < 0) std::swap(kx, ky);
    const Real sx = ray.direction[kx] / ray.direction[kz], sy = ray.direction[ky] / ray.direction[kz], sz = 1 / ray.direction[kz];
    std::array<Real, 3> x, y, z;
    for (int k = 0; k < 3; ++k) {
        const Vec3 a = c[k] - ray.start;
        x[k] = a[kx] - sx * a[kz], y[k] = a[ky] - sy * a[kz], z[k] = sz * a[kz];
    }
    const Real u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2], w = x[1] * y[0] - y[1] * x[0];
    const Real none = std::numeric_limits<Real>::quiet_NaN();
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return none;
    const Real det = u + v + w;
    if (det == 0) return none;
    return (u * z[0] + v * z[1] + w * z[2]) / det;
}

struct Touch {
    Real t; // [m] along the unit direction, NaN = none
    ConvexDistance at;
};
// first touch of `moved`, from its place along the unit direction u, with the item, up to `far`
Touch advance(const Convex& moved, Placement place, const Vec3& u, const QueryItem& item, Real far) {
    Touch out{0, {}};
    const Vec3 start = place.p;
    const Real none = std::numeric_limits<Real>::quiet_NaN();
    // touching: below the rounding of the distance at this size
    const Real close = 1e-10 * (1 + start.norm() + (is_bounded(item.convex) ? radius_about(item.convex, center_of(item.convex)) : 0));
    for (int k = 0; k < kAdvances; ++k) {
        place.p = start + out.t * u;
        out.at = convex_distance(moved, place, item.convex, item.place);
        if (!std::isfinite(out.at.distance)) return {none, out.at};
        if (out.at.distance <= close) return out;
        const Real approach = out.at.normal.dot(u);
        if (!(approach > 0)) return {none, out.at};
        out.t += out.at.distance / approach;
        if (!(out.t <= far)) return {none, out.at};
    }
    return out; // grazing: apart by less than the steps can tell
}

QueryHit make_hit(const Query& q, const QueryItem& item, const Vec3& position, const Vec3& normal, Real distance) {
    return {q.id[item.object], item.part, item.index, real3(position), real3(normal), distance};
}

// nearer, or as near and earlier in the list
struct Best {
    int item = -1;
    QueryHit hit;
    bool takes(Real distance, int k) const {
        return item < 0 || distance < hit.distance || (distance == hit.distance && k < item);
    }
};

Aabb moved_box(const Convex& c, const Placement& place, const Vec3& motion) {
    Placement end = place;
    end.p += motion;
    return merge(shape_bounds(c, place), shape_bounds(c, end));
}

const ShapeStore& store_or_empty(const ShapeStore* store) {
    static const ShapeStore none;
    return store ? *store : none;
}

} // namespace

QueryPtr make_query(const Context& context) {
    QueryPtr q(new Query);
    q->parallel = make_parallel(context);
    return q;
}

bool update(Query& q, const Model& m, const State& s) {
    q.items.clear();
    q.boxes.clear();
    q.id.resize(m.objects.size());
    q.groups.resize(m.objects.size());
    q.shapes = m.shapes;
    q.x.resize(m.surface.vertices.size());
    surface_positions(*q.parallel, m, surface_state(s), q.x);
    // a minimum would lose a NaN
    bool finite = true;
    for (const Real3& x : q.x) finite = finite && vec(x).allFinite();
    for (const Real3& p : s.frame.p) finite = finite && vec(p).allFinite();
    for (const Real4& r : s.frame.q) finite = finite && quat(r).coeffs().allFinite();
    if (!finite) return false;
    std::vector<std::uint8_t> used(m.surface.vertices.size(), 0);
    int collider = 0;
    for (int k = 0; k < int(m.objects.size()); ++k) {
        q.id[k] = {k, m.objects[k].generation};
        q.groups[k] = m.objects[k].groups;
        Range own{collider, collider};
        while (own.end < int(m.colliders.size()) && m.colliders[own.end].object <= k) ++own.end;
        collider = own.end;
        if (!m.objects[k].alive) continue;
        if (all_convex(m, own)) add_colliders(m, s, k, own, q);
        else add_surface(m, s, k, used, q);
    }
    for (const QueryItem& item : q.items) q.boxes.push_back(shape_bounds(item.convex, item.place));
    if (build_tree(*q.parallel, q.boxes, q.scratch, q.tree)) return true;
    q.items.clear();
    return false;
}

std::optional<QueryHit> cast_ray(const Query& q, const Real3& origin, const Real3& direction, double far, const QueryFilter& filter) {
    const Real length = vec(direction).norm();
    if (q.items.empty() || !(length > 0) || !std::isfinite(length) || !vec(origin).allFinite() || !(far >= 0)) return {};
    Ray ray{vec(origin), vec(direction) / length, far};
    Best best;
    visit_ray(q.tree, ray, [&](int k, Real) {
        const QueryItem& item = q.items[k];
        const Real limit = best.item < 0 ? Real(far) : best.hit.distance;
        if (!is_met(q, filter, item.object)) return limit;
        Real t;
        Vec3 normal;
        if (item.part == QueryHit::triangle) {
            t = hit_triangle(ray, item.convex.corner);
            normal = item.convex.normal.dot(ray.direction) > 0 ? Vec3(-item.convex.normal) : item.convex.normal;
        } else {
            const Touch touch = advance({}, {Mat3::Identity(), ray.start}, ray.direction, item, limit);
            t = touch.t;
            normal = -touch.at.normal;
        }
        if (!(t >= 0 && t <= limit) || !best.takes(t, k)) return limit;
        best = {k, make_hit(q, item, ray.start + t * ray.direction, normal, t)};
        return t;
    });
    return best.item < 0 ? std::nullopt : std::optional(best.hit);
}

std::optional<QueryHit> cast_shape(const Query& q, const Shape& shape, const Pose& pose, const Real3& motion,
                                   const QueryFilter& filter, const ShapeStore* store) {
    const std::optional<Convex> moved = make_convex(store_or_empty(store), shape);
    if (q.items.empty() || !moved || !vec(motion).allFinite()) return {};
    const Placement place = make_placement(pose);
    const Real far = vec(motion).norm();
    const Vec3 u = far > 0 ? Vec3(vec(motion) / far) : Vec3(Vec3::UnitY());
    std::vector<int> near;
    find_in_box(q.tree, moved_box(*moved, place, vec(motion)), near);
    Best best;
    for (int k : near) {
        const QueryItem& item = q.items[k];
        if (!is_met(q, filter, item.object)) continue;
        const Touch touch = advance(*moved, place, u, item, best.item < 0 ? far : best.hit.distance);
        if (!(touch.t <= far) || !best.takes(touch.t, k)) continue;
        best = {k, make_hit(q, item, touch.at.on_b, -touch.at.normal, touch.t)};
    }
    return best.item < 0 ? std::nullopt : std::optional(best.hit);
}

std::vector<QueryHit> find_overlaps(const Query& q, const Shape& shape, const Pose& pose, double margin, const QueryFilter& filter,
                                    const ShapeStore* store) {
    std::vector<QueryHit> out;
    const std::optional<Convex> placed = make_convex(store_or_empty(store), shape);
    if (q.items.empty() || !placed) return out;
    const Placement place = make_placement(pose);
    std::vector<int> near;
    find_in_box(q.tree, grow(shape_bounds(*placed, place), std::max(margin, 0.0)), near);
    for (int k : near) { // ascending: by object, part, index
        const QueryItem& item = q.items[k];
        if (!is_met(q, filter, item.object)) continue;
        const ConvexDistance d = convex_distance(*placed, place, item.convex, item.place);
        if (d.distance <= margin) out.push_back(make_hit(q, item, d.on_b, -d.normal, d.distance));
    }
    return out;
}

std::optional<QueryHit> find_closest(const Query& q, const Real3& point, double within, const QueryFilter& filter) {
    if (q.items.empty() || !vec(point).allFinite() || !(within >= 0)) return {};
    const Vec3 p = vec(point);
    Best best;
    visit_near(q.tree, p, within * within, [&](int k, Real) {
        const QueryItem& item = q.items[k];
        const Real limit = best.item < 0 ? Real(within) : std::max(best.hit.distance, 0.0);
        if (!is_met(q, filter, item.object)) return limit * limit;
        QueryHit hit;
        if (item.part == QueryHit::triangle) {
            const auto& c = item.convex.corner;
            const Vec3 at = closest_on_triangle(p, c[0], c[1], c[2]).point, way = p - at;
            const Real d = way.norm();
            hit = make_hit(q, item, at, d > 0 ? Vec3(way / d) : item.convex.normal, d);
        } else {
            const ConvexDistance d = convex_distance({}, {Mat3::Identity(), p}, item.convex, item.place);
            hit = make_hit(q, item, d.on_b, -d.normal, d.distance);
        }
        if (!(hit.distance <= limit) || !best.takes(hit.distance, k)) return limit * limit;
        best = {k, hit};
        return std::max(hit.distance, 0.0) * std::max(hit.distance, 0.0);
    });
    return best.item < 0 ? std::nullopt : std::optional(best.hit);
}

} // namespace sinew
