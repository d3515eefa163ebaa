// Volume, mass, centre and inertia of solids of constant density.
#pragma once
#include "geometry/mesh.h"
#include <span>

namespace sinew {

struct MassProperties {
    Real volume = 0;         // [m^3]
    Real mass = 0;           // [kg]
    Real3 center;            // [m] centre of mass
    Real33 inertia;          // [kg m^2] about the centre, axes of the mesh
    Real3 principal_inertia; // [kg m^2] moments about the principal axes
    Real4 principal_frame;   // rotation from principal to mesh axes: inertia = R diag(principal_inertia) R^T;
                             // the identity when the inertia is diagonal already
};

// Of a closed mesh with polygons counter-clockwise from outside; density [kg/m^3]. Errors name what is wrong
// with the mesh.
Result<MassProperties> mass_properties(const PolygonMesh&, Real density);

// Closed forms for the shapes of generate.h.
MassProperties box_mass(const Real3& size, Real density);
MassProperties sphere_mass(Real radius, Real density);
MassProperties capsule_mass(Real radius, Real length, Real density);
MassProperties cylinder_mass(Real radius, Real height, Real density);
MassProperties cone_mass(Real radius, Real height, Real density);

// Bodies fixed together, each placed in common axes; where they overlap both count. At least one with mass.
MassProperties join_mass(std::span<const MassProperties>, std::span<const Pose>);

// The same body with another total mass.
MassProperties scale_mass(MassProperties, Real mass);

// Diagonalisation of a symmetric 3x3 matrix: a = R diag(moments) R^T with a proper rotation R.
void diagonalise(const Real33& a, Real3& moments, Real4& rotation);

} // namespace sinew
