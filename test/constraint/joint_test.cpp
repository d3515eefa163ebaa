// Joints as rows: how many freedoms each leaves, which motions it lets through, and what its rows are when closed.
#include "constraint/assemble.h"
#include "constraint/joint_drive.h"
#include "constraint/joint_hinge.h"
#include "constraint/joint_object.h"
#include "constraint/list.h"
#include "core/random.h"
#include "dense.h"
#include "model/builder.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

// two bodies with a closed joint of the row between them
struct Pair {
    ModelBuilder b;
    JointAnchor anchor;
    Evaluation at;
    Rows rows;
};
void make_pair_with(std::string_view row, Pair& p) {
    Rng rng{11, 1, 0};
    const JointSample made = sample_joint(rng, 0);
    p.anchor = made.anchor;
    for (int i = 0; i < 2; ++i) {
        begin_object(p.b, i ? "b" : "a", "box");
        add_frame(p.b, {real3(made.at.p[i]), real4(made.at.q[i])}, 1, {});
    }
    struct {
        JointAnchor anchor;
        Real numbers[8];
    } params{made.anchor, {}};
    const int joint = begin_object(p.b, "joint", std::string(row));
    add_element(table_of(p.b.tables.constraints, *find_constraint(row)), &params, std::array<int, 2>{0, 1}, {}, joint);
    finish_model(p.b);
    p.at.p = p.b.state.frame.p.data(), p.at.q = p.b.state.frame.q.data();
    build_rows(p.b.model.elements->constraints, dofs_of(p.b.model), p.rows);
    refresh_rows(p.b.model.elements->constraints, p.at, p.rows);
}
MatX jacobian(const Pair& p) {
    return Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(p.rows.jacobian.data(), p.rows.row_count(), 12);
}

} // namespace

// Freedoms of the pair: 12 less the rank of the Jacobian; 6 of them move both bodies as one.
TEST(joints, each_leaves_the_freedoms_of_its_mechanism) {
    const std::pair<std::string_view, int> freedoms[] = {
        {"joint_ball", 3}, {"joint_hinge", 1}, {"joint_universal", 2}, {"joint_weld", 0}, {"joint_slider", 1}, {"joint_cylindrical", 2},
        {"joint_planar", 3}, {"joint_line", 4}};
    for (const auto& [row, left] : freedoms) {
        Pair p;
        make_pair_with(row, p);
        for (Real c : p.rows.c) EXPECT_NEAR(c, 0, 1e-14) << row;
        EXPECT_EQ(12 - rank_of(jacobian(p), 1e-9), 6 + left) << row;
    }
}

// Motion of b about or along the joint's axis on a: the rows of hinge, slider, cylindrical and line joints do not see it.
TEST(joints, free_motions_are_free_and_others_are_not) {
    const auto rates = [](std::string_view row, bool along) {
        Pair p;
        make_pair_with(row, p);
        Stencil<0, 2> s;
        for (int i = 0; i < 2; ++i) s.p[i] = vec(p.at.p[i]), s.q[i] = quat(p.at.q[i]);
        const JointPlace at = place_joint(p.anchor, s);
        const Vec3 axis = at.axes[0].col(0);
        VecX v = VecX::Zero(12);
        if (along) v.segment<3>(6) = axis;
        else v.segment<3>(6) = -axis.cross(at.r[1]), v.segment<3>(9) = axis;
        return (jacobian(p) * v).norm();
    };
    EXPECT_LT(rates("joint_hinge", false), 1e-14);
    EXPECT_NEAR(rates("joint_hinge", true), 1, 1e-14);
    EXPECT_LT(rates("joint_slider", true), 1e-14);
    EXPECT_NEAR(rates("joint_slider", false), 1, 1e-14);
    for (bool along : {false, true}) EXPECT_LT(rates("joint_cylindrical", along), 1e-14);
    for (bool along : {false, true}) EXPECT_LT(rates("joint_line", along), 1e-14);
    EXPECT_LT(rates("joint_planar", false), 1e-14);
    EXPECT_NEAR(rates("joint_planar", true), 1, 1e-14);
    EXPECT_LT(rates("joint_ball", false), 1e-14);
    EXPECT_GT(rates("joint_weld", false), 0.9);
}

TEST(joints, twist_is_the_angle_turned_about_the_axis_also_beyond_half_a_turn) {
    Rng rng{12, 1, 0};
    const JointSample made = sample_joint(rng, 0);
    const Vec3 axis = (made.at.q[0] * quat(made.anchor.axes[0])) * Vec3::UnitX();
    for (Real angle : {-3.0, -1.0, 0.0, 0.3, 2.0, 4.0, 6.0}) {
        Stencil<0, 2> s = made.at;
        s.q[1] = exp_rotation(angle * axis) * s.q[1];
        JointTerm t;
        twist_term(place_joint(made.anchor, s), angle + 0.5, 0, t);
        EXPECT_NEAR(t.c, angle, 1e-13); // counted within half a turn of the centre
        swing_term(place_joint(made.anchor, s), 0, t);
        EXPECT_NEAR(t.c, 0, 1e-7); // an angle near zero from its sine
    }
}

// Angles of a universal joint are those of its two turns, Q = R_x(first) R_y(second), and its rows do not see them.
TEST(joints, cardan_angles_are_those_of_the_two_axes) {
    Rng rng{13, 1, 0};
    const JointSample made = sample_joint(rng, 0);
    const Quat axes = made.at.q[0] * quat(made.anchor.axes[0]);
    for (Real first : {-2.5, -0.4, 0.0, 1.2, 3.0})
        for (Real second : {-1.3, 0.0, 0.7}) {
            Stencil<0, 2> s = made.at;
            const Quat turned = axes * exp_rotation(Vec3(first, 0, 0)) * exp_rotation(Vec3(0, second, 0));
            s.q[1] = turned * quat(made.anchor.axes[1]).conjugate();
            const JointPlace at = place_joint(made.anchor, s);
            JointTerm t;
            cardan_term(at, 0, first + 0.5, 0, t);
            EXPECT_NEAR(t.c, first, 1e-13);
            cardan_term(at, 1, 0, 0, t);
            EXPECT_NEAR(t.c, second, 1e-13);
            cross_term(at, 0, 1, 0, t);
            EXPECT_NEAR(t.c, 0, 1e-14);
        }
}

// The rows of a motor of all rotation that has no stiffness: J v is the relative spin in a's axes at any angle, and the derivative
// of the row along a turn of a or b is what the force of a drive takes for it (drive_of.h).
TEST(joints, rows_of_spin_are_the_relative_angular_velocity_and_have_their_derivative) {
    Rng rng{14, 1, 0};
    const JointSample made = sample_joint(rng, 2);
    const JointPlace at = place_joint(made.anchor, made.at);
    const Vec3 wa = draw_vec(rng, -1, 1), wb = draw_vec(rng, -1, 1);
    VecN<12> v;
    v << draw_vec(rng, -1, 1), wa, draw_vec(rng, -1, 1), wb;
    const Real h = 1e-5; // central differences of rotations: h^2
    for (int k = 0; k < 3; ++k) {
        JointTerm t;
        spin_term(at, k, 2, t);
        EXPECT_NEAR(t.gradient.dot(v), at.axes[0].col(k).dot(wb - wa), 1e-14);
        MatN<12> derivative = t.hessian;
        for (int body : {3, 9}) derivative.block<3, 3>(body, body) -= 0.5 * skew(t.gradient.segment<3>(body));
        for (int i = 0; i < 6; ++i) {
            const int body = i < 3 ? 0 : 1;
            const auto moved = [&](Real by) {
                Stencil<0, 2> s = made.at;
                s.q[body] = exp_rotation(Vec3(by * Vec3::Unit(i % 3))) * s.q[body];
                JointTerm there;
                spin_term(place_joint(made.anchor, s), k, 1, there);
                return there.gradient;
            };
            const VecN<12> slope = (moved(h) - moved(-h)) / (2 * h);
            EXPECT_LT((slope - derivative.col(3 + 6 * body + i % 3)).norm(), 1e-9);
        }
    }
}

// The load on b of a stretched compliant ball joint: -C/alpha, and no moment about the joint.
TEST(joints, load_is_read_at_the_joint) {
    Pair p;
    make_pair_with("joint_ball", p);
    auto tables = std::make_shared<Tables>(*p.b.model.elements);
    struct Params {
        JointAnchor anchor;
        Real compliance;
    } params{p.anchor, 1e-3};
    std::memcpy(tables->constraints[0].data.data(), &params, sizeof params);
    p.b.model.elements = tables;
    vec(p.b.state.frame.p[1]) += Vec3(0.01, 0, 0);
    std::vector<JointLoad> loads;
    compute_joint_loads(p.b.model, p.b.state, loads);
    EXPECT_LT((loads[2].force - Vec3(-10, 0, 0)).norm(), 1e-9);
    EXPECT_LT(loads[2].torque.norm(), 1e-9);
    EXPECT_NEAR(read_joint(p.b.model, p.b.state, 2).error, 0.01, 1e-12);
    // a dual solver's forces have precedence: rows of the last step
    p.b.state.memory.push_back({"force.joint_ball", 1, {1, 2, 3}});
    compute_joint_loads(p.b.model, p.b.state, loads);
    EXPECT_LT((loads[2].force - Vec3(1, 2, 3)).norm(), 1e-12);
    EXPECT_TRUE(is_joint(p.b.model, 2));
    EXPECT_FALSE(is_joint(p.b.model, 1));
}

// Drives as rows: level, limit, damping and rate of a spring, a motor and a motor that is off.
TEST(joints, drives_are_soft_or_bounded_rows) {
    DriveParams spring;
    spring.stiffness = 50, spring.damping = 2;
    using Drive = JointDrive<JointHinge>;
    EXPECT_EQ(Drive::level(spring), Level::position);
    EXPECT_EQ(Drive::bound(spring), Bound::equality);
    EXPECT_DOUBLE_EQ(Drive::compliance(spring), 0.02);
    DriveParams motor;
    motor.speed = 3, motor.limit = 7, motor.servant = 1;
    EXPECT_EQ(Drive::level(motor), Level::velocity);
    EXPECT_EQ(Drive::bound(motor), Bound::box);
    EXPECT_DOUBLE_EQ(Drive::limit(motor), 7);
    motor.off = 1;
    EXPECT_DOUBLE_EQ(Drive::limit(motor), 0);
    EXPECT_EQ(Drive::bound(motor), Bound::box);
}
