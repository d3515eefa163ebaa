// Grains, points with a radius, contact and friction, under the velocity solver: the slope of a slumped pile rises with friction
// (spec P V25), and nothing sinks into the ground.
#include "core/math.h"
#include "simulation.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

// a cube of 7^3 grains of 10 cm, tilted so that no layers carry it
std::string pile(double mu) {
    return fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 60, "seconds": 3 }},
        "objects": {{ "floor": {{ "kind": "plane", "friction": {0} }},
                      "sand": {{ "kind": "particles", "shape": "grid", "size": [0.6, 0.6, 0.6], "at": [0, 0.57, 0],
                                 "rotate": {{ "axis": [1, 0.3, 0.6], "angle": "50 deg" }}, "spacing": 0.1, "mass": 0.1, "radius": 0.05,
                                 "thickness": 0.05, "self_contact": true, "material": {{ "friction": {0} }} }} }}, "solver": "velocity" }})",
                       mu);
}

struct Slumped {
    double lowest = 0, slope = 0; // [m], height of the pile over the mean distance of its grains from its axis
};
Slumped slump(double mu) {
    auto s = start(pile(mu));
    if (!s) return {};
    while (!is_finished(*s))
        if (simulate_step(*s) == Status::failed) {
            ADD_FAILURE() << s->report.message;
            break;
        }
    double top = 0, reach = 0, lowest = 1e300;
    for (const Real3& x : s->now.point.x) {
        top = std::max(top, x.y), lowest = std::min(lowest, x.y);
        reach += std::hypot(x.x, x.z) / double(s->now.point.x.size());
    }
    return {lowest, (top - 0.05) / reach};
}

} // namespace

TEST(grains, the_slope_of_a_pile_rises_with_friction) {
    const double mus[] = {0, 0.2, 0.4, 0.8};
    double before = -1;
    for (double mu : mus) {
        const Slumped pile = slump(mu);
        EXPECT_GT(pile.lowest, 0.049) << mu; // radius 0.05; contact springs give way by less than a millimetre
        EXPECT_GT(pile.slope, before + (mu > 0 ? 0.05 : 0)) << mu;
        before = pile.slope;
    }
    EXPECT_LT(slump(0).slope, 0.1); // without friction one layer is left
}

namespace {

// a cube of grains of 6 cm, tilted, over a body; the scene is closed below
std::string over(const std::string& body, double size, const std::string& method, double seconds) {
    return fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 60, "seconds": {3} }},
        "objects": {{ {0},
                      "sand": {{ "kind": "particles", "shape": "grid", "size": [{1}, {1}, {1}], "at": [0, 0.45, 0], "rotate": {{ "axis": [1, 0.3, 0.6], "angle": "50 deg" }},
                                 "spacing": 0.062, "mass": 0.01, "radius": 0.03, "thickness": 0.03, "self_contact": true, "material": {{ "friction": 0.3 }} }} }},
        "solver": "velocity", "solvers": {{ "velocity": {{ "method": "{2}" }} }} }})", body, size, method, seconds);
}

constexpr const char* kBowl = R"("bowl": { "kind": "mesh", "mesh": { "shape": "lathe", "profile": [[0, 0], [0.3, 0], [0.6, 0.1], [0.8, 0.5]], "around": 24, "cell": "20 cm" },
                                  "thickness": 0, "friction": 0.4 })";
constexpr const char* kDrum = R"("drum": { "kind": "mesh", "mesh": { "shape": "lathe", "profile": [[0, 0], [0.4, 0], [0.4, 1.2]], "around": 24, "cell": "20 cm" },
                                  "thickness": 0, "friction": 0.4 })";
// a cylinder that lies, and a hull, on a plane
constexpr const char* kBodies = R"("floor": { "kind": "plane", "friction": 0.4 },
    "log": { "kind": "cylinder", "radius": 0.1, "height": 1, "motion": "static", "rotate": { "axis": [0, 0, 1], "angle": "90 deg" }, "at": [0, 0.1, 0], "friction": 0.4 },
    "cone": { "kind": "cone", "radius": 0.2, "height": 0.3, "mass": 20, "at": [0, 0.075, 0.35], "friction": 0.4 })";

} // namespace

// Grains on triangles of rigid bodies are pairs of bodies as those on planes are: they take soft steps, come to rest, sleep, and nothing goes
// through.
TEST(grains, on_meshes_cylinders_and_cones_take_soft_steps_and_fall_asleep) {
    for (const char* body : {kBowl, kDrum, kBodies}) {
        auto s = start(over(body, 0.38, "auto", 5));
        ASSERT_TRUE(s);
        const int count = int(s->now.point.x.size());
        ASSERT_EQ(count, 343);
        while (!is_finished(*s)) {
            ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
            if (s->now.time > 0.3 && s->now.time < 1) {
                EXPECT_TRUE(std::string_view(s->report.path).starts_with("soft_step")) << s->report.path << s->now.time;
            }
            for (const Real3& x : s->now.point.x) ASSERT_GT(x.y, 0.025) << s->now.time; // radius 0.03, soft contacts
        }
        EXPECT_GE(s->report.asleep, count) << body;
    }
}

// Few grains, by soft steps and directly: the same heap but for the softness of contacts.
TEST(grains, on_a_mesh_lie_where_the_direct_method_has_them) {
    std::array<std::vector<Real3>, 2> x;
    int at = 0;
    for (const char* method : {"soft_step", "direct"}) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 60, "seconds": 2 }},
            "objects": {{ {}, "sand": {{ "kind": "particles", "positions": [[0, 0.05, 0], [0.06, 0.05, 0], [0.03, 0.05, 0.052], [0.03, 0.11, 0.017]], "mass": 0.01, "radius": 0.03,
                                         "thickness": 0.03, "self_contact": true, "material": {{ "friction": 0.5 }} }} }},
            "solver": "velocity", "solvers": {{ "velocity": {{ "method": "{}" }} }} }})", kBowl, method));
        ASSERT_TRUE(s);
        run_to_end(*s);
        EXPECT_EQ(s->report.asleep, 4) << method;
        x[at++] = s->now.point.x;
    }
    for (std::size_t k = 0; k < x[0].size(); ++k) EXPECT_LT((vec(x[0][k]) - vec(x[1][k])).norm(), 0.003) << k; // a tenth of a radius
}

// A free disc spins under a grain that lands on it: friction takes the grain along and brakes the disc, and momentum is kept.
TEST(grains, on_a_turning_cylinder_exchange_momentum_with_it) {
    for (const char* method : {"soft_step", "direct"}) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "fps": 240, "seconds": 0.1 }},
            "objects": {{ "disc": {{ "kind": "cylinder", "radius": 0.5, "height": 0.1, "mass": 1, "angular_velocity": [0, 3, 0], "friction": 1 }},
                          "grain": {{ "kind": "particles", "positions": [[0.3, 0.1, 0]], "mass": 0.2, "radius": 0.01, "thickness": 0.01, "velocity": [0, -2, 0], "material": {{ "friction": 1 }} }} }},
            "solver": "velocity", "solvers": {{ "velocity": {{ "method": "{}" }} }} }})", method));
        ASSERT_TRUE(s);
        const auto momentum = [&] {
            const Mat3 r = quat(s->now.frame.q[0]).toRotationMatrix(), I = mat(s->compiled.model.frame.inertia[0]);
            return Vec3(0.2 * vec(s->now.point.x[0]).cross(vec(s->now.point.v[0])) + vec(s->now.frame.p[0]).cross(vec(s->now.frame.v[0])) +
                        r * I * r.transpose() * vec(s->now.frame.w[0]));
        };
        const Vec3 before = momentum();
        run_to_end(*s);
        EXPECT_LT(s->now.point.v[0].z, -0.1) << method; // it goes with the disc
        // places are those of the start of the step, in which the grain goes 8 mm, and friction is 0.06 N s
        EXPECT_LT((momentum() - before).norm(), 0.008 * 0.06 + 1e-3 * before.norm()) << method;
    }
}
