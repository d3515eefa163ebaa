#include "linalg/scalar_matrix.h"
#include <algorithm>
#include <cmath>

namespace sinew {

BlockGraph make_block_graph(const BlockPattern& p, FixedMask fixed) {
    BlockGraph g;
    std::vector<int> number(block_count(p.layout), -1);
    for (int b = 0; b < block_count(p.layout); ++b) {
        if (!fixed.empty() && fixed[b]) continue;
        number[b] = int(g.free_blocks.size());
        g.free_blocks.push_back(b);
        // the lower block row is an upper block column; numbers ascend with the block ids
        for (int s = p.row_begin[b]; s < p.row_begin[b + 1]; ++s)
            if (number[p.column[s]] >= 0) g.row.push_back(number[p.column[s]]);
        g.column_begin.push_back(int(g.row.size()));
    }
    return g;
}

// f(slot, other block) for every block of the symmetric matrix in block row b
template <class F> static void for_each_in_row(const BlockPattern& p, int b, F&& f) {
    for (int s = p.row_begin[b]; s < p.row_begin[b + 1]; ++s) f(s, p.column[s]);
    for (int m = p.mirror_begin[b]; m < p.mirror_begin[b + 1]; ++m)
        f(p.mirror_slot[m], p.row[p.mirror_slot[m]]);
}

void build_scalar_matrix(const BlockPattern& p, std::span<const int> order, Triangle triangle,
                         ScalarMatrix& out) {
    const bool lower = triangle == Triangle::lower;
    out = {};
    out.triangle = triangle;
    out.first.assign(block_count(p.layout), -1);
    out.place.assign(3 * std::size_t(slot_count(p)), -1);
    out.flipped.assign(slot_count(p), 0);
    int n = 0;
    for (const int b : order) {
        out.first[b] = n;
        n += block_size(p.layout, b);
    }

    // is (row b, column c) an off-diagonal block of the triangle?
    auto stored = [&](int b, int c) {
        if (out.first[c] < 0 || b == c) return false;
        return lower ? out.first[b] > out.first[c] : out.first[b] < out.first[c];
    };
    out.column_begin.assign(n + 1, 0);
    for (const int b : order) {
        for_each_in_row(p, b, [&](int, int c) {
            if (stored(b, c))
                for (int j = 0; j < block_size(p.layout, c); ++j)
                    out.column_begin[out.first[c] + j + 1] += block_size(p.layout, b);
        });
        const int size = block_size(p.layout, b);
        for (int j = 0; j < size; ++j) out.column_begin[out.first[b] + j + 1] += lower ? size - j : j + 1;
    }
    for (int c = 0; c < n; ++c) out.column_begin[c + 1] += out.column_begin[c];

    // rows are visited in ascending order, so each column fills from the top
    out.row.resize(out.column_begin[n]);
    out.values.assign(out.column_begin[n], 0.0);
    std::vector<int> next(out.column_begin.begin(), out.column_begin.end() - 1);
    for (const int b : order) {
        const int size = block_size(p.layout, b), first = out.first[b];
        for_each_in_row(p, b, [&](int s, int c) {
            if (b != c && !stored(b, c)) return;
            out.flipped[s] = p.row[s] != b;
            for (int j = 0; j < block_size(p.layout, c); ++j) {
                const int begin = b == c && lower ? j : 0, end = b == c && !lower ? j + 1 : size;
                int& k = next[out.first[c] + j];
                out.place[3 * std::size_t(s) + j] = k;
                for (int i = begin; i < end; ++i) out.row[k++] = first + i;
            }
        });
    }
}

// one slot's block to its columns
static void copy_block(const BlockSparse& A, int s, ScalarMatrix& out) {
    const BlockPattern& p = A.pattern;
    const int* place = out.place.data() + 3 * std::size_t(s);
    if (place[0] < 0) return;
    const int rows = block_size(p.layout, p.row[s]), columns = block_size(p.layout, p.column[s]);
    const Real* v = block_values(A, s);
    Real* to = out.values.data();
    if (p.row[s] == p.column[s]) {
        // lower triangle, as columns or transposed
        const bool lower = out.triangle == Triangle::lower;
        for (int j = 0; j < columns; ++j) {
            if (lower)
                for (int i = j; i < rows; ++i) to[place[j] + i - j] = v[j * rows + i];
            else
                for (int i = 0; i <= j; ++i) to[place[j] + i] = v[i * rows + j];
        }
    } else if (!out.flipped[s]) {
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < rows; ++i) to[place[j] + i] = v[j * rows + i];
    } else {
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j) to[place[i] + j] = v[j * rows + i];
    }
}

bool copy_values(const Parallel& parallel, const BlockSparse& A, ScalarMatrix& out) {
    const int slots = slot_count(A.pattern);
    parallel_for(parallel, slots, kGrain, [&](int begin, int end) {
        for (int s = begin; s < end; ++s) copy_block(A, s, out);
    });
    // 0 x is 0 for finite x and NaN otherwise; four sums, because one would wait for itself
    Real zero[4] = {0, 0, 0, 0};
    const std::size_t n = out.values.size();
    for (std::size_t k = 0; k + 4 <= n; k += 4)
        for (int i = 0; i < 4; ++i) zero[i] += 0 * out.values[k + i];
    for (std::size_t k = n & ~std::size_t(3); k < n; ++k) zero[0] += 0 * out.values[k];
    return zero[0] + zero[1] + zero[2] + zero[3] == 0;
}

void to_order(const ScalarMatrix& m, const BlockLayout& l, std::span<const Real> x, std::span<Real> out) {
    for (int b = 0; b < block_count(l); ++b)
        if (m.first[b] >= 0)
            for (int i = 0; i < block_size(l, b); ++i) out[m.first[b] + i] = x[l.begin[b] + i];
}

void from_order(const ScalarMatrix& m, const BlockLayout& l, std::span<const Real> x, std::span<Real> out) {
    for (int b = 0; b < block_count(l); ++b)
        for (int i = 0; i < block_size(l, b); ++i)
            out[l.begin[b] + i] = m.first[b] >= 0 ? x[m.first[b] + i] : 0.0;
}

Real relative_residual(const ScalarMatrix& A, std::span<const Real> x, std::span<const Real> b,
                       std::span<Real> r) {
    std::copy(b.begin(), b.end(), r.begin());
    for (int c = 0; c < free_count(A); ++c) {
        Real sum = 0;
        for (int k = A.column_begin[c]; k < A.column_begin[c + 1]; ++k) {
            const int i = A.row[k];
            sum += A.values[k] * x[i];
            if (i != c) r[i] -= A.values[k] * x[c];
        }
        r[c] -= sum;
    }
    // scaled, so that the squares stay in range
    Real scale = 0, rr = 0, bb = 0;
    for (const Real v : b) scale = std::max(scale, std::abs(v));
    if (scale == 0) scale = 1;
    for (std::size_t i = 0; i < r.size(); ++i) {
        rr += (r[i] / scale) * (r[i] / scale);
        bb += (b[i] / scale) * (b[i] / scale);
    }
    return bb > 0 ? std::sqrt(rr / bb) : std::sqrt(rr);
}

} // namespace sinew
