// Discrete elastic rods against beam theory (spec T 8.2): cantilever, elastica, torsion, Michell's ring, natural shapes,
// momenta, checkpoints.
#include "dense.h"
#include "energy/assemble_hessian.h"
#include "energy/rod_curvature.h"
#include "linalg/linear_solver.h"
#include "physics/elastica.h"
#include "physics/simulation.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

constexpr Real kRadius = 0.01;
const Real kInertia = kPi * std::pow(kRadius, 4) / 4, kArea = kPi * kRadius * kRadius;
constexpr const char* kStatics = R"("solver": "newton", "solvers": { "newton": { "scheme": "quasi_static", "tolerance": 1e-11,
    "force_tolerance": 1e-11, "max_iterations": 200 } })";

// Rod of length 1 from the middle of its clamped first edge, heavy with `young`, at rest.
Simulation hanging(int count, Real young) {
    const Real h = 1 / (count - 0.5);
    return run_to_end(fmt::format(R"({{ "sinew": 1, "time": {{ "dt": 1, "substeps": 1, "frames": 3 }},
        "objects": {{ "r": {{ "kind": "rod", "from": [{}, 0, 0], "to": [1, 0, 0], "count": {}, "radius": {}, "young": {}, "clamp": "first" }} }}, {} }})",
                           -h / 2, count, kRadius, young, kStatics));
}

} // namespace

TEST(rod, a_cantilever_sags_by_beam_theory_with_second_order) {
    const Real young = 1e11, sag = 1000 * kArea * 9.81 / (8 * young * kInertia); // q L^4/(8 EI) = 5e-4 m
    Real error[2];
    for (int level = 0; level < 2; ++level) {
        const Simulation s = hanging(level == 0 ? 10 : 20, young);
        error[level] = std::abs(s.now.point.x.back().y + sag) / sag;
    }
    EXPECT_LT(error[1], 2e-3);
    EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.3);
}

TEST(rod, a_heavy_elastica_bends_as_the_differential_equation_says) {
    const Real young = 1e8; // q L^3/EI = 3.9: the tip hangs by a third of the length
    const Vec2 exact = elastica_tip(1000 * kArea * 9.81 / (young * kInertia));
    Real error[2];
    for (int level = 0; level < 2; ++level) {
        const Simulation s = hanging(level == 0 ? 10 : 20, young);
        const Real3 tip = s.now.point.x.back();
        error[level] = (Vec2(tip.x, tip.y) - exact).norm();
        EXPECT_NEAR(tip.z, 0, 1e-9);
    }
    EXPECT_LT(exact.y(), -0.3);
    EXPECT_LT(error[1], 2e-3);
    EXPECT_GT(error[0] / error[1], 3);
}

TEST(rod, a_twisted_straight_rod_stores_half_GJ_over_L_times_the_angle_squared) {
    // 10 edges: 0.9 m between the middles of the clamped edges; turned by 0.8 rad within 1 s, below any buckling
    // statics know no viscosity, though the clamp turns
    const Simulation s = run_to_end(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": 0.25, "substeps": 1, "seconds": 1 }},
        "objects": {{ "r": {{ "kind": "rod", "count": 10, "radius": {}, "young": 3e7, "shear": 1e7, "viscosity": 1e6, "clamp": "both",
                              "twist_rate": 0.8 }} }}, {} }})",
                                         kRadius, kStatics));
    const Real torsion = 1e7 * 2 * kInertia, expected = torsion * 0.8 * 0.8 / (2 * 0.9);
    EXPECT_NEAR(s.report.energy_elastic, expected, 1e-9 * expected);
    for (int i = 0; i < 10; ++i) EXPECT_NEAR(s.now.scalar.s[i], 0.8 * i / 9, 1e-9);
    for (const Real3& x : s.now.point.x) EXPECT_NEAR(x.y * x.y + x.z * x.z, 0, 1e-20);
    // what the clamp puts in is what the rod stores: forces of the end of each of four steps, linear: (1 + 2 + 3 + 4)/8
    EXPECT_NEAR(s.report.work_external, 2 * expected * 4.0 / 16, 1e-6 * expected);
}

TEST(rod, a_helix_of_its_natural_shape_feels_nothing) {
    const Simulation s = run_to_end(R"({ "sinew": 1, "gravity": 0, "time": { "dt": 0.01, "substeps": 1, "seconds": 0.2 },
        "objects": { "r": { "kind": "rod", "curve": "helix", "count": 80, "radius": 0.003, "radius2": 0.001, "director": [1, 2, 0] } },
        "solver": "newton" })");
    const Model& m = s.compiled.model;
    EXPECT_LT(s.report.energy_elastic, 1e-25);
    for (int i = 0; i < point_count(m); ++i) EXPECT_LT((vec(s.now.point.x[i]) - vec(m.point.rest[i])).norm(), 1e-12);
}

TEST(rod, curvature_and_twist_of_a_helix_are_those_of_its_curve) {
    // a straight rod with the natural curvature R/(R^2 + c^2) and twist c/(R^2 + c^2) coils up into the helix: no energy left
    const Real r = 0.1, c = 0.05, w = r * r + c * c;
    const Simulation s = run_to_end(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": 0.05, "substeps": 1, "seconds": 12 }},
        "objects": {{ "r": {{ "kind": "rod", "to": [0.8, 0, 0], "count": 60, "radius": 0.01, "young": 1e6, "viscosity": 3e5, "natural": "curved",
        "curvature1": {}, "natural_twist": {}, "clamp": "first" }} }}, "solver": "newton" }})", r / w, c / w));
    EXPECT_LT(s.report.energy_elastic, 1e-5 * 0.5 * 1e6 * kInertia * 0.8 * (r / w) * (r / w));
    // all inner points lie on a cylinder: distance of points two turns of the sampling apart is that of the helix
    const Real step = 0.8 / 60, angle = 20 * step / std::sqrt(w);
    const Real chord = std::sqrt(4 * r * r * std::sin(angle / 2) * std::sin(angle / 2) + c * c * angle * angle);
    for (int i = 5; i + 20 < 56; ++i) EXPECT_NEAR((vec(s.now.point.x[i + 20]) - vec(s.now.point.x[i])).norm(), chord, 0.01 * chord);
}

TEST(rod, free_rods_keep_their_momenta) {
    std::optional<Simulation> s = start(R"({ "sinew": 1, "gravity": 0, "time": { "dt": 1e-3, "substeps": 1, "seconds": 0.1 },
        "objects": { "r": { "kind": "rod", "curve": "helix", "turns": 2, "count": 40, "radius": 0.004, "young": 1e6, "natural": "straight",
                            "velocity": [0.5, -0.2, 0.1], "angular_velocity": [3, 5, -2], "twist": 4 } },
        "solver": "newton", "solvers": { "newton": { "scheme": "implicit_midpoint", "tolerance": 1e-9, "force_tolerance": 1e-12 } } })");
    ASSERT_TRUE(s);
    const Vec3 momentum = vec(s->report.momentum), angular = vec(s->report.angular_momentum);
    const Real size = s->report.mass * 0.5 * 0.1; // mass, speed, radius
    while (!is_finished(*s)) ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
    EXPECT_LT((vec(s->report.momentum) - momentum).norm(), 1e-10 * momentum.norm());
    // no more than the spin of the edges, which is in the sum, amounts to: (radius of the rod/0.1)^2
    EXPECT_LT((vec(s->report.angular_momentum) - angular).norm(), 1.6e-3 * size);
    EXPECT_GT(angular.norm(), 0.1 * size);
}

// A bent rod held by its first edge follows a motion as a rigid body does: the frame on the edge turns with it, about the edge too. Without
// inertia and weight the shape at rest is the balance, to rounding; bent after 0.2 m, moved in steps of 18 degrees.
TEST(rod, a_clamped_end_turns_with_its_motion) {
    for (const char* axis : {"[1, 0, 0]", "[1, 2, -3]", "[0, 1, 0]"}) {
        const Simulation s = run_to_end(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": 0.05, "substeps": 1, "seconds": 1.5 }},
            "objects": {{ "r": {{ "kind": "rod", "positions": [[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0], [0.25, 0.08, 0], [0.25, 0.18, 0]],
                "radius": 0.004, "radius2": 0.002, "young": 1e7, "clamp": "first",
                "motion": {{ "spin": {{ "axis": {}, "rate": "360 deg/s" }} }} }} }}, {} }})", axis, kStatics));
        Vec3 a;
        ASSERT_EQ(std::sscanf(axis, "[%lf, %lf, %lf]", &a[0], &a[1], &a[2]), 3);
        const Quat turn = exp_rotation(3 * kPi * a.normalized()); // one and a half turns
        for (int i = 0; i < 5; ++i)
            EXPECT_LT((vec(s.now.point.x[i]) - turn * vec(s.compiled.model.point.rest[i])).norm(), 1e-7) << axis << i;
    }
}

// of a clamp that is let go the angle is free as well: the twist runs back, and what turns about the axis in sum does not change
TEST(rod, a_released_clamp_lets_the_angle_go) {
    std::optional<Simulation> s = start(R"({ "sinew": 1, "gravity": 0, "time": { "dt": 1e-3, "substeps": 1, "seconds": 0.1 },
        "objects": { "r": { "kind": "rod", "count": 10, "radius": 0.01, "young": 1e6, "twist": 1, "clamp": "both" } },
        "events": [ { "at": 0.05, "release": "r.clamp" } ], "solver": "newton", "solvers": { "newton": { "tolerance": 1e-9 } } })");
    ASSERT_TRUE(s);
    while (!is_finished(*s)) {
        ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
        if (s->now.time < 0.0495) { EXPECT_NEAR(s->now.scalar.s.back(), 1, 1e-12); }
    }
    EXPECT_LT(std::abs(s->now.scalar.s.back() - s->now.scalar.s.front()), 0.9);
    // scale: mass of an angle, its change in a step of 1 ms
    EXPECT_NEAR(s->report.angular_momentum.x, 0, 1e-6 * s->compiled.model.scalar.mass[0] / 1e-3);
}

TEST(rod, a_rod_spins_about_itself_with_its_angular_velocity) {
    const Simulation s = *start(R"({ "sinew": 1, "gravity": 0, "objects": { "r": { "kind": "rod", "count": 10, "radius": 0.01,
        "angular_velocity": [10, 0, 0] } }, "solver": "newton" })");
    // rho pi r^4/2 L w
    EXPECT_NEAR(s.report.angular_momentum.x, 1000 * 2 * kInertia * 10, 1e-12);
}

// twist_rate is of the rod, not of one solver
TEST(rod, a_clamped_end_turns_at_its_rate_in_every_solver_of_rods) {
    for (const char* solver : {"newton", "position", "explicit"})
        for (const char* motion : {"", R"("motion": { "spin": { "axis": [1, 0, 0], "rate": 2 } },)"}) {
            const Simulation s = run_to_end(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": 0.01, "substeps": 1, "seconds": 0.2 }},
                "objects": {{ "r": {{ "kind": "rod", "count": 6, "young": 1e5, {} "clamp": "both", "twist_rate": 3 }} }}, "solver": "{}" }})",
                                                 motion, solver));
            const Real carried = *motion ? 0.4 : 0;
            EXPECT_NEAR(s.now.scalar.s.front(), carried, 1e-12) << solver << motion;
            EXPECT_NEAR(s.now.scalar.s.back(), 0.6 + carried, 1e-12) << solver << motion;
        }
}

TEST(rod, strains_do_not_see_rotations_of_rod_and_frames) {
    const Vec3 e(1, 0.2, -0.1), f(0.8, 0.5, 0.3);
    Real frame[13], turned[13];
    place_rod_frames(e.normalized(), Vec3(1, 0, 0.2).normalized(), {0, 1, 0.3}, {0, 0.2, 1}, frame);
    const Quat q = exp_rotation({0.4, -1.3, 2});
    for (int i = 0; i < 4; ++i) Eigen::Map<Vec3>(turned + 3 * i) = q * Eigen::Map<Vec3>(frame + 3 * i);
    turned[12] = frame[12];
    const RodStrain a = rod_strain(frame, e, f, 0.3, -0.4), b = rod_strain(turned, q * e, q * f, 0.3, -0.4);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(a.value[k], b.value[k], 1e-13);
}

// Smallest eigenvalue of the Hessian of a ring of naturally straight rod with total twist, over its bending stiffness and
// in units of 1/R^2..., without the seven motions that cost nothing (rigid ones, and turning all frames).
static Real ring_stability(Real turns, int n) {
    const Real radius = 0.1, wire = 1e-3, length = 2 * n * radius * std::sin(kPi / n);
    const std::optional<Compiled> c = compile_text(fmt::format(R"({{ "sinew": 1, "gravity": 0, "objects": {{ "r": {{ "kind": "rod",
        "curve": "circle", "size": {}, "count": {}, "radius": {}, "young": 1e9, "shear": 4e8, "natural": "curved", "natural_twist": {} }} }}, "solver": "newton" }})",
                                                                  radius, n, wire, 2 * kPi * turns / length));
    if (!c) return 0;
    const Model& m = c->model;
    State state = c->state;
    const ParallelPtr parallel = make_parallel(Context{});
    ElementSet set;
    collect_elements(*m.elements, set);
    const Dofs dofs = dofs_of(m);
    Gather gather;
    build_gather(set, dofs, kValue, gather);
    std::vector<Real> g(dofs.size());
    Evaluation ev;
    const auto look = [&](Real scale) { // sum of outward forces of a ring scaled by this
        for (int i = 0; i < dofs.points; ++i) state.point.x[i] = real3(scale * vec(m.point.rest[i]));
        ev.x = state.point.x.data(), ev.x_now = ev.x, ev.s = state.scalar.s.data(), ev.memory = &state.memory;
        std::fill(g.begin(), g.end(), 0.0);
        add_gradient(*parallel, set, dofs, ev, gather, g);
        Real sum = 0;
        for (int i = 0; i < dofs.points; ++i) sum -= Eigen::Map<Vec3>(g.data() + 3 * i).dot(vec(m.point.rest[i]));
        return sum;
    };
    Real low = 0.99, high = 1.01; // equilibrium: the ring is a little wider than at the start
    for (int k = 0; k < 60; ++k) {
        const Real middle = 0.5 * (low + high);
        (look(middle) > 0 ? low : high) = middle;
    }
    look(low);
    BlockPattern pattern;
    build_hessian_pattern(set, {}, dofs, pattern);
    HessianPlan plan;
    build_hessian_plan(set, dofs, pattern, plan);
    BlockSparse hessian = make_block_sparse(std::move(pattern));
    compute_hessian(*parallel, set, ev, {.projection = Projection::none}, plan, hessian);
    std::vector<Real> dense = to_dense(hessian);
    MatX h = Eigen::Map<MatX>(dense.data(), dofs.size(), dofs.size());
    // angles in units of the wire's radius of inertia would be smaller still: scale them to the ring
    for (int i = 3 * dofs.points; i < dofs.size(); ++i) h.row(i) /= radius, h.col(i) /= radius;
    const VecX values = eigenvalues_of(h);
    return values[0] / std::abs(values[7]);
}

TEST(rod, a_twisted_ring_buckles_at_michells_threshold) {
    // Michell 1889, Zajac 1962: 2 pi sqrt(3) EI/GJ. Here EI/GJ = young/(2 shear) = 1.25, so sqrt(3) * 1.25 = 2.165 turns.
    Real threshold[2];
    for (int level = 0; level < 2; ++level) {
        const int n = level == 0 ? 24 : 48;
        Real low = 1, high = 4;
        EXPECT_GT(ring_stability(low, n), -0.01);
        EXPECT_LT(ring_stability(high, n), -0.1);
        for (int k = 0; k < 12; ++k) {
            const Real middle = 0.5 * (low + high);
            (ring_stability(middle, n) > -0.01 ? low : high) = middle;
        }
        threshold[level] = low;
    }
    const Real exact = std::sqrt(3.0) * 1.25;
    EXPECT_NEAR(threshold[1], exact, 0.02 * exact);
    EXPECT_LT(std::abs(threshold[1] - exact), std::abs(threshold[0] - exact));
}

static const char* kImplicitWhip = R"({ "sinew": 1, "time": { "dt": 5e-3, "substeps": 1, "seconds": 0.3 },
    "objects": { "r": { "kind": "rod", "to": [0.5, 0, 0.1], "count": 30, "radius": 0.003, "radius2": 0.002, "young": 1e6, "viscosity": 20,
                        "natural": "curved", "curvature1": 5, "clamp": "both", "twist_rate": 20 },
                 "h": { "kind": "rod", "curve": "helix", "at": [0, 0.3, 0], "clamp": "first" } }, "solver": "newton" })";

TEST(rod, a_checkpoint_in_mid_motion_continues_with_the_same_bits_at_any_thread_count) {
    const Simulation whole = run_to_end(kImplicitWhip);
    const std::uint64_t expected = hash(whole.now);
    EXPECT_EQ(hash(run_to_end(kImplicitWhip, 3).now), expected);
    std::optional<Simulation> first = start(kImplicitWhip), second = start(kImplicitWhip);
    for (int i = 0; i < 27; ++i) ASSERT_NE(simulate_step(*first), Status::failed);
    second->now = first->now; // everything that continues is in the state
    while (!is_finished(*second)) ASSERT_NE(simulate_step(*second), Status::failed);
    EXPECT_EQ(hash(second->now), expected);
}

TEST(rod, the_band_gives_the_same_motion_as_the_sparse_solver) {
    const Simulation banded = run_to_end(kImplicitWhip);
    std::string text = kImplicitWhip;
    text.replace(text.rfind("\"newton\""), 8, "\"newton\", \"solvers\": { \"newton\": { \"linear_solver\": \"ldlt\" } }");
    const Simulation sparse = run_to_end(text);
    // both solve to rounding; 60 steps of a motion that is not chaotic yet
    for (int i = 0; i < point_count(banded.compiled.model); ++i)
        EXPECT_LT((vec(banded.now.point.x[i]) - vec(sparse.now.point.x[i])).norm(), 1e-6);
}

TEST(rod, viscosity_damps_bending_at_the_rate_of_the_material) {
    // Kelvin-Voigt: with EI and 3 mu I the first bending mode decays by exp(-3 mu w^2 t/(2 E)); statics untouched
    const auto amplitude = [](Real viscosity) {
        std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": 1e-3, "substeps": 1, "seconds": 1 }},
            "objects": {{ "r": {{ "kind": "rod", "count": 20, "radius": 0.01, "young": 1e8, "viscosity": {}, "clamp": "first" }} }},
            "solver": "newton", "solvers": {{ "newton": {{ "scheme": "implicit_euler" }} }} }})", viscosity));
        for (int i = 0; i < point_count(s->compiled.model); ++i) { // about the first mode
            const Real x = s->now.point.x[i].x;
            if (i > 1) s->now.point.v[i].y = 0.1 * x * x * (3 - x) / 2;
        }
        Real largest = 0;
        while (!is_finished(*s)) {
            if (simulate_step(*s) == Status::failed) ADD_FAILURE() << s->report.message;
            if (s->now.time > 0.6) largest = std::max(largest, std::abs(s->now.point.x.back().y));
        }
        return largest;
    };
    // w = 1.8751^2 sqrt(EI/(rho A))/L^2 with L = 0.975 m: 5.8/s; the second swing is at three quarters of the period, 0.8 s
    const Real w = 3.516 * std::sqrt(1e8 * kInertia / (1000 * kArea)) / (0.975 * 0.975);
    const Real mu = 2e6, rate = 3 * mu * w * w / (2 * 1e8);
    const Real ratio = amplitude(mu) / amplitude(0);
    EXPECT_GT(ratio, std::exp(-rate * 1));
    EXPECT_LT(ratio, std::exp(-rate * 0.6));
    EXPECT_GT(rate, 0.5);
}

TEST(rod, the_matrix_has_half_bandwidth_ten) {
    const std::optional<Compiled> c = compile_text(R"({ "sinew": 1, "objects": { "a": { "kind": "rod", "count": 30 }, "b": { "kind": "rod", "count": 99, "at": [0, 1, 0] } } })");
    ASSERT_TRUE(c);
    ElementSet set;
    collect_elements(*c->model.elements, set);
    const Dofs dofs = dofs_of(c->model);
    EXPECT_EQ(dofs.size(), (4 * 31 - 1) + (4 * 100 - 1)); // 4 n - 1 unknowns
    BlockPattern pattern;
    ASSERT_TRUE(build_hessian_pattern(set, {}, dofs, pattern));
    EXPECT_EQ(half_bandwidth(pattern, std::vector<unsigned char>(dofs.blocks(), 0)), 10);
}

TEST(rod, wrong_rods_are_refused_by_name) {
    const auto errors = [](const std::string& body) {
        Result<Scene> scene = parse_scene(R"({ "sinew": 1, "objects": { "r": { "kind": "rod", )" + body + " } } }", "scene.json");
        if (!scene) return scene.errors;
        return compile_scene(*scene.value).errors;
    };
    EXPECT_FALSE(errors(R"("curve": "points", "positions": [[0, 0, 0], [1, 0, 0]])").empty());
    EXPECT_FALSE(errors(R"("curve": "points", "positions": [[0, 0, 0], [1, 0, 0], [1, 0, 0]])").empty());
    EXPECT_FALSE(errors(R"("curve": "points", "positions": [[0, 0, 0], [1, 0, 0], [0, 0, 0]])").empty());
    EXPECT_FALSE(errors(R"("curve": "circle", "clamp": "first")").empty());
    EXPECT_FALSE(errors(R"("from": [1, 0, 0], "to": [1, 0, 0])").empty());
    EXPECT_TRUE(errors(R"("curve": "points", "positions": [[0, 0, 0], [1, 0, 0], [1, 1, 0]])").empty());
}
