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

RigidScene make_heap(int k) {
    RigidScene s;
    s.name = "heap" + std::to_string(k * k * k);
    const double w = 0.5 * (1.25 * k + 0.25), h = 2.5 * k;
    s.bodies.push_back(held_box({w + 2, 1, w + 2}, {0, -1, 0}));
    for (int side : {-1, 1}) {
        s.bodies.push_back(held_box({1, h, w + 2}, {side * (w + 1), h, 0}));
        s.bodies.push_back(held_box({w + 2, h, 1}, {0, h, side * (w + 1)}));
    }
    std::uint32_t seed = 12345;
    const auto draw = [&] {
        seed = seed * 1664525u + 1013904223u;
        return double(seed >> 8) / 16777216.0;
    };
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
        q.top = std::max(q.top, x.y());
    }
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
