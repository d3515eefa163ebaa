// Affine maps of meshes: rigid motions, scalings, and the units and up-axes of files.   x -> linear x +
// translation
#pragma once
#include "geometry/mesh.h"

namespace sinew {

struct Transform {
    Real33 linear;
    Real3 translation; // [m]
};
Transform make_transform(const Pose&);
// scale along the axes, then rotate, then translate
Transform make_transform(const Real3& scale, const Real4& rotation, const Real3& translation);
Transform compose(const Transform& second, const Transform& first); // x -> second(first(x))
std::optional<Transform> invert(const Transform&); // empty if the map is singular or overflows

Real3 transform_point(const Transform&, const Real3& x);
Real3 transform_vector(const Transform&, const Real3& v); // velocities, directions: without the translation
Real3 transform_normal(const Transform&,
                       const Real3& n); // stays perpendicular to the surface; unit length or zero

// Positions, and the attribute "normal" if there is one. A mirroring map turns the polygons round, so that
// what was outside stays outside.
void transform_mesh(const Transform&, PolygonMesh&);

// x, y, z, +x, -x ...; the names of signed axes
struct Axis {
    int index = 1; // 0, 1, 2
    int sign = 1;
};
std::optional<Axis> parse_axis(std::string_view);
// The rotation by 90 or 180 degrees that turns the direction `from` to `to`: z to y maps (x, y, z) to (x, z,
// -y).
Real33 axis_rotation(Axis from, Axis to);

// From a file's unit ("cm", "in", "m") and up-axis to metres and the scene's up-axis.
Result<Transform> file_transform(std::string_view unit, std::string_view up, std::string_view scene_up);

} // namespace sinew
