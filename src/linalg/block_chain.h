// Factorisation A = L D L^T of a symmetric positive definite matrix of small square blocks, all of one width, with a pattern
// that is found once and used for many values. Numbered from the leaves of a tree to its root nothing fills in, and chains and
// trees take time in proportion to their length; other graphs fill in as they must.
#pragma once
#include "core/math.h"
#include <span>
#include <vector>

namespace sinew {

struct BlockChain {
    int width = 3;                 // rows of a block: 3 or 6
    std::vector<int> begin{0};     // CSR: per block row the later ones it is coupled with, ascending, fill included
    std::vector<int> later;
    std::vector<int> target;       // per row and per pair of its later ones: the block that elimination changes
    std::vector<Real> value;       // diagonal blocks, then one block (k, l) per entry of `later`; row major
    int count() const { return int(begin.size()) - 1; }
    Real* block(int i) { return value.data() + std::size_t(i) * width * width; }
};

// Pattern of `count` block rows from pairs (k, l), k < l, in any order, also several times. All values zero.
void build_block_chain(int width, int count, std::span<const std::array<int, 2>> pairs, BlockChain&);
// Number of block (k, l), k <= l, which must be there.
int find_block(const BlockChain&, int k, int l);
// Values to factors in place; false if a pivot is not positive.
bool factor_block_chain(BlockChain&);
void solve_block_chain(const BlockChain& factor, std::span<Real> x); // x: right-hand side, then solution

} // namespace sinew
