// Packed trees of ball joints (soft_tree.h): the layout, and the table of loops over it. Nothing but plain arrays, because a
// source compiled for AVX2 must share no inline function with the others.
#pragma once
#include "solver/soft_block.h"

namespace sinew {

inline constexpr int kSoftTreeLanes = 4;
inline constexpr int kSoftTreeJoints = 32;               // most of a packed tree
inline constexpr int kSoftTreeBodies = 2 * kSoftTreeJoints;  // most, with held ones
using SoftTreeLane = SoftLane<double, kSoftTreeLanes>;

struct SoftTreeBody {
    int place[kSoftTreeLanes];        // among the bodies stepped, -1 = lane not used
    bool moves = false;
    SoftTreeLane mass, inertia[6];    // inverses
    SoftTreeLane turned[3];           // [rad] when it was factored
};
struct SoftTreeJoint {
    SoftTreeLane start_a[3], start_b[3], start_c[3]; // [m] arms and error at the start of the step
    SoftTreeLane ra[3], rb[3], c[3];  // [m] in this sub-step
    SoftTreeLane bend[3];             // [m/s] h/2 k
    SoftTreeLane softness[3], impulse[3];
    SoftTreeLane inverse[6];          // of the pivot; before that the pivot
};
struct SoftTreeMatrix { SoftTreeLane v[9]; }; // row major

// Two joints on one body: what block of the matrix it gives
struct SoftTreeCoupling {
    int block = 0, body = 0, row = 0, column = 0; // joints, row after column
    bool row_is_b = false, column_is_b = false;   // sides
};
// Who is joined to whom, the same for all trees of a batch. Joints are in the order of elimination; the blocks of the factor below
// the diagonal stand column by column.
struct SoftTreeOrder {
    int bodies = 0, joints = 0, blocks = 0, couplings = 0;
    const int *a = nullptr, *b = nullptr;   // bodies of joints
    const int *begin = nullptr, *row = nullptr; // blocks of column k: begin[k] .. begin[k + 1], with the rows row[e]
    // for each column, for its blocks e and for f from its first one to e: what L_e A_f^T is taken from: the pivot of a joint,
    // or joints + block
    const int* update = nullptr;
    const SoftTreeCoupling* coupling = nullptr;
};
struct SoftTreeView {
    SoftTreeOrder order;
    SoftTreeBody* body = nullptr;
    SoftTreeJoint* joint = nullptr;
    SoftTreeMatrix* factor = nullptr;
    bool* ready = nullptr;         // factored near this place
    double error = 0;              // [m/s] largest before the solve
};
struct SoftTreeNumbers {
    double h = 0;                  // [s] of a sub-step
    double trace = 0;              // softness, part of the diagonal
};
struct SoftTreeLoops {
    void (*refresh)(SoftTreeView&, const SoftTreeNumbers&, const SoftBody<float>*);
    void (*warm_start)(SoftTreeView&, SoftBody<float>*);
    void (*solve)(SoftTreeView&, double gain, SoftBody<float>*);
};
extern const SoftTreeLoops kSoftTreeLoopsPlain, kSoftTreeLoopsAvx2;

} // namespace sinew
