#include "collision/obstacle_boxes.h"
#include "collision/aabb_tree_visit.h"

namespace sinew {

bool update_obstacle_boxes(const Parallel& parallel, ObstacleBoxes& b) {
    return update_tree(parallel, b.box, b.scratch, b.tree);
}

void find_near_obstacles(const Model& m, const ObstacleBoxes& b, const Aabb& box, Unbounded planes, std::vector<int>& out) {
    out.clear();
    visit_box(b.tree, box, [&](int k) {
        if (planes == Unbounded::with || m.obstacles[k].shape != Obstacle::plane) out.push_back(k);
    });
    std::sort(out.begin(), out.end());
}

Real obstacle_reach(const Model& m, const Obstacle& o, Real surface_thickness) {
    Real reach = surface_thickness + o.thickness;
    for (const ContactRule& r : m.contact_rules)
        if (r.a == o.object || r.b == o.object) reach = std::max(reach, Real(r.thickness));
    return reach;
}

} // namespace sinew
