// Planar joint: moves in the plane across the joint's axis and turns about it.  C = (x_a . e, y_a . x_b-axis, z_a . x_b-axis)
#pragma once
#include "constraint/joint.h"

namespace sinew {

struct JointPlanar : JointEquality<JointPlanar> {
    static constexpr std::string_view name = "joint_planar";
    static constexpr std::string_view doc = "one body moves in a plane of the other and turns about its normal";
    static constexpr int rows = 3;
    template <int Order> static void fill(const JointPlace& at, LocalRows<rows, 12, Order>& out) {
        JointTerm slide;
        slide_term(at, 0, Order, slide);
        set_row(slide, 0, out);
        for (int k = 1; k < 3; ++k) {
            JointTerm t;
            cross_term(at, k, 0, Order, t);
            set_row(t, k, out);
        }
    }
};

} // namespace sinew
