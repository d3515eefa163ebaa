// What acts along a joint's coordinate: springs, motors, servos and friction in one form.
//   force = clamp(stiffness (rest - c) + damping (speed - dc/dt), -limit, limit)
//   c slide [m], twist [rad], an angle of a universal joint [rad], length [m] or the three turns [rad when small] (joint.h)
// A spring has no limit and no speed; a servo is a spring with a limit; a motor has no stiffness, a speed and a limit; friction
// is a motor of speed zero. Without stiffness and damping dual solvers hold the speed exactly as long as the limit allows;
// energy solvers then take the damping that reaches the limit at a speed error of 2 % of the speed and 0.01 rad/s or m/s,
// so that a capped motor creeps by less than that. Targets may come from the input of a step (Input.motors): they stand in
// the memory of the element and hold until others come.
#pragma once
#include "constraint/joint.h"

namespace sinew {

inline constexpr Real kNoLimit = 1e300; // [N, N m]
enum DriveMemory { kCommanded, kPosition, kSpeed, kDriveMemory }; // targets from the input: whether there are, [m, rad], per second

struct DriveParams {
    JointAnchor anchor;
    Real stiffness = 0, damping = 0, rest = 0, speed = 0, limit = kNoLimit;
    Real servant = 0; // 1: a motor, which takes targets from the input and can be switched; 0: a spring or friction
    Real off = 0;     // 1: switched off
    Real coordinate = 0; // axis of a slide, 0 or 1 of a universal joint
    Real order = 0;      // among the motors of its joint: the target of the input with this number is its own
    Real3 turn, spin;    // of all rotation: target from as built, in the first body's axes [rad] rotation vector, [rad/s]
};

template <class D> struct JointDrive {
    static constexpr int points = 0, frames = 2;
    static constexpr bool translation_invariant = true, rotation_invariant = true;
    static constexpr bool driven = true;
    static constexpr int memory_size = kDriveMemory;
    static constexpr int sample_kinds = 6; // spring, motor at its limit, servo; then another coordinate
    using Params = DriveParams;
    using Data = DriveParams;
    template <class V> static void fields(Params& p, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .doc = "force per way [N/m], torque per angle [N m/rad]"});
        v("damping", p.damping, Field{.min = 0, .doc = "force per speed [N s/m, N m s/rad]"});
        v("rest", p.rest, Field{.doc = "value the spring pulls to [m, rad]"});
        v("speed", p.speed, Field{.doc = "rate the damping pulls to [m/s, rad/s]"});
        v("limit", p.limit, Field{.min = 0, .doc = "largest force or torque [N, N m]"});
    }
    static Data prepare(const Params& p, const RestView&) { return p; }
    static Real compliance(const Data& d) { return d.stiffness > 0 ? 1 / d.stiffness : 0; }
    static Real damping(const Data& d) { return d.damping; }
    static Level level(const Data& d) { return d.stiffness > 0 ? Level::position : Level::velocity; }
    static Bound bound(const Data& d) { return limit(d) < kNoLimit ? Bound::box : Bound::equality; }
    static Real limit(const Data& d) { return d.off != 0 ? 0 : d.limit; }
    static Real gain(const Data& d, Real speed) { // damping for energy solvers
        if (d.stiffness > 0 || d.damping > 0) return d.damping;
        return d.limit < kNoLimit ? d.limit / (0.02 * std::abs(speed) + 0.01) : 0;
    }
    static bool is_commanded(const Data& d, const StepContext& c) { return d.servant != 0 && c.memory && c.memory[kCommanded] != 0; }
    static Real rest(const Data& d, const StepContext& c) { return is_commanded(d, c) ? c.memory[kPosition] : d.rest; }
    static Real speed(const Data& d, const StepContext& c) { return is_commanded(d, c) ? c.memory[kSpeed] : d.speed; }
    static auto rate(const Data& d, const StepContext& c) {
        return VecN<D::rows>(VecN<D::rows>::Constant(speed(d, c)));
    }
    template <int Order> static auto eval(const Data& d, const StepContext& c, const Stencil<0, 2>& s) {
        LocalRows<D::rows, 12, Order> out;
        const JointPlace at = place_joint(d.anchor, s);
        for (int k = 0; k < D::rows; ++k) {
            JointTerm t;
            D::term(at, int(d.coordinate), rest(d, c), Order, t);
            set_row(t, k, out, 1, -rest(d, c));
        }
        return out;
    }
    static Sample<D> sample(Rng& rng, int which) {
        JointSample made = sample_joint(rng, 0.4);
        made.at.p[1] += draw_uniform(rng, 0.3, 0.6) * draw_direction(rng); // a length has no direction at zero
        DriveParams p{made.anchor, draw_uniform(rng, 1, 10), draw_uniform(rng, 1, 10), draw_uniform(rng, -0.1, 0.1), 0, kNoLimit, 0, 0, 0, 0, {}, {}};
        if (which >= 3) p.coordinate = 1;
        which %= 3;
        if (which == 1) p.stiffness = 0, p.speed = 100, p.limit = draw_uniform(rng, 1e-3, 2e-3);
        if (which == 2) p.limit = 1e6;
        return {p, made.at};
    }
};

} // namespace sinew
