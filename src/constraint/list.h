// All constraints: add one line here, sorted. Distance lives in distance.h; CMake makes one small source file per line.
#pragma once
#include "model/element.h"

namespace sinew {

template <class... C> struct ConstraintList {};

using Constraints = ConstraintList<
    struct AttachPlace,
    struct AttachPoint,
    struct Dihedral,
    struct Distance,
    struct JointBall,
    struct JointCylindrical,
    struct JointDistance,
    struct JointDriveCardan,
    struct JointDriveLength,
    struct JointDriveSlide,
    struct JointDriveTurn,
    struct JointDriveTwist,
    struct JointHinge,
    struct JointLimitCardan,
    struct JointLimitLength,
    struct JointLimitSlide,
    struct JointLimitSwing,
    struct JointLimitTwist,
    struct JointLine,
    struct JointPlanar,
    struct JointSlider,
    struct JointUniversal,
    struct JointWeld,
    struct Pin,
    struct StrainLimit,
    struct TetHooke,
    struct TriStrain,
    struct TriStrainLimit
>;

std::span<const ElementRow> constraint_rows();
const ElementRow* find_constraint(std::string_view name); // null if there is none

} // namespace sinew
