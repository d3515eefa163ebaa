#include "solver/position_zone.h"
#include "core/math.h"
#include "geometry/topology.h"
#include <algorithm>

namespace sinew {

namespace {

constexpr Real kShort = 0.9; // of the part that is proven free

// bodies behind a vertex of the surface; what is animated has none
template <class F> void for_bodies(const Model& m, int vertex, F&& f) {
    const SurfaceVertex& v = m.surface.vertices[vertex];
    switch (v.kind) {
    case SurfaceVertex::point: f(v.index); break;
    case SurfaceVertex::frame: f(point_count(m) + v.index); break;
    case SurfaceVertex::embedded: {
        const Embedding& e = m.surface.embeddings[v.index];
        for (int i = 0; i < 4; ++i)
            if (e.point[i] >= 0 && e.weight[i] != 0) f(e.point[i]);
        break;
    }
    case SurfaceVertex::animated: break;
    }
}

void keep_ends(const Model& m, const DualState& to, ZoneScratch& z) {
    const int points = point_count(m), frames = frame_count(m);
    z.x_end.assign(to.x, to.x + points), z.v_end.assign(to.v, to.v + points);
    z.p_end.assign(to.p, to.p + frames), z.q_end.assign(to.q, to.q + frames);
    z.frame_v_end.assign(to.frame_v, to.frame_v + frames), z.frame_w_end.assign(to.frame_w, to.frame_w + frames);
    z.begun = true;
}

void join_bodies(const Model& m, std::span<const Impact> impacts, ZoneScratch& z) {
    for (const Impact& k : impacts) {
        int first = -1;
        for (int i = 0; i < k.count; ++i)
            for_bodies(m, k.vertex[i], [&](int b) {
                if (z.parent[b] < 0) {
                    z.parent[b] = b;
                    z.factor[b] = 1;
                    z.members.push_back(b);
                }
                int root = find_root(z.parent, b);
                if (first < 0) first = root;
                if (root == first) return;
                // the smaller number is the root: the same zones in whatever order they are joined
                const int low = std::min(root, first), high = std::max(root, first);
                z.factor[low] = std::min(z.factor[low], z.factor[high]);
                z.parent[high] = low;
                first = low;
            });
    }
    std::sort(z.members.begin(), z.members.end());
}

void cut_factors(const Model& m, std::span<const Impact> impacts, bool still, ZoneScratch& z) {
    for (int b : z.members) z.cut[b] = 1;
    for (const Impact& k : impacts)
        for (int i = 0; i < k.count; ++i)
            for_bodies(m, k.vertex[i], [&](int b) {
                Real& cut = z.cut[find_root(z.parent, b)];
                cut = std::min(cut, still ? 0 : kShort * k.time);
            });
    for (int b : z.members)
        if (z.parent[b] == b) z.factor[b] *= z.cut[b];
}

// D and V of each zone, in the order of its members
void find_means(const Model& m, const ZoneStart& start, Real h, const DualState& to, ZoneScratch& z) {
    const int points = point_count(m);
    for (int b : z.members) z.mass[b] = 0, z.held[b] = 0, z.way[b].setZero(), z.velocity[b].setZero();
    const auto is_held = [&](int b) { return !((b < points ? to.point_inverse[b] : to.frame_inverse[b - points]) > 0); };
    for (int b : z.members)
        if (is_held(b)) z.held[find_root(z.parent, b)] = 1;
    for (int b : z.members) {
        const int root = find_root(z.parent, b);
        if (z.held[root] != is_held(b)) continue;
        const bool point = b < points;
        const int f = b - points;
        const Vec3 way = point ? Vec3(vec(z.x_end[b]) - vec(start.x[b])) : Vec3(vec(z.p_end[f]) - vec(start.p[f]));
        const Vec3 v = point ? vec(z.v_end[b]) : vec(z.frame_v_end[f]);
        const Real mass = z.held[root] ? 1 : 1 / (point ? to.point_inverse[b] : to.frame_inverse[f]);
        z.mass[root] += mass;
        z.way[root] += mass * way;
        z.velocity[root] += mass * (z.held[root] ? Vec3(way / h) : v);
    }
    for (int b : z.members)
        if (z.mass[b] > 0) z.way[b] /= z.mass[b], z.velocity[b] /= z.mass[b];
}

void move_members(const Model& m, const ZoneStart& start, const DualState& to, ZoneScratch& z) {
    const int points = point_count(m);
    for (int b : z.members) {
        const int root = find_root(z.parent, b);
        const Real f = z.factor[root];
        const Vec3 &D = z.way[root], &V = z.velocity[root];
        if (b < points) {
            if (!(to.point_inverse[b] > 0)) continue;
            const Vec3 x = vec(start.x[b]);
            vec(to.x[b]) = x + D + f * (vec(z.x_end[b]) - x - D);
            vec(to.v[b]) = V + f * (vec(z.v_end[b]) - V);
            continue;
        }
        const int k = b - points;
        if (!(to.frame_inverse[k] > 0)) continue;
        const Vec3 p = vec(start.p[k]);
        vec(to.p[k]) = p + D + f * (vec(z.p_end[k]) - p - D);
        vec(to.frame_v[k]) = V + f * (vec(z.frame_v_end[k]) - V);
        to.q[k] = real4(quat(start.q[k]).slerp(f, quat(z.q_end[k])).normalized());
        vec(to.frame_w[k]) = f * vec(z.frame_w_end[k]);
    }
}

} // namespace

void begin_zones(int bodies, ZoneScratch& z) {
    z.begun = false;
    z.members.clear();
    z.parent.assign(bodies, -1);
    z.factor.resize(bodies), z.cut.resize(bodies), z.mass.resize(bodies), z.held.resize(bodies);
    z.way.resize(bodies), z.velocity.resize(bodies);
}

void cut_zones(const Model& m, const ZoneStart& start, std::span<const Impact> impacts, Real h, bool still, const DualState& to,
               ZoneScratch& z) {
    if (!z.begun) keep_ends(m, to, z);
    join_bodies(m, impacts, z);
    cut_factors(m, impacts, still, z);
    find_means(m, start, h, to, z);
    move_members(m, start, to, z);
}

} // namespace sinew
