// Surface vertices against analytic obstacles: every vertex against every obstacle, closed forms for the distance.
#include "collision/collision.h"
#include "core/math.h"
#include "geometry/implicit_shape.h"
#include "model/surface.h"

namespace sinew {

inline constexpr int kVertexGrain = 2048;

ImplicitShape implicit_shape_of(const Obstacle& o) {
    static constexpr ImplicitShape::Kind kinds[] = {ImplicitShape::plane, ImplicitShape::sphere, ImplicitShape::capsule,
                                                    ImplicitShape::box};
    return {kinds[o.shape], o.size};
}

static void test_vertex(const Model& m, int vertex, const Real3& x, const FrameState& frames, const RuleTable& rules,
                        Real margin, std::vector<PointContact>& out) {
    const SurfaceVertex& s = m.surface.vertices[vertex];
    for (int k = 0; k < int(m.obstacles.size()); ++k) {
        const Obstacle& o = m.obstacles[k];
        if (s.kind == SurfaceVertex::frame && s.index == o.frame) continue;
        const int object = m.surface.object[vertex];
        const PairRule rule = find_pair_rule(m, rules, object, o.object);
        if (!rule.touches) continue;
        const Real thickness = rule.thickness >= 0 ? rule.thickness : m.surface.thickness[vertex] + o.thickness;
        const Vec3 p = vec(frames.p[o.frame]);
        const Quat q = quat(frames.q[o.frame]);
        const Vec3 local = q.conjugate() * (vec(x) - p);
        const ImplicitHit hit = evaluate_shape(implicit_shape_of(o), local);
        const Real gap = hit.distance - thickness;
        if (!(gap < margin)) continue;
        const Vec3 normal = q * hit.normal, at = vec(x) - hit.distance * normal;
        const Vec3 velocity = vec(frames.v[o.frame]) + vec(frames.w[o.frame]).cross(at - p);
        PointContact c;
        c.key = std::uint64_t(vertex) << 32 | std::uint64_t(k);
        c.a = s;
        c.b = {SurfaceVertex::frame, o.frame, real3(q.conjugate() * (at - p))};
        c.vertex = vertex, c.obstacle = k;
        c.object_a = object, c.object_b = o.object;
        c.normal = c.normal_frozen = real3(normal);
        c.at = real3(at);
        c.velocity = real3(velocity);
        c.gap = gap, c.thickness = thickness, c.friction = rule.friction;
        out.push_back(c);
    }
}

void detect_obstacles(const Parallel& parallel, const Model& m, std::span<const Real3> surface,
                      std::span<const std::uint8_t> alive, const FrameState& frames, Real margin, DetectScratch& scratch,
                      Contacts& out) {
    const int count = int(surface.size());
    scratch.chunks.resize(chunk_count(count, kVertexGrain));
    build_rule_table(m, scratch.rules);
    parallel_for(parallel, count, kVertexGrain, [&](int begin, int end) {
        std::vector<PointContact>& found = scratch.chunks[begin / kVertexGrain];
        found.clear();
        for (int i = begin; i < end; ++i) {
            const SurfaceVertex& s = m.surface.vertices[i];
            // obstacles do not touch each other
            if (s.kind == SurfaceVertex::animated || !is_alive(m, alive, s)) continue;
            if (s.kind == SurfaceVertex::frame && (m.frame.flags[s.index] & kFixed)) continue;
            test_vertex(m, i, surface[i], frames, scratch.rules, margin, found);
        }
    });
    // chunks are in vertex order and each is sorted: joining them keeps the order of keys
    scratch.found.clear();
    std::size_t found = 0;
    for (const auto& chunk : scratch.chunks) found += chunk.size();
    if (scratch.found.capacity() < found) scratch.found.reserve(2 * found); // growing contacts must not allocate every time
    for (const auto& chunk : scratch.chunks) scratch.found.insert(scratch.found.end(), chunk.begin(), chunk.end());
    replace_points(PointContact::vertex_obstacle, scratch.found, out);
}

} // namespace sinew
