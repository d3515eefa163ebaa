// Spring or friction against all rotation; the limit holds for each of the three components (joint_drive.h)
#pragma once
#include "constraint/joint_drive.h"

namespace sinew {

struct JointDriveTurn : JointDrive<JointDriveTurn> {
    static constexpr std::string_view name = "joint_drive_turn";
    static constexpr std::string_view doc = "spring or friction against any rotation of one body in the other";
    static constexpr int rows = 3;
    static void term(const JointPlace& at, int k, Real, int order, JointTerm& t) { turn_term(at, k, order, t); }
};

} // namespace sinew
