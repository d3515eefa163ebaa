#include "linalg/saddle.h"
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

using SaddleMatrix = Eigen::SparseMatrix<Real, Eigen::ColMajor, int>;

constexpr Real kSolved = 1e-7; // of |b|: beyond that the matrix counts as singular

// an entry of the matrix, in the order in which they come, and where it is added
struct Entry {
    int row = 0, column = 0, slot = 0;
};

// f(row, column, value) of all entries
template <class F> void for_each_block_entry(const SaddleSystem& s, F&& f) {
    const BlockPattern& p = s.A.pattern;
    const auto is_fixed = [&](int b) { return !s.fixed.empty() && s.fixed[b]; };
    for (int slot = 0; slot < slot_count(p); ++slot) {
        const int r = p.row[slot], c = p.column[slot];
        const int rows = block_size(p.layout, r), columns = block_size(p.layout, c);
        const int row = p.layout.begin[r], column = p.layout.begin[c];
        if (is_fixed(r) || is_fixed(c)) {
            if (r == c)
                for (int i = 0; i < rows; ++i) f(row + i, row + i, 1);
            continue;
        }
        const Real* v = block_values(s.A, slot);
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < rows; ++i) {
                f(row + i, column + j, v[j * rows + i]);
                if (r != c) f(column + j, row + i, v[j * rows + i]);
            }
    }
}
template <class F> void for_each_row_entry(const SaddleSystem& s, const std::vector<unsigned char>& fixed, F&& f) {
    const int n = int(fixed.size());
    for (std::size_t r = 0; r + 1 < s.J.begin.size(); ++r) {
        const int row = n + int(r);
        f(row, row, s.active[r] ? s.d[r] : 1);
        if (!s.active[r]) continue;
        for (int k = s.J.begin[r]; k < s.J.begin[r + 1]; ++k) {
            if (fixed[s.J.column[k]]) continue;
            f(row, s.J.column[k], s.J.value[k]);
            f(s.J.column[k], row, -s.J.value[k]);
        }
    }
}

// which scalars of A are fixed
void find_fixed_scalars(const SaddleSystem& s, std::vector<unsigned char>& out) {
    const BlockLayout& l = s.A.pattern.layout;
    out.assign(scalar_count(l), 0);
    for (int b = 0; b < block_count(l); ++b)
        if (!s.fixed.empty() && s.fixed[b])
            for (int i = l.begin[b]; i < l.begin[b + 1]; ++i) out[i] = 1;
}

} // namespace

// Entries come in the same order as long as the structure is the same: then each is added where it was the last time.
struct SaddleSolver::Memory {
    std::vector<unsigned char> fixed;
    std::vector<Entry> entries;
    SaddleMatrix matrix;
    Eigen::SparseLU<SaddleMatrix> lu;
    bool analysed = false; // the ordering belongs to this pattern
    Eigen::VectorXd b, z, residual;

    // false: the structure is another one
    bool add_values(const SaddleSystem& s) {
        std::fill_n(matrix.valuePtr(), matrix.nonZeros(), 0.0);
        std::size_t at = 0;
        bool same = true;
        const auto add = [&](int row, int column, Real value) {
            same = same && at < entries.size() && entries[at].row == row && entries[at].column == column;
            if (same) matrix.valuePtr()[entries[at++].slot] += value;
        };
        for_each_block_entry(s, add);
        for_each_row_entry(s, fixed, add);
        return same && at == entries.size();
    }
    void build_pattern(const SaddleSystem& s, int size) {
        entries.clear();
        const auto add = [&](int row, int column, Real) { entries.push_back({row, column, 0}); };
        for_each_block_entry(s, add);
        for_each_row_entry(s, fixed, add);
        std::vector<int> order(entries.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = int(i);
        std::sort(order.begin(), order.end(), [&](int a, int b) {
            return std::pair(entries[a].column, entries[a].row) < std::pair(entries[b].column, entries[b].row);
        });
        std::vector<int> row, begin(size + 1, 0);
        for (std::size_t i = 0; i < order.size(); ++i) {
            Entry& e = entries[order[i]];
            const Entry* last = i ? &entries[order[i - 1]] : nullptr;
            if (!last || last->row != e.row || last->column != e.column) row.push_back(e.row), ++begin[e.column + 1];
            e.slot = int(row.size()) - 1;
        }
        for (int c = 0; c < size; ++c) begin[c + 1] += begin[c];
        matrix.resize(size, size);
        matrix.resizeNonZeros(Eigen::Index(row.size()));
        std::copy(begin.begin(), begin.end(), matrix.outerIndexPtr());
        std::copy(row.begin(), row.end(), matrix.innerIndexPtr());
        analysed = false;
    }
};
SaddleSolver::SaddleSolver() = default;
SaddleSolver::~SaddleSolver() = default;
SaddleSolver::SaddleSolver(SaddleSolver&&) noexcept = default;
SaddleSolver& SaddleSolver::operator=(SaddleSolver&&) noexcept = default;

LinearInfo solve_saddle(const SaddleSystem& s, std::span<const Real> f, std::span<const Real> g, SaddleSolver& solver,
                        std::span<Real> x, std::span<Real> y) {
    if (!solver.memory) solver.memory = std::make_unique<SaddleSolver::Memory>();
    SaddleSolver::Memory& m = *solver.memory;
    find_fixed_scalars(s, m.fixed);
    const std::vector<unsigned char>& fixed = m.fixed;
    const int n = int(fixed.size()), rows = int(y.size());
    if (m.matrix.rows() != n + rows || !m.add_values(s)) {
        m.build_pattern(s, n + rows);
        m.add_values(s);
    }
    m.b.resize(n + rows);
    for (int i = 0; i < n; ++i) m.b[i] = fixed[i] ? 0 : f[i];
    for (int r = 0; r < rows; ++r) m.b[n + r] = s.active[r] ? g[r] : 0;

    std::fill(x.begin(), x.end(), 0.0);
    std::fill(y.begin(), y.end(), 0.0);
    if (!m.b.allFinite()) return linear_failure("the right-hand side is not finite");
    if (!m.analysed) m.lu.analyzePattern(m.matrix);
    m.analysed = true;
    m.lu.factorize(m.matrix);
    if (m.lu.info() != Eigen::Success)
        return linear_failure("the constraints are redundant or contradict each other (give them compliance)");
    m.z = m.lu.solve(m.b);
    const Real norm = m.b.norm();
    LinearInfo info;
    m.residual = m.b;
    m.residual.noalias() -= m.matrix * m.z;
    info.residual = m.residual.norm() / (norm > 0 ? norm : 1);
    if (!(info.residual <= kSolved))
        return linear_failure("the constraints are redundant or contradict each other (give them compliance)");
    std::copy(m.z.data(), m.z.data() + n, x.begin());
    std::copy(m.z.data() + n, m.z.data() + n + rows, y.begin());
    return info;
}

} // namespace sinew
