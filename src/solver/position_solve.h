// What the dual methods of position projection (position_dual.h) have in common: one sub-step's rows, the operator on
// multipliers, their sets, and the step of each method.
#pragma once
#include "solver/accelerated_gradient.h"
#include "solver/position_dual.h"

namespace sinew {

// what the methods of residuals carry from one iteration to the next
struct Walk {
    Real before = 0;      // r.Ar, or r.r
    Real largest = 1e300; // step
    Real step = 0;        // of all iterations; 0 = each has its own
    Real beta = 0;        // of the last iteration
};
// what gradient projection carries on (position_projected.cpp)
struct FaceWalk {
    bool on_face = false, met_bound = false;
    Real lipschitz = 0;
    Real before = 0;      // f.Bf
    Real size = 0;        // |f|
    Real beta = 0;
};

inline constexpr int kSumRows = 4096; // per chunk of a sum over rows

struct DualSolve {
    const Parallel& parallel;
    const DualOptions& o;
    const Sweep& w;
    const Evaluation& ev;
    Dofs dofs;
    DualScratch& s;
    PositionProblem& p;
    PositionContacts& contacts;
    bool contacts_are_rows;

    DualRows& rows() const { return s.rows; }
    RowReach reach() const { return {w.h, w.reach, w.kick}; }
    Real dot(const std::vector<Real>& a, const std::vector<Real>& b) const;
    // out = A d, d in the units of lambda
    void apply_operator(const std::vector<Real>& d, std::vector<Real>& out) const;
    // one scale for rows of all units: D^-1/2
    void build_scale() const;
    // multipliers of a group into their set
    void keep_in_set(int g, Real* l) const;
    void keep_all_in_sets(std::vector<Real>& l) const;
    // multipliers to s.wanted, kept in their sets unless told otherwise, unknowns along with them; s.change is what came of it
    void take(bool keep = true) const;
    // [m] of all rows, as largest_violation has it
    Real violation() const;
    // Where a direct solve starts from; what rows outside of it move becomes part of that, or newton would take it back.
    void keep_predicted() const;
    void shift_predicted(Real sign) const; // -1 before they move, 1 after it
    template <class F> void shift_predicted(bool direct, const F& sweep) const {
        if (!direct) return sweep();
        shift_predicted(-1.0);
        sweep();
        shift_predicted(1.0);
    }
    // D^-1 r of a group, D its block of the diagonal
    void divide_by_diagonal(int g, const Real* r, Real* out) const;
    // r.D^-1 r of the rows without bounds: those of open contacts are large and mean nothing
    Real residual_size() const;
    // omega D^-1 r, momentum, sets
    void jacobi(Real omega, Real beta) const;
    // one iteration of minres, steepest descent, conjugate gradients or residuals; false: there is nowhere to go
    bool follow_residual(int k, Walk&) const;
    void descend(const std::vector<Real>& direction, Real step) const;
    // one group after another at the newest unknowns, along the directions in `rows`
    void sweep(bool bounded_only) const;

    // Largest eigenvalue of P A by power iteration (spec U079). P: D^-1 by groups, s.scale^2 or s.push. It begins where the sub-step before
    // ended, s.mode, while the number of rows is the same, and then needs few rounds.
    enum class Precondition { diagonal, scale, metric };
    Real spectral_radius(Precondition) const;

    // Gradient methods on the sets (position_projected.cpp), in a scale that all rows of a group share.
    void build_metric() const;
    void begin_accelerated() const;
    void advance_accelerated(AcceleratedGradient&) const;
    void end_accelerated() const;
    void advance_on_faces(int k, FaceWalk&) const;

private:
    void precondition(Precondition, const std::vector<Real>& r, std::vector<Real>& out) const;
    void build_ascent() const;
    Real scaled_dot(const std::vector<Real>& a, const std::vector<Real>& b) const;
    void apply_scaled(const std::vector<Real>& d, std::vector<Real>& out) const;
    void find_faces() const;
    void to_face(std::vector<Real>&) const;
    Real free_way(const std::vector<Real>& d) const;
    void step_on_face(FaceWalk&) const;
};

} // namespace sinew
