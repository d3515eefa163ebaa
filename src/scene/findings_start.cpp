// What is wrong with the first state of a scene beyond triangles that cross: numbers that are none, inverted elements,
// bodies in each other by their shapes, lines through triangles, what lies inside closed surfaces, and what touches.
#include "collision/detect.h"
#include "collision/detect_points.h"
#include "collision/intersections.h"
#include "collision/surface_distance.h"
#include "core/math.h"
#include "geometry/shape_bounds.h"
#include "model/element.h"
#include "model/emit.h"
#include "scene/finding_text.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace sinew {

namespace {

struct Start {
    const Parallel& parallel;
    const Model& m;
    const State& s;
    std::vector<Real3> x; // [m] surface vertices
    RuleTable rules;
    ObjectPairs known;    // already reported
    Real tolerance;       // [m] closer is touching
};
using Found = std::map<std::pair<int, int>, std::vector<int>>; // objects -> indices in the first

bool can_move(const Model& m, int object) {
    const Object& o = m.objects[object];
    for (int i = o.points.begin; i < o.points.end; ++i)
        if (!(m.point.flags[i] & kFixed)) return true;
    for (int i = o.frames.begin; i < o.frames.end; ++i)
        if (!(m.frame.flags[i] & kFixed)) return true;
    return false;
}

bool may_meet(const Start& w, int a, int b) {
    if (!w.m.objects[a].alive || !w.m.objects[b].alive) return false;
    if (a == b) return w.m.objects[a].self_contact;
    return (can_move(w.m, a) || can_move(w.m, b)) && find_pair_rule(w.m, w.rules, a, b).touches;
}
bool is_known(const Start& w, int a, int b) { return w.known.count({std::min(a, b), std::max(a, b)}) > 0; }
void add_known(Start& w, int a, int b) { w.known.insert({std::min(a, b), std::max(a, b)}); }

// [m] Diagonal of what has an extent: the surface, and obstacles without end excepted. A lone point counts as a metre.
Real scene_size(const Model& m, const State& s, const std::vector<Real3>& x) {
    Aabb all;
    for (const Real3& p : x) all = merge(all, Vec3(vec(p)));
    for (const Obstacle& o : m.obstacles)
        if (o.shape != Obstacle::plane && o.shape != Obstacle::height_field && o.frame >= 0)
            all = merge(all, shape_bounds(convex_of(o), make_placement(place_obstacle(o, {s.frame.p[o.frame], s.frame.q[o.frame]}))));
    const Real size = is_empty(all) ? 0 : (all.hi - all.lo).norm();
    return size > 0 ? size : 1;
}

// One finding per pair of objects; indices are those of surface vertices, or of edges, of the first.
void report(Start& w, const Found& found, const char* kind, const char* what, bool serious, bool edges, std::vector<Finding>& out) {
    for (const auto& [pair, all] : found) {
        if (pair.first > pair.second && found.count({pair.second, pair.first})) continue; // said the other way round
        const Object &a = w.m.objects[pair.first], &b = w.m.objects[pair.second];
        std::vector<int> list = all;
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        const std::vector<Real3> own(w.x.begin() + a.surface.begin, w.x.begin() + a.surface.end);
        Finding f = make_finding(a.name, kind, "", own);
        f.other = pair.first == pair.second ? std::string() : b.name;
        f.serious = serious;
        f.message = fmt::format("{} {}: {}", what, pair.first == pair.second ? "itself" : b.name,
                                edges ? count_and_list(list, "edge", "edges") : count_and_list(list, "vertex", "vertices"));
        for (int i : list)
            if (edges) {
                const auto& e = w.m.surface.edges[a.edges.begin + i];
                f.edges.push_back({e[0] - a.surface.begin, e[1] - a.surface.begin});
            } else {
                f.vertices.push_back(i);
            }
        out.push_back(std::move(f));
        if (serious) add_known(w, pair.first, pair.second);
    }
}

int own_index(const Model& m, int vertex) { return vertex - m.objects[m.surface.object[vertex]].surface.begin; }

// Vertices inside analytic obstacles that they touch, by the true shape, so that floors count too; and edges and triangles
// that only an obstacle's corner or edge passes through. Bodies too, by their vertices.
void find_sunk(Start& w, std::vector<Finding>& out) {
    Model bare = w.m;
    bare.colliders.clear(); // bodies with shapes would be left to detect_shapes
    DetectScratch scratch;
    Contacts contacts;
    if (!detect_obstacles(w.parallel, bare, w.x, w.s.point.alive, w.s.frame, {w.tolerance}, scratch, contacts)) return;
    Found sunk, pierced, touching;
    for (const PointContact& c : contacts.point_point) {
        const Real distance = c.gap + c.thickness;
        if (!may_meet(w, c.object_a, c.object_b)) continue;
        const int first = own_index(w.m, c.stencil[0]);
        const bool body = w.m.surface.vertices[c.stencil[0]].kind == SurfaceVertex::frame;
        if (distance < -w.tolerance) (c.vertex >= 0 ? sunk : pierced)[{c.object_a, c.object_b}].push_back(first);
        else if (distance <= w.tolerance && !body) touching[{c.object_a, c.object_b}].push_back(first);
    }
    for (const auto& [pair, list] : sunk) pierced.erase(pair), touching.erase(pair);
    for (const auto& [pair, list] : pierced) touching.erase(pair);
    std::erase_if(pierced, [&](const auto& p) { return is_known(w, p.first.first, p.first.second); });
    report(w, sunk, "inside", "inside", true, false, out);
    report(w, pierced, "pierced", "pierced by", true, false, out);
    report(w, touching, "touching", "touches", false, false, out);
}

// Bodies by their shapes: how deep one is in the other, or that they touch.
void find_overlaps(Start& w, std::vector<Finding>& out) {
    ShapeScratch scratch;
    Contacts contacts;
    if (!detect_shapes(w.parallel, w.m, w.s.frame, {w.tolerance}, scratch, contacts)) return;
    std::map<std::pair<int, int>, std::vector<const PointContact*>> pairs;
    for (const PointContact& c : contacts.point_point) pairs[{c.object_a, c.object_b}].push_back(&c);
    for (const auto& [pair, points] : pairs) {
        if (is_known(w, pair.first, pair.second)) continue;
        Real depth = 0;
        std::vector<Real3> at;
        for (const PointContact* c : points) depth = std::max(depth, -(c->gap + c->thickness)), at.push_back(c->at);
        Real nearest = 1e300;
        for (const PointContact* c : points) nearest = std::min(nearest, std::abs(c->gap + c->thickness));
        const bool deep = depth > w.tolerance;
        if (!deep && nearest > w.tolerance) continue; // within thickness only
        const Object &a = w.m.objects[pair.first], &b = w.m.objects[pair.second];
        Finding f = make_finding(a.name, deep ? "overlap" : "touching", "", at);
        f.other = b.name;
        f.serious = deep;
        f.message = deep ? fmt::format("overlaps {} by {:.3g} m at {} {}", b.name, depth, at.size(), at.size() == 1 ? "place" : "places")
                         : fmt::format("touches {} at {} {}", b.name, at.size(), at.size() == 1 ? "place" : "places");
        for (int i = 0; i < int(at.size()); ++i) f.vertices.push_back(i);
        out.push_back(std::move(f));
        if (deep) add_known(w, pair.first, pair.second);
    }
}

// Lines of no triangle whose ends are on different sides of a triangle they pass through.
void find_pierced_triangles(Start& w, std::vector<Finding>& out) {
    EdgeTriangles sides;
    if (!update_edge_triangles(w.m, sides)) return;
    std::vector<int> lines;
    std::vector<std::array<int, 2>> edges;
    for (int e = 0; e < int(w.m.surface.edges.size()); ++e)
        if (sides.begin[e] == sides.begin[e + 1]) lines.push_back(e), edges.push_back(w.m.surface.edges[e]);
    IntersectScratch scratch;
    std::vector<Pair> pairs;
    if (!find_edge_intersections(w.parallel, {w.x, w.m.surface.triangles}, edges, scratch, pairs)) return;
    Found found;
    for (const Pair& p : pairs) {
        const auto &e = edges[p[0]];
        const auto &t = w.m.surface.triangles[p[1]];
        const int a = w.m.surface.object[e[0]], b = w.m.surface.object[t[0]];
        if (!may_meet(w, a, b)) continue;
        const Vec3 x0 = vec(w.x[t[0]]), n = (Vec3(vec(w.x[t[1]])) - x0).cross(Vec3(vec(w.x[t[2]])) - x0).stableNormalized();
        const Real h0 = n.dot(vec(w.x[e[0]]) - x0), h1 = n.dot(vec(w.x[e[1]]) - x0);
        if (std::min(h0, h1) < -w.tolerance && std::max(h0, h1) > w.tolerance)
            found[{a, b}].push_back(lines[p[0]] - w.m.objects[a].edges.begin);
    }
    report(w, found, "pierced", "passes through", true, true, out);
}

// Vertices inside the closed surface of another object that is not met by its true shape.
void find_enclosed(Start& w, std::vector<Finding>& out) {
    ShapedObjects shapes;
    find_shaped_objects(w.m, shapes);
    Found found;
    for (int b = 0; b < int(w.m.objects.size()); ++b) {
        const Object& o = w.m.objects[b];
        if (o.triangles.begin == o.triangles.end ||
            std::any_of(w.m.obstacles.begin(), w.m.obstacles.end(), [&](const Obstacle& s) { return s.object == b && s.frame >= 0; }))
            continue;
        TriangleShape mesh;
        mesh.vertices.assign(w.x.begin() + o.surface.begin, w.x.begin() + o.surface.end);
        for (int t = o.triangles.begin; t < o.triangles.end; ++t) {
            const auto& v = w.m.surface.triangles[t];
            mesh.triangles.push_back({v[0] - o.surface.begin, v[1] - o.surface.begin, v[2] - o.surface.begin});
        }
        const MeshSurface surface = build_mesh_surface(mesh);
        if (!surface.one_sided) continue;
        SurfaceSide side;
        side.surface = &surface;
        side.box = surface.tree.nodes[0].box;
        for (int i = 0; i < int(w.x.size()); ++i) {
            const int a = w.m.surface.object[i];
            if (a == b || !contains(side.box, vec(w.x[i])) || !is_alive(w.m, w.s.point.alive, w.m.surface.vertices[i])) continue;
            if (meet_by_shapes(shapes, a, b) || is_known(w, a, b) || !may_meet(w, a, b)) continue;
            SurfaceDistance d;
            if (find_distance(side, vec(w.x[i]), 0, d) && d.distance < -w.tolerance) found[{a, b}].push_back(own_index(w.m, i));
        }
    }
    report(w, found, "inside", "inside", true, false, out);
}

// whether the surface around a vertex that lies in a triangle is on both sides of it: then it passes through
bool is_on_both_sides(const Start& w, const std::vector<std::vector<int>>& ends, const SurfaceContact& c) {
    const Vec3 x0 = vec(w.x[c.vertex[1]]);
    const Vec3 n = (Vec3(vec(w.x[c.vertex[2]])) - x0).cross(Vec3(vec(w.x[c.vertex[3]])) - x0).stableNormalized();
    Real low = 0, high = 0;
    for (int v : ends[c.vertex[0]]) {
        const Real h = n.dot(vec(w.x[v]) - x0);
        low = std::min(low, h), high = std::max(high, h);
    }
    return low < -w.tolerance && high > w.tolerance;
}

// Surfaces at distance zero: coplanar triangles, points in triangles, crossing edges.
void find_touching(Start& w, std::vector<Finding>& out) {
    SurfaceScratch scratch;
    Contacts contacts;
    Model bare = w.m;
    std::fill(bare.surface.thickness.begin(), bare.surface.thickness.end(), 0.0); // what is within thickness does not touch yet
    if (!detect_surface(w.parallel, bare, w.x, w.s.point.alive, {w.tolerance, false, 1}, scratch, contacts)) return;
    Found found, through;
    std::vector<std::vector<int>> ends(w.x.size());
    for (const auto& e : w.m.surface.edges) ends[e[0]].push_back(e[1]), ends[e[1]].push_back(e[0]);
    for (const SurfaceContact& c : contacts.vertex_triangle) {
        const int a = w.m.surface.object[c.vertex[0]], b = w.m.surface.object[c.vertex[1]];
        if (c.gap + c.thickness > w.tolerance || is_known(w, a, b) || !may_meet(w, a, b)) continue;
        if (is_on_both_sides(w, ends, c)) through[{a, b}].push_back(own_index(w.m, c.vertex[0]));
    }
    report(w, through, "intersection", "passes through", true, false, out);
    const auto add = [&](const std::vector<SurfaceContact>& list, int on_a) {
        for (const SurfaceContact& c : list) {
            const int a = w.m.surface.object[c.vertex[0]], b = w.m.surface.object[c.vertex[on_a]];
            if (c.gap + c.thickness > w.tolerance || is_known(w, a, b) || !may_meet(w, a, b)) continue;
            found[{a, b}].push_back(own_index(w.m, c.vertex[0]));
        }
    };
    add(contacts.vertex_triangle, 1);
    add(contacts.edge_edge, 2);
    add(contacts.vertex_edge, 1);
    add(contacts.vertex_vertex, 1);
    report(w, found, "touching", "touches", false, false, out);
}

} // namespace

bool find_numbers_that_are_none(const Model& m, const State& s, std::vector<Finding>& out) {
    bool all = true;
    for (const Object& o : m.objects) {
        std::vector<int> bad;
        for (int i = o.points.begin; i < o.points.end; ++i)
            if (!vec(s.point.x[i]).allFinite() || !vec(s.point.v[i]).allFinite()) bad.push_back(i - o.points.begin);
        for (int i = o.frames.begin; i < o.frames.end; ++i)
            if (!vec(s.frame.p[i]).allFinite() || !quat(s.frame.q[i]).coeffs().allFinite() || !vec(s.frame.v[i]).allFinite() ||
                !vec(s.frame.w[i]).allFinite())
                bad.push_back(i - o.frames.begin);
        for (int i = o.animated.begin; i < o.animated.end; ++i)
            if (!vec(s.animated.x[i]).allFinite()) bad.push_back(i - o.animated.begin);
        if (!o.alive || bad.empty()) continue;
        all = false;
        out.push_back(make_finding(o.name, "not_finite", "position or velocity is not a number: " + count_and_list(bad, "point", "points"), {}));
    }
    if (const NotFinite lost = find_lost_region(m, s, s); !lost.array.empty()) {
        all = false;
        out.push_back(make_finding(lost.object, "not_finite", "its motion is not a number at the start", {}));
    }
    return all;
}

void find_inverted_elements(const Model& m, const State& s, std::vector<Finding>& out) {
    if (!m.elements) return;
    Evaluation ev;
    ev.x = ev.x_now = s.point.x.data();
    ev.memory = &s.memory;
    for (const Table& t : m.elements->energies) {
        if (!t.row->inverted || t.row->points != 4) continue;
        std::map<int, std::vector<int>> bad; // object -> elements
        std::map<int, int> count;
        for (int e = 0; e < t.count(); ++e) {
            const int index = count[t.object[e]]++;
            if (t.row->inverted(t, ev, e, e + 1)) bad[t.object[e]].push_back(index);
        }
        for (const auto& [object, list] : bad) {
            const Object& o = m.objects[object];
            Finding f = make_finding(o.name, "inverted", count_and_list(list, "inverted tetrahedron", "inverted tetrahedra"),
                                     {s.point.x.begin() + o.points.begin, s.point.x.begin() + o.points.end});
            for (int index : list) {
                int e = 0;
                for (int k = -1; e < t.count(); ++e)
                    if (t.object[e] == object && ++k == index) break;
                for (const auto& face : {std::array{0, 2, 1}, std::array{0, 1, 3}, std::array{0, 3, 2}, std::array{1, 2, 3}})
                    f.polygons.push_back({t.stencil[4 * e + face[0]] - o.points.begin, t.stencil[4 * e + face[1]] - o.points.begin,
                                          t.stencil[4 * e + face[2]] - o.points.begin});
            }
            out.push_back(std::move(f));
        }
    }
}

void find_start_defects(const Parallel& parallel, const Model& m, const State& s, const ObjectPairs& crossing, std::vector<Finding>& out) {
    Start w{parallel, m, s, std::vector<Real3>(m.surface.vertices.size()), {}, crossing, 0};
    surface_positions(parallel, m, surface_state(s), w.x);
    build_rule_table(m, w.rules);
    w.tolerance = 1e-6 * std::min(scene_size(m, s, w.x), 1e3);
    find_sunk(w, out);
    find_overlaps(w, out);
    find_pierced_triangles(w, out);
    find_enclosed(w, out);
    find_touching(w, out);
}

} // namespace sinew
