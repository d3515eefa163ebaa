// Ball joint (spherical): two bodies share a point and turn freely about it.  C = x_b - x_a  (rows: joint.h)
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
};

} // namespace sinew
