// A steady step of the position solver allocates nothing.
#include "allocation_counter.h"
#include "physics/simulation.h"
#include "solver/position.h"

using namespace sinew;

TEST(position_allocation, sweeps_allocate_nothing_in_a_steady_step) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    const std::string text = R"({ "sinew": 1, "time": { "fps": 60, "substeps": 1, "seconds": 2 },
        "objects": {
            "floor": { "kind": "plane" },
            "box": { "kind": "box", "size": [0.3, 0.3, 0.3], "mass": 1, "at": [0, 0.15, 0], "replicate": { "count": 4, "index": "i", "at": ["0.6*i", 0, 0] } },
            "cloth": { "kind": "cloth_grid", "size": [1, 1], "edge": 0.1, "at": [0, 0.01, 2], "material": "cotton", "thickness": 0.01 },
            "grain": { "kind": "particles", "positions": [[0, 0.05, -1], [0.3, 0.05, -1]], "masses": [0.1, 0.1], "radius": 0.05, "thickness": 0.05 } },
        "solver": "position" })";
    for (int threads : {1, 2}) {
        auto s = start(text, threads);
        ASSERT_TRUE(s);
        for (int k = 0; k < 40; ++k) ASSERT_EQ(simulate_step(*s), Status::ok); // all have come to rest
        Report report;
        State next = s->now;
        long counted = 0;
        for (int k = 0; k < 8; ++k) {
            const long before = allocation_count();
            report = s->solver->step(s->compiled.model, s->input, s->now, next, 1.0 / 60);
            if (k >= 4) counted += allocation_count() - before;
            std::swap(s->now, next);
        }
        EXPECT_EQ(counted, 0) << threads;
    }
}
