// Contacts of rigid bodies by their shapes: boxes of posed shapes in a tree, then the manifold of each pair. Two points
// per contact, fixed in the two frames; normal from b to a; sorted by object, object, feature.
#pragma once
#include "collision/aabb_tree.h"
#include "geometry/convex.h"
#include "model/contacts.h"
#include "sinew/state.h"

namespace sinew {

struct ShapeScratch {
    RuleTable rules;
    std::vector<Placement> place; // per collider
    std::vector<Aabb> boxes;
    AabbTree tree;
    TreeScratch tree_scratch;
    PairScratch pair_scratch;
    std::vector<Pair> pairs;
    std::vector<std::vector<PointContact>> chunks;
    std::vector<PointContact> found;
    std::vector<int> chunk_skipped;
    int skipped = 0; // pairs left out: a mesh, solid or height field (mesh_convex.h is not called from here yet)
};

// Replaces the part `shapes` of point_point by points with gap < margin [m]. Bodies that cannot move do not meet each
// other, a body does not meet itself, rules and groups hold. False, and no contacts, if a pose is not a number.
bool detect_shapes(const Parallel&, const Model&, const FrameState&, Real margin, ShapeScratch&, Contacts&);

} // namespace sinew
