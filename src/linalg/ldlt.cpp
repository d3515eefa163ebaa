// Linear solver `ldlt`: A = L D L^T by Eigen's up-looking simplicial factorisation, always available. The
// fill-reducing order (approximate minimum degree) is found on the graph of blocks; Eigen then factors the
// upper triangle in natural order without copying it. Serial. A pivot <= 0 is reported as not positive
// definite: the factorisation would exist, but a Newton step from it may go uphill.
#include "linalg/linear_solver.h"
#include "linalg/scalar_matrix.h"
#include <cmath>
#include <Eigen/SparseCholesky>

namespace sinew {

using EigenMatrix = Eigen::SparseMatrix<Real, Eigen::ColMajor, int>;
using EigenView = Eigen::Map<const EigenMatrix>;

struct Ldlt : LinearSolver {
    LinearInfo analyse(const BlockPattern& pattern, FixedMask fixed) override;
    LinearInfo factor(const Parallel&, const BlockSparse& A, std::span<const BlockProjector>) override;
    LinearInfo solve(const Parallel&, std::span<const Real> b, std::span<Real> x) override;

    bool analysed = false, factored = false;
    BlockSparse filtered; // holds the pattern; values are used when there are projectors
    std::vector<BlockProjector> projectors;
    std::vector<unsigned char> fixed;
    ScalarMatrix matrix;
    EigenMatrix A;
    Eigen::SimplicialLDLT<EigenMatrix, Eigen::Upper, Eigen::NaturalOrdering<int>> eigen;
    std::vector<Real> rhs, solution, rhs_filtered, residual;
};

static std::vector<int> find_block_order(const BlockGraph& g) {
    const int n = int(g.free_blocks.size());
    std::vector<Real> ones(g.row.size(), 1.0);
    const EigenView upper(n, n, Eigen::Index(g.row.size()), g.column_begin.data(), g.row.data(), ones.data());
    EigenMatrix full;
    full = upper.selfadjointView<Eigen::Upper>();
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
    Eigen::AMDOrdering<int>()(full, permutation);
    std::vector<int> order;
    for (int k = 0; k < n; ++k) order.push_back(g.free_blocks[permutation.indices()[k]]);
    return order;
}

LinearInfo Ldlt::analyse(const BlockPattern& pattern, FixedMask mask) {
    analysed = factored = false;
    if (LinearInfo info = check_analyse_input(pattern, mask); !info.ok) return info;
    filtered = make_block_sparse(pattern);
    fixed.assign(mask.begin(), mask.end());
    const BlockGraph graph = make_block_graph(pattern, mask);
    build_scalar_matrix(pattern, graph.free_blocks.empty() ? std::vector<int>{} : find_block_order(graph),
                        Triangle::upper, matrix);
    const int n = free_count(matrix);
    rhs.assign(n, 0.0);
    solution.assign(n, 0.0);
    residual.assign(n, 0.0);
    rhs_filtered.assign(scalar_count(pattern.layout), 0.0);
    if (n > 0) {
        A = EigenView(n, n, Eigen::Index(matrix.row.size()), matrix.column_begin.data(), matrix.row.data(),
                      matrix.values.data());
        eigen.analyzePattern(A);
    }
    analysed = true;
    return {};
}

LinearInfo Ldlt::factor(const Parallel& parallel, const BlockSparse& given_matrix,
                        std::span<const BlockProjector> given) {
    factored = false;
    if (!analysed) return linear_failure("factor was called before analyse");
    if (LinearInfo info = check_factor_input(filtered.pattern, given_matrix, given); !info.ok) return info;
    projectors.assign(given.begin(), given.end());
    if (!projectors.empty()) filter_matrix(parallel, given_matrix, fixed, projectors, filtered);
    if (!copy_values(parallel, projectors.empty() ? given_matrix : filtered, matrix))
        return linear_failure("the matrix has an entry that is not finite");
    if (free_count(matrix) > 0) {
        std::copy(matrix.values.begin(), matrix.values.end(), A.valuePtr());
        eigen.factorize(A);
        // Eigen stops at a zero pivot only; the negated comparison also catches NaN
        bool positive = eigen.info() == Eigen::Success;
        if (positive)
            for (const Real d : eigen.vectorD()) positive = positive && d > 0;
        if (!positive) {
            LinearInfo info = linear_failure("the matrix is not positive definite");
            info.not_positive_definite = true;
            return info;
        }
    }
    factored = true;
    return {};
}

LinearInfo Ldlt::solve(const Parallel&, std::span<const Real> b, std::span<Real> x) {
    std::fill(x.begin(), x.end(), 0.0);
    if (!factored) return linear_failure("solve was called without a factorisation");
    const BlockLayout& layout = filtered.pattern.layout;
    std::copy(b.begin(), b.end(), rhs_filtered.begin());
    apply_filter(layout, {}, projectors, rhs_filtered);
    to_order(matrix, layout, rhs_filtered, rhs);
    LinearInfo info;
    if (free_count(matrix) == 0) return info;
    using Vector = Eigen::Map<Eigen::VectorXd>;
    Vector y(solution.data(), Eigen::Index(solution.size()));
    y = Vector(rhs.data(), Eigen::Index(rhs.size()));
    eigen.matrixL().solveInPlace(y);
    y = (y.array() / eigen.vectorD().array()).matrix();
    eigen.matrixU().solveInPlace(y);
    info.residual = relative_residual(matrix, solution, rhs, residual);
    if (!std::isfinite(info.residual)) return linear_failure("the solution is not finite");
    from_order(matrix, layout, solution, x);
    apply_filter(layout, {}, projectors, x);
    return info;
}

std::unique_ptr<LinearSolver> make_ldlt(const LinearSettings&) { return std::make_unique<Ldlt>(); }

} // namespace sinew
