// Part of the safe step of a scene (scene_step.h): the surface against analytic obstacles, by their true shape, as
// detect_obstacles sees them: vertices, and for obstacles with an end also lines and triangles. Height fields have triangles
// of their own and are met by those (detect_topology.cpp). Conservative
// advancement: the distance g(t) of an element to an obstacle changes by at most
//   L = |d_vertex| + |d_theta| |arm|  of the fastest vertex  +  |d_p| + |d_theta| |vertex - p|  of the obstacle's frame
// per unit of t, so nothing is met before t + (g(t) - s)/L, s the distance to be kept. Distances of lines and triangles
// are gaps between supports along the normal of GJK: true lower bounds whatever the search did. The walk ends within a
// hundredth of the first gap; for planes and straight motion it is a geometric series, for others as good as L. Only
// elements whose swept boxes meet the swept box of an obstacle are walked.
#pragma once
#include "collision/scene_step.h"

namespace sinew {

// Lowers out.step where the surface would meet an obstacle (kinds vertex_obstacle, edge_obstacle, triangle_obstacle; pair =
// element, obstacle).
void limit_by_obstacles(const Parallel&, const Model&, const SceneMotion&, const SafeStepOptions&, SceneStepScratch&,
                        SafeStep& out);

} // namespace sinew
