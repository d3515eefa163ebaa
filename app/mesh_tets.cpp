// sinew mesh tets: a closed mesh filled with tetrahedra.
#include "command.h"
#include "geometry/fill_holes.h"
#include "geometry/read_mesh.h"
#include "geometry/read_tets.h"
#include "geometry/stuffing.h"
#include "geometry/tet_measure.h"
#include "geometry/triangulate.h"
#include <filesystem>
#include <fmt/format.h>

namespace sinew {

int command_mesh_tets(const MeshOptions& o) {
    const std::filesystem::path out(o.out);
    std::error_code ignored;
    // both files of TetGen count
    for (const std::string& e : out.extension() == ".msh" ? std::vector<std::string>{".msh"} : std::vector<std::string>{".node", ".ele"}) {
        std::filesystem::path file = out;
        if (!o.overwrite && std::filesystem::exists(file.replace_extension(e), ignored))
            return print_errors({Error{.file = file.string(), .message = "exists already", .allowed = "--overwrite, or another name"}}), kBadInput;
    }
    Result<PolygonMesh> m = read_mesh(o.in);
    if (!m) return print_errors(m.errors), kBadInput;
    const int holes = o.fill_holes ? fill_holes(*m.value) : 0;
    StuffingSettings settings;
    settings.cell = o.cell;
    settings.offset = o.offset;
    const ParallelPtr parallel = make_parallel(make_context(0, true));
    Result<TetMesh> tets = stuff_mesh(*parallel, {m.value->positions, triangulate(*m.value).triangles}, settings);
    for (Error& e : tets.errors) e.file = o.in;
    if (!tets) return print_errors(tets.errors), kBadInput;
    if (const std::vector<Error> e = write_tets(o.out, *tets.value); !e.empty()) return print_errors(e), kBadInput;
    if (o.quiet) return kOk;
    const AngleRange angles = dihedral_range(*tets.value);
    std::vector<int> component;
    if (holes > 0) fmt::print("{} holes filled\n", holes);
    fmt::print("{}: {} points, {} tetrahedra in {} part(s), volume {:.6g}, dihedral angles {:.1f} to {:.1f} degrees\n", o.out,
               tets.value->points.size(), tets.value->tets.size(), face_components(*tets.value, component), total_volume(*tets.value),
               angles.min * 180 / kPi, angles.max * 180 / kPi);
    return kOk;
}

} // namespace sinew
