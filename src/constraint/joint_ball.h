// Ball joint (spherical): two bodies share a point and turn freely about it.  C = x_b - x_a  (rows: joint.h)
// Chains of thousands are evaluated several times per step: value and gradient without the joint's axes.
#pragma once
#include "constraint/joint.h"

namespace sinew {

struct JointBall : JointEquality<JointBall> {
    static constexpr std::string_view name = "joint_ball";
    static constexpr std::string_view doc = "two bodies share a point";
    static constexpr int rows = 3;
    template <int Order> static void fill(const JointPlace& at, LocalRows<rows, 12, Order>& out) {
        for (int k = 0; k < 3; ++k) {
            JointTerm t;
            place_term(at, k, Order, t);
            set_row(t, k, out);
        }
    }
    template <int Order> static auto eval(const Data& d, const StepContext& c, const Stencil<0, 2>& s) {
        if constexpr (Order >= 2) return JointEquality<JointBall>::eval<Order>(d, c, s);
        else {
            LocalRows<rows, 12, Order> out;
            const Vec3 ra = s.q[0] * vec(d.anchor.local[0]), rb = s.q[1] * vec(d.anchor.local[1]);
            out.c = (s.p[1] + rb) - (s.p[0] + ra);
            if constexpr (Order >= 1) {
                out.jacobian.template block<3, 3>(0, 0) = -Mat3::Identity();
                out.jacobian.template block<3, 3>(0, 3) = skew(ra);
                out.jacobian.template block<3, 3>(0, 6) = Mat3::Identity();
                out.jacobian.template block<3, 3>(0, 9) = -skew(rb);
            }
            return out;
        }
    }
};

} // namespace sinew
