// Rod between a place on a and a place on b.  C = |x_b - x_a| - L,  L length [m]. Ropes and struts are joint_limit_length.
#pragma once
#include "constraint/joint.h"

namespace sinew {

struct JointDistance {
    static constexpr std::string_view name = "joint_distance";
    static constexpr std::string_view doc = "keeps a place of one body at a distance from a place of the other";
    static constexpr int points = 0, frames = 2, rows = 1;
    static constexpr bool translation_invariant = true, rotation_invariant = true;
    struct Params {
        JointAnchor anchor;
        Real compliance = 0, length = 1;
    };
    using Data = Params;
    template <class V> static void fields(Params& p, V&& v) {
        v("compliance", p.compliance, kComplianceField);
        v("length", p.length, Field{.min = 0, .unit = "m", .doc = "distance that is kept"});
    }
    static Data prepare(const Params& p, const RestView&) { return p; }
    static Real compliance(const Data& d) { return d.compliance; }
    static Bound bound(const Data&) { return Bound::equality; }
    template <int Order> static auto eval(const Data& d, const StepContext&, const Stencil<0, 2>& s) {
        LocalRows<rows, 12, Order> out;
        JointTerm t;
        length_term(place_joint(d.anchor, s), Order, t);
        set_row(t, 0, out, 1, -d.length);
        return out;
    }
    static Sample<JointDistance> sample(Rng& rng, int) {
        JointSample made = sample_joint(rng, 0);
        made.at.p[1] += draw_uniform(rng, 0.3, 1) * draw_direction(rng);
        return {{made.anchor, draw_uniform(rng, 1e-2, 1), draw_uniform(rng, 0.2, 1)}, made.at};
    }
};

} // namespace sinew
