// The spring of spring_green.h as its value only: gradient and Hessian by automatic differentiation.
//   E = k/(8 L^2) (|e|^2 - L^2)^2,  e = x1 - x0
#pragma once
#include "energy/energy.h"

namespace sinew {

struct SpringAuto {
    static constexpr std::string_view name = "spring_auto";
    static constexpr std::string_view doc = "spring by Green's strain, differentiated automatically";
    static constexpr Share share = Share::elastic;
    static constexpr int points = 2;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    struct Params {
        Real stiffness = 1000;
    };
    struct Data {
        Real stiffness, rest_length;
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "stiffness for small strains"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        return {p.stiffness, (vec(rest.x[1]) - vec(rest.x[0])).norm()};
    }
    template <class S> static S value(const Data& d, const StepContext&, const std::array<VecOf<S>, 2>& x) {
        const Real l2 = d.rest_length * d.rest_length;
        const VecOf<S> e = x[1] - x[0];
        const S g = e.squaredNorm() - S(l2);
        return d.stiffness / (8 * l2) * (g * g);
    }
    static Sample<SpringAuto> sample(Rng& rng, int) {
        Sample<SpringAuto> out{{draw_uniform(rng, 1, 1e3), draw_uniform(rng, 0.5, 1.5)}, {}};
        out.at.x = {draw_vec(rng, -1, 1), draw_vec(rng, -1, 1)};
        return out;
    }
};

} // namespace sinew
