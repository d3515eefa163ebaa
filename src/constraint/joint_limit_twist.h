// Limits of the angle about the joint's axis (joint_limit.h)
#pragma once
#include "constraint/joint_limit.h"

namespace sinew {

struct JointLimitTwist : JointLimit<JointLimitTwist> {
    static constexpr std::string_view name = "joint_limit_twist";
    static constexpr std::string_view doc = "limits the angle about the axis of a joint";
    static constexpr std::string_view unit = "rad";
    static void term(const JointPlace& at, int, Real center, int order, JointTerm& t) { twist_term(at, center, order, t); }
};

} // namespace sinew
