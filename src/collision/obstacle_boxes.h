// Broad phase of surface against analytic obstacles: a tree of the obstacles' boxes, searched with the box of each block
// of neighbouring elements. Surfaces are numbered along themselves, so a block is small; the obstacles of a scene are few
// against its elements, so the tree costs next to nothing to keep up to date.
#pragma once
#include "collision/aabb_tree.h"
#include "sinew/model.h"

namespace sinew {

struct ObstacleBoxes {
    std::vector<Aabb> box; // [m] per obstacle, grown by its reach; infinite for planes, empty for obstacles without a frame
    AabbTree tree;
    TreeScratch scratch;
};
// False if a box is NaN.
bool update_obstacle_boxes(const Parallel&, ObstacleBoxes&);

enum class Unbounded { with, without };
// Obstacles whose boxes meet the box, ascending.
void find_near_obstacles(const Model&, const ObstacleBoxes&, const Aabb&, Unbounded, std::vector<int>& out);

// Largest distance at which an obstacle can count [m]: thickness of both sides or of a rule.
Real obstacle_reach(const Model&, const Obstacle&, Real surface_thickness);

inline constexpr int kObstacleBlock = 64; // elements with one box

} // namespace sinew
