// The contract of all linear solvers: A x = b with A symmetric, positive definite on the free directions.
//
//   analyse(pattern, fixed)   once per pattern and mask: ordering, symbolic factorisation, all memory
//   factor(A, projectors)     once per matrix of that pattern: numeric factorisation or preconditioner
//   solve(b, x)               once per right-hand side; x is output only and zero on fixed blocks
//
// Fixed blocks are eliminated, projected blocks (filter.h) move in the range of their projector only.
// Prescribed non-zero values of fixed blocks go to the right-hand side first (move_fixed_to_rhs). Trouble is
// a returned status, never an abort or a print. Results do not depend on the number of threads, and a new
// solver analysed again gives the same bits as one that is kept. After analyse, factor and solve allocate
// nothing themselves (CHOLMOD and Eigen take work space inside their numeric factorisation).
#pragma once
#include "linalg/filter.h"
#include <memory>
#include <string>
#include <string_view>

namespace sinew {

struct LinearInfo {
    bool ok = true;                     // x solves the system to the tolerance of the solver
    bool not_positive_definite = false; // of factor, or of solve when cg met d^T A d <= 0
    int iterations = 0;                 // of cg; 0 for direct solvers
    Real residual = 0;                  // of solve: |S (b - A x)| / |S b|, S the filter; absolute if S b = 0
    std::string message; // what happened when ok is false; x is then the last finite iterate or zero
};

struct LinearSettings {
    std::string ordering = "amd";          // of the direct solvers, see orderings()
    std::string preconditioner = "jacobi"; // of cg, see preconditioners()
    Real tolerance = 1e-6;                 // of cg: relative, in the norm of the preconditioner
    int max_iterations = 1000;             // of cg
};

struct LinearSolver {
    virtual ~LinearSolver() = default;
    virtual LinearInfo analyse(const BlockPattern& pattern, FixedMask fixed) = 0;
    virtual LinearInfo factor(const Parallel& parallel, const BlockSparse& A,
                              std::span<const BlockProjector> projectors) = 0;
    virtual LinearInfo solve(const Parallel& parallel, std::span<const Real> b, std::span<Real> x) = 0;
    virtual void set_tolerance(Real) {} // of iterative solvers, relative, for the solves to come
};

struct LinearSolverEntry { // one row in list.cpp
    std::string_view name, doc;
    std::string_view needs; // what it asks of the matrix and of the build
    bool available;         // in this build
    std::unique_ptr<LinearSolver> (*make)(const LinearSettings&);
};
struct NamedOption {
    std::string_view name, doc;
};
std::span<const LinearSolverEntry> linear_solvers();
std::span<const NamedOption> orderings();
std::span<const NamedOption> preconditioners();
std::string_view default_linear_solver(); // what the name "default" means in this build
// Errors name what is wrong and what is allowed.
Result<std::unique_ptr<LinearSolver>> make_linear_solver(std::string_view name, const LinearSettings&);

// the entries of the list
std::unique_ptr<LinearSolver> make_cholesky(const LinearSettings&); // null without CHOLMOD
std::unique_ptr<LinearSolver> make_ldlt(const LinearSettings&);
std::unique_ptr<LinearSolver> make_cg(const LinearSettings&);
std::unique_ptr<LinearSolver> make_banded(const LinearSettings&);
// half bandwidth in scalars that `banded` finds, the largest of all parts; -1 = it refuses the pattern
int half_bandwidth(const BlockPattern& pattern, FixedMask fixed);

// shared by the implementations
LinearInfo linear_failure(std::string message);
LinearInfo check_analyse_input(const BlockPattern& pattern, FixedMask fixed);
LinearInfo check_factor_input(const BlockPattern& analysed, const BlockSparse& A,
                              std::span<const BlockProjector> projectors);

} // namespace sinew
