// Rope and strut: limits of the distance of the joint's two places (joint_limit.h)
#pragma once
#include "constraint/joint_limit.h"

namespace sinew {

struct JointLimitLength : JointLimit<JointLimitLength> {
    static constexpr std::string_view name = "joint_limit_length";
    static constexpr std::string_view doc = "limits the distance of two places: ropes and struts";
    static constexpr std::string_view unit = "m";
    static void term(const JointPlace& at, int, Real, int order, JointTerm& t) { length_term(at, order, t); }
};

} // namespace sinew
