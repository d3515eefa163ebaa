// Cylindrical joint: slides along the axis and turns about it.  C = (y_a . e, z_a . e, y_a . x_b-axis, z_a . x_b-axis)
#pragma once
#include "constraint/joint.h"

namespace sinew {

struct JointCylindrical : JointEquality<JointCylindrical> {
    static constexpr std::string_view name = "joint_cylindrical";
    static constexpr std::string_view doc = "one body slides along an axis of the other and turns about it";
    static constexpr int rows = 4;
    template <int Order> static void fill(const JointPlace& at, LocalRows<rows, 12, Order>& out) {
        for (int k = 1; k < 3; ++k) {
            JointTerm t;
            slide_term(at, k, Order, t);
            set_row(t, k - 1, out);
        }
        for (int k = 1; k < 3; ++k) {
            JointTerm t;
            cross_term(at, k, 0, Order, t);
            set_row(t, 1 + k, out);
        }
    }
};

} // namespace sinew
