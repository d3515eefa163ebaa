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

template <int N> using Block = Eigen::Map<Eigen::Matrix<Real, N, N, Eigen::RowMajor>>;
template <int N> using ConstBlock = Eigen::Map<const Eigen::Matrix<Real, N, N, Eigen::RowMajor>>;
template <int N> using Part = Eigen::Map<VecN<N>>;

// D = U^T diag(d) U in place, U unit upper, 1/d on the diagonal; the lower half is not looked at
template <int N> bool factor_block(Block<N>& d) {
    for (int i = 0; i < N; ++i) {
        if (!(d(i, i) > 0)) return false;
        d(i, i) = 1 / d(i, i);
        for (int j = i + 1; j < N; ++j) {
            const Real u = d(i, j) * d(i, i);
            for (int k = j; k < N; ++k) d(j, k) -= u * d(i, k);
            d(i, j) = u;
        }
    }
    return true;
}

// columns of b: U^-T b
template <int N, class B> void solve_lower(const ConstBlock<N>& d, B& b) {
    for (int i = 0; i < N; ++i)
        for (int j = i + 1; j < N; ++j) b.row(j) -= d(i, j) * b.row(i);
}

// blocks (k, l) become Y = U^-T A; then A_lm -= Y_l^T diag(1/d) Y_m
template <int N> bool factor(BlockChain& a) {
    const int n = a.count();
    const int* target = a.target.data();
    for (int k = 0; k < n; ++k) {
        Block<N> d(a.block(k));
        if (!factor_block<N>(d)) return false;
        const ConstBlock<N> u(a.block(k));
        for (int i = a.begin[k]; i < a.begin[k + 1]; ++i) {
            Block<N> y(a.block(n + i));
            solve_lower<N>(u, y);
        }
        for (int i = a.begin[k]; i < a.begin[k + 1]; ++i) {
            Eigen::Matrix<Real, N, N, Eigen::RowMajor> z = ConstBlock<N>(a.block(n + i));
            for (int r = 0; r < N; ++r) z.row(r) *= u(r, r);
            for (int j = i; j < a.begin[k + 1]; ++j)
                Block<N>(a.block(*target++)).noalias() -= z.transpose().lazyProduct(ConstBlock<N>(a.block(n + j)));
        }
    }
    return true;
}

template <int N> void solve(const BlockChain& a, Real* x) {
    const int n = a.count();
    const auto block = [&](int i) { return ConstBlock<N>(a.value.data() + std::size_t(i) * N * N); };
    for (int k = 0; k < n; ++k) {
        const ConstBlock<N> u = block(k);
        Part<N> at(x + std::size_t(k) * N);
        solve_lower<N>(u, at);
        for (int r = 0; r < N; ++r) at[r] *= u(r, r);
        for (int i = a.begin[k]; i < a.begin[k + 1]; ++i)
            Part<N>(x + std::size_t(a.later[i]) * N).noalias() -= block(n + i).transpose().lazyProduct(at);
    }
    for (int k = n - 1; k >= 0; --k) {
        const ConstBlock<N> u = block(k);
        Part<N> at(x + std::size_t(k) * N);
        for (int i = a.begin[k]; i < a.begin[k + 1]; ++i) {
            VecN<N> z = block(n + i).lazyProduct(Part<N>(x + std::size_t(a.later[i]) * N));
            for (int r = 0; r < N; ++r) at[r] -= z[r] * u(r, r);
        }
        for (int i = N - 1; i >= 0; --i)
            for (int j = i + 1; j < N; ++j) at[i] -= u(i, j) * at[j];
    }
}

} // namespace

bool factor_block_chain(BlockChain& a) { return a.width == 3 ? factor<3>(a) : factor<6>(a); }

void solve_block_chain(const BlockChain& a, std::span<Real> x) {
    if (a.width == 3) solve<3>(a, x.data());
    else solve<6>(a, x.data());
}

} // namespace sinew
