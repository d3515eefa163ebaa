#include "collision/swept_sphere.h"
#include "geometry/distance_closest.h"

namespace sinew {

static SphereImpact impact_at(Real time, const Closest& c) {
    SphereImpact r;
    r.time = time;
    r.weight = c.weight.tail<3>();
    if (c.squared > 0) r.normal = c.difference.normalized();
    return r;
}
static CcdPoints points_at(const CcdPoints& x_t0, const CcdPoints& x_t1, Real t, int count) {
    CcdPoints x;
    for (int i = 0; i < count; ++i) x[i] = (1 - t) * x_t0[i] + t * x_t1[i];
    return x;
}

SphereImpact find_impact_sphere_sphere(const CcdPoints& x_t0, const CcdPoints& x_t1, Real radii) {
    const Real t = find_impact_vertex_vertex(x_t0, x_t1, {radii});
    if (t == kNoImpact) return {};
    const CcdPoints x = points_at(x_t0, x_t1, t, 2);
    return impact_at(t, closest_vertex_vertex(x[0], x[1]));
}
SphereImpact find_impact_sphere_edge(const CcdPoints& x_t0, const CcdPoints& x_t1, Real radii) {
    const Real t = find_impact_vertex_edge(x_t0, x_t1, {radii});
    if (t == kNoImpact) return {};
    const CcdPoints x = points_at(x_t0, x_t1, t, 3);
    return impact_at(t, closest_vertex_edge(x[0], x[1], x[2]));
}
SphereImpact find_impact_sphere_triangle(const CcdPoints& x_t0, const CcdPoints& x_t1, Real radii) {
    const Real t = find_impact_vertex_triangle(x_t0, x_t1, {radii});
    if (t == kNoImpact) return {};
    const CcdPoints x = points_at(x_t0, x_t1, t, 4);
    return impact_at(t, closest_vertex_triangle(x[0], x[1], x[2], x[3]));
}

} // namespace sinew
