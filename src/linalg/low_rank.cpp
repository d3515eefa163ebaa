#include "linalg/low_rank.h"
#include "linalg/dense_solve.h"
#include "linalg/small.h"
#include <algorithm>

namespace sinew {

LinearInfo solve_low_rank(const Parallel& parallel, LinearSolver& solver, std::span<const RankOne> terms, std::span<const Real> b,
                          LowRankScratch& s, std::span<Real> x) {
    LinearInfo info = solver.solve(parallel, b, x);
    const int k = int(terms.size());
    if (k == 0 || !info.ok) return info;
    s.columns.resize(k);
    MatX &small = s.small, &y = s.y;
    small.resize(k, k);
    y.resize(k, 1);
    for (int j = 0; j < k; ++j) {
        s.columns[j].resize(x.size());
        const LinearInfo more = solver.solve(parallel, terms[j].vector, s.columns[j]);
        info.iterations += more.iterations;
        info.residual = std::max(info.residual, more.residual);
        if (!more.ok) return more;
        y(j, 0) = dot_in_order(terms[j].vector, x);
    }
    for (int i = 0; i < k; ++i) {
        // N^T S^-1 N is symmetric: one triangle, mirrored
        for (int j = 0; j <= i; ++j) small(i, j) = small(j, i) = dot_in_order(terms[i].vector, s.columns[j]);
        small(i, i) += 1 / terms[i].factor;
    }
    solve_symmetric(small, s.factor, y);
    for (int j = 0; j < k; ++j)
        for (std::size_t i = 0; i < x.size(); ++i) x[i] -= s.columns[j][i] * y(j, 0);
    return info;
}

} // namespace sinew
