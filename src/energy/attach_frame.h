// Soft pin of a point to a place of a rigid body.  e = x - p - r, r = q local,  E = 1/2 k |e|^2
//   J = de = [ I  -I  r* ],  grad E = k J^T e,
//   Hess E = k (J^T J + H),  H = -1/2 (e r^T + r e^T) + (e . r) I on the rotations (second derivative of r)
//   damping f = -c J^T J (v, w): only the relative velocity of the two places
#pragma once
#include "energy/spring_block.h"

namespace sinew {

struct AttachFrame {
    static constexpr std::string_view name = "attach_frame";
    static constexpr std::string_view doc = "soft pin of a point to a place of a rigid body";
    static constexpr Share share = Share::elastic;
    static constexpr int points = 1, frames = 1;
    static constexpr bool translation_invariant = true, rotation_invariant = true;
    struct Params {
        Real stiffness = 1000, damping = 0;
        Real3 local{};
    };
    struct Data {
        Real stiffness, damping;
        Real3 local;
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "stiffness"});
        v("damping", p.damping, Field{.min = 0, .unit = "N s/m", .doc = "damping of the relative velocity"});
        v("local", p.local, Field{.unit = "m", .doc = "place in the axes of the body"});
    }
    static Data prepare(const Params& p, const RestView&) { return {p.stiffness, p.damping, p.local}; }

    static MatN<3, 9> jacobian(const Vec3& r) {
        MatN<3, 9> j;
        j << Mat3::Identity(), -Mat3::Identity(), skew(r);
        return j;
    }
    template <int Order> static Local<9, Order> eval(const Data& d, const StepContext&, const Stencil<1, 1>& s) {
        Local<9, Order> out;
        const Vec3 r = s.q[0] * vec(d.local), e = s.x[0] - s.p[0] - r;
        out.value = 0.5 * d.stiffness * e.squaredNorm();
        if constexpr (Order >= 1) {
            const MatN<3, 9> j = jacobian(r);
            out.gradient = d.stiffness * j.transpose() * e;
            if constexpr (Order >= 2) {
                out.hessian = d.stiffness * j.transpose() * j;
                out.hessian.template bottomRightCorner<3, 3>() +=
                    d.stiffness * (e.dot(r) * Mat3::Identity() - 0.5 * (e * r.transpose() + r * e.transpose()));
            }
        }
        return out;
    }
    static constexpr int root_rows = 3;
    template <int Order> static LocalRows<3, 9, Order> root(const Data& d, const StepContext&, const Stencil<1, 1>& s) {
        LocalRows<3, 9, Order> out;
        const Vec3 r = s.q[0] * vec(d.local);
        const Real root = std::sqrt(d.stiffness);
        out.c = root * (s.x[0] - s.p[0] - r);
        if constexpr (Order >= 1) out.jacobian = root * jacobian(r);
        return out;
    }
    static Real root_damping(const Data& d) { return damper_time(d.damping, d.stiffness); }
    template <int Order> static LocalForce<9, Order> force(const Data& d, const StepContext&, const Stencil<1, 1>& s) {
        LocalForce<9, Order> out;
        const Vec3 r = s.q[0] * vec(d.local);
        const Vec3 w = s.v[0] - s.frame_v[0] - s.frame_w[0].cross(r); // rate of e
        const MatN<3, 9> j = jacobian(r);
        out.force = -d.damping * j.transpose() * w;
        if constexpr (Order >= 1) {
            out.dfdv = -d.damping * j.transpose() * j;
            // r turns with the body: dr = -r* dtheta, dw = -w_f x dr, d(r* ^T) w = w* dr
            const Mat3 dr = -skew(r), dw = -skew(s.frame_w[0]) * dr;
            out.dfdx.template rightCols<3>() = -d.damping * j.transpose() * dw;
            out.dfdx.template bottomRightCorner<3, 3>() -= d.damping * skew(w) * dr;
        }
        return out;
    }
    static Sample<AttachFrame> sample(Rng& rng, int) {
        Sample<AttachFrame> out{{draw_uniform(rng, 1, 1e3), draw_uniform(rng, 0, 10), real3(draw_vec(rng, -1, 1))}, {}};
        out.at.p[0] = draw_vec(rng, -1, 1);
        out.at.q[0] = exp_rotation(draw_vec(rng, -2, 2));
        out.at.x[0] = out.at.p[0] + out.at.q[0] * vec(out.data.local) + draw_vec(rng, -0.5, 0.5);
        return out;
    }
};

} // namespace sinew
