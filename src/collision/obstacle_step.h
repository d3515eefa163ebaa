// Part of the safe step of a scene (scene_step.h): surface vertices against analytic obstacles, by the true shape, as
// detect_obstacles sees them. Conservative advancement: the distance g(t) of a vertex to an obstacle changes by at most
//   L = |d_vertex| + |d_theta| |arm|  of the vertex  +  |d_p| + |d_theta| |vertex - p|  of the obstacle's frame
// per unit of t, so nothing is met before t + (g(t) - s)/L, s the distance to be kept. The walk ends within a hundredth
// of the first gap; for planes and straight motion it is a geometric series, for others as good as L.
#pragma once
#include "collision/scene_step.h"

namespace sinew {

// Lowers out.step where a vertex would meet an obstacle (kind vertex_obstacle, pair = vertex, obstacle).
void limit_by_obstacles(const Parallel&, const Model&, const SceneMotion&, const SafeStepOptions&, SceneStepScratch&,
                        SafeStep& out);

} // namespace sinew
