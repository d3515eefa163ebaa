// Grains, points with a radius, contact and friction, under the velocity solver: the slope of a slumped pile rises with friction
// (spec P V25), and nothing sinks into the ground.
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
