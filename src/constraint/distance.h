// Distance between two points.  C = |x1 - x0| - L,  L rest length [m], compliance alpha [m/N]
// As an energy it is the spring of stiffness 1/alpha. The smallest usable compliance is 1e-9 m/N: a rigid link is for
// dual solvers; energy solvers see a very stiff spring.
#pragma once
#include "constraint/constraint.h"

namespace sinew {

struct Distance {
    static constexpr std::string_view name = "distance";
    static constexpr std::string_view doc = "keeps two points at their rest distance";
    static constexpr int points = 2, rows = 1;
    static constexpr bool pair = true;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    static constexpr int sample_kinds = 3; // stretched, compressed, nearly at rest
    struct Params {
        Real compliance = 1e-6;
        bool rope = false; // one-sided: resists stretch only
    };
    struct Data {
        Real compliance, rest_length;
        std::int64_t rope;
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("compliance", p.compliance, Field{.min = 1e-9, .unit = "m/N", .doc = "stretch per force"});
        v("rope", p.rope, Field{.doc = "resists stretch only"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        return {p.compliance, (vec(rest.x[1]) - vec(rest.x[0])).norm(), p.rope};
    }
    static Real compliance(const Data& d) { return d.compliance; }
    static Bound bound(const Data& d) { return d.rope ? Bound::lower : Bound::equality; }

    // rope: C = L - |x1 - x0| >= 0, so the sign turns
    template <int Order> static LocalRows<1, 6, Order> eval(const Data& d, const StepContext&, const Stencil<2>& s) {
        LocalRows<1, 6, Order> out;
        const Vec3 e = s.x[1] - s.x[0];
        const Real l = e.norm(), sign = d.rope ? -1 : 1;
        const Vec3 n = l > 0 ? Vec3(e / l) : Vec3::UnitX();
        out.c[0] = sign * (l - d.rest_length);
        if constexpr (Order >= 1) out.jacobian << -sign * n.transpose(), sign * n.transpose();
        if constexpr (Order >= 2) {
            if (l > 0) {
                const Mat3 k = sign / l * (Mat3::Identity() - n * n.transpose());
                out.hessian[0] << k, -k, -k, k;
            }
        }
        return out;
    }
    static Sample<Distance> sample(Rng& rng, int which) {
        const Real rest = draw_uniform(rng, 0.1, 2);
        const Real factor = which == 0 ? draw_uniform(rng, 1.1, 2) : which == 1 ? draw_uniform(rng, 0.3, 0.9)
                                                                             : 1 + draw_uniform(rng, -1e-3, 1e-3);
        Sample<Distance> out{{draw_uniform(rng, 1e-3, 1e-1), rest, which != 2 && draw_uniform(rng) < 0.5}, {}};
        out.at.x[0] = draw_vec(rng, -1, 1);
        out.at.x[1] = out.at.x[0] + factor * rest * draw_direction(rng);
        return out;
    }
};

} // namespace sinew
