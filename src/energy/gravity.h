// Uniform gravity on a point.  E = -m g . x
//   m mass [kg], g acceleration [m/s^2]
#pragma once
#include "energy/energy.h"

namespace sinew {

struct Gravity {
    static constexpr std::string_view name = "gravity";
    static constexpr std::string_view doc = "uniform gravity on points";
    static constexpr Share share = Share::gravity;
    static constexpr int points = 1;
    struct Params {
        std::optional<Real3> acceleration; // default: the scene's gravity
    };
    struct Data {
        Real mass;
        Real3 acceleration;
    };

    template <class V> static void fields(Params&, V&&) {}
    static Data prepare(const Params& p, const RestView& rest) {
        return {rest.mass[0], p.acceleration ? *p.acceleration : rest.gravity};
    }
    template <int Order> static Local<3, Order> eval(const Data& d, const StepContext&, const Stencil<1>& s) {
        Local<3, Order> out;
        const Vec3 f = d.mass * vec(d.acceleration);
        out.value = -f.dot(s.x[0]);
        if constexpr (Order >= 1) out.gradient = -f;
        return out;
    }
    static Sample<Gravity> sample(Rng& rng, int) {
        Sample<Gravity> out{{draw_uniform(rng, 0.1, 10), real3(draw_vec(rng, -10, 10))}, {}};
        out.at.x[0] = draw_vec(rng, -1, 1);
        return out;
    }
};

} // namespace sinew
