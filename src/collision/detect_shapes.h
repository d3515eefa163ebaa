// Contacts of rigid bodies by their shapes: boxes of posed shapes and parts of compounds in a broad phase,
// then the contact of each pair (collision/shape_pair.h: any kind with any other). Two points per contact,
// fixed in the two frames; normal from b to a; sorted by object, object, feature.
#pragma once
#include "collision/broad_phase.h"
#include "collision/shape_pair.h"
#include "model/contacts.h"
#include "sinew/state.h"

namespace sinew {

struct ShapeLeaf { // a shape that is no compound, placed in the world
    int collider;
    int part; // which of the object's shapes << 16 | which part of a compound
    Shape shape;
    Placement place;
};
struct ShapeChunk { // of pairs
    ShapePairScratch pair;
    std::vector<ShapePoint> points; // of one pair
    std::vector<PointContact> found;
};
struct ShapeScratch {
    ShapeCache cache;
    RuleTable rules;
    std::vector<ShapeLeaf> leaves;
    std::vector<Aabb> boxes;
    BroadPhase broad_phase = BroadPhase::dynamic_tree; // the caller's choice; the contacts are the same
    BroadPhaseScratch broad;
    std::vector<Pair> pairs;
    std::vector<ShapeChunk> chunks;
    std::vector<PointContact> found;
};

// Replaces the part `shapes` of point_point by points with gap < margin [m]. Bodies that cannot move do not
// meet each other, a body does not meet itself, rules and groups hold; two unbounded shapes and shapes whose
// data is not valid touch nothing. False, and no contacts, if a pose is not a number.
bool detect_shapes(const Parallel&, const Model&, const FrameState&, Real margin, ShapeScratch&, Contacts&);

} // namespace sinew
