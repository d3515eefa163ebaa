// Joints of the soft step (soft_step.h): rows in their order. A rigid row has the spring of all joints, a soft one its own
// compliance and damping, which act while relaxing too:
//   p' = p - scale mass (J v - rate + gain s) - keep p,   s = C + J d the error now
#pragma once
#include "solver/soft_contact.h"
#include "solver/velocity_problem.h"

namespace sinew {

struct SoftJointOptions {
    int substeps = 4;
    Real h = 0;               // [s] of a sub-step
    Real hertz = 60, damping = 5; // of the spring of rigid rows: frequency [1/s], ratio
};

struct SoftJointRow {
    int a = -1, b = -1;       // places of bodies
    int row = -1;             // of the problem
    Lever ja, jb, da, db;     // J, W J^T
    Real c = 0, rate = 0, mass = 0, low = 0, high = 0, impulse = 0;
    bool one_sided = false;
    std::array<Real, 3> solve{}, relax{}; // gain, scale, keep
};
struct SoftJoints {
    std::vector<SoftJointRow> rows;
};

// From groups of the problem. `constraints`: rows they come from; `place`: of bodies among those stepped. Impulses of the
// problem are those of a sub-step times their number, here and in read_joints.
void build_joints(const SoftJointOptions&, const std::vector<int>& groups, const Rows* constraints,
                  const std::vector<int>& place, const RowProblem&, SoftJoints&);
template <class S> void warm_start_joints(const SoftJoints&, std::vector<SoftBody<S>>& bodies);
// `spring`: errors are taken back
template <class S> void solve_joints(Real h, bool spring, SoftJoints&, std::vector<SoftBody<S>>& bodies);
void read_joints(int substeps, const SoftJoints&, RowProblem&);

} // namespace sinew
