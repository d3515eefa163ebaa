// What the two ways of stepping a tree of joints share (velocity_tree.h): bodies in and out, and how many sub-steps.
#pragma once
#include "solver/free_rotation.h"
#include "solver/velocity_tree.h"
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace sinew {

struct TreeWalker {
    const TreeOptions& o;
    const TreeSource& from;
    JointTree& t;
    RowProblem& q;
    State& s;
    Real h = 0;
};

// kInert and kTurn: by chain100 (bench) over 10 s with 1/4, 1/2 and 0.25 to 1.2 rad: joints tear from 1.2 on, 0.8 leaves up to 2 cm
inline constexpr Real kTreeInert = 0.5;       // part of h^2 K that is added to the inertia
inline constexpr Real kTreeNotice = 0.02;     // h^2 K below this part of the inertia is left out
inline constexpr Real kTreeStable = 1.4;      // [rad] of the fastest swing of a free tree per sub-step
inline constexpr Real kTreeTurn = 0.5;        // [rad] of a body per sub-step
inline constexpr Real kTreeTrace = 1e-12;     // softness of rigid rows, part of their diagonal
inline constexpr int kTreeRounds = 8;         // of Newton's method for the positions
inline constexpr Real kTreeGain = 0.1;        // a factor that does better is kept for the next round
inline constexpr Real kTreeSmallError = 1e-6; // [m, rad] the next round would find its square
inline constexpr Real kTreeNoError = 1e-10;   // [m, rad]

inline bool is_driven(const RowProblem& q, const TreeBody& b) {
    return !b.moves && (q.v[b.body] != Vec3::Zero() || q.w[b.body] != Vec3::Zero());
}

inline void load_bodies(TreeWalker& d) {
    for (TreeBody& b : d.t.bodies) {
        b.u << d.q.v[b.body], d.q.w[b.body];
        b.inverse_mass = d.q.inverse_mass[b.body];
        if (!b.moves || b.frame < 0) continue;
        const Mat3 inertia = mat(d.from.m.frame.inertia[b.frame]);
        if (inertia == b.inertia) continue;
        b.inertia = inertia;
        b.inverse = inertia.inverse();
        b.round = is_round(inertia);
    }
}

inline void store_bodies(TreeWalker& d) {
    for (const TreeBody& b : d.t.bodies) {
        if (!b.moves) continue;
        const Vec3 v = b.u.head<3>(), w = b.u.tail<3>();
        d.q.v[b.body] = v, d.q.w[b.body] = w;
        if (b.frame < 0) d.s.point.v[b.body] = real3(v);
        else d.s.frame.v[b.frame] = real3(v), d.s.frame.w[b.frame] = real3(w);
    }
}

// how many sub-steps: for the spin, and for what pulls at bodies of free trees
inline int find_substeps(const TreeWalker& d) {
    if (d.o.substeps > 0) return d.o.substeps;
    Real spin2 = 0, swing2 = 0; // squares
    for (const TreeBody& b : d.t.bodies) {
        if (!b.moves || b.frame < 0) continue;
        spin2 = std::max(spin2, b.u.tail<3>().squaredNorm());
        if (d.t.held) continue;
        const Mat3 r = quat(d.s.frame.q[b.frame]).toRotationMatrix();
        swing2 = std::max(swing2, (b.inverse * r.transpose() * b.K * r).trace());
    }
    const Real most = std::max({1.0, d.o.dt * std::sqrt(spin2) / kTreeTurn, d.o.dt * std::sqrt(swing2) / kTreeStable});
    return int(std::min(Real(d.o.most_substeps), std::ceil(most - 1e-9)));
}

// What a turn of a body is resisted with by the force f at r: k (1 - u u^T), k = (r . f + |r| |f|)/2
inline void add_turn_stiffness(const Vec3& r, const Vec3& f, Mat3& K) {
    const Real r2 = r.squaredNorm(), stiff = 0.5 * (r.dot(f) + std::sqrt(r2 * f.squaredNorm()));
    if (!(r2 > 0)) return;
    const Vec3 part = (stiff / r2) * r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) K(i, j) += (i == j ? stiff : 0) - part[i] * r[j];
}

// world inertia of the sub-step
inline void set_inertia(TreeWalker& d) {
    const Real stiff = kTreeInert * d.h * d.h;
    for (TreeBody& b : d.t.bodies) {
        if (!b.moves || b.frame < 0) continue;
        const bool stiffens = d.t.held && stiff * b.K.trace() > kTreeNotice * b.inertia.trace();
        if (b.round && !stiffens) {
            b.W = b.inverse;
            continue;
        }
        const Mat3 r = quat(d.s.frame.q[b.frame]).toRotationMatrix();
        if (!stiffens) b.W.noalias() = r * b.inverse * r.transpose();
        else b.W = ((b.round ? b.inertia : Mat3(r * b.inertia * r.transpose())) + stiff * b.K).inverse();
    }
}

void move_tree_body(const TreeWalker&, TreeBody&); // over h by its velocities, which go on
void step_ball_tree(TreeWalker&);                  // velocity_ball_tree.cpp

} // namespace sinew
