// Scenes of boxes for broad phases: random ones and those that break careless code. Scene `seed` has kind
// seed % kBoxSceneKinds.
#pragma once
#include "core/parallel.h"
#include "core/random.h"
#include "geometry/bounds.h"
#include <vector>

namespace sinew {

inline constexpr int kBoxSceneKinds = 20;
inline const ParallelPtr kOneThread = make_parallel({.threads = 1});

inline Vec3 draw_vec(Rng& r, Real scale) {
    return scale * Vec3(draw_uniform(r, -1, 1), draw_uniform(r, -1, 1), draw_uniform(r, -1, 1));
}
inline Aabb draw_box(Rng& r, Real scale, Real size) {
    const Vec3 c = draw_vec(r, scale), h = size * Vec3(draw_uniform(r), draw_uniform(r), draw_uniform(r));
    return {c - h, c + h};
}

inline Aabb draw_scene_box(int kind, int i, int n, Rng& r) {
    constexpr Real inf = std::numeric_limits<Real>::infinity(),
                   tiny = std::numeric_limits<Real>::denorm_min();
    const Real usual = 1.0 / std::cbrt(Real(n) + 1);
    const Vec3 one = Vec3::Ones(), grid(i % 5, i / 5 % 5, i / 25);
    switch (kind) {
    case 0:
        return draw_box(r, 1, usual);
    case 1:
        return {-one, one}; // all equal
    case 2:
        return {grid, grid + one}; // all touching, exactly
    case 3:
        return {-(i + 1) * one, (i + 1) * one}; // nested
    case 4:
        return {Vec3(i, 0, 0), Vec3(i + 1.5, 0, 0)}; // collinear, flat
    case 5:
        return i == n / 2 ? Aabb{-100 * one, 100 * one} : draw_box(r, 1, 0.02);
    case 6:
        return i % 7 ? draw_box(r, 1, usual) : Aabb{Vec3(-inf, -inf, i), Vec3(inf, inf, i + 1)};
    case 7:
        return {-inf * one, inf * one};
    case 8:
        return draw_box(r, 1e300, 1e299);
    case 9:
        return {tiny * grid, tiny * (grid + draw_int(r, 2) * one)}; // denormals
    case 10:
        return box_of(0.25 * Vec3(draw_int(r, 4), draw_int(r, 4), draw_int(r, 4))); // points, many equal
    case 11:
        return i % 3 ? draw_box(r, 1, usual) : i % 2 ? Aabb{} : Aabb{one, -one}; // empty ones among them
    case 12: { // far away and close together: single precision cannot tell them apart
        const Vec3 p = 1e9 * one + draw_vec(r, 1);
        return {p, p + 0.2 * one};
    }
    case 13:
        return i ? draw_box(r, 1, usual) : box_of(1e12 * one); // one far away
    case 14: { // differences of one unit in the last place of a double
        const Vec3 p = grid + 1e-16 * draw_int(r, 8) * one;
        return {p, p + one + 2.3e-16 * (draw_int(r, 5) - 2) * one};
    }
    case 15:
        return draw_box(r, 1, std::pow(10, draw_uniform(r, -6, 0))); // all sizes
    case 16:
        return {Vec3(i, -1e6, i), Vec3(i + 0.5, 1e6, i + 0.5)}; // needles
    case 17:
        return draw_box(r, std::pow(10.0, draw_int(r, 60) - 30), 1e-3);
    case 18:
        return {Vec3(-0.0, 0, i), Vec3(0.0, -0.0, i)}; // zeros of both signs
    default:
        return i % 2 ? Aabb{Vec3(-inf, -1, -1), Vec3(-inf, 1, 1)} // boxes at infinity
                     : Aabb{Vec3(-inf, -1, -1), Vec3(i, 1, 1)};
    }
}
inline std::vector<Aabb> make_box_scene(int seed, int n) {
    Rng r{std::uint64_t(seed)};
    std::vector<Aabb> boxes(n);
    for (int i = 0; i < n; ++i) boxes[i] = draw_scene_box(seed % kBoxSceneKinds, i, n, r);
    return boxes;
}

} // namespace sinew
