#include "scene/deformable.h"
#include "core/error.h"
#include "core/nearest.h"
#include "energy/drag.h"
#include "energy/list.h"
#include "energy/tri_wind.h"
#include "geometry/topology.h"
#include <fmt/format.h>

namespace sinew {

void add_error(BuildContext& c, std::string_view key, const Value& at, std::string message, std::string allowed,
               std::string nearest) {
    Error e = make_error(at, c.path(key), std::move(message), std::move(allowed), std::move(nearest));
    // a value made by the program: where its parameter stands, or the object
    if (e.line == 0) {
        const std::string_view first = key.substr(0, key.find('.'));
        const Value* written = find(c.object.params, first);
        const Place place = written ? written->place : c.object.params.place;
        if (place.file) e.file = *place.file;
        e.line = place.line;
        e.column = place.column;
        if (at.kind == Value::Kind::null) e.value = written ? summarise(*written) : std::string();
    }
    c.errors.push_back(std::move(e));
}

std::vector<Real3> place_points(const BuildContext& c, std::span<const Real3> local) {
    std::vector<Real3> out;
    out.reserve(local.size());
    const Quat q = quat(c.object.pose.rotation);
    const Vec3 p = vec(c.object.pose.position), scale = vec(c.object.scale);
    for (const Real3& x : local) out.push_back(real3(p + q * scale.cwiseProduct(vec(x))));
    return out;
}

Material object_material(const BuildContext& c, const Value& value) {
    Material m;
    m.name = "default";
    find_material(value, c.scope, c.path("material"), c.materials, m, c.errors);
    return m;
}

void add_spin(BuildContext& c, Range points) {
    const Vec3 w = vec(c.object.angular_velocity);
    if (w.squaredNorm() == 0) return;
    for (int i = points.begin; i < points.end; ++i)
        vec(c.builder.state.point.v[i]) += w.cross(vec(c.builder.state.point.x[i]) - vec(c.object.pose.position));
}

void add_gravity(BuildContext& c, Range points) {
    const ElementRow& row = *find_energy("gravity");
    const auto params = row.make_params();
    for (int i = points.begin; i < points.end; ++i)
        if (!(c.builder.model.point.flags[i] & kPassive)) // fixed ones too: they may be released
            add_energy(c.builder, row, params.get(), std::array<int, 1>{i});
}

int find_velocity_field(BuildContext& c, const std::string& name, std::string_view key) {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < c.builder.fields.velocity.size(); ++i) {
        if (name.empty() || c.builder.fields.velocity[i].name == name) return int(i);
        known.push_back(c.builder.fields.velocity[i].name);
    }
    add_error(c, key, make_text(name), known.empty() ? "the scene has no wind or velocity field" : "no wind or velocity field of this name",
              fmt::format("{}", fmt::join(known, ", ")), find_nearest(name, known));
    return -1;
}

int default_flow(const NamedFields& fields) {
    int flow = -1;
    for (std::size_t i = 0; i < fields.velocity.size(); ++i)
        if (fields.velocity[i].is_wind) flow = flow == -1 ? int(i) : kAllWinds;
    return flow;
}

void add_air(BuildContext& c, const Value& air, Range points, std::span<const Real> area,
             std::span<const std::array<int, 3>> triangles) {
    AirParams p;
    // wind moves everything that does not say otherwise, lightly
    if (air.kind == Value::Kind::null) {
        if (c.builder.fields.velocity.empty()) return;
        p.drag = 1;
    } else {
        FieldList list = collect_fields([&](auto v) { AirParams::fields(p, v); });
        if (!read_fields(list, air, c.scope, c.path("air"), c.errors)) return;
    }
    if (triangles.empty() && (p.pressure > 0 || p.lift > 0))
        add_error(c, "air", air, "pressure and lift act on triangles, and this object has none");
    if (p.drag == 0 && p.quadratic == 0 && p.pressure == 0 && p.lift == 0) return;
    int field = -1;
    if (!p.field.empty()) {
        field = find_velocity_field(c, p.field, "air.field");
        if (field < 0) return;
    } else {
        field = default_flow(c.builder.fields);
    }
    if (field == -1 && air.kind == Value::Kind::null) return;
    if (p.pressure > 0 || p.lift > 0)
        for (const auto& t : triangles) {
            const TriWind::Params wind{p.pressure, p.lift, p.density, field};
            add_energy(c.builder, *find_energy("tri_wind"), &wind,
                       std::array<int, 3>{points.begin + t[0], points.begin + t[1], points.begin + t[2]});
        }
    if (p.drag == 0 && p.quadratic == 0) return;
    const ElementRow& row = *find_energy("drag");
    for (int i = points.begin; i < points.end; ++i) {
        if (c.builder.model.point.flags[i] & kPassive) continue;
        const Real a = area[i - points.begin];
        const Drag::Params drag{p.drag * a, p.quadratic * a, field};
        add_energy(c.builder, row, &drag, std::array<int, 1>{i});
    }
}

void add_fixed(BuildContext& c, const Value& fixed, Range points, const PolygonMesh& mesh) {
    if (!mesh.attributes.empty()) c.attributes[int(c.builder.model.objects.size()) - 1] = mesh.attributes;
    if (fixed.kind == Value::Kind::null) return;
    Select select;
    if (!parse_select(fixed, c.scope, c.path("fixed"), select, c.errors)) return;
    std::vector<std::uint8_t> boundary(points.count(), 0);
    for (int v : boundary_vertices(mesh, build_edges(mesh))) boundary[v] = 1;
    const SelectSource source{{c.builder.state.point.x.data() + points.begin, std::size_t(points.count())},
                              mesh.vertex_groups, boundary, mesh.attributes};
    Handle handle;
    handle.object = int(c.builder.model.objects.size()) - 1;
    handle.released_by = c.object.name + ".fixed";
    if (select.kind == Select::Kind::group) handle.released_by = c.object.name + "." + select.name;
    const Quat turn = quat(c.object.pose.rotation).conjugate();
    const std::size_t before = c.errors.size();
    const std::vector<int> selected = find_selected(select, source, c.path("fixed"), c.errors);
    if (selected.empty() && select.kind != Select::Kind::none && c.errors.size() == before)
        c.notes.push_back(fmt::format("warning: {} selects no point of {}: nothing is held", c.path("fixed"), c.object.name));
    for (int i : selected) {
        const int point = points.begin + i;
        c.builder.model.point.flags[point] |= kFixed;
        c.builder.state.point.v[point] = {};
        handle.points.push_back(point);
        handle.local.push_back(
            real3(turn * (vec(c.builder.state.point.x[point]) - vec(c.object.pose.position))));
    }
    if (!handle.points.empty()) c.handles.push_back(std::move(handle));
}

void add_link(BuildContext& c, const LinkModel& link, int a, int b) {
    if (!link.row) return;
    const std::array<int, 2> stencil{a, b};
    if (link.row->name == "spring_strain" && c.builder.model.point.rest[a] == c.builder.model.point.rest[b]) {
        const int first = c.builder.model.objects.back().points.begin;
        const std::string_view key = find(c.object.params, "links") ? "links" : find(c.object.params, "mesh") ? "mesh" : "material";
        if (c.errors.empty() || c.errors.back().path != c.path(key)) // one of many is enough
            add_error(c, key, make_null(), fmt::format("points {} and {} are at the same place: a strain needs a length", a - first, b - first),
                      "points apart, or a link model without rest length such as spring_zero");
        return;
    }
    if (link.constraint) add_constraint(c.builder, *link.row, link.params.get(), stencil);
    else add_energy(c.builder, *link.row, link.params.get(), stencil);
}

// pleasant, distinct, in scene order
Real3 default_color(int object) {
    static constexpr Real3 colors[] = {{0.13, 0.35, 0.62}, {0.75, 0.27, 0.13}, {0.20, 0.50, 0.24}, {0.80, 0.56, 0.10},
                                       {0.45, 0.25, 0.55}, {0.12, 0.50, 0.55}, {0.62, 0.16, 0.30}, {0.45, 0.42, 0.38}};
    return colors[object % std::size(colors)];
}

int add_deformable_snapshot(BuildContext& c, const PolygonMesh& mesh, Range points, const Real3& color, Real radius) {
    SnapshotObject s;
    const int index = int(c.builder.layout.objects.size());
    s.name = c.object.name;
    s.kind = c.object.kind;
    s.material = c.builder.model.objects.back().material;
    s.point_count = points.count();
    s.rest.assign(c.builder.model.point.rest.begin() + points.begin, c.builder.model.point.rest.begin() + points.end);
    s.polygon_begin = mesh.polygon_begin;
    s.polygon_vertex = mesh.polygon_vertex;
    s.uv = mesh.uv;
    s.polygon_uv = mesh.polygon_uv;
    s.segments = mesh.segments;
    s.vertex_groups = mesh.vertex_groups;
    s.polygon_groups = mesh.polygon_groups;
    s.draw_points = s.polygon_vertex.empty() && s.segments.empty();
    s.radius = radius;
    s.color = color.x >= 0 ? color : default_color(index);
    c.builder.model.objects.back().snapshot = index;
    c.builder.layout.objects.push_back(std::move(s));
    return index;
}

} // namespace sinew
