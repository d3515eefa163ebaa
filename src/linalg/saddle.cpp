#include "linalg/saddle.h"
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

using Matrix = Eigen::SparseMatrix<Real, Eigen::ColMajor, int>;
using Entry = Eigen::Triplet<Real, int>;

constexpr Real kSolved = 1e-7; // of |b|: beyond that the matrix counts as singular

void add_blocks(const SaddleSystem& s, std::vector<Entry>& out) {
    const BlockPattern& p = s.A.pattern;
    const auto is_fixed = [&](int b) { return !s.fixed.empty() && s.fixed[b]; };
    for (int slot = 0; slot < slot_count(p); ++slot) {
        const int r = p.row[slot], c = p.column[slot];
        const int rows = block_size(p.layout, r), columns = block_size(p.layout, c);
        const int row = p.layout.begin[r], column = p.layout.begin[c];
        if (is_fixed(r) || is_fixed(c)) {
            if (r == c)
                for (int i = 0; i < rows; ++i) out.emplace_back(row + i, row + i, 1);
            continue;
        }
        const Real* v = block_values(s.A, slot);
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < rows; ++i) {
                out.emplace_back(row + i, column + j, v[j * rows + i]);
                if (r != c) out.emplace_back(column + j, row + i, v[j * rows + i]);
            }
    }
}

// which scalars of A are fixed
std::vector<unsigned char> fixed_scalars(const SaddleSystem& s) {
    const BlockLayout& l = s.A.pattern.layout;
    std::vector<unsigned char> out(scalar_count(l), 0);
    for (int b = 0; b < block_count(l); ++b)
        if (!s.fixed.empty() && s.fixed[b])
            for (int i = l.begin[b]; i < l.begin[b + 1]; ++i) out[i] = 1;
    return out;
}

void add_rows(const SaddleSystem& s, const std::vector<unsigned char>& fixed, std::vector<Entry>& out) {
    const int n = int(fixed.size());
    for (std::size_t r = 0; r + 1 < s.J.begin.size(); ++r) {
        const int row = n + int(r);
        out.emplace_back(row, row, s.active[r] ? s.d[r] : 1);
        if (!s.active[r]) continue;
        for (int k = s.J.begin[r]; k < s.J.begin[r + 1]; ++k) {
            if (fixed[s.J.column[k]]) continue;
            out.emplace_back(row, s.J.column[k], s.J.value[k]);
            out.emplace_back(s.J.column[k], row, -s.J.value[k]);
        }
    }
}

// remembers the pattern; false: it is a new one
bool same_pattern(const Matrix& a, std::vector<int>& outer, std::vector<int>& inner) {
    const std::span<const int> o(a.outerIndexPtr(), std::size_t(a.outerSize()) + 1), i(a.innerIndexPtr(), std::size_t(a.nonZeros()));
    if (std::equal(o.begin(), o.end(), outer.begin(), outer.end()) && std::equal(i.begin(), i.end(), inner.begin(), inner.end())) return true;
    outer.assign(o.begin(), o.end());
    inner.assign(i.begin(), i.end());
    return false;
}

} // namespace

struct SaddleSolver::Memory {
    std::vector<Entry> entries;
    Matrix matrix;
    Eigen::SparseLU<Matrix> lu;
    std::vector<int> outer, inner; // pattern that the ordering belongs to
    Eigen::VectorXd b, z;
};
SaddleSolver::SaddleSolver() = default;
SaddleSolver::~SaddleSolver() = default;
SaddleSolver::SaddleSolver(SaddleSolver&&) noexcept = default;
SaddleSolver& SaddleSolver::operator=(SaddleSolver&&) noexcept = default;

LinearInfo solve_saddle(const SaddleSystem& s, std::span<const Real> f, std::span<const Real> g, SaddleSolver& solver,
                        std::span<Real> x, std::span<Real> y) {
    if (!solver.memory) solver.memory = std::make_unique<SaddleSolver::Memory>();
    SaddleSolver::Memory& m = *solver.memory;
    const std::vector<unsigned char> fixed = fixed_scalars(s);
    const int n = int(fixed.size()), rows = int(y.size());
    m.entries.clear();
    add_blocks(s, m.entries);
    add_rows(s, fixed, m.entries);
    m.matrix.resize(n + rows, n + rows);
    m.matrix.setFromTriplets(m.entries.begin(), m.entries.end());
    m.b.resize(n + rows);
    for (int i = 0; i < n; ++i) m.b[i] = fixed[i] ? 0 : f[i];
    for (int r = 0; r < rows; ++r) m.b[n + r] = s.active[r] ? g[r] : 0;

    std::fill(x.begin(), x.end(), 0.0);
    std::fill(y.begin(), y.end(), 0.0);
    if (!m.b.allFinite()) return linear_failure("the right-hand side is not finite");
    if (!same_pattern(m.matrix, m.outer, m.inner)) m.lu.analyzePattern(m.matrix);
    m.lu.factorize(m.matrix);
    if (m.lu.info() != Eigen::Success)
        return linear_failure("the constraints are redundant or contradict each other (give them compliance)");
    m.z = m.lu.solve(m.b);
    const Real norm = m.b.norm();
    LinearInfo info;
    info.residual = (m.b - m.matrix * m.z).norm() / (norm > 0 ? norm : 1);
    if (!(info.residual <= kSolved))
        return linear_failure("the constraints are redundant or contradict each other (give them compliance)");
    std::copy(m.z.data(), m.z.data() + n, x.begin());
    std::copy(m.z.data() + n, m.z.data() + n + rows, y.begin());
    return info;
}

} // namespace sinew
