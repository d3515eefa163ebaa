#include "linalg/block_chain.h"
#include <algorithm>
#include <array>

namespace sinew {

void build_block_chain(int width, int count, std::span<const std::array<int, 2>> pairs, BlockChain& a) {
    a.width = width;
    std::vector<std::vector<int>> later(count);
    for (const auto& p : pairs) later[p[0]].push_back(p[1]);
    // eliminating k couples all its later ones: the first of them inherits the others
    for (auto& list : later) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        if (list.size() > 1) later[list[0]].insert(later[list[0]].end(), list.begin() + 1, list.end());
    }
    a.begin.assign(1, 0);
    a.later.clear();
    for (const auto& list : later) {
        a.later.insert(a.later.end(), list.begin(), list.end());
        a.begin.push_back(int(a.later.size()));
    }
    a.target.clear();
    for (int k = 0; k < count; ++k)
        for (int i = a.begin[k]; i < a.begin[k + 1]; ++i)
            for (int j = i; j < a.begin[k + 1]; ++j) a.target.push_back(find_block(a, a.later[i], a.later[j]));
    a.value.assign(std::size_t(count + int(a.later.size())) * width * width, 0.0);
}

int find_block(const BlockChain& a, int k, int l) {
    if (k == l) return k;
    const auto end = a.later.begin() + a.begin[k + 1];
    return a.count() + int(std::lower_bound(a.later.begin() + a.begin[k], end, l) - a.later.begin());
}

namespace {

// Blocks are row major. Products are written out: loops of fixed length that the compiler unrolls cost half of expressions.

// D = U^T diag(d) U in place, U unit upper, 1/d on the diagonal; the lower half is not looked at
template <int N> bool factor_block(Real* d) {
    for (int i = 0; i < N; ++i) {
        if (!(d[N * i + i] > 0)) return false;
        d[N * i + i] = 1 / d[N * i + i];
        for (int j = i + 1; j < N; ++j) {
            const Real u = d[N * i + j] * d[N * i + i];
            for (int k = j; k < N; ++k) d[N * j + k] -= u * d[N * i + k];
            d[N * i + j] = u;
        }
    }
    return true;
}

// the columns of b, `width` of them: U^-T b
template <int N, int Width> void solve_lower(const Real* u, Real* b) {
    for (int i = 0; i < N; ++i)
        for (int j = i + 1; j < N; ++j)
            for (int k = 0; k < Width; ++k) b[Width * j + k] -= u[N * i + j] * b[Width * i + k];
}

// blocks (k, l) become Y = U^-T A; then A_lm -= Y_l^T diag(1/d) Y_m
template <int N> bool factor(BlockChain& a) {
    const int n = a.count();
    const int* target = a.target.data();
    Real z[N * N];
    for (int k = 0; k < n; ++k) {
        Real* u = a.block(k);
        if (!factor_block<N>(u)) return false;
        for (int i = a.begin[k]; i < a.begin[k + 1]; ++i) solve_lower<N, N>(u, a.block(n + i));
        for (int i = a.begin[k]; i < a.begin[k + 1]; ++i) {
            const Real* y = a.block(n + i);
            for (int r = 0; r < N; ++r)
                for (int c = 0; c < N; ++c) z[N * r + c] = y[N * r + c] * u[N * r + r];
            for (int j = i; j < a.begin[k + 1]; ++j) {
                Real* to = a.block(*target++);
                const Real* other = a.block(n + j);
                for (int r = 0; r < N; ++r)
                    for (int c = 0; c < N; ++c) {
                        Real sum = z[r] * other[c];
                        for (int t = 1; t < N; ++t) sum += z[N * t + r] * other[N * t + c];
                        to[N * r + c] -= sum;
                    }
            }
        }
    }
    return true;
}

template <int N> void solve(const BlockChain& a, Real* x) {
    const int n = a.count();
    const auto block = [&](int i) { return a.value.data() + std::size_t(i) * N * N; };
    for (int k = 0; k < n; ++k) {
        const Real* u = block(k);
        Real* at = x + std::size_t(k) * N;
        solve_lower<N, 1>(u, at);
        for (int r = 0; r < N; ++r) at[r] *= u[N * r + r];
        for (int i = a.begin[k]; i < a.begin[k + 1]; ++i) {
            const Real* y = block(n + i);
            Real* to = x + std::size_t(a.later[i]) * N;
            for (int c = 0; c < N; ++c) {
                Real sum = y[c] * at[0];
                for (int r = 1; r < N; ++r) sum += y[N * r + c] * at[r];
                to[c] -= sum;
            }
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        const Real* u = block(k);
        Real* at = x + std::size_t(k) * N;
        for (int i = a.begin[k]; i < a.begin[k + 1]; ++i) {
            const Real* y = block(n + i);
            const Real* from = x + std::size_t(a.later[i]) * N;
            for (int r = 0; r < N; ++r) {
                Real sum = y[N * r] * from[0];
                for (int c = 1; c < N; ++c) sum += y[N * r + c] * from[c];
                at[r] -= sum * u[N * r + r];
            }
        }
        for (int i = N - 1; i >= 0; --i)
            for (int j = i + 1; j < N; ++j) at[i] -= u[N * i + j] * at[j];
    }
}

} // namespace

bool factor_block_chain(BlockChain& a) { return a.width == 3 ? factor<3>(a) : factor<6>(a); }

void solve_block_chain(const BlockChain& a, std::span<Real> x) {
    if (a.width == 3) solve<3>(a, x.data());
    else solve<6>(a, x.data());
}

} // namespace sinew
