#include "collision/detect_points.h"
#include <algorithm>

namespace sinew {

bool detect_points(const Parallel& parallel, const Model& m, const SurfaceState& at, Real margin, PointsScratch& s, Contacts& out) {
    out.point_point.clear();
    out.rod_pairs.clear();
    bool found = true;
    if (!m.obstacles.empty() && !m.surface.vertices.empty()) {
        s.surface.resize(m.surface.vertices.size());
        surface_positions(parallel, m, at, s.surface);
        found = detect_obstacles(parallel, m, s.surface, at.point.alive, at.frame, {margin}, s.obstacles, out);
        if (point_count(m) > 0 && has_held_objects(m)) found = found && detect_held(parallel, m, at, s.surface, margin, s.held, out);
    }
    const bool bodies = std::any_of(m.colliders.begin(), m.colliders.end(),
                                    [&](const Collider& c) { return !(m.frame.flags[c.frame] & kFixed); });
    if (found && bodies) found = detect_shapes(parallel, m, at.frame, margin, s.shapes, out);
    if (found) found = find_rod_pairs(parallel, m, at.point, margin, s.rods, out.rod_pairs);
    if (!found) out.point_point.clear(), out.rod_pairs.clear();
    return found;
}

} // namespace sinew
