// Single corrections by their formulas: the displacement of one constraint, Sequential Positions, damping after the step, and the solve
// of all rows at once.
#include "constraint/distance.h"
#include "core/random.h"
#include "dense.h"
#include "model/dual.h"
#include "model/stencil.h"
#include "physics/simulation.h"
#include "position/position_fixture.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

// points of different masses at random places
ModelBuilder scattered(int points, std::uint64_t seed) {
    Rng rng{seed, 3, 0};
    ModelBuilder b;
    b.model.gravity = {0, 0, 0};
    begin_object(b, "points", "particles");
    std::vector<Real3> x;
    std::vector<Real> mass;
    for (int i = 0; i < points; ++i) x.push_back(real3(draw_vec(rng, -1, 1))), mass.push_back(draw_uniform(rng, 0.5, 3));
    add_points(b, x, mass);
    return b;
}

} // namespace

TEST(position_formula, a_constraint_moves_its_points_along_its_gradient_by_their_inverse_masses) {
    // C24: dx_i = -k s w_i dC/dx_i,  s = C/sum_j w_j |dC/dx_j|^2; dC/dx by central differences
    for (std::uint64_t seed : {1, 2, 3, 4, 5}) {
        for (const char* kind : {"distance", "dihedral"}) {
            const bool link = std::string_view(kind) == "distance";
            const int n = link ? 2 : 4;
            ModelBuilder b = scattered(n, seed);
            const ElementRow& row = *find_constraint(kind);
            std::vector<int> stencil;
            for (int i = 0; i < n; ++i) stencil.push_back(i);
            const Distance::Params p{0, false};
            if (link) add_constraint(b, row, &p, stencil);
            else add_constraint(b, row, row.make_params().get(), stencil);
            finish_model(b);
            Rng rng{seed, 4, 0};
            for (int i = 0; i < n; ++i) vec(b.state.point.x[i]) += draw_vec(rng, -0.1, 0.1);
            const Table& t = b.model.elements->constraints[0];
            const DualView& view = *find_constraint_dual(kind);
            const auto value = [&](const std::vector<Real3>& x) {
                Evaluation ev;
                ev.x = ev.x_now = x.data(), ev.dt = 0.01;
                Real c = 0;
                view.evaluate(t, ev, 0, 1, &c, nullptr);
                return c;
            };
            VecX g(3 * n);
            for (int i = 0; i < 3 * n; ++i) {
                std::vector<Real3> up = b.state.point.x, down = up;
                vec(up[i / 3])[i % 3] += 1e-5, vec(down[i / 3])[i % 3] -= 1e-5;
                g[i] = (value(up) - value(down)) / 2e-5;
            }
            Real below = 0;
            for (int i = 0; i < 3 * n; ++i) below += g[i] * g[i] / b.model.point.mass[i / 3];
            const Real s = value(b.state.point.x) / below, stiffness = 0.7;
            PositionSettings settings = *static_cast<PositionSettings*>(make_pbd_settings().get());
            settings.iterations = 1, settings.stiffness = stiffness;
            PositionRun run(b, settings);
            run.step(0.01);
            ASSERT_GT(std::abs(value(b.state.point.x)), 1e-3);
            for (int i = 0; i < n; ++i) {
                const Vec3 expected = vec(b.state.point.x[i]) - stiffness * s / b.model.point.mass[i] * g.segment<3>(3 * i);
                EXPECT_LT((run.x(i) - expected).norm(), 1e-8) << kind << ' ' << i; // differences: 1e-10 and rounding over 1e-5
            }
        }
    }
}

TEST(position_formula, sequential_positions_take_their_parts_of_the_gap_and_of_the_approach) {
    // spec U 3.8.6: dl = -(k_c Phi/h + k_v n.u)/(h d), applied to x by h^2 and to v by h
    for (auto [position, velocity] : {std::pair{1.0, 0.1}, std::pair{0.5, 0.3}, std::pair{0.0, 1.0}}) {
        auto s = start(R"({ "sinew": 1, "gravity": 0, "time": { "fps": 100, "substeps": 1, "seconds": 1 },
            "objects": { "floor": { "kind": "plane" }, "p": { "kind": "particles", "positions": [[0, 0.01, 0]], "masses": [2],
                         "thickness": 0, "velocity": [0, -3, 0] } },
            "solver": "position", "solvers": { "position": { "sequential": true, "iterations": 1, "substeps": 1, "limit_restitution": false,
                "position_gain": )" + std::to_string(position) + ", \"velocity_gain\": " + std::to_string(velocity) + " } } }");
        ASSERT_TRUE(s);
        ASSERT_EQ(simulate_step(*s), Status::ok);
        const Real h = 0.01, gap = 0.01 - 3 * h, change = -(position * gap / h + velocity * -3); // [m/s] h w dl
        EXPECT_NEAR(s->now.point.x[0].y, gap + h * change, 1e-12) << position;
        EXPECT_NEAR(s->now.point.v[0].y, -3 + change, 1e-10) << position;
    }
}

TEST(position_formula, a_damped_contact_ends_where_its_equation_holds) {
    // one normal row from rest: gap + rho u + alpha l = 0 with gap = gap~ + h^2 w l, u = u~ + h w l, so that
    //   l = -(gap~ + rho u~) / (h (h + rho) w + alpha)
    const Real h = 0.01, alpha = 1e-4, mass = 2, w = 1 / mass, speed = -3, start_gap = 0.01;
    for (Real rho : {0.0, 0.02, 0.05}) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "fps": 100, "substeps": 1, "seconds": 1 }},
            "objects": {{ "floor": {{ "kind": "plane" }}, "p": {{ "kind": "particles", "positions": [[0, {}, 0]], "masses": [{}],
                         "thickness": 0, "velocity": [0, {}, 0] }} }},
            "solver": "position", "solvers": {{ "position": {{ "iterations": 1, "substeps": 1, "limit_restitution": false,
                "contact_compliance": {}, "contact_damping_time": {} }} }} }})", start_gap, mass, speed, alpha, rho));
        ASSERT_TRUE(s);
        ASSERT_EQ(simulate_step(*s), Status::ok);
        const Real gap = start_gap + h * speed, force = -(gap + rho * speed) / (h * (h + rho) * w + alpha);
        EXPECT_GT(force, 0);
        EXPECT_NEAR(s->now.point.x[0].y, gap + h * h * w * force, 1e-12) << rho;
        EXPECT_NEAR(s->now.point.v[0].y, speed + h * w * force, 1e-10) << rho;
    }
}

TEST(position_formula, damping_along_rows_takes_its_part_of_their_rate_and_nothing_across) {
    // U056: one link between two points: the undamped step, and of its relative velocity along the link the part is gone
    ModelBuilder b = scattered(2, 7);
    add_spring(b, 0, 1, 30);
    finish_model(b);
    b.state.point.v[0] = {0.3, -0.2, 0.5}, b.state.point.v[1] = {-0.4, 0.6, 0.1};
    for (Real part : {0.3, 1.0}) {
        PositionSettings s = plain_settings();
        PositionRun without(b, s);
        without.step(0.02);
        s.damping = "velocity", s.damping_part = part;
        PositionRun with(b, s);
        with.step(0.02);
        const Vec3 n = (without.x(1) - without.x(0)).normalized(), u = without.v(1) - without.v(0);
        const Vec3 expected = u - part * n.dot(u) * n;
        EXPECT_LT(((with.v(1) - with.v(0)) - expected).norm(), 1e-12);
        const Vec3 p = b.model.point.mass[0] * (with.v(0) - without.v(0)) + b.model.point.mass[1] * (with.v(1) - without.v(1));
        EXPECT_LT(p.norm(), 1e-14);
        EXPECT_EQ((with.x(0) - without.x(0)).norm(), 0); // positions are what they were
    }
}

TEST(position_formula, damping_by_rigid_motion_blends_velocities_with_those_of_a_rigid_body) {
    // U057: v += k (v_cm + w x r - v), I w = L
    const int n = 9;
    ModelBuilder b = scattered(n, 8);
    for (int i = 0; i + 1 < n; ++i) add_spring(b, i, i + 1, 10);
    finish_model(b);
    Rng rng{9, 1, 0};
    for (int i = 0; i < n; ++i) b.state.point.v[i] = real3(draw_vec(rng, -1, 1));
    PositionSettings s = plain_settings();
    PositionRun without(b, s);
    without.step(0.02);
    s.damping = "rigid", s.damping_part = 0.4;
    PositionRun with(b, s);
    with.step(0.02);
    Real mass = 0;
    Vec3 center = Vec3::Zero(), p = Vec3::Zero(), L = Vec3::Zero();
    for (int i = 0; i < n; ++i) {
        mass += b.model.point.mass[i];
        center += b.model.point.mass[i] * without.x(i), p += b.model.point.mass[i] * without.v(i);
    }
    center /= mass;
    Mat3 I = Mat3::Zero();
    for (int i = 0; i < n; ++i) {
        const Vec3 r = without.x(i) - center;
        L += b.model.point.mass[i] * r.cross(without.v(i));
        I += b.model.point.mass[i] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    }
    const Vec3 w = solve_dense(I, L);
    for (int i = 0; i < n; ++i) {
        const Vec3 rigid = p / mass + w.cross(without.x(i) - center);
        EXPECT_LT((with.v(i) - (without.v(i) + 0.4 * (rigid - without.v(i)))).norm(), 1e-12) << i;
    }
}

TEST(position_formula, one_direct_solve_is_that_of_the_schur_complement) {
    // C29: (h^2 J W J^T + alpha) l = -C, x = x~ + h^2 W J^T l, of a net in space, once
    const int n = 10;
    const Real h = 0.02;
    ModelBuilder b = scattered(n, 10);
    std::vector<std::array<int, 2>> pairs;
    std::vector<Real> alpha;
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; j += 1 + i % 3) {
            pairs.push_back({i, j});
            alpha.push_back((i + j) % 4 ? 1e-4 * (i + 1) : 0); // soft ones and rigid ones
            if (pairs.size() > 20) alpha.back() = 1e-4;        // no more rigid ones than there are unknowns
            add_link(b, i, j, alpha.back());
        }
    finish_model(b);
    Rng rng{11, 1, 0};
    VecX x(3 * n);
    for (int i = 0; i < n; ++i) {
        vec(b.state.point.x[i]) += draw_vec(rng, -0.1, 0.1);
        b.state.point.v[i] = real3(draw_vec(rng, -1, 1));
        x.segment<3>(3 * i) = vec(b.state.point.x[i]) + h * vec(b.state.point.v[i]);
    }
    const int rows = int(pairs.size());
    MatX J = MatX::Zero(rows, 3 * n);
    VecX c(rows), w(3 * n);
    for (int i = 0; i < 3 * n; ++i) w[i] = 1 / b.model.point.mass[i / 3];
    for (int k = 0; k < rows; ++k) {
        const auto [i, j] = pairs[k];
        const Vec3 e = x.segment<3>(3 * j) - x.segment<3>(3 * i);
        c[k] = e.norm() - (vec(b.model.point.rest[j]) - vec(b.model.point.rest[i])).norm();
        J.block<1, 3>(k, 3 * j) = e.normalized().transpose();
        J.block<1, 3>(k, 3 * i) = -e.normalized().transpose();
    }
    MatX A = h * h * J * w.asDiagonal() * J.transpose();
    for (int k = 0; k < rows; ++k) A(k, k) += alpha[k];
    const VecX expected = x + h * h * w.cwiseProduct(J.transpose() * solve_dense(A, -c));
    PositionSettings s = plain_settings();
    s.method = "fast_projection", s.iterations = 1;
    PositionRun run(b, s);
    run.step(h);
    // rounding times the condition of A, about 1e4
    for (int i = 0; i < n; ++i) EXPECT_LT((run.x(i) - expected.segment<3>(3 * i)).norm(), 1e-10) << i;
    EXPECT_GT((expected - x).norm(), 0.1);
}
