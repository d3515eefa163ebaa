#include "scene/findings.h"
#include "collision/intersections.h"
#include "core/math.h"
#include "geometry/bounds.h"
#include "geometry/repair.h"
#include "geometry/topology.h"
#include "geometry/triangulate.h"
#include "model/contacts.h"
#include "model/snapshot_of.h"
#include "scene/finding_text.h"
#include "scene/findings_part.h"
#include <algorithm>
#include <map>

namespace sinew {

namespace {
constexpr Real kThin = 1e-9; // as RepairOptions::thin: what repair would remove

void add_polygons(Finding& f, const PolygonMesh& m, const std::vector<int>& polygons) {
    for (int p : polygons)
        f.polygons.emplace_back(m.polygon_vertex.begin() + m.polygon_begin[p], m.polygon_vertex.begin() + m.polygon_begin[p + 1]);
}

// An object as a mesh in the world.
PolygonMesh world_mesh(const SnapshotObject& o, const SnapshotObjectFrame& frame) {
    PolygonMesh m;
    m.polygon_begin = o.polygon_begin;
    m.polygon_vertex = o.polygon_vertex;
    m.segments = o.segments;
    if (!o.rigid) m.positions = frame.position;
    else
        for (const Real3& x : o.rest) m.positions.push_back(real3(vec(frame.pose.position) + quat(frame.pose.rotation) * vec(x)));
    return m;
}
} // namespace

void find_mesh_defects(const std::string& name, const PolygonMesh& m, std::vector<Finding>& out) {
    std::vector<int> flat;
    for (int p = 0; p < polygon_count(m); ++p)
        if (has_no_area(m, p, kThin)) flat.push_back(p);
    if (!flat.empty()) {
        Finding f = make_finding(name, "degenerate", count_and_list(flat, "polygon without area", "polygons without area"), m.positions);
        add_polygons(f, m, flat);
        out.push_back(std::move(f));
    }
    if (const std::vector<int> twice = find_duplicate_polygons(m); !twice.empty()) {
        Finding f = make_finding(name, "duplicate", count_and_list(twice, "repeated polygon", "repeated polygons"), m.positions);
        add_polygons(f, m, twice);
        out.push_back(std::move(f));
    }
    const MeshCheck c = check_mesh(m);
    if (!c.nonmanifold_edges.empty()) {
        Finding f = make_finding(name, "edges", count_and_list(c.nonmanifold_edges, "edge with more than two polygons",
                                 "edges with more than two polygons"), m.positions);
        f.edges = c.nonmanifold_edges;
        out.push_back(std::move(f));
    }
    // a fan at the end of such an edge is the same defect
    std::vector<int> fans;
    for (int v : c.nonmanifold_vertices)
        if (std::none_of(c.nonmanifold_edges.begin(), c.nonmanifold_edges.end(), [&](auto& e) { return e[0] == v || e[1] == v; })) fans.push_back(v);
    if (!fans.empty()) {
        Finding f = make_finding(name, "fans", count_and_list(fans, "vertex where several fans meet", "vertices where several fans meet"), m.positions);
        f.vertices = fans;
        out.push_back(std::move(f));
    }
    if (!c.misoriented_edges.empty()) {
        Finding f = make_finding(name, "orientation", count_and_list(c.misoriented_edges, "edge between polygons of opposite orientation",
                                 "edges between polygons of opposite orientation"), m.positions);
        f.edges = c.misoriented_edges;
        out.push_back(std::move(f));
    }
}

void find_tetrahedron_defects(const std::string& name, const std::vector<Real3>& points,
                              const std::vector<std::array<int, 4>>& tetrahedra, std::vector<Finding>& out) {
    const std::vector<int> bad = find_inverted_tetrahedra(points, tetrahedra);
    if (bad.empty()) return;
    Finding f = make_finding(name, "inverted", count_and_list(bad, "inverted or flat tetrahedron", "inverted or flat tetrahedra"), points);
    for (int t : bad) {
        const auto& v = tetrahedra[t];
        for (const auto& face : {std::array{0, 2, 1}, std::array{0, 1, 3}, std::array{0, 3, 2}, std::array{1, 2, 3}})
            f.polygons.push_back({v[face[0]], v[face[1]], v[face[2]]});
    }
    out.push_back(std::move(f));
}

namespace {
Aabb box_of(const PolygonMesh& m) {
    Aabb b;
    for (const Real3& x : m.positions) b = merge(b, Vec3(vec(x)));
    return b;
}

// Where triangle a crosses the plane of b, as an interval along `line`. False unless a reaches beyond it on both sides.
bool cross_plane(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b, const Vec3& line, Real tolerance, Real& low, Real& high) {
    const Vec3 n = (b[1] - b[0]).cross(b[2] - b[0]).stableNormalized();
    Real d[3];
    for (int k = 0; k < 3; ++k) d[k] = n.dot(a[k] - b[0]);
    if (!(std::min({d[0], d[1], d[2]}) < -tolerance && std::max({d[0], d[1], d[2]}) > tolerance)) return false;
    low = std::numeric_limits<Real>::infinity(), high = -low;
    for (int k = 0; k < 3; ++k) {
        const int j = (k + 1) % 3;
        if ((d[k] < 0) == (d[j] < 0)) continue;
        const Real at = line.dot(a[k] + d[k] / (d[k] - d[j]) * (a[j] - a[k]));
        low = std::min(low, at), high = std::max(high, at);
    }
    return true;
}

// They share a stretch of a line longer than the tolerance, and both go on beyond it.
bool pass_through(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b, Real tolerance) {
    const Vec3 line = (a[1] - a[0]).cross(a[2] - a[0]).stableNormalized().cross((b[1] - b[0]).cross(b[2] - b[0]).stableNormalized()).stableNormalized();
    Real a0, a1, b0, b1;
    if (!cross_plane(a, b, line, tolerance, a0, a1) || !cross_plane(b, a, line, tolerance, b0, b1)) return false;
    return std::min(a1, b1) - std::max(a0, b0) > tolerance;
}

// Meeting triangles of two surfaces that no small motion frees; none if they only touch.
std::vector<Pair> pairs_that_cannot_part(const Parallel& parallel, const TriangleSet& a, const TriangleSet& b, const std::vector<Pair>& pairs,
                                         Real tolerance) {
    return can_part(parallel, a, b, 4 * tolerance) ? std::vector<Pair>{} : pairs;
}

// The same for the connected parts of one surface.
std::vector<Pair> parts_that_cannot_part(const Parallel& parallel, const TriangleSet& s, const std::vector<Pair>& pairs, Real tolerance) {
    const std::vector<int> part = find_parts(s);
    std::map<std::pair<int, int>, std::vector<Pair>> meeting;
    for (const Pair& p : pairs)
        if (part[p[0]] != part[p[1]]) meeting[{part[p[0]], part[p[1]]}].push_back(p);
    std::vector<Pair> out;
    for (const auto& [both, list] : meeting) {
        std::vector<std::array<int, 3>> a, b;
        for (std::size_t t = 0; t < part.size(); ++t) {
            if (part[t] == both.first) a.push_back(s.triangles[t]);
            if (part[t] == both.second) b.push_back(s.triangles[t]);
        }
        if (!can_part(parallel, {s.x, a}, {s.x, b}, 4 * tolerance)) out.insert(out.end(), list.begin(), list.end());
    }
    return out;
}

bool cannot_move(const Model& m, const std::string& name) {
    const Id i = find(m, name);
    if (!i) return false;
    const Object& o = m.objects[i.index];
    for (int k = o.frames.begin; k < o.frames.end; ++k)
        if (!(m.frame.flags[k] & kFixed)) return false;
    return o.points.begin == o.points.end;
}

bool may_touch(const Model& m, const RuleTable& rules, const std::string& a, const std::string& b) {
    const Id i = find(m, a), j = find(m, b);
    return !i || !j || find_pair_rule(m, rules, i.index, j.index).touches;
}
} // namespace

void find_intersection_defects(const Parallel& parallel, const std::string& name, const PolygonMesh& a, const std::string& other,
                               const PolygonMesh* b, std::vector<Finding>& out) {
    const Triangulation ta = triangulate(a), tb = b ? triangulate(*b) : Triangulation{};
    const TriangleSet sa{a.positions, ta.triangles}, sb{b ? std::span<const Real3>(b->positions) : std::span<const Real3>{}, tb.triangles};
    IntersectScratch scratch;
    std::vector<Pair> pairs;
    if (!(b ? find_intersections(parallel, sa, sb, scratch, pairs) : find_self_intersections(parallel, sa, scratch, pairs))) return;
    const Aabb all = b ? merge(box_of(a), box_of(*b)) : box_of(a);
    const Real tolerance = 1e-6 * (all.hi - all.lo).norm();
    const auto corners = [](const TriangleSet& s, int t) {
        return std::array<Vec3, 3>{vec(s.x[s.triangles[t][0]]), vec(s.x[s.triangles[t][1]]), vec(s.x[s.triangles[t][2]])};
    };
    std::vector<Pair> through;
    for (const Pair& p : pairs)
        if (pass_through(corners(sa, p[0]), corners(b ? sb : sa, p[1]), tolerance)) through.push_back(p);
    if (through.empty() && !pairs.empty())
        through = b ? pairs_that_cannot_part(parallel, sa, sb, pairs, tolerance) : parts_that_cannot_part(parallel, sa, pairs, tolerance);
    std::vector<int> polygons;
    Finding f = make_finding(name, "intersection", "", a.positions);
    f.other = other;
    const int base = int(a.positions.size());
    if (b) f.positions.insert(f.positions.end(), b->positions.begin(), b->positions.end());
    for (const Pair& p : through) {
        polygons.push_back(ta.polygon[p[0]]);
        const auto &u = sa.triangles[p[0]], &v = (b ? sb : sa).triangles[p[1]];
        f.polygons.push_back({u[0], u[1], u[2]});
        const int shift = b ? base : 0;
        f.polygons.push_back({v[0] + shift, v[1] + shift, v[2] + shift});
    }
    if (polygons.empty()) return;
    std::sort(polygons.begin(), polygons.end());
    polygons.erase(std::unique(polygons.begin(), polygons.end()), polygons.end());
    f.message = b ? "intersects " + other + ": " : "intersects itself: ";
    f.message += count_and_list(polygons, "polygon", "polygons");
    out.push_back(std::move(f));
}

std::vector<Finding> find_defects(const Parallel& parallel, const Model& model, const State& state) {
    std::vector<Finding> out;
    if (!model.layout || !find_numbers_that_are_none(model, state, out)) return out;
    find_inverted_elements(model, state, out);
    ObjectPairs crossing;
    const Snapshot now = snapshot_of(model, state);
    struct Placed {
        const std::string* name;
        PolygonMesh mesh;
        Aabb box;
    };
    std::vector<Placed> meshes;
    RuleTable rules;
    build_rule_table(model, rules);
    for (std::size_t i = 0; i < model.layout->objects.size(); ++i) {
        PolygonMesh m = world_mesh(model.layout->objects[i], now.objects[i]);
        if (polygon_count(m) == 0) continue;
        if (const std::vector<Error> problems = validate_mesh(m); !problems.empty()) {
            out.push_back(make_finding(model.layout->objects[i].name, "invalid", problems[0].message, {}));
            continue;
        }
        find_mesh_defects(model.layout->objects[i].name, m, out);
        if (model.layout->objects[i].kind == "plane") continue;
        meshes.push_back({&model.layout->objects[i].name, std::move(m), {}});
        meshes.back().box = box_of(meshes.back().mesh);
    }
    for (std::size_t i = 0; i < meshes.size(); ++i) {
        find_intersection_defects(parallel, *meshes[i].name, meshes[i].mesh, "", nullptr, out);
        for (std::size_t j = i + 1; j < meshes.size(); ++j)
            if (overlap(meshes[i].box, meshes[j].box) && may_touch(model, rules, *meshes[i].name, *meshes[j].name)) {
                const std::size_t before = out.size();
                find_intersection_defects(parallel, *meshes[i].name, meshes[i].mesh, *meshes[j].name, &meshes[j].mesh, out);
                if (out.size() == before) continue;
                // parts of a set that nobody moves may stand in each other
                out.back().serious = !(cannot_move(model, *meshes[i].name) && cannot_move(model, *meshes[j].name));
                const Id a = find(model, *meshes[i].name), b = find(model, *meshes[j].name);
                if (a && b) crossing.insert({std::min(a.index, b.index), std::max(a.index, b.index)});
            }
    }
    find_start_defects(parallel, model, state, crossing, out);
    return out;
}

} // namespace sinew
