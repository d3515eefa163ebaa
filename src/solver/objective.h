// The objective of one implicit step and its derivatives, over displacements d of points and scalars (integrate.h):
//   Phi(d) = 1/2 scale |d - travel|^2_M + E(x + d) + sum_grabs 1/2 k |x + d - target|^2 - f_input . d
//            - f_lag . (d - d_k)
//   residual = M scale (d - travel) + grad E + grabs - f_input - f(x + d, w)
//   matrix   = M scale + Hess E + grabs + PSD(sym(-df/dx - rate df/dv))        (energy/assemble_hessian.h)
//
// Forces f without potential (dampers, drag) have no energy to search along. They are lagged: in iteration k
// the merit function sees the constant f_lag = f(x + d_k, w_k), a linear term, so that at d_k its gradient is
// the whole residual and the direction -matrix^-1 residual goes down; the next iteration takes the force
// anew. At convergence the residual is that of the whole force: the lag has no part in the result.
// Along a direction p searches add 1/2 a^2 p.D p for the length a, D = PSD(sym(-df/dx - rate df/dv)) at d_k (lag_curvature):
// how the force will have changed there. Without it a damper stiffer than everything else (c/h against m/h^2 and k) is a plain
// load to the search, which then goes on far beyond the minimum of the model; conjugate gradients ended in NaN.
// Viscosity of hinges, membranes and rods is a potential of the step, that of links and solids in steps of implicit Euler
// (energy/viscous.h): nothing lags there.
//
// Scalars count in norms by an arm: sqrt(mass of the scalar / mean mass of the points), so that what is compared with
// forces and speeds of points weighs the same in energy. Fixed scalars go to their target, or turn with their rate ds.
//
// Contacts are found anew in each iteration, with a margin, and become penalty elements with frozen normals and, where a
// solver wants it, friction elements with frozen normal forces; within one line search they stay. Contacts of rods are
// potentials of positions alone.
#pragma once
#include "energy/assemble_hessian.h"
#include "energy/contact_read.h"
#include "energy/gas.h"
#include "solver/integrate.h"
#include "sinew/report.h"
#include "solver/line_search.h"

namespace sinew {

struct Objective {
    // caches, by topology
    int topology = -1;
    const Tables* tables = nullptr;
    Real still = 0;                    // [m/s] set by the solver: slower contact sticks; 0 = no friction
    bool dampers_are_forces = false;   // set by the solver: of links and solids, in steps of implicit Euler too
    bool constraints_are_rows = false; // set by the solver: constraints are no part of Phi (kkt_step.h)
    ElementSet elements;
    ElementSet constraints; // in that case
    HessianPlan constraint_plan;
    Gather potentials, forces;
    HessianPlan plan, contact_plan;
    BlockSparse matrix;
    std::vector<unsigned char> fixed; // blocks that are no unknowns
    bool has_contact_pairs = false;   // this step's contacts have extended the pattern
    bool is_analysed = false;         // the linear solver knows pattern and mask
    bool gas_apart = false;           // set by the solver: dense terms of gases go to `gas`, where nothing is projected
    std::vector<RankOne> gas;         // terms that the matrix lacks

    // the step
    Stage stage;
    Prescribed prescribed;
    PointState points;        // at x + d, velocities w
    FrameState frames;        // at the time of the stage
    AnimatedState animated;   // the same
    ScalarState scalars;      // at s + d, rates w
    std::vector<Real3> no_velocity; // zeros, of statics: what is held may have a speed all the same
    std::vector<Real> no_rate;
    std::vector<Real> arm;    // [m] scalars, see above; 1 for those without mass
    std::vector<Real3> given; // [m] displacement of fixed and passive points at the stage
    std::vector<Real> mass;   // [kg/s^2] scale m + grabs, tangent layout: diagonal of the matrix
    std::vector<Real> input;  // [N] from the input
    Real margin = 0;          // [m] of contact detection
    bool rods_meet = false;   // edges of rods may touch
    std::vector<Real> reach;  // [m] scratch of the two bounds below: per point

    // the iterate
    std::vector<Real> at;       // d_k where residual and lag were taken
    std::vector<Real> gradient; // [N] of potentials, contacts and grabs
    std::vector<Real> force;    // [N] without potential: the lag
    std::vector<Real> residual; // [N] zero where nothing is free
    Real residual_norm = 0;     // [N] largest per point
    Real force_scale = 0;       // [N] largest single force seen in this step
    int not_finite = -1;        // point whose residual is not finite

    // contacts
    PointsScratch detect;
    Contacts contacts;
    FrictionLag friction;
    Tables contact_tables;
    ElementSet touching;
    std::vector<Real> contact_local;
    std::vector<ContactReading> readings;     // scratch of the list below
    std::vector<ContactForce> contact_forces; // of the step, by objects

    std::vector<Real> merit_gradient; // [N] scratch of compute_merit_gradient
    std::vector<Real> partial;
};

// caches, stage and what is prescribed; the lag is zero
void begin_objective(const StepProblem&, const SchemeSettings&, Objective&);
// no velocity for fixed points: place_fixed gives one to those with a target, the others may have one from a
// target that they had in the step before
void stop_fixed(const StepProblem&, PointState&);
// fixed points, passive points and frames of objective.points and .frames where they are at the stage
void place_given(const StepProblem&, Objective&);
// fixed and passive points of d are set to what is prescribed
void set_given(const StepProblem&, const Objective&, std::span<Real> d);
// contacts at the displacement d
void detect_contacts(const StepProblem&, std::span<const Real> d, Objective&);
Merit compute_merit(const StepProblem&, std::span<const Real> d, Objective&);
// gradient of the same function at d, into merit_gradient: the lag stays what it is
void compute_merit_gradient(const StepProblem&, std::span<const Real> d, Objective&);
Real merit_slope(const StepProblem&, std::span<const Real> direction, Objective&); // merit_gradient . direction
Real merit_gradient_square(const StepProblem&, Objective&);                        // |merit_gradient|^2
// curvature of the same function along a direction at the displacement of the last compute_residual
Real merit_curvature(const StepProblem&, const HessianTerms&, std::span<const Real> direction, Objective&);
// p.D p of the forces without potential at the same place: what a search along p adds to the merit, see above. 0: there are none
Real lag_curvature(const StepProblem&, std::span<const Real> direction, Objective&);
// where the points would be without forces, and the given ones where they are put
void start_from_travel(const StepProblem&, const Objective&, std::span<Real> d);
// residual and lag at d
void compute_residual(const StepProblem&, std::span<const Real> d, Objective&);
// residual from points and velocities as they stand, with inertia at d
void compute_residual_here(const StepProblem&, std::span<const Real> d, Objective&);
// residual and gradient -= forces of constraints that are rows
void take_constraint_forces(const StepProblem&, std::span<const Real> push, Objective&);
// matrix at the displacement of the last compute_residual; false: too large
bool compute_matrix(const StepProblem&, const HessianTerms&, Objective&);

// A step that has not converged is kept up to here: speed by the tolerance, residual by the largest force.
inline constexpr Real kFarSpeed = 1e3, kFarForce = 1e-3;

// positions x + d and velocities w of the unknowns into objective.points
void move_points(const StepProblem&, std::span<const Real> d, Objective&);
Evaluation evaluation_at(const StepProblem&, const Objective&);

// How much of a direction may be taken from where contacts were last detected, at most 1: no two edges of rods pass through each
// other, nor touch without being in the list, so that the potential along the way is the one that is searched.
Real bound_direction(const StepProblem&, std::span<const Real> direction, Objective&);
inline constexpr Real kLeastPart = 1e-12; // of a direction: rods that leave less room lie in each other
// The start of the iteration: d of each point of a rod is kept to the same bound, from the start of the step.
void bound_start(const StepProblem&, std::span<Real> d, Objective&);

struct DirectionSize {
    Real largest = 0; // [m] of a point
    Real slope = 0;   // [J] residual . direction
};
DirectionSize measure_direction(const StepProblem&, std::span<const Real> direction, Objective&);
// out = d + length direction
void add_direction(const StepProblem&, std::span<const Real> d, Real length, std::span<const Real> direction,
                   std::span<Real> out);

// work of this step over the displacements of the whole step, where forces are those of the stage
struct StepWork {
    Real damping = 0, friction = 0, external = 0; // [J]
};
StepWork compute_work(const StepProblem&, Objective&, const State& next);

// the end of the step: state, time, memory and work; failed where its energy is not finite
void finish_step(const StepProblem&, const SchemeSettings&, Objective&, std::span<const Real> d, State& next,
                 Report&);

} // namespace sinew
