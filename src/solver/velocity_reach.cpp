#include "solver/velocity_reach.h"
#include "model/surface.h"
#include <algorithm>

namespace sinew {

Real fastest(const Model& m, const State& s) {
    Real v = 0;
    for (int i = 0; i < point_count(m); ++i)
        if (s.point.alive.empty() || s.point.alive[i]) v = std::max(v, vec(s.point.v[i]).norm());
    for (int i = 0; i < frame_count(m); ++i) v = std::max(v, vec(s.frame.v[i]).norm());
    return v;
}

Real fastest_apart(const Model& m, const State& s, std::vector<std::uint8_t>& analytic) {
    analytic.assign(m.objects.size(), 0);
    for (const Obstacle& o : m.obstacles)
        if (o.object >= 0 && o.frame >= 0) analytic[o.object] = 1;
    const auto velocity = [&](const SurfaceVertex& v) -> Vec3 {
        switch (v.kind) {
        case SurfaceVertex::point: return vec(s.point.v[v.index]);
        case SurfaceVertex::frame: return vec(s.frame.v[v.index]) + vec(s.frame.w[v.index]).cross(quat(s.frame.q[v.index]) * vec(v.local));
        case SurfaceVertex::animated: return vec(s.animated.v[v.index]);
        case SurfaceVertex::embedded: break;
        }
        const Embedding& e = m.surface.embeddings[v.index];
        Vec3 sum = Vec3::Zero();
        for (int i = 0; i < 4; ++i)
            if (e.point[i] >= 0) sum += e.weight[i] * vec(s.point.v[e.point[i]]);
        return sum;
    };
    const auto meets = [&](std::size_t i) {
        const SurfaceVertex& v = m.surface.vertices[i];
        return !analytic[m.surface.object[i]] && (v.kind != SurfaceVertex::point || s.point.alive.empty() || s.point.alive[v.index]);
    };
    Vec3 mean = Vec3::Zero();
    int count = 0;
    for (std::size_t i = 0; i < m.surface.vertices.size(); ++i)
        if (meets(i)) mean += velocity(m.surface.vertices[i]), ++count;
    if (count > 0) mean /= count;
    Real most = 0;
    for (std::size_t i = 0; i < m.surface.vertices.size(); ++i)
        if (meets(i)) most = std::max(most, (velocity(m.surface.vertices[i]) - mean).norm());
    return most;
}

} // namespace sinew
