#include "collision/obstacle_step.h"
#include "collision/collision.h"
#include "geometry/implicit_shape.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kVertexGrain = 512, kMostSteps = 2000;
constexpr Real kNear = 0.01; // of the first gap: where the walk ends

struct FrameMotion {
    Vec3 p, move, turn;
    Quat q;
};

FrameMotion motion_of(const Model& m, const SceneMotion& motion, int frame) {
    const int at = dofs_of(m).frame_offset(frame);
    return {vec(motion.now.frame.p[frame]), Eigen::Map<const Vec3>(motion.direction.data() + at),
            Eigen::Map<const Vec3>(motion.direction.data() + at + 3), quat(motion.now.frame.q[frame])};
}

// largest speed of a vertex on the whole motion
Real speed_of(const Model& m, const SceneMotion& motion, const SurfaceVertex& v, const Vec3& x_t0, const Vec3& x_t1) {
    if (v.kind != SurfaceVertex::frame) return (x_t1 - x_t0).norm();
    const FrameMotion f = motion_of(m, motion, v.index);
    return f.move.norm() + f.turn.norm() * vec(v.local).norm();
}

Real distance_at(const Model& m, const SceneMotion& motion, const SurfaceVertex& v, const Obstacle& o,
                 const FrameMotion& f, Real t) {
    const Vec3 x = moved_vertex(m, motion, v, t);
    const Quat q = exp_rotation(t * f.turn) * f.q;
    return evaluate_shape(implicit_shape_of(o), q.conjugate() * (x - f.p - t * f.move)).distance;
}

// first time at which the vertex may be nearer than it should, a lower bound; 1 if never
Real walk(const Model& m, const SceneMotion& motion, const SafeStepOptions& options, const SceneStepScratch& s, int vertex,
          const Obstacle& o, Real limit) {
    const SurfaceVertex& v = m.surface.vertices[vertex];
    const FrameMotion f = motion_of(m, motion, o.frame);
    const Vec3 x = vec(s.x_t0[vertex]);
    const Real own = speed_of(m, motion, v, x, vec(s.x_t1[vertex]));
    // the vertex may travel `own` while the obstacle's frame turns under it
    const Real speed = own + f.move.norm() + f.turn.norm() * ((x - f.p).norm() + own + f.move.norm());
    const Real rounding = s.rounding[vertex] + 64 * kUnitRoundoff * (f.p.norm() + f.move.norm() + vec(o.size).norm());
    const Real start = distance_at(m, motion, v, o, f, 0) - rounding;
    if (!(start > 0)) return 0;
    const Real keep = options.separation > 0 ? std::min(options.separation, options.keep * start) : 0;
    if (speed == 0) return 1;
    Real t = 0, gap = start;
    for (int k = 0; k < kMostSteps && gap - keep > kNear * (start - keep); ++k) {
        t += (gap - keep) / speed * (1 - 1e-12); // rounded towards the safe side
        if (t >= limit) return 1;
        gap = distance_at(m, motion, v, o, f, t) - rounding;
    }
    return t;
}

} // namespace

void limit_by_obstacles(const Parallel& parallel, const Model& m, const SceneMotion& motion, const SafeStepOptions& options,
                        SceneStepScratch& s, SafeStep& out) {
    if (m.obstacles.empty()) return;
    const int n = int(m.surface.vertices.size()), chunks = chunk_count(n, kVertexGrain);
    if (int(s.chunk.size()) < chunks) s.chunk.resize(chunks);
    const Real limit = out.step;
    parallel_for(parallel, n, kVertexGrain, [&](int begin, int end) {
        SafeStep best;
        best.step = limit;
        for (int i = begin; i < end; ++i) {
            const SurfaceVertex& v = m.surface.vertices[i];
            const int object = m.surface.object[i];
            if (!s.surface.alive[i] || v.kind == SurfaceVertex::animated) continue;
            if (v.kind == SurfaceVertex::frame && (m.frame.flags[v.index] & kFixed)) continue; // obstacles among themselves
            for (int k = 0; k < int(m.obstacles.size()); ++k) {
                const Obstacle& o = m.obstacles[k];
                if (o.frame < 0 || (v.kind == SurfaceVertex::frame && v.index == o.frame)) continue;
                if (!find_pair_rule(m, s.surface.rules, object, o.object).touches) continue;
                const Real t = walk(m, motion, options, s, i, o, best.step);
                if (t < best.step) best = {t, SafeStep::vertex_obstacle, {i, k}};
            }
        }
        s.chunk[begin / kVertexGrain] = best;
    });
    for (int c = 0; c < chunks; ++c)
        if (s.chunk[c].step < out.step) out = s.chunk[c];
}

} // namespace sinew
