// Spring, motor or friction about the joint's axis (joint_drive.h)
#pragma once
#include "constraint/joint_drive.h"

namespace sinew {

struct JointDriveTwist : JointDrive<JointDriveTwist> {
    static constexpr std::string_view name = "joint_drive_twist";
    static constexpr std::string_view doc = "spring, motor or friction about the axis of a joint";
    static constexpr int rows = 1;
    static void term(const JointPlace& at, int, Real center, int order, JointTerm& t) { twist_term(at, center, order, t); }
};

} // namespace sinew
