#include "linalg/pivoted_cholesky.h"
#include <cmath>
#include <numeric>

namespace sinew {

void factor_pivoted(std::span<const Real> a, int n, Real tolerance, std::span<const Real> natural, PivotedCholesky& f) {
    f.size = n;
    f.rank = 0;
    f.order.resize(n);
    std::iota(f.order.begin(), f.order.end(), 0);
    f.scale.resize(n);
    f.work.resize(n);
    f.factor.assign(a.begin(), a.begin() + std::size_t(n) * n);
    for (int i = 0; i < n; ++i) {
        const Real d = a[i + std::size_t(n) * i], least = natural.empty() ? 0 : tolerance * natural[i];
        f.scale[i] = d > least ? 1 / std::sqrt(d) : 0;
    }
    Eigen::Map<MatX> l(f.factor.data(), n, n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) l(i, j) *= f.scale[i] * f.scale[j];
    for (int k = 0; k < n; ++k) {
        // largest remaining diagonal; the first of equals
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (l(i, i) > l(best, best)) best = i;
        if (!(l(best, best) > tolerance)) return;
        if (best != k) {
            std::swap(f.order[k], f.order[best]);
            l.row(k).swap(l.row(best));
            l.col(k).swap(l.col(best));
        }
        const Real d = std::sqrt(l(k, k));
        l(k, k) = d;
        for (int i = k + 1; i < n; ++i) l(i, k) /= d;
        for (int j = k + 1; j < n; ++j)
            for (int i = k + 1; i < n; ++i) l(i, j) -= l(i, k) * l(j, k);
        ++f.rank;
    }
}

void solve_pivoted(PivotedCholesky& f, std::span<Real> x) {
    const int n = f.size, r = f.rank;
    const Eigen::Map<const MatX> l(f.factor.data(), n, n);
    for (int i = 0; i < r; ++i) {
        Real sum = x[f.order[i]] * f.scale[f.order[i]];
        for (int k = 0; k < i; ++k) sum -= l(i, k) * f.work[k];
        f.work[i] = sum / l(i, i);
    }
    for (int i = r - 1; i >= 0; --i) {
        Real sum = f.work[i];
        for (int k = i + 1; k < r; ++k) sum -= l(k, i) * f.work[k];
        f.work[i] = sum / l(i, i);
    }
    for (int i = 0; i < n; ++i) x[f.order[i]] = i < r ? f.work[i] * f.scale[f.order[i]] : 0;
}

} // namespace sinew
