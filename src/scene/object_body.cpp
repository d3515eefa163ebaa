// Rigid bodies: primitives and closed meshes. A body is free (moved by forces) if it has mass, density or a
// velocity, or says "motion": "free"; otherwise it is held, and moves only if it has a motion. Any other motion holds
// the body whatever its mass, as an animated part of a prefab with masses is: a note says what has no effect.
// Held planes, spheres, capsules and boxes are obstacles for everything that has surface points; the vertices of free
// bodies are such points. Other held bodies are met by their triangles, under solvers that meet surfaces.
#include "core/error.h"
#include "energy/list.h"
#include "geometry/generate.h"
#include "geometry/mass.h"
#include "scene/body_shape.h"
#include "scene/kinds.h"
#include "scene/mesh_source.h"
#include <algorithm>
#include <fmt/format.h>

namespace sinew {

PolygonMesh make_body_mesh(BodyShape shape, const BodyParams& p, BuildContext& c) {
    switch (shape) {
    case BodyShape::box: return make_box(p.size);
    case BodyShape::capsule: return make_capsule(p.radius, p.height, 24, 8);
    case BodyShape::cone: return make_cone(p.radius, p.height, 32);
    case BodyShape::cylinder: return make_cylinder(p.radius, p.height, 32);
    case BodyShape::plane: return make_quad(20, 20);
    case BodyShape::sphere: return make_icosphere(p.radius, 3);
    case BodyShape::mesh: return read_mesh_source(c, "mesh", p.mesh);
    }
    return {};
}

MassProperties find_body_mass(BodyShape shape, const BodyParams& p, const PolygonMesh& mesh, BuildContext& c) {
    const Real density = p.density;
    MassProperties m;
    switch (shape) {
    case BodyShape::box: m = box_mass(p.size, density); break;
    case BodyShape::capsule: m = capsule_mass(p.radius, p.height, density); break;
    case BodyShape::cone: m = cone_mass(p.radius, p.height, density); break;
    case BodyShape::cylinder: m = cylinder_mass(p.radius, p.height, density); break;
    case BodyShape::sphere: m = sphere_mass(p.radius, density); break;
    case BodyShape::plane: add_error(c, "motion", c.object.motion, "an infinite plane cannot be free to move"); break;
    case BodyShape::mesh: {
        const Result<MassProperties> found = mass_properties(mesh, density);
        if (found) m = *found.value;
        for (const Error& e : found.errors)
            add_error(c, "mesh", p.mesh, "a free body needs a closed, consistently oriented surface: " + e.message);
    }
    }
    return p.mass > 0 && m.mass > 0 ? scale_mass(m, p.mass) : m;
}

Held find_held(BodyShape shape, const BodyParams& p, BuildContext& c) {
    const Value& motion = c.object.motion;
    if (motion.kind == Value::Kind::text && motion.text == "free") return Held::free;
    if (motion.kind != Value::Kind::null) {
        std::vector<std::string_view> unused;
        if (p.mass > 0) unused.push_back("mass");
        if (p.density > 0) unused.push_back("density");
        if (c.object.velocity != Real3{}) unused.push_back("velocity");
        if (c.object.angular_velocity != Real3{}) unused.push_back("angular_velocity");
        if (!unused.empty())
            c.notes.push_back(fmt::format("{} is held by its motion, its {} {} no effect (\"motion\": \"free\" lets it go)",
                                          c.object.name, fmt::join(unused, ", "), unused.size() > 1 ? "have" : "has"));
        return Held::held;
    }
    const bool moves = p.mass > 0 || p.density > 0 || c.object.velocity != Real3{} || c.object.angular_velocity != Real3{};
    if (!moves && shape != BodyShape::plane)
        c.notes.push_back(fmt::format("{} is held: it has no mass, density, velocity or motion (\"motion\": \"free\" lets it go)",
                                      c.object.name));
    return moves ? Held::free : Held::held;
}

bool make_obstacle(BodyShape shape, const BodyParams& p, int frame, BuildContext& c, Obstacle& o) {
    o = {};
    o.frame = frame;
    o.object = int(c.builder.model.objects.size()) - 1;
    o.friction = p.friction;
    o.stiffness = p.stiffness;
    o.damping = p.damping;
    o.thickness = p.thickness;
    switch (shape) {
    case BodyShape::plane: o.shape = Obstacle::plane; return true;
    case BodyShape::sphere: o.shape = Obstacle::sphere, o.size = {p.radius, 0, 0}; return true;
    case BodyShape::capsule: o.shape = Obstacle::capsule, o.size = {p.radius, p.height / 2, 0}; return true;
    case BodyShape::box: o.shape = Obstacle::box, o.size = {p.size.x / 2, p.size.y / 2, p.size.z / 2}; return true;
    default: return false;
    }
}

void add_rigid_snapshot(PolygonMesh mesh, const Real3& color, BuildContext& c) {
    SnapshotObject s;
    s.name = c.object.name;
    s.kind = c.object.kind;
    s.rigid = true;
    s.point_count = vertex_count(mesh);
    s.rest = std::move(mesh.positions);
    s.polygon_begin = std::move(mesh.polygon_begin);
    s.polygon_vertex = std::move(mesh.polygon_vertex);
    s.uv = std::move(mesh.uv);
    s.polygon_uv = std::move(mesh.polygon_uv);
    s.vertex_groups = std::move(mesh.vertex_groups);
    s.polygon_groups = std::move(mesh.polygon_groups);
    const int index = int(c.builder.layout.objects.size());
    s.color = color.x >= 0 ? color : default_color(index);
    c.builder.model.objects.back().snapshot = index;
    c.builder.layout.objects.push_back(std::move(s));
}

void build_body(BodyShape shape, const BodyParams& p, BuildContext& c) {
    const std::size_t before = c.errors.size();
    PolygonMesh mesh = make_body_mesh(shape, p, c);
    const Material material = object_material(c, p.material);
    if (c.errors.size() != before) return;
    for (Real3& x : mesh.positions) x = real3(vec(x).cwiseProduct(vec(c.object.scale)));
    const bool uniform = c.object.scale == Real3{c.object.scale.x, c.object.scale.x, c.object.scale.x};
    const bool free = find_held(shape, p, c) == Held::free;
    if (!uniform && shape != BodyShape::box && shape != BodyShape::mesh)
        add_error(c, "scale", to_value(c.object.scale), "must be the same in all directions for this kind");
    BodyParams scaled = p;
    if (!(scaled.density > 0)) scaled.density = material.solid_density;
    if (scaled.friction < 0) scaled.friction = material.friction;
    for (Real* a : {&scaled.radius, &scaled.height}) *a *= c.object.scale.x;
    for (int k = 0; k < 3; ++k) scaled.size[k] *= c.object.scale[k];
    MassProperties m;
    if (free) m = find_body_mass(shape, scaled, mesh, c);
    if (c.errors.size() != before) return;

    // the frame sits at the centre of mass
    begin_object(c.builder, c.object.name, c.object.kind, material.name);
    Pose pose = c.object.pose;
    if (free) {
        pose.position = real3(vec(pose.position) + quat(pose.rotation) * vec(m.center));
        for (Real3& x : mesh.positions) x = real3(vec(x) - vec(m.center));
    }
    const int frame = add_frame(c.builder, pose, m.mass, m.inertia, free ? kFree : kFixed, free ? c.object.velocity : Real3{},
                                free ? c.object.angular_velocity : Real3{});
    if (free) {
        const ElementRow& row = *find_energy("gravity_frame");
        if (p.gravity) add_energy(c.builder, row, row.make_params().get(), std::array<int, 1>{frame});
    } else if (p.contact) {
        Obstacle o;
        if (!make_obstacle(shape, scaled, frame, c, o)) o.frame = -1; // met by its shape
        c.builder.model.obstacles.push_back(o);
    }
    set_touch(c, p.touch, scaled.friction);
    if (p.contact) {
        add_body_shape(shape, scaled, mesh, m.center, frame, free, c);
        add_body_surface(shape, scaled, mesh, frame, c);
    }
    add_rigid_snapshot(std::move(mesh), p.color.x < 0 && shape == BodyShape::plane ? Real3{0.55, 0.55, 0.55} : p.color, c);
}

} // namespace sinew
