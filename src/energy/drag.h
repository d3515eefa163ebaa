// Air drag of a point in still air or in a velocity field (spec P7); drag_frame.h is that of a rigid body.
//   w = v - u(x, t),   f = -c_1 w - c_2 |w| w
//   c_1 linear coefficient [N s/m], c_2 quadratic coefficient [N s^2/m^2], u the field, the sum of all winds, or 0
//   df/dv = -c_1 I - c_2 (|w| I + w w^T/|w|),   df/dx = -df/dv du/dx
#pragma once
#include "energy/energy.h"
#include "model/field.h"

namespace sinew {

struct DragParams {
    Real linear = 0.1;
    Real quadratic = 0;
    int field = -1; // index in the FieldSet or kAllWinds, set by the scene compiler; -1 = still air
};
struct DragData {
    Real linear, quadratic;
    std::int64_t field;
};

template <class V> void drag_fields(DragParams& p, V&& v) {
    v("linear", p.linear, Field{.min = 0, .unit = "N s/m", .doc = "force per speed"});
    v("quadratic", p.quadratic, Field{.min = 0, .unit = "N s^2/m^2", .doc = "force per squared speed"});
}

template <int Order> LocalForce<3, Order> drag_force(const DragData& d, const StepContext& c, const Vec3& x, const Vec3& v) {
    LocalForce<3, Order> out;
    Mat3 du = Mat3::Zero();
    Vec3 w = v;
    if (d.field != -1) w -= flow_at(c.fields, d.field, x, c.t, Order >= 1 ? &du : nullptr, c.gauges);
    const Real speed = w.norm();
    out.force = -(d.linear + d.quadratic * speed) * w;
    if constexpr (Order >= 1) {
        out.dfdv = -(d.linear + d.quadratic * speed) * Mat3::Identity();
        if (speed > 0) out.dfdv -= d.quadratic / speed * w * w.transpose();
        out.dfdx = -out.dfdv * du;
    }
    return out;
}

struct Drag {
    static constexpr std::string_view name = "drag";
    static constexpr std::string_view doc = "linear and quadratic drag relative to still air or to a flow";
    static constexpr Share share = Share::field;
    static constexpr bool reads_fields = true;
    static constexpr int points = 1;
    static constexpr int sample_kinds = 2; // moving, nearly at rest
    using Params = DragParams;
    using Data = DragData;

    template <class V> static void fields(Params& p, V&& v) { drag_fields(p, v); }
    static Data prepare(const Params& p, const RestView&) { return {p.linear, p.quadratic, p.field}; }
    template <int Order> static LocalForce<3, Order> force(const Data& d, const StepContext& c, const Stencil<1>& s) {
        return drag_force<Order>(d, c, s.x[0], s.v[0]);
    }
    static Sample<Drag> sample(Rng& rng, int which) {
        Sample<Drag> out{{draw_uniform(rng, 0, 2), draw_uniform(rng, 0, 2), -1}, {}};
        out.at.x[0] = draw_vec(rng, -1, 1);
        out.at.v[0] = (which ? 1e-2 : 1.0) * draw_vec(rng, -3, 3);
        return out;
    }
};

} // namespace sinew
