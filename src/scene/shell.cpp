#include "scene/shell.h"
#include "core/error.h"
#include "energy/hinge.h"
#include "energy/list.h"
#include "geometry/triangulate.h"
#include "scene/shell_material.h"
#include "scene/shell_rest.h"
#include "scene/strain_limit.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace sinew {

namespace {

// warp of a triangle in the world: the given direction, or the one along which u of the texture grows
Vec3 warp_of(const SheetParams& p, const PolygonMesh& mesh, const Triangulation& t, int triangle, const Quat& turn,
             std::span<const Real3> rest, int first) {
    if (vec(p.warp).squaredNorm() > 0) return turn * vec(p.warp);
    const auto& corners = t.corners[triangle];
    if (mesh.polygon_uv.empty()) return turn * Vec3::UnitX();
    Vec2 uv[3];
    Vec3 x[3];
    for (int i = 0; i < 3; ++i) {
        const int at = mesh.polygon_uv[corners[i]];
        if (at < 0) return turn * Vec3::UnitX();
        uv[i] = {mesh.uv[at][0], mesh.uv[at][1]};
        x[i] = vec(rest[first + t.triangles[triangle][i]]);
    }
    const Vec2 a = uv[1] - uv[0], b = uv[2] - uv[0];
    const Real det = a[0] * b[1] - a[1] * b[0];
    if (det == 0) return turn * Vec3::UnitX();
    return (b[1] * (x[1] - x[0]) - a[1] * (x[2] - x[0])) / det;
}

// A warp that somebody has written must have a direction in the sheet: normal to every triangle, or zero, it would silently be
// replaced by edges of the triangles. `world` in the world.
bool check_warp(BuildContext& c, const char* key, const Vec3& world, const Triangulation& t, std::span<const Real3> rest, int first) {
    const Real length = world.norm();
    bool found = false;
    for (std::size_t k = 0; k < t.triangles.size() && !found && length > 0; ++k) {
        const Vec3 a = vec(rest[first + t.triangles[k][0]]), b = vec(rest[first + t.triangles[k][1]]), d = vec(rest[first + t.triangles[k][2]]);
        const Vec3 n = (b - a).cross(d - a).normalized();
        found = (world - n.dot(world) * n).norm() > 1e-6 * length;
    }
    if (found || t.triangles.empty()) return true;
    // where it is written, unless the material has a name
    Value written = c.object.params;
    for (std::string_view rest_of_key = key; !rest_of_key.empty();) {
        const std::size_t dot = std::min(rest_of_key.find('.'), rest_of_key.size());
        const Value* inner = written.kind == Value::Kind::object ? find(written, rest_of_key.substr(0, dot)) : nullptr;
        written = inner ? Value(*inner) : make_null();
        rest_of_key.remove_prefix(std::min(dot + 1, rest_of_key.size()));
    }
    add_error(c, key, written, length > 0 ? "is normal to the sheet" : "is no direction", "a direction along the sheet");
    return false;
}
bool check_warps(BuildContext& c, const SheetParams& p, ShellModel& shell, const Triangulation& t, std::span<const Real3> rest, int first) {
    const auto part = [&](ShellPart& s, const char* key) {
        const FieldRef* f = find_field(s.fields, "warp");
        return !f || !f->given || f->type != FieldType::real3 || check_warp(c, key, vec(*static_cast<const Real3*>(f->member)), t, rest, first);
    };
    if (!part(shell.membrane, "material.membrane.warp") || !part(shell.bend, "material.bend.warp")) return false;
    // of the sheet: zero means the texture's, and the default is no statement
    const Vec3 warp = vec(p.warp);
    return warp == Vec3::UnitX() || !(warp.norm() > 0) || check_warp(c, "warp", quat(c.object.pose.rotation) * warp, t, rest, first);
}

// Angles at rest beyond +-3.1 rad are cut to that (energy/hinge.h): closed folds of the shape are noted, and angles that the scene adds
// are refused.
bool check_rest_angles(BuildContext& c, ShellPart& bend, std::span<const std::array<int, 4>> hinges, std::span<const Real3> rest, int first) {
    const auto number = [&](const char* name) {
        const FieldRef* f = find_field(bend.fields, name);
        return f && f->type == FieldType::real ? *static_cast<const Real*>(f->member) : 0;
    };
    const Real part = number("rest"), added = number("rest_angle");
    int closed = 0;
    for (const auto& h : hinges) {
        const Hinge hinge = make_hinge({vec(rest[first + h[0]]), vec(rest[first + h[1]]), vec(rest[first + h[2]]), vec(rest[first + h[3]])});
        const Real angle = hinge.valid ? part * full_angle(hinge.half) + added : 0;
        if (std::abs(angle) <= kMostRestAngle) continue;
        if (added == 0 && std::abs(part) <= 1) {
            ++closed;
            continue;
        }
        add_error(c, added != 0 ? "material.bend.rest_angle" : "material.bend.rest", make_number(added != 0 ? added : part),
                  fmt::format("the hinge at points {} and {} would rest at {:.4g} rad", h[1], h[2], angle), "angles between -3.1 and 3.1 rad");
        return false;
    }
    if (closed > 0) c.notes.push_back(fmt::format("{}: {} hinges are closed at rest; they count as 3.1 rad", c.object.name, closed));
    return true;
}

// per vertex the sum of the warps of its triangles, in the world
std::vector<Vec3> vertex_warps(const SheetParams& p, const PolygonMesh& mesh, const Triangulation& t, const Quat& turn,
                               std::span<const Real3> rest, int first) {
    std::vector<Vec3> out(mesh.positions.size(), Vec3::Zero());
    for (std::size_t k = 0; k < t.triangles.size(); ++k) {
        const Vec3 warp = warp_of(p, mesh, t, int(k), turn, rest, first);
        for (int v : t.triangles[k]) out[v] += warp;
    }
    return out;
}

void add_part(BuildContext& c, const ShellPart& part, const void* params, std::span<const int> stencil) {
    if (part.constraint) add_constraint(c.builder, *part.row, params, stencil);
    else add_energy(c.builder, *part.row, params, stencil);
}

// the hinges of a sheet; script: null = the rest angles do not change
void add_hinges(BuildContext& c, ShellPart& bend, const RestScript* script, std::span<const std::array<int, 4>> hinges, const PolygonMesh& mesh,
                const PointMaps& maps, Range points, const GridCell& cell, const std::vector<Vec3>& vertex_warp) {
    const bool is_plate = is_plate_part(bend);
    const ElementRow* animated = script ? find_animated_hinge(*bend.row) : nullptr;
    for (const auto& h : hinges) {
        const std::array<int, 2> ends{h[1], h[2]};
        const Real factor = is_plate ? grid_hinge_factor(cell, vec(mesh.positions[h[2]]) - vec(mesh.positions[h[1]])) : 1;
        const Vec3 warp = vertex_warp[h[1]] + vertex_warp[h[2]];
        const Real thick = mean_of(maps.size, ends);
        const auto params = shell_params(bend, factor * mean_of(maps.stiffness, ends) * thick * thick * thick, 1, real3(warp));
        if (animated) add_animated_hinge(c, *animated, params, *script, h, points);
        else add_part(c, bend, params, std::array<int, 4>{points.begin + h[0], points.begin + h[1], points.begin + h[2], points.begin + h[3]});
    }
}

} // namespace

bool is_shell(const SheetParams& p, const Material& m) {
    return p.model == "shell" || (p.model == "auto" && m.has_shell);
}

std::vector<std::array<int, 4>> find_hinges(std::span<const std::array<int, 3>> triangles) {
    // per edge, ends ascending: the first triangle's apex and direction, then a hinge with every further triangle
    struct First {
        int apex, from, to;
    };
    std::map<std::pair<int, int>, First> edges;
    std::vector<std::array<int, 4>> out;
    for (const auto& t : triangles)
        for (int i = 0; i < 3; ++i) {
            const int apex = t[i], a = t[(i + 1) % 3], b = t[(i + 2) % 3];
            const auto [at, is_new] = edges.try_emplace(std::minmax(a, b), First{apex, a, b});
            const First& f = at->second;
            if (!is_new && apex != f.apex) out.push_back({f.apex, f.from, f.to, apex});
        }
    return out;
}

Triangulation alternate_triangles(const PolygonMesh& grid, int nx) {
    Triangulation out;
    for (int p = 0; p < polygon_count(grid); ++p) {
        const int first = grid.polygon_begin[p];
        const bool even = (p % nx + p / nx) % 2 == 0;
        for (const auto& corners : even ? std::array<std::array<int, 3>, 2>{{{0, 1, 2}, {0, 2, 3}}}
                                        : std::array<std::array<int, 3>, 2>{{{0, 1, 3}, {1, 2, 3}}}) {
            const std::array<int, 3> at{first + corners[0], first + corners[1], first + corners[2]};
            out.corners.push_back(at);
            out.triangles.push_back({grid.polygon_vertex[at[0]], grid.polygon_vertex[at[1]], grid.polygon_vertex[at[2]]});
            out.polygon.push_back(p);
        }
    }
    return out;
}

Real grid_hinge_factor(const GridCell& cell, const Vec3& edge) {
    if (!(cell.dx > 0 && cell.dz > 0)) return 1;
    const Real r2 = cell.dx * cell.dx / (cell.dz * cell.dz);
    if (r2 > 2.25 || r2 < 1 / 2.25) return 1;
    const bool along_x = std::abs(edge[2]) < 0.5 * cell.dz, along_z = std::abs(edge[0]) < 0.5 * cell.dx;
    if (along_z) return 8 * r2 / (3 * (3 * r2 - 1));
    if (along_x) return 8 / (3 * (3 - r2));
    return 8 * r2 / (3 * (1 + r2) * (1 + r2));
}

// A scripted rest state needs energies that know it.
static bool check_rest(BuildContext& c, const Value& rest, const RestScript& script, const ShellModel& shell) {
    if (script.lengths && shell.membrane.row->name != "tri_stvk") {
        add_error(c, "rest", rest, fmt::format("scripted rest lengths are for tri_stvk, not for {}", shell.membrane.row->name));
        return false;
    }
    if (script.angles && !find_animated_hinge(*shell.bend.row)) {
        add_error(c, "rest", rest, fmt::format("scripted rest angles are for hinge_*, not for {}", shell.bend.row->name));
        return false;
    }
    return true;
}

void add_shell(BuildContext& c, const SheetParams& p, const Material& material, const PolygonMesh& mesh, const Triangulation& t,
               const PointMaps& maps, Range points, const GridCell& cell) {
    ShellModel shell;
    if (!read_shell_model(material, c.scope, c.path("material"), shell, c.errors)) return;
    RestScript script;
    const std::size_t before = c.errors.size();
    const bool is_scripted = read_rest(c, p.rest, mesh, script);
    if (c.errors.size() != before || (is_scripted && !check_rest(c, p.rest, script, shell))) return;
    const Quat turn = quat(c.object.pose.rotation);
    const std::vector<Real3> rest = c.builder.model.point.rest;
    const std::vector<std::array<int, 4>> hinges = find_hinges(t.triangles);
    if (!check_warps(c, p, shell, t, rest, points.begin) || !check_rest_angles(c, shell.bend, hinges, rest, points.begin)) return;
    for (std::size_t k = 0; k < t.triangles.size(); ++k) {
        const auto& tri = t.triangles[k];
        const Vec3 warp = warp_of(p, mesh, t, int(k), turn, rest, points.begin);
        const auto params = shell_params(shell.membrane, mean_of(maps.stiffness, tri), mean_of(maps.size, tri), real3(warp));
        if (script.lengths) add_animated_triangle(c, params, script, tri, points);
        else add_part(c, shell.membrane, params, std::array<int, 3>{points.begin + tri[0], points.begin + tri[1], points.begin + tri[2]});
    }
    StrainLimit::Params limit;
    if (read_strain_limit(c, p.strain_limit, limit))
        for (const auto& tri : t.triangles) add_triangle_limit(c, limit, {points.begin + tri[0], points.begin + tri[1], points.begin + tri[2]});
    add_hinges(c, shell.bend, is_scripted ? &script : nullptr, hinges, mesh, maps, points, cell,
               vertex_warps(p, mesh, t, turn, rest, points.begin));
}

bool bends_by_hinges(const Material& m) { return is_shell_role(m.bend_value, 4); }

void add_shell_bending(BuildContext& c, const SheetParams& p, const Material& material, const PolygonMesh& mesh, const Triangulation& t,
                       const PointMaps& maps, Range points, const GridCell& cell) {
    ShellModel shell;
    if (!read_shell_model(material, c.scope, c.path("material"), shell, c.errors)) return;
    const std::vector<Real3> rest = c.builder.model.point.rest;
    const std::vector<std::array<int, 4>> hinges = find_hinges(t.triangles);
    if (!check_warps(c, p, shell, t, rest, points.begin) || !check_rest_angles(c, shell.bend, hinges, rest, points.begin)) return;
    add_hinges(c, shell.bend, nullptr, hinges, mesh, maps, points, cell,
               vertex_warps(p, mesh, t, quat(c.object.pose.rotation), rest, points.begin));
}

} // namespace sinew
