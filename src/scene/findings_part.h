// Whether two surfaces that meet only touch: then a small motion of one frees them. Surfaces that pass through each other meet
// after every small motion, also where they cross exactly at edges and vertices, which no test of single triangles tells from
// touching.
#pragma once
#include "collision/intersections.h"

namespace sinew {

// `step` [m]: length of the motions, small against the surfaces. Bodies inside each other (closed surfaces) count as meeting.
bool can_part(const Parallel&, const TriangleSet& a, const TriangleSet& b, Real step);

// Number of the connected part of each triangle.
std::vector<int> find_parts(const TriangleSet&);

} // namespace sinew
