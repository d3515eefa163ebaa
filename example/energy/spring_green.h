// Spring by Green's strain.  E = k/(8 L^2) (|e|^2 - L^2)^2,  e = x1 - x0
//   k [N/m] stiffness for small strains, L [m] rest length
// Smooth everywhere, also at e = 0, where a spring by length has no direction.
#pragma once
#include "energy/energy.h"

namespace sinew {

struct SpringGreen {
    static constexpr std::string_view name = "spring_green";
    static constexpr std::string_view doc = "spring by Green's strain, smooth everywhere";
    static constexpr Share share = Share::elastic; // where the report counts it
    static constexpr int points = 2;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;

    struct Params { // what the scene file says
        Real stiffness = 1000;
    };
    struct Data { // what one element stores
        Real stiffness, rest_length;
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "stiffness for small strains"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        return {p.stiffness, (vec(rest.x[1]) - vec(rest.x[0])).norm()};
    }
    template <int Order> static Local<6, Order> eval(const Data& d, const StepContext&, const Stencil<2>& s) {
        Local<6, Order> out;
        const Real l2 = d.rest_length * d.rest_length, c = d.stiffness / (2 * l2);
        const Vec3 e = s.x[1] - s.x[0];
        const Real g = e.squaredNorm() - l2;
        out.value = 0.25 * c * g * g;
        if constexpr (Order >= 1) out.gradient << -c * g * e, c * g * e;
        if constexpr (Order >= 2) {
            const Mat3 k = c * (g * Mat3::Identity() + 2 * e * e.transpose());
            out.hessian << k, -k, -k, k;
        }
        return out;
    }
    static Sample<SpringGreen> sample(Rng& rng, int) { // a random valid element, for the tests
        Sample<SpringGreen> out{{draw_uniform(rng, 1, 1e3), draw_uniform(rng, 0.5, 1.5)}, {}};
        out.at.x = {draw_vec(rng, -1, 1), draw_vec(rng, -1, 1)};
        return out;
    }
};

} // namespace sinew
