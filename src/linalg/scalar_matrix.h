// One triangle of a block matrix as plain compressed columns (CSC) in a given order of the free blocks: what
// factorisations take. Structure and the map from block slots to places are made once; values are then copied
// through the map, in parallel, without triplets, sorting or allocation.
#pragma once
#include "linalg/filter.h"

namespace sinew {

enum class Triangle { lower, upper };

struct ScalarMatrix {
    Triangle triangle = Triangle::lower;
    std::vector<int> column_begin{0}, row; // CSC, rows ascending
    std::vector<Real> values;
    std::vector<int> first; // block: its first scalar in the new order, -1 if fixed
    std::vector<int> place; // 3 per slot: where each column of the slot's target block starts, -1 = skip
    std::vector<unsigned char>
        flipped; // slot: its block is stored transposed, the order having swapped its sides
};
inline int free_count(const ScalarMatrix& m) { return int(m.column_begin.size()) - 1; }

// Upper triangle of the graph of free blocks, CSC with diagonal, numbered as in free_blocks: what orderings
// take.
struct BlockGraph {
    std::vector<int> free_blocks; // ascending
    std::vector<int> column_begin{0}, row;
};
BlockGraph make_block_graph(const BlockPattern&, FixedMask fixed);

// order: the free blocks in their new order
void build_scalar_matrix(const BlockPattern&, std::span<const int> order, Triangle, ScalarMatrix& out);
// Copies the values; the lower triangle of each diagonal block counts. False: an entry is not finite.
bool copy_values(const Parallel&, const BlockSparse& A, ScalarMatrix& out);
// between the layout of all blocks and the order of the matrix; fixed blocks become zero
void to_order(const ScalarMatrix&, const BlockLayout&, std::span<const Real> x, std::span<Real> out);
void from_order(const ScalarMatrix&, const BlockLayout&, std::span<const Real> x, std::span<Real> out);
// |b - A x| / |b| (absolute if b = 0); r is scratch of free_count
Real relative_residual(const ScalarMatrix& A, std::span<const Real> x, std::span<const Real> b,
                       std::span<Real> r);

} // namespace sinew
