// Air drag of a rigid body: that of a particle at its centre of mass (drag.h). No torque: what spins goes on spinning.
#pragma once
#include "energy/drag.h"

namespace sinew {

struct DragFrame {
    static constexpr std::string_view name = "drag_frame";
    static constexpr std::string_view doc = "linear and quadratic drag of rigid bodies relative to still air or to a flow";
    static constexpr Share share = Share::field;
    static constexpr bool reads_fields = true;
    static constexpr int points = 0, frames = 1;
    static constexpr int sample_kinds = 2; // moving, nearly at rest
    using Params = DragParams;
    using Data = DragData;

    template <class V> static void fields(Params& p, V&& v) { drag_fields(p, v); }
    static Data prepare(const Params& p, const RestView&) { return {p.linear, p.quadratic, p.field}; }
    template <int Order> static LocalForce<6, Order> force(const Data& d, const StepContext& c, const Stencil<0, 1>& s) {
        LocalForce<6, Order> out;
        const LocalForce<3, Order> center = drag_force<Order>(d, c, s.p[0], s.frame_v[0]);
        out.force.template head<3>() = center.force;
        if constexpr (Order >= 1) {
            out.dfdx.template topLeftCorner<3, 3>() = center.dfdx;
            out.dfdv.template topLeftCorner<3, 3>() = center.dfdv;
        }
        return out;
    }
    static Sample<DragFrame> sample(Rng& rng, int which) {
        Sample<DragFrame> out{{draw_uniform(rng, 0, 2), draw_uniform(rng, 0, 2), -1}, {}};
        out.at.p[0] = draw_vec(rng, -1, 1);
        out.at.q[0] = exp_rotation(draw_vec(rng, -2, 2));
        out.at.frame_v[0] = (which ? 1e-2 : 1.0) * draw_vec(rng, -3, 3);
        return out;
    }
};

} // namespace sinew
