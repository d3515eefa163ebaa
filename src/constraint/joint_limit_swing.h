// Cone that the joint's axis on b keeps to (joint_limit.h)
#pragma once
#include "constraint/joint_limit.h"

namespace sinew {

struct JointLimitSwing : JointLimit<JointLimitSwing> {
    static constexpr std::string_view name = "joint_limit_swing";
    static constexpr std::string_view doc = "limits the angle between the axes of a joint";
    static constexpr std::string_view unit = "rad";
    static void term(const JointPlace& at, int, Real, int order, JointTerm& t) { swing_term(at, order, t); }
};

} // namespace sinew
