// Joints of the soft step (soft_step.h). Before every sub-step values and levers are those of the place where the bodies have
// got to, so that what turns fast pulls in the right direction. All rows of joints that hang together form a cluster (a
// tree, or with loops), solved as one block by the Schur complement in the order of a walk:
//   (J W J^T + softness) dp = -(J v - rate + gain C + h/2 k + softness p)
// so that joints are kept to rounding whatever the masses. Bounded rows (limits, motors, friction) take part while they are
// within their bounds, or are drawn inwards from one; those that a solve would take beyond are put at the bound, and the
// others are solved again.
//   C          error at the start of the sub-step; the first solve takes it back, relaxing leaves it alone
//   k          d^2C/dt^2 by the spin alone, w_b x (w_b x r_b) - w_a x (w_a x r_a): velocities then lie along the chord of the
//              way, C stays zero to third order in h, and impulses act along the bisector of two chords: as in SHAKE no energy
//              is lost (velocities in the tangent would lose h w^2 of it per second)
//   softness   alpha/(h (alpha c + h)) of a soft row with damping c; rigid rows have a trace of their diagonal, so that
//              redundant ones share what they carry: without it what their errors disagree in would become impulses
// Loops may be singular, where a wanted rate other than zero asks for any speed: they have no k.
// A cluster whose factor would be too large falls apart into its joints, solved one after another. Clusters are packed, four of one
// shape at a time: trees of ball joints (soft_tree.h), and others up to 64 bodies (soft_rig.h). What is left, and double precision, is
// solved here.
#pragma once
#include "core/parallel.h"
#include "linalg/envelope.h"
#include "model/element.h"
#include "solver/soft_contact.h"
#include "solver/soft_rig.h"
#include "solver/soft_tree.h"
#include "solver/velocity_problem.h"

namespace sinew {

// a vector into lane l of packed numbers
template <int N> void put3(SoftLane<double, N>* lane, int l, const Vec3& a) {
    for (int c = 0; c < 3; ++c) lane[c].v[l] = a[c];
}

struct SoftJointOptions {
    int substeps = 4;
    Real h = 0;                   // [s] of a sub-step
    Real pull = 0.3;              // part of the error of rigid rows that a sub-step takes back
    Real trace = 1e-5;            // softness of rigid rows, part of their diagonal
    bool packs = false;           // clusters go to soft_tree.h and soft_rig.h where they can
};

// Where values and levers come from. `at`: the start of the step.
struct JointSource {
    const std::vector<Table>* constraints = nullptr;
    Rows* rows = nullptr;
    Dofs dofs;
    Evaluation at;
};

struct SoftJointRow {
    Lever ja, jb, da, db;         // J, W J^T
    Real c = 0, rate = 0, gain = 0, low = 0, high = 0, impulse = 0;
    Real softness = 0;            // of soft rows their own, of rigid ones a trace
    Real bend = 0;                // h/2 k
    bool is_soft = false, active = true;
    int at = -1;                  // in the cluster's matrix
};
struct SoftJointGroup {
    int a = -1, b = -1;           // places of bodies
    int body_a = -1, body_b = -1; // in the problem
    bool moves_a = false, moves_b = false;
    bool bounded = false, one_sided = false, position = false;
    bool bends = false;           // its first three rows hold a point of both bodies together along world axes, and have k
    bool is_ball = false;         // these are all its rows, and rigid
    bool a_is_plus = false;       // such a joint: C = x_a - x_b
    bool packed = false;          // it is in a packed cluster, and has no rows here
    bool is_soft = false;         // compliant, or damped
    int rig = 0;                  // what rows it has in soft_rig.h, 0 = it cannot be there
    int group = 0;                // of the problem
    int row = 0, rows = 0;        // here
    int source = 0;               // group of the constraints' Rows
};
// two sides of groups on one body
struct JointCoupling {
    int g = 0, h = 0;             // groups, g not before h in the order of the cluster
    std::uint8_t side_g = 0, side_h = 0;
};
struct JointCluster {
    std::vector<int> groups;      // along the walk
    std::vector<int> lowest;      // of each: the first one that shares a body with it
    std::vector<JointCoupling> couplings;
    std::vector<std::array<int, 2>> active; // group and row
    std::vector<int> offset, first; // first active row of each group, one more at the end; first column of each active row
    Envelope matrix;
    std::vector<Real> right;
    std::vector<int> bounded;     // groups
    Real error = 0;               // [m/s, rad/s] of rigid rows, before the last solve
    std::vector<int> bodies;      // of the problem
    std::vector<int> places;      // of these
    std::vector<Vec3> turned;     // [rad] of these where the levers are taken that are factored
    bool loops = false;
    bool packed = false;          // in soft_tree.h or soft_rig.h
    bool ready = false, solvable = false; // factored for the rows that are active
};
struct SoftJoints {
    std::vector<SoftJointGroup> groups;
    std::vector<SoftJointRow> rows;
    std::vector<std::array<int, 2>> runs; // groups with successive elements of one table
    std::vector<JointCluster> clusters;
    SoftTrees trees;
    SoftRigs rigs;
    std::vector<int> rig_tables;  // per table of constraints
    std::vector<std::array<int, 2>> components; // clusters that share bodies, directly or not; packed ones are none
    int cluster_count = 0;
    std::vector<int> shape, shape_now;    // who is joined to whom; kept while it does not change
    std::vector<Real3> x, p;              // of points and frames during the step
    std::vector<Real4> q;
    std::vector<int> root, begin, neighbor, order, place, count;
};

// From groups of the problem, in its order. `place`: of bodies among those stepped. Impulses of the problem are those of a sub-step
// times their number, here and in read_joints.
void build_joints(const Parallel&, const SoftJointOptions&, const JointSource&, const std::vector<int>& groups,
                  const std::vector<int>& place, const RowProblem&, SoftJoints&);
// At the start of a sub-step: values, levers and factors where the bodies are.
template <class S>
void refresh_joints(const Parallel&, const SoftJointOptions&, const JointSource&, bool moved, const std::vector<int>& place,
                    const RowProblem&, const std::vector<SoftBody<S>>& bodies, SoftJoints&);
template <class S> void warm_start_joints(const Parallel&, SoftJoints&, std::vector<SoftBody<S>>& bodies);
// first: errors are taken back, and it is seen which bounded rows take part; again: the same rows or fewer; relax: errors stay.
enum class JointPass : std::uint8_t { first, again, relax };
// Returns the largest error of a rigid row before [m/s]: what others than joints have done.
template <class S> Real solve_joints(const Parallel&, const SoftJointOptions&, JointPass, SoftJoints&, std::vector<SoftBody<S>>& bodies);
void read_joints(int substeps, const SoftJoints&, RowProblem&);

} // namespace sinew
