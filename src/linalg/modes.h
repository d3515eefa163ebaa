// Lowest eigenpairs of K u = w^2 M u with K symmetric positive semi-definite, M a positive diagonal: vibration modes.
//
// Subspace iteration with shift-invert (Bathe 1971): Y = (K + s M)^-1 M X, M-orthonormal, then the small problem Y^T K Y. The
// shift s > 0 makes the matrix definite where K has rigid modes; convergence per iteration (w_k^2 + s)/(w_p^2 + s), p vectors
// for k modes. Chosen over Lanczos because repeated values (six rigid modes, square sections) need no special care, over
// LOBPCG because the factorisation is there anyway.
#pragma once
#include "linalg/linear_solver.h"

namespace sinew {

struct ModeSettings {
    int count = 10;       // wanted; less if there are not so many free unknowns
    Real shift = 0;       // [1/s^2] s; 0 = a thousandth of the lowest Rayleigh quotient that is not rigid
    Real tolerance = 1e-8; // of |K u - w^2 M u| in the norm of M^-1 against w^2 + s, or what rounding of K u allows;
                           // the error of w^2 is of second order in it
    int max_iterations = 500;
};
struct ModeResult {
    bool ok = false;      // all to the tolerance
    std::string message;  // why not
    int iterations = 0;
    Real residual = 0;    // the largest
    std::vector<Real> squares;             // [1/s^2] w^2, ascending
    std::vector<std::vector<Real>> shapes; // M-orthonormal, zero on fixed blocks
};
ModeResult compute_modes(const Parallel&, const BlockSparse& K, std::span<const Real> mass, FixedMask fixed, LinearSolver&,
                         const ModeSettings&);

} // namespace sinew
