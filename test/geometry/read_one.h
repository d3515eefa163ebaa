// One of the three readers on arbitrary bytes, and everything that must work on whatever it accepts. Used by
// the libFuzzer target and by the test with mutated files. Returns the first broken promise, empty if there
// is none.
#pragma once
#include "geometry/read_mesh.h"
#include "geometry/topology.h"
#include "geometry/triangulate.h"

namespace sinew {

inline std::string read_one(int format, std::string_view bytes) {
    const auto parse = format == 0 ? parse_obj : format == 1 ? parse_ply : parse_stl;
    const Result<PolygonMesh> r = parse(bytes, "input");
    if (!r) {
        if (r.errors.empty()) return "refused without an error";
        if (r.errors[0].message.empty() || r.errors[0].file != "input")
            return "error without message or file";
        return {};
    }
    if (!r.errors.empty()) return "accepted with an error";
    const PolygonMesh& m = *r.value;
    const auto errors = validate_mesh(m);
    if (!errors.empty()) return "accepted an invalid mesh: " + errors[0].path + " " + errors[0].message;
    if (m.positions.empty()) return "accepted a mesh without vertices";
    const Triangulation t = triangulate(m);
    if (t.triangles.size() + 2 * std::size_t(polygon_count(m)) != m.polygon_vertex.size())
        return "wrong triangle count";
    describe(check_mesh(m));
    boundary_vertices(m, build_edges(m));
    return {};
}

} // namespace sinew
