// Everything that can be met is an item in one tree of boxes: convex shapes, whole surfaces with trees of
// their own, single triangles, lines and particles of what deforms (query_item.h).
#include "collision/aabb_tree_visit.h"
#include "collision/query_item.h"
#include "geometry/compound.h"
#include "geometry/shape_bounds.h"
#include "model/surface.h"
#include <algorithm>
#include <cmath>
#include <tuple>

namespace sinew {

struct Query {
    ParallelPtr parallel;
    std::vector<QueryItem> items; // by object, part, index
    std::vector<Aabb> boxes;
    std::vector<Real3> x; // surface
    std::vector<Id> id;   // per object
    std::vector<std::uint32_t> groups;
    ShapeCache cache; // hulls, meshes and fields of the items
    AabbTree tree; // refitted while there are as many items
    TreeScratch scratch;
    // what the surfaces of the model are made of, kept until that changes
    int topology = -1;
    const void* owner = nullptr; // model.elements
    std::vector<std::uint8_t> loose_edge, loose_vertex; // not part of a triangle, of an edge or triangle
};
void QueryDelete::operator()(Query* q) const { delete q; }

namespace {

bool is_met(const Query& q, const QueryFilter& f, int object) {
    return (q.groups[object] & f.groups) && !(f.ignore && f.ignore == q.id[object]);
}

void add_shape(const ShapeCache& cache, const Shape& shape, const Placement& place, int object,
               std::vector<QueryItem>& items) {
    QueryItem item;
    item.place = place, item.object = object;
    if (const auto convex = make_convex(store_of(cache), shape)) {
        item.convex = *convex;
    } else {
        item.surface = surface_of(cache, shape), item.grid = grid_of(cache, shape),
        item.field = field_of(cache, shape);
        if (item.field)
            item.box = cache.field_box[shape.data];
        else if (item.surface)
            item.box = item.surface->tree.nodes[0].box;
        else
            return; // nothing there
    }
    items.push_back(item);
}

void add_colliders(const Model& m, const State& s, int object, Range colliders, Query& q) {
    const auto inside = [](const Placement& outer, const Pose& pose) {
        const Placement own = make_placement(pose);
        return Placement{outer.R * own.R, at(outer, own.p)};
    };
    for (int k = colliders.begin; k < colliders.end; ++k) {
        const Collider& c = m.colliders[k];
        const Placement place = inside(make_placement({s.frame.p[c.frame], s.frame.q[c.frame]}), c.pose);
        if (c.shape.kind != Shape::compound) {
            add_shape(q.cache, c.shape, place, object, q.items);
        } else if (c.shape.data >= 0 && c.shape.data < int(q.cache.compounds.size())) {
            for (const PlacedShape& part : q.cache.compounds[c.shape.data]) {
                Shape shape = part.shape;
                shape.rounding += c.shape.rounding;
                add_shape(q.cache, shape, inside(place, part.pose), object, q.items);
            }
        }
    }
}

void find_loose(const Model& m, Query& q) {
    const Surface& s = m.surface;
    if (q.topology == m.topology_revision && q.owner == m.elements.get() && q.loose_edge.size() == s.edges.size() &&
        q.loose_vertex.size() == s.vertices.size())
        return;
    q.topology = m.topology_revision, q.owner = m.elements.get();
    q.loose_edge.assign(s.edges.size(), 0);
    q.loose_vertex.assign(s.vertices.size(), 1);
    const auto sorted = [](int a, int b) { return std::array<int, 2>{std::min(a, b), std::max(a, b)}; };
    std::vector<std::array<int, 2>> sides;
    for (const auto& t : s.triangles)
        for (int i = 0; i < 3; ++i) {
            q.loose_vertex[t[i]] = 0;
            sides.push_back(sorted(t[i], t[(i + 1) % 3]));
        }
    std::sort(sides.begin(), sides.end());
    for (std::size_t k = 0; k < s.edges.size(); ++k) {
        const auto& e = s.edges[k];
        q.loose_edge[k] = !std::binary_search(sides.begin(), sides.end(), sorted(e[0], e[1]));
        q.loose_vertex[e[0]] = q.loose_vertex[e[1]] = 0;
    }
}

// triangles as they are; edges without triangle and vertices without edge with their thickness
void add_surface(const Model& m, const State& s, int object, Query& q) {
    const Object& o = m.objects[object];
    const auto at = [&](int v) { return Vec3(vec(q.x[v])); };
    const auto alive = [&](int v) { return is_alive(m, s.point.alive, m.surface.vertices[v]); };
    for (int k = o.triangles.begin; k < o.triangles.end; ++k) {
        const auto& t = m.surface.triangles[k];
        if (alive(t[0]) && alive(t[1]) && alive(t[2]))
            q.items.push_back({make_triangle(at(t[0]), at(t[1]), at(t[2]), 0),
                               {},
                               object,
                               QueryHit::triangle,
                               k - o.triangles.begin});
    }
    for (int k = o.edges.begin; k < o.edges.end; ++k) {
        const auto& e = m.surface.edges[k];
        if (!q.loose_edge[k] || !alive(e[0]) || !alive(e[1])) continue;
        Convex c;
        c.core = Convex::segment;
        const Vec3 way = at(e[1]) - at(e[0]);
        c.size = {0, way.norm() / 2, 0};
        c.radius = std::max(m.surface.thickness[e[0]], m.surface.thickness[e[1]]);
        const Vec3 y = way.squaredNorm() > 0 ? Vec3(way.normalized()) : Vec3(Vec3::UnitY()),
                   x = perpendicular(y);
        Placement f;
        f.R << x, y, x.cross(y);
        f.p = 0.5 * (at(e[0]) + at(e[1]));
        q.items.push_back({c, f, object, QueryHit::edge, k - o.edges.begin});
    }
    for (int v = o.surface.begin; v < o.surface.end; ++v) {
        if (!q.loose_vertex[v] || !alive(v)) continue;
        Convex c;
        c.radius = m.surface.thickness[v];
        q.items.push_back({c, {Mat3::Identity(), at(v)}, object, QueryHit::vertex, v - o.surface.begin});
    }
}

QueryHit make_hit(const Query& q, const QueryItem& item, const ItemHit& h) {
    return {q.id[item.object], h.part, h.index, real3(h.position), real3(h.normal), h.distance};
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

bool is_finite(const Pose& p) { return vec(p.position).allFinite() && quat(p.rotation).coeffs().allFinite(); }

const ShapeStore& store_or_empty(const ShapeStore* store) {
    static const ShapeStore none;
    return store ? *store : none;
}

// A convex shape, or the convex parts of a compound; empty if one of them is neither.
struct AskedPart {
    Convex convex;
    Placement place;
};
std::vector<AskedPart> take_apart(const ShapeStore& store, const Shape& shape, const Pose& pose) {
    std::vector<PlacedShape> parts;
    if (expand_shape(store, shape, parts)) return {};
    const Placement whole = make_placement(pose);
    std::vector<AskedPart> out;
    for (const PlacedShape& p : parts) {
        const auto convex = make_convex(store, p.shape);
        if (!convex) return {};
        const Placement own = make_placement(p.pose);
        out.push_back({*convex, {whole.R * own.R, at(whole, own.p)}});
    }
    return out;
}

// Of what several parts overlap the deepest; by object, part and index, as items are.
void keep_deepest(std::vector<std::pair<int, QueryHit>>& hits, std::vector<QueryHit>& out) {
    std::stable_sort(hits.begin(), hits.end(), [](const auto& a, const auto& b) {
        return std::tie(a.first, a.second.index, a.second.distance) < std::tie(b.first, b.second.index, b.second.distance);
    });
    for (std::size_t i = 0; i < hits.size(); ++i)
        if (i == 0 || hits[i].first != hits[i - 1].first || hits[i].second.index != hits[i - 1].second.index) out.push_back(hits[i].second);
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
    update_shape_cache(m.shapes, q.cache);
    q.x.resize(m.surface.vertices.size());
    surface_positions(*q.parallel, m, surface_state(s), q.x);
    // a minimum would lose a NaN
    bool finite = true;
    for (const Real3& x : q.x) finite = finite && vec(x).allFinite();
    for (const Real3& p : s.frame.p) finite = finite && vec(p).allFinite();
    for (const Real4& r : s.frame.q) finite = finite && quat(r).coeffs().allFinite();
    if (!finite) return false;
    find_loose(m, q);
    int collider = 0;
    for (int k = 0; k < int(m.objects.size()); ++k) {
        q.id[k] = {k, m.objects[k].generation};
        q.groups[k] = m.objects[k].groups;
        Range own{collider, collider};
        while (own.end < int(m.colliders.size()) && m.colliders[own.end].object <= k) ++own.end;
        collider = own.end;
        if (!m.objects[k].alive) continue;
        const std::size_t before = q.items.size();
        add_colliders(m, s, k, own, q);
        if (q.items.size() == before) add_surface(m, s, k, q);
    }
    for (const QueryItem& item : q.items) q.boxes.push_back(bounds_of(item));
    if (update_tree(*q.parallel, q.boxes, q.scratch, q.tree)) return true;
    q.items.clear();
    return false;
}

std::optional<QueryHit> cast_ray(const Query& q, const Real3& origin, const Real3& direction, double far,
                                 const QueryFilter& filter) {
    const Real length = vec(direction).norm();
    if (q.items.empty() || !(length > 0) || !std::isfinite(length) || !vec(origin).allFinite() || !(far >= 0))
        return {};
    Ray ray{vec(origin), vec(direction) / length, far};
    Best best;
    visit_ray(q.tree, ray, [&](int k, Real) {
        const QueryItem& item = q.items[k];
        const Real limit = best.item < 0 ? Real(far) : best.hit.distance;
        if (!is_met(q, filter, item.object)) return limit;
        ItemHit hit;
        if (!cast_ray(item, ray.start, ray.direction, limit, hit) || !best.takes(hit.distance, k))
            return limit;
        best = {k, make_hit(q, item, hit)};
        return hit.distance;
    });
    return best.item < 0 ? std::nullopt : std::optional(best.hit);
}

std::optional<QueryHit> cast_shape(const Query& q, const Shape& shape, const Pose& pose, const Real3& motion,
                                   const QueryFilter& filter, const ShapeStore* store) {
    const Real far = vec(motion).norm();
    if (q.items.empty() || !is_finite(pose) || !std::isfinite(far)) return {};
    const Vec3 u = far > 0 ? Vec3(vec(motion) / far) : Vec3(Vec3::UnitY());
    std::vector<int> near, triangles;
    Best best;
    for (const AskedPart& part : take_apart(store_or_empty(store), shape, pose)) {
        find_in_box(q.tree, moved_box(part.convex, part.place, vec(motion)), near);
        for (int k : near) {
            const QueryItem& item = q.items[k];
            if (!is_met(q, filter, item.object)) continue;
            ItemHit hit;
            if (!cast_convex(item, part.convex, part.place, u, best.item < 0 ? far : best.hit.distance, triangles, hit))
                continue;
            if (best.takes(hit.distance, k)) best = {k, make_hit(q, item, hit)};
        }
    }
    return best.item < 0 ? std::nullopt : std::optional(best.hit);
}

std::vector<QueryHit> find_overlaps(const Query& q, const Shape& shape, const Pose& pose, double margin,
                                    const QueryFilter& filter, const ShapeStore* store) {
    std::vector<QueryHit> out;
    if (q.items.empty() || !is_finite(pose) || std::isnan(margin)) return out;
    std::vector<int> near, triangles;
    std::vector<ItemHit> hits;
    std::vector<std::pair<int, QueryHit>> found; // item
    const std::vector<AskedPart> parts = take_apart(store_or_empty(store), shape, pose);
    for (const AskedPart& part : parts) {
        find_in_box(q.tree, grow(shape_bounds(part.convex, part.place), std::max(margin, 0.0)), near);
        for (int k : near) { // ascending: by object, part, index
            const QueryItem& item = q.items[k];
            if (!is_met(q, filter, item.object)) continue;
            hits.clear();
            find_overlaps(item, part.convex, part.place, margin, triangles, hits);
            for (const ItemHit& hit : hits) found.push_back({k, make_hit(q, item, hit)});
        }
    }
    if (parts.size() > 1) keep_deepest(found, out);
    else
        for (const auto& [item, hit] : found) out.push_back(hit);
    return out;
}

std::optional<QueryHit> find_closest(const Query& q, const Real3& point, double within,
                                     const QueryFilter& filter) {
    if (q.items.empty() || !vec(point).allFinite() || !(within >= 0)) return {};
    const Vec3 p = vec(point);
    Best best;
    visit_near(q.tree, p, within * within, [&](int k, Real) {
        const QueryItem& item = q.items[k];
        const Real limit = best.item < 0 ? Real(within) : std::max(best.hit.distance, 0.0);
        if (!is_met(q, filter, item.object)) return limit * limit;
        ItemHit hit;
        if (!find_closest(item, p, limit, hit) || !best.takes(hit.distance, k)) return limit * limit;
        best = {k, make_hit(q, item, hit)};
        return std::max(hit.distance, 0.0) * std::max(hit.distance, 0.0);
    });
    return best.item < 0 ? std::nullopt : std::optional(best.hit);
}

} // namespace sinew
