// The role `solid` of a material: what tetrahedra are made of.
//   "solid": { "model": "corotated", "young": "1 MPa", "poisson": 0.4,
//              "damping": { "mass": "0.1 1/s", "stiffness": "1 ms" }, "plasticity": { "yield": "20 kPa" } }
// The model is an energy of energy/list.h named tet_<model>; its parameters stand beside it.
#pragma once
#include "core/fields.h"
#include "model/element.h"

namespace sinew {

struct SolidRole {
    std::string model = "stable_neohookean";
    Value params = make_object(); // of the model, read when it is known
    Value damping, plasticity;
};

// Rows and parameters that elements are made with.
struct SolidModel {
    const ElementRow* elastic = nullptr; // null = not usable, errors were added
    std::shared_ptr<void> params;
    const ElementRow* viscous = nullptr; // null = no damping by stiffness
    std::shared_ptr<void> viscous_params;
    Real damping_mass = 0; // [1/s]
};

std::vector<std::string> solid_models();
bool read_solid_role(const Value&, std::string_view path, SolidRole&, std::vector<Error>&);
// Numbers of a model that scale with its stiffness: all moduli [Pa]; strengths (yield, hardening) stay.
struct Moduli {
    std::vector<std::pair<Real*, Real>> numbers; // in the parameters, and as they were
};
Moduli find_moduli(const ElementRow&, void* params);
void scale_moduli(const Moduli&, Real factor);

SolidModel make_solid_model(const SolidRole&, const Scope&, std::string_view path, std::vector<Error>&);

} // namespace sinew
