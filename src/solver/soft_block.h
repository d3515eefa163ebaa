// Packed contacts of soft_contact.h: the layout, and the table of loops over it. Nothing but plain arrays,
// because a source compiled for AVX2 must share no inline function with the others.
#pragma once

namespace sinew {

inline constexpr int kSoftLanes = 8;
inline constexpr int kSoftPoints = 4;

// Velocity and displacement of one body, in registers of eight numbers each
template <class S> struct alignas(8 * sizeof(S)) SoftBody {
    S v[8]{}; // linear [m/s], angular [rad/s], 0, 0
    S d[8]{}; // displacement [m], rotation vector [rad] since detection, 0, 0
};
template <class S, int N> struct alignas(N * sizeof(S)) SoftLane { S v[N]; };
template <class S, int N> struct SoftPoint {
    using Lane = SoftLane<S, N>;
    Lane ja[3], jb[3];       // r x n; until prepared: r
    Lane gap, mass, impulse; // [m] when found, 1/K [kg], [N s]
    Lane separation;         // [m] where the bodies have got to: found by relaxing, the next solve is at the same place
    Lane peak, approach;     // largest impulse, and rate at the beginning [m/s]
    Lane arm;                // [m] distance from the centre of the points
};
template <class S, int N> struct SoftBlock {
    using Lane = SoftLane<S, N>;
    int a[N], b[N], manifold[N]; // -1 = lane not used
    int points = 0;              // most of its manifolds
    bool rolls = false, bounces = false;
    bool round = false;          // all inertias are the same about all axes
    Lane normal[3], tangent[3]; // second tangent: n x t; until prepared: impulse of friction
    Lane mass_a, mass_b, inertia_a[6], inertia_b[6]; // inverses
    Lane friction, torsion, rolling, restitution;
    Lane bias_rate, mass_scale, impulse_scale;
    Lane drive[3]; // along n, t0, t1; until prepared: world
    SoftPoint<S, N> point[kSoftPoints];
    Lane center_a[3], center_b[3];              // [m] centre of the points from the centres of mass
    Lane friction_mass[3], friction_impulse[2]; // K^-1 as 00 11 01
    Lane spin_mass, spin_impulse;
    Lane roll_mass[3], roll_impulse[3]; // impulse: t0, t1; until prepared: world
};

// What the loops need of SoftParameters
template <class S> struct SoftNumbers {
    S h, inverse_h;
    S push_speed, slop, bounce_speed;
};
// Each runs over the blocks [begin, end).
template <class S, int N> struct SoftLoops {
    using Block = SoftBlock<S, N>;
    void (*prepare)(Block*, int begin, int end, const SoftBody<S>*);
    void (*warm_start)(Block*, int begin, int end, SoftBody<S>*);
    void (*solve)(Block*, int begin, int end, const SoftNumbers<S>&, SoftBody<S>*);
    void (*relax)(Block*, int begin, int end, const SoftNumbers<S>&, SoftBody<S>*);
    void (*bounce)(Block*, int begin, int end, const SoftNumbers<S>&, SoftBody<S>*);
};
extern const SoftLoops<float, kSoftLanes> kSoftLoopsPlain, kSoftLoopsAvx2;
extern const SoftLoops<float, 1> kSoftLoopsOne;
extern const SoftLoops<double, 1> kSoftLoopsDouble;

} // namespace sinew
