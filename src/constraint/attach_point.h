// A point held at a place of a rigid body.  C = x - p - r, r = q local  (3 rows), compliance alpha [m/N]
// The rigid or compliant brother of the energy attach_frame.
#pragma once
#include "constraint/constraint.h"

namespace sinew {

struct AttachPoint {
    static constexpr std::string_view name = "attach_point";
    static constexpr std::string_view doc = "holds a point at a place of a rigid body";
    static constexpr int points = 1, frames = 1, rows = 3;
    static constexpr bool translation_invariant = true;
    struct Params {
        Real compliance = 0, damping = 0;
        Real3 local{};
        Real group = 0;         // attachment of the scene it belongs to, counted from 1
        Real breaks_at = 1e300; // [N] of the attachment as a whole
    };
    using Data = Params;
    template <class V> static void fields(Params& p, V&& v) {
        v("compliance", p.compliance, Field{.min = 0, .unit = "m/N", .doc = "displacement per force; 0 = rigid"});
        v("damping", p.damping, Field{.min = 0, .unit = "N s/m", .doc = "of the relative velocity, if it is not rigid"});
        v("local", p.local, Field{.unit = "m", .doc = "place in the axes of the body"});
    }
    static Data prepare(const Params& p, const RestView&) { return p; }
    static Real compliance(const Data& d) { return d.compliance; }
    static Real damping(const Data& d) { return d.damping; }
    static Bound bound(const Data&) { return Bound::equality; }
    template <int Order> static auto eval(const Data& d, const StepContext&, const Stencil<1, 1>& s) {
        LocalRows<3, 9, Order> out;
        const Vec3 r = s.q[0] * vec(d.local);
        out.c = s.x[0] - s.p[0] - r;
        if constexpr (Order >= 1) out.jacobian << Mat3::Identity(), -Mat3::Identity(), skew(r);
        if constexpr (Order >= 2) {
            for (int k = 0; k < 3; ++k) {
                const Vec3 n = Vec3::Unit(k);
                out.hessian[k].template bottomRightCorner<3, 3>() =
                    n.dot(r) * Mat3::Identity() - 0.5 * (n * r.transpose() + r * n.transpose());
            }
        }
        return out;
    }
    static Sample<AttachPoint> sample(Rng& rng, int) {
        Sample<AttachPoint> out{{draw_uniform(rng, 1e-2, 1), draw_uniform(rng, 0, 5), real3(draw_vec(rng, -1, 1)), 0, 1e300}, {}};
        out.at.p[0] = draw_vec(rng, -1, 1);
        out.at.q[0] = exp_rotation(draw_vec(rng, -2, 2));
        out.at.x[0] = out.at.p[0] + out.at.q[0] * vec(out.data.local) + draw_vec(rng, -0.5, 0.5);
        return out;
    }
};

} // namespace sinew
