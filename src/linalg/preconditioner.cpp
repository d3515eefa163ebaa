#include "linalg/preconditioner.h"
#include "linalg/small.h"
#include <algorithm>

namespace sinew {

// block size known to the compiler where all are 3
template <bool kThree> static int size_of(const BlockLayout& l, int block) {
    if constexpr (kThree)
        return 3;
    else
        return block_size(l, block);
}

void reserve_preconditioner(const BlockPattern& p, PreconditionerKind kind, Preconditioner& out) {
    out.kind = kind;
    out.inverse.assign(kind == PreconditionerKind::jacobi ? 9 * std::size_t(block_count(p.layout)) : 0, 0.0);
    out.factor.assign(kind == PreconditionerKind::ic0 ? std::size_t(p.value_begin.back()) : 0, 0.0);
}

static LinearInfo not_definite(int block) {
    LinearInfo info =
        linear_failure("the diagonal block " + std::to_string(block) + " is not positive definite");
    info.not_positive_definite = true;
    return info;
}

// target -= a b^T with a (rows x inner), b (columns x inner)
static inline void subtract_product(const Real* a, const Real* b, int rows, int columns, int inner,
                                    Real* target) {
    for (int k = 0; k < inner; ++k)
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < rows; ++i) target[j * rows + i] -= a[k * rows + i] * b[k * columns + j];
}

// target = target M^T, M (columns x columns) lower triangular
static inline void multiply_by_transpose(const Real* m, int rows, int columns, Real* target) {
    for (int j = columns - 1; j >= 0; --j)
        for (int i = 0; i < rows; ++i) {
            Real sum = 0;
            for (int k = 0; k <= j; ++k) sum += target[k * rows + i] * m[k * columns + j];
            target[j * rows + i] = sum;
        }
}

// Row i of L from the rows before it; -1 or the block whose pivot failed.
template <bool kThree> static int factor_row(const BlockSparse& A, Real shift, int i, Real* L) {
    const BlockPattern& p = A.pattern;
    const int rows = size_of<kThree>(p.layout, i);
    for (int s = p.row_begin[i]; s < p.row_begin[i + 1]; ++s) {
        const int j = p.column[s], columns = size_of<kThree>(p.layout, j);
        Real* target = L + p.value_begin[s];
        // A_ij - sum over the columns k < j that rows i and j share of L_ik L_jk^T
        int a = p.row_begin[i], b = p.row_begin[j];
        const int b_end = p.row_begin[j + 1] - 1;
        while (a < s && b < b_end) {
            if (p.column[a] < p.column[b])
                ++a;
            else if (p.column[b] < p.column[a])
                ++b;
            else {
                subtract_product(L + p.value_begin[a], L + p.value_begin[b], rows, columns,
                                 size_of<kThree>(p.layout, p.column[a]), target);
                ++a, ++b;
            }
        }
        if (i != j) {
            multiply_by_transpose(L + p.value_begin[diagonal_slot(p, j)], rows, columns, target);
            continue;
        }
        // a pivot that has lost all its digits is a breakdown as well
        Real largest = 0, pivot[9] = {};
        const Real* original = block_values(A, s);
        for (int k = 0; k < rows; ++k) largest = std::max(largest, original[k * rows + k]);
        std::copy(target, target + rows * rows, pivot);
        if (!invert_cholesky_factor(pivot, rows, 1e-14 * (1 + shift) * largest, target)) return i;
    }
    return -1;
}

// One attempt with the diagonal multiplied by 1 + shift.
template <bool kThree> static int factor_ic0(const BlockSparse& A, Real shift, std::vector<Real>& L) {
    const BlockPattern& p = A.pattern;
    std::copy(A.values.begin(), A.values.end(), L.begin());
    for (int i = 0; i < block_count(p.layout); ++i) {
        const int size = size_of<kThree>(p.layout, i);
        Real* diagonal = L.data() + p.value_begin[diagonal_slot(p, i)];
        for (int k = 0; k < size; ++k) diagonal[k * size + k] *= 1 + shift;
        if (const int failed = factor_row<kThree>(A, shift, i, L.data()); failed >= 0) return failed;
    }
    return -1;
}

LinearInfo build_preconditioner(const Parallel& parallel, const BlockSparse& A, Preconditioner& out) {
    const BlockPattern& p = A.pattern;
    if (out.kind == PreconditionerKind::jacobi) {
        parallel_for(parallel, block_count(p.layout), kGrain, [&](int begin, int end) {
            for (int b = begin; b < end; ++b) {
                Real* inverse = out.inverse.data() + 9 * std::size_t(b);
                if (!invert_spd(block_values(A, diagonal_slot(p, b)), block_size(p.layout, b), inverse))
                    inverse[0] = -1; // a sign that no inverse of a definite block has
            }
        });
        for (int b = 0; b < block_count(p.layout); ++b)
            if (!(out.inverse[9 * std::size_t(b)] >= 0)) return not_definite(b);
    }
    if (out.kind == PreconditionerKind::ic0) {
        int failed = -1;
        for (const Real shift : {0.0, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2}) {
            out.shift = shift;
            failed = p.all_three ? factor_ic0<true>(A, shift, out.factor)
                                 : factor_ic0<false>(A, shift, out.factor);
            if (failed < 0) break;
        }
        if (failed >= 0) return not_definite(failed);
    }
    return {};
}

static void apply_jacobi(const BlockLayout& l, const Real* inverse, int begin, int end, const Real* r,
                         Real* z) {
    for (int b = begin; b < end; ++b) {
        const Real *m = inverse + 9 * std::size_t(b), *u = r + l.begin[b];
        Real* v = z + l.begin[b];
        if (block_size(l, b) == 1) {
            v[0] = m[0] * u[0];
        } else {
            const Real u0 = u[0], u1 = u[1], u2 = u[2];
            v[0] = m[0] * u0 + m[3] * u1 + m[6] * u2;
            v[1] = m[1] * u0 + m[4] * u1 + m[7] * u2;
            v[2] = m[2] * u0 + m[5] * u1 + m[8] * u2;
        }
    }
}

template <bool kThree>
static void apply_ic0(const BlockPattern& p, const std::vector<Real>& L, std::span<const Real> r,
                      std::span<Real> z) {
    const BlockLayout& l = p.layout;
    const int n = block_count(l);
    // L y = r, y in z
    for (int i = 0; i < n; ++i) {
        const int rows = size_of<kThree>(l, i), diagonal = diagonal_slot(p, i);
        Real sum[3];
        for (int k = 0; k < rows; ++k) sum[k] = r[l.begin[i] + k];
        for (int s = p.row_begin[i]; s < diagonal; ++s) {
            const Real *v = L.data() + p.value_begin[s], *y = z.data() + l.begin[p.column[s]];
            const int columns = size_of<kThree>(l, p.column[s]);
            for (int j = 0; j < columns; ++j)
                for (int k = 0; k < rows; ++k) sum[k] -= v[j * rows + k] * y[j];
        }
        const Real* m = L.data() + p.value_begin[diagonal];
        for (int k = 0; k < rows; ++k) {
            Real y = 0;
            for (int j = 0; j <= k; ++j) y += m[j * rows + k] * sum[j];
            z[l.begin[i] + k] = y;
        }
    }
    // L^T z = y, from the last row up; each row then leaves the rows above it
    for (int i = n - 1; i >= 0; --i) {
        const int rows = size_of<kThree>(l, i), diagonal = diagonal_slot(p, i);
        const Real* m = L.data() + p.value_begin[diagonal];
        Real* out = z.data() + l.begin[i];
        for (int k = 0; k < rows; ++k) {
            Real sum = 0;
            for (int j = k; j < rows; ++j) sum += m[k * rows + j] * out[j];
            out[k] = sum;
        }
        for (int s = p.row_begin[i]; s < diagonal; ++s) {
            const Real* v = L.data() + p.value_begin[s];
            Real* y = z.data() + l.begin[p.column[s]];
            const int columns = size_of<kThree>(l, p.column[s]);
            for (int j = 0; j < columns; ++j)
                for (int k = 0; k < rows; ++k) y[j] -= v[j * rows + k] * out[k];
        }
    }
}

void apply_preconditioner(const Parallel& parallel, const BlockPattern& p,
                          const Preconditioner& preconditioner, std::span<const Real> r, std::span<Real> z) {
    switch (preconditioner.kind) {
    case PreconditionerKind::none:
        std::copy(r.begin(), r.end(), z.begin());
        break;
    case PreconditionerKind::jacobi:
        parallel_for(parallel, block_count(p.layout), kGrain, [&](int begin, int end) {
            apply_jacobi(p.layout, preconditioner.inverse.data(), begin, end, r.data(), z.data());
        });
        break;
    case PreconditionerKind::ic0:
        if (p.all_three)
            apply_ic0<true>(p, preconditioner.factor, r, z);
        else
            apply_ic0<false>(p, preconditioner.factor, r, z);
        break;
    }
}

} // namespace sinew
