// Limits of one of the two angles of a universal joint (joint_limit.h)
#pragma once
#include "constraint/joint_limit.h"

namespace sinew {

struct JointLimitCardan : JointLimit<JointLimitCardan> {
    static constexpr std::string_view name = "joint_limit_cardan";
    static constexpr std::string_view doc = "limits an angle of a universal joint";
    static constexpr std::string_view unit = "rad";
    static void term(const JointPlace& at, int which, Real center, int order, JointTerm& t) {
        cardan_term(at, which, center, order, t);
    }
};

} // namespace sinew
