// The collision surface against analytic obstacles: vertices by closed forms of the signed distance, edges and triangles
// by collision/obstacle_features.h, height fields by collision/field_features.h, near obstacles by collision/obstacle_boxes.h.
#include "collision/collision.h"
#include "collision/field_features.h"
#include "collision/obstacle_features.h"
#include "core/math.h"
#include "geometry/shape_bounds.h"
#include "model/surface.h"
#include <algorithm>

namespace sinew {

namespace {

constexpr int kElementGrain = 2048;
static_assert(kElementGrain % kObstacleBlock == 0);

struct ObstacleSearch {
    const Model& m;
    std::span<const Real3> x;
    std::span<const std::uint8_t> alive;
    const FrameState& frames;
    const DetectScratch& s;
    const ObstacleReach& reach;

    Vec3 at(int vertex) const { return vec(x[vertex]); }
    const HeightFieldShape* field(int obstacle) const { // null if it is none
        const Obstacle& o = m.obstacles[obstacle];
        return o.shape == Obstacle::height_field ? field_of(s.shapes, {Shape::height_field, {}, 0, o.data}) : nullptr;
    }
    Real way(int vertex) const { return reach.way.empty() ? 0 : reach.way[vertex]; }
    // [m] gaps that count between these vertices and an obstacle; a plane that turns is faster the further away
    template <std::size_t N> Real margin(const std::array<int, N>& vertices, int obstacle) const {
        const Obstacle& o = m.obstacles[obstacle];
        Real own = 0, arm = 0;
        for (int v : vertices) own = std::max(own, way(v));
        if (o.shape == Obstacle::plane && reach.ahead > 0)
            for (int v : vertices) arm = std::max(arm, (at(v) - vec(frames.p[o.frame])).norm());
        return reach.margin + own + s.way[obstacle] + reach.ahead * arm * vec(frames.w[o.frame]).norm();
    }
    // obstacles do not touch each other
    bool takes_part(int vertex) const {
        const SurfaceVertex& v = m.surface.vertices[vertex];
        if (v.kind == SurfaceVertex::animated || !is_alive(m, alive, v)) return false;
        return v.kind != SurfaceVertex::frame || !(m.frame.flags[v.index] & kFixed);
    }
};

// how the object of a vertex meets an obstacle
PairRule rule_with(const ObstacleSearch& w, int vertex, const Obstacle& o) {
    const SurfaceVertex& v = w.m.surface.vertices[vertex];
    const int object = w.m.surface.object[vertex];
    PairRule none;
    none.touches = false;
    if (v.kind == SurfaceVertex::frame && v.index == o.frame) return none;
    if (o.object < 0 || meet_by_shapes(w.s.shaped, object, o.object)) return none;
    return find_pair_rule(w.m, w.s.rules, object, o.object);
}

// what all kinds have in common; `at` is the point on the obstacle
void complete(const ObstacleSearch& w, int element, int k, const PairRule& rule, const Vec3& at, PointContact& c) {
    const Obstacle& o = w.m.obstacles[k];
    const Vec3 p = vec(w.frames.p[o.frame]);
    const Quat q = quat(w.frames.q[o.frame]);
    c.key = std::uint64_t(element) << 32 | std::uint64_t(k);
    c.b = {SurfaceVertex::frame, o.frame, real3(q.conjugate() * (at - p))};
    c.obstacle = k;
    c.object_a = w.m.surface.object[c.stencil[0]], c.object_b = o.object;
    c.normal_frozen = c.normal;
    c.at = real3(at);
    c.velocity = real3(vec(w.frames.v[o.frame]) + vec(w.frames.w[o.frame]).cross(at - p));
    c.friction = rule.friction;
}

// places of the obstacle near p, in the shape's axes: one, of a height field any number
void find_places(const ObstacleSearch& w, int k, const Vec3& p, Real limit, std::vector<FieldPoint>& out) {
    out.clear();
    if (const HeightFieldShape* field = w.field(k)) return find_field_vertex_features(*field, p, limit, out);
    if (w.m.obstacles[k].shape == Obstacle::height_field) return; // its data is missing
    const ImplicitHit hit = evaluate_shape(implicit_shape_of(w.m.obstacles[k]), p);
    out.push_back({hit.distance, hit.normal, 0});
}

void test_vertex(const ObstacleSearch& w, int vertex, int k, DetectScratch::Chunk& out) {
    const Obstacle& o = w.m.obstacles[k];
    const PairRule rule = rule_with(w, vertex, o);
    if (!rule.touches) return;
    const Vec3 x = w.at(vertex);
    const Real thickness = rule.thickness >= 0 ? rule.thickness : w.m.surface.thickness[vertex] + o.thickness;
    const Vec3 p = vec(w.s.pose[k].position);
    const Quat q = quat(w.s.pose[k].rotation);
    const Real margin = w.margin(std::array{vertex}, k);
    find_places(w, k, q.conjugate() * (x - p), margin + thickness, out.places);
    for (const FieldPoint& hit : out.places) {
        PointContact c;
        c.thickness = thickness;
        c.gap = hit.distance - c.thickness;
        if (!(c.gap < margin)) continue;
        const Vec3 normal = q * hit.normal;
        c.source = PointContact::vertex_obstacle;
        c.a = w.m.surface.vertices[vertex];
        c.vertex = c.stencil[0] = vertex, c.weight[0] = 1;
        c.feature = std::uint64_t(hit.feature);
        c.normal = real3(normal);
        complete(w, vertex, k, rule, x - hit.distance * normal, c);
        out.found.push_back(c);
    }
}

template <std::size_t N> Real thickness_with(const ObstacleSearch& w, const std::array<int, N>& v, const PairRule& rule, const Obstacle& o) {
    Real own = 0;
    for (int i : v) own = std::max(own, Real(w.m.surface.thickness[i]));
    return rule.thickness >= 0 ? rule.thickness : own + o.thickness;
}

template <std::size_t N>
void add_features(const ObstacleSearch& w, PointContact::Source source, int element, const std::array<int, N>& v, int k,
                  const PairRule& rule, Real thickness, std::span<const FeaturePoint> points, std::vector<PointContact>& out) {
    for (const FeaturePoint& f : points) {
        PointContact c;
        c.source = source;
        c.a = {SurfaceVertex::embedded, -1, {}}; // several vertices: the stencil
        c.feature = std::uint64_t(f.feature);
        Vec3 x = Vec3::Zero();
        for (std::size_t j = 0; j < N; ++j) {
            c.stencil[j] = v[j], c.weight[j] = f.weight[j];
            x += f.weight[j] * w.at(v[j]);
        }
        const Vec3 normal = w.s.place[k].R * f.normal;
        c.thickness = thickness, c.gap = f.distance - thickness;
        c.normal = real3(normal);
        complete(w, element, k, rule, x - f.distance * normal, c);
        out.push_back(c);
    }
}

std::span<const FeaturePoint> list_of(const FeaturePoints& p) { return {p.point.data(), std::size_t(p.count)}; }

// directions into all triangles at an edge, in the obstacle's axes; returns a normal of one of them
Vec3 find_sides(const ObstacleSearch& w, int edge, const Placement& place, const std::array<Vec3, 2>& e, std::vector<Vec3>& inward) {
    inward.clear();
    const Vec3 along = (e[1] - e[0]).stableNormalized();
    const EdgeTriangles& all = w.s.edges;
    for (int i = all.begin[edge]; i < all.begin[edge + 1]; ++i) {
        const Vec3 r = from(place, w.at(all.across[i])) - e[0];
        inward.push_back(r - r.dot(along) * along);
    }
    const Vec3 facing = inward.empty() ? Vec3(perpendicular(along)) : Vec3(along.cross(inward[0]).stableNormalized());
    return facing.squaredNorm() > 0.5 ? facing : Vec3(perpendicular(along));
}

bool is_inside(const FeaturePoints& points) {
    const auto all = list_of(points);
    return std::any_of(all.begin(), all.end(), [](const FeaturePoint& p) { return p.distance < 0; });
}
void add_point(const FeaturePoint& p, FeaturePoints& points) {
    if (points.count < int(points.point.size())) points.point[points.count++] = p;
}

// With the cut of a line that nothing else shows.
void find_edge(const ObstacleSearch& w, int edge, int k, Real limit, std::vector<Vec3>& inward, FeaturePoints& points) {
    const Placement& place = w.s.place[k];
    const auto& v = w.m.surface.edges[edge];
    const std::array<Vec3, 2> e{from(place, w.at(v[0])), from(place, w.at(v[1]))};
    const ImplicitShape shape = implicit_shape_of(w.m.obstacles[k]);
    const Vec3 facing = find_sides(w, edge, place, e, inward);
    find_edge_features(shape, e, inward, facing, limit, points);
    if (!inward.empty() || shape.kind != ImplicitShape::box || is_inside(points)) return;
    if (evaluate_shape(shape, e[0]).distance <= 0 || evaluate_shape(shape, e[1]).distance <= 0) return;
    FeaturePoint cut;
    if (find_cut(shape, e, cut)) add_point(cut, points);
}

void test_edge(const ObstacleSearch& w, int edge, int k, DetectScratch::Chunk& out) {
    const Obstacle& o = w.m.obstacles[k];
    const auto& v = w.m.surface.edges[edge];
    const PairRule rule = rule_with(w, v[0], o);
    if (!rule.touches) return;
    const Real thickness = thickness_with(w, v, rule, o), limit = w.margin(v, k) + thickness;
    if (o.shape == Obstacle::height_field) {
        const HeightFieldShape* field = w.field(k);
        if (!field) return;
        const std::array<Vec3, 2> e{from(w.s.place[k], w.at(v[0])), from(w.s.place[k], w.at(v[1]))};
        find_sides(w, edge, w.s.place[k], e, out.inward);
        find_field_edge_features(*field, e, out.inward, limit, out.features);
        add_features(w, PointContact::edge_obstacle, edge, v, k, rule, thickness, out.features, out.found);
        return;
    }
    FeaturePoints points;
    find_edge(w, edge, k, limit, out.inward, points);
    add_features(w, PointContact::edge_obstacle, edge, v, k, rule, thickness, list_of(points), out.found);
}

// The deepest point of a triangle in a box, where no triangle beside it is deeper and neither a vertex nor an edge tells it.
// On the deepest place of a surface one of them must: vertices tell theirs, edges most of theirs, and this the rest.
bool find_peak(const ObstacleSearch& w, int triangle, int k, const std::array<Vec3, 3>& t, std::vector<Vec3>& inward, FeaturePoint& peak) {
    const ImplicitShape shape = implicit_shape_of(w.m.obstacles[k]);
    if (shape.kind != ImplicitShape::box) return false;
    const Vec3 half = vec(shape.size);
    const DeepPoint own = find_deepest(half, t);
    if (!(own.depth > 0) || *std::max_element(own.weight.begin(), own.weight.end()) == 1) return false;
    if (find_piercing(shape, t, peak)) return true;
    peak = make_peak(half, t, own);
    if (std::min({own.weight[0], own.weight[1], own.weight[2]}) > 0) return true;
    // on an edge: the others there must not be deeper; of equals the first tells it
    const Placement& place = w.s.place[k];
    const auto& v = w.m.surface.triangles[triangle];
    for (int side = 0; side < 3; ++side) {
        const int edge = w.s.edges.of_triangle[triangle][side], corner = (side + 2) % 3, opposite = v[corner];
        if (own.weight[corner] != 0) continue;
        const auto& e = w.m.surface.edges[edge];
        FeaturePoints at_edge;
        find_edge(w, edge, k, 0, inward, at_edge);
        if (is_inside(at_edge)) return false;
        for (int i = w.s.edges.begin[edge]; i < w.s.edges.begin[edge + 1]; ++i) {
            const int across = w.s.edges.across[i];
            if (across == opposite) continue;
            const std::array<Vec3, 3> other{from(place, w.at(e[0])), from(place, w.at(e[1])), from(place, w.at(across))};
            const Real slack = 1e-9 * own.depth, more = find_deepest(half, other).depth - own.depth;
            if (more > slack || (more >= -slack && across < opposite)) return false;
        }
    }
    return true;
}

void test_triangle(const ObstacleSearch& w, int triangle, int k, DetectScratch::Chunk& out) {
    const Obstacle& o = w.m.obstacles[k];
    const auto& v = w.m.surface.triangles[triangle];
    const PairRule rule = rule_with(w, v[0], o);
    if (!rule.touches) return;
    const Placement& place = w.s.place[k];
    const std::array<Vec3, 3> t{from(place, w.at(v[0])), from(place, w.at(v[1])), from(place, w.at(v[2]))};
    const Real thickness = thickness_with(w, v, rule, o), limit = w.margin(v, k) + thickness;
    if (o.shape == Obstacle::height_field) {
        const HeightFieldShape* field = w.field(k);
        if (!field) return;
        find_field_triangle_features(*field, t, limit, out.features);
        add_features(w, PointContact::triangle_obstacle, triangle, v, k, rule, thickness, out.features, out.found);
        return;
    }
    FeaturePoints points;
    find_triangle_features(implicit_shape_of(o), t, limit, points);
    FeaturePoint peak;
    if (!is_inside(points) && find_peak(w, triangle, k, t, out.inward, peak)) add_point(peak, points);
    add_features(w, PointContact::triangle_obstacle, triangle, v, k, rule, thickness, list_of(points), out.found);
}

// test(element, obstacle, chunk) for elements near an obstacle, block by block; false if a vertex is not finite
template <class Vertices, class Test>
bool search(const Parallel& parallel, const ObstacleSearch& w, DetectScratch& s, int count, PointContact::Source source, Vertices&& vertices,
            Test&& test, Contacts& out) {
    const int chunks = chunk_count(count, kElementGrain);
    if (int(s.chunks.size()) < chunks) s.chunks.resize(chunks);
    const Unbounded planes = source == PointContact::vertex_obstacle ? Unbounded::with : Unbounded::without;
    parallel_for(parallel, count, kElementGrain, [&](int begin, int end) {
        DetectScratch::Chunk& chunk = s.chunks[begin / kElementGrain];
        chunk.found.clear();
        chunk.not_finite = false;
        for (int first = begin; first < end; first += kObstacleBlock) {
            const int last = std::min(end, first + kObstacleBlock);
            std::array<Aabb, kObstacleBlock> own; // empty where the element takes no part
            Aabb block;
            for (int i = first; i < last; ++i) {
                bool taken = true;
                Aabb box;
                Real way = 0;
                for (int v : vertices(i)) taken = taken && w.takes_part(v), box = merge(box, w.at(v)), way = std::max(way, w.way(v));
                if (!taken) continue;
                if (way > 0) box = grow(box, way);
                for (int v : vertices(i)) chunk.not_finite = chunk.not_finite || !w.at(v).allFinite();
                own[i - first] = box, block = merge(block, box);
            }
            if (chunk.not_finite) return;
            find_near_obstacles(w.m, s.boxes, block, planes, chunk.near);
            for (int i = first; i < last; ++i)
                for (int k : chunk.near)
                    if (!is_empty(own[i - first]) && overlap(own[i - first], s.boxes.box[k])) test(i, k, chunk);
        }
    });
    // chunks are in order and each is sorted: joining them keeps the order of keys
    s.found.clear();
    std::size_t found = 0;
    for (int c = 0; c < chunks; ++c) {
        if (s.chunks[c].not_finite) return false;
        found += s.chunks[c].found.size();
    }
    if (s.found.capacity() < found) s.found.reserve(2 * found); // growing contacts must not allocate every time
    for (int c = 0; c < chunks; ++c) s.found.insert(s.found.end(), s.chunks[c].found.begin(), s.chunks[c].found.end());
    replace_points(source, s.found, out);
    return true;
}

// [m] of the parts of an obstacle: v and w of its frame, w at the corner of its box that is furthest away
Real obstacle_way(const Obstacle& o, const FrameState& frames, const Aabb& box, Real ahead) {
    if (!(ahead > 0)) return 0;
    const Real turn = vec(frames.w[o.frame]).norm();
    if (o.shape == Obstacle::plane || turn == 0) return ahead * vec(frames.v[o.frame]).norm();
    const Vec3 p = vec(frames.p[o.frame]), corner = (box.hi - p).cwiseAbs().cwiseMax((box.lo - p).cwiseAbs());
    return ahead * (vec(frames.v[o.frame]).norm() + turn * corner.norm());
}

// poses, ways and boxes of the obstacles; false if one is not finite
bool place_obstacles(const Parallel& parallel, const Model& m, const FrameState& frames, const ObstacleReach& look, DetectScratch& s) {
    Real thickness = 0;
    for (const double t : m.surface.thickness) thickness = std::max(thickness, Real(t));
    update_shape_cache(has_fields(m) ? m.shapes : nullptr, s.shapes);
    s.pose.clear();
    s.place.clear();
    s.boxes.box.clear();
    s.way.clear();
    for (const Obstacle& o : m.obstacles) {
        s.pose.emplace_back();
        s.place.emplace_back();
        s.boxes.box.emplace_back();
        s.way.push_back(0);
        if (o.frame < 0) continue; // placed nowhere
        const Pose pose{frames.p[o.frame], frames.q[o.frame]};
        if (!vec(pose.position).allFinite() || !quat(pose.rotation).coeffs().allFinite()) return false;
        s.pose.back() = place_obstacle(o, pose);
        s.place.back() = make_placement(s.pose.back());
        const Aabb bounds = obstacle_bounds(s.shapes, o, s.place.back());
        s.way.back() = obstacle_way(o, frames, bounds, look.ahead);
        const Real reach = look.margin + s.way.back() + obstacle_reach(m, o, thickness);
        const Real rounding = 1e-14 * (s.place.back().p.norm() + vec(o.size).norm() + std::abs(reach));
        s.boxes.box.back() = grow(bounds, reach + rounding);
    }
    return update_obstacle_boxes(parallel, s.boxes);
}

void clear_obstacles(DetectScratch& s, Contacts& out) {
    s.found.clear();
    for (auto source : {PointContact::vertex_obstacle, PointContact::edge_obstacle, PointContact::triangle_obstacle})
        replace_points(source, s.found, out);
}

} // namespace

Pose place_obstacle(const Obstacle& o, const Pose& frame) {
    if (o.pose.position == Real3{} && o.pose.rotation == Real4{}) return frame; // to the last bit
    const Quat q = quat(frame.rotation);
    return {real3(vec(frame.position) + q * Vec3(vec(o.pose.position))), real4(q * quat(o.pose.rotation))};
}

Aabb obstacle_bounds(const ShapeCache& shapes, const Obstacle& o, const Placement& place) {
    if (o.shape == Obstacle::height_field) return shape_bounds(shapes, {Shape::height_field, {}, 0, o.data}, place);
    return shape_bounds(convex_of(o), place);
}

bool has_fields(const Model& m) {
    return std::any_of(m.obstacles.begin(), m.obstacles.end(), [](const Obstacle& o) { return o.shape == Obstacle::height_field; });
}

ImplicitShape implicit_shape_of(const Obstacle& o) {
    static constexpr ImplicitShape::Kind kinds[] = {ImplicitShape::plane, ImplicitShape::sphere, ImplicitShape::capsule,
                                                    ImplicitShape::box};
    return {kinds[o.shape], o.size};
}

Convex convex_of(const Obstacle& o) {
    static constexpr Convex::Core cores[] = {Convex::half_space, Convex::point, Convex::segment, Convex::box};
    Convex c;
    c.core = cores[o.shape];
    if (o.shape != Obstacle::plane) c.size = vec(o.size);
    if (o.shape == Obstacle::sphere || o.shape == Obstacle::capsule) c.radius = o.size.x;
    return c;
}

void find_shaped_objects(const Model& m, ShapedObjects& out) {
    out.shaped.assign(m.objects.size(), 0);
    for (const Collider& c : m.colliders)
        if (c.object >= 0) out.shaped[c.object] = 1;
}

bool detect_obstacles(const Parallel& parallel, const Model& m, std::span<const Real3> surface,
                      std::span<const std::uint8_t> alive, const FrameState& frames, const ObstacleReach& reach, DetectScratch& s,
                      Contacts& out) {
    build_rule_table(m, s.rules);
    find_shaped_objects(m, s.shaped);
    const ObstacleSearch w{m, surface, alive, frames, s, reach};
    const bool found =
        update_edge_triangles(m, s.edges) && place_obstacles(parallel, m, frames, reach, s) &&
        search(parallel, w, s, int(surface.size()), PointContact::vertex_obstacle, [](int i) { return std::array{i}; },
               [&](int i, int k, auto& to) { test_vertex(w, i, k, to); }, out) &&
        search(parallel, w, s, int(m.surface.edges.size()), PointContact::edge_obstacle, [&](int i) { return m.surface.edges[i]; },
               [&](int i, int k, auto& to) { test_edge(w, i, k, to); }, out) &&
        search(parallel, w, s, int(m.surface.triangles.size()), PointContact::triangle_obstacle,
               [&](int i) { return m.surface.triangles[i]; }, [&](int i, int k, auto& to) { test_triangle(w, i, k, to); }, out);
    if (!found) clear_obstacles(s, out);
    return found;
}

} // namespace sinew
