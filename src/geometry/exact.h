// Exact geometric decisions on doubles: orientation predicates by a filter and, where that does not decide,
// by floating-point expansions (sums of non-overlapping doubles; Dekker 1971, Shewchuk 1997), and the closed
// intersection tests built from them. No tolerance anywhere: an answer is that of the given numbers in exact
// arithmetic, for all finite doubles; where products over- or underflow by integers (exact_wide.h). Numbers
// that are not finite: orientation 0. Touching counts as intersecting. Degenerate segments and triangles are
// their points and segments.
#pragma once
#include "core/math.h"
#include <array>

namespace sinew {

// Sign of the area of a b c: > 0 counter-clockwise.
int orient2d(const Vec2& a, const Vec2& b, const Vec2& c);
// Sign of det(b - a, c - a, d - a): > 0 when d sees a b c clockwise, 0 in one plane.
int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

using Triangle3 = std::array<Vec3, 3>;

bool segments_intersect(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);
bool segment_intersects_triangle(const Vec3& s0, const Vec3& s1, const Triangle3&);
bool triangles_intersect(const Triangle3&, const Triangle3&);

// Triangles that have corners in common (as vertices of a mesh), which alone is no intersection: do they meet
// in anything beyond that? For one common corner it must be the first of both triangles; for a common edge
// the first two of both, in any order: then the answer is that one is folded onto the other.
bool triangles_intersect_beyond_corner(const Triangle3&, const Triangle3&);
bool triangles_intersect_beyond_edge(const Triangle3&, const Triangle3&);

} // namespace sinew
