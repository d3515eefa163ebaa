// Packed joints of any kind (soft_rig.h): the layout, and the table of loops over it. Nothing but plain arrays, because a
// source compiled for AVX2 must share no inline function with the others.
#pragma once
#include "solver/soft_block.h"

namespace sinew {

inline constexpr int kSoftRigLanes = 4;
inline constexpr int kSoftRigBodies = 64; // most of a packed cluster, with held ones
using SoftRigLane = SoftLane<double, kSoftRigLanes>;

struct SoftRigBody {
    int place[kSoftRigLanes];           // among the bodies stepped, -1 = lane not used
    SoftRigLane inverse_mass, inverse_inertia[6], mass, inertia[6]; // xx yy zz xy xz yz
    SoftRigLane turned[3];              // [rad] when it was factored
};
struct SoftRigJoint {
    SoftRigLane axes_a[4], axes_b[4];   // the joint's axes at the start of the step: quaternions, scalar first
    SoftRigLane start_a[3], start_b[3], start_d[3]; // [m] arms and x_b - x_a there
    SoftRigLane ra[3], rb[3], d[3];     // [m] in this sub-step
    // three rows that hold the place, C = d
    SoftRigLane gain, bend[3], softness[3], sigma[3], impulse[3], right[3];
};
// a row beside those of places: J = (-n, ta, n, tb), for angles (0, -tb, 0, tb)
struct SoftRigRow {
    SoftRigLane tb[3];
    SoftRigLane c, shift, angle;        // C = shift + sign term; twist: its angle at the start of the step
    SoftRigLane rate, gain, softness, low, high, impulse;
    SoftRigLane active, sigma;          // 1 or 0; active/softness
    SoftRigLane right;                  // minus what it makes zero, then the change of the impulse
};
struct SoftRigSlide { SoftRigLane n[3], ta[3]; };
struct SoftRigDiagonal { SoftRigLane v[21], inverse[6]; }; // lower part by rows, then L with a unit diagonal, and 1/D
struct SoftRigMatrix { SoftRigLane v[36]; };               // row major

enum class SoftRigTerm : unsigned char { cross, turn, twist, swing, slide, length, cardan, spin }; // joint.h of the constraints
struct SoftRigRowKind {
    SoftRigTerm term = SoftRigTerm::cross;
    unsigned char j = 0, k = 0;         // axes
    bool soft = false, one_sided = false, bounded = false, position = true;
    int slide = -1;                     // of slide and length: in the slides
    double sign = 1;
};
struct SoftRigJointKind {
    int a = 0, b = 0;                   // bodies
    int row = 0, end = 0;               // rows
    int block = -1;                     // of the matrix between them, -1 = one is held
    bool a_is_row = false;              // it has the rows of that block
    bool place = false, soft = false, bends = false;
};
// Who is joined to whom, the same for all clusters of a batch. Bodies that move come first, in the order of elimination; the blocks of
// the factor below the diagonal stand column by column.
struct SoftRigOrder {
    int bodies = 0, moving = 0, joints = 0, rows = 0, blocks = 0;
    const SoftRigJointKind* joint = nullptr;
    const SoftRigRowKind* row_kind = nullptr;
    const int *begin = nullptr, *row = nullptr; // blocks of column k: begin[k] .. begin[k + 1], with the rows row[e]
    // for each column, for its blocks e and for f from its first one to e: what L_e Y_f^T is taken from: the diagonal of a body, or
    // moving + block
    const int* update = nullptr;
};
struct SoftRigView {
    SoftRigOrder order;
    SoftRigBody* body = nullptr;
    SoftRigJoint* joint = nullptr;
    SoftRigRow* row = nullptr;
    SoftRigSlide* slide = nullptr;
    SoftRigDiagonal* diagonal = nullptr;
    SoftRigMatrix* factor = nullptr;
    bool* ready = nullptr;              // factored near this place with these rows
    double error = 0;                   // [m/s, rad/s] largest of rigid rows before the solve
};
enum class SoftRigPass : unsigned char { first, again, relax };
struct SoftRigNumbers {
    double h = 0;                       // [s] of a sub-step
    double trace = 0;                   // softness of rigid rows, part of the diagonal
    bool begins = false;                // the first sub-step
    SoftRigPass pass = SoftRigPass::first;
};
struct SoftRigLoops {
    void (*refresh)(SoftRigView&, const SoftRigNumbers&, const SoftBody<float>*);
    void (*warm_start)(SoftRigView&, SoftBody<float>*);
    void (*solve)(SoftRigView&, const SoftRigNumbers&, SoftBody<float>*);
};
extern const SoftRigLoops kSoftRigLoopsPlain, kSoftRigLoopsAvx2;

} // namespace sinew
