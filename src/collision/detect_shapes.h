// Contacts of rigid bodies by their shapes: boxes of posed shapes and parts of compounds in a broad phase,
// then the contact of each pair (convex shapes: collision/manifold.h; any kind with any other: collision/shape_pair.h).
// Two points per contact, fixed in the two frames; normal from b to a; sorted by object, object, feature.
#pragma once
#include "collision/broad_phase.h"
#include "collision/shape_pair.h"
#include "model/contacts.h"
#include "sinew/state.h"

namespace sinew {

// How far a pair is looked for: gaps below  margin + ahead (|v_a - v_b| + |w_a| r_a + |w_b| r_b),  r the distance of
// the shape's core from the centre of its body, for pairs that come within the margin of each other if all go on
// with their velocities for the time `ahead`. Fast bodies make work for themselves, not for all others.
struct Reach {
    Real margin = 0; // [m]
    Real ahead = 0;  // [s]
    Reach(Real m, Real a = 0) : margin(m), ahead(a) {}
};

struct ShapeLeaf { // a shape that is no compound, placed in the world
    int collider;
    int part; // which of the object's shapes << 16 | which part of a compound
    int frame, object;
    Shape shape;
    Placement place;
    std::optional<Convex> convex; // where it is one
    Real spin = 0;                // [m] way of its furthest point by rotation within the time ahead
};
struct LeafTag { // what decides whether two leaves may meet
    int frame, object;
    bool held, alive;
};
struct ShapeGroup { // the contacts of one pair of shapes
    int a, b;       // leaves
    int count;      // points
    std::uint64_t key;
    Real own;       // [m] rounding of both
    PairRule rule;
};
struct ShapeChunk { // of pairs
    ShapePairScratch pair;
    std::vector<ShapePoint> points, found;
    std::vector<ShapeGroup> groups;
    bool sorted = true; // by key
    std::size_t begin = 0; // of its contacts among all
};
struct ShapeScratch {
    ShapeCache cache;
    RuleTable rules;
    std::vector<Placement> body;  // per collider, of its frame
    std::vector<int> leaf_begin;  // per collider, and the end
    std::vector<int> ordinal;     // per collider: which of its object's
    std::vector<ShapeLeaf> leaves;
    std::vector<LeafTag> tags;
    std::vector<Aabb> boxes;
    BroadPhase broad_phase = BroadPhase::kept_pairs; // the caller's choice; the contacts are the same
    BroadPhaseScratch broad;
    std::vector<Pair> pairs;
    std::vector<ShapeChunk> chunks;
    std::vector<PointContact> found; // only where the pairs do not come in order
    std::vector<int> order;
};

// Replaces the part `shapes` of point_point by points with a gap below the reach. Bodies that cannot move do not
// meet each other, a body does not meet itself, rules and groups hold; two unbounded shapes and shapes whose
// data is not valid touch nothing. False, and no contacts, if a pose is not a number.
bool detect_shapes(const Parallel&, const Model&, const FrameState&, const Reach&, ShapeScratch&, Contacts&);

// Leaves and their boxes, half the margin on each side and grown by the way ahead; those whose pose is not a number
// have boxes of NaN.
void build_leaves(const Parallel&, const Model&, const FrameState&, const Reach&, ShapeScratch&);

} // namespace sinew
