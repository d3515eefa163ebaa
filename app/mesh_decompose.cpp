// sinew mesh decompose: a closed mesh as convex parts.
#include "command.h"
#include "core/math.h"
#include "geometry/decompose.h"
#include "geometry/hull.h"
#include "geometry/triangulate.h"
#include "output/mesh_file.h"
#include <algorithm>
#include <fmt/format.h>

namespace sinew {

int command_mesh_decompose(const MeshOptions& o) {
    const std::optional<PolygonMesh> m = read_mesh_to_change(o);
    if (!m) return kBadInput;
    DecomposeSettings settings;
    settings.concavity = o.concavity;
    settings.max_hulls = o.hulls;
    settings.spacing = std::min(settings.spacing, o.concavity / 4);
    const ParallelPtr parallel = make_parallel(make_context(0, true));
    Result<Decomposition> d = decompose_mesh(*parallel, {m->positions, triangulate(*m).triangles}, settings);
    for (Error& e : d.errors) e.file = o.in;
    if (!d) return print_errors(d.errors), kBadInput;
    PolygonMesh out;
    for (std::size_t i = 0; i < d.value->hulls.size(); ++i) {
        const PolygonMesh part = mesh_of(d.value->hulls[i]);
        const int base = vertex_count(out);
        PolygonGroup group{PolygonGroupKind::group, fmt::format("part_{}", i), {}};
        out.positions.insert(out.positions.end(), part.positions.begin(), part.positions.end());
        for (int p = 0; p < polygon_count(part); ++p) {
            std::vector<int> corners(part.polygon_vertex.begin() + part.polygon_begin[p], part.polygon_vertex.begin() + part.polygon_begin[p + 1]);
            for (int& v : corners) v += base;
            group.polygons.push_back(add_polygon(out, corners));
        }
        out.polygon_groups.push_back(std::move(group));
    }
    std::vector<std::string> notes;
    if (const Errors e = write_mesh(o.out, out, notes); !e.empty()) return print_errors(e), kFailed;
    const Real worst = *std::max_element(d.value->concavity.begin(), d.value->concavity.end());
    if (!o.quiet) {
        fmt::print("{}: {} convex parts, concavity {:.3g} ({:.2f} % of the diagonal)\n", o.out, d.value->hulls.size(), worst, 100 * worst / d.value->diagonal);
        for (const std::string& n : notes) fmt::print("{}\n", n);
        if (!d.value->within_limit) fmt::print("more parts would be needed for {:.2f} %\n", 100 * o.concavity);
    }
    return d.value->within_limit ? kOk : kFailed;
}

} // namespace sinew
