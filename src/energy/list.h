// All energies: add one line here, sorted. SpringStrain lives in spring_strain.h; CMake makes one small source file
// per line that turns the struct into a row of function pointers.
#pragma once
#include "model/element.h"

namespace sinew {

template <class... E> struct List {};

using Energies = List<
    struct Attach,
    struct AttachFrame,
    struct AttractorLine,
    struct AttractorLineFrame,
    struct AttractorPlane,
    struct AttractorPlaneFrame,
    struct AttractorPoint,
    struct AttractorPointFrame,
    struct ContactEdgeEdge,
    struct ContactFriction,
    struct ContactPenalty,
    struct ContactPenaltyFrame,
    struct ContactVertexEdge,
    struct Drag,
    struct DragFrame,
    struct Gravity,
    struct GravityFrame,
    struct HingeBridson,
    struct HingeBridsonAnimated,
    struct HingeTan,
    struct HingeTanAnimated,
    struct HingeTheta,
    struct HingeThetaAnimated,
    struct HingeWillmore,
    struct HingeWillmoreAnimated,
    struct PressureVolume,
    struct RodBendTwist,
    struct RodStretch,
    struct ShapeMatch,
    struct Spring,
    struct SpringStrain,
    struct SpringZero,
    struct TetAnisotropic,
    struct TetArap,
    struct TetCorotated,
    struct TetCorotatedPlastic,
    struct TetLinear,
    struct TetNeohookean,
    struct TetNeohookeanPlastic,
    struct TetOgden,
    struct TetStableNeohookean,
    struct TetStableNeohookeanPlastic,
    struct TetStrain,
    struct TetStvk,
    struct TetViscous,
    struct TriBaraffWitkin,
    struct TriFung,
    struct TriNeohookean,
    struct TriRubber,
    struct TriStvk,
    struct TriStvkAnimated,
    struct TriWind
>;

std::span<const ElementRow> energy_rows();             // in the order of the list
const ElementRow* find_energy(std::string_view name);  // null if there is none

} // namespace sinew
