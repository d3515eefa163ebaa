// Bending whose rest state is scripted (spec T 3.2): what tri_stvk_animated.h is for lengths, for angles and for |e|^2/(A1 + A2).
//   theta_rest(t) = (1 - w) theta_rest + w target(t)        w weight of the shared edge
//   target   the angle of a moving surface with the same vertices, or, without one,  factor(t) theta_rest + added(t),
//            two scalar fields of the scene taken at the middle of the edge
//   lengths of the five edges are blended as those of the membrane are, each by its own weight; areas by Heron, so that the
//   hinge needs no embedding of the blended surface either
// A moving angle counts as it is: the material's `rest` and `rest_angle` belong to the true rest shape. Where blended lengths make no
// triangle (area below 1e-3 of the rest area) the rest lengths stay. k, and with it orthotropy, is that of the true rest shape.
//
// The rest state is a function of the time and of the animated vertices, which the state holds: there is no memory.
// An entry of the list is HingeAnimated<L> of a law L of hinge.h with a name; it offers what L does.
#pragma once
#include "energy/hinge.h"
#include "energy/rest_script.h"
#include "geometry/triangle_metric.h"

namespace sinew {

struct AnimatedHingeParams : HingeParams { // what is not of the law is set by the scene compiler
    std::array<Real, 4> weight{0, 0, 0, 0};    // per point; an edge has the mean of its ends
    std::array<int, 4> moving{-1, -1, -1, -1}; // animated vertices, -1 = none
    int scale = -1, factor = -1, added = -1;   // scalar fields: of lengths, of angles, added to them; -1 = none
};

template <class L> struct HingeAnimated {
    static constexpr Share share = Share::elastic;
    static constexpr int points = 4;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    static constexpr bool explicit_force = true;
    static constexpr int sample_kinds = L::sample_kinds;
    static constexpr int root_rows = 1;
    using Law = L;
    // the shared edge, then those of the upper and of the lower triangle
    static constexpr std::array<std::array<int, 2>, 5> kEdges{{{1, 2}, {0, 1}, {2, 0}, {3, 2}, {1, 3}}};
    using Params = AnimatedHingeParams;
    struct Data {
        std::array<Real3, 4> x;    // [m] at rest
        std::array<Real, 4> weight;
        Real kc;                   // [N m]
        Real damping;              // [s]
        Real angle;                // [rad]
        std::array<int, 4> moving;
        int scale, factor, added, unused;
    };

    template <class V> static void fields(Params& p, V&& v) { hinge_fields(p, v); }
    static Data prepare(const Params& p, const RestView& rest) {
        Data d{{rest.x[0], rest.x[1], rest.x[2], rest.x[3]}, p.weight, 0, p.damping, 0, p.moving, p.scale, p.factor, p.added, 0};
        const Hinge h = make_hinge({vec(d.x[0]), vec(d.x[1]), vec(d.x[2]), vec(d.x[3])});
        if (!h.valid) return d;
        d.kc = 0.5 * p.coefficient * edge_rigidity(p, vec(d.x[2]) - vec(d.x[1]), (h.upper.n + h.lower.n).normalized());
        d.angle = p.rest * full_angle(h.half) + p.rest_angle;
        return d;
    }
    static Real weight_of(const Data& d, int edge) { return 0.5 * (d.weight[kEdges[edge][0]] + d.weight[kEdges[edge][1]]); }
    // squared lengths of the edges and the areas of the two triangles
    struct Lengths {
        std::array<Real, 5> square;
        Real upper, lower;
    };
    static Lengths lengths(const Data& d, const StepContext& c, bool true_rest) {
        Lengths out;
        for (int i = 0; i < 5; ++i) {
            const auto [a, b] = kEdges[i];
            const Real l = true_rest ? (vec(d.x[b]) - vec(d.x[a])).norm()
                                     : rest_length(c, d.x[a], d.x[b], weight_of(d, i), d.moving[a], d.moving[b], d.scale);
            out.square[i] = l * l;
        }
        const auto& s = out.square;
        out.upper = triangle_area(s[0], s[1], s[2]), out.lower = triangle_area(s[0], s[3], s[4]);
        return out;
    }
    static Real angle_at(const Data& d, const StepContext& c) {
        Real target = d.angle;
        if (d.moving[0] >= 0 && c.animated) {
            const auto at = [&](int i) { return vec(c.animated[d.moving[i]]); };
            if (const Hinge h = make_hinge({at(0), at(1), at(2), at(3)}); h.valid) target = full_angle(h.half);
        } else {
            const Vec3 middle = 0.5 * (vec(d.x[1]) + vec(d.x[2]));
            target = rest_value(c, d.factor, middle, 1) * target + rest_value(c, d.added, middle, 0);
        }
        return d.angle + weight_of(d, 0) * (target - d.angle);
    }
    static typename L::Data resolve(const Data& d, const StepContext& c) {
        if (d.kc == 0) return {};
        const Lengths rest = lengths(d, c, true);
        Lengths now = lengths(d, c, false);
        if (!(now.upper > 1e-3 * rest.upper && now.lower > 1e-3 * rest.lower)) now = rest;
        return L::make(d.kc, d.damping, std::sqrt(now.square[0]), 2 * now.upper, 2 * now.lower, angle_at(d, c));
    }
    template <int Order> static Local<12, Order> eval(const Data& d, const StepContext& c, const Stencil<4>& s) {
        return L::template eval<Order>(resolve(d, c), c, s);
    }
    static MatN<12> hessian_psd(const Data& d, const StepContext& c, const Stencil<4>& s) { return L::hessian_psd(resolve(d, c), c, s); }
    template <int Order, class A = L> static LocalRows<1, 12, Order> root(const Data& d, const StepContext& c, const Stencil<4>& s)
        requires A::is_square
    {
        return A::template root<Order>(resolve(d, c), c, s);
    }
    template <class A = L> static Real root_damping(const Data& d)
        requires A::is_square
    {
        return d.damping;
    }
    template <int Order> static LocalForce<12, Order> force(const Data& d, const StepContext& c, const Stencil<4>& s) {
        if (d.damping == 0 || c.elapsed > 0) return {};
        return L::template force<Order>(resolve(d, c), c, s);
    }
};

// A random element of the animated law E for the tests: that of the law, with weights that nothing pulls at.
template <class E> Sample<E> sample_animated_hinge(Rng& rng, int which) {
    typename E::Params p;
    const HingeSample made = sample_hinge(rng, which);
    static_cast<HingeParams&>(p) = made.params;
    for (Real& w : p.weight) w = draw_uniform(rng, 0, 1);
    return {E::prepare(p, {made.rest, {}, {}, {}}), made.at};
}

} // namespace sinew
