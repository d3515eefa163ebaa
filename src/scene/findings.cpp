#include "scene/findings.h"
#include "core/math.h"
#include "geometry/repair.h"
#include "geometry/topology.h"
#include "model/snapshot_of.h"
#include <algorithm>

namespace sinew {

namespace {
constexpr Real kThin = 1e-9; // as RepairOptions::thin: what repair would remove

std::string text(const std::array<int, 2>& e) { return std::to_string(e[0]) + "-" + std::to_string(e[1]); }
std::string text(int i) { return std::to_string(i); }

template <class T> std::string count_and_list(const std::vector<T>& list, const char* one, const char* many) {
    constexpr std::size_t kShown = 5;
    std::string s = std::to_string(list.size()) + " " + (list.size() == 1 ? one : many) + " (";
    for (std::size_t i = 0; i < list.size() && i < kShown; ++i) s += (i ? ", " : "") + text(list[i]);
    return s + (list.size() > kShown ? ", ...)" : ")");
}

Finding make_finding(const std::string& object, const char* kind, std::string message, const std::vector<Real3>& x) {
    Finding f;
    f.object = object;
    f.kind = kind;
    f.message = std::move(message);
    f.positions = x;
    return f;
}

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

std::vector<Finding> find_defects(const Model& model, const State& state) {
    std::vector<Finding> out;
    if (!model.layout) return out;
    const Snapshot now = snapshot_of(model, state);
    for (std::size_t i = 0; i < model.layout->objects.size(); ++i) {
        const PolygonMesh m = world_mesh(model.layout->objects[i], now.objects[i]);
        if (polygon_count(m) > 0 && validate_mesh(m).empty()) find_mesh_defects(model.layout->objects[i].name, m, out);
    }
    return out;
}

} // namespace sinew
