// Curvatures and twist of two edges of a rod and their derivatives over the eight variables (e, f, angle_e, angle_f):
// formulas at the head of rod_bend_twist.h.
#pragma once
#include "core/math.h"

namespace sinew {

struct RodStrain {
    Real value[3]; // k1, k2, m [rad]
    Real reference_twist;
};
struct RodGradient {
    Real row[3][8]; // of k1, k2, m
};

// directions and first directors at the start; directors given are made perpendicular, others chosen
void place_rod_frames(const Vec3& te, const Vec3& tf, const Vec3& director_e, const Vec3& director_f, Real* frame);
// frames carried to the edges e, f, with their twist
void move_rod_frames(const Real* frame, const Vec3& e, const Vec3& f, Real* moved);
// first director of an edge carried from (t0, d0) to direction t
Vec3 transport_director(const Vec3& t0, const Vec3& d0, const Vec3& t);

RodStrain rod_strain(const Real* frame, const Vec3& e, const Vec3& f, Real angle_e, Real angle_f);
void rod_gradient(const Real* frame, const Vec3& e, const Vec3& f, Real angle_e, Real angle_f, RodGradient&);

VecN<11> spread_rod(const Real (&g)[8]); // over x0 x1 x2 angle_e angle_f
MatN<11> spread_rod(const MatN<8>&);

void rod_hessian(const Real (&stiffness)[3], const Real (&natural)[3], const Real* frame, const Vec3& e, const Vec3& f, Real angle_e,
                 Real angle_f, const RodStrain&, VecN<11>& gradient, MatN<11>& hessian);

} // namespace sinew
