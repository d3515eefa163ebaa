// Orientation predicates for all finite doubles, by integers: every double is an integer times 2^-1074. Slow,
// for the sizes at which products of doubles over- or underflow; exact.cpp decides when. Numbers that are not
// finite give 0.
#pragma once
#include "core/math.h"

namespace sinew {

int wide_orient2d(const Vec2& a, const Vec2& b, const Vec2& c);
int wide_orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

} // namespace sinew
