// Trees of rigid links in generalised coordinates: the plain data of the articulated solver.
//
// A link hangs on its parent by a joint: the joint frame B, fixed in the link, moves relative to the joint frame A, fixed
// in the parent (or in the base, which is held or moved from outside):
//   R_B = R_A R_J(q),   o_B = o_A + R_A t_J(q)
//   relative spin R_A E(q) q', relative velocity of o_B  R_A T(q) q'
//
//   kind         coordinates q                    speeds q'                  E                        T
//   weld         -                                -                          -                        -
//   revolute     angle about x                    its rate                   x                        0
//   prismatic    way along x                      its rate                   0                        x
//   cylindrical  angle about x, way along x       their rates                x 0                      0 x
//   universal    angle about x of A, y of B       their rates                x, R_x(q1) y             0
//   planar       ways along y, z; angle about x   their rates                0 0 x                    y z 0
//   ball         unit quaternion w x y z          spin in axes of A          I                        0
//   free         t in axes of A, quaternion       its rate, spin, in A       0 I                      I 0
//
// Spatial vectors are in world axes with the link's centre of mass as reference point: velocity (v, w), force (f, torque).
// That is the tangent layout of a frame, so that rows made for frames act on links as they are, and moving from a link to
// its parent only needs the lever r between the two centres.
#pragma once
#include "core/math.h"
#include "sinew/model.h"
#include <span>
#include <vector>

namespace sinew {

enum class JointType : std::uint8_t { weld, revolute, prismatic, cylindrical, universal, planar, ball, free };

struct JointFrame { // fixed in a body, whose origin is the centre of mass
    Vec3 at = Vec3::Zero();           // [m]
    Quat axes = Quat::Identity();     // joint -> body
};

struct Link {
    int parent = -1;                  // link before this one, -1 = base
    int base = -1;                    // parent -1: which of Forest.base_frames it hangs on, -1 = the world
    int frame = -1;                   // of the model
    int tree = 0;
    JointType kind = JointType::free;
    JointFrame a, b;                  // on the parent, on this link
    Real mass = 1;                    // [kg]
    Mat3 inertia = Mat3::Identity();  // [kg m^2] about the centre of mass in body axes
    int q_begin = 0, v_begin = 0;     // written by finish_forest
    int q_count = 0, v_count = 0;
};

// Joint forces, per speed: -stiffness (q - rest) - damping (q' - speed). Ball and free joints: q is the rotation vector.
struct JointSpring {
    Real stiffness = 0;               // [N/m] or [N m/rad]
    Real rest = 0;                    // [m] or [rad]
    Real damping = 0;                 // [N s/m] or [N m s/rad]
    Real speed = 0;                   // [m/s] or [rad/s]
    Real armature = 0;                // [kg] or [kg m^2] inertia of the drive, adds to the joint's own
};

struct Forest {
    std::vector<Link> links;          // parents first, trees one after another
    std::vector<JointSpring> springs; // per speed
    std::vector<int> base_frames;     // held frames that links hang on
    std::vector<Range> trees;         // of links
    std::vector<Range> tree_speeds;   // of speeds
    int q_count = 0, v_count = 0;
};

// Fills counts, offsets and tree ranges from parents and kinds; springs become one per speed (those given are kept).
// False if a parent does not come before its child in the same tree.
bool finish_forest(Forest&);

// Where a base is and how it moves.
struct BaseMotion {
    Vec3 p = Vec3::Zero();            // [m]
    Quat q = Quat::Identity();
    Vec6 v = Vec6::Zero();            // [m/s], [rad/s]
    Vec6 a = Vec6::Zero();            // [m/s^2], [rad/s^2]
};
// All bases, one of them perhaps elsewhere: trees on their way each have their own moment, and none copies the others' bases.
struct Bases {
    std::span<const BaseMotion> all;
    int moved = -1;                   // -1 = none
    const BaseMotion* to = nullptr;   // where that one is
    Bases() = default;
    Bases(std::span<const BaseMotion> bases) : all(bases) {}
    Bases(const std::vector<BaseMotion>& bases) : all(bases) {}
    const BaseMotion& operator[](int base) const { return base == moved ? *to : all[base]; }
};

// What the coordinates make of a link at one moment.
struct LinkMotion {
    Vec3 p = Vec3::Zero();            // [m] centre of mass
    Quat q = Quat::Identity();        // body -> world
    Mat3 inertia = Mat3::Zero();      // [kg m^2] about the centre in world axes
    Vec3 r = Vec3::Zero();            // [m] from the parent's centre to this one
    Vec3 rho = Vec3::Zero();          // [m] from the joint point o_B to the centre
    Quat axes_a = Quat::Identity();   // R_A: joint axes -> world
    Mat6 s = Mat6::Zero();            // motion subspace, the first v_count columns
    Vec6 v = Vec6::Zero();            // velocity
    Vec6 c = Vec6::Zero();            // acceleration that is not from joint accelerations: a = X a_parent + c + s q''
};

} // namespace sinew
