#include "collision/speed_limit.h"
#include "collision/collision.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {
struct Pace { // of an object
    Real speed = 0, thickness = kEndless;
    bool present = false, movable = false;
};

// Planes and height fields are solid below without end; the speed of a field is that of its vertices.
void add_obstacles(const Model& m, const State& s, std::vector<Pace>& out) {
    std::vector<Real> width(m.objects.size(), kEndless); // of the thinnest part
    for (const Obstacle& o : m.obstacles) {
        if (o.object < 0 || o.frame < 0) continue;
        Pace& p = out[o.object];
        const bool endless = o.shape == Obstacle::plane || o.shape == Obstacle::height_field;
        const Vec3 half = o.shape == Obstacle::box ? Vec3(vec(o.size)) : Vec3(Vec3::Constant(o.size.x));
        const Real arm = endless ? 0 : half.norm() + (o.shape == Obstacle::capsule ? o.size.y : 0) + vec(o.pose.position).norm();
        p.present = true;
        if (!endless) width[o.object] = std::min(width[o.object], 2 * half.minCoeff() + o.thickness);
        p.thickness = width[o.object];
        p.speed = std::max(p.speed, vec(s.frame.v[o.frame]).norm() + vec(s.frame.w[o.frame]).norm() * arm);
    }
}
} // namespace

Real find_speed_limit(const Parallel& parallel, const Model& m, const State& s) {
    std::vector<Real3> v(m.surface.vertices.size());
    surface_velocities(parallel, m, surface_state(s), v);
    std::vector<Pace> pace(m.objects.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
        const SurfaceVertex& vertex = m.surface.vertices[i];
        if (!is_alive(m, s.point.alive, vertex)) continue;
        if (!vec(v[i]).allFinite()) return std::numeric_limits<Real>::quiet_NaN();
        Pace& p = pace[m.surface.object[i]];
        p.present = true;
        p.movable = p.movable || is_movable(m, vertex);
        p.speed = std::max(p.speed, vec(v[i]).norm());
        p.thickness = std::min(p.thickness, Real(m.surface.thickness[i]));
    }
    add_obstacles(m, s, pace);
    RuleTable rules;
    build_rule_table(m, rules);
    Real limit = kEndless;
    for (int a = 0; a < int(pace.size()); ++a)
        for (int b = a; b < int(pace.size()); ++b) {
            if (!pace[a].present || !pace[b].present || !(pace[a].movable || pace[b].movable)) continue;
            if (a == b && !m.objects[a].self_contact) continue;
            if (!m.objects[a].alive || !m.objects[b].alive || !find_pair_rule(m, rules, a, b).touches) continue;
            const Real speed = pace[a].speed + pace[b].speed;
            if (speed > 0) limit = std::min(limit, (pace[a].thickness + pace[b].thickness) / speed);
        }
    return limit;
}

} // namespace sinew
