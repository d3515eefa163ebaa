// What kinds made of points share: material, mass, fixed points, air drag, look.
#pragma once
#include "scene/object.h"
#include "scene/select.h"
#include "scene/touch.h"

namespace sinew {

struct DeformableParams {
    Value material, fixed, air;
    Real thickness = -1;      // [m], -1 = of the material
    Real3 color{-1, -1, -1};
    bool gravity = true;
    bool self_contact = false;
    TouchParams touch;
};
// born: of particles that are born, none of which can be held
template <class V> void deformable_fields(DeformableParams& p, V&& v, bool born = false) {
    v("material", p.material, Field{.doc = "name of a material or preset, or a material inline"});
    if (!born) v("fixed", p.fixed, Field{.doc = "points that are held, or follow the object's motion: a selection"});
    v("air", p.air, Field{.doc = "drag relative to still air or to a named field"});
    v("thickness", p.thickness, Field{.min = 0, .unit = "m", .doc = "distance kept from obstacles; default of the material"});
    v("color", p.color, Field{.min = 0, .max = 1, .doc = "linear RGB of pictures"});
    v("gravity", p.gravity, Field{.doc = "whether gravity acts"});
    v("self_contact", p.self_contact, Field{.doc = "whether the object touches itself: rods, without friction; takes effect with mesh contact for others"});
    touch_fields(p.touch, v);
}

// "air": { "drag", "quadratic": of points by their area; "pressure", "lift": of triangles by their normal; "field": name }
struct AirParams {
    Real drag = 0, quadratic = 0, pressure = 0, lift = 0, density = 1.2;
    std::string field;
    template <class V> static void fields(AirParams& p, V&& v) {
        v("drag", p.drag, Field{.min = 0, .unit = "kg/m^2/s", .doc = "force per speed and area (cloth, solids)"});
        v("quadratic", p.quadratic, Field{.min = 0, .unit = "kg/m^3", .doc = "force per squared speed and area (cloth, solids)"});
        v("pressure", p.pressure, Field{.min = 0, .doc = "drag coefficient of triangles by the area that faces the flow (cloth, solids)"});
        v("lift", p.lift, Field{.min = 0, .doc = "lift coefficient of triangles (cloth, solids)"});
        v("density", p.density, Field{.min = 0, .unit = "kg/m^3", .doc = "of the air, for pressure and lift"});
        v("field", p.field, Field{.doc = "named field that blows; default: the sum of all wind fields"});
    }
};

// world positions of local ones: pose * (scale * x)
std::vector<Real3> place_points(const BuildContext&, std::span<const Real3> local);
// resolves the material of the object, errors included
Material object_material(const BuildContext&, const Value& material);

// adds the object's angular velocity about its place to the points' velocities
void add_spin(BuildContext&, Range points);
// gravity on every point of the range that has mass
void add_gravity(BuildContext&, Range points);
// drag on every point that has mass; area [m^2] per point scales the coefficients (1 for particles, given per point)
// and drag and lift of triangles (corners counted from the first point) where the scene asks for them
void add_air(BuildContext&, const Value& air, Range points, std::span<const Real> area,
             std::span<const std::array<int, 3>> triangles = {});
// marks points fixed and records the handle that a motion moves; `mesh` gives groups, boundary and attributes, which attachments
// may name too
void add_fixed(BuildContext&, const Value& fixed, Range points, const PolygonMesh& mesh);
// index of a wind or velocity field by name, the first one if the name is empty; -1 and an error if there is none
int find_velocity_field(BuildContext&, const std::string& name, std::string_view key);
// the flow of drag that names none: the only wind, the sum of all (kAllWinds), still air (-1) without any
int default_flow(const NamedFields&);
// adds an element of a link model
void add_link(BuildContext&, const LinkModel&, int a, int b);
// snapshot entry with the mesh's polygons, uvs, groups and segments
int add_deformable_snapshot(BuildContext&, const PolygonMesh& mesh, Range points, const Real3& color, Real radius);

Real3 default_color(int object);

} // namespace sinew
