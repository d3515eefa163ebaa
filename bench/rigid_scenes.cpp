#include "rigid_scenes.h"
#include "collision/broad_phase.h"
#include "collision/manifold.h"
#include "core/math.h"
#include "core/parallel.h"
#include <cmath>

namespace sinew::bench {

namespace {

BenchBody held_box(Real3 half, Real3 at) { return {true, half, 0, {at, {1, 0, 0, 0}}}; }

Shape shape_of(const BenchBody& b) {
    Shape s;
    s.kind = b.is_box ? Shape::box : Shape::sphere;
    s.size = b.half;
    return s;
}

struct Draw { // uniform in [0, 1)
    std::uint32_t seed;
    double operator()() {
        seed = seed * 1664525u + 1013904223u;
        return double(seed >> 8) / 16777216.0;
    }
};

} // namespace

RigidScene make_pyramid(int base) {
    RigidScene s;
    s.name = "pyramid" + std::to_string(base);
    s.bodies.push_back(held_box({100, 1, 100}, {0, -1, 0}));
    for (int i = 0; i < base; ++i)
        for (int j = 0; j < base - i; ++j)
            s.bodies.push_back({true, {0.5, 0.5, 0.5}, 1, {{(j - 0.5 * (base - 1 - i)) * 1.05, 0.5 + i, 0}, {1, 0, 0, 0}}});
    return s;
}

RigidScene make_mass_stack() {
    RigidScene s;
    s.name = "massstack";
    s.bodies.push_back(held_box({100, 1, 100}, {0, -1, 0}));
    for (int i = 0; i < 6; ++i) s.bodies.push_back({true, {0.5, 0.5, 0.5}, i == 5 ? 1000.0 : 1.0, {{0, 0.5 + i, 0}, {1, 0, 0, 0}}});
    return s;
}

RigidScene make_heap(int k, std::uint32_t seed) {
    RigidScene s;
    Draw draw{seed};
    s.name = "heap" + std::to_string(k * k * k);
    const double w = 0.5 * (1.25 * k + 0.25), h = 2.5 * k;
    s.bodies.push_back(held_box({w + 2, 1, w + 2}, {0, -1, 0}));
    for (int side : {-1, 1}) {
        s.bodies.push_back(held_box({1, h, w + 2}, {side * (w + 1), h, 0}));
        s.bodies.push_back(held_box({w + 2, h, 1}, {0, h, side * (w + 1)}));
    }
    for (int j = 0; j < k; ++j)
        for (int i = 0; i < k; ++i)
            for (int l = 0; l < k; ++l) {
                const auto jitter = [&] { return 0.03 * (2 * draw() - 1); };
                Vec3 at((i - 0.5 * (k - 1)) * 1.25, 1 + 1.25 * j, (l - 0.5 * (k - 1)) * 1.25);
                const double jx = jitter(), jy = jitter(), jz = jitter();
                at += Vec3(jx, jy, jz);
                const double ax = 2 * draw() - 1, ay = 2 * draw() - 1, az = 2 * draw() - 1, angle = 0.15 * draw();
                Vec3 axis(ax, ay, az);
                axis = axis.norm() > 1e-6 ? Vec3(axis.normalized()) : Vec3(Vec3::UnitX());
                const bool box = (i + j + l) % 2 == 0;
                BenchBody b{box, {0.5, 0.5, 0.5}, box ? 1 : 0.5236, {real3(at), {1, 0, 0, 0}}};
                if (box) b.pose.rotation = real4(exp_rotation(angle * axis));
                s.bodies.push_back(b);
            }
    return s;
}

static BenchBody link(double mass, double radius, Real3 at) { return {false, {radius, radius, radius}, mass, {at, {1, 0, 0, 0}}}; }

RigidScene make_chain(int links) {
    RigidScene s;
    s.name = "chain" + std::to_string(links);
    s.collides = false;
    s.bodies.push_back(held_box({0.1, 0.1, 0.1}, {0, 0, 0}));
    for (int i = 0; i < links; ++i) {
        s.bodies.push_back(link(1, 0.2, {0.25 + 0.5 * i, 0, 0}));
        s.joints.push_back({i, i + 1, {0.5 * i, 0, 0}});
    }
    return s;
}

RigidScene make_heavy_chain(int links) {
    RigidScene s;
    s.name = "chain" + std::to_string(links) + "heavy";
    s.collides = false;
    s.bodies.push_back(held_box({0.1, 0.1, 0.1}, {0, 0, 0}));
    for (int i = 0; i < links; ++i) {
        s.bodies.push_back(link(1, 0.2, {0, -0.25 - 0.5 * i, 0}));
        s.joints.push_back({i, i + 1, {0, -0.5 * i, 0}});
    }
    s.bodies.push_back(link(1000, 0.5, {0, -0.5 * links - 0.5, 0}));
    s.joints.push_back({links, links + 1, {0, -0.5 * links, 0}});
    return s;
}

RigidScene make_ragdolls(int k, std::uint32_t seed) {
    struct Part { // half sizes, centre, mass; joint to an earlier part at a place
        Real3 half, at;
        double mass;
        int to;
        Real3 joint;
    };
    // boxes stop 3 cm short of their joints, so that neighbours have room to turn
    static const Part parts[] = {{{0.18, 0.3, 0.1}, {0, 1.2, 0}, 30, -1, {}},
                                 {{0.1, 0.12, 0.1}, {0, 1.68, 0}, 5, 0, {0, 1.53, 0}},
                                 {{0.14, 0.05, 0.05}, {-0.38, 1.42, 0}, 3, 0, {-0.21, 1.42, 0}},
                                 {{0.14, 0.05, 0.05}, {0.38, 1.42, 0}, 3, 0, {0.21, 1.42, 0}},
                                 {{0.12, 0.04, 0.04}, {-0.70, 1.42, 0}, 2, 2, {-0.55, 1.42, 0}},
                                 {{0.12, 0.04, 0.04}, {0.70, 1.42, 0}, 2, 3, {0.55, 1.42, 0}},
                                 {{0.07, 0.19, 0.07}, {-0.1, 0.65, 0}, 8, 0, {-0.1, 0.87, 0}},
                                 {{0.07, 0.19, 0.07}, {0.1, 0.65, 0}, 8, 0, {0.1, 0.87, 0}},
                                 {{0.05, 0.18, 0.05}, {-0.1, 0.22, 0}, 4, 6, {-0.1, 0.43, 0}},
                                 {{0.05, 0.18, 0.05}, {0.1, 0.22, 0}, 4, 7, {0.1, 0.43, 0}}};
    RigidScene s;
    s.name = "ragdolls" + std::to_string(k * k * k);
    Draw draw{seed};
    const auto aside = [&] { return seed ? 0.01 * (2 * draw() - 1) : 0; };
    s.bodies.push_back(held_box({100, 1, 100}, {0, -1, 0}));
    for (int j = 0; j < k; ++j)
        for (int i = 0; i < k; ++i)
            for (int l = 0; l < k; ++l) {
                // every layer turned and shifted, so that dolls fall on each other
                const Quat turn = exp_rotation(Vec3(0.3 * j + 0.2 * l, 0.7 * j + 0.4 * i, 0.25 * i));
                Vec3 at(2.2 * (i - 0.5 * (k - 1)) + 0.3 * (j % 2), 1.5 + 2.4 * j, 2.2 * (l - 0.5 * (k - 1)) + 0.2 * (j % 3));
                at.x() += aside(), at.z() += aside();
                const auto place = [&](const Real3& x) { return real3(at + turn * (vec(x) - Vec3(0, 1, 0))); };
                const int first = int(s.bodies.size());
                for (int n = 0; n < 10; ++n) {
                    const Part& p = parts[n];
                    s.bodies.push_back({true, p.half, p.mass, {place(p.at), real4(turn)}});
                    if (p.to >= 0) s.joints.push_back({first + p.to, first + n, place(p.joint)});
                }
            }
    return s;
}

static void measure_joints(const RigidScene& s, std::span<const Pose> at, RigidQuality& q) {
    for (const BenchJoint& j : s.joints) {
        const auto now = [&](int b) {
            const Pose &from = s.bodies[b].pose, &to = at[b];
            return Vec3(vec(to.position) + quat(to.rotation) * (quat(from.rotation).conjugate() * (vec(j.at) - vec(from.position))));
        };
        const double gap = (now(j.a) - now(j.b)).norm();
        q.joint = std::max(q.joint, gap);
        q.stretch += gap;
    }
}

RigidQuality measure_quality(const RigidScene& s, std::span<const Pose> at) {
    RigidQuality q;
    std::vector<Aabb> boxes;
    std::vector<Pose> pose(at.begin(), at.end());
    const ShapeStore store;
    q.top = -1e300;
    for (std::size_t i = 0; i < s.bodies.size(); ++i) {
        const BenchBody& b = s.bodies[i];
        const Mat3 r = quat(pose[i].rotation).toRotationMatrix();
        const Vec3 reach = b.is_box ? Vec3(r.cwiseAbs() * vec(b.half)) : Vec3::Constant(b.half.x), x = vec(pose[i].position);
        boxes.push_back({x - reach, x + reach});
        if (b.mass == 0) continue;
        const Vec3 moved = x - vec(b.pose.position);
        q.drift = std::max(q.drift, std::hypot(moved.x(), moved.z()));
        q.moved = std::max(q.moved, moved.norm());
        q.top = std::max(q.top, x.y());
    }
    measure_joints(s, at, q);
    if (!s.collides) return q;
    const ParallelPtr parallel = make_parallel({.threads = 1});
    BroadPhaseScratch scratch;
    std::vector<Pair> pairs;
    find_pairs(*parallel, BroadPhase::tree, boxes, {}, scratch, pairs);
    double sum = 0;
    for (const Pair& p : pairs) {
        const BenchBody &a = s.bodies[p[0]], &b = s.bodies[p[1]];
        if (a.mass == 0 && b.mass == 0) continue;
        Manifold m;
        if (!collide_convex(store, shape_of(a), pose[p[0]], shape_of(b), pose[p[1]], 0, m)) continue;
        double depth = 0;
        for (int k = 0; k < m.count; ++k) depth = std::max(depth, -m.point[k].gap);
        if (!(depth > 0)) continue;
        ++q.pairs;
        sum += depth;
        q.deepest = std::max(q.deepest, depth);
    }
    q.mean = q.pairs ? sum / q.pairs : 0;
    return q;
}

} // namespace sinew::bench
