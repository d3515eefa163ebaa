#include "linalg/block_sparse.h"
#include <algorithm>
#include <cmath>

namespace sinew {

inline constexpr int kSlotGrain = 512; // slots per chunk: about 40 kB of values
inline constexpr int kRowGrain = 256;

static void gather_block(const BlockPattern& p, int s, const int* offset, const std::uint16_t* stride,
                         int count, const Real* elements, Real* v) {
    if (p.value_begin[s + 1] - p.value_begin[s] == 9) {
        // nine sums in registers
        Real a0 = v[0], a1 = v[1], a2 = v[2], a3 = v[3], a4 = v[4], a5 = v[5], a6 = v[6], a7 = v[7],
             a8 = v[8];
        for (int c = 0; c < count; ++c) {
            if (offset[c] < 0) {
                const Real* e = elements + ~offset[c];
                a0 -= e[0], a1 -= e[1], a2 -= e[2], a3 -= e[3], a4 -= e[4], a5 -= e[5], a6 -= e[6], a7 -= e[7],
                    a8 -= e[8];
                continue;
            }
            const Real* e = elements + offset[c];
            const int w = stride[c];
            a0 += e[0], a1 += e[1], a2 += e[2];
            a3 += e[w], a4 += e[w + 1], a5 += e[w + 2];
            a6 += e[2 * w], a7 += e[2 * w + 1], a8 += e[2 * w + 2];
        }
        v[0] = a0, v[1] = a1, v[2] = a2, v[3] = a3, v[4] = a4, v[5] = a5, v[6] = a6, v[7] = a7, v[8] = a8;
        return;
    }
    const int rows = block_size(p.layout, p.row[s]), columns = block_size(p.layout, p.column[s]);
    for (int c = 0; c < count; ++c) {
        const Real* e = elements + offset[c];
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < rows; ++i) v[j * rows + i] += e[j * stride[c] + i];
    }
}

// Element matrices of a slot lie far apart; the processor cannot guess where. Fetched some slots ahead they have come by then.
static void fetch_ahead(const GatherPlan& plan, int k, const Real* elements) {
    constexpr int kAhead = 6;
    if (k + kAhead >= int(plan.slot.size())) return;
    for (int c = plan.begin[k + kAhead]; c < plan.begin[k + kAhead + 1]; ++c) {
        const int at = plan.offset[c] < 0 ? ~plan.offset[c] : plan.offset[c];
        __builtin_prefetch(elements + at);
        __builtin_prefetch(elements + at + 2 * plan.stride[c]);
    }
}

void gather_elements(const Parallel& parallel, const GatherPlan& plan, std::span<const Real> elements,
                     BlockSparse& A) {
    const BlockPattern& p = A.pattern;
    const int n = int(plan.slot.size());
    Real* values = A.values.data();
    if (n == 0) std::fill(A.values.begin(), A.values.end(), 0.0);
    parallel_for(parallel, n, kSlotGrain, [&](int begin, int end) {
        for (int k = begin; k < end; ++k) {
            // this slot and the empty ones in front of it start at zero; the last entry clears the tail too
            const int s = plan.slot[k];
            const int clear_begin = k == 0 ? 0 : p.value_begin[plan.slot[k - 1] + 1];
            const int clear_end = k + 1 == n ? p.value_begin.back() : p.value_begin[s + 1];
            std::fill(values + clear_begin, values + clear_end, 0.0);
            fetch_ahead(plan, k, elements.data());
            gather_block(p, s, plan.offset.data() + plan.begin[k], plan.stride.data() + plan.begin[k],
                         plan.begin[k + 1] - plan.begin[k], elements.data(), values + p.value_begin[s]);
        }
    });
}

void add_elements(const Parallel& parallel, const GatherPlan& plan, std::span<const Real> elements,
                  BlockSparse& A) {
    parallel_for(parallel, int(plan.slot.size()), kSlotGrain, [&](int begin, int end) {
        for (int k = begin; k < end; ++k) {
            fetch_ahead(plan, k, elements.data());
            gather_block(A.pattern, plan.slot[k], plan.offset.data() + plan.begin[k],
                         plan.stride.data() + plan.begin[k], plan.begin[k + 1] - plan.begin[k],
                         elements.data(), block_values(A, plan.slot[k]));
        }
    });
}

void add_diagonal(const Parallel& parallel, std::span<const Real> d, BlockSparse& A) {
    const BlockPattern& p = A.pattern;
    parallel_for(parallel, block_count(p.layout), kRowGrain, [&](int begin, int end) {
        for (int b = begin; b < end; ++b) {
            Real* v = block_values(A, diagonal_slot(p, b));
            const int first = p.layout.begin[b], size = block_size(p.layout, b);
            for (int i = 0; i < size; ++i) v[i * size + i] += d[first + i];
        }
    });
}

// y_row of a matrix whose blocks are all 3 x 3
static void multiply_row_three(const BlockSparse& A, int row, const Real* x, Real* y) {
    const BlockPattern& p = A.pattern;
    const Real* values = A.values.data();
    Real y0 = 0, y1 = 0, y2 = 0;
    for (int s = p.row_begin[row]; s < p.row_begin[row + 1]; ++s) {
        const Real *v = values + 9 * std::size_t(s), *u = x + 3 * p.column[s];
        y0 += v[0] * u[0] + v[3] * u[1] + v[6] * u[2];
        y1 += v[1] * u[0] + v[4] * u[1] + v[7] * u[2];
        y2 += v[2] * u[0] + v[5] * u[1] + v[8] * u[2];
    }
    for (int m = p.mirror_begin[row]; m < p.mirror_begin[row + 1]; ++m) {
        const int s = p.mirror_slot[m];
        const Real *v = values + 9 * std::size_t(s), *u = x + 3 * p.row[s];
        y0 += v[0] * u[0] + v[1] * u[1] + v[2] * u[2];
        y1 += v[3] * u[0] + v[4] * u[1] + v[5] * u[2];
        y2 += v[6] * u[0] + v[7] * u[1] + v[8] * u[2];
    }
    y[3 * row] = y0, y[3 * row + 1] = y1, y[3 * row + 2] = y2;
}

static void multiply_row_mixed(const BlockSparse& A, int row, const Real* x, Real* y) {
    const BlockPattern& p = A.pattern;
    const int size = block_size(p.layout, row);
    Real sum[3] = {0, 0, 0};
    for (int s = p.row_begin[row]; s < p.row_begin[row + 1]; ++s) {
        const Real *v = block_values(A, s), *u = x + p.layout.begin[p.column[s]];
        const int columns = block_size(p.layout, p.column[s]);
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < size; ++i) sum[i] += v[j * size + i] * u[j];
    }
    for (int m = p.mirror_begin[row]; m < p.mirror_begin[row + 1]; ++m) {
        const int s = p.mirror_slot[m];
        const Real *v = block_values(A, s), *u = x + p.layout.begin[p.row[s]];
        const int rows = block_size(p.layout, p.row[s]);
        for (int i = 0; i < size; ++i)
            for (int j = 0; j < rows; ++j) sum[i] += v[i * rows + j] * u[j];
    }
    for (int i = 0; i < size; ++i) y[p.layout.begin[row] + i] = sum[i];
}

void multiply(const Parallel& parallel, const BlockSparse& A, std::span<const Real> x, std::span<Real> y) {
    const bool all_three = A.pattern.all_three;
    parallel_for(parallel, block_count(A.pattern.layout), kRowGrain, [&](int begin, int end) {
        if (all_three)
            for (int row = begin; row < end; ++row) multiply_row_three(A, row, x.data(), y.data());
        else
            for (int row = begin; row < end; ++row) multiply_row_mixed(A, row, x.data(), y.data());
    });
}

Real max_abs(const BlockSparse& A) {
    Real result = 0;
    for (const Real v : A.values) {
        if (std::isnan(v)) return v;
        result = std::max(result, std::abs(v));
    }
    return result;
}

Real frobenius_norm(const BlockSparse& A) {
    // scaled by the largest entry, so that neither tiny nor huge matrices leave the range of squares
    const Real scale = max_abs(A);
    if (!(scale > 0) || std::isinf(scale)) return scale;
    Real sum = 0;
    for (int s = 0; s < slot_count(A.pattern); ++s) {
        Real block = 0;
        for (int k = A.pattern.value_begin[s]; k < A.pattern.value_begin[s + 1]; ++k)
            block += (A.values[k] / scale) * (A.values[k] / scale);
        sum += A.pattern.row[s] == A.pattern.column[s] ? block : 2 * block;
    }
    return scale * std::sqrt(sum);
}

std::vector<Real> to_dense(const BlockSparse& A) {
    const BlockPattern& p = A.pattern;
    const std::size_t n = std::size_t(scalar_count(p.layout));
    std::vector<Real> dense(n * n, 0.0);
    for (int s = 0; s < slot_count(p); ++s) {
        const int r0 = p.layout.begin[p.row[s]], c0 = p.layout.begin[p.column[s]];
        const int rows = block_size(p.layout, p.row[s]), columns = block_size(p.layout, p.column[s]);
        const Real* v = block_values(A, s);
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < rows; ++i) {
                dense[(c0 + j) * n + r0 + i] = v[j * rows + i];
                if (p.row[s] != p.column[s]) dense[(r0 + i) * n + c0 + j] = v[j * rows + i];
            }
    }
    return dense;
}

} // namespace sinew
