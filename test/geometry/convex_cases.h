// Random convex shapes of every bounded kind, and what any answer about two of them can be judged by.
//   separation(n) = min over b of n . x - max over a of n . x
// is for every unit n a lower bound of the signed distance, and its maximum over n is the signed distance: a
// pair of points at distance d and a direction with separation d prove each other right.
#pragma once
#include "core/random.h"
#include "geometry/convex.h"
#include "geometry/generate.h"
#include "geometry/hull.h"

namespace sinew {

inline constexpr int kConvexKinds = 9; // the bounded kinds of Shape, and a triangle

struct ConvexCase {
    Convex shape;
    Placement place;
    int kind = 0;
};

inline const ShapeStore& case_store() {
    static const ShapeStore store = [] {
        ShapeStore s;
        for (std::uint64_t i = 0; i < 6; ++i) {
            Rng rng{i, 77};
            std::vector<Real3> points;
            const int count = i == 5 ? 200 : 5 + 6 * int(i);
            for (int k = 0; k < count; ++k) points.push_back(real3(0.8 * vec(draw_unit_vector(rng))));
            s.hulls.push_back(*make_hull(points).value);
        }
        s.hulls.push_back(make_box_hull({0.3, 0.5, 0.7}));
        return s;
    }();
    return store;
}

inline Convex case_shape(Shape::Kind kind, const Real3& size, Real rounding = 0, int data = -1) {
    return *make_convex(case_store(), {kind, size, rounding, data});
}
inline Placement case_place(const Vec3& p, const Vec3& turn = Vec3::Zero()) {
    return make_placement({real3(p), real4(exp_rotation(turn))});
}

// kind: Shape::point ... Shape::cone as there, 7 hull, 8 triangle; distances of places up to `reach`
inline ConvexCase draw_case(Rng& rng, int kind, Real reach, bool rounded) {
    ConvexCase c;
    c.kind = kind;
    const Real rounding = rounded ? draw_uniform(rng, 0, 0.2) : 0;
    const Real3 size{draw_uniform(rng, 0.1, 0.8), draw_uniform(rng, 0.1, 0.8), draw_uniform(rng, 0.1, 0.8)};
    if (kind == 8)
        c.shape =
            make_triangle(vec(draw_in_ball(rng)), vec(draw_in_ball(rng)), vec(draw_in_ball(rng)), rounding);
    else if (kind == 7)
        c.shape = *make_convex(case_store(), {Shape::hull, {}, rounding, draw_int(rng, 7)});
    else
        c.shape = *make_convex(case_store(), {Shape::Kind(kind), size, rounding});
    c.place = make_placement({real3(reach * vec(draw_in_ball(rng))), draw_rotation(rng)});
    return c;
}

inline Real highest(const ConvexCase& c, const Vec3& n) { // over the shape of n . x
    return n.dot(at(c.place, support(c.shape, c.place.R.transpose() * n).x)) + c.shape.radius;
}
inline Real separation(const ConvexCase& a, const ConvexCase& b, const Vec3& n) {
    return -highest(b, -n) - highest(a, n);
}

// Largest separation of `samples` random directions, the best of them improved by shrinking random steps
inline Real search_separation(const ConvexCase& a, const ConvexCase& b, Rng& rng, int samples,
                              const Vec3& start) {
    Vec3 best = start;
    Real most = separation(a, b, best);
    for (int i = 0; i < samples; ++i) {
        const Vec3 n = vec(draw_unit_vector(rng));
        const Real s = separation(a, b, n);
        if (s > most) most = s, best = n;
    }
    Real step = 0.3;
    for (int i = 0; i < samples; ++i) {
        const Vec3 n = (best + step * vec(draw_unit_vector(rng))).normalized();
        const Real s = separation(a, b, n);
        if (s > most)
            most = s, best = n;
        else
            step *= 0.97;
    }
    return most;
}

} // namespace sinew
