// Conjugate gradients that control the inertia of the matrix (spec T41, comparison method). The source names the method and gives
// no algorithm; this is the textbook iteration (Hestenes and Stiefel 1952; negative curvature as in Nocedal and Wright 2006, 7.1)
// with the one change that keeps it conjugate and goes on where others stop:
//   insufficient curvature   p.A p <= d rho p.p, rho the largest Rayleigh quotient seen, d = 1e-10
//   then                     A <- A + s r r^T with s such that p.A p = max(|p.A p|, d rho p.p)
// The residual r is orthogonal to all directions before p, so that A p_j is what it was for them: the directions stay conjugate
// under the changed matrix, which is positive on their span, and x lowers its quadratic model in every iteration. In exact
// arithmetic n iterations end it. In rounding, r loses its orthogonality as the condition grows, and with it conjugacy.
#pragma once
#include "core/math.h"
#include <functional>
#include <span>
#include <vector>

namespace sinew {

using LinearMap = std::function<void(std::span<const Real> x, std::span<Real> out)>;

struct ModifiedCgInfo {
    int iterations = 0;
    int modified = 0;    // times that curvature was insufficient
    Real residual = 0;   // |b - A x| / |b| with the changed matrix, by the recurrence
    bool converged = false;
};
// x = A^-1 b from 0; `preconditioner` is positive definite. `conjugacy`, if asked for, gets per iteration the largest
// |p_k.A p_j| / sqrt(p_k.A p_k p_j.A p_j) over the directions before: all of them are kept.
ModifiedCgInfo solve_modified_cg(const LinearMap& A, const LinearMap& preconditioner, Real tolerance, int max_iterations,
                                 std::span<const Real> b, std::span<Real> x, std::vector<Real>* conjugacy = nullptr);

} // namespace sinew
