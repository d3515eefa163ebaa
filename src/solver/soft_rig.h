// Joints of any kind between bodies in the soft step, four clusters of the same shape at a time: hinges, welds, sliders, limits, motors,
// springs, friction, loops. The fast path of soft_joint.h, which has the formulas of the rows and is the oracle; trees of ball joints
// alone have a cheaper one (soft_tree.h).
//
// All rows have a softness s, rigid ones a trace of their diagonal. The impulses dp of (J W J^T + s) dp = -r are therefore found
// from the velocities, in blocks of 6 x 6 per body whatever rows there are:
//   (M + J^T sigma J) du = -J^T sigma r,   dp = -sigma (r + J du),   sigma = active/s
// Lanes may differ in which bounded rows take part: those that do not have sigma = 0. Rounds go on until every lane is within its
// bounds, with zero on the right for those that are. Numbers are double: 1/trace is 1e5, which single precision does not bear.
//   joint   what has the same two bodies and the same anchor: rows of a ball joint, of its limits, motor and friction
//   J       from arms and axes turned with their bodies, r = exp(theta) r_0, without going through the Rows
// Packed: clusters of frames with joint_* rows only, of at most kSoftRigBodies bodies.
#pragma once
#include "core/parallel.h"
#include "model/element.h"
#include "solver/soft_rig_block.h"
#include "solver/velocity_problem.h"
#include <array>

namespace sinew {

struct SoftJointGroup;
struct SoftJointOptions;
struct JointSource;

// which group, and which of its rows
struct SoftRigSource { int group = -1, row = 0; };

// of clusters of one shape
struct SoftRigPlan {
    std::vector<int> shape;
    std::vector<int> body;          // in the order of elimination, held ones last: their place by number
    std::vector<SoftRigJointKind> joints;
    std::vector<SoftRigRowKind> rows;
    std::vector<int> begin, row, update;
    int moving = 0, slides = 0;
};
struct SoftRigBatch {
    int plan = 0;
    int body = 0, joint = 0, row = 0, slide = 0, diagonal = 0, factor = 0; // first ones
    bool ready = false;
};
struct SoftRigs {
    std::vector<SoftRigPlan> plans;
    std::vector<SoftRigBatch> batches;
    std::vector<SoftRigBody> bodies;
    std::vector<SoftRigJoint> joints;
    std::vector<SoftRigRow> rows;
    std::vector<SoftRigSlide> slides;
    std::vector<SoftRigDiagonal> diagonals;
    std::vector<SoftRigMatrix> factors;
    // -1 = lane not used. Bodies: their number; joints: the group that has the anchor and the one that holds the place
    std::vector<std::array<int, kSoftRigLanes>> number, anchor, place;
    std::vector<std::array<SoftRigSource, kSoftRigLanes>> source; // of rows
    std::vector<Real> error;        // [m/s, rad/s] per batch
    bool avx2 = false;
};

// Whether the rows of a table can be packed: a number above 0 that says which they are, 0 = no, -1 = it depends on the element.
int find_rig_table(const Table&);
int find_rig_element(const Table&, int element, const Evaluation& at);

// Which clusters are packed: per cluster its groups, from `begin` on in `list`, and whether it has loops. Called when what is joined to what
// has changed.
void plan_soft_rigs(const JointSource&, std::span<const SoftJointGroup> groups, std::span<const int> begin, std::span<const int> list, SoftRigs&);
void clear_soft_rigs(SoftRigs&);
// Numbers of a step, where the bodies are at its start.
void pack_soft_rigs(const Parallel&, const SoftJointOptions&, const JointSource&, std::span<const SoftJointGroup> groups,
                    const std::vector<int>& place, const RowProblem&, SoftRigs&);
void refresh_soft_rigs(const Parallel&, const SoftJointOptions&, bool moved, const std::vector<SoftBody<float>>& bodies, SoftRigs&);
void warm_start_soft_rigs(const Parallel&, SoftRigs&, std::vector<SoftBody<float>>& bodies);
// Returns the largest rate of a rigid row before.
Real solve_soft_rigs(const Parallel&, const SoftJointOptions&, SoftRigPass, SoftRigs&, std::vector<SoftBody<float>>& bodies);
void read_soft_rigs(int substeps, std::span<const SoftJointGroup> groups, const SoftRigs&, RowProblem&);

} // namespace sinew
