#include "collision/held_shapes.h"
#include "collision/mesh_feature.h"
#include "collision/surface_distance.h"
#include "geometry/convex_closest.h"
#include "geometry/shape_bounds.h"
#include "geometry/triangle.h"
#include "model/surface.h"
#include <algorithm>

namespace sinew {

namespace {

constexpr int kVertexGrain = 512;

Placement compose(const Placement& outer, const Pose& inner) {
    const Placement own = make_placement(inner);
    return {outer.R * own.R, at(outer, own.p)};
}

// at most how far from the shape's surface a vertex can be in contact [m]
Real reach_of(const Model& m, int object, Real thickest) {
    Real reach = thickest;
    for (const ContactRule& r : m.contact_rules)
        if (r.a == object || r.b == object) reach = std::max(reach, Real(r.thickness));
    return reach;
}

void add_held(HeldShape h, const Aabb& box, Real reach, HeldScratch& s) {
    if (is_empty(box)) return;
    reach += h.rounding;
    h.box = grow(box, reach + 1e-14 * (h.place.p.norm() + std::abs(reach)));
    s.held.push_back(h);
}

// the shape without its rounding, which is a thickness
void add_shape(const Collider& c, int obstacle, int part, Shape shape, const Placement& place, Real reach, HeldScratch& s) {
    HeldShape h;
    h.object = c.object, h.frame = c.frame, h.obstacle = obstacle, h.part = part;
    h.place = place;
    h.rounding = shape.rounding;
    shape.rounding = 0;
    h.convex = make_convex(store_of(s.shapes), shape);
    if (h.convex) return add_held(h, shape_bounds(*h.convex, place), reach, s);
    h.side.surface = surface_of(s.shapes, shape), h.side.grid = grid_of(s.shapes, shape), h.side.field = field_of(s.shapes, shape);
    if (!h.side.surface && !h.side.field) return; // its data is missing
    h.side.box = h.side.field ? s.shapes.field_box[shape.data] : h.side.surface->tree.nodes[0].box;
    add_held(h, shape_bounds(s.shapes, shape, place), reach, s);
}

void add_collider(const Collider& c, const FrameState& frames, int obstacle, Real reach, HeldScratch& s, int& part) {
    const Placement place = compose(make_placement({frames.p[c.frame], frames.q[c.frame]}), c.pose);
    if (c.shape.kind != Shape::compound) return add_shape(c, obstacle, part++, c.shape, place, reach, s);
    if (c.shape.data < 0 || c.shape.data >= int(s.shapes.compounds.size())) return;
    for (const PlacedShape& p : s.shapes.compounds[c.shape.data]) {
        Shape shape = p.shape;
        shape.rounding += c.shape.rounding;
        add_shape(c, obstacle, part++, shape, compose(place, p.pose), reach, s);
    }
}

// whether h has the triangles and the number of vertices of the object
bool has_triangles_of(const Model& m, const Object& o, const HeldSurface& h) {
    if (int(h.shape.triangles.size()) != o.triangles.count() || int(h.shape.vertices.size()) != o.surface.count()) return false;
    for (int t = 0; t < o.triangles.count(); ++t)
        for (int k = 0; k < 3; ++k)
            if (m.surface.triangles[o.triangles.begin + t][k] - o.surface.begin != h.shape.triangles[t][k]) return false;
    return true;
}

// The surface of an object where it is now; if it has moved its tree is refitted.
void add_surface(const Model& m, const SurfaceState& at, std::span<const Real3> x, int obstacle, Real reach, HeldScratch& s) {
    const int object = m.obstacles[obstacle].object;
    std::size_t known = 0;
    while (known < s.surfaces.size() && s.surfaces[known]->object != object) ++known;
    if (known == s.surfaces.size()) s.surfaces.push_back(std::make_unique<HeldSurface>());
    HeldSurface& h = *s.surfaces[known];
    h.object = object;
    const Object& o = m.objects[object];
    const auto own = x.subspan(o.surface.begin, o.surface.count());
    if (!has_triangles_of(m, o, h)) {
        h.shape.vertices.assign(own.begin(), own.end());
        h.shape.triangles.clear();
        for (int t = o.triangles.begin; t < o.triangles.end; ++t) {
            const auto& v = m.surface.triangles[t];
            h.shape.triangles.push_back({v[0] - o.surface.begin, v[1] - o.surface.begin, v[2] - o.surface.begin});
        }
        build_mesh_surface(h.shape, h.move, h.surface);
    } else if (!std::equal(own.begin(), own.end(), h.shape.vertices.begin())) {
        std::copy(own.begin(), own.end(), h.shape.vertices.begin());
        move_mesh_surface(h.surface, h.move);
    }
    h.v.resize(own.size());
    for (int i = 0; i < o.surface.count(); ++i) h.v[i] = real3(vertex_velocity(m, at, m.surface.vertices[o.surface.begin + i]));
    HeldShape held;
    held.object = object, held.obstacle = obstacle;
    for (int v = o.surface.begin; v < o.surface.end; ++v) held.rounding = std::max(held.rounding, Real(m.surface.thickness[v]));
    held.side.surface = &h.surface;
    held.side.box = h.surface.tree.nodes[0].box;
    held.moved = &h;
    add_held(held, held.side.box, reach, s);
}

bool is_held(const Obstacle& o) { return o.frame < 0 && o.object >= 0; }

// false if a pose or position is not finite
bool place_held(const Model& m, const SurfaceState& at, std::span<const Real3> x, Real margin, HeldScratch& s) {
    s.held.clear();
    update_shape_cache(m.shapes, s.shapes);
    Real thickest = 0;
    for (const double t : m.surface.thickness) thickest = std::max(thickest, Real(t));
    for (int k = 0; k < int(m.obstacles.size()); ++k) {
        const int object = m.obstacles[k].object;
        if (!is_held(m.obstacles[k]) || !m.objects[object].alive || m.objects[object].touches == 0) continue;
        const Real reach = margin + reach_of(m, object, thickest);
        int part = 0;
        bool shaped = false;
        for (const Collider& c : m.colliders) {
            if (c.object != object || c.frame < 0) continue;
            if (!vec(at.frame.p[c.frame]).allFinite() || !quat(at.frame.q[c.frame]).coeffs().allFinite()) return false;
            shaped = true;
            add_collider(c, at.frame, k, reach, s, part);
        }
        const Object& o = m.objects[object];
        if (shaped || o.triangles.count() == 0) continue;
        for (int v = o.surface.begin; v < o.surface.end; ++v)
            if (!vec(x[v]).allFinite()) return false;
        add_surface(m, at, x, k, reach, s);
    }
    return true;
}

// Whether a place of the triangle is nearest around itself.
bool is_told(const MeshFace& f, TriangleFeature feature, const Vec3& n) {
    if (feature == TriangleFeature::face) return !f.s.one_sided || n.dot(f.normal) > 0;
    const int i = int(feature);
    return i <= 3 ? edge_allows(f, i - 1, n) : vertex_allows(f.s, f.s.shape->triangles[f.t][i - 4], n);
}

void add_place(const HeldPlace& p, std::size_t first, std::vector<HeldPlace>& out) {
    const auto same = [&](const HeldPlace& q) { return is_near(q.normal, p.normal); };
    if (std::none_of(out.begin() + std::ptrdiff_t(first), out.end(), same)) out.push_back(p);
}

} // namespace

bool has_held_objects(const Model& m) { return std::any_of(m.obstacles.begin(), m.obstacles.end(), is_held); }

void find_surface_places(const SurfaceSide& side, const Vec3& p, Real limit, std::vector<int>& near, std::vector<HeldPlace>& out) {
    SurfaceDistance d;
    if (!find_distance(side, p, limit, d)) return;
    const std::size_t first = out.size();
    out.push_back({d.distance, d.normal, 0});
    if (d.distance < 0 || side.field || !side.surface) return;
    // other flanks: in the order of their triangles
    const MeshSurface& s = *side.surface;
    find_triangles(s.tree, *s.shape, grow(Aabb{p, p}, limit), false, near);
    std::sort(near.begin(), near.end());
    for (int t : near) {
        const MeshFace f = face_of(s, t);
        if (!(f.normal.squaredNorm() > 0)) continue;
        const TrianglePoint q = closest_on_triangle(p, f.x[0], f.x[1], f.x[2]);
        const Vec3 way = p - q.point;
        const Real length = way.norm();
        if (!(length > d.distance && length <= limit)) continue;
        const Vec3 n = way / length;
        if (is_told(f, q.feature, n)) add_place({length, n, 1 + (std::uint64_t(t) << 3 | std::uint64_t(q.feature))}, first, out);
    }
}

namespace {

constexpr int kVertexBlock = 64; // vertices with one box: surfaces are numbered along themselves
static_assert(kVertexGrain % kVertexBlock == 0);

struct HeldSearch {
    const Model& m;
    std::span<const Real3> x;
    const SurfaceState& state;
    const HeldScratch& s;
    Real margin;
};

// bodies meet held ones by their shapes
bool takes_part(const HeldSearch& w, int vertex) {
    const SurfaceVertex& v = w.m.surface.vertices[vertex];
    const bool soft = v.kind == SurfaceVertex::point || v.kind == SurfaceVertex::embedded;
    return soft && is_movable(w.m, v) && is_alive(w.m, w.state.point.alive, v);
}

void find_places(const HeldShape& h, const Vec3& p, Real limit, HeldScratch::Chunk& out) {
    out.places.clear();
    if (!h.convex) return find_surface_places(h.side, p, limit, out.near, out.places);
    const ClosestPoint c = closest_point(*h.convex, p);
    if (c.distance <= limit) out.places.push_back({c.distance, c.normal, 0});
}

// side b of a contact at `on`: who carries the point there, and its velocity
void set_carrier(const HeldSearch& w, const HeldShape& h, const Vec3& on, PointContact& c) {
    if (h.frame >= 0) {
        const FrameState& f = w.state.frame;
        const Vec3 r = on - vec(f.p[h.frame]);
        c.b = {SurfaceVertex::frame, h.frame, real3(quat(f.q[h.frame]).conjugate() * r)};
        c.velocity = real3(vec(f.v[h.frame]) + vec(f.w[h.frame]).cross(r));
        return;
    }
    const HeldSurface& s = *h.moved;
    const SurfacePoint near = find_closest(s.surface.tree, s.shape, on, std::numeric_limits<Real>::infinity());
    const auto& t = s.shape.triangles[near.triangle];
    Vec3 v = Vec3::Zero();
    int most = 0;
    for (int k = 0; k < 3; ++k) {
        v += near.at.weight[k] * vec(s.v[t[k]]);
        if (near.at.weight[k] > near.at.weight[most]) most = k;
    }
    c.b = w.m.surface.vertices[w.m.objects[h.object].surface.begin + t[most]];
    c.velocity = real3(v);
}

PointContact make_contact(const HeldSearch& w, int vertex, const HeldShape& h, const HeldPlace& place, Real thickness, Real friction) {
    const Vec3 n = h.place.R * place.normal, on = Vec3(vec(w.x[vertex])) - place.distance * n;
    PointContact c;
    c.source = PointContact::vertex_held;
    c.key = std::uint64_t(vertex) << 32 | std::uint64_t(h.obstacle);
    c.obstacle = h.obstacle;
    c.feature = place.feature << 16 | std::uint64_t(h.part);
    c.a = w.m.surface.vertices[vertex];
    c.vertex = c.stencil[0] = vertex, c.weight[0] = 1;
    c.object_a = w.m.surface.object[vertex], c.object_b = h.object;
    c.normal = c.normal_frozen = real3(n);
    c.at = real3(on);
    c.gap = place.distance - thickness, c.thickness = thickness;
    c.friction = friction;
    set_carrier(w, h, on, c);
    return c;
}

// Of what is inside several parts of a body the deepest tells the way: the others may lead from one part into the next.
void keep_deepest(std::size_t first, std::vector<PointContact>& found) {
    std::size_t deepest = first;
    const auto distance = [&](std::size_t i) { return found[i].gap + found[i].thickness; };
    for (std::size_t i = first + 1; i < found.size(); ++i)
        if (distance(i) < distance(deepest)) deepest = i;
    if (first == found.size() || distance(deepest) >= 0) return;
    found[first] = found[deepest];
    found.resize(first + 1);
}

// against the shapes in out.block
void test_vertex(const HeldSearch& w, int vertex, HeldScratch::Chunk& out) {
    const Vec3 x = vec(w.x[vertex]);
    const int object = w.m.surface.object[vertex];
    for (std::size_t i = 0; i < out.block.size();) {
        const int obstacle = w.s.held[out.block[i]].obstacle;
        const std::size_t first = out.found.size();
        for (; i < out.block.size() && w.s.held[out.block[i]].obstacle == obstacle; ++i) {
            const HeldShape& h = w.s.held[out.block[i]];
            if (!contains(h.box, x)) continue;
            const PairRule rule = find_pair_rule(w.m, w.s.rules, object, h.object);
            if (!rule.touches) continue;
            const Real thickness = rule.thickness >= 0 ? rule.thickness : w.m.surface.thickness[vertex] + h.rounding;
            find_places(h, from(h.place, x), w.margin + thickness, out);
            for (const HeldPlace& p : out.places)
                if (p.distance - thickness < w.margin) out.found.push_back(make_contact(w, vertex, h, p, thickness, rule.friction));
        }
        keep_deepest(first, out.found);
        std::sort(out.found.begin() + std::ptrdiff_t(first), out.found.end(),
                  [](const PointContact& a, const PointContact& b) { return a.feature < b.feature; });
    }
}

} // namespace

bool detect_held(const Parallel& parallel, const Model& m, const SurfaceState& at, std::span<const Real3> surface, Real margin,
                 HeldScratch& s, Contacts& out) {
    build_rule_table(m, s.rules);
    s.found.clear();
    bool finite = place_held(m, at, surface, margin, s);
    const int count = s.held.empty() || !finite ? 0 : int(surface.size()), chunks = chunk_count(count, kVertexGrain);
    if (int(s.chunks.size()) < chunks) s.chunks.resize(chunks);
    const HeldSearch w{m, surface, at, s, margin};
    parallel_for(parallel, count, kVertexGrain, [&](int begin, int end) {
        HeldScratch::Chunk& chunk = s.chunks[begin / kVertexGrain];
        chunk.found.clear();
        chunk.not_finite = false;
        for (int first = begin; first < end && !chunk.not_finite; first += kVertexBlock) {
            const int last = std::min(end, first + kVertexBlock);
            Aabb box;
            for (int i = first; i < last; ++i) {
                if (!takes_part(w, i)) continue;
                chunk.not_finite = chunk.not_finite || !vec(surface[i]).allFinite();
                box = merge(box, Vec3(vec(surface[i])));
            }
            chunk.block.clear();
            for (int k = 0; k < int(s.held.size()) && !chunk.not_finite && !is_empty(box); ++k)
                if (overlap(s.held[k].box, box)) chunk.block.push_back(k);
            for (int i = first; i < last && !chunk.block.empty(); ++i)
                if (takes_part(w, i)) test_vertex(w, i, chunk);
        }
    });
    std::size_t found = 0;
    for (int c = 0; c < chunks; ++c) finite = finite && !s.chunks[c].not_finite, found += s.chunks[c].found.size();
    if (s.found.capacity() < found) s.found.reserve(2 * found); // growing contacts must not allocate every time
    for (int c = 0; c < chunks && finite; ++c) s.found.insert(s.found.end(), s.chunks[c].found.begin(), s.chunks[c].found.end());
    replace_points(PointContact::vertex_held, s.found, out);
    return finite;
}

} // namespace sinew
