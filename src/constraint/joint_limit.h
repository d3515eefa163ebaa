// Limits of a joint's coordinate, one-sided rows.  C = (c - lower, upper - c) >= 0
//   c slide [m], twist [rad], swing [rad], angle of a universal joint [rad] or length [m] (joint.h)
// A twist is counted within half a turn of the middle of its range, which must be less than a whole turn.
#pragma once
#include "constraint/joint.h"

namespace sinew {

template <class L> struct JointLimit {
    static constexpr int points = 0, frames = 2, rows = 2;
    static constexpr bool translation_invariant = true, rotation_invariant = true;
    static constexpr int sample_kinds = 6; // inside, below, above; then another coordinate
    struct Params {
        JointAnchor anchor;
        Real compliance = 0, lower = -1, upper = 1;
        Real coordinate = 0; // axis of a slide, 0 or 1 of a universal joint
    };
    using Data = Params;
    template <class V> static void fields(Params& p, V&& v) {
        v("compliance", p.compliance, kComplianceField);
        v("lower", p.lower, Field{.unit = L::unit, .doc = "least value"});
        v("upper", p.upper, Field{.unit = L::unit, .doc = "largest value"});
    }
    static Data prepare(const Params& p, const RestView&) { return p; }
    static Real compliance(const Data& d) { return d.compliance; }
    static Bound bound(const Data&) { return Bound::lower; }
    template <int Order> static auto eval(const Data& d, const StepContext&, const Stencil<0, 2>& s) {
        LocalRows<rows, 12, Order> out;
        JointTerm t;
        L::term(place_joint(d.anchor, s), int(d.coordinate), 0.5 * (d.lower + d.upper), Order, t);
        set_row(t, 0, out, 1, -d.lower);
        set_row(t, 1, out, -1, d.upper);
        return out;
    }
    static Sample<L> sample(Rng& rng, int which) {
        JointSample made = sample_joint(rng, 0.2);
        made.at.p[1] += draw_uniform(rng, 0.5, 1) * draw_direction(rng);
        // far from the axis itself, where the swing has no direction
        const Vec3 across = (made.at.q[0] * quat(made.anchor.axes[0])) * Vec3(0.3, draw_uniform(rng, 0.5, 1), 0.2);
        made.at.q[1] = exp_rotation(across) * made.at.q[1];
        JointTerm t;
        const int coordinate = which >= 3 ? 1 : 0;
        which %= 3;
        L::term(place_joint(made.anchor, made.at), coordinate, 0, 0, t);
        const Real low = which == 1 ? 0.1 : -0.3, high = which == 2 ? -0.1 : 0.3;
        return {{made.anchor, draw_uniform(rng, 1e-2, 1), t.c + (which == 2 ? -0.5 : low), t.c + (which == 1 ? 0.5 : high), Real(coordinate)}, made.at};
    }
};

} // namespace sinew
