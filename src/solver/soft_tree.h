// Trees of ball joints in the soft step, four of the same shape at a time: the fast path of soft_joint.h, which has the formulas.
// Bodies a and b of a joint share a point at the arms r_a, r_b [m] from their centres. Its three rows and their matrix are
//   C = x_b + r_b - x_a - r_a,   J u = v_b + w_b x r_b - v_a - w_a x r_a
//   K_gh = +-(1/m + S(r_g) I^-1 S(r_h)^T)        joints g, h on one body; S(r) u = r x u; + on the same side
// The arms and C of a sub-step follow from those of the start of the step, r = exp(theta) r_0, without going through the Rows.
// K is factored as L D L^T in blocks of 3 x 3 in an order of least degree: from the leaves of a tree nothing fills in. A factor
// holds while no body of the batch has turned by a thousandth.
// Packed: clusters without loops, bounds and other rows, of at most kSoftTreeJoints joints; lanes that are not used have unit masses
// and no place. Numbers are double; velocities of bodies single, as everywhere in the wide soft step. The oracle is soft_joint.cpp.
#pragma once
#include "core/parallel.h"
#include "model/rows.h"
#include "solver/soft_tree_block.h"
#include "solver/velocity_problem.h"
#include <array>

namespace sinew {

struct SoftJointGroup;
struct SoftJointOptions;

// of trees of one shape
struct SoftTreePlan {
    std::vector<int> shape;       // per joint, in the order given: bodies a, b, which of them move
    std::vector<int> joint;       // per joint in the order of elimination: its place in the order given
    std::vector<int> a, b, begin, row, update;
    std::vector<SoftTreeCoupling> coupling;
    std::vector<std::uint8_t> moves; // bodies
};
struct SoftTreeBatch {
    int plan = 0;
    int body = 0, joint = 0, factor = 0; // first ones
    bool ready = false;
};
struct SoftTrees {
    std::vector<SoftTreePlan> plans;
    std::vector<SoftTreeBatch> batches;
    std::vector<SoftTreeBody> bodies;
    std::vector<SoftTreeJoint> joints;
    std::vector<SoftTreeMatrix> factors;
    std::vector<std::array<int, kSoftTreeLanes>> number, group; // of bodies their number, of joints their group; -1 = lane not used
    std::vector<Real> error;      // [m/s] per batch
    bool avx2 = false;
};

// Which trees are packed: per tree its groups, from `begin` on in `tree`. Called when what is joined to what has changed.
void plan_soft_trees(std::span<const SoftJointGroup> groups, std::span<const int> begin, std::span<const int> tree, SoftTrees&);
// Numbers of a step, where the bodies are at its start.
void pack_soft_trees(const Parallel&, const SoftJointOptions&, const Rows&, std::span<const SoftJointGroup> groups,
                const std::vector<int>& place, const RowProblem&, SoftTrees&);
void refresh_soft_trees(const Parallel&, const SoftJointOptions&, const std::vector<SoftBody<float>>& bodies, SoftTrees&);
void warm_start_soft_trees(const Parallel&, SoftTrees&, std::vector<SoftBody<float>>& bodies);
// gain [1/s] of errors. Returns the largest rate before [m/s].
Real solve_soft_trees(const Parallel&, Real gain, SoftTrees&, std::vector<SoftBody<float>>& bodies);
void read_soft_trees(int substeps, std::span<const SoftJointGroup> groups, const SoftTrees&, RowProblem&);

} // namespace sinew
