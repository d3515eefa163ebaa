// Solids of tetrahedra: a box cut into a grid, a hollow ball, a tetrahedral mesh file, the inside of a closed surface (isosurface
// stuffing), or points and tetrahedra as arrays. Mass is lumped, a quarter of each tetrahedron to each corner. The boundary is what
// others touch; pictures and exporters show the skin (solid_skin.h) of a body that has one, otherwise the boundary, whose vertices
// keep the order of all points, so that index and name selections mean the same everywhere.
#include "scene/object_solid.h"
#include "core/error.h"
#include "energy/drag.h"
#include "energy/list.h"
#include "energy/pressure_volume.h"
#include "geometry/generate.h"
#include "geometry/read_tets.h"
#include "geometry/stuffing.h"
#include "geometry/tet_measure.h"
#include "geometry/triangulate.h"
#include "scene/document.h"
#include "scene/kinds.h"
#include "scene/mesh_shape.h"
#include "scene/mesh_source.h"
#include "scene/pressure.h"
#include "scene/solid_skin.h"
#include "scene/special_solid.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace sinew {

namespace {

constexpr Real kMostCells = 4e6;

// groups x_min, x_max, ...: the points on the six sides of the bounding box
void add_side_groups(PolygonMesh& mesh) {
    const Bounds box = compute_bounds(mesh);
    const Vec3 low = vec(box.min), high = vec(box.max);
    for (int axis = 0; axis < 3; ++axis)
        for (int side = 0; side < 2; ++side) {
            const Real at = side ? high[axis] : low[axis], near = 1e-9 * (high - low).maxCoeff();
            std::vector<int> points;
            for (int i = 0; i < vertex_count(mesh); ++i)
                if (std::abs(vec(mesh.positions[i])[axis] - at) <= near) points.push_back(i);
            mesh.vertex_groups.emplace_back(fmt::format("{}_{}", "xyz"[axis], side ? "max" : "min"), std::move(points));
        }
}

PolygonMesh boundary_polygons(const TetMesh& tets, const std::vector<std::array<int, 3>>& triangles) {
    PolygonMesh mesh;
    mesh.positions = tets.points;
    for (const auto& t : triangles) add_polygon(mesh, {t[0], t[1], t[2]});
    for (const TetGroup& g : tets.point_groups) mesh.vertex_groups.emplace_back(g.name, g.members);
    // regions: their points
    for (const TetGroup& g : tets.tet_groups) {
        std::vector<int> points;
        for (int t : g.members) points.insert(points.end(), tets.tets[t].begin(), tets.tets[t].end());
        std::sort(points.begin(), points.end());
        points.erase(std::unique(points.begin(), points.end()), points.end());
        mesh.vertex_groups.emplace_back(g.name, std::move(points));
    }
    add_side_groups(mesh);
    return mesh;
}

// the boundary's points become surface vertices, its triangles the collision surface
void add_boundary(BuildContext& c, Range points, const std::vector<std::array<int, 3>>& triangles, Real thickness) {
    std::vector<int> vertex(points.count(), -1);
    for (const auto& t : triangles)
        for (int v : t) vertex[v] = 0;
    int first = -1, count = 0;
    for (int i = 0; i < points.count(); ++i)
        if (vertex[i] == 0) {
            const int added = add_surface_points(c.builder, {points.begin + i, points.begin + i + 1}, thickness);
            if (first < 0) first = added;
            vertex[i] = count++;
        }
    std::vector<std::array<int, 3>> local;
    for (const auto& t : triangles) local.push_back({vertex[t[0]], vertex[t[1]], vertex[t[2]]});
    if (first >= 0) add_surface_triangles(c.builder, first, local);
}

// Triangles that a pressure acts on, counter-clockwise seen from where it does not: the walls of hollows, or, of a body without
// any, its surface.
std::vector<std::array<int, 3>> pressure_faces(std::span<const Real3> x, const std::vector<std::array<int, 3>>& boundary) {
    std::vector<int> parent(x.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](int i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    };
    for (const auto& t : boundary) parent[root(t[1])] = root(t[0]), parent[root(t[2])] = root(t[0]);
    std::vector<Real> volume(x.size(), 0);
    for (const auto& t : boundary)
        volume[root(t[0])] += PressureVolume::triangle_volume(vec(x[t[0]]), vec(x[t[1]]), vec(x[t[2]]));
    std::vector<std::array<int, 3>> hollow;
    for (const auto& t : boundary)
        if (volume[root(t[0])] < 0) hollow.push_back({t[0], t[2], t[1]});
    return hollow.empty() ? boundary : hollow;
}

bool read_arrays(const Solid::Params& p, BuildContext& c, TetMesh& out) {
    out.points = p.points;
    if (p.tets.kind != Value::Kind::array) {
        add_error(c, "tets", p.tets, "must be an array of four indices each");
        return false;
    }
    for (std::size_t i = 0; i < p.tets.items.size(); ++i) {
        const std::string path = fmt::format("{}[{}]", c.path("tets"), i);
        std::array<int, 4> tet{};
        if (!check_array(p.tets.items[i], 4, path, "indices", c.errors)) return false;
        for (int k = 0; k < 4; ++k) {
            if (!read_integer(p.tets.items[i].items[k], c.scope, path, tet[k], c.errors)) return false;
            if (tet[k] < 0 || tet[k] >= int(out.points.size())) {
                add_error(c, "tets", p.tets.items[i].items[k], "no point of this index",
                          fmt::format("0 to {}", int(out.points.size()) - 1));
                return false;
            }
        }
        out.tets.push_back(tet);
    }
    return true;
}

void add_mesh_errors(BuildContext& c, const Value& value, const std::vector<Error>& errors) {
    for (const Error& e : errors)
        add_error(c, "mesh", value, fmt::format("cannot use this mesh: {}{}", e.message,
                                                e.line ? fmt::format(" (line {} of the mesh file)", e.line) : ""), e.allowed);
}

// Points that no tetrahedron uses (on the edges of those of second order, centres of arcs) would have no mass: the others keep their order.
int drop_unused_points(TetMesh& mesh) {
    std::vector<int> place(mesh.points.size(), -1);
    for (const auto& t : mesh.tets)
        for (int v : t) place[v] = 0;
    int kept = 0;
    for (std::size_t i = 0; i < place.size(); ++i) {
        if (place[i] < 0) continue;
        mesh.points[kept] = mesh.points[i];
        place[i] = kept++;
    }
    const int dropped = int(mesh.points.size()) - kept;
    mesh.points.resize(kept);
    for (auto& t : mesh.tets)
        for (int& v : t) v = place[v];
    for (TetGroup& g : mesh.point_groups) {
        std::erase_if(g.members, [&](int v) { return place[v] < 0; });
        for (int& v : g.members) v = place[v];
    }
    return dropped;
}

// a file of tetrahedra as it is, or the inside of a closed surface
bool read_solid_mesh(const Solid::Params& p, BuildContext& c, TetMesh& out, PolygonMesh& filled) {
    MeshFile source;
    if (!is_mesh_shape(p.mesh) && !read_mesh_file(c, "mesh", p.mesh, source)) return false;
    const auto ends = [&](std::string_view extension) { return source.file.ends_with(extension); };
    if (ends(".msh") || ends(".node") || ends(".ele")) {
        Result<TetMesh> read = read_tets(resolve_file(source.name));
        if (!read) return add_mesh_errors(c, p.mesh, read.errors), false;
        note_file(c, source.name);
        out = std::move(*read.value);
        for (Real3& x : out.points) x = real3(metres_per(source.unit) * vec(up_to_y(x, source.up)));
        for (const std::string& note : out.notes) c.notes.push_back(fmt::format("{}: {}", c.object.name, note));
        if (const int dropped = drop_unused_points(out); dropped > 0)
            c.notes.push_back(fmt::format("{}: {} points that no tetrahedron uses are left out; indices count the others", c.object.name, dropped));
        return true;
    }
    const std::size_t before = c.errors.size();
    PolygonMesh surface = read_mesh_source(c, "mesh", p.mesh);
    if (c.errors.size() != before || surface.positions.empty()) return false;
    const Bounds box = compute_bounds(surface);
    StuffingSettings settings;
    settings.cell = p.cell > 0 ? p.cell : (vec(box.max) - vec(box.min)).maxCoeff() / 20;
    settings.offset = p.offset;
    if (p.cell <= 0) c.notes.push_back(fmt::format("{}.cell = {:.4g} m: a twentieth of the longest side", c.object.name, settings.cell));
    Result<TetMesh> made = stuff_mesh(*make_parallel(Context{}), {surface.positions, triangulate(surface).triangles}, settings);
    if (!made) return add_mesh_errors(c, p.mesh, made.errors), false;
    out = std::move(*made.value);
    filled = std::move(surface);
    return true;
}

// `filled`: the surface that was filled, if any
bool make_tets(const Solid::Params& p, BuildContext& c, TetMesh& out, PolygonMesh& filled) {
    if (p.mesh.kind != Value::Kind::null) return read_solid_mesh(p, c, out, filled);
    if (!p.points.empty() || p.tets.kind != Value::Kind::null) return read_arrays(p, c, out);
    if (p.shape == "shell") {
        const PolygonMesh ball = make_icosphere(p.radius, p.levels);
        if (p.wall >= p.radius) {
            add_error(c, "wall", make_number(p.wall), "must be less than the radius");
            return false;
        }
        out = make_shell_tets(ball.positions, triangulate(ball).triangles, p.wall, p.layers);
        return true;
    }
    std::array<int, 3> cells{};
    const Vec3 size = vec(p.size);
    if (p.cells.empty()) {
        const Real edge = size.maxCoeff() / 10;
        for (int k = 0; k < 3; ++k) cells[k] = std::max(1, int(std::lround(size[k] / edge)));
        c.notes.push_back(fmt::format("{}.cells = [{}, {}, {}]: ten along the longest side", c.object.name, cells[0], cells[1],
                                      cells[2]));
    } else {
        std::copy_n(p.cells.begin(), 3, cells.begin());
    }
    if (Real(cells[0]) * cells[1] * cells[2] > kMostCells) {
        add_error(c, "cells", Value{}, fmt::format("gives {} x {} x {} cells, more than 4 million", cells[0], cells[1], cells[2]));
        return false;
    }
    out = make_box_tets(p.size, cells, p.split == "six" ? CellSplit::six : CellSplit::five);
    return true;
}

void add_tets(BuildContext& c, const SolidModel& model, Range points, std::span<const std::array<int, 4>> tets, std::span<const Real> stiffness) {
    const Moduli moduli = find_moduli(*model.elastic, model.params.get());
    const Moduli viscous = model.viscous ? find_moduli(*model.viscous, model.viscous_params.get()) : Moduli{};
    for (const auto& t : tets) {
        const std::array<int, 4> stencil{points.begin + t[0], points.begin + t[1], points.begin + t[2], points.begin + t[3]};
        const Real factor = mean_of(stiffness, t);
        scale_moduli(moduli, factor);
        add_energy(c.builder, *model.elastic, model.params.get(), stencil);
        if (!model.viscous) continue;
        scale_moduli(viscous, factor);
        add_energy(c.builder, *model.viscous, model.viscous_params.get(), stencil);
    }
}

} // namespace

void add_solid(const Solid::Params& p, const TetMesh& local, const PolygonMesh& skin, const PointMaps& maps, std::vector<VertexAttribute> attributes,
               BuildContext& c) {
    const std::size_t before = c.errors.size();
    const Material material = object_material(c, p.common.material);
    const bool special = is_special_solid(material.solid);
    SpecialSolid other;
    SolidModel model;
    if (special) read_special_solid(material.solid, c.scope, c.path("material.solid"), other, c.errors);
    else model = make_solid_model(material.solid, c.scope, c.path("material.solid"), c.errors);
    if (c.errors.size() != before || (!special && !model.elastic)) return;
    if (const Value* stiffness = find(p.maps, "stiffness"); stiffness && special && !other.rows) {
        add_error(c, "maps.stiffness", *stiffness, "shape matching has a frequency of whole regions, no stiffness of points", "density");
        return;
    }

    // mass, and order of corners as the place may mirror
    TetMesh world{place_points(c, local.points), local.tets};
    std::vector<Real> mass(world.points.size(), 0);
    for (int t = 0; t < int(world.tets.size()); ++t) {
        const Real volume = signed_volume(world, t);
        Real edge = 0;
        for (int k = 1; k < 4; ++k)
            edge = std::max(edge, (vec(world.points[world.tets[t][k]]) - vec(world.points[world.tets[t][0]])).norm());
        if (!(std::abs(volume) > 1e-10 * edge * edge * edge)) {
            add_error(c, "tets", Value{}, fmt::format("tetrahedron {} is flat: it has no volume", t));
            return;
        }
        if (volume < 0) std::swap(world.tets[t][2], world.tets[t][3]);
        for (int v : world.tets[t]) mass[v] += maps.density[v] * material.solid_density * std::abs(volume) / 4;
    }
    for (std::size_t i = 0; i < mass.size(); ++i)
        if (!(mass[i] > 0)) {
            add_error(c, "points", Value{}, fmt::format("point {} belongs to no tetrahedron, so it would have no mass", i));
            return;
        }

    begin_object(c.builder, c.object.name, c.object.kind, material.name);
    const int first = add_points(c.builder, world.points, mass, kFree, c.object.velocity);
    const Range points{first, first + int(world.points.size())};
    add_spin(c, points);
    std::vector<std::array<int, 3>> boundary;
    for (const BoundaryFace& f : boundary_faces(world)) boundary.push_back(f.corners);
    PolygonMesh mesh = boundary_polygons(local, boundary);
    add_skin_groups(skin, boundary, mesh);
    mesh.attributes = std::move(attributes);
    add_fixed(c, p.common.fixed, points, mesh);
    if (p.common.gravity) add_gravity(c, points);
    std::vector<Real> area(mass.size(), 0);
    for (const auto& t : boundary) {
        const Vec3 a = vec(world.points[t[0]]), b = vec(world.points[t[1]]), d = vec(world.points[t[2]]);
        for (int v : t) area[v] += (b - a).cross(d - a).norm() / 6;
    }
    add_air(c, p.common.air, points, area, boundary);

    if (special) add_special_solid(c, other, points, world.tets, maps.stiffness);
    else add_tets(c, model, points, world.tets, maps.stiffness);
    if (model.damping_mass > 0)
        for (int i = points.begin; i < points.end; ++i) {
            const Drag::Params drag{model.damping_mass * mass[i - points.begin], 0, -1};
            add_energy(c.builder, *find_energy("drag"), &drag, std::array<int, 1>{i});
        }
    add_pressure(c, p.pressure, points, pressure_faces({c.builder.model.point.rest.data() + first, world.points.size()}, boundary));
    add_boundary(c, points, boundary, p.common.thickness >= 0 ? p.common.thickness : material.thickness);
    set_touch(c, p.common.touch, material.friction, p.common.self_contact);
    if (skin.positions.empty()) add_deformable_snapshot(c, mesh, points, p.common.color, 0.003);
    else add_skin_snapshot(c, skin, local, mesh, p.common.color);
}

void Solid::build(const Params& p, BuildContext& c) {
    TetMesh tets;
    PolygonMesh filled;
    if (!make_tets(p, c, tets, filled)) return;
    const std::size_t before = c.errors.size();
    // the place of the surface next to each point is searched for only where something may name an attribute
    const bool named = p.maps.kind != Value::Kind::null || p.common.fixed.kind != Value::Kind::null || !c.scene.attach.empty();
    MapPlaces places = named ? map_places(tets.points, filled) : MapPlaces{tets.points, {}};
    const PointMaps maps = read_maps(c, p.maps, places, "");
    const PolygonMesh skin = read_skin(c, p.skin, std::move(filled));
    if (c.errors.size() == before) add_solid(p, tets, skin, maps, std::move(places.attributes), c);
}

} // namespace sinew
