// A point held at a place in the world.  C = x - a (3 rows),  a anchor [m], compliance alpha [m/N]
#pragma once
#include "constraint/constraint.h"

namespace sinew {

struct Pin {
    static constexpr std::string_view name = "pin";
    static constexpr std::string_view doc = "holds a point at a place in the world";
    static constexpr int points = 1, rows = 3;
    static constexpr bool zero_at_rest = true;
    struct Params {
        Real compliance = 1e-6;
        std::optional<Real3> to; // default: where the point rests
    };
    struct Data {
        Real compliance;
        Real3 anchor;
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("compliance", p.compliance, Field{.min = 1e-9, .unit = "m/N", .doc = "displacement per force"});
    }
    static Data prepare(const Params& p, const RestView& rest) { return {p.compliance, p.to ? *p.to : rest.x[0]}; }
    static Real compliance(const Data& d) { return d.compliance; }
    static Bound bound(const Data&) { return Bound::equality; }
    template <int Order> static LocalRows<3, 3, Order> eval(const Data& d, const StepContext&, const Stencil<1>& s) {
        LocalRows<3, 3, Order> out;
        out.c = s.x[0] - vec(d.anchor);
        if constexpr (Order >= 1) out.jacobian.setIdentity();
        return out;
    }
    static Sample<Pin> sample(Rng& rng, int) {
        Sample<Pin> out{{draw_uniform(rng, 1e-3, 1e-1), real3(draw_vec(rng, -1, 1))}, {}};
        out.at.x[0] = draw_vec(rng, -1, 1);
        return out;
    }
};

} // namespace sinew
