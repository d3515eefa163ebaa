// Spring, winch or friction on the distance of the joint's two places (joint_drive.h)
#pragma once
#include "constraint/joint_drive.h"

namespace sinew {

struct JointDriveLength : JointDrive<JointDriveLength> {
    static constexpr std::string_view name = "joint_drive_length";
    static constexpr std::string_view doc = "spring, winch or friction along the line between two places";
    static constexpr int rows = 1;
    static void term(const JointPlace& at, int, Real, int order, JointTerm& t) { length_term(at, order, t); }
};

} // namespace sinew
