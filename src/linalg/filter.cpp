#include "linalg/filter.h"
#include <algorithm>
#include <cmath>

namespace sinew {

BlockProjector make_plane_projector(int block, const Real3& normal) {
    BlockProjector p{.block = block};
    const Real largest = std::max({std::abs(normal.x), std::abs(normal.y), std::abs(normal.z)});
    if (!(largest > 0)) return p;
    Real n[3] = {normal.x / largest, normal.y / largest, normal.z / largest};
    const Real length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (Real& c : n) c /= length;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) p.S[3 * j + i] -= n[i] * n[j];
    return p;
}

void apply_filter(const BlockLayout& layout, FixedMask fixed, std::span<const BlockProjector> projectors,
                  std::span<Real> x) {
    for (const BlockProjector& p : projectors) {
        Real* u = x.data() + layout.begin[p.block];
        const Real a = u[0], b = u[1], c = u[2];
        for (int i = 0; i < 3; ++i) u[i] = p.S[i] * a + p.S[3 + i] * b + p.S[6 + i] * c;
    }
    for (std::size_t b = 0; b < fixed.size(); ++b)
        if (fixed[b]) std::fill(x.begin() + layout.begin[b], x.begin() + layout.begin[b + 1], 0.0);
}

// block = S block, S 3 x 3
static void project_rows(const std::array<Real, 9>& S, int columns, Real* block) {
    for (int j = 0; j < columns; ++j) {
        const Real a = block[3 * j], b = block[3 * j + 1], c = block[3 * j + 2];
        for (int i = 0; i < 3; ++i) block[3 * j + i] = S[i] * a + S[3 + i] * b + S[6 + i] * c;
    }
}

// block = block S
static void project_columns(const std::array<Real, 9>& S, int rows, Real* block) {
    for (int i = 0; i < rows; ++i) {
        const Real a = block[i], b = block[rows + i], c = block[2 * rows + i];
        for (int j = 0; j < 3; ++j) block[j * rows + i] = a * S[3 * j] + b * S[3 * j + 1] + c * S[3 * j + 2];
    }
}

static void project_block_row(const BlockProjector& projector, BlockSparse& A) {
    const BlockPattern& p = A.pattern;
    const int b = projector.block;
    Real* diagonal = block_values(A, diagonal_slot(p, b));
    const Real size = std::max({std::abs(diagonal[0]), std::abs(diagonal[4]), std::abs(diagonal[8])});
    for (int s = p.row_begin[b]; s < p.row_begin[b + 1]; ++s)
        project_rows(projector.S, block_size(p.layout, p.column[s]), block_values(A, s));
    project_columns(projector.S, 3, diagonal);
    for (int m = p.mirror_begin[b]; m < p.mirror_begin[b + 1]; ++m) {
        const int s = p.mirror_slot[m];
        project_columns(projector.S, block_size(p.layout, p.row[s]), block_values(A, s));
    }
    for (int k = 0; k < 9; ++k)
        diagonal[k] += (size > 0 ? size : 1.0) * ((k % 4 == 0 ? 1.0 : 0.0) - projector.S[k]);
}

void filter_matrix(const Parallel& parallel, const BlockSparse& A, FixedMask fixed,
                   std::span<const BlockProjector> projectors, BlockSparse& out) {
    const BlockPattern& p = A.pattern;
    parallel_for(parallel, slot_count(p), kGrain, [&](int begin, int end) {
        std::copy(A.values.begin() + p.value_begin[begin], A.values.begin() + p.value_begin[end],
                  out.values.begin() + p.value_begin[begin]);
        if (fixed.empty()) return;
        for (int s = begin; s < end; ++s) {
            if (!fixed[p.row[s]] && !fixed[p.column[s]]) continue;
            Real* v = block_values(out, s);
            std::fill(v, v + (p.value_begin[s + 1] - p.value_begin[s]), 0.0);
            const int size = block_size(p.layout, p.row[s]);
            if (p.row[s] == p.column[s])
                for (int i = 0; i < size; ++i) v[i * size + i] = 1;
        }
    });
    for (const BlockProjector& projector : projectors)
        if (fixed.empty() || !fixed[projector.block]) project_block_row(projector, out);
}

void move_fixed_to_rhs(const BlockSparse& A, FixedMask fixed, std::span<const Real> x, std::span<Real> b) {
    if (fixed.empty()) return;
    const BlockPattern& p = A.pattern;
    for (int s = 0; s < slot_count(p); ++s) {
        const int row = p.row[s], column = p.column[s];
        if (!fixed[row] == !fixed[column]) continue;
        const int r0 = p.layout.begin[row], c0 = p.layout.begin[column];
        const int rows = block_size(p.layout, row), columns = block_size(p.layout, column);
        const Real* v = block_values(A, s);
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < rows; ++i) {
                if (fixed[column])
                    b[r0 + i] -= v[j * rows + i] * x[c0 + j];
                else
                    b[c0 + j] -= v[j * rows + i] * x[r0 + i];
            }
    }
}

} // namespace sinew
