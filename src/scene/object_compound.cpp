// One rigid body of several shapes. Mass properties are the sums over the parts (geometry/mass.h, join_mass); a part without
// density takes the body's, and `mass` of the body scales the whole. Held compounds of spheres, capsules and boxes are obstacles
// part by part.
#include "scene/object_compound.h"
#include "core/error.h"
#include "energy/list.h"
#include "geometry/triangulate.h"
#include "scene/body_shape.h"
#include "scene/placement.h"
#include <algorithm>

namespace sinew {

namespace {

struct Part {
    BodyShape shape = BodyShape::box;
    BodyParams params;
    SceneObject object;  // for messages: its path is that of the part
    Pose pose;           // in the compound's axes, scaled
    PolygonMesh mesh;    // in the part's axes, scaled
};

BuildContext context_of(const Part& part, BuildContext& c) {
    return {c.scene, part.object, c.scope, c.materials, c.builder, c.handles, c.animations, c.errors, c.notes, c.files, c.attributes};
}

constexpr BodyShape kPartShapes[] = {BodyShape::box, BodyShape::capsule, BodyShape::cone, BodyShape::cylinder, BodyShape::mesh, BodyShape::sphere};

bool read_part_kind(const Value& value, const std::string& path, BuildContext& c, BodyShape& out) {
    std::string kind;
    FieldRef ref{"kind", FieldType::text, &kind, Field{.required = true}, false};
    for (BodyShape s : kPartShapes) ref.info.allowed.push_back(words_of(s).name);
    const Value* given = value.kind == Value::Kind::object ? find(value, "kind") : nullptr;
    if (!given) {
        c.errors.push_back(make_error(value, path, "a part needs a kind", "{ kind: box, capsule, cone, cylinder, mesh or sphere, ... }"));
        return false;
    }
    if (!read_field(ref, *given, c.scope, join_path(path, "kind"), c.errors)) return false;
    out = *std::find_if(std::begin(kPartShapes), std::end(kPartShapes), [&](BodyShape s) { return words_of(s).name == kind; });
    return true;
}

bool read_compound_part(const Value& value, const std::string& path, Real scale, BuildContext& c, Part& out) {
    if (!read_part_kind(value, path, c, out.shape)) return false;
    out.object = c.object;
    out.object.path = path;
    FieldList list = collect_fields([&](const FieldCollector& v) {
        body_shape_fields(out.shape, out.params, v);
        v("density", out.params.density, Field{.min = 0, .unit = "kg/m^3"});
        v("mass", out.params.mass, Field{.min = 0, .unit = "kg"});
    });
    static constexpr std::string_view others[] = {"kind", "at", "rotate"};
    InitialPlacement place;
    const bool fine = read_fields(list, value, c.scope, path, c.errors, others);
    if (!read_placement(value, c.scope, path, place, c.errors) || !fine) return false;
    BuildContext own = context_of(out, c);
    const std::size_t before = c.errors.size();
    out.mesh = make_body_mesh(out.shape, out.params, own);
    if (c.errors.size() != before) return false;
    // one scale for all
    out.pose = place.pose;
    out.pose.position = real3(scale * vec(out.pose.position));
    for (Real3& x : out.mesh.positions) x = real3(scale * vec(x));
    for (Real* a : {&out.params.radius, &out.params.height, &out.params.size.x, &out.params.size.y, &out.params.size.z}) *a *= scale;
    return true;
}

bool read_parts(const Compound::Params& p, BuildContext& c, std::vector<Part>& out) {
    const std::string path = c.path("parts");
    if (!check_array(p.parts, -1, path, "parts", c.errors)) return false;
    if (p.parts.items.empty()) {
        add_error(c, "parts", p.parts, "a compound needs at least one part");
        return false;
    }
    const Real3& s = c.object.scale;
    if (!(s.x > 0 && s == Real3{s.x, s.x, s.x})) {
        add_error(c, "scale", to_value(s), "must be above 0 and the same in all directions for this kind");
        return false;
    }
    bool fine = true;
    for (std::size_t i = 0; i < p.parts.items.size(); ++i) {
        Part& part = out.emplace_back();
        fine = read_compound_part(p.parts.items[i], join_path(path, int(i)), s.x, c, part) && fine;
        part.params.friction = p.friction;
        part.params.thickness = p.thickness;
        part.params.stiffness = p.stiffness, part.params.damping = p.damping;
    }
    return fine;
}

MassProperties sum_mass(std::vector<Part>& parts, Real density, Real mass, BuildContext& c) {
    std::vector<MassProperties> own;
    std::vector<Pose> poses;
    const std::size_t before = c.errors.size();
    for (Part& part : parts) {
        if (!(part.params.density > 0)) part.params.density = density;
        BuildContext at = context_of(part, c);
        own.push_back(find_body_mass(part.shape, part.params, part.mesh, at));
        poses.push_back(part.pose);
    }
    if (c.errors.size() != before) return {};
    const MassProperties m = join_mass(own, poses);
    return mass > 0 ? scale_mass(m, mass) : m;
}

// parts in the axes of the frame: moved by minus the centre of mass
Shape add_shapes(const std::vector<Part>& parts, Real thickness, bool free, BuildContext& c) {
    CompoundShape all;
    for (const Part& part : parts) {
        BuildContext own = context_of(part, c);
        BodyParams bare = part.params;
        bare.thickness = 0; // of the whole, below
        all.parts.push_back(make_body_shape(part.shape, bare, part.mesh, free, own));
        all.poses.push_back(part.pose);
    }
    const Shape shape{Shape::compound, {}, thickness, int(c.builder.shapes.compounds.size())};
    c.builder.shapes.compounds.push_back(std::move(all));
    return shape;
}

void add_obstacles(const std::vector<Part>& parts, const BodyParams& whole, int frame, BuildContext& c) {
    std::vector<Obstacle> all;
    for (const Part& part : parts) {
        Obstacle o;
        if (!make_obstacle(part.shape, part.params, frame, c, o)) { // the whole is met by its shapes
            o.frame = -1, o.stiffness = whole.stiffness, o.damping = whole.damping, o.thickness = whole.thickness;
            c.builder.model.obstacles.push_back(o);
            return;
        }
        o.pose = part.pose;
        all.push_back(o);
    }
    c.builder.model.obstacles.insert(c.builder.model.obstacles.end(), all.begin(), all.end());
}

PolygonMesh join_meshes(const std::vector<Part>& parts) {
    PolygonMesh all;
    for (const Part& part : parts) {
        const int first = vertex_count(all);
        for (const Real3& x : part.mesh.positions) all.positions.push_back(real3(vec(part.pose.position) + quat(part.pose.rotation) * vec(x)));
        for (int p = 0; p < polygon_count(part.mesh); ++p) {
            std::vector<int> corners;
            for (int k = part.mesh.polygon_begin[p]; k < part.mesh.polygon_begin[p + 1]; ++k) corners.push_back(first + part.mesh.polygon_vertex[k]);
            add_polygon(all, corners);
        }
    }
    return all;
}

} // namespace

void Compound::build(const Params& p, BuildContext& c) {
    const std::size_t before = c.errors.size();
    const Material material = object_material(c, p.material);
    Params own = p;
    if (own.friction < 0) own.friction = material.friction;
    std::vector<Part> parts;
    if (!read_parts(own, c, parts) || c.errors.size() != before) return;
    BodyParams weight = p; // a part with mass frees the body as its own would
    for (const Part& part : parts) weight.density = std::max({weight.density, part.params.density, part.params.mass});
    const bool free = find_held(BodyShape::box, weight, c) == Held::free;
    MassProperties m;
    if (free) m = sum_mass(parts, p.density > 0 ? p.density : material.solid_density, p.mass, c);
    if (c.errors.size() != before) return;

    // the frame sits at the centre of mass
    begin_object(c.builder, c.object.name, c.object.kind, material.name);
    Pose pose = c.object.pose;
    pose.position = real3(vec(pose.position) + quat(pose.rotation) * vec(m.center));
    for (Part& part : parts) part.pose.position = real3(vec(part.pose.position) - vec(m.center));
    const int frame = add_frame(c.builder, pose, m.mass, m.inertia, free ? kFree : kFixed, free ? c.object.velocity : Real3{},
                                free ? c.object.angular_velocity : Real3{});
    if (free) {
        const ElementRow& row = *find_energy("gravity_frame");
        if (p.gravity) add_energy(c.builder, row, row.make_params().get(), std::array<int, 1>{frame});
    } else if (p.contact) {
        add_obstacles(parts, own, frame, c);
    }
    set_touch(c, p.touch, own.friction);
    PolygonMesh mesh = join_meshes(parts);
    if (p.contact) {
        add_collider(c.builder, add_shapes(parts, p.thickness, free, c), frame, {});
        const int first = int(c.builder.model.surface.vertices.size());
        for (const Real3& x : mesh.positions) add_surface_vertex_in_frame(c.builder, frame, x, p.thickness);
        add_surface_triangles(c.builder, first, triangulate(mesh).triangles);
    }
    add_rigid_snapshot(std::move(mesh), p.color, c);
}

} // namespace sinew
