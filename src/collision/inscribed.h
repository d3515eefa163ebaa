// How far round bodies stand out of their triangles. Spheres, capsules, cylinders and cones are surfaces of triangles with
// vertices on the shape: of a convex shape K with support h and a triangle with unit normal n and offset d, K stands out of
// the triangle's plane by  s = h(n) - d,  the sagitta. A point x of K whose nearest point y of the triangles lies on features
// with face normals n_i has  x - y = a u,  u = sum_i l_i n_i,  l_i >= 0,  so  a = sum_i l_i (x - y).n_i <= s sum_i l_i, where
// faces that do not stand out do not count. From |u| = 1:
//   sphere, capsule, cylinder   sum l <= 1 / sqrt(min n_i.n_j) <= 1.25 for neighbours at less than 50 degrees
//   cone, half angle A          <= 1 / sin A at the apex, <= 1.25 / cos A at the base
#pragma once
#include "core/math.h"
#include "sinew/model.h"
#include <vector>

namespace sinew {

struct InscribedScratch {
    int topology = -1, values = -1; // revisions it belongs to
    const void* owner = nullptr;    // model.elements
    std::vector<Real> by;           // [m] per surface vertex: no point of its object's round shapes is further from their triangles
};
void update_inscribed(const Model&, InscribedScratch&);

} // namespace sinew
