#include "linalg/lcp.h"
#include <Eigen/LU>
#include <cmath>

namespace sinew {

Real lcp_residual(const MatX& m, const VecX& q, const VecX& z) {
    const VecX w = m * z + q;
    Real worst = 0;
    for (int i = 0; i < q.size(); ++i) worst = std::max(worst, std::abs(std::min(w[i], z[i])));
    return worst;
}

namespace {

// Tableau of  w - M z - 1 z0 = q  with columns w (n), z (n), z0, q; the w columns carry the inverse of the basis, which
// the lexicographic test compares.
struct Tableau {
    MatX t;
    std::vector<int> basis; // variable of each row: i < n is w_i, n + i is z_i, 2n is z0
    int n;
};

constexpr Real kPivot = 1e-12; // relative to the largest entry of a scaled problem: below it an entry is round-off

void pivot(Tableau& a, int row, int column) {
    a.t.row(row) /= a.t(row, column);
    for (int i = 0; i < a.n; ++i)
        if (i != row && a.t(i, column) != 0) a.t.row(i) -= a.t(i, column) * a.t.row(row);
    a.basis[row] = column;
}

// row i before row j: the rows divided by their entry of the entering column, right-hand side first, then the inverse
bool is_before(const Tableau& a, int i, int j, int column) {
    const Real fi = 1 / a.t(i, column), fj = 1 / a.t(j, column);
    const Real d = a.t(i, 2 * a.n + 1) * fi - a.t(j, 2 * a.n + 1) * fj;
    if (d != 0) return d < 0;
    for (int k = 0; k < a.n; ++k) {
        const Real e = a.t(i, k) * fi - a.t(j, k) * fj;
        if (e != 0) return e < 0;
    }
    return false;
}

// row that leaves, -1 = a ray; z0 leaves whenever it can
int find_leaving(const Tableau& a, int column) {
    int best = -1;
    for (int i = 0; i < a.n; ++i) {
        if (!(a.t(i, column) > kPivot)) continue;
        if (best < 0 || is_before(a, i, best, column)) best = i;
    }
    if (best < 0) return best;
    const Real ratio = a.t(best, 2 * a.n + 1) / a.t(best, column);
    for (int i = 0; i < a.n; ++i)
        if (a.basis[i] == 2 * a.n && a.t(i, column) > kPivot && a.t(i, 2 * a.n + 1) / a.t(i, column) <= ratio + kPivot) return i;
    return best;
}

// z of the final basis, solved anew from the data: what many pivots have lost is regained
void refine(const MatX& m, const VecX& q, const std::vector<std::uint8_t>& in_basis, VecX& z) {
    std::vector<int> active;
    for (int i = 0; i < int(q.size()); ++i)
        if (in_basis[i]) active.push_back(i);
    z.setZero(q.size());
    if (active.empty()) return;
    const int k = int(active.size());
    MatX a(k, k);
    VecX b(k);
    for (int i = 0; i < k; ++i) {
        b[i] = -q[active[i]];
        for (int j = 0; j < k; ++j) a(i, j) = m(active[i], active[j]);
    }
    const VecX x = a.fullPivLu().solve(b);
    for (int i = 0; i < k; ++i) z[active[i]] = x[i];
}

} // namespace

LcpResult solve_lcp(const MatX& m, const VecX& q, VecX& z, int most_pivots) {
    const int n = int(q.size());
    LcpResult result;
    z = VecX::Zero(n);
    if (n == 0 || q.minCoeff() >= 0) {
        result.solved = true;
        return result;
    }
    if (most_pivots <= 0) most_pivots = 50 + 10 * n;
    const Real scale = std::max(m.cwiseAbs().maxCoeff(), 1e-300), size = q.cwiseAbs().maxCoeff();
    Tableau a{MatX::Zero(n, 2 * n + 2), std::vector<int>(n), n};
    for (int i = 0; i < n; ++i) {
        a.t(i, i) = 1;
        a.t.block(i, n, 1, n) = -m.row(i) / scale;
        a.t(i, 2 * n) = -1;
        a.t(i, 2 * n + 1) = q[i] / size;
        a.basis[i] = i;
    }
    int leaving = 0;
    for (int i = 1; i < n; ++i)
        if (a.t(i, 2 * n + 1) < a.t(leaving, 2 * n + 1)) leaving = i;
    int column = 2 * n;
    for (result.pivots = 0; result.pivots < most_pivots; ++result.pivots) {
        const int left = a.basis[leaving];
        pivot(a, leaving, column);
        if (left == 2 * n) {
            result.solved = true;
            break;
        }
        column = left < n ? left + n : left - n; // the complement enters
        leaving = find_leaving(a, column);
        if (leaving < 0) break;
    }
    std::vector<std::uint8_t> in_basis(n, 0);
    VecX tableau = VecX::Zero(n);
    for (int i = 0; i < n; ++i)
        if (a.basis[i] >= n && a.basis[i] < 2 * n) {
            in_basis[a.basis[i] - n] = 1;
            tableau[a.basis[i] - n] = std::max(0.0, a.t(i, 2 * n + 1) * size / scale);
        }
    refine(m, q, in_basis, z);
    z = z.cwiseMax(0);
    if (!z.allFinite() || lcp_residual(m, q, tableau) < lcp_residual(m, q, z)) z = tableau;
    result.residual = lcp_residual(m, q, z);
    return result;
}

} // namespace sinew
