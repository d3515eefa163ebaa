// Compound shapes taken apart: every part with its place in the body's axes, compounds inside compounds too.
#pragma once
#include "sinew/shape.h"
#include <optional>

namespace sinew {

struct PlacedShape {
    Shape shape;   // no compound; rounding includes that of the compounds around it
    Pose pose;     // in the body's axes
    int part = -1; // of the outermost compound; 0 for a shape that is none
};
// Errors: an index that does not exist, lists of different length, compounds nested deeper than 16 or in themselves.
std::optional<Error> expand_shape(const ShapeStore&, const Shape&, std::vector<PlacedShape>& out);

} // namespace sinew
