#include "view_grab.h"
#include "core/math.h"
#include <Eigen/LU>
#include <algorithm>

namespace sinew {

namespace {

constexpr Real kReach = 0.1;                        // of the object's size
constexpr Real kPointLimit = 0.8, kBodyLimit = 0.5; // w dt
constexpr Real kStiffest = 120;                     // [1/s] a hand is no vice, however short the step

int find_shown(const Model& m, int shown) {
    for (int i = 0; i < int(m.objects.size()); ++i)
        if (m.objects[i].alive && m.objects[i].snapshot == shown) return i;
    return -1;
}

// points that carry the vertex
std::vector<int> points_of(const Model& m, const Object& o, int vertex) {
    const SnapshotObject& look = m.layout->objects[o.snapshot];
    if (look.carriers.empty()) return {o.points.begin + vertex};
    std::vector<int> points;
    for (int k = 0; k < 4; ++k)
        if (look.carriers[vertex].weight[k] != 0) points.push_back(o.points.begin + look.carriers[vertex].point[k]);
    return points;
}

Real size_of(const State& s, Range points) {
    Vec3 low = vec(s.point.x[points.begin]), high = low;
    for (int i = points.begin; i < points.end; ++i) low = low.cwiseMin(vec(s.point.x[i])), high = high.cwiseMax(vec(s.point.x[i]));
    return (high - low).norm();
}

void hold_points(const ViewGrab& g, Simulation& s) {
    const Model& m = s.compiled.model;
    const Real w = std::min(kStiffest, kPointLimit / s.compiled.dt);
    for (std::size_t k = 0; k < g.points.size(); ++k) {
        const int i = g.points[k];
        s.input.grabs.push_back({i, real3(vec(g.to) + vec(g.offset[k])), m.point.mass[i] * w * w});
        s.input.point_forces.push_back({i, real3(-m.point.mass[i] * w / 3 * vec(s.now.point.v[i]))});
    }
}

void hold_body(const ViewGrab& g, Simulation& s) {
    const Model& m = s.compiled.model;
    const Object& o = m.objects[g.object];
    const int i = o.frames.begin;
    const Mat3 turn = quat(s.now.frame.q[i]).toRotationMatrix();
    const Vec3 r = turn * vec(g.local), x = vec(s.now.frame.p[i]) + r;
    const Vec3 v = vec(s.now.frame.v[i]) + vec(s.now.frame.w[i]).cross(r);
    const Mat3 inertia = turn * mat(m.frame.inertia[i]) * turn.transpose();
    const Real there = 1 / (1 / m.frame.mass[i] + (skew(r).transpose() * inertia.inverse() * skew(r)).trace());
    const Real w = std::min(kStiffest, kBodyLimit / s.compiled.dt);
    const Vec3 force = there * w * (w * (vec(g.to) - x) - 2 * v) - m.frame.mass[i] * vec(m.gravity);
    s.input.body_forces.push_back({{g.object, o.generation}, real3(force), real3(x), {}});
}

} // namespace

Errors begin_grab(const Simulation& s, int object, int vertex, const Real3& at, ViewGrab& out) {
    const Model& m = s.compiled.model;
    const int i = find_shown(m, object);
    if (i < 0) return {Error{.path = "object", .value = std::to_string(object), .message = "there is no such object"}};
    const Object& o = m.objects[i];
    if (vertex >= m.layout->objects[object].point_count)
        return {Error{.path = "vertex", .value = std::to_string(vertex), .message = o.name + " has no such vertex"}};
    const Errors held{Error{.path = o.name, .message = "is held by the scene itself and cannot be grabbed"}};
    ViewGrab g;
    g.object = i;
    g.topology = m.topology_revision;
    g.to = at;
    if (o.frames.count()) {
        const int f = o.frames.begin;
        if ((m.frame.flags[f] & kFixed) || !(m.frame.mass[f] > 0)) return held;
        g.local = real3(quat(s.now.frame.q[f]).conjugate() * (vec(at) - vec(s.now.frame.p[f])));
    } else {
        if (o.points.count() == 0) return held;
        std::vector<int> near = points_of(m, o, vertex);
        const Real reach = kReach * size_of(s.now, o.points);
        const Vec3 taken = vec(s.now.point.x[near[0]]);
        // separate particles are taken one by one
        if (!m.layout->objects[object].draw_points)
            for (int k = o.points.begin; k < o.points.end; ++k)
                if ((vec(s.now.point.x[k]) - taken).norm() < reach) near.push_back(k);
        std::sort(near.begin(), near.end());
        near.erase(std::unique(near.begin(), near.end()), near.end());
        for (int k : near) {
            if ((m.point.flags[k] & (kFixed | kPassive)) || !(m.point.mass[k] > 0)) continue;
            g.points.push_back(k);
            g.offset.push_back(real3(vec(s.now.point.x[k]) - vec(at)));
        }
        if (g.points.empty()) return held;
    }
    out = std::move(g);
    return {};
}

void apply_grab(ViewGrab& g, Simulation& s) {
    s.input.grabs.clear();
    s.input.point_forces.clear();
    s.input.body_forces.clear();
    if (g.object >= 0 && g.topology != s.compiled.model.topology_revision) g = {}; // something came or went: indices are others
    if (g.object < 0) return;
    if (g.points.empty()) hold_body(g, s);
    else hold_points(g, s);
}

} // namespace sinew
