// Symmetric block-sparse matrix over the tangent layout, and its assembly from dense element matrices.
//
// Layout: 3 scalars per point, 6 per frame (two blocks of 3: translation, rotation), 1 per scalar unknown. A
// block row is a group of 1 or 3 scalars.
//
// Storage: lower triangle only, blocks in CSR order (row >= column, columns ascending, the diagonal block
// last in its row and always present), each block dense and column-major, all in one array. One triangle
// because assembly and the copy into a factorisation move half the bytes; a multiplication by both triangles
// would read the same 72 bytes per block and entry from either storage, and finds the upper part through the
// `mirror` lists. Diagonal blocks are stored in full.
//
// Assembly: a plan lists for every block slot the places in the element array that are added to it, in the
// order of the elements. Numeric assembly walks the slots in parallel and only reads and adds: no triplets,
// no sorting, no allocation, and the same bits for any number of threads; it equals the sum of triplets in
// element order.
#pragma once
#include "core/parallel.h"
#include <cstdint>
#include <span>
#include <vector>

namespace sinew {

struct BlockLayout {
    std::vector<int> begin{0}; // block_count + 1: first scalar of each block; the last entry is scalar_count
};
inline int block_count(const BlockLayout& l) { return int(l.begin.size()) - 1; }
inline int scalar_count(const BlockLayout& l) { return l.begin.back(); }
inline int block_size(const BlockLayout& l, int block) { return l.begin[block + 1] - l.begin[block]; }
BlockLayout make_block_layout(int point_count, int frame_count, int scalar_count); // in this order
BlockLayout make_block_layout(std::span<const int> sizes);                         // each 1 or 3

// Block ids of absent members of a stencil (a half-hinge at a boundary): their rows of the dense element
// matrix exist and are skipped.
inline constexpr int kAbsentBlock = -1;  // an absent block of size 3; an absent frame is two of them
inline constexpr int kAbsentScalar = -2; // an absent block of size 1

// One element: its blocks and where its dense matrix (size x size, column-major) starts in the element array.
// A block may occur twice in a stencil.
// A pair of points that interact through their difference has the matrix [K -K; -K K]: with `pair` only the
// 3 x 3 block K is stored, a quarter of the bytes.
struct ElementBlocks {
    std::span<const int> blocks;
    int first_value = 0; // in the element array
    int size = 0;        // scalars of the element = sum of the sizes of its blocks, at most 65535
    bool pair = false;   // two blocks of size 3, one of them may be absent; K symmetric
};
inline int stored_values(const ElementBlocks& e) { return e.pair ? 9 : e.size * e.size; }

struct BlockPattern {
    BlockLayout layout;
    bool all_three = true;                         // every block has size 3
    std::vector<int> row_begin{0};                 // block_count + 1: first slot of each block row
    std::vector<int> row, column;                  // slots: block row and block column, column <= row
    std::vector<int> value_begin{0};               // slots + 1: first value of each slot
    std::vector<int> mirror_begin{0}, mirror_slot; // block row i: slots (j, i) with j > i, j ascending
};
inline int slot_count(const BlockPattern& p) { return int(p.column.size()); }
inline int diagonal_slot(const BlockPattern& p, int block) { return p.row_begin[block + 1] - 1; }
int find_slot(const BlockPattern&, int row, int column); // row >= column; -1 if the pattern has no such block

// Pattern of the diagonal and of every pair of blocks that meet in an element of either list (fixed elements
// and, say, candidate contacts). False: a stencil or a block size is malformed, or the matrix has more than
// 2^31 - 1 values.
bool build_pattern(const BlockLayout&, std::span<const ElementBlocks> elements,
                   std::span<const ElementBlocks> more, BlockPattern& out);

struct GatherPlan {
    std::vector<int> slot;             // slots that receive something, ascending
    std::vector<int> begin{0};         // slot.size() + 1: ranges of the two arrays below
    std::vector<int> offset;           // contribution: first value k of its block in the element array; ~k < 0:
                                       // subtracted (off-diagonal block of a pair)
    std::vector<std::uint16_t> stride; // contribution: distance of columns in the element array
    std::vector<int> scratch_contribution,
        scratch_slot; // of build_plan, kept so that rebuilding allocates nothing
};
// False: a stencil is malformed, or an element needs a block that the pattern lacks (build a new pattern
// then).
bool build_plan(const BlockPattern&, std::span<const ElementBlocks> elements, GatherPlan& out);

struct BlockSparse {
    BlockPattern pattern;
    std::vector<Real> values; // pattern.value_begin.back()
};
BlockSparse make_block_sparse(BlockPattern pattern); // all zero
inline Real* block_values(BlockSparse& A, int slot) { return A.values.data() + A.pattern.value_begin[slot]; }
inline const Real* block_values(const BlockSparse& A, int slot) {
    return A.values.data() + A.pattern.value_begin[slot];
}

// A = sum of the planned contributions; blocks without one become zero.
void gather_elements(const Parallel&, const GatherPlan&, std::span<const Real> elements, BlockSparse& A);
// A += sum of the planned contributions, each block continuing its sum in element order.
void add_elements(const Parallel&, const GatherPlan&, std::span<const Real> elements, BlockSparse& A);
// A += diag(d), d by scalar: lumped masses
void add_diagonal(const Parallel&, std::span<const Real> d, BlockSparse& A);
// y = A x
void multiply(const Parallel&, const BlockSparse& A, std::span<const Real> x, std::span<Real> y);

Real max_abs(const BlockSparse& A);               // largest |entry|, NaN if an entry is NaN
Real frobenius_norm(const BlockSparse& A);        // of the full symmetric matrix
std::vector<Real> to_dense(const BlockSparse& A); // column-major, both triangles; for tests

} // namespace sinew
