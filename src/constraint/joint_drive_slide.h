// Spring, motor or friction along one of the joint's axes on a (joint_drive.h)
#pragma once
#include "constraint/joint_drive.h"

namespace sinew {

struct JointDriveSlide : JointDrive<JointDriveSlide> {
    static constexpr std::string_view name = "joint_drive_slide";
    static constexpr std::string_view doc = "spring, motor or friction along the axis of a joint";
    static constexpr int rows = 1;
    static void term(const JointPlace& at, int axis, Real, int order, JointTerm& t) { slide_term(at, axis, order, t); }
};

} // namespace sinew
