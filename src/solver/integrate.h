// Implicit time schemes as minimisation. Each finds one displacement d of the free points and scalars from the
// start of the step with
//   M scale (d - travel) + grad E(x + d) = f(x + d, w),   w = drift + rate d
// which for f = 0 is the minimum of  1/2 scale |d - travel|^2_M + E(x + d)
// (spec P 3.14, U 3.2, U 3.4, C 3.2).
//   h step [s], E potentials at the time of the stage, f forces without potential, w velocity of the stage
//
//   scheme             stage at  scale      rate     travel                         oscillator
//   implicit_euler     t + h     1/h^2      1/h      h v                            |g|^2 = 1/(1 + s^2)
//   implicit_midpoint  t + h/2   4/h^2      2/h      h v/2                          |g| = 1
//   bdf2               t + h     (a0/h)^2   a0/h     a2/a0 (x - x_prev)             stiffly stable
//                                                      + h/a0^2 (a1 v - a2 v_prev)
//   newmark            t + h     1/(b h^2)  g/(b h)  h v + h^2 (1/2 - b) a          |g| = 1 for b = 1/4
//   quasi_static       t + h     0          0        0                              equilibrium, at rest
//
//   s = omega h; b, g Newmark's beta and gamma; a acceleration at the start. Orders 1, 2, 2, 2 (g = 1/2).
//
// BDF2 has the coefficients of the variable step: with r = h/h_prev, a0 = (1 + 2r)/(1 + r), a1 = 1 + r,
// a2 = r^2/(1 + r), so that a rejected and shortened step keeps order 2. The first step, and the first of
// every newly born particle, is implicit Euler: its error h^2 occurs once and leaves order 2 untouched, and
// unlike the trapezoidal rule it damps what is stiff. Newmark starts with the acceleration a = f/m of the
// initial state and computes it for newly born particles too. What is remembered lives in State.memory.
//
// A stage in displacements, not positions: d is small, so velocities d/h keep all their digits.
#pragma once
#include "solver/forces.h"
#include "solver/kinematics.h"

namespace sinew {

enum class Scheme { implicit_euler, implicit_midpoint, bdf2, newmark, quasi_static };
inline constexpr std::array<std::string_view, 5> kSchemeNames{"implicit_euler", "implicit_midpoint", "bdf2",
                                                              "newmark", "quasi_static"};
struct SchemeSettings {
    Scheme scheme = Scheme::implicit_euler;
    Real beta = 0.25, gamma = 0.5; // of newmark
};
Scheme find_scheme(std::string_view name); // implicit_euler if there is no such name

// Three numbers of a flat array that has so many per point.
inline Eigen::Map<Vec3> vec_at(std::span<Real> a, int i) { return Eigen::Map<Vec3>(a.data() + 3 * i); }
inline Eigen::Map<const Vec3> vec_at(std::span<const Real> a, int i) { return Eigen::Map<const Vec3>(a.data() + 3 * i); }
inline Eigen::Map<Vec3> vec_at(std::vector<Real>& a, int i) { return Eigen::Map<Vec3>(a.data() + 3 * i); }

// What stays the same during a step.
struct StepProblem {
    const Parallel& parallel;
    const Model& model;
    const Input& input;
    const State& now;
    Real dt;
};

struct Stage {
    Real elapsed = 0;                // [s] from the start of the step to the stage
    Real scale = 0;                  // [1/s^2] of the inertia
    Real rate = 0;                   // [1/s] dw/dd
    bool is_euler = false;           // w = d/h at the end of the step: dampers may be potentials (energy/viscous.h)
    std::vector<Real3> travel;       // [m] points: displacement without forces
    std::vector<Real3> drift;        // [m/s] points: w at d = 0
    std::vector<Real3> acceleration; // [m/s^2] points at the start (newmark)
    std::vector<Real> scalar_travel, scalar_drift, scalar_acceleration; // the same of the scalars
    ForceScratch forces;             // for the acceleration at the start
    std::vector<Real> f;
};

// Dead particles do not move; everything else that is neither fixed nor passive is an unknown.
inline bool is_unknown(const Model& m, const State& s, int i) {
    return !(m.point.flags[i] & (kFixed | kPassive)) && (s.point.alive.empty() || s.point.alive[i]);
}

inline bool is_unknown_scalar(const Model& m, int i) { return !(m.scalar.flags[i] & kFixed); }

void register_memory(const SchemeSettings&, const Model&, State&);
void build_stage(const StepProblem&, const SchemeSettings&, Stage&);
// positions, velocities and memory of the unknowns at the end of the step; next is a copy of now
void finish_stage(const StepProblem&, const SchemeSettings&, const Stage&, std::span<const Real> d,
                  State& next);

} // namespace sinew
