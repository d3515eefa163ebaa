#include "collision/detect_points.h"
#include <algorithm>

namespace sinew {

// Whether anything meets an obstacle by its surface: bodies with shapes meet obstacles with shapes by these. A heap of bodies on a floor
// has millions of vertices that nobody asks for.
static bool meet_by_surface(const Model& m, ShapedObjects& s) {
    if (m.obstacles.empty() || m.surface.vertices.empty()) return false;
    find_shaped_objects(m, s);
    const bool plain = std::any_of(m.obstacles.begin(), m.obstacles.end(), [&](const Obstacle& o) { return o.object < 0 || !s.shaped[o.object]; });
    for (std::size_t k = 0; k < m.objects.size(); ++k)
        if (m.objects[k].surface.count() > 0 && (plain || !s.shaped[k])) return true;
    return false;
}

bool detect_points(const Parallel& parallel, const Model& m, const SurfaceState& at, Real margin, PointsScratch& s, Contacts& out) {
    out.point_point.clear();
    out.rod_pairs.clear();
    bool found = true;
    if (meet_by_surface(m, s.obstacles.shaped)) {
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
