// Pairs of indices found by a broad phase, collected in pieces and put into one sorted list. Threads write to
// pieces cut by the data, never by the workers; the sorted list of distinct pairs is the same whatever their
// order.
#pragma once
#include "collision/box_block.h"
#include "core/parallel.h"
#include <array>
#include <cstddef>
#include <vector>

namespace sinew {

using Pair = std::array<int, 2>;

// Pairs of one piece of work. `pair` is longer than `count`, so that adding needs no call; it only grows.
struct PairBuffer {
    std::vector<Pair> pair;
    std::size_t count = 0;
};
// room for `more` pairs
inline void reserve_pairs(PairBuffer& b, std::size_t more) {
    if (b.count + more > b.pair.size()) b.pair.resize(2 * b.pair.size() + more);
}
inline void add_pair(PairBuffer& b, int i, int j) {
    reserve_pairs(b, 1);
    b.pair[b.count++] = {i, j};
}

// Takes pairs out of a piece before they are sorted: keeps `count` of pair[0..count) in their order, returns
// how many. Called from several threads at once.
struct PairFilter {
    std::size_t (*keep)(const void* data, Pair* pair, std::size_t count) = nullptr;
    const void* data = nullptr;
};

// Memory of a broad phase, kept by the caller: nothing is allocated once it has grown.
struct PairScratch {
    std::vector<PairBuffer> pieces;
    int piece_count = 0;                         // pieces in use
    std::vector<std::array<int, 2>> tasks, next; // node pairs still to be opened
    std::vector<std::size_t> row;                // per group of pieces and first index, where its pairs go
    std::vector<BoxBlock> moved;                 // a tree's blocks for the origin of the other
    std::vector<Real> partial;
};

// Empties and offers `count` pieces.
void start_pieces(PairScratch&, int count);

// All pieces as one list sorted by (i, j). First indices lie in [0, row_count); no pair may occur twice.
void join_pieces(const Parallel&, int row_count, const PairFilter&, PairScratch&, std::vector<Pair>& out);

} // namespace sinew
