// Position projection mixed with velocity time stepping (spec U062): the source's negative result, X28 and its Fig 8.14.
#include "paths.h"
#include "physics/simulation.h"
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

using namespace sinew;

namespace {

// [J] most kinetic energy of scenes/position/mixed_projection.json
Real most_energy(const std::string& mix) {
    std::ifstream in(source_dir() + "/scenes/position/mixed_projection.json");
    std::stringstream text;
    text << in.rdbuf();
    std::string scene = text.str();
    const std::size_t at = scene.find("\"mix\": \"none\"");
    if (at == std::string::npos) return -1;
    scene.replace(at, 13, "\"mix\": \"" + mix + "\"");
    auto s = start(scene);
    if (!s) return -1;
    Real most = 0;
    while (!is_finished(*s)) {
        if (simulate_step(*s) != Status::ok) return -1;
        most = std::max(most, s->report.energy_kinetic);
    }
    testing::Test::RecordProperty(mix, fmt::format("{:.4g} J", most));
    return most;
}

} // namespace

TEST(position_mix, links_followed_by_contacts_throw_a_box_that_one_loop_carries) {
    // it falls 0.2 m - 0.15 m - 0.01 m and sinks 0.1 m at most: 4 kg * 9.81 m/s^2 * 0.14 m = 5.5 J, which the cloth may give back
    const Real one = most_energy("none");
    EXPECT_GT(one, 0);
    EXPECT_LT(one, 8);
    EXPECT_GT(most_energy("contacts_after"), 4 * one); // the negative result: energy from nowhere
}

TEST(position_mix, a_step_of_velocities_before_or_instead_keeps_the_box_too) {
    for (const char* mix : {"velocity_first", "post_stabilize"}) {
        const Real most = most_energy(mix);
        EXPECT_GT(most, 0) << mix;
        EXPECT_LT(most, 8) << mix;
    }
}
