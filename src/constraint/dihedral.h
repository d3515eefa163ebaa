// Angle between two triangles that share an edge (spec U104).  C = theta - theta_rest [rad], compliance 1/(2 k a)
//   k = D/2, a = |e|^2/(A1 + A2) at rest, D flexural rigidity [N m]: as an energy it is hinge_theta with coefficient 1.
//   Stencil and derivatives: geometry/dihedral.h. Triangles without area have C = 0.
#pragma once
#include "constraint/constraint.h"
#include "geometry/dihedral.h"

namespace sinew {

struct Dihedral {
    static constexpr std::string_view name = "dihedral";
    static constexpr std::string_view doc = "keeps the angle between two triangles that share an edge";
    static constexpr int points = 4, rows = 1;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    struct Params {
        Real stiffness = 1e-6;
        Real rest = 1;
    };
    struct Data {
        Real compliance, rest_angle;
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .min_exclusive = true, .unit = "N m", .doc = "flexural rigidity"});
        v("rest", p.rest, Field{.doc = "part of the rest shape's angles that is kept: 1 = all, 0 = flat"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        const std::array<Vec3, 4> x{vec(rest.x[0]), vec(rest.x[1]), vec(rest.x[2]), vec(rest.x[3])};
        const Hinge h = make_hinge(x);
        if (!h.valid) return {1e30, 0};
        const Real length = (x[2] - x[1]).norm(), area2 = length / h.upper.inverse_height[0] + length / h.lower.inverse_height[0];
        return {0.5 * area2 / (p.stiffness * length * length), p.rest * full_angle(h.half)};
    }
    static Real compliance(const Data& d) { return d.compliance; }
    static Bound bound(const Data&) { return Bound::equality; }
    template <int Order> static LocalRows<1, 12, Order> eval(const Data& d, const StepContext&, const Stencil<4>& s) {
        LocalRows<1, 12, Order> out;
        const Hinge h = make_hinge(s.x);
        if (!h.valid) return out;
        out.c[0] = full_angle(h.half) - d.rest_angle;
        if constexpr (Order >= 1) out.jacobian = hinge_gradient(h).transpose();
        if constexpr (Order >= 2) out.hessian[0] = hinge_hessian(h);
        return out;
    }
    static Sample<Dihedral> sample(Rng& rng, int) {
        Sample<Dihedral> out{{draw_uniform(rng, 0.01, 1), draw_uniform(rng, -1, 1)}, {}};
        out.at.x = {Vec3(0.4, 1, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.6, -0.9, 0)};
        for (Vec3& x : out.at.x) x += draw_vec(rng, -0.25, 0.25);
        return out;
    }
};

} // namespace sinew
