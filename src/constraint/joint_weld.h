// Weld (fixed joint): C = (x_b - x_a, 2 sign(w) v), place and rotation
#pragma once
#include "constraint/joint.h"

namespace sinew {

struct JointWeld : JointEquality<JointWeld> {
    static constexpr std::string_view name = "joint_weld";
    static constexpr std::string_view doc = "two bodies move as one";
    static constexpr int rows = 6;
    template <int Order> static void fill(const JointPlace& at, LocalRows<rows, 12, Order>& out) {
        for (int k = 0; k < 3; ++k) {
            JointTerm t;
            place_term(at, k, Order, t);
            set_row(t, k, out);
        }
        for (int k = 0; k < 3; ++k) {
            JointTerm t;
            turn_term(at, k, Order, t);
            set_row(t, 3 + k, out);
        }
    }
};

} // namespace sinew
