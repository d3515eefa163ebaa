// Spring, motor or friction of all rotation; the limit holds for each of the three components (joint_drive.h).
//   with stiffness   turn k of b from its target, which turns with a:  A_a <- q_a exp(turn) axes_a   (joint.h)
//   without          spin k: the rate alone, the same at any angle
#pragma once
#include "constraint/joint_drive.h"

namespace sinew {

struct JointDriveTurn : JointDrive<JointDriveTurn> {
    static constexpr std::string_view name = "joint_drive_turn";
    static constexpr std::string_view doc = "spring, motor or friction of any rotation of one body in the other";
    static constexpr int rows = 3, memory_size = 7; // whether commanded, then of each component: position, speed
    static constexpr int sample_kinds = 2;          // spring, servo; rates are no derivatives and have a test of their own

    static Vec3 commanded(const StepContext& c, int first) { return {c.memory[first], c.memory[first + 2], c.memory[first + 4]}; }
    static Vec3 turn(const Data& d, const StepContext& c) { return is_commanded(d, c) ? commanded(c, kPosition) : Vec3(vec(d.turn)); }
    static Vec3 spin(const Data& d, const StepContext& c) { return is_commanded(d, c) ? commanded(c, kSpeed) : Vec3(vec(d.spin)); }
    static Vec3 rate(const Data& d, const StepContext& c) {
        Vec3 out = spin(d, c);
        if (d.stiffness > 0) out = exp_rotation(Vec3(-turn(d, c))) * out;
        return quat(d.anchor.axes[0]).conjugate() * out;
    }
    template <int Order> static auto eval(const Data& d, const StepContext& c, const Stencil<0, 2>& s) {
        LocalRows<rows, 12, Order> out;
        JointAnchor anchor = d.anchor;
        if (d.stiffness > 0) anchor.axes[0] = real4(exp_rotation(turn(d, c)) * quat(anchor.axes[0]));
        const JointPlace at = place_joint(anchor, s);
        for (int k = 0; k < rows; ++k) {
            JointTerm t;
            if (d.stiffness > 0) turn_term(at, k, Order, t);
            else spin_term(at, k, Order, t);
            set_row(t, k, out);
        }
        return out;
    }
    static Sample<JointDriveTurn> sample(Rng& rng, int which) {
        Sample<JointDriveTurn> out = JointDrive<JointDriveTurn>::sample(rng, 2 * which);
        out.data.turn = real3(draw_vec(rng, -0.3, 0.3));
        return out;
    }
};

} // namespace sinew
