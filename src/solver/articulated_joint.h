// Kinematics of one joint: pose, motion subspace, bias, stepping along the manifold, and the way back from poses.
#pragma once
#include "solver/articulated_tree.h"

namespace sinew {

int coordinate_count(JointType);
int speed_count(JointType);

// the coordinates at which both joint frames coincide
void set_zero(JointType, Real* q);

// R_J(q), t_J(q)
void joint_pose(JointType, const Real* q, Quat& rotation, Vec3& translation);

// Columns of E and T in axes of A.
struct JointSubspace {
    Eigen::Matrix<Real, 3, 6> e = Eigen::Matrix<Real, 3, 6>::Zero(), t = Eigen::Matrix<Real, 3, 6>::Zero();
};
void joint_subspace(JointType, const Real* q, JointSubspace&);
// E' q': the part of the relative spin's rate that is not from q'' (T is constant for every kind)
Vec3 joint_spin_bias(JointType, const Real* q, const Real* qd);

// q_out = q moved by the tangent step d (v_count numbers): rotations by exp(d) q, angles and ways by addition
void retract_joint(JointType, const Real* q, const Real* d, Real* q_out);

// the tangent step d from one to the other, rotations by the shorter way: retract_joint(q, d) = q_to
void tangent_to(JointType, const Real* q, const Real* q_to, Real* d);

// Rate of the tangent coordinate u at q(u) = retract(q0, u) when the speed is w: u' = w - u x w / 2 + u x (u x w) / 12 for
// rotations (next term u^4), u' = w otherwise. Lie-group Runge-Kutta of order 4 needs it (Munthe-Kaas 1998).
void tangent_rate(JointType, const Real* u, const Real* w, Real* rate);

// Nearest coordinates to a relative pose; angles come out nearest to those already in q (whole turns are kept).
void fit_joint(JointType, const Quat& rotation, const Vec3& translation, Real* q);

// Displacement of the joint's springs: q itself, or the rotation vector of quaternions (v_count numbers).
void joint_displacement(JointType, const Real* q, Real* out);

} // namespace sinew
