// Wind on a triangle by its normal: drag along the flow and lift across it, both by the area that faces the flow.
//   w = u(x_c, t) - v_c      flow past the centre: wind field (with its turbulence) minus the mean velocity of the corners
//   q = n . w,  A area:      F = rho A/2 [ C_D |q| w + C_L q (|w| n - q w/|w|) ],  a third to each corner
//   rho density of the air [kg/m^3], C_D, C_L dimensionless. The lift is across w; turning the normal over changes nothing.
// Exact derivatives by the area vector a = A n, da/dx_i = 1/2 [e_i]x with e_i the edge opposite corner i. Where the flow
// runs along the triangle (q = 0) the drag has a kink; the force is continuous.
#pragma once
#include "energy/energy.h"
#include "geometry/triangle_metric.h"
#include "model/field.h"

namespace sinew {

struct TriWind {
    static constexpr std::string_view name = "tri_wind";
    static constexpr std::string_view doc = "drag and lift of triangles by their normal, in still air or in a wind field";
    static constexpr Share share = Share::field;
    static constexpr bool reads_fields = true;
    static constexpr int points = 3;
    struct Params {
        Real drag = 1;
        Real lift = 0;
        Real density = 1.2;
        int field = -1; // index in the FieldSet or kAllWinds, set by the scene compiler; -1 = still air
    };
    struct Data {
        Real drag, lift; // [kg/m^3] times rho/2
        std::int64_t field;
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("drag", p.drag, Field{.min = 0, .doc = "coefficient of the force along the flow"});
        v("lift", p.lift, Field{.min = 0, .doc = "coefficient of the force across the flow"});
        v("density", p.density, Field{.min = 0, .unit = "kg/m^3", .doc = "of the air"});
    }
    static Data prepare(const Params& p, const RestView&) {
        return {0.5 * p.density * p.drag, 0.5 * p.density * p.lift, p.field};
    }
    template <int Order> static LocalForce<9, Order> force(const Data& d, const StepContext& c, const Stencil<3>& s) {
        LocalForce<9, Order> out;
        Mat3 du = Mat3::Zero();
        Vec3 w = -(s.v[0] + s.v[1] + s.v[2]) / 3;
        if (d.field != -1) w += flow_at(c.fields, d.field, (s.x[0] + s.x[1] + s.x[2]) / 3, c.t, Order >= 1 ? &du : nullptr, c.gauges);
        const std::array<Vec3, 3> e = triangle_edges(s.x[0], s.x[1], s.x[2]);
        const Vec3 a = 0.5 * e[0].cross(e[1]);
        const Real area = a.norm(), speed = w.norm();
        if (!(area > 0) || !(speed > 0)) return out;
        const Vec3 n = a / area, along = w / speed;
        const Real p = a.dot(w), q = p / area, sign = p < 0 ? -1 : 1;
        const Vec3 across = speed * n - q * along;
        const Vec3 f = d.drag * std::abs(p) * w + d.lift * p * across;
        out.force << f / 3, f / 3, f / 3;
        if constexpr (Order >= 1) {
            const Mat3 one = Mat3::Identity(), flat = (one - n * n.transpose()) / area;
            const Mat3 dw = d.drag * (std::abs(p) * one + sign * w * a.transpose()) +
                            d.lift * (across * a.transpose() + p * (n * along.transpose() - along * n.transpose() -
                                                                    q / speed * (one - along * along.transpose())));
            const Mat3 da = d.drag * sign * w * w.transpose() +
                            d.lift * (across * w.transpose() + p * (speed * one - along * w.transpose()) * flat);
            for (int j = 0; j < 3; ++j) {
                const Mat3 dx = (0.5 * da * skew(e[j]) + dw * du / 3) / 3;
                for (int i = 0; i < 3; ++i) {
                    out.dfdx.template block<3, 3>(3 * i, 3 * j) = dx;
                    out.dfdv.template block<3, 3>(3 * i, 3 * j) = -dw / 9;
                }
            }
        }
        return out;
    }
    static Sample<TriWind> sample(Rng& rng, int) {
        Sample<TriWind> out{{draw_uniform(rng, 0, 2), draw_uniform(rng, 0, 2), -1}, {}};
        out.at.x = {draw_vec(rng, -0.2, 0.2), Vec3(1, 0, 0) + draw_vec(rng, -0.2, 0.2), Vec3(0, 0, 1) + draw_vec(rng, -0.2, 0.2)};
        return out;
    }
};

} // namespace sinew
