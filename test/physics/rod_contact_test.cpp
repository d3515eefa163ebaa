// Rods that touch each other and themselves: balance of forces, momentum, no way through, the same bits.
#include "model/visit.h"
#include "paths.h"
#include "physics/simulation.h"
#include <fmt/format.h>

using namespace sinew;

namespace {

std::string rod(const char* name, const char* from, const char* to, int count, const char* more) {
    return fmt::format(R"("{}": {{ "kind": "rod", "from": {}, "to": {}, "count": {}, {} }})", name, from, to, count, more);
}

} // namespace

// A rod across two held ones, which it touches in the middle of edges: each carries half of the weight W with the stiffness
// k = EA/t, so that the gap is -W/(2 k). Radius 1 cm, length 0.3 m, E = 100 MPa: bending turns the normals by 1e-3 at most.
TEST(rod_contact, a_rod_lies_on_two_others_at_the_depth_of_its_weight) {
    const char* stiff = R"("radius": 0.01, "young": 1e8)";
    const std::string held = fmt::format(R"({}, "fixed": "all")", stiff);
    std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "dt": 0.01, "substeps": 1, "frames": 60 }},
        "objects": {{ {}, {}, {} }}, "solver": "newton", "solvers": {{ "newton": {{ "tolerance": 1e-12, "force_tolerance": 1e-12 }} }} }})",
                                                    rod("top", "[0, 0.02, -0.15]", "[0, 0.02, 0.15]", 3, stiff),
                                                    rod("left", "[-0.15, 0, -0.1]", "[0.15, 0, -0.1]", 3, held.c_str()),
                                                    rod("right", "[-0.15, 0, 0.1]", "[0.15, 0, 0.1]", 3, held.c_str())));
    ASSERT_TRUE(s);
    run_to_end(*s);
    const Real area = kPi * 1e-4, weight = 1000 * area * 0.3 * 9.81, k = 1e8 * area / 0.02;
    EXPECT_EQ(s->report.contact_count, 2);
    EXPECT_NEAR(s->report.gap / (-weight / (2 * k)), 1, 1e-4); // normals 1e-6, the last motion
}

// two crossing rods at 20 m/s each: a step is eighty times their thickness
TEST(rod_contact, fast_rods_do_not_pass_through_each_other_and_keep_their_momentum) {
    const char* flying = R"("radius": 0.002, "young": 1e7, "viscosity": 1000, "velocity": [0, {}, 0])";
    std::optional<Simulation> s = start(
        fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": 0.016, "substeps": 1, "frames": 12 }}, "objects": {{ {}, {} }},
            "solver": "newton", "solvers": {{ "newton": {{ "max_iterations": 200 }} }} }})",
                    rod("low", "[-0.2, 0, 0.013]", "[0.2, 0, 0]", 12, fmt::format(fmt::runtime(flying), 20).c_str()),
                    rod("high", "[0.011, 0.45, -0.2]", "[0, 0.45, 0.2]", 12, fmt::format(fmt::runtime(flying), -20).c_str())));
    ASSERT_TRUE(s);
    const Real size = 2 * 20 * s->report.mass; // of what flies
    const Vec3 first = vec(s->report.momentum);
    bool touched = false;
    Real energy = s->report.energy_kinetic;
    while (!is_finished(*s)) {
        ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
        touched = touched || s->report.contact_count > 0;
        EXPECT_LT(measure(*s, "low.point[6].y"), measure(*s, "high.point[6].y")) << s->now.time;
        EXPECT_LT((vec(s->report.momentum) - first).norm(), 1e-11 * size); // rounding of some 100 iterations
        const Real now = s->report.energy_kinetic + s->report.energy_elastic + s->report.energy_contact;
        EXPECT_LT(now, energy * (1 + 1e-6)); // each step minimises its potential
        energy = now;
    }
    EXPECT_TRUE(touched);
}

// exactly parallel: the edge-edge energy is off, points on edges carry
TEST(rod_contact, parallel_rods_hold_each_other_apart) {
    const char* soft = R"("radius": 0.01, "young": 1e6)";
    const std::string held = fmt::format(R"({}, "fixed": "all")", soft);
    std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "dt": 0.01, "substeps": 1, "frames": 20 }},
        "objects": {{ {}, {} }}, "solver": "newton" }})",
                                                    rod("top", "[0.013, 0.03, 0]", "[0.313, 0.03, 0]", 10, soft),
                                                    rod("low", "[0, 0, 0]", "[0.4, 0, 0]", 14, held.c_str())));
    ASSERT_TRUE(s);
    run_to_end(*s);
    EXPECT_GT(s->report.contact_count, 5);
    // 0.92 N over ten points of some 1e4 N/m: far below a tenth of the thickness
    EXPECT_NEAR(measure(*s, "top.y"), 0.02, 0.002);
}

TEST(rod_contact, a_rod_that_touches_itself_has_the_same_bits_for_any_number_of_threads_and_without_caches) {
    Result<Scene> scene = load_scene(source_dir() + "/scenes/demo/plectoneme.json");
    for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
    ASSERT_TRUE(scene);
    std::uint64_t expected = 0;
    for (int threads : {1, 3, -1}) { // -1: one, caches dropped before every step
        Result<Compiled> compiled = compile_scene(*scene.value);
        ASSERT_TRUE(compiled);
        Context context;
        context.threads = std::abs(threads);
        Result<Simulation> s = make_simulation(context, std::move(*compiled.value));
        ASSERT_TRUE(s);
        measure_start(*s.value);
        int contacts = 0;
        while (s.value->now.time < 0.6) { // it touches itself from 0.52 s on
            if (threads < 0) s.value->solver->drop_caches();
            ASSERT_NE(simulate_step(*s.value), Status::failed) << s.value->report.message;
            contacts = std::max(contacts, s.value->report.contact_count);
        }
        if (threads == 1) expected = hash(s.value->now);
        EXPECT_EQ(hash(s.value->now), expected) << threads;
        EXPECT_GT(contacts, 0);
    }
}

// Rods that lie in each other have no side to stay on: every step would be cut to nothing. The run must not freeze silently.
TEST(rod_contact, rods_in_the_same_place_are_an_error_that_names_them) {
    for (const char* constraints : {"penalty", "hard"}) {
        std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "dt": 0.002, "substeps": 1, "frames": 20 }}, "objects": {{ {}, {},
            "p": {{ "kind": "particles", "positions": [[1, 0, 0], [1.3, 0, 0]], "mass": 1, "links": [[0, 1]], "fixed": {{ "index": [0] }},
                    "material": {{ "rod": {{ "model": "distance" }} }} }} }},
            "solver": "newton", "solvers": {{ "newton": {{ "constraints": "{}" }} }} }})",
                                                        rod("left", "[-0.2, 0, 0]", "[0.2, 0, 0]", 4, R"("radius": 0.01, "fixed": "all")"),
                                                        rod("right", "[-0.2, 0, 0]", "[0.2, 0, 0]", 4, R"("radius": 0.01)"), constraints));
        ASSERT_TRUE(s);
        Status status = Status::ok;
        while (status == Status::ok && !is_finished(*s)) status = simulate_step(*s);
        EXPECT_EQ(status, Status::failed) << constraints;
        EXPECT_NE(s->report.message.find("'left' and 'right'"), std::string::npos) << s->report.message;
    }
}

// With four iterations per step, rods that meet head on are held back in each of them: the corrections that are left are below a
// thousand tolerances, but nearly all of the force is unbalanced. Such a step must be tried shorter, not kept.
TEST(rod_contact, a_step_whose_corrections_are_held_back_is_not_kept) {
    const char* flying = R"("radius": 0.002, "young": 1e7, "viscosity": 1000, "velocity": [0, {}, 0])";
    std::optional<Simulation> s = start(
        fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": 0.016, "substeps": 1, "frames": 12 }}, "objects": {{ {}, {} }},
            "solver": "newton", "solvers": {{ "newton": {{ "max_iterations": 4, "tolerance": 0.05 }} }} }})",
                    rod("low", "[-0.2, 0, 0.013]", "[0.2, 0, 0]", 12, fmt::format(fmt::runtime(flying), 20).c_str()),
                    rod("high", "[0.011, 0.45, -0.2]", "[0, 0.45, 0.2]", 12, fmt::format(fmt::runtime(flying), -20).c_str())));
    ASSERT_TRUE(s);
    Status status = Status::ok;
    while (status == Status::ok && !is_finished(*s)) {
        status = simulate_step(*s);
        if (status == Status::ok) {
            EXPECT_LT(s->report.residual, 0.1) << s->now.time;
        }
    }
    if (status == Status::failed) {
        EXPECT_NE(s->report.message.find("held back"), std::string::npos) << s->report.message;
    }
}

// Rods that touch extend the pattern of the matrix in mid-step; the geometric stiffness of links with multipliers goes into the new one. At the
// wrong places it would cost iterations: links that swing fast need as many beside rods that only lie there as alone.
TEST(rod_contact, links_with_multipliers_swing_beside_touching_rods) {
    const char* rods = R"("low": { "kind": "rod", "from": [-0.2, 0, 3], "to": [0.2, 0, 3], "count": 7, "radius": 0.01, "fixed": "all" },
        "top": { "kind": "rod", "from": [0.01, 0.019, 2.8], "to": [0.01, 0.019, 3.2], "count": 7, "radius": 0.01, "young": 1e7, "gravity": false,
                 "fixed": { "range": [0, 6] } },)";
    const auto swing = [&](const char* more, Vec3& tip) {
        std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "dt": 0.02, "substeps": 1, "frames": 30 }}, "objects": {{ {}
            "links": {{ "kind": "chain", "to": [1, 0, 0], "count": 8, "fixed": {{ "index": 0 }}, "angular_velocity": [0, 0, 9], "end_mass": 1,
                        "material": {{ "rod": {{ "model": "distance" }} }} }} }},
            "solver": "newton", "solvers": {{ "newton": {{ "constraints": "hard", "tolerance": 1e-11, "force_tolerance": 0, "max_iterations": 200 }} }} }})", more));
        EXPECT_TRUE(s);
        int touched = 0, iterations = 0;
        while (s && !is_finished(*s)) {
            if (simulate_step(*s) == Status::failed) {
                ADD_FAILURE() << s->report.message;
                break;
            }
            touched += s->report.contact_count > 0;
            iterations += s->report.iterations;
        }
        EXPECT_EQ(touched > 0, *more != 0);
        tip = {measure(*s, "links.point[8].x"), measure(*s, "links.point[8].y"), measure(*s, "links.point[8].z")};
        return iterations;
    };
    Vec3 alone, beside;
    const int needed = swing("", alone), taken = swing(rods, beside);
    EXPECT_LE(taken, needed + 30); // one more per step for the rods, which are at rest
    EXPECT_LT((beside - alone).norm(), 1e-8); // both to 1e-11 m/s per step
}
