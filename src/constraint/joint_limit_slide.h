// Limits of the way along one of the joint's axes on a (joint_limit.h)
#pragma once
#include "constraint/joint_limit.h"

namespace sinew {

struct JointLimitSlide : JointLimit<JointLimitSlide> {
    static constexpr std::string_view name = "joint_limit_slide";
    static constexpr std::string_view doc = "limits the way along the axis of a joint";
    static constexpr std::string_view unit = "m";
    static void term(const JointPlace& at, int axis, Real, int order, JointTerm& t) { slide_term(at, axis, order, t); }
};

} // namespace sinew
