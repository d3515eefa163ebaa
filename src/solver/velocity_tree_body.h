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
    Real fall = 0;   // [J] what forces give to bodies at rest in a sub-step
    Real motion = 0; // [J] kinetic energy at the end of the last sub-step, of trees whose joints do no work
};

// kInert and kTurn: by chain100 (bench) over 10 s with 1/4, 1/2 and 0.25 to 1.2 rad: joints tear from 1.2 on, 0.8 leaves up to 2 cm
inline constexpr Real kTreeInert = 0.5;       // part of h^2 K that is added to the inertia
inline constexpr Real kTreeNotice = 0.02;     // h^2 K below this part of the inertia is left out
inline constexpr Real kTreeStable = 1.4;      // [rad] of the fastest swing of a free tree per sub-step
inline constexpr Real kTreeTurn = 0.5;        // [rad] of a body per sub-step
inline constexpr Real kTreeTrace = 1e-12;     // softness of rigid rows, part of their diagonal
inline constexpr Real kTreeFar = 0.75;        // [rad] of a body in a solved sub-step, or in a round of positions: more is too far
inline constexpr int kTreeSlower = 4;         // rounds in which what turns too far is made heavier
inline constexpr Real kTreeGive = 0.1;        // part of the energy that a sub-step may lose and gets back; more is an impact
inline constexpr Real kTreeApart = 0.05;      // [m/s] per m/s, rad/s of the fastest body: joints whose sides differ by more were not held before
inline constexpr Real kTreeSmallWork = 1e-3;  // part of the energy below which nothing is scaled: smooth swings keep their period
inline constexpr int kTreeRounds = 8;         // of Newton's method for the positions
inline constexpr Real kTreeGain = 0.1;        // a factor that does better is kept for the next round
inline constexpr Real kTreeSmallError = 1e-6; // [m, rad] the next round would find its square
inline constexpr Real kTreeNoError = 1e-10;   // [m, rad]

inline bool is_driven(const RowProblem& q, const TreeBody& b) {
    return !b.moves && (q.v[b.body] != Vec3::Zero() || q.w[b.body] != Vec3::Zero());
}

inline bool is_driven_tree(const TreeWalker& d) {
    return std::any_of(d.t.bodies.begin(), d.t.bodies.end(), [&](const TreeBody& b) { return is_driven(d.q, b); });
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

// ---- energy: joints of a tree that hangs from what rests do no work (velocity_tree.h) ----

inline Vec3 turn_momentum(const TreeWalker& d, const TreeBody& b, const Vec3& w) {
    if (b.round) return b.inertia(0, 0) * w;
    const Quat r = quat(d.s.frame.q[b.frame]);
    return r * Vec3(b.inertia * Vec3(r.conjugate() * w));
}
// of the forces, along a displacement u
inline Real force_work(const TreeWalker& d, const TreeBody& b, const Vec6& u) {
    const Real straight = d.from.linear[b.body].dot(u.head<3>()) / b.inverse_mass;
    return b.frame < 0 ? straight : straight + turn_momentum(d, b, d.from.angular[b.body]).dot(u.tail<3>());
}

struct TreeEnergy { // of a solved sub-step
    Real start = 0;            // [J] T(before) + h/2 F . before
    Real motion = 0, work = 0; // [J] T(u), h/2 F . u
    Real fall = 0;             // [J] what forces alone would give to bodies at rest
    Real spin2 = 0;            // [rad^2/s^2] of the fastest body
    Real excess() const { return motion - work - start; }
    Real most() const { return kTreeGive * (std::abs(start) + motion + fall); }
};
// one pass, and few divisions: this is done in every sub-step
inline TreeEnergy measure_energy(const TreeWalker& d) {
    TreeEnergy e;
    const Real h = d.h;
    for (const TreeBody& b : d.t.bodies) {
        if (!b.moves) continue;
        const Vec3 &a = d.from.linear[b.body], &turn = d.from.angular[b.body];
        const Vec3 v = b.before.head<3>(), w = b.before.tail<3>(), v1 = b.u.head<3>(), w1 = b.u.tail<3>();
        const Real half = 0.5 / b.inverse_mass;
        e.start += half * v.dot(v + h * a);
        e.motion += half * v1.squaredNorm();
        e.work += half * h * a.dot(v1);
        e.fall += half * h * h * a.squaredNorm();
        if (b.frame < 0) continue;
        e.start += 0.5 * turn_momentum(d, b, w).dot(w + h * turn);
        e.motion += 0.5 * turn_momentum(d, b, w1).dot(w1);
        if (turn != Vec3::Zero()) e.work += 0.5 * h * turn_momentum(d, b, turn).dot(w1);
        e.spin2 = std::max(e.spin2, w1.squaredNorm());
    }
    return e;
}
inline bool turns_far(const TreeWalker& d, const TreeEnergy& e) { return d.h * d.h * e.spin2 > kTreeFar * kTreeFar; }

// Velocities u of a solved sub-step times the factor s with T(s u) = T(before) + h/2 (F . before + F . s u), the exact balance of
// steps without joints. What is lost by more than kTreeGive is lost: a chain that goes taut stops what hangs on it.
inline void keep_energy(const TreeEnergy& e, TreeWalker& d) {
    d.motion = e.motion, d.fall = e.fall;
    if (std::abs(e.excess()) <= kTreeSmallWork / kTreeGive * e.most()) return;
    const Real square = e.work * e.work + 4 * e.motion * e.start;
    if (!(e.motion > 0) || (e.excess() <= 0 && (!d.t.together || e.excess() < -e.most() || !(square > 0)))) return;
    const Real factor = std::clamp((e.work + std::sqrt(std::max(0.0, square))) / (2 * e.motion), 0.0, e.excess() > 0 ? 1 : 1 + kTreeGive);
    for (TreeBody& b : d.t.bodies)
        if (b.moves) b.u *= factor;
    d.motion *= factor * factor;
}

// Whether joints held in the step before: their sides then differ by the chord of the way alone. What has just been joined or thrown loses energy.
inline bool moves_together(const TreeWalker& d, Real rate, Real chord) {
    Real fastest = 0;
    for (const TreeBody& b : d.t.bodies) fastest = std::max({fastest, b.u.head<3>().norm(), b.u.tail<3>().norm()});
    return rate <= 4 * chord + kTreeApart * fastest;
}

// positions were corrected along the forces, by this work, or against them: velocities, which are stored, are changed by as much
inline void pay_for_places(TreeWalker& d, Real work) {
    if (!d.t.workless || !(std::abs(work) > kTreeSmallWork * (d.motion + d.fall))) return;
    if (!(d.motion > 0) || work > kTreeGive * d.motion) return; // what rests stays at rest
    const Real factor = std::sqrt(std::max(0.0, 1 + work / d.motion));
    load_bodies(d);
    for (TreeBody& b : d.t.bodies)
        if (b.moves) b.u *= factor;
    store_bodies(d);
}

// What turns by more than kTreeFar with u times h becomes heavier, so that it would not with the same energy; false if nothing does. Links of a
// chain that is nearly taut turn by any angle before they stop what is heavy: joints would tear.
inline bool slow_turns(TreeWalker& d, Real h) {
    bool any = false;
    for (TreeBody& b : d.t.bodies) {
        if (!b.moves || b.frame < 0) continue;
        const Real turn = h * b.u.tail<3>().norm();
        if (!(turn > kTreeFar)) continue;
        const Real part = kTreeTurn / turn;
        b.W *= part * part;
        any = true;
    }
    return any;
}
// Sub-steps of a tree: `look` takes arms and forces from where bodies are, `bias` what rows want, `solve` changes u. Returns the solves.
template <class Look, class Bias, class Solve> int walk_tree(TreeWalker& d, const Look& look, const Bias& bias, const Solve& solve) {
    JointTree& t = d.t;
    int solves = 0;
    const auto solve_from_before = [&] {
        if (++solves > 1)
            for (TreeBody& b : t.bodies) b.u = b.before;
        bias(); // the chord by the spin before forces act
        for (TreeBody& b : t.bodies)
            if (b.moves) b.u.head<3>() += d.h * d.from.linear[b.body], b.u.tail<3>() += d.h * d.from.angular[b.body];
        solve();
    };
    const auto refine_and_keep = [&](int& step) {
        TreeEnergy e = measure_energy(d);
        while (t.together && d.o.substeps == 0 && 2 * t.substeps <= d.o.most_substeps && (turns_far(d, e) || std::abs(e.excess()) > e.most())) {
            t.substeps *= 2, step *= 2;
            d.h = d.o.dt / t.substeps;
            set_inertia(d);
            solve_from_before();
            e = measure_energy(d);
        }
        for (int k = 0; k < kTreeSlower && turns_far(d, e) && slow_turns(d, d.h); ++k) {
            solve_from_before();
            e = measure_energy(d);
        }
        keep_energy(e, d);
    };
    for (int step = 0; step < t.substeps; ++step) {
        if (step > 0) look();
        for (TreeBody& b : t.bodies) b.before = b.u;
        set_inertia(d);
        solve_from_before();
        if (t.workless) refine_and_keep(step);
        for (TreeBody& b : t.bodies)
            if (b.moves || is_driven(d.q, b)) move_tree_body(d, b);
    }
    return solves;
}

void step_ball_tree(TreeWalker&);                  // velocity_ball_tree.cpp

} // namespace sinew
