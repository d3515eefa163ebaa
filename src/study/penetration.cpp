#include "study/penetration.h"
#include "model/surface.h"
#include <algorithm>
#include <limits>

namespace sinew {

Real total_penetration(const Parallel& parallel, const Model& m, const State& s, PenetrationScratch& p) {
    constexpr Real kNear = 1e-6; // [m] detection wants some reach
    p.found.point_point.clear(), p.found.rod_pairs.clear();
    p.found.vertex_triangle.clear(), p.found.edge_edge.clear(), p.found.vertex_edge.clear(), p.found.vertex_vertex.clear();
    bool finite = detect_shapes(parallel, m, s.frame, {kNear}, p.shapes, p.found);
    if (point_count(m) > 0) {
        p.x.resize(m.surface.vertices.size());
        surface_positions(parallel, m, surface_state(s), p.x);
        finite = finite && detect_obstacles(parallel, m, p.x, s.point.alive, s.frame, {kNear}, p.obstacles, p.found) &&
                 detect_surface(parallel, m, p.x, s.point.alive, {.margin = kNear}, p.surface, p.found);
    }
    if (!finite) return std::numeric_limits<Real>::quiet_NaN();
    build_bodies(m, s, p.bodies);
    clear_rows(p.bodies);
    p.list.touches.clear();
    list_touches(parallel, m, s, p.found, p.bodies, {.dt = 0, .near = kNear}, p.list);
    Real sum = 0;
    for (const Touch& t : p.list.touches) sum += std::max(0.0, -t.gap);
    return sum;
}

} // namespace sinew
