// Surface vertices against analytic obstacles: every vertex against every obstacle, closed forms for the distance.
#include "collision/collision.h"
#include "core/math.h"
#include "geometry/implicit_shape.h"

namespace sinew {

inline constexpr int kVertexGrain = 2048;

static ImplicitShape shape_of(const Obstacle& o) {
    static constexpr ImplicitShape::Kind kinds[] = {ImplicitShape::plane, ImplicitShape::sphere, ImplicitShape::capsule,
                                                    ImplicitShape::box};
    return {kinds[o.shape], o.size};
}

// the last rule about the two objects, null if there is none
static const ContactRule* find_rule(const Model& m, int a, int b) {
    const ContactRule* found = nullptr;
    for (const ContactRule& r : m.contact_rules)
        if ((r.a == a && r.b == b) || (r.a == b && r.b == a)) found = &r;
    return found;
}

static void test_vertex(const Model& m, int vertex, const Real3& x, const FrameState& frames, Real margin,
                        std::vector<ObstacleContact>& out) {
    const SurfaceVertex& s = m.surface.vertices[vertex];
    for (int k = 0; k < int(m.obstacles.size()); ++k) {
        const Obstacle& o = m.obstacles[k];
        if (s.kind == SurfaceVertex::frame && s.index == o.frame) continue;
        const ContactRule* rule = m.contact_rules.empty() ? nullptr : find_rule(m, m.surface.object[vertex], o.object);
        if (rule && rule->off) continue;
        const Real thickness = rule && rule->thickness >= 0 ? rule->thickness : m.surface.thickness[vertex];
        const Vec3 p = vec(frames.p[o.frame]);
        const Quat q = quat(frames.q[o.frame]);
        const Vec3 local = q.conjugate() * (vec(x) - p);
        const ImplicitHit hit = evaluate_shape(shape_of(o), local);
        const Real gap = hit.distance - thickness;
        if (!(gap < margin)) continue;
        const Vec3 normal = q * hit.normal, at = vec(x) - hit.distance * normal;
        const Vec3 velocity = vec(frames.v[o.frame]) + vec(frames.w[o.frame]).cross(at - p);
        out.push_back({std::uint64_t(vertex) << 32 | std::uint64_t(k), vertex, k, real3(normal), real3(at), real3(velocity), gap,
                       thickness});
    }
}

void detect_obstacles(const Parallel& parallel, const Model& m, std::span<const Real3> surface,
                      std::span<const std::uint8_t> alive, const FrameState& frames, Real margin, DetectScratch& scratch,
                      Contacts& out) {
    const int count = int(surface.size());
    scratch.chunks.resize(chunk_count(count, kVertexGrain));
    parallel_for(parallel, count, kVertexGrain, [&](int begin, int end) {
        std::vector<ObstacleContact>& found = scratch.chunks[begin / kVertexGrain];
        found.clear();
        for (int i = begin; i < end; ++i) {
            const SurfaceVertex& s = m.surface.vertices[i];
            if (s.kind == SurfaceVertex::point && !alive.empty() && !alive[s.index]) continue;
            test_vertex(m, i, surface[i], frames, margin, found);
        }
    });
    // chunks are in vertex order and each is sorted: joining them keeps the order of keys
    out.obstacle.clear();
    std::size_t found = 0;
    for (const auto& chunk : scratch.chunks) found += chunk.size();
    if (out.obstacle.capacity() < found) out.obstacle.reserve(2 * found); // growing contacts must not allocate every time
    for (const auto& chunk : scratch.chunks) out.obstacle.insert(out.obstacle.end(), chunk.begin(), chunk.end());
}

} // namespace sinew
