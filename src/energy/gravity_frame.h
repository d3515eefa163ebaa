// Uniform gravity on a rigid body.  E = -m g . p, p centre of mass: no torque.
#pragma once
#include "energy/energy.h"

namespace sinew {

struct GravityFrame {
    static constexpr std::string_view name = "gravity_frame";
    static constexpr std::string_view doc = "uniform gravity on rigid bodies";
    static constexpr Share share = Share::gravity;
    static constexpr int points = 0, frames = 1;
    struct Params {
        std::optional<Real3> acceleration; // default: the scene's gravity
    };
    struct Data {
        Real mass;
        Real3 acceleration;
    };

    template <class V> static void fields(Params&, V&&) {}
    static Data prepare(const Params& p, const RestView& rest) {
        return {rest.frame_mass[0], p.acceleration ? *p.acceleration : rest.gravity};
    }
    template <int Order> static Local<6, Order> eval(const Data& d, const StepContext&, const Stencil<0, 1>& s) {
        Local<6, Order> out;
        const Vec3 f = d.mass * vec(d.acceleration);
        out.value = -f.dot(s.p[0]);
        if constexpr (Order >= 1) out.gradient.template head<3>() = -f;
        return out;
    }
    static Sample<GravityFrame> sample(Rng& rng, int) {
        Sample<GravityFrame> out{{draw_uniform(rng, 0.1, 10), real3(draw_vec(rng, -10, 10))}, {}};
        out.at.p[0] = draw_vec(rng, -1, 1);
        out.at.q[0] = exp_rotation(draw_vec(rng, -2, 2));
        return out;
    }
};

} // namespace sinew
