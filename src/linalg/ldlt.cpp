// Linear solver `ldlt`: A = L D L^T by Eigen's up-looking simplicial factorisation, always available. The
// fill-reducing order (approximate minimum degree) is found on the graph of blocks; Eigen then factors the
// upper triangle in natural order without copying it. Serial. A pivot <= 0 is reported as not positive
// definite: the factorisation would exist, but a Newton step from it may go uphill.
#include "linalg/direct.h"
#include <algorithm>
#include <Eigen/SparseCholesky>

namespace sinew {

using EigenMatrix = Eigen::SparseMatrix<Real, Eigen::ColMajor, int>;
using EigenView = Eigen::Map<const EigenMatrix>;

struct Ldlt : LinearSolver {
    LinearInfo analyse(const BlockPattern& pattern, FixedMask fixed) override;
    LinearInfo factor(const Parallel&, const BlockSparse& A, std::span<const BlockProjector>) override;
    LinearInfo solve(const Parallel&, std::span<const Real> b, std::span<Real> x) override;

    DirectSystem system;
    EigenMatrix A;
    Eigen::SimplicialLDLT<EigenMatrix, Eigen::Upper, Eigen::NaturalOrdering<int>> eigen;
    Eigen::VectorXd diagonal; // D; Eigen gives it as a copy
    std::vector<Real> solution;
};

static std::vector<int> find_minimum_degree_order(const BlockGraph& g) {
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
    if (LinearInfo info = begin_analyse(pattern, mask, system); !info.ok) return info;
    const BlockGraph graph = make_block_graph(pattern, mask);
    order_matrix(pattern, graph.free_blocks.empty() ? std::vector<int>{} : find_minimum_degree_order(graph), Triangle::upper, system);
    const ScalarMatrix& matrix = system.matrix;
    const int n = free_count(matrix);
    solution.assign(n, 0.0);
    if (n > 0) {
        A = EigenView(n, n, Eigen::Index(matrix.row.size()), matrix.column_begin.data(), matrix.row.data(),
                      matrix.values.data());
        eigen.analyzePattern(A);
    }
    system.analysed = true;
    return {};
}

LinearInfo Ldlt::factor(const Parallel& parallel, const BlockSparse& given_matrix,
                        std::span<const BlockProjector> given) {
    if (LinearInfo info = take_matrix(parallel, given_matrix, given, system); !info.ok) return info;
    if (free_count(system.matrix) > 0) {
        std::copy(system.matrix.values.begin(), system.matrix.values.end(), A.valuePtr());
        eigen.factorize(A);
        // Eigen stops at a zero pivot only; the negated comparison also catches NaN
        bool positive = eigen.info() == Eigen::Success;
        if (positive) diagonal = eigen.vectorD();
        if (positive)
            for (const Real d : diagonal) positive = positive && d > 0;
        if (!positive) return not_positive_definite();
    }
    system.factored = true;
    return {};
}

LinearInfo Ldlt::solve(const Parallel&, std::span<const Real> b, std::span<Real> x) {
    if (LinearInfo info = take_right_side(b, x, system); !info.ok || free_count(system.matrix) == 0) return info;
    using Vector = Eigen::Map<Eigen::VectorXd>;
    Vector y(solution.data(), Eigen::Index(solution.size()));
    y = Vector(system.rhs.data(), Eigen::Index(system.rhs.size()));
    eigen.matrixL().solveInPlace(y);
    y = (y.array() / diagonal.array()).matrix();
    eigen.matrixU().solveInPlace(y);
    return give_solution(solution, x, system);
}

std::unique_ptr<LinearSolver> make_ldlt(const LinearSettings&) { return std::make_unique<Ldlt>(); }

} // namespace sinew
