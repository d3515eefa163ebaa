// Hinge (revolute): a shared point and a shared axis.  C = (x_b - x_a, y_a . x_b-axis, z_a . x_b-axis), one angle is left
#pragma once
#include "constraint/joint.h"

namespace sinew {

struct JointHinge : JointEquality<JointHinge> {
    static constexpr std::string_view name = "joint_hinge";
    static constexpr std::string_view doc = "two bodies share a point and an axis";
    static constexpr int rows = 5;
    template <int Order> static void fill(const JointPlace& at, LocalRows<rows, 12, Order>& out) {
        for (int k = 0; k < 3; ++k) {
            JointTerm t;
            place_term(at, k, Order, t);
            set_row(t, k, out);
        }
        for (int k = 1; k < 3; ++k) {
            JointTerm t;
            cross_term(at, k, 0, Order, t);
            set_row(t, 2 + k, out);
        }
    }
};

} // namespace sinew
