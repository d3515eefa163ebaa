// Universal joint (Cardan, Hooke): a shared point; the x axis on a stays perpendicular to the y axis on b
#pragma once
#include "constraint/joint.h"

namespace sinew {

struct JointUniversal : JointEquality<JointUniversal> {
    static constexpr std::string_view name = "joint_universal";
    static constexpr std::string_view doc = "two bodies share a point; an axis of one stays perpendicular to an axis of the other";
    static constexpr int rows = 4;
    template <int Order> static void fill(const JointPlace& at, LocalRows<rows, 12, Order>& out) {
        for (int k = 0; k < 3; ++k) {
            JointTerm t;
            place_term(at, k, Order, t);
            set_row(t, k, out);
        }
        JointTerm t;
        cross_term(at, 0, 1, Order, t);
        set_row(t, 3, out);
    }
};

} // namespace sinew
