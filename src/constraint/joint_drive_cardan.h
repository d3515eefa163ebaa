// Spring, motor or friction about one of the two axes of a universal joint (joint_drive.h)
#pragma once
#include "constraint/joint_drive.h"

namespace sinew {

struct JointDriveCardan : JointDrive<JointDriveCardan> {
    static constexpr std::string_view name = "joint_drive_cardan";
    static constexpr std::string_view doc = "spring, motor or friction about an axis of a universal joint";
    static constexpr int rows = 1;
    static void term(const JointPlace& at, int which, Real center, int order, JointTerm& t) {
        cardan_term(at, which, center, order, t);
    }
};

} // namespace sinew
