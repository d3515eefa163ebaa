// What the articulated solver says about contacts of a scene.
#include "physics/simulation.h"
#include "sinew/solver.h"

using namespace sinew;

// Two rods joined by a hinge lie on a plank: the contacts bear the weight, 3 kg in all, push upwards on the rods, and name both
// objects. The sweeps end at 1e-8 m/s, which over a step of 1/60 s is 2e-6 N for 3 kg; gravity is taken at the start of steps.
TEST(articulated_scene, contacts_bear_the_weight_of_what_lies_on_them) {
    auto s = start(R"({ "sinew": 1, "solver": "articulated", "time": { "fps": 60, "seconds": 1 },
        "objects": { "plank": { "kind": "box", "size": [4, 0.2, 1], "motion": "static", "at": [0, -0.1, 0] },
                     "a": { "kind": "box", "size": [1, 0.1, 0.1], "mass": 1, "at": [-0.5, 0.05, 0] },
                     "b": { "kind": "box", "size": [1, 0.1, 0.1], "mass": 2, "at": [0.5, 0.05, 0] } },
        "joints": { "knee": { "kind": "hinge", "between": ["a", "b"], "at": [0, 0.05, 0], "axis": [0, 0, 1] } } })");
    ASSERT_TRUE(s);
    while (!is_finished(*s)) ASSERT_NE(simulate_step(*s), Status::failed);
    const int plank = find(s->compiled.model, "plank").index;
    double sum = 0;
    for (const ContactForce& c : s->solver->contacts()) {
        ASSERT_TRUE((c.object_a == plank) != (c.object_b == plank));
        sum += (c.object_b == plank ? 1 : -1) * c.force.y;
    }
    EXPECT_NEAR(sum, 3 * 9.81, 1e-3);
}
