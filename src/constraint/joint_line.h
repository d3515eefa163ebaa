// Point on a line: the place on b stays on the joint's axis on a, rotations are free.  C = (y_a . e, z_a . e)
#pragma once
#include "constraint/joint.h"

namespace sinew {

struct JointLine : JointEquality<JointLine> {
    static constexpr std::string_view name = "joint_line";
    static constexpr std::string_view doc = "a point of one body stays on a line of the other";
    static constexpr int rows = 2;
    template <int Order> static void fill(const JointPlace& at, LocalRows<rows, 12, Order>& out) {
        for (int k = 1; k < 3; ++k) {
            JointTerm t;
            slide_term(at, k, Order, t);
            set_row(t, k - 1, out);
        }
    }
};

} // namespace sinew
