// What a step leaves behind: the memory of elements, the velocities of fixed points, the work of moving
// obstacles.
#include "core/random.h"
#include "energy/contact_penalty_frame.h"
#include "energy/row_of.h"
#include "solver/measure.h"
#include "solver/newton_fixture.h"

using namespace sinew;

namespace {

// Spring that creeps: E = k/2 (l - L - m)^2, and the memory m follows the extension at a rate, m' = r (l - L
// - m).
struct SpringCreep {
    static constexpr std::string_view name = "spring_creep",
                                      doc = "spring whose rest length creeps, for tests";
    static constexpr Share share = Share::elastic;
    static constexpr int points = 2, memory_size = 1;
    struct Params {
        Real stiffness = 50, rate = 3;
    };
    struct Data {
        Real stiffness, rate, rest_length;
    };
    template <class V> static void fields(Params&, V&&) {}
    static Data prepare(const Params& p, const RestView& rest) {
        return {p.stiffness, p.rate, (vec(rest.x[1]) - vec(rest.x[0])).norm()};
    }
    static Real excess(const Data& d, const StepContext& c, const Stencil<2>& s) {
        return (s.x[1] - s.x[0]).norm() - d.rest_length - c.memory[0];
    }
    template <int Order>
    static Local<6, Order> eval(const Data& d, const StepContext& c, const Stencil<2>& s) {
        Local<6, Order> out;
        const Vec3 n = (s.x[1] - s.x[0]).normalized();
        const Real u = excess(d, c, s);
        out.value = 0.5 * d.stiffness * u * u;
        if constexpr (Order >= 1) out.gradient << -d.stiffness * u * n, d.stiffness * u * n;
        if constexpr (Order >= 2) {
            const Mat3 k = d.stiffness * n * n.transpose(); // the test stretches along a line only
            out.hessian << k, -k, -k, k;
        }
        return out;
    }
    static void finish(const Data& d, const StepContext& c, const Stencil<2>& s, Real* memory) {
        memory[0] = c.memory[0] + c.dt * d.rate * excess(d, c, s);
    }
    static Sample<SpringCreep> sample(Rng&, int) { return {}; }
};

// two springs from a fixed point at the origin to masses along x, started stretched
ModelBuilder make_creeping_pair() {
    static const ElementRow row = make_energy_row<SpringCreep>();
    ModelBuilder b;
    begin_object(b, "pair", "particles");
    add_points(b, std::vector<Real3>{{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}}, std::vector<Real>{1, 1, 2});
    b.model.point.flags[0] = kFixed;
    const SpringCreep::Params soft, stiff{80, 5};
    add_energy(b, row, &soft, std::array<int, 2>{0, 1});
    add_energy(b, row, &stiff, std::array<int, 2>{0, 2});
    finish_model(b);
    register_elements(*b.model.elements, b.state);
    b.state.point.x[1].x = 1.2;
    b.state.point.x[2].x = -1.1;
    return b;
}

std::unique_ptr<Solver> make_solver_by_name(const char* name, const ModelBuilder& b, State& s) {
    ExplicitSettings forces;
    const NewtonSettings implicit = exact_settings("implicit_euler");
    return std::string(name) == "explicit" ? make_explicit({.threads = 2}, b.model, s, &forces)
                                           : make_newton({.threads = 2}, b.model, s, &implicit);
}

} // namespace

TEST(step_end, the_memory_of_elements_is_brought_up_to_date_once_per_step) {
    for (const char* name : {"explicit", "newton"}) {
        const ModelBuilder b = make_creeping_pair();
        State now = b.state, next;
        const auto solver = make_solver_by_name(name, b, now);
        const Real dt = 0.01;
        Real soft = 0, stiff = 0;
        for (int i = 0; i < 20; ++i) {
            ASSERT_EQ(solver->step(b.model, {}, now, next, dt).status, Status::ok);
            // m' by the extension at the end of the step
            soft += dt * 3 * (next.point.x[1].x - 1 - soft);
            stiff += dt * 5 * (-next.point.x[2].x - 1 - stiff);
            const std::vector<double>& memory = *find_memory(next, "element.spring_creep");
            ASSERT_EQ(memory.size(), 2u);
            EXPECT_NEAR(memory[0], soft, 1e-14) << name; // the same sums in another order
            EXPECT_NEAR(memory[1], stiff, 1e-14) << name;
            EXPECT_NE(memory[0], (*find_memory(now, "element.spring_creep"))[0]);
            std::swap(now, next);
        }
        EXPECT_GT(std::abs(soft), 1e-3);
        // the memory acts: the same place with another memory gives another force
        State other = now;
        (*const_cast<std::vector<double>*>(find_memory(other, "element.spring_creep")))[0] += 0.1;
        State a, c;
        solver->step(b.model, {}, now, a, dt);
        solver->step(b.model, {}, other, c, dt);
        EXPECT_GT(std::abs(a.point.v[1].x - c.point.v[1].x), 1e-3);
    }
}

TEST(step_end, a_fixed_point_whose_target_has_ended_is_at_rest) {
    const auto check = [](auto make_solver, Real damping, const std::string& what) {
        ModelBuilder b;
        begin_object(b, "pair", "particles");
        add_points(b, std::vector<Real3>{{0, 0, 0}, {1, 0, 0}}, std::vector<Real>{1, 1});
        b.model.point.flags[0] = kFixed;
        add_spring(b, 0, 1, 100, damping);
        finish_model(b);
        State now = b.state, next;
        const auto solver = make_solver(b.model, now);
        Input moving;
        moving.points.push_back({0, {0, 0.1, 0}});
        ASSERT_EQ(solver->step(b.model, moving, now, next, 0.01).status, Status::ok) << what;
        EXPECT_NEAR(next.point.v[0].y, 10, 1e-12) << what; // 0.1 m in 0.01 s
        std::swap(now, next);
        ASSERT_EQ(solver->step(b.model, {}, now, next, 0.01).status, Status::ok) << what;
        EXPECT_EQ(next.point.v[0], Real3{}) << what;
        EXPECT_EQ(next.point.x[0], now.point.x[0]) << what;
        // dampers do not feel the old velocity either
        State stopped = now, after;
        stopped.point.v[0] = {};
        solver->drop_caches();
        ASSERT_EQ(solver->step(b.model, {}, stopped, after, 0.01).status, Status::ok) << what;
        EXPECT_EQ(after.point.v[1], next.point.v[1]) << what;
    };
    for (const char* scheme : {"forward_euler", "symplectic_euler", "improved_euler", "rk2_trapezoid",
                               "rk2_midpoint", "rk4", "leapfrog"})
        for (const Real damping : {0.0, 3.0})
            check(
                [&](const Model& m, State& s) {
                    ExplicitSettings settings;
                    settings.scheme = scheme;
                    return make_explicit({.threads = 1}, m, s, &settings);
                },
                damping, scheme);
    check(
        [](const Model& m, State& s) {
            const NewtonSettings settings = exact_settings("implicit_euler");
            return make_newton({.threads = 1}, m, s, &settings);
        },
        3, "newton");
}

TEST(step_end, a_moving_obstacle_does_the_work_that_what_it_pushes_gains) {
    // A floor that rises at 1 m/s meets a ball at rest: half an oscillation at omega = sqrt(k/m) throws it at
    // 2 m/s
    for (const Real damping : {0.0, 3.0}) {
        ModelBuilder b = one_point(1, {0, 0.01, 0}, Vec3::Zero());
        add_surface_points(b, {0, 1}, 0);
        const int floor = begin_object(b, "floor", "plane");
        const int frame = add_frame(b, {}, 1, {1, 0, 0, 0, 1, 0, 0, 0, 1}, kFixed);
        b.model.obstacles.push_back({.shape = Obstacle::plane,
                                     .frame = frame,
                                     .object = floor,
                                     .stiffness = 400,
                                     .damping = damping});
        finish_model(b);
        State now = b.state, next;
        const NewtonSettings settings = exact_settings("implicit_midpoint");
        const auto solver = make_newton({.threads = 1}, b.model, now, &settings);
        const auto parallel = make_parallel({.threads = 1});
        MeasureScratch scratch;
        Real external = 0, lost = 0;
        const Real dt = 5e-4;
        for (int i = 0; i < 500; ++i) { // until 0.25 s; the ball leaves at 0.01 + pi/20 s
            Input input;
            Target t;
            t.object = find(b.model, "floor");
            t.pose.position = {0, (i + 1) * dt, 0};
            input.targets.push_back(t);
            const Report r = solver->step(b.model, input, now, next, dt);
            ASSERT_EQ(r.status, Status::ok) << r.message;
            external += r.work_external;
            lost += r.work_damping;
            EXPECT_LE(r.work_damping, 1e-12);
            std::swap(now, next);
        }
        Report end;
        measure(*parallel, b.model, now, scratch, end);
        const Real gained = 0.5 * vec(now.point.v[0]).squaredNorm();
        EXPECT_EQ(end.contact_count, 0);
        if (damping == 0) {
            EXPECT_NEAR(now.point.v[0].y, 2,
                        2e-3); // contact begins and ends within a step: O(omega dt) = 1e-2 of k u du
            EXPECT_EQ(lost, 0);
        } else {
            EXPECT_LT(lost, -0.05);
        }
        // the midpoint rule conserves the energy of a linear spring: only the two steps across gap = 0 differ
        EXPECT_NEAR(external + lost, gained, 5e-3) << damping;
    }
}

TEST(step_end, damping_of_a_body_in_contact_is_switched_by_the_gap_at_the_start) {
    const ElementRow row = make_energy_row<ContactPenaltyFrame>();
    Table t{&row, {0}, std::vector<std::byte>(row.data_size), {0}};
    ContactPenaltyFrame::Params params;
    params.contact.damping = 7;
    row.prepare(&params, {}, t.data.data());
    const auto force = [&](Real start, Real end) {
        const Real3 p_now{0, start, 0}, p{0, end, 0}, v{0, -1, 0}, w{};
        const Real4 q{};
        Evaluation ev;
        ev.p = &p, ev.q = &q, ev.frame_v = &v, ev.frame_w = &w, ev.p_now = &p_now, ev.q_now = &q;
        VecN<6> f;
        row.force(t, ev, 0, 1, f.data());
        return f[1];
    };
    EXPECT_EQ(force(-0.1, 0.1), 7);
    EXPECT_EQ(force(0.1, -0.1), 0);
    EXPECT_EQ(force(-0.1, -0.2), 7);
}
