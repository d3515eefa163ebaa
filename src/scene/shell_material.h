// The shell roles of a material: a membrane energy of triangles and a bending energy of hinges, each with its parameters.
//   "membrane": { "model": "tri_stvk", "young": "0.8 MPa", "poisson": 0.24 },  "bend": { "model": "hinge_tan", ... }
// What is not said: thickness is the material's; young is the stiffness of the links over the thickness; the flexural
// rigidity is that of a plate, young t^3/(12 (1 - poisson^2)).
#pragma once
#include "scene/material.h"

namespace sinew {

// An energy or a constraint of the lists with its parameters read, and where its numbers are.
struct ShellPart {
    const ElementRow* row = nullptr;
    bool constraint = false;
    std::shared_ptr<void> params;
    FieldList fields;                              // pointing into params
    std::vector<std::pair<Real*, Real>> stiffness; // numbers that scale with stiffness, and their values
    Real* thickness = nullptr;                     // null = has none
    Real thickness_value = 0;
    Real3* warp = nullptr;
};
struct ShellModel {
    ShellPart membrane, bend;
};
bool read_shell_model(const Material&, const Scope&, std::string_view path, ShellModel&, std::vector<Error>&);
// bending by hinges that stand for a plate: coefficient 1, not that of a publication
bool is_plate_part(ShellPart&);
// the parameters of one element: stiffness and thickness times factors, warp along a world direction
const void* shell_params(ShellPart&, Real stiffness, Real thickness, const Real3& warp);

// whether a role names an energy or constraint of triangles (3 points) or of hinges (4)
bool is_shell_role(const Value& role, int points);
std::vector<std::string> shell_models(int points); // what such a role may name
// of a model that is in no list, or acts on another number of points than the role needs
Error wrong_model(const Value& at, std::string_view path, std::string_view model, int points, const std::vector<std::string>& known);

} // namespace sinew
