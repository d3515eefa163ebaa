// The dual methods of position projection: all rows at once, J renewed in every iteration (spec U 3.6).
//   jacobi                dl = omega D^-1 r, D the diagonal blocks of A. With incidence relaxation (spec U071) D counts each inverse
//                         mass as often as rows meet there: then D - A is positive and Jacobi converges at omega = 1
//   improved_jacobi       dl = omega D^-1 r + beta_k dl,  beta_k = min(1, a (k/n)^b)
//   accelerated_jacobi    the same with Nesterov's beta, restarted when r . dl < 0 or r . D^-1 r grows
//   minres                dl = (r.Ar)/(Ar.Ar) r
//   steepest_descent      dl = (r.r)/(r.Ar) r
//   conjugate_gradients   d = r + beta d, beta = r.r/(r.r before)       erratic on constraints: comparison
//   conjugate_residuals   beta = min(1, r.Ar/(r.Ar before)), step (r.Ad)/(Ad.Ad), at most largest_step/rho(A)
//   power_residuals       the same with the power law for beta
//   apgd, gpminres        gradients on the sets of the multipliers (position_projected.cpp): comparison
//   fast_projection       A dl = r by a direct solve of [M/reach -J^T; J alpha] per iteration (Goldenthal et al. 2007)
//   newton                the same with the curvature of the rows in the first block, and the residual of the motion
// By radius, steps have one length in all iterations, relaxation/rho(A), or rho(D^-1 A) of Jacobi and its relatives (spec U079).
// Multipliers are kept in the sets of their rows after every change (projected gradient, spec U083). Rows of different
// units are brought to one scale by D^-1/2 before residuals are compared; alike rows are left as they are.
// fast_projection and newton solve what is bilateral; contacts are swept after each solve. Rows of whole surfaces and regions
// (position_whole.h) are swept before each iteration and after the last.
#pragma once
#include "linalg/saddle.h"
#include "solver/position_rows.h"
#include "sinew/solver.h"

namespace sinew {

struct DualOptions {
    std::string_view method = "jacobi"; // of the settings, which outlive it
    bool gauss_seidel = false;  // one row after another, in the order of the tables
    bool frozen = false;        // J of the start
    const Real3* start = nullptr; // [m] points there, for packed links
    bool go_on = false;         // from the multipliers that are there
    int iterations = 20;
    Real tolerance = 0;
    Real relaxation = 0.5;
    bool incidence = false;     // DualRows.incidence
    Real momentum_factor = 1, momentum_power = 0.6;
    Real largest_step = 0;
    bool by_radius = false;
    Real damping_time = 0;
    PositionContactOptions contact;
};

struct DualScratch {
    DualRows rows;
    std::vector<Real> r, d, Ad, change, scale, y, power, wanted;
    std::vector<Real3> v_half; // of position_half.h
    // of power iteration: P A z, and the mode of the largest eigenvalue as a displacement, with the number of rows it is of
    std::vector<Real> Pr, mode;
    Real mode_rows = 0;
    // of gradients on sets
    std::vector<Real> metric, push, ascent, z, trial, Bd;
    std::vector<unsigned char> face, face_before;
    // of the direct methods
    std::vector<ElementBlocks> element_blocks;
    std::vector<int> block_ids;
    std::vector<Real> local;
    GatherPlan plan;
    BlockSparse matrix;
    std::vector<Real3> x_predicted, p_predicted;
    std::vector<Real4> q_predicted, q_before;
    std::vector<Real> s_predicted;
    std::vector<unsigned char> fixed, active;
    SparseRows jacobian;
    std::vector<Real> f, x, right;
    SaddleSolver saddle;
    std::vector<Real> partial;
    const void* owner = nullptr;
    int topology = -1;
};
struct DualResult {
    int iterations = 0;
    Real violation = 0; // [m] largest of all rows at the end (position_violation.h)
    bool ok = true;
    std::string message; // why not
};

// Iterates on the unknowns behind `w.to`, which `ev` sees as well, and leaves the multipliers in the tables and contacts.
DualResult solve_dual(const Parallel&, const Model&, const DualOptions&, const Sweep& w, const Evaluation& ev, const FrameState& frames,
                      Trace*, DualScratch&, PositionProblem&, PositionContacts&);

} // namespace sinew
