// sinew mesh: check and repair mesh files.
#include "command.h"
#include "defects.h"
#include "geometry/mass.h"
#include "geometry/read_mesh.h"
#include "geometry/read_tets.h"
#include "geometry/repair.h"
#include "geometry/sample.h"
#include "geometry/tet_measure.h"
#include "geometry/topology.h"
#include "output/mesh_file.h"
#include <filesystem>
#include <fmt/format.h>

namespace sinew {

namespace {

void print_mesh(const std::string& file, const PolygonMesh& m) {
    const Bounds b = compute_bounds(m);
    const MeshCheck c = check_mesh(m);
    fmt::print("{}: {} vertices, {} polygons{}\n", file, vertex_count(m), polygon_count(m),
               m.segments.empty() ? "" : fmt::format(", {} segments", m.segments.size()));
    fmt::print("  size {:.6g} x {:.6g} x {:.6g}, area {:.6g}\n", b.max.x - b.min.x, b.max.y - b.min.y, b.max.z - b.min.z,
               surface_area(build_surface_table(m)));
    fmt::print("  {}, {}, {}\n", c.closed ? "closed" : "open", c.oriented ? "oriented" : "not oriented",
               c.manifold ? "manifold" : "not manifold");
    if (const auto mass = mass_properties(m, 1); mass) fmt::print("  volume {:.6g}\n", mass.value->volume);
    if (!c.open_edges.empty()) fmt::print("  {} open edges\n", c.open_edges.size());
    if (!c.unused_vertices.empty()) fmt::print("  {} unused vertices\n", c.unused_vertices.size());
    for (const std::string& n : m.notes) fmt::print("  {}\n", n);
}

// a layout with one object, for pictures
void make_layout(const std::string& name, const PolygonMesh& m, SnapshotLayout& layout, Snapshot& snapshot) {
    SnapshotObject o;
    o.name = name;
    o.kind = "mesh";
    o.rest = m.positions;
    o.point_count = vertex_count(m);
    o.polygon_begin = m.polygon_begin;
    o.polygon_vertex = m.polygon_vertex;
    layout.objects.push_back(std::move(o));
    snapshot.objects.resize(1);
    snapshot.objects[0].position = m.positions;
}

} // namespace

// OUT must be new unless the user says so, and a format that can be written
bool check_mesh_output(const std::string& out, bool overwrite) {
    std::error_code ignored;
    if (!can_write_mesh(out)) print_errors({Error{.file = out, .message = "no mesh format of this name", .allowed = ".obj, .ply, .stl"}});
    else if (!overwrite && std::filesystem::exists(out, ignored))
        print_errors({Error{.file = out, .message = "exists already", .allowed = "--overwrite, or another name"}});
    else return true;
    return false;
}

// pictures of what was found; false: they could not be written
static bool draw_all(const std::string& name, const PolygonMesh& m, const std::vector<Finding>& findings, const MeshOptions& o) {
    if (o.pictures.empty() || findings.empty()) return true;
    SnapshotLayout layout;
    Snapshot snapshot;
    make_layout(name, m, layout, snapshot);
    std::vector<std::string> files;
    const Errors errors = draw_findings(layout, snapshot, findings, o.pictures, o.overwrite, files);
    for (const std::string& f : files) fmt::print("  picture: {}\n", f);
    if (!errors.empty()) print_errors(errors);
    return errors.empty();
}

static bool is_tet_file(const std::string& file) {
    const std::string end = std::filesystem::path(file).extension().string();
    return end == ".msh" || end == ".node" || end == ".ele";
}

static int check_tets(const MeshOptions& o) {
    const Result<TetMesh> m = read_tets(o.in);
    if (!m) return print_errors(m.errors), kBadInput;
    fmt::print("{}: {} points, {} tetrahedra\n", o.in, m.value->points.size(), m.value->tets.size());
    for (const std::string& n : m.value->notes) fmt::print("  {}\n", n);
    const std::string name = std::filesystem::path(o.in).stem().string();
    PolygonMesh border;
    border.positions = m.value->points;
    for (const BoundaryFace& f : boundary_faces(*m.value)) add_polygon(border, {f.corners.begin(), f.corners.end()});
    std::vector<Finding> findings;
    find_tetrahedron_defects(name, m.value->points, m.value->tets, findings);
    find_mesh_defects(name, border, findings);
    for (const Finding& f : findings) fmt::print("  found: {}\n", f.message);
    if (!draw_all(name, border, findings, o)) return kBadInput;
    return findings.empty() ? kOk : kFailed;
}

int command_mesh_check(const MeshOptions& o) {
    if (is_tet_file(o.in)) return check_tets(o);
    const Result<PolygonMesh> m = read_mesh(o.in);
    if (!m) return print_errors(m.errors), kBadInput;
    print_mesh(o.in, *m.value);
    std::vector<Finding> findings;
    const std::string name = std::filesystem::path(o.in).stem().string();
    find_mesh_defects(name, *m.value, findings);
    for (const Finding& f : findings) fmt::print("  found: {}\n", f.message);
    if (!draw_all(name, *m.value, findings, o)) return kBadInput;
    if (!findings.empty()) {
        std::vector<Finding> left;
        find_mesh_defects(name, repair_mesh(*m.value, {}).mesh, left);
        fmt::print("  sinew mesh repair {}\n", left.empty()                          ? "can mend this"
                                               : left.size() < findings.size() ? "can mend a part of this"
                                                                               : "cannot mend this");
    }
    return findings.empty() ? kOk : kFailed;
}

std::optional<PolygonMesh> read_mesh_to_change(const MeshOptions& o) {
    if (!check_mesh_output(o.out, o.overwrite)) return {};
    Result<PolygonMesh> m = read_mesh(o.in);
    if (!m) print_errors(m.errors);
    return std::move(m.value);
}

int command_mesh_repair(const MeshOptions& o) {
    const std::optional<PolygonMesh> m = read_mesh_to_change(o);
    if (!m) return kBadInput;
    RepairOptions options;
    options.weld = o.weld;
    options.thin = o.thin;
    options.orient = !o.keep_orientation;
    options.split = !o.keep_nonmanifold;
    options.remove_unused = !o.keep_unused;
    const RepairedMesh r = repair_mesh(*m, options);
    if (!o.quiet) {
        for (const std::string& line : describe(r.report)) fmt::print("{}\n", line);
        if (!changed_anything(r.report)) fmt::print("nothing to repair\n");
    }
    std::vector<std::string> notes = m->notes;
    if (const Errors e = write_mesh(o.out, r.mesh, notes); !e.empty()) return print_errors(e), kFailed;
    if (o.quiet) return kOk;
    for (const std::string& n : notes) fmt::print("{}\n", n);
    print_mesh(o.out, r.mesh);
    return kOk;
}

} // namespace sinew
