// Trees from the joints of a model, loops, contact through the rows of the velocity solver, and the same scene in maximal
// coordinates.
#include "allocation_counter.h"
#include "articulated_run.h"
#include "constraint/joint.h"
#include "constraint/list.h"
#include "dense.h"
#include "solver/articulated_build.h"
#include "solver/articulated_rows.h"
#include "solver/measure.h"
#include "solver/velocity.h"

namespace sinew {
namespace {

const Real33 kUnitInertia{0.02, 0, 0, 0, 0.03, 0, 0, 0, 0.04};

int add_named_body(ModelBuilder& b, const char* name, const Vec3& p, Real mass, const Quat& q = Quat::Identity(), Vec3 v = Vec3::Zero()) {
    begin_object(b, name, "box");
    Real33 inertia = kUnitInertia;
    for (Real& x : inertia.m) x *= mass;
    const int f = add_frame(b, {real3(p), real4(q)}, mass, inertia, kFree, real3(v));
    const ElementRow& row = *find_energy("gravity_frame");
    add_energy(b, row, row.make_params().get(), std::array<int, 1>{f});
    return f;
}
int add_held(ModelBuilder& b, const char* name, const Quat& q = Quat::Identity()) {
    begin_object(b, name, "box");
    return add_frame(b, {{}, real4(q)}, 0, {}, kFixed);
}
// a joint of two frames at a place, its x axis along `axis`
void add_joint(ModelBuilder& b, const char* row, int a, int c, const Vec3& at, const Vec3& axis) {
    struct Params { // as JointEquality<...>::Params
        JointAnchor anchor;
        Real compliance = 0;
    } p;
    const Quat axes = rotation_between(Vec3::UnitX(), axis);
    const std::array<int, 2> frames{a, c};
    for (int i = 0; i < 2; ++i) {
        const Quat q = quat(b.state.frame.q[frames[i]]);
        p.anchor.local[i] = real3(q.conjugate() * (at - vec(b.state.frame.p[frames[i]])));
        p.anchor.axes[i] = real4(q.conjugate() * axes);
    }
    begin_object(b, std::string(row) + std::to_string(b.model.objects.size()), "joint");
    add_constraint(b, *find_constraint(row), &p, frames);
}

struct ModelRun {
    ModelBuilder b;
    State now, spare;
    std::unique_ptr<Solver> solver;
    Report report;
    Input input;
    ModelRun(ModelBuilder made, const ArticulatedSettings& s, int threads = 1) : b(std::move(made)), now(b.state) {
        solver = make_articulated({.threads = threads}, b.model, now, &s);
    }
    void steps(int count, Real dt) {
        for (int i = 0; i < count; ++i) {
            report = solver->step(b.model, input, now, spare, dt);
            ASSERT_EQ(report.status, Status::ok) << report.message;
            std::swap(now, spare);
        }
    }
    Vec3 p(int f) const { return vec(now.frame.p[f]); }
    Vec3 v(int f) const { return vec(now.frame.v[f]); }
};

// three rods on hinges about z; `kind` of the joints, and whether each is written from its far end
ModelBuilder make_chain(const char* row, bool reversed) {
    ModelBuilder b;
    int before = add_held(b, "ground");
    for (int i = 0; i < 3; ++i) {
        const Vec3 at(0.3 * i, 0.1 * i, 0);
        const int body = add_named_body(b, ("rod" + std::to_string(i)).c_str(), at + Vec3(0.15, 0.05, 0.02 * i), 1 + 0.3 * i);
        if (reversed) add_joint(b, row, body, before, at, Vec3(0.1, 0.2, 1));
        else add_joint(b, row, before, body, at, Vec3(0.1, 0.2, 1));
        before = body;
    }
    finish_model(b);
    return b;
}

TEST(articulated_model, joints_become_trees_and_what_is_left_closes_loops) {
    ModelBuilder b;
    const int ground = add_held(b, "ground");
    const int x = add_named_body(b, "x", {0, 0, 0}, 1), y = add_named_body(b, "y", {1, 0, 0}, 1), z = add_named_body(b, "z", {2, 0, 0}, 1);
    const int alone = add_named_body(b, "alone", {5, 0, 0}, 1);
    add_joint(b, "joint_hinge", ground, x, {0, 0, 0}, Vec3::UnitZ());
    add_joint(b, "joint_hinge", y, x, {0.5, 0, 0}, Vec3::UnitZ()); // from its far end
    add_joint(b, "joint_ball", y, z, {1.5, 0, 0}, Vec3::UnitZ());
    add_joint(b, "joint_hinge", z, ground, {2, 0, 0}, Vec3::UnitZ()); // closes the loop
    finish_model(b);
    BuiltForest f;
    build_forest(b.model, f);
    ASSERT_EQ(f.forest.trees.size(), 2u);
    EXPECT_EQ(f.forest.trees[0].count(), 3);
    EXPECT_EQ(f.forest.v_count, 1 + 1 + 3 + 6);
    EXPECT_EQ(f.forest.links[0].frame, x);
    EXPECT_EQ(f.forest.links[1].frame, y);
    EXPECT_TRUE(f.joints[1].reversed); // y is the first body of its joint
    EXPECT_EQ(f.forest.links[2].frame, z);
    EXPECT_EQ(f.forest.links[3].frame, alone);
    EXPECT_EQ(std::count(f.held.begin(), f.held.end(), 1), 3);
}

TEST(articulated_model, joints_of_every_kind_hold_their_rows_whichever_end_is_the_parent) {
    for (const char* row : {"joint_ball", "joint_cylindrical", "joint_hinge", "joint_planar", "joint_slider", "joint_universal",
                            "joint_weld"}) {
        ModelRun one(make_chain(row, false), scheme("rk4")), other(make_chain(row, true), scheme("rk4"));
        one.steps(100, 1e-3);
        other.steps(100, 1e-3);
        // a universal joint from its other end is another mechanism; planes and axes that move with a body differ at order 5
        const bool same = std::string_view(row) != "joint_universal";
        for (int f = 1; f < 4 && same; ++f) EXPECT_LT((one.p(f) - other.p(f)).norm(), 1e-8) << row;
        for (const ModelRun* r : {&one, &other}) {
            Rows rows;
            EXPECT_LT(constraint_error(r->b.model.elements->constraints, evaluation_of(r->b.model, r->now, 0), rows), 1e-13) << row;
        }
    }
}

TEST(articulated_model, reduced_and_maximal_coordinates_agree_as_the_step_goes_to_zero) {
    // a chain of hinges by `articulated` and by `velocity`, directly: both of order one, with nearly the same error
    VelocitySettings direct;
    direct.method = "direct";
    direct.sleep = false;
    const auto gap = [&](int steps) {
        const Real dt = 0.3 / steps;
        ModelRun reduced(make_chain("joint_hinge", false), scheme("symplectic_euler"));
        reduced.steps(steps, dt);
        const ModelBuilder b = make_chain("joint_hinge", false);
        State now = b.state, next;
        const auto solver = make_velocity({.threads = 1}, b.model, now, &direct);
        for (int i = 0; i < steps; ++i) {
            EXPECT_EQ(solver->step(b.model, {}, now, next, dt).status, Status::ok);
            std::swap(now, next);
        }
        Real sum = 0;
        for (int f = 1; f < 4; ++f) sum += (reduced.p(f) - vec(now.frame.p[f])).norm();
        return sum;
    };
    const Real coarse = gap(300), fine = gap(600);
    EXPECT_LT(fine, 5e-3);
    EXPECT_GT(std::log2(coarse / fine), 0.85); // what is left of the next order; 1.7
}

// a four-bar linkage of hinges about z, hanging
ModelBuilder make_four_bar() {
    ModelBuilder b;
    const int ground = add_held(b, "ground");
    const int crank = add_named_body(b, "crank", {0.15, 0, 0}, 0.5), coupler = add_named_body(b, "coupler", {0.75, 0, 0}, 1),
              rocker = add_named_body(b, "rocker", {1.05, -0.35, 0}, 1);
    add_joint(b, "joint_hinge", ground, crank, {0, 0, 0}, Vec3::UnitZ());
    add_joint(b, "joint_hinge", crank, coupler, {0.3, 0, 0}, Vec3::UnitZ());
    add_joint(b, "joint_hinge", coupler, rocker, {1.2, 0, 0}, Vec3::UnitZ());
    add_joint(b, "joint_hinge", rocker, ground, {0.9, -0.7, 0}, Vec3::UnitZ());
    return b;
}

TEST(articulated_model, a_loop_with_redundant_rows_stays_closed_and_keeps_energy) {
    ModelBuilder b = make_four_bar();
    finish_model(b);
    ModelRun r(std::move(b), scheme("symplectic_euler"));
    const auto energy = [&] {
        Real e = 0;
        for (int f = 1; f < 4; ++f) {
            const Real m = r.b.model.frame.mass[f];
            const Quat q = quat(r.now.frame.q[f]);
            const Vec3 w = q.conjugate() * vec(r.now.frame.w[f]);
            e += 0.5 * m * r.v(f).squaredNorm() + 0.5 * w.dot(mat(r.b.model.frame.inertia[f]) * w) + 9.81 * m * r.p(f).y();
        }
        return e;
    };
    const Real start = energy();
    for (int i = 0; i < 1000; ++i) {
        r.steps(1, 1e-3);
        const Quat qc = quat(r.now.frame.q[2]), qr = quat(r.now.frame.q[3]);
        const Vec3 open = r.p(2) + qc * Vec3(0.45, 0, 0) - (r.p(3) + qr * Vec3(0.15, 0.35, 0));
        const Vec3 foot = r.p(3) + qr * Vec3(-0.15, -0.35, 0) - Vec3(0.9, -0.7, 0);
        ASSERT_LT(open.norm(), 1e-12);
        ASSERT_LT(foot.norm(), 1e-12); // Newton's method ends at 1e-13
    }
    // order one: 1 ms against motions of 5 rad/s
    EXPECT_NEAR(energy(), start, 0.05);
}

// a box of edge 0.2 on a plane that is tilted about z
ModelBuilder make_incline(Real angle, Real friction) {
    ModelBuilder b;
    const Quat tilt = exp_rotation(Vec3(0, 0, angle));
    const int ground = add_held(b, "ground", tilt);
    Shape plane;
    plane.kind = Shape::plane;
    add_collider(b, plane, ground);
    b.model.objects.back().friction = friction;
    const int box = add_named_body(b, "box", tilt * Vec3(0, 0.1, 0), 1, tilt);
    Shape cube;
    cube.kind = Shape::box;
    cube.size = {0.1, 0.1, 0.1};
    add_collider(b, cube, box);
    b.model.objects.back().friction = friction;
    return b;
}

TEST(articulated_model, a_box_on_an_incline_slides_and_sticks_on_the_two_sides_of_the_friction_angle) {
    // tan(26.565 deg) = 0.5; nobody sleeps
    const Real angle = std::atan(0.5), dt = 4e-3, seconds = 10;
    ArticulatedSettings awake = scheme("symplectic_euler");
    awake.sleep = false;
    for (const Real mu : {0.49, 0.505}) {
        ModelBuilder b = make_incline(angle, mu);
        finish_model(b);
        const Vec3 start = vec(b.state.frame.p[1]);
        ModelRun r(std::move(b), awake);
        r.steps(int(seconds / dt), dt);
        const Real way = (r.p(1) - start).norm();
        if (mu > 0.5) { EXPECT_LT(way, 1e-3); } // the bar
        else EXPECT_NEAR(way, 0.5 * 9.81 * (std::sin(angle) - mu * std::cos(angle)) * seconds * (seconds + dt), 2e-3); // sum of the steps; 2 mm: the slop it settles by, and the start
    }
}

TEST(articulated_model, a_box_at_nine_tenths_of_the_friction_angle_does_not_creep) {
    ModelBuilder b = make_incline(std::atan(0.5), 0.5 / 0.9);
    finish_model(b);
    ArticulatedSettings awake = scheme("symplectic_euler");
    awake.sleep = false;
    ModelRun r(std::move(b), awake);
    r.steps(250, 4e-3); // it settles
    const Vec3 settled = r.p(1);
    r.steps(2250, 4e-3);
    EXPECT_LT((r.p(1) - settled).norm(), 9e-6); // 1 um/s for nine seconds
}

// Newton's law of restitution can add energy where friction turns the arm that meets the floor (Kane's double pendulum): never here, in a
// thousand impacts of random arms of two links with random restitution and friction.
TEST(articulated_model, impacts_of_random_arms_never_gain_energy) {
    const auto energy = [](const ModelBuilder& b, const State& s) {
        Real sum = 0;
        for (int f : {1, 2}) {
            const Quat q = quat(s.frame.q[f]);
            const Vec3 w = q.conjugate() * vec(s.frame.w[f]);
            sum += 0.5 * b.model.frame.mass[f] * vec(s.frame.v[f]).squaredNorm() + 0.5 * w.dot(mat(b.model.frame.inertia[f]) * w);
        }
        return sum;
    };
    int impacts = 0;
    for (int trial = 0; trial < 1000; ++trial) {
        Rng rng{std::uint64_t(trial), 7, 0};
        ModelBuilder b;
        const bool planar = trial % 2;
        const auto direction = [&] {
            Vec3 d = draw_direction(rng);
            if (planar) d.z() = 0;
            return Vec3(d.normalized());
        };
        const Vec3 elbow = 0.5 * direction(), tip = elbow + 0.4 * direction();
        const std::array<Vec3, 3> place{Vec3::Zero(), elbow, tip};
        const int ground = add_held(b, "ground");
        std::array<int, 2> link;
        Vec3 v = Vec3::Zero(); // of the joint
        for (int k = 0; k < 2; ++k) {
            const Vec3 w = planar ? Vec3(0, 0, draw_uniform(rng, -5, 5)) : draw_vec(rng, -5, 5), half = 0.5 * (place[k + 1] - place[k]);
            begin_object(b, k ? "hand" : "arm", "box");
            const Real mass = draw_uniform(rng, 0.2, 3), i = mass * 0.02;
            link[k] = add_frame(b, {real3(place[k] + half), {1, 0, 0, 0}}, mass, {0.5 * i, 0, 0, 0, i, 0, 0, 0, i}, kFree, real3(v + w.cross(half)), real3(w));
            if (k == 1) add_collider(b, {Shape::sphere, {0.05, 0, 0}}, link[k], {real3(half), {1, 0, 0, 0}});
            b.model.objects.back().restitution = draw_uniform(rng, 0.3, 1), b.model.objects.back().friction = draw_uniform(rng, 0, 2);
            v += w.cross(2 * half);
        }
        begin_object(b, "floor", "box");
        const int floor = add_frame(b, {real3(Vec3(0, tip.y() - 1.05, 0)), {1, 0, 0, 0}}, 0, {}, kFixed);
        add_collider(b, {Shape::box, {5, 1, 5}}, floor);
        b.model.objects.back().friction = 1;
        const char* row = planar ? "joint_hinge" : "joint_ball";
        add_joint(b, row, ground, link[0], place[0], Vec3::UnitZ());
        add_joint(b, row, link[0], link[1], elbow, Vec3::UnitZ());
        finish_model(b);
        ModelRun r(std::move(b), scheme("symplectic_euler"));
        const Real before = energy(r.b, r.now);
        r.steps(1, 1e-6);
        const Real after = energy(r.b, r.now);
        impacts += after < before * (1 - 1e-6) || v.y() < -0.2;
        // forces of the step itself: 10 rad/s within 1e-6 s; sweeps: 1e-6 of the work
        EXPECT_LT(after, before * (1 + 5e-5)) << trial << (planar ? " planar" : "") << ", approach " << v.y();
    }
    EXPECT_GT(impacts, 300);
}

TEST(articulated_model, contact_rows_see_the_whole_tree) {
    // J H^-1 J^T of a row on a link of a chain, and the change of every link, against the dense inverse
    const ModelBuilder b = make_chain("joint_hinge", false);
    BuiltForest f;
    build_forest(b.model, f);
    TreeSample s(f.forest, 3);
    s.bases.assign(f.forest.base_frames.size(), {});
    s.refresh();
    ForestState at;
    resize_state(f.forest, at);
    at.q = s.q, at.qd = s.qd, at.bases = s.bases, at.motion = s.motion;
    ASSERT_EQ(factor_inertia(f.forest, s.links(), at.motion.data(), nullptr, at.factor.data()), -1);
    LinkRows rows;
    rows.plain.dt = 1e-3;
    const int frames = frame_count(b.model);
    rows.plain.v.assign(frames, Vec3::Zero()), rows.plain.w.assign(frames, Vec3::Zero());
    rows.plain.inverse_mass.assign(frames, 1), rows.plain.inverse_inertia.assign(frames, Mat3::Identity());
    const std::array<int, 2> body{3, 0};
    RowGroup& g = add_group(rows.plain, 1, body);
    g.set = RowSet::lower;
    rows.plain.jacobian[g.lever] = {Vec3(0.3, 0.8, -0.1), Vec3(0.2, -0.4, 0.5)};
    rows.plain.jacobian[g.lever + 1] = {Vec3(-0.3, -0.8, 0.1), Vec3::Zero()};
    couple_rows(f.forest, at, {}, {0, frames, 0}, rows);
    const int n = f.forest.v_count;
    std::vector<Real> h(n * n), j(n, 0.0);
    std::vector<Mat6> composite;
    compute_mass_matrix(f.forest, s.links(), s.motion.data(), h, composite);
    Vec6 push;
    push << 0.3, 0.8, -0.1, 0.2, -0.4, 0.5;
    add_generalised(f.forest, s.motion.data(), 2, push, j.data());
    const Eigen::Map<const VecX> row(j.data(), n);
    const VecX y = solve_definite(Eigen::Map<const MatX>(h.data(), n, n), row);
    EXPECT_NEAR(rows.coupled.block[0], row.dot(y), 1e-12 * row.dot(y));
}

TEST(articulated_model, same_bits_for_any_number_of_threads_and_no_allocation_when_steady) {
    const auto make = [] {
        ModelBuilder b = make_four_bar();
        for (int i = 0; i < 6; ++i) {
            const int box = add_named_body(b, ("box" + std::to_string(i)).c_str(), {3.0 + 0.5 * i, 0.1, 0}, 1);
            Shape cube;
            cube.kind = Shape::box;
            cube.size = {0.1, 0.1, 0.1};
            add_collider(b, cube, box);
        }
        const int ground = add_held(b, "floor");
        Shape plane;
        plane.kind = Shape::plane;
        add_collider(b, plane, ground);
        finish_model(b);
        return b;
    };
    ModelRun one(make(), scheme("symplectic_euler"), 1), three(make(), scheme("symplectic_euler"), 3);
    one.steps(40, 2e-3);
    three.steps(40, 2e-3);
    EXPECT_EQ(hash(one.now), hash(three.now));
    const long before = allocation_count();
    one.steps(5, 2e-3);
    EXPECT_EQ(allocation_count(), before);
    // resumed from a copy by a new solver
    ModelRun resumed(make(), scheme("symplectic_euler"), 2);
    resumed.now = three.now;
    resumed.steps(5, 2e-3);
    EXPECT_EQ(hash(one.now), hash(resumed.now));
}

} // namespace
} // namespace sinew
