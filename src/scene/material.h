// Materials speak of roles. In a scene:
//   "materials": { "canvas": { "density": "300 g/m^2", "membrane": { "stiffness": "2 kN/m" }, "bend": { ... } } }
//   "material": "canvas" | "cotton" (preset) | { ...inline... }
// Roles of this version: membrane (links along the edges of cloth, or an energy of triangles), shear (diagonals), bend
// (links over two edges, or an energy of hinges), rod (links of chains and ropes), solid (tetrahedra, solid_role.h). Rigid
// bodies take solid_density and friction. Triangles and hinges are in shell_material.h.
#pragma once
#include "core/fields.h"
#include "model/element.h"
#include "scene/solid_role.h"
#include "sinew/scene.h"

namespace sinew {

// Cloth as links. Stiffness is per width, so that a finer grid behaves the same: a link stands for a strip.
struct LinkRole {
    std::string model = "spring_strain";
    Real stiffness = 0;  // [N/m] force per width at strain 1
    Real damping = 0;    // [s] damping = this times stiffness

    template <class V> static void fields(LinkRole& p, V&& v) {
        v("model", p.model, Field{.allowed = {"spring_strain", "spring", "distance", "tri_stvk", "tri_baraff_witkin", "tri_neohookean",
                                            "tri_rubber", "tri_fung", "tri_strain", "dihedral", "hinge_tan", "hinge_theta", "hinge_willmore", "hinge_bridson"},
                                .doc = "law of the links; any energy of three points (membrane) or four (bend) makes a shell, with its own parameters"});
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "force per width at strain 1"});
        v("damping", p.damping, Field{.min = 0, .unit = "s", .doc = "damping as a time: force per strain rate over stiffness"});
    }
};

// Links of chains and ropes: any energy or constraint on two points, with its own parameters.
struct RodRole {
    std::string model = "spring_strain";
    Value params = make_object(); // parameters of the model, read when it is known
};

struct Material {
    std::string name;
    std::string note;             // source of a preset's numbers
    Real density = 0.2;           // [kg/m^2] of cloth
    Real line_density = 0.05;     // [kg/m] of chains and ropes
    Real solid_density = 1000;    // [kg/m^3] of rigid bodies; the default is water
    LinkRole membrane{"spring_strain", 1000, 0.001}, shear{"spring_strain", 300, 0.001}, bend{"spring_strain", 30, 0.001};
    RodRole rod;
    SolidRole solid;
    Real thickness = 0.001;       // [m]
    Real friction = 0.5;
    Value membrane_value, shear_value, bend_value, rod_value, solid_value; // as written
    Value shell_membrane, shell_bend; // roles of cloth as a shell: model and parameters, null = by the numbers of the links
    bool has_shell = false;           // the membrane is an energy of triangles: cloth is a shell unless it says otherwise

    template <class V> static void fields(Material& p, V&& v) {
        v("density", p.density, Field{.min = 0, .min_exclusive = true, .unit = "kg/m^2", .doc = "mass of cloth per area"});
        v("line_density", p.line_density,
          Field{.min = 0, .min_exclusive = true, .unit = "kg/m", .doc = "mass of chains and ropes per length"});
        v("solid_density", p.solid_density,
          Field{.min = 0, .min_exclusive = true, .unit = "kg/m^3", .doc = "mass of rigid bodies and solids per volume"});
        v("thickness", p.thickness, Field{.min = 0, .unit = "m", .doc = "distance kept from obstacles"});
        v("friction", p.friction, Field{.min = 0, .doc = "coefficient; a pair takes the geometric mean"});
        v("membrane", p.membrane_value, Field{.doc = "role: links along the edges of cloth, or an energy of triangles"});
        v("shear", p.shear_value, Field{.doc = "role: links along the diagonals of cloth"});
        v("bend", p.bend_value, Field{.doc = "role: links over two edges of cloth, or an energy of hinges"});
        v("rod", p.rod_value, Field{.doc = "role: links of chains and ropes; model and its parameters"});
        v("solid", p.solid_value,
          Field{.doc = "role: tetrahedra; model, its parameters, damping { mass, stiffness }, plasticity { yield, ... }"});
    }
};
struct NamedMaterial {
    std::string name;
    Material material;
};

std::span<const Material> material_presets();
// `base` keeps what the value does not mention
bool read_material(const Value&, const Scope&, std::string_view path, Material& base, std::vector<Error>&);
// "material" of an object: a name (of the scene, then of the presets) or inline; null = the default material
bool find_material(const Value&, const Scope&, std::string_view path, const std::vector<NamedMaterial>&, Material& out,
                   std::vector<Error>&);

// A model of the lists with parameters read: what links are made of.
struct LinkModel {
    const ElementRow* row = nullptr; // null = not usable, errors were added
    bool constraint = false;
    std::shared_ptr<void> params;
};
LinkModel read_link_model(const RodRole&, const Scope&, std::string_view path, std::vector<Error>&);
// parameters of a cloth role for a link that stands for a strip of this width [m]
LinkModel make_link_model(const LinkRole&, Real width, Real length);

} // namespace sinew
