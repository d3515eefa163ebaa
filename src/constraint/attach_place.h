// A point held at a place of another deformable body: at fixed weights of up to four of its points, the corners of a tetrahedron, of a
// triangle, the ends of a segment, or one point.  C = x_0 - sum_k w_k x_k  (3 rows), compliance alpha [m/N], sum w = 1
// Corners that are not there have the index -1 and weight 0.
#pragma once
#include "constraint/constraint.h"

namespace sinew {

struct AttachPlace {
    static constexpr std::string_view name = "attach_place";
    static constexpr std::string_view doc = "holds a point at a place of an element of another body";
    static constexpr int points = 5, rows = 3;
    static constexpr bool translation_invariant = true, rotation_invariant = true;
    struct Params {
        Real compliance = 0, damping = 0;
        std::array<Real, 4> weight{1, 0, 0, 0};
        Real group = 0;         // attachment of the scene it belongs to, counted from 1
        Real breaks_at = 1e300; // [N] of the attachment as a whole
    };
    using Data = Params;
    template <class V> static void fields(Params& p, V&& v) {
        v("compliance", p.compliance, Field{.min = 0, .unit = "m/N", .doc = "displacement per force; 0 = rigid"});
        v("damping", p.damping, Field{.min = 0, .unit = "N s/m", .doc = "of the relative velocity, if it is not rigid"});
    }
    static Data prepare(const Params& p, const RestView&) { return p; }
    static Real compliance(const Data& d) { return d.compliance; }
    static Real damping(const Data& d) { return d.damping; }
    static Bound bound(const Data&) { return Bound::equality; }
    template <int Order> static auto eval(const Data& d, const StepContext&, const Stencil<5>& s) {
        LocalRows<3, 15, Order> out;
        out.c = s.x[0];
        if constexpr (Order >= 1) out.jacobian.setZero(), out.jacobian.template leftCols<3>().setIdentity();
        if constexpr (Order >= 2)
            for (auto& h : out.hessian) h.setZero();
        for (int k = 0; k < 4; ++k) {
            out.c -= d.weight[k] * s.x[1 + k];
            if constexpr (Order >= 1) out.jacobian.template middleCols<3>(3 + 3 * k) = -d.weight[k] * Mat3::Identity();
        }
        return out;
    }
    static Sample<AttachPlace> sample(Rng& rng, int) {
        Sample<AttachPlace> out{{draw_uniform(rng, 1e-2, 1), draw_uniform(rng, 0, 5), {}, 0, 1e300}, {}};
        Real sum = 0;
        for (Real& w : out.data.weight) w = draw_uniform(rng, 0.1, 1), sum += w;
        for (Real& w : out.data.weight) w /= sum;
        for (Vec3& x : out.at.x) x = draw_vec(rng, -1, 1);
        return out;
    }
};

} // namespace sinew
