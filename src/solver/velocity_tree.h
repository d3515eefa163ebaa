// Chains and trees of joints without contacts, in time proportional to their length (spec U049, P122-P124). Per sub-step of h
//   v += h a
//   (J W J^T + softness) p = -(J v - rate + h/2 k + gain C)     one factorisation (linalg/block_chain.h), leaves first
//   v += W J^T p,  x += h v,  q = exp(h w) q
// and at the end of the step Newton's method takes back what is left of C, without velocities. J, C and their signs, k and the
// softness are those of soft_joint.h. The structure is kept from step to step while the same bodies hang together.
//
// What joints pull at swings: a body with force f at the arm r resists a turn with K = k (1 - u u^T), u = r/|r|,
// k = (r . f + |r| |f|)/2 (all of |r| |f| in line, nothing opposite), and steps of h are stable while h^2 K < 4 I only. Trees
// that hang from what is held turn with the inertia I + kInert h^2 K instead of I: the frequency of what is too fast for the
// step goes down to where it is stable, no energy is lost, and what is slow does not notice (with 1/4 this is the trapezoidal
// rule for the velocities in between; more, because K is that of the sub-step before). Free trees take sub-steps instead, since they must
// keep their angular momentum. Sub-steps are also taken for spin: a body turns by at most kTreeTurn in each.
// K of the sub-step before is wrong where the pull grows at once, and then gives energy. Rigid joints of a tree that hangs from what rests do no work: sub-steps
// are halved while they are off by more than kTreeGive of the energy, and velocities are then scaled to T(u') = T(u) + h/2 F (u + u'),
// unless they have lost more than that (velocity_tree_body.h).
#pragma once
#include "core/parallel.h"
#include "linalg/block_chain.h"
#include "model/element.h"
#include "sinew/state.h"
#include "solver/velocity_solve.h"

namespace sinew {

struct TreeOptions {
    Real dt = 0;             // [s] of the step
    bool momentum = true;    // free rotation keeps the angular momentum; otherwise the angular velocity
    int most_substeps = 32;
    int substeps = 0;        // 0: as many as needed
    bool special = true;     // trees of ball joints alone take their own way (velocity_ball_tree.cpp)
};

// Where rows come from and what moves.
struct TreeSource {
    const Model& m;
    const std::vector<Table>& constraints;
    const std::vector<Vec3>&linear, &angular; // accelerations of bodies
    Rows& rows;
};

struct TreeBody {
    int body = 0, frame = -1;       // of the problem; -1: a point
    bool moves = false, round = false; // round: the same inertia about all axes
    Real inverse_mass = 0;
    Mat3 inertia, inverse;          // body axes
    Mat3 W;                         // world axes, of the sub-step
    Mat3 K;                         // [N m/rad]
    Vec6 u;                         // velocity, angular velocity
    Vec6 before;                    // the same at the start of the sub-step
};
struct TreeLink {
    int group = 0, source = 0;      // of the problem, of Rows
    int rows = 0, columns = 0;
    std::array<int, 2> body{-1, -1}; // of the tree
    std::array<int, 2> column{0, 0}; // in J
    bool position = true, bends = false;
};
struct TreeCoupling {               // two links at one body
    int k = 0, l = 0, block = 0;
    std::uint8_t side_k = 0, side_l = 0;
};
struct BallLink {
    std::array<int, 2> body{-1, -1}; // of the tree
    std::array<Real3, 2> local;     // [m] the joint's place in body axes
    std::array<Vec3, 2> arm;        // the same in world axes
    Vec3 c;                         // [m]
    Real weighed[2][9];             // S(r) W
};
struct JointTree {
    std::vector<TreeBody> bodies;   // those that move first
    std::vector<TreeLink> links;    // from the leaves to the root
    std::vector<TreeCoupling> couplings;
    std::vector<std::array<int, 2>> runs; // first group of Rows and number: evaluated together
    std::vector<BallLink> balls;    // per link, where all are rigid ball joints between frames; otherwise empty
    BlockChain matrix;
    std::vector<Real> lever;        // per link J and J W of both sides, width x 6 each
    std::vector<Real> right, impulse, bias, softness; // width per link
    bool held = false;              // hangs from what does not move
    bool workless = false;          // and its joints do no work in this step: all are rigid, and nothing that holds it moves
    bool together = false;          // and they held in the step before: what is lost is an error
    bool corrects = false;          // positions had to be corrected in the last step
    int substeps = 1;
    SolveResult result;
};
struct JointTreeScratch {
    std::vector<JointTree> trees;
    std::vector<int> shape, shape_now; // who is joined to whom
    std::vector<int> place, begin, neighbor, order, depth;
    std::vector<std::array<int, 2>> pairs;
};

// The tree of an island each; to be called before every step, and costs little where nothing has changed.
void build_trees(const Model&, const Rows&, std::span<const IslandView>, const RowProblem&, JointTreeScratch&);
// Moves bodies and velocities of the trees in the state and the problem; impulses of the problem are forces times dt, of the
// step before and of this one.
void step_trees(const Parallel&, const TreeOptions&, const TreeSource&, JointTreeScratch&, RowProblem&, State&);

} // namespace sinew
