// The broad phases: all overlapping pairs i < j of n boxes, sorted. All give the same list, exactly; which is
// fastest depends on the scene.
//
//   tree               the tree of aabb_tree.h: the default, good everywhere
//   dynamic_tree       the tree of dynamic_tree.h, kept from call to call: boxes that left their margin are put in
//                      anew, new ones added, the rest untouched
//   kept_pairs         the pairs themselves kept from call to call (kept_pairs.h): for boxes most of which rest
//   sweep              sort along the axis of largest variance and sweep (Cohen et al. 1995, one axis); the
//   order is
//                      kept from call to call and mended by insertion, which costs little when boxes move
//                      little
//   grid               hash of cubic cells as large as the usual box; each pair is reported by one cell only
//   hierarchical_grid  one grid per power of two of box size (Mirtich 1996): for boxes of very different
//   sizes brute_force        every pair: the judge of the others
//
// Boxes too large for a grid (more than 512 cells) and those beyond its integers are tested against all
// others. Empty boxes meet nothing, NaN is refused.
#pragma once
#include "collision/dynamic_tree.h"
#include "collision/kept_pairs.h"
#include <optional>
#include <string_view>

namespace sinew {

enum class BroadPhase { tree, dynamic_tree, kept_pairs, sweep, grid, hierarchical_grid, brute_force };
inline constexpr std::string_view kBroadPhaseNames[] = {"tree", "dynamic_tree", "kept_pairs", "sweep", "grid",
                                                        "hierarchical_grid", "brute_force"};
std::string_view name_of(BroadPhase);
std::optional<BroadPhase> broad_phase_of(std::string_view name);

struct GridEntry {
    std::uint64_t key; // of the cell
    int id;            // of a box that lives in cells of this size, ~id of a smaller one that is a guest
};
struct BroadPhaseScratch {
    // tree
    AabbTree tree;
    TreeScratch tree_scratch;
    DynamicTree dynamic;
    KeptPairs kept;
    // sweep
    std::vector<int> order; // of the last call, by lo along the axis
    int axis = -1;
    std::vector<Aabb> sorted;
    // grids
    std::vector<GridEntry> entries, spare;
    std::vector<int> level; // per box the exponent of its cells, kNoLevel = tested against all
    std::vector<int> large, levels;
    PairScratch pairs;
};

// False, and no pairs, if a number is NaN.
bool find_pairs(const Parallel&, BroadPhase, std::span<const Aabb>, const PairFilter&, BroadPhaseScratch&,
                std::vector<Pair>& out);

// The parts, for boxes without NaN; each adds to the pieces of scratch.pairs.
void sweep_pairs(const Parallel&, std::span<const Aabb>, BroadPhaseScratch&);
void grid_pairs(const Parallel&, std::span<const Aabb>, bool hierarchical, BroadPhaseScratch&);

} // namespace sinew
