// Ground by heights: an obstacle for points, lines and surfaces under every solver, a shape for rigid bodies, and triangles for
// pictures, exporters and safe steps.
#include "scene/object_height_field.h"
#include "core/error.h"
#include "geometry/height_field.h"
#include "geometry/read_heights.h"
#include "scene/body_shape.h"
#include "scene/document.h"
#include "scene/mesh_source.h"
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

using HeightParams = HeightField::Params;
bool is_value_given(const Value& v) { return v.kind != Value::Kind::null; }

bool read_rows(const HeightParams& p, BuildContext& c, HeightGrid& g) {
    const std::string path = c.path("heights");
    if (!check_array(p.heights, -1, path, "rows of heights", c.errors)) return false;
    for (std::size_t k = 0; k < p.heights.items.size(); ++k) {
        const Value& row = p.heights.items[k];
        const std::string here = join_path(path, int(k));
        if (!check_array(row, -1, here, "heights", c.errors)) return false;
        if (k > 0 && int(row.items.size()) != g.nx) {
            c.errors.push_back(make_error(row, here, fmt::format("has {} heights", row.items.size()), fmt::format("{}, as in the first row", g.nx)));
            return false;
        }
        g.nx = int(row.items.size()), g.nz = int(k) + 1;
        for (std::size_t i = 0; i < row.items.size(); ++i)
            if (!read_number(row.items[i], "m", c.scope, join_path(here, int(i)), g.height.emplace_back(), c.errors)) return false;
    }
    if (g.nx >= 2 && g.nz >= 2) return true;
    add_error(c, "heights", p.heights, fmt::format("{} x {} heights are too few", g.nx, g.nz), "at least 2 x 2");
    return false;
}

// nodes along x and z: as asked for, or by the default along the longer side with the same spacing along the other
void choose_nodes(const HeightParams& p, HeightGrid& g) {
    constexpr int kDefault = 65;
    const double longer = std::max(p.size[0], p.size[1]);
    const auto count = [&](int k) {
        return p.nodes[k] > 0 ? std::max(2, p.nodes[k]) : std::max(2, 1 + int(std::ceil((kDefault - 1) * p.size[k] / longer)));
    };
    g.nx = count(0), g.nz = count(1);
}

bool evaluate_height(const HeightParams& p, BuildContext& c, HeightGrid& g) {
    choose_nodes(p, g);
    if (std::int64_t(g.nx) * g.nz > kMostHeights) {
        add_error(c, "nodes", make_null(), fmt::format("{} x {} nodes are too many", g.nx, g.nz), fmt::format("at most {} in all", kMostHeights));
        return false;
    }
    // slots as in kSpaceSlots: 2 is x, 4 is z; t, frame and y are no names of a height
    Scope scope = make_scope(c.scope, {});
    add_slot(scope.symbols, "x", 2);
    add_slot(scope.symbols, "z", 4);
    Signal height;
    if (!read_signal(p.height, "m", scope, c.path("height"), height, c.errors)) return false;
    if (uses_slot(height.expression, 0) || uses_slot(height.expression, 1)) {
        add_error(c, "height", p.height, "cannot change with time", "an expression of x and z; the object may have a motion");
        return false;
    }
    for (int k = 0; k < g.nz; ++k)
        for (int i = 0; i < g.nx; ++i) {
            const double x = p.size[0] * (i / double(g.nx - 1) - 0.5), z = p.size[1] * (k / double(g.nz - 1) - 0.5);
            g.height.push_back(evaluate(height, std::array{0.0, 0.0, x, 0.0, z}));
            if (std::isfinite(g.height.back())) continue;
            add_error(c, "height", p.height, fmt::format("is not finite at x = {:.6g}, z = {:.6g}", x, z));
            return false;
        }
    return true;
}

bool read_height_file(const HeightParams& p, BuildContext& c, HeightGrid& g) {
    std::string name;
    if (!read_text(p.file, c.path("file"), name, c.errors)) return false;
    Result<HeightGrid> read = read_heights(resolve_file(p.file));
    for (const Error& e : read.errors) {
        const std::string where = e.line ? fmt::format(" (line {} of the file)", e.line) : "";
        const std::string value = e.value.empty() ? "" : e.value + ": ";
        add_error(c, "file", p.file, "cannot use this file: " + value + e.message + where, e.allowed);
    }
    if (!read) return false;
    note_file(c, p.file);
    g = std::move(*read.value);
    if (g.image)
        for (double& h : g.height) h = p.low + h * (p.high - p.low);
    return true;
}

bool find_heights(const HeightParams& p, BuildContext& c, HeightGrid& g) {
    const int given = is_value_given(p.heights) + is_value_given(p.height) + is_value_given(p.file);
    if (given != 1) {
        c.errors.push_back(make_error(c.object.params, c.object.path, given ? "has more than one source of heights" : "has no heights",
                                      "one of heights, height, file"));
        return false;
    }
    if (is_value_given(p.height)) return evaluate_height(p, c, g);
    if (p.nodes[0] > 0 || p.nodes[1] > 0) {
        add_error(c, "nodes", make_null(), "the heights are given one by one, and with them the nodes", "nodes with height only");
        return false;
    }
    return is_value_given(p.heights) ? read_rows(p, c, g) : read_height_file(p, c, g);
}

bool check_held(BuildContext& c) {
    const Value& motion = c.object.motion;
    if (motion.kind == Value::Kind::text && motion.text == "free") add_error(c, "motion", motion, "a height field cannot be free to move");
    else if (motion.kind == Value::Kind::null && (c.object.velocity != Real3{} || c.object.angular_velocity != Real3{}))
        add_error(c, "velocity", to_value(c.object.velocity), "a height field cannot be free to move; a motion moves it");
    else return true;
    return false;
}

} // namespace

void HeightField::build(const Params& p, BuildContext& c) {
    const std::size_t before = c.errors.size();
    const Material material = object_material(c, p.material);
    HeightGrid grid;
    find_heights(p, c, grid);
    check_held(c);
    const Real3& s = c.object.scale;
    if (!(s.x > 0 && s.y > 0 && s.z > 0)) add_error(c, "scale", to_value(s), "must be above 0 in all directions for this kind");
    if (c.errors.size() != before) return;

    HeightFieldShape field{grid.nx, grid.nz, s.x * p.size[0] / (grid.nx - 1), s.z * p.size[1] / (grid.nz - 1), std::move(grid.height)};
    for (double& h : field.height) h *= s.y;
    const Real3 corner{-0.5 * s.x * p.size[0], 0, -0.5 * s.z * p.size[1]};
    const TriangleShape triangles = mesh_of(field);
    PolygonMesh mesh;
    for (const Real3& x : triangles.vertices) mesh.positions.push_back(real3(vec(corner) + vec(x)));
    for (const auto& t : triangles.triangles) add_polygon(mesh, {t[0], t[1], t[2]});
    if (mesh.positions.empty()) { // cells of no size, heights scaled beyond the numbers
        add_error(c, "size", make_null(), "the field is too large or too small for its heights");
        return;
    }

    begin_object(c.builder, c.object.name, c.object.kind, material.name);
    const int frame = add_frame(c.builder, c.object.pose, 0, {}, kFixed);
    const Real friction = p.friction >= 0 ? p.friction : material.friction;
    set_touch(c, p.touch, friction);
    if (p.contact) {
        const int data = int(c.builder.shapes.height_fields.size());
        c.builder.shapes.height_fields.push_back(std::move(field));
        Obstacle o;
        o.shape = Obstacle::height_field, o.data = data, o.pose.position = corner;
        o.frame = frame, o.object = int(c.builder.model.objects.size()) - 1;
        o.friction = friction, o.stiffness = p.stiffness, o.damping = p.damping, o.thickness = p.thickness;
        c.builder.model.obstacles.push_back(o);
        add_collider(c.builder, {Shape::height_field, {}, p.thickness, data}, frame, {corner, {}});
        const int first = int(c.builder.model.surface.vertices.size());
        for (const Real3& x : mesh.positions) add_surface_vertex_in_frame(c.builder, frame, x, p.thickness);
        add_surface_triangles(c.builder, first, triangles.triangles);
    }
    add_rigid_snapshot(std::move(mesh), p.color.x < 0 ? Real3{0.55, 0.55, 0.55} : p.color, c);
}

} // namespace sinew
