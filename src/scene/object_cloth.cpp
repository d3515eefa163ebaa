// Sheets, as a shell of triangles and hinges (shell.h) or as masses and links: stretch along edges, shear along diagonals, bend over two edges (spec P17).
//   cloth_grid   a rectangular sheet in the plane y = 0 of its own axes
//   cloth        a sheet from a mesh (cloth_links.h). Closed ones may hold a pressure, a gas or a liquid (pressure.h)
// A link stands for a strip of the sheet: its force at strain 1 is stiffness [N/m] times the strip's width, so that the
// resolution does not change the material. A material of links that bends by hinges has these in place of the links over two edges.
#include "core/error.h"
#include "geometry/generate.h"
#include "geometry/read_mesh.h"
#include "geometry/topology.h"
#include "geometry/triangulate.h"
#include "scene/cloth_links.h"
#include "scene/kinds.h"
#include "scene/mesh_source.h"
#include "scene/pressure.h"
#include "scene/strain_limit.h"
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

// mass, surface, gravity, air, fixed points and looks: everything but the elasticity
Range add_sheet(const DeformableParams& p, const PolygonMesh& mesh, std::span<const Real> area, const Material& material,
                const PointMaps& maps, BuildContext& c) {
    begin_object(c.builder, c.object.name, c.object.kind, material.name);
    std::vector<Real> mass;
    for (std::size_t i = 0; i < area.size(); ++i) mass.push_back(area[i] * material.density * maps.density[i]);
    const int first = add_points(c.builder, place_points(c, mesh.positions), mass, kFree, c.object.velocity);
    const Range points{first, first + vertex_count(mesh)};
    add_spin(c, points);
    add_fixed(c, p.fixed, points, mesh);
    if (p.gravity) add_gravity(c, points);
    const std::vector<std::array<int, 3>> triangles = triangulate(mesh).triangles;
    add_air(c, p.air, points, area, triangles);
    const int vertices = add_surface_points(c.builder, points, p.thickness >= 0 ? p.thickness : material.thickness);
    for (int i = 0; i < points.count(); ++i) c.builder.model.surface.thickness[vertices + i] *= maps.size[i];
    add_surface_triangles(c.builder, vertices, triangles);
    set_touch(c, p.touch, material.friction, p.self_contact);
    add_deformable_snapshot(c, mesh, points, p.color, 0.003);
    return points;
}

bool is_good(BuildContext& c, std::size_t errors_before) { return c.errors.size() == errors_before; }

// free points go where another mesh with the same vertices has them; held ones stay
void set_start(BuildContext& c, const Value& start, Range points) {
    const PolygonMesh mesh = read_mesh_source(c, "start", start);
    if (mesh.positions.empty()) return;
    if (vertex_count(mesh) != points.count()) {
        add_error(c, "start", start, fmt::format("has {} vertices, the sheet {}", vertex_count(mesh), points.count()));
        return;
    }
    const std::vector<Real3> x = place_points(c, mesh.positions);
    for (int i = points.begin; i < points.end; ++i)
        if (!(c.builder.model.point.flags[i] & kFixed)) c.builder.state.point.x[i] = x[i - points.begin];
}

// a grid with its squares cut; texture coordinates of a grid go by vertex
PolygonMesh triangle_mesh(const PolygonMesh& grid, const Triangulation& triangles) {
    PolygonMesh out = grid;
    out.polygon_begin = {0};
    out.polygon_vertex.clear();
    out.polygon_uv.clear();
    for (const auto& t : triangles.triangles) add_polygon(out, {t[0], t[1], t[2]});
    out.polygon_uv = out.polygon_vertex;
    return out;
}

void check_links(const SheetParams& p, BuildContext& c) {
    if (p.rest.kind != Value::Kind::null) add_error(c, "rest", p.rest, "scripted rest shapes need \"model\": \"shell\"");
}

// the links of a grid, one by one
void add_mapped_grid(BuildContext& c, const Material& m, const PointMaps& maps, int nx, int nz, Real dx, Real dz, Range points, bool bend) {
    const Real diagonal = std::hypot(dx, dz), across = dx * dz / diagonal;
    const auto at = [&](int i, int j) { return i + (nx + 1) * j; };
    const auto add = [&](const LinkRole& role, Real width, Real length, int a, int b) {
        add_mapped_link(c, role, maps, width, length, points, a, b);
    };
    for (int j = 0; j <= nz; ++j)
        for (int i = 0; i <= nx; ++i) {
            if (i < nx) add(m.membrane, dz, dx, at(i, j), at(i + 1, j));
            if (j < nz) add(m.membrane, dx, dz, at(i, j), at(i, j + 1));
            if (i < nx && j < nz) add(m.shear, across, diagonal, at(i, j), at(i + 1, j + 1));
            if (i > 0 && j < nz) add(m.shear, across, diagonal, at(i, j), at(i - 1, j + 1));
            if (bend && i + 2 <= nx) add(m.bend, dz, 2 * dx, at(i, j), at(i + 2, j));
            if (bend && j + 2 <= nz) add(m.bend, dx, 2 * dz, at(i, j), at(i, j + 2));
        }
}

} // namespace

void ClothGrid::build(const Params& p, BuildContext& c) {
    const std::size_t before = c.errors.size();
    const Material material = object_material(c, p.common.material);
    const Real edge = p.edge > 0 ? p.edge : std::max(p.size[0], p.size[1]) / 40;
    if (p.edge <= 0) c.notes.push_back(fmt::format("{}.edge = {:.4g} m: a fortieth of the longer side", c.object.name, edge));
    const int nx = std::max(1, int(std::lround(p.size[0] / edge))), nz = std::max(1, int(std::lround(p.size[1] / edge)));
    if (Real(nx) * nz > 4e6) {
        add_error(c, "edge", make_number(edge), fmt::format("gives {} x {} cells, more than 4 million", nx, nz));
        return;
    }
    const PolygonMesh mesh = make_grid(nx, nz, p.size[0], p.size[1]);
    const Real dx = p.size[0] / nx, dz = p.size[1] / nz;
    std::vector<Real> area;
    for (int j = 0; j <= nz; ++j)
        for (int i = 0; i <= nx; ++i) area.push_back(dx * dz * (i % nx ? 1 : 0.5) * (j % nz ? 1 : 0.5));
    const PointMaps maps = read_maps(c, p.sheet.maps, map_places(mesh), "thickness");
    const bool shell = is_shell(p.sheet, material);
    if (!shell) check_links(p.sheet, c);
    if (!is_good(c, before)) return;
    const bool hinges = !shell && bends_by_hinges(material);
    Triangulation triangles;
    if (shell || hinges) triangles = alternate_triangles(mesh, nx);
    // seen, touched and blown at as it is simulated: folds along the other diagonal of a square would look like stairs
    const Range points = add_sheet(p.common, shell || hinges ? triangle_mesh(mesh, triangles) : mesh, area, material, maps, c);
    if (shell) return add_shell(c, p.sheet, material, mesh, triangles, maps, points, {dx, dz});
    if (hinges) add_shell_bending(c, p.sheet, material, mesh, triangles, maps, points, {dx, dz});
    const auto at = [&](int i, int j) { return points.begin + i + (nx + 1) * j; };
    if (StrainLimit::Params limit; read_strain_limit(c, p.sheet.strain_limit, limit))
        for (int j = 0; j <= nz; ++j)
            for (int i = 0; i <= nx; ++i) {
                if (i < nx) add_link_limit(c, limit, at(i, j), at(i + 1, j));
                if (j < nz) add_link_limit(c, limit, at(i, j), at(i, j + 1));
                if (i < nx && j < nz) add_link_limit(c, limit, at(i, j), at(i + 1, j + 1));
                if (i > 0 && j < nz) add_link_limit(c, limit, at(i, j), at(i - 1, j + 1));
            }
    if (p.sheet.maps.kind != Value::Kind::null || hinges) return add_mapped_grid(c, material, maps, nx, nz, dx, dz, points, !hinges);

    // links in the order of their first point, which keeps what is near in space near in memory
    const Real diagonal = std::hypot(dx, dz);
    const LinkModel along_x = make_link_model(material.membrane, dz, dx), along_z = make_link_model(material.membrane, dx, dz);
    const LinkModel shear = make_link_model(material.shear, dx * dz / diagonal, diagonal);
    const LinkModel bend_x = make_link_model(material.bend, dz, 2 * dx), bend_z = make_link_model(material.bend, dx, 2 * dz);
    for (int j = 0; j <= nz; ++j)
        for (int i = 0; i <= nx; ++i) {
            if (i < nx) add_link(c, along_x, at(i, j), at(i + 1, j));
            if (j < nz) add_link(c, along_z, at(i, j), at(i, j + 1));
            if (i < nx && j < nz) add_link(c, shear, at(i, j), at(i + 1, j + 1));
            if (i > 0 && j < nz) add_link(c, shear, at(i, j), at(i - 1, j + 1));
            if (i + 2 <= nx) add_link(c, bend_x, at(i, j), at(i + 2, j));
            if (j + 2 <= nz) add_link(c, bend_z, at(i, j), at(i, j + 2));
        }
}

void ClothMesh::build(const Params& p, BuildContext& c) {
    const std::size_t before = c.errors.size();
    const Material material = object_material(c, p.common.material);
    const PolygonMesh mesh = read_mesh_source(c, "mesh", p.mesh);
    if (!is_good(c, before) || mesh.positions.empty()) return;
    const Triangulation triangles = triangulate(mesh);
    // a third of each triangle goes to each corner
    const std::vector<Real3> world = place_points(c, mesh.positions);
    std::vector<Real> area(mesh.positions.size(), 0);
    for (const auto& t : triangles.triangles) {
        const Vec3 a = vec(world[t[0]]), b = vec(world[t[1]]), d = vec(world[t[2]]);
        for (int v : t) area[v] += (b - a).cross(d - a).norm() / 6;
    }
    for (std::size_t i = 0; i < area.size(); ++i)
        if (area[i] <= 0) {
            add_error(c, "mesh", p.mesh, fmt::format("vertex {} has no area around it, so it would have no mass", i));
            return;
        }
    const PointMaps maps = read_maps(c, p.sheet.maps, map_places(mesh), "thickness");
    const bool shell = is_shell(p.sheet, material);
    if (!shell) check_links(p.sheet, c);
    if (!is_good(c, before)) return;
    const Range points = add_sheet(p.common, mesh, area, material, maps, c);
    if (p.start.kind != Value::Kind::null) set_start(c, p.start, points);
    if (p.pressure.kind != Value::Kind::null) {
        const MeshCheck check = check_mesh(mesh);
        if (!bounds_volume(check)) add_error(c, "pressure", p.pressure, "the mesh holds no volume: " + describe(check), "a closed mesh");
        else add_pressure(c, p.pressure, points, triangles.triangles);
    }
    if (shell) return add_shell(c, p.sheet, material, mesh, triangles, maps, points);
    if (StrainLimit::Params limit; read_strain_limit(c, p.sheet.strain_limit, limit))
        for (const auto& e : unique_edges(mesh)) add_link_limit(c, limit, points.begin + e[0], points.begin + e[1]);
    const bool hinges = bends_by_hinges(material);
    add_cloth_links(c, material, mesh, world, maps, points, !hinges);
    if (hinges) add_shell_bending(c, p.sheet, material, mesh, triangles, maps, points);
}

} // namespace sinew
