// Slider (prismatic): no way across the axis of a, no rotation.  C = (y_a . e, z_a . e, 2 sign(w) v), e = x_b - x_a
#pragma once
#include "constraint/joint.h"

namespace sinew {

struct JointSlider : JointEquality<JointSlider> {
    static constexpr std::string_view name = "joint_slider";
    static constexpr std::string_view doc = "one body slides along an axis of the other without turning";
    static constexpr int rows = 5;
    template <int Order> static void fill(const JointPlace& at, LocalRows<rows, 12, Order>& out) {
        for (int k = 1; k < 3; ++k) {
            JointTerm t;
            slide_term(at, k, Order, t);
            set_row(t, k - 1, out);
        }
        for (int k = 0; k < 3; ++k) {
            JointTerm t;
            turn_term(at, k, Order, t);
            set_row(t, 2 + k, out);
        }
    }
};

} // namespace sinew
