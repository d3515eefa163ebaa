// Joints as objects of the model: an object without unknowns owns the elements of its joint (rows joint_* of the list).
// What one carries, where it stands, its motor; reading and changing them between steps.
#pragma once
#include "constraint/joint.h"
#include "sinew/input.h"

namespace sinew {

// whether a table holds elements of joints: its Data begin with a JointAnchor
bool is_joint_table(const Table&);
const JointAnchor& joint_anchor(const Table&, int element);
// of limits and drives: which of the coordinates that their row knows (joint_limit.h, joint_drive.h); 0 of others
int joint_coordinate(const Table&, int element);
bool is_joint(const Model&, int object);

// What a joint does to its second body, at the joint's place on it, in the world; the first body gets the opposite.
struct JointLoad {
    Vec3 force = Vec3::Zero();          // [N]
    Vec3 torque = Vec3::Zero();         // [N m]
};
// of every object that is a joint, zero for others. Dual solvers leave the forces of the last step in State.memory
// ("force.<row>"); of energy solvers they follow from the state.
void compute_joint_loads(const Model&, const State&, std::vector<JointLoad>& out);

struct JointReading {
    Real error = 0;                     // [m] largest of its rows that keep places
    Real angle_error = 0;               // [rad] largest of its rows that keep directions
    Real slide = 0, twist = 0, swing = 0, length = 0; // coordinates, see joint.h; of planar joints the way along their direction, of universal
                                                      // ones the angle about the axis on the first body
    Real second_slide = 0, second_twist = 0;          // of planar and of universal joints
};
JointReading read_joint(const Model&, const State&, int object);

// Joints whose force or torque is beyond what they bear, sorted.
struct BrokenJoint {
    int object = -1;
    Real force = 0, torque = 0;         // [N, N m]
};
std::vector<BrokenJoint> find_broken_joints(const Model&, const State&);

// The attachment of the scene that an element of attach_point or attach_place belongs to, counted from 1; 0 = it is none.
int attachment_of(const Table&, int element);
// Groups of these (attachments of the scene) that carry more than they bear, with the sum of their forces [N].
std::vector<std::pair<int, Real>> find_broken_attachments(const Model&, const State&);

// Motors: parameters speed, position, limit, stiffness, damping, and on (1 or 0). False: the object has no motor or the
// parameter has another name.
bool set_motor(Model&, int object, std::string_view parameter, Real value);
bool has_motor(const Model&, int object);
bool is_motor_element(const Table&, int element);
// whether an element of joint_drive_turn goes to another rotation than as built, by itself or by a target of the input
bool has_turn_target(const Table&, int element, const Evaluation&);
bool is_motor_number(std::string_view parameter);
// Targets of the input into the memory of the motors, where they hold until others come. Several of one joint go to its motors in the
// order motor, second_motor, twist_motor; the motor of a ball or cone_twist joint takes three: the rotation vector from as built
// and the spin, in the axes of the first body.
void command_motors(const Model&, const Input&, State&);

} // namespace sinew
