// Where ways lead and how fast (model/way.h), and how fast motions are (model/motion_rate.h), against closed forms and differences.
#include "core/math.h"
#include "model/builder.h"
#include "model/emit.h"
#include "model/motion_rate.h"
#include "model/visit.h"
#include "model/way.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

constexpr double kRounding = 1e-12;
const Vec3 kX = Vec3::UnitX(), kY = Vec3::UnitY(), kZ = Vec3::UnitZ();

Signal signal_of(const char* text) {
    Symbols names;
    add_slot(names, "t", 0), add_slot(names, "frame", 1);
    const ExpressionResult r = compile_expression(text, names);
    EXPECT_TRUE(r.value.has_value()) << text;
    return {0, *r.value};
}
Motion moving() {
    Motion m;
    m.moves = true;
    return m;
}
Motion spinning(double rate, const Real3& center, const Real3& axis = {0, 0, 1}) {
    Motion m = moving();
    m.has_spin = m.spin.has_center = true;
    m.spin.axis = axis, m.spin.rate = rate, m.spin.center = center;
    m.spin.ramp.to = INFINITY;
    return m;
}
Motion keyed(MotionBetween between) {
    Motion m = moving();
    m.between = between;
    m.at_times = m.rotate_times = {0, 0.5, 1.25, 2};
    m.at_keys = {{0, 0, 0}, {1, 2, 0}, {-1, 1, 3}, {0, 0, 1}};
    const Vec3 turns[] = {{0, 0, 0}, {1, 0.5, 0}, {0, -1, 2}, {0.3, 0, 1}};
    for (const Vec3& r : turns) m.rotate_keys.push_back(real4(exp_rotation(r)));
    return m;
}
MotionRate rate_at(const Motion& m, double t) {
    MotionRate rate;
    evaluate_motion(m, t, {}, rate);
    return rate;
}

// central differences: delta^2/6 times a third derivative of up to 300, and rounding/delta
void expect_differences(const Motion& m, double t) {
    constexpr double delta = 1e-5, near = 1e-8;
    const Pose before = evaluate_motion(m, t - delta), after = evaluate_motion(m, t + delta);
    const MotionRate rate = rate_at(m, t);
    EXPECT_LT((rate.velocity - (vec(after.position) - vec(before.position)) / (2 * delta)).norm(), near) << "at " << t;
    EXPECT_LT((rate.spin - log_rotation(quat(after.rotation) * quat(before.rotation).conjugate()) / (2 * delta)).norm(), near) << "at " << t;
}

// one body, and a way of it or of nothing
struct Stage {
    Model model;
    State before, after;
    Stage(int bodies, double h) {
        ModelBuilder b;
        begin_object(b, "bodies", "box");
        for (int k = 0; k < bodies; ++k) add_frame(b, {}, 1, Real33{1, 0, 0, 0, 1, 0, 0, 0, 1});
        finish_model(b);
        model = b.model, before = after = b.state;
        after.time = h;
    }
    void take(std::vector<Way> ways) { model.ways = std::make_shared<const Ways>(Ways{std::move(ways)}); }
    Moved at(int way, double t) const { return moved_at(model, way, t, {before, after}); }
};

} // namespace

TEST(motion_rate, is_the_derivative_of_every_kind_of_motion) {
    std::vector<Motion> all = {spinning(3, {0.5, 1, 0}), keyed(MotionBetween::smooth), keyed(MotionBetween::linear), keyed(MotionBetween::ease)};
    Motion m = keyed(MotionBetween::smooth);
    m.repeat = true;
    m.container = {{1, 2, 3}, real4(exp_rotation({0.4, -1, 0.7}))};
    m.rest = {{0.3, 0.1, -0.2}, real4(exp_rotation({1, 1, 0}))};
    m.has_move = m.has_rotate = m.has_spin = m.has_slide = m.spin.has_center = true;
    m.move = {signal_of("sin(3*t)"), signal_of("0.02*frame + t^2"), signal_of("exp(-t)*abs(t - 10)")};
    m.rotate_axis = {0, 0.6, 0.8}, m.rotate_angle = signal_of("cos(2*t) + t");
    m.spin = {.axis = {1, 0, 0}, .rate = 2, .ramp = {0.1, 1.9, 0.6}, .center = {1, 0, 0}};
    m.slide = {.velocity = {0, 1, 2}, .ramp = {0.2, 1.7, 0.3}};
    all.push_back(m);
    for (const Motion& motion : all)
        for (double t : {0.15, 0.33, 0.61, 0.99, 1.31, 1.55, 1.83, 2.4, 7.3}) expect_differences(motion, t);
}

TEST(motion_rate, at_corners_is_that_of_what_begins_and_never_more_than_both_sides) {
    Motion m = moving();
    m.between = MotionBetween::linear;
    m.at_times = {0, 1, 2}, m.at_keys = {{0, 0, 0}, {2, 0, 0}, {6, 0, 0}};
    for (double d : {1e-3, 1.2e-4, 1e-5, 1e-12}) EXPECT_NEAR(rate_at(m, 1 - d).velocity.x(), 2, kRounding) << d;
    for (double d : {0.0, 1e-12, 1.2e-4}) EXPECT_NEAR(rate_at(m, 1 + d).velocity.x(), 4, kRounding) << d;
    EXPECT_EQ(rate_at(m, 0).velocity.x(), 2);
    EXPECT_EQ(rate_at(m, 2).velocity.x(), 0);
    EXPECT_EQ(rate_at(m, -1).velocity.x(), 0);
}

TEST(motion_rate, of_jumps_is_none) {
    Motion m = moving(); // a millimetre now and then, at 10 m/s
    m.has_at = true;
    m.at = {signal_of("10*t + 0.001*floor(7*t)"), make_signal(0), make_signal(0)};
    for (int k = 1; k < 7; ++k)
        for (double d : {-1e-4, -1e-9, 0.0, 1e-9}) EXPECT_NEAR(rate_at(m, k / 7.0 + d).velocity.x(), 10, kRounding);
    EXPECT_EQ(rate_at(keyed(MotionBetween::hold), 1.25).velocity, Vec3(Vec3::Zero()));
}

TEST(motion_rate, is_finite_where_the_motion_ends) {
    Motion m = moving();
    m.has_at = true;
    m.at = {signal_of("(1 - t)^1.5"), signal_of("t < 1 ? (1 - t)^0.5 : 2*t"), make_signal(0)};
    EXPECT_EQ(rate_at(m, 1).velocity, Vec3(0, 2, 0));
    EXPECT_NEAR(rate_at(m, 0.75).velocity.x(), -1.5 * 0.5, kRounding);
    m.at.x = signal_of("t^0.5");
    EXPECT_EQ(rate_at(m, 0).velocity, Vec3(Vec3::Zero())) << "where it is not, it is none";
}

TEST(way, of_motions_three_deep_multiplies_them) {
    // each turns about its own place in the axes of the one before
    Stage s(0, 0.1);
    std::vector<Way> ways(3);
    const double rate[] = {1, -2, 5};
    for (int k = 0; k < 3; ++k) {
        ways[std::size_t(k)].parent = k - 1;
        ways[std::size_t(k)].has_motion = true;
        ways[std::size_t(k)].motion = spinning(rate[k], {double(k), 0, 0});
        ways[std::size_t(k)].rest = ways[std::size_t(k)].motion.rest = {{double(k), 0, 0}, {}};
    }
    s.take(std::move(ways));
    for (double t : {0.0, 0.03, 0.1}) {
        const double a = t, b = a - 2 * t, c = b + 5 * t; // angles in the world
        const auto arm = [](double angle) { return Vec3(std::cos(angle), std::sin(angle), 0); };
        const Moved moved = s.at(2, t);
        const Vec3 x = moved.place({3, 0, 0}), expected = arm(a) + arm(b) + arm(c);
        EXPECT_LT((x - expected).norm(), kRounding);
        EXPECT_LT((moved.velocity_at(x) - kZ.cross(1 * arm(a) - 1 * arm(b) + 4 * arm(c))).norm(), kRounding);
        EXPECT_LT((moved.spin - 4 * kZ).norm(), kRounding);
        EXPECT_LT((moved.back(x) - 3 * kX).norm(), kRounding);
    }
}

TEST(way, of_a_free_body_counts_whole_turns) {
    for (double turns : {0.3, -0.45, 0.7, 1.0, -1.2, 2.0, 6.4}) {
        Stage s(1, 0.05);
        Way way;
        way.frame = 0;
        s.take({way});
        const Vec3 axis = Vec3(1, 2, 2) / 3, w = 2 * kPi * turns / 0.05 * axis;
        s.before.frame.w[0] = s.after.frame.w[0] = real3(w);
        s.after.frame.q[0] = real4(exp_rotation(2 * kPi * turns * axis));
        for (double part : {0.0, 0.25, 0.6, 1.0}) {
            const Moved moved = s.at(0, part * 0.05);
            const Quat turn = exp_rotation(2 * kPi * turns * part * axis);
            EXPECT_LT((moved.place(kX) - turn * kX).norm(), 1e-7) << turns << " turns"; // the axis of an angle that is hardly one
            EXPECT_LT((moved.spin - w).norm(), 1e-9 * w.norm());
        }
    }
}

TEST(way, of_held_bodies_is_the_scripts_where_they_are_there_and_even_where_they_are_not) {
    Stage s(2, 0.1);
    std::vector<Way> ways(2);
    for (int k = 0; k < 2; ++k) {
        Way& w = ways[std::size_t(k)];
        w.frame = k, w.parent = k - 1, w.has_motion = true;
        s.model.frame.flags[std::size_t(k)] |= kFixed;
        w.motion = spinning(10, {}, k ? Real3{0, 1, 0} : Real3{0, 0, 1});
    }
    s.take(std::move(ways));
    const auto expected = [](double t) { return Quat(exp_rotation(10 * t * kZ) * exp_rotation(10 * t * kY)); };
    s.after.frame.q[0] = real4(exp_rotation(1 * kZ)), s.after.frame.q[1] = real4(expected(0.1));
    for (double t : {0.0, 0.025, 0.1}) {
        EXPECT_LT((s.at(1, t).place(kX) - expected(t) * kX).norm(), kRounding);
        EXPECT_LT((s.at(1, t).spin - 10 * kZ - exp_rotation(10 * t * kZ) * Vec3(10 * kY)).norm(), kRounding);
    }
    // its parent is elsewhere: that is its parent's affair
    s.after.frame.p[0] = {0, 5, 0};
    EXPECT_LT((s.at(0, 0.05).place(Vec3::Zero()) - Vec3(0, 2.5, 0)).norm(), kRounding);
    EXPECT_LT((s.at(1, 0.05).place(kX) - expected(0.05) * kX).norm(), kRounding);
    s.after.frame.p[1] = {0, 0, 2}; // and so is it
    EXPECT_LT((s.at(1, 0.05).place(Vec3::Zero()) - Vec3(0, 0, 1)).norm(), kRounding);
    EXPECT_LT((s.at(1, 0.05).velocity_at({0, 0, 1}) - Vec3(0, 0, 20)).norm(), 1e-11);
}

TEST(way, of_deep_chains_costs_in_proportion) {
    Stage s(25, 0.1); // 3^25 evaluations would not come to an end
    std::vector<Way> ways(25);
    for (int k = 0; k < 25; ++k) {
        Way& w = ways[std::size_t(k)];
        w.frame = k, w.parent = k - 1, w.has_motion = true;
        s.model.frame.flags[std::size_t(k)] |= kFixed;
        w.motion = spinning(0.1, {});
        s.after.frame.q[std::size_t(k)] = real4(exp_rotation(0.1 * 0.1 * (k + 1) * kZ));
    }
    s.take(std::move(ways));
    EXPECT_LT((s.at(24, 0.05).place(kX) - exp_rotation(0.1 * 0.05 * 25 * kZ) * kX).norm(), kRounding);
    EXPECT_NEAR(s.at(24, 0.05).spin.z(), 2.5, kRounding);
}

TEST(way, models_with_ways_that_lead_nowhere_are_known) {
    const auto wrong = [](auto&& change) {
        Stage s(2, 0.1);
        std::vector<Way> ways(2);
        ways[0].frame = 1, ways[1].parent = 0, ways[1].object = 0;
        s.model.sinks.resize(1);
        s.model.sinks[0].way = 1;
        change(ways, s.model);
        s.take(std::move(ways));
        return find_size_error(s.model, s.before);
    };
    EXPECT_EQ(wrong([](std::vector<Way>&, Model&) {}), "");
    EXPECT_NE(wrong([](std::vector<Way>& w, Model&) { w[0].frame = 2; }), "");
    EXPECT_NE(wrong([](std::vector<Way>& w, Model&) { w[0].parent = 1; }), "");
    EXPECT_NE(wrong([](std::vector<Way>& w, Model&) { w[1].parent = 1; }), "");
    EXPECT_NE(wrong([](std::vector<Way>& w, Model&) { w[1].object = 1; }), "");
    EXPECT_NE(wrong([](std::vector<Way>&, Model& m) { m.sinks[0].way = 2; }), "");
    EXPECT_NE(wrong([](std::vector<Way>& w, Model&) { w.clear(); }), "");
    EXPECT_NE(wrong([](std::vector<Way>&, Model& m) { m.emitters.resize(1), m.emitters[0].way = -2; }), "");
}

// Keys that end a whole turn after they began, or where they began but for rounding, go on without a jump; others jump where they begin again.
TEST(way, keys_that_come_round_do_not_jump) {
    Motion m = moving();
    m.repeat = true;
    m.between = MotionBetween::linear;
    m.rotate_times = {0, 0.2, 0.4, 0.6};
    for (double turn : {2 * kPi, 4 * kPi, 1.5 * kPi}) {
        m.rotate_keys.clear();
        for (int k = 0; k < 4; ++k) m.rotate_keys.push_back(real4(Quat(Eigen::AngleAxis<Real>(turn * k / 3, kZ))));
        const bool comes_round = turn != 1.5 * kPi;
        EXPECT_EQ(jumps_between(m, 0.55, 0.65), !comes_round) << turn;
        EXPECT_FALSE(jumps_between(m, 0.15, 0.25)) << turn;
    }
    m.rotate_times.clear(), m.rotate_keys.clear();
    m.at_times = {0, 0.3, 0.6};
    for (double end : {-2.4e-16, 1e-3}) {
        m.at_keys = {{0, 0, 0}, {1, 0, 0}, {end, 0, 0}};
        EXPECT_EQ(jumps_between(m, 0.55, 0.65), end == 1e-3);
    }
}
