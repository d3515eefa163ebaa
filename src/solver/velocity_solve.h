// Methods for the impulses of one island (velocity_problem.h). Each starts from the impulses that are there, with the
// velocities that belong to them, and leaves both at the end. The same fixed point for all: r and p complementary with
// respect to the set of each group.
#pragma once
#include "solver/velocity_problem.h"
#include <memory>

namespace sinew {

struct Trace;

struct SolveOptions {
    SetOptions sets;
    int iterations = 50;
    Real tolerance = 1e-8;  // [m/s]
    Real relaxation = 1;
    Real momentum_factor = 0, momentum_power = 0.6; // of jacobi: beta_k = min(1, a (k/n)^b) (spec U080)
    bool split_masses = true;    // of jacobi
    bool single_tangent = false; // sweeps: one row of friction along the slip, not two (spec U 3.8.5)
    bool accepts = true;         // of direct: what the impulses at the start solve within the tolerance
    bool kkt = false;            // of direct: equalities by the saddle-point matrix (velocity_kkt.h), not the Schur complement
    Trace* trace = nullptr; // per iteration the natural residual, sums of what is left, momentum
};
struct SolveResult {
    int iterations = 0;
    Real residual = 0;      // [m/s] natural residual
};
// What belongs together: bodies that can move, and groups, both ascending.
struct IslandView {
    std::span<const int> bodies, groups;
};
struct SolveScratch;        // memory of the methods, one per worker
struct SolveScratchDelete {
    void operator()(SolveScratch*) const;
};
using SolveScratchPtr = std::unique_ptr<SolveScratch, SolveScratchDelete>;
SolveScratchPtr make_solve_scratch();
// As much room for each as for the largest: which worker takes which island is open, and none is to allocate later than the others.
void share_room(std::span<const SolveScratchPtr>);

// Gauss-Seidel (spec P 3.18): row after row; a group after another with its rows at once
SolveResult solve_sequential(const SolveOptions&, const IslandView&, RowProblem&);
SolveResult solve_block(const SolveOptions&, const IslandView&, RowProblem&);
// Gradients of the dual problem, scaled by group: projected Jacobi with split masses, Nesterov's acceleration with
// restarts (Mazhar et al. 2015), spectral steps of Barzilai and Borwein
SolveResult solve_jacobi(const SolveOptions&, const IslandView&, SolveScratch&, RowProblem&);
SolveResult solve_apgd(const SolveOptions&, const IslandView&, SolveScratch&, RowProblem&);
SolveResult solve_bb(const SolveOptions&, const IslandView&, SolveScratch&, RowProblem&);
// Newton's method on the velocities; where all rows are equalities the Schur complement or the saddle-point matrix (velocity_direct.cpp)
SolveResult solve_direct(const SolveOptions&, const IslandView&, SolveScratch&, RowProblem&);
// The same; where it finds nothing, as where bodies are squeezed by others that nothing stops, sweeps from no impulses at all:
// the direct method would answer with impulses beyond all bounds
SolveResult solve_direct_or_sweep(const SolveOptions&, const IslandView&, SolveScratch&, RowProblem&);
// Lemke's pivoting with polyhedral friction (velocity_mlcp.cpp)
SolveResult solve_mlcp(const SolveOptions&, const IslandView&, RowProblem&);

// `momentum`: of the iteration that led here
void add_trace(const SolveOptions&, const IslandView&, const RowProblem&, int iteration, Real momentum = 0);

} // namespace sinew
