#include "linalg/lcp.h"
#include <Eigen/LU>
#include <cmath>
#include <limits>

namespace sinew {

Real lcp_residual(const MatX& m, const VecX& q, const VecX& z) {
    return mixed_residual(m, q, int(q.size()), z);
}

namespace {

// Tableau of  w - M z - d z0 = q, d > 0 the covering vector, with columns w (n), z (n), z0, q; the w columns carry the inverse of the basis, which
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

// z of a basis, solved anew from the data: what many pivots have lost is regained. With eps > 0 by steps of the proximal point
// method, z += (M + eps 1)^-1 (-q - M z): they end at a solution of M z = -q also where M is singular and redundant rows share it.
void refine(const MatX& m, const VecX& q, const std::vector<std::uint8_t>& in_basis, Real eps, VecX& z) {
    std::vector<int> active;
    for (int i = 0; i < int(q.size()); ++i)
        if (in_basis[i]) active.push_back(i);
    z.setZero(q.size());
    if (active.empty()) return;
    const int k = int(active.size());
    MatX a(k, k);
    VecX b(k), x = VecX::Zero(k);
    for (int i = 0; i < k; ++i) {
        b[i] = -q[active[i]];
        for (int j = 0; j < k; ++j) a(i, j) = m(active[i], active[j]);
    }
    if (eps > 0) {
        const Eigen::PartialPivLU<MatX> lu(a + eps * MatX::Identity(k, k));
        for (int n = 0; n < 8; ++n) x += lu.solve(b - a * x); // each takes off eps over the smallest eigenvalue that is not zero
    } else x = a.fullPivLu().solve(b);
    for (int i = 0; i < k; ++i) z[active[i]] = x[i];
}

// One try: eps is added to the diagonal; the covering vector is of ones at cover 0, of numbers from 1 to 2 at others.
struct LemkeTry {
    Real eps = 0;
    int cover = 0;
};
Real cover_of(int cover, int i) {
    const Real golden = 0.6180339887498949 * cover * (i + 1);
    return 1 + (golden - std::floor(golden));
}

// Lemke's method; z: the better of the tableau's and the refined one, for M itself
void pivot_to_end(const MatX& m, const VecX& q, const LemkeTry& as, int most_pivots, int& pivots, VecX& z) {
    const int n = int(q.size());
    const Real scale = std::max(m.cwiseAbs().maxCoeff(), 1e-300), size = q.cwiseAbs().maxCoeff();
    Tableau a{MatX::Zero(n, 2 * n + 2), std::vector<int>(n), n};
    for (int i = 0; i < n; ++i) {
        a.t(i, i) = 1;
        a.t.block(i, n, 1, n) = -m.row(i) / scale;
        a.t(i, n + i) -= as.eps;
        a.t(i, 2 * n) = -cover_of(as.cover, i);
        a.t(i, 2 * n + 1) = q[i] / size;
        a.basis[i] = i;
    }
    int leaving = 0;
    for (int i = 1; i < n; ++i)
        if (a.t(i, 2 * n + 1) * cover_of(as.cover, leaving) < a.t(leaving, 2 * n + 1) * cover_of(as.cover, i)) leaving = i;
    int column = 2 * n;
    for (int k = 0; k < most_pivots; ++k, ++pivots) {
        const int left = a.basis[leaving];
        pivot(a, leaving, column);
        if (left == 2 * n) break; // z0 is out
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
    refine(m, q, in_basis, as.eps * scale, z);
    z = z.cwiseMax(0);
    if (!z.allFinite() || lcp_residual(m, q, tableau) < lcp_residual(m, q, z)) z = tableau;
}

} // namespace

// Redundant rows make ties that rounding decides, and entries that rounding leaves: pivots on those lead astray. Then the
// problem is solved with a little on the diagonal, where nothing is redundant, and its basis is refined for the problem itself;
// and from other covering vectors, whose paths meet other ties.
constexpr LemkeTry kTries[] = {{0, 0},     {1e-9, 0}, {1e-10, 0}, {1e-8, 0}, {1e-11, 0}, {1e-7, 0}, {1e-6, 0}, {1e-5, 0},
                               {1e-9, 1},  {0, 1},    {1e-8, 2},  {0, 2},    {1e-10, 3}, {0, 3},    {1e-7, 4}, {1e-9, 5},
                               {1e-8, 6},  {0, 7},    {1e-9, 8},  {1e-10, 9}};
LcpResult solve_lcp(const MatX& m, const VecX& q, VecX& z, int most_pivots) {
    const int n = int(q.size());
    LcpResult result;
    z = VecX::Zero(n);
    if (n == 0 || q.minCoeff() >= 0) {
        result.solved = true;
        return result;
    }
    if (most_pivots <= 0) most_pivots = 50 + 10 * n;
    constexpr Real kGood = 1e-12; // of q
    const Real size = q.cwiseAbs().maxCoeff();
    result.residual = std::numeric_limits<Real>::infinity();
    for (const LemkeTry& as : kTries) {
        VecX other;
        pivot_to_end(m, q, as, most_pivots, result.pivots, other);
        const Real residual = lcp_residual(m, q, other);
        if (!(residual < result.residual)) continue;
        z = other;
        result.residual = residual;
        if (residual < kGood * size) break;
    }
    result.solved = result.residual < 1e-8 * size;
    return result;
}

Real mixed_residual(const MatX& m, const VecX& q, int n, const VecX& x) {
    const VecX w = m * x + q;
    if (!x.allFinite() || !w.allFinite()) return std::numeric_limits<Real>::infinity();
    Real worst = 0;
    for (int i = 0; i < q.size(); ++i) worst = std::max(worst, std::abs(i < n ? std::min(w[i], x[i]) : w[i]));
    return worst;
}

void polish_mixed(const MatX& m, const VecX& q, int n, VecX& x) {
    VecX now = x, w = m * x + q;
    std::vector<int> active;
    for (int i = 0; i < int(q.size()); ++i) {
        if (i >= n || x[i] > w[i]) active.push_back(i);
        else now[i] = 0;
    }
    if (active.empty()) return;
    const int k = int(active.size());
    MatX a(k, k);
    for (int i = 0; i < k; ++i)
        for (int j = 0; j < k; ++j) a(i, j) = m(active[i], active[j]);
    Eigen::FullPivLU<MatX> lu(a);
    lu.setThreshold(1e-12); // of the largest pivot
    Real least = mixed_residual(m, q, n, x);
    for (int round = 0; round < 4; ++round) {
        w = m * now + q;
        VecX rest(k);
        for (int i = 0; i < k; ++i) rest[i] = -w[active[i]];
        const VecX step = lu.solve(rest);
        for (int i = 0; i < k; ++i) now[active[i]] += step[i];
        now.head(n) = now.head(n).cwiseMax(0);
        const Real residual = mixed_residual(m, q, n, now);
        if (!(residual < least)) return;
        least = residual, x = now;
    }
}

} // namespace sinew
