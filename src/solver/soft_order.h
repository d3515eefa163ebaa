// In which order the blocks of a small symmetric matrix are eliminated, and what that fills in, for the packed joints of the soft step
// (soft_tree.h, soft_rig.h). Least degree first: from the leaves of a tree nothing fills in.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace sinew {

inline constexpr int kSoftOrderBlocks = 64; // most

struct SoftOrder {
    std::vector<int> order;      // blocks as they are eliminated
    std::vector<int> begin, row; // blocks of column k of the factor below its diagonal: begin[k] .. begin[k + 1], with the rows row[e]
    // for each column, for its blocks e and for f from its first one to e, where the product of the two goes: on the diagonal (e = f) of
    // which row, otherwise their number plus that of the block
    std::vector<int> update;
    int find(int row, int column) const; // block, -1 = none
};
// near: of each, those it is coupled to, as bits
SoftOrder build_soft_order(std::span<const std::uint64_t> near);

} // namespace sinew
