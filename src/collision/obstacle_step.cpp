#include "collision/obstacle_step.h"
#include "collision/collision.h"
#include "geometry/convex_distance.h"
#include "geometry/implicit_shape.h"
#include "geometry/shape_bounds.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kWalkGrain = 512, kMostSteps = 2000;
static_assert(kWalkGrain % kObstacleBlock == 0);
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
Placement place_of(const Obstacle& o, const FrameMotion& f, Real t) {
    const Placement frame{(exp_rotation(t * f.turn) * f.q).toRotationMatrix(), f.p + t * f.move}, own = make_placement(o.pose);
    return {frame.R * own.R, at(frame, own.p)};
}

bool is_posed(const Obstacle& o) { return o.pose.position != Real3{} || o.pose.rotation != Real4{}; }

struct Walk {
    const Model& m;
    const SceneMotion& motion;
    const SafeStepOptions& options;
    const SceneStepScratch& s;
};

// largest speed of a vertex on the whole motion
Real speed_of(const Walk& w, int vertex) {
    const SurfaceVertex& v = w.m.surface.vertices[vertex];
    if (v.kind != SurfaceVertex::frame) return (vec(w.s.x_t1[vertex]) - vec(w.s.x_t0[vertex])).norm();
    const FrameMotion f = motion_of(w.m, w.motion, v.index);
    return f.move.norm() + f.turn.norm() * vec(v.local).norm();
}

// Lower bound of the distance of an element of 1 to 3 vertices from an obstacle at part t of the motion.
Real distance_at(const Walk& w, std::span<const int> vertices, const Obstacle& o, const FrameMotion& f, Real t) {
    std::array<Vec3, 3> x;
    const Quat q = exp_rotation(t * f.turn) * f.q;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const Vec3 world = moved_vertex(w.m, w.motion, w.m.surface.vertices[vertices[i]], t);
        x[i] = q.conjugate() * (world - f.p - t * f.move);
        if (is_posed(o)) x[i] = quat(o.pose.rotation).conjugate() * (x[i] - Vec3(vec(o.pose.position)));
    }
    if (vertices.size() == 1) return evaluate_shape(implicit_shape_of(o), x[0]).distance;
    if (vertices.size() == 2) x[2] = x[1];
    const Convex element = make_triangle(x[0], x[1], x[2], 0), obstacle = convex_of(o);
    const Vec3 n = core_distance({&obstacle, &element, {}}).normal;
    const Real low = std::min({n.dot(x[0]), n.dot(x[1]), n.dot(x[2])});
    return low - n.dot(support(obstacle, n).x) - obstacle.radius;
}

// first time at which the element may be nearer than it should, a lower bound; 1 if never
Real walk(const Walk& w, std::span<const int> vertices, const Obstacle& o, Real limit) {
    const FrameMotion f = motion_of(w.m, w.motion, o.frame);
    Real own = 0, rounding = 0, arm = 0;
    for (int v : vertices) {
        own = std::max(own, speed_of(w, v));
        rounding = std::max(rounding, w.s.rounding[v] + w.s.inscribed.by[v]);
        arm = std::max(arm, (vec(w.s.x_t0[v]) - f.p).norm());
    }
    // the vertex may travel `own` while the obstacle's frame turns under it
    const Real speed = own + f.move.norm() + f.turn.norm() * (arm + own + f.move.norm());
    rounding += 64 * kUnitRoundoff * (f.p.norm() + f.move.norm() + vec(o.size).norm() + vec(o.pose.position).norm() +
                                     (vertices.size() > 1 ? arm + own : 0));
    const Real start = distance_at(w, vertices, o, f, 0) - rounding;
    if (!(start > 0)) return 0;
    const Real keep = w.options.separation > 0 ? std::min(w.options.separation, w.options.keep * start) : 0;
    if (speed == 0) return 1;
    Real t = 0, gap = start;
    for (int k = 0; k < kMostSteps && gap - keep > kNear * (start - keep); ++k) {
        t += (gap - keep) / speed * (1 - 1e-12); // rounded towards the safe side
        if (t >= limit) return 1;
        gap = distance_at(w, vertices, o, f, t) - rounding;
    }
    return t;
}

// boxes of all obstacles over the whole motion; points of a turning body leave their chords by |turn|^2 radius / 8
bool sweep_obstacles(const Parallel& parallel, const Model& m, const SceneMotion& motion, Real separation, ObstacleBoxes& out) {
    out.box.clear();
    for (const Obstacle& o : m.obstacles) {
        out.box.emplace_back();
        if (o.frame < 0 || o.shape == Obstacle::height_field) continue; // placed nowhere, or met by its triangles
        const FrameMotion f = motion_of(m, motion, o.frame);
        const Convex c = convex_of(o);
        const bool finite = f.p.allFinite() && f.move.allFinite() && f.turn.allFinite() && f.q.coeffs().allFinite();
        if (!finite || !is_bounded(c)) { // what is not finite is found to touch
            const Real inf = std::numeric_limits<Real>::infinity();
            out.box.back() = {Vec3::Constant(-inf), Vec3::Constant(inf)};
            continue;
        }
        const Real radius = radius_about(c, Vec3::Zero()) + vec(o.pose.position).norm(), bend = f.turn.squaredNorm() * radius / 8;
        const Aabb both = merge(shape_bounds(c, place_of(o, f, 0)), shape_bounds(c, place_of(o, f, 1)));
        out.box.back() = grow(both, separation + bend + 64 * kUnitRoundoff * (f.p.norm() + f.move.norm() + radius));
    }
    return update_obstacle_boxes(parallel, out);
}

bool takes_part(const Walk& w, int vertex) {
    const SurfaceVertex& v = w.m.surface.vertices[vertex];
    if (!w.s.surface.alive[vertex] || v.kind == SurfaceVertex::animated) return false;
    return v.kind != SurfaceVertex::frame || !(w.m.frame.flags[v.index] & kFixed); // obstacles among themselves
}

bool meets(const Walk& w, int vertex, const Obstacle& o) {
    const SurfaceVertex& v = w.m.surface.vertices[vertex];
    if (o.object < 0 || (v.kind == SurfaceVertex::frame && v.index == o.frame)) return false;
    return find_pair_rule(w.m, w.s.surface.rules, w.m.surface.object[vertex], o.object).touches;
}

Aabb swept_box(const Walk& w, std::span<const int> vertices) {
    Aabb box;
    for (int v : vertices) box = merge(box, grow(merge(box_of(Vec3(vec(w.s.x_t0[v]))), Vec3(vec(w.s.x_t1[v]))), w.s.grow[v]));
    return box;
}

// elements(i): its number and vertices
template <class Elements>
void limit_by(const Parallel& parallel, const Walk& w, SceneStepScratch& s, SafeStep::Kind kind, int count, Elements&& elements,
              SafeStep& out) {
    const int chunks = chunk_count(count, kWalkGrain);
    if (int(s.chunk.size()) < chunks) s.chunk.resize(chunks);
    if (int(s.near.size()) < chunks) s.near.resize(chunks);
    const Real limit = out.step;
    const Unbounded planes = kind == SafeStep::vertex_obstacle ? Unbounded::with : Unbounded::without;
    parallel_for(parallel, count, kWalkGrain, [&](int begin, int end) {
        SafeStep best;
        best.step = limit;
        std::vector<int>& near = s.near[begin / kWalkGrain];
        for (int first = begin; first < end; first += kObstacleBlock) {
            const int last = std::min(end, first + kObstacleBlock);
            std::array<Aabb, kObstacleBlock> own; // empty where the element takes no part
            Aabb block;
            for (int i = first; i < last; ++i) {
                const auto e = elements(i);
                if (!std::all_of(e.vertex.begin(), e.vertex.end(), [&](int v) { return takes_part(w, v); })) continue;
                own[i - first] = swept_box(w, e.vertex);
                block = merge(block, own[i - first]);
            }
            find_near_obstacles(w.m, s.obstacles, block, planes, near);
            for (int i = first; i < last; ++i)
                for (int k : near) {
                    const auto e = elements(i);
                    const Obstacle& o = w.m.obstacles[k];
                    if (is_empty(own[i - first]) || !overlap(own[i - first], s.obstacles.box[k]) || !meets(w, e.vertex[0], o)) continue;
                    const Real t = walk(w, e.vertex, o, best.step);
                    if (t < best.step) best = {t, kind, {e.id, k}};
                }
        }
        s.chunk[begin / kWalkGrain] = best;
    });
    for (int c = 0; c < chunks; ++c)
        if (s.chunk[c].step < out.step) out = s.chunk[c];
}

template <std::size_t N> struct Element {
    int id;
    std::array<int, N> vertex;
};

} // namespace

void limit_by_obstacles(const Parallel& parallel, const Model& m, const SceneMotion& motion, const SafeStepOptions& options,
                        SceneStepScratch& s, SafeStep& out) {
    // without any the tree would have no place
    const auto is_walked = [](const Obstacle& o) { return o.frame >= 0 && o.shape != Obstacle::height_field; };
    if (std::none_of(m.obstacles.begin(), m.obstacles.end(), is_walked)) return;
    if (!sweep_obstacles(parallel, m, motion, options.separation, s.obstacles)) {
        out = {};
        out.step = 0;
        return;
    }
    const Walk w{m, motion, options, s};
    const std::vector<int>& lines = s.surface.neighbors.free_edges; // the others are parts of triangles
    limit_by(parallel, w, s, SafeStep::vertex_obstacle, int(m.surface.vertices.size()),
             [](int i) { return Element<1>{i, {i}}; }, out);
    limit_by(parallel, w, s, SafeStep::edge_obstacle, int(lines.size()),
             [&](int i) { return Element<2>{lines[i], m.surface.edges[lines[i]]}; }, out);
    limit_by(parallel, w, s, SafeStep::triangle_obstacle, int(m.surface.triangles.size()),
             [&](int i) { return Element<3>{i, m.surface.triangles[i]}; }, out);
}

} // namespace sinew
