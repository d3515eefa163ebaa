#include "model/surface.h"

namespace sinew {

void surface_positions(const Parallel& parallel, const Model& m, const PointState& points, const FrameState& frames,
                       std::span<Real3> out) {
    parallel_for(parallel, int(m.surface.vertices.size()), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const SurfaceVertex& s = m.surface.vertices[i];
            if (s.kind == SurfaceVertex::point) out[i] = points.x[s.index];
            else out[i] = real3(vec(frames.p[s.index]) + quat(frames.q[s.index]) * vec(s.local));
        }
    });
}

void surface_velocities(const Parallel& parallel, const Model& m, const PointState& points, const FrameState& frames,
                        std::span<Real3> out) {
    parallel_for(parallel, int(m.surface.vertices.size()), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const SurfaceVertex& s = m.surface.vertices[i];
            if (s.kind == SurfaceVertex::point) {
                out[i] = points.v[s.index];
                continue;
            }
            const Vec3 r = quat(frames.q[s.index]) * vec(s.local);
            out[i] = real3(vec(frames.v[s.index]) + vec(frames.w[s.index]).cross(r));
        }
    });
}

void push_back(const Model& m, const FrameState& frames, const Dofs& dofs, int vertex, const Vec3& g_surface,
               std::span<Real> g) {
    const SurfaceVertex& s = m.surface.vertices[vertex];
    if (s.kind == SurfaceVertex::point) {
        Eigen::Map<Vec3>(g.data() + dofs.point_offset(s.index)) += g_surface;
        return;
    }
    const Vec3 r = quat(frames.q[s.index]) * vec(s.local);
    Eigen::Map<Vec3>(g.data() + dofs.frame_offset(s.index)) += g_surface;
    Eigen::Map<Vec3>(g.data() + dofs.frame_offset(s.index) + 3) += r.cross(g_surface);
}

} // namespace sinew
