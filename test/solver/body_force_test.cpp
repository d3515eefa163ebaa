// Forces and velocities at an arbitrary point of a rigid body (spec P 2.2.1, eqs. 32, 44 and 55).
#include "energy/contact_penalty_frame.h"
#include "energy/row_of.h"
#include "model/builder.h"
#include "solver/explicit.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

const Real33 kInertia{0.3, 0.02, 0, 0.02, 0.5, 0.01, 0, 0.01, 0.7};

ModelBuilder make_body(const Vec3& v, const Vec3& w, Quat q) {
    ModelBuilder b;
    begin_object(b, "body", "box");
    add_frame(b, {{1, 2, 3}, real4(q)}, 4, kInertia, kFree, real3(v), real3(w));
    finish_model(b);
    return b;
}

} // namespace

TEST(body_force, the_skew_matrix_of_r_times_w_is_their_cross_product) {
    Rng rng{3, 0, 0};
    for (int i = 0; i < 50; ++i) {
        const Vec3 r = draw_vec(rng, -2, 2), w = draw_vec(rng, -2, 2);
        EXPECT_LT((skew(r) * w - r.cross(w)).norm(), 1e-15); // the same products, summed in another order
        EXPECT_EQ(Mat3(skew(r) + skew(r).transpose()), Mat3(Mat3::Zero()));
        EXPECT_LT((skew(r) * r).norm(), 1e-15);
    }
}

TEST(body_force, a_force_at_a_point_pushes_the_centre_and_turns_by_r_cross_f) {
    const Quat q = exp_rotation(Vec3(0.4, -0.2, 0.9));
    const Vec3 at(1.3, 1.8, 3.4), force(2, -1, 3), torque(0.1, 0.2, -0.3);
    const ModelBuilder b = make_body(Vec3::Zero(), Vec3::Zero(), q);
    State now = b.state, next;
    ExplicitSettings settings;
    const auto solver = make_explicit({.threads = 1}, b.model, now, &settings);
    Input input;
    input.body_forces.push_back({find(b.model, "body"), real3(force), real3(at), real3(torque)});
    const Real dt = 1e-3;
    ASSERT_EQ(solver->step(b.model, input, now, next, dt).status, Status::ok);
    EXPECT_LT((vec(next.frame.v[0]) - dt * force / 4).norm(), 1e-15);
    const Mat3 turned = quat(next.frame.q[0]).toRotationMatrix();
    const Vec3 momentum = turned * mat(kInertia) * turned.transpose() * vec(next.frame.w[0]);
    const Vec3 expected = dt * (torque + (at - vec(now.frame.p[0])).cross(force));
    EXPECT_LT((momentum - expected).norm(), 1e-15); // from rest: L' = dt (torque + r x f), up to rounding
    // the same force at the centre turns nothing
    input.body_forces[0].at = now.frame.p[0];
    input.body_forces[0].torque = {};
    ASSERT_EQ(solver->step(b.model, input, now, next, dt).status, Status::ok);
    EXPECT_EQ(next.frame.w[0], Real3{});
}

TEST(body_force, a_point_of_a_body_moves_at_v_plus_w_cross_r) {
    // what the damper of a contact sees as approach is the rate of the gap of the moving body
    const ElementRow row = make_energy_row<ContactPenaltyFrame>();
    Rng rng{5, 0, 0};
    for (int i = 0; i < 50; ++i) {
        const Vec3 v = draw_vec(rng, -1, 1), w = draw_vec(rng, -2, 2), local = draw_vec(rng, -1, 1),
                   n = draw_direction(rng);
        const Quat q = exp_rotation(draw_vec(rng, -2, 2));
        const auto gap = [&](Real t) { return n.dot(t * v + exp_rotation(t * w) * (q * local)); };
        const Real h = 1e-5, rate = (gap(h) - gap(-h)) / (2 * h);
        ContactPenaltyFrame::Params params;
        params.contact.damping = 1;
        params.contact.normal = real3(n);
        params.contact.at = real3(10 * n); // deep inside
        params.local = real3(local);
        Table t{&row, {0}, std::vector<std::byte>(row.data_size), {0}};
        row.prepare(&params, {}, t.data.data());
        const Real3 p{}, frame_v = real3(v), frame_w = real3(w);
        const Real4 rotation = real4(q);
        Evaluation ev;
        ev.p = &p, ev.q = &rotation, ev.frame_v = &frame_v, ev.frame_w = &frame_w;
        VecN<6> f;
        row.force(t, ev, 0, 1, f.data());
        // truncation h^2 |w|^3 and rounding eps/h: 1e-9; damping acts only while approaching
        EXPECT_NEAR(n.dot(f.head<3>()), std::max(0.0, -rate), 1e-8);
        EXPECT_LT((f.tail<3>() - (q * local).cross(Vec3(f.head<3>()))).norm(), 1e-12); // torque r x f
    }
}
