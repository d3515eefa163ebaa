// Births and deaths: the same particles at the same times whatever the steps, and no particle unaccounted
// for.
#include "core/math.h"
#include "model/builder.h"
#include "model/emit.h"
#include "model/visit.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace sinew;

namespace {

ModelBuilder make_pool(int capacity, Emitter e) {
    ModelBuilder b;
    e.object = begin_object(b, "spray", "emitter");
    const std::vector<Real3> places(capacity);
    const std::vector<Real> masses(capacity, 0.1);
    const int first = add_points(b, places, masses, kPooled);
    e.points = {first, first + capacity};
    b.model.emitters.push_back(e);
    finish_model(b);
    register_emitters(b.model, b.state);
    return b;
}

Emitter make_spray() {
    Emitter e;
    e.size = {1, 1, 1};
    e.rate = 97.3; // no birth at a time that the tests look at
    e.velocity = {0, 2, 0};
    e.spread = 0.5;
    e.lifetime = 0.313;
    e.initial_count = 5;
    return e;
}

// free flight, as a solver without forces would do it
void fly(const Model& m, Real dt, State& s) {
    const State before = s;
    for (int i = 0; i < point_count(m); ++i)
        if (s.point.alive[i]) vec(s.point.x[i]) += dt * vec(s.point.v[i]);
    s.time += dt;
    emit(m, dt, before, s);
}

std::map<std::uint32_t, int> alive_by_id(const State& s) {
    std::map<std::uint32_t, int> out;
    for (std::size_t i = 0; i < s.point.alive.size(); ++i)
        if (s.point.alive[i]) {
            EXPECT_TRUE(out.emplace(s.point.id[i], int(i)).second)
                << "identity " << s.point.id[i] << " twice";
        }
    return out;
}

} // namespace

TEST(emit, the_same_particles_live_at_the_same_places_for_different_steps) {
    // the longest step is longer than a life: some are born and die within it
    const ModelBuilder start = make_pool(100, make_spray());
    std::vector<State> at_end;
    for (const int steps : {1000, 100, 10, 2}) {
        State s = start.state;
        for (int i = 0; i < steps; ++i) fly(start.model, 1.0 / steps, s);
        at_end.push_back(s);
    }
    const auto fine = alive_by_id(at_end[0]);
    EXPECT_EQ(fine.size(), 31u); // born at j/97.3 in [0.687, 1]: j = 67 ... 97
    for (const State& s : at_end) {
        const auto coarse = alive_by_id(s);
        ASSERT_EQ(coarse.size(), fine.size());
        for (const auto& [id, i] : fine) {
            ASSERT_TRUE(coarse.count(id)) << id;
            const int k = coarse.at(id);
            // sums of up to 1000 steps
            EXPECT_NEAR(s.point.age[k], at_end[0].point.age[i], 1e-12);
            EXPECT_LT((vec(s.point.x[k]) - vec(at_end[0].point.x[i])).norm(), 1e-12);
            EXPECT_EQ(s.point.v[k], at_end[0].point.v[i]);
        }
    }
}

TEST(emit, births_are_the_living_the_dead_and_the_lost) {
    for (const int capacity : {100, 12}) { // the small pool cannot hold all
        ModelBuilder b = make_pool(capacity, make_spray());
        b.model.sinks.push_back({{0, 1, 0}, {0.4, 0.2, 0.4}, false, false});
        std::set<std::uint32_t> seen, dead;
        auto before = alive_by_id(b.state);
        for (const auto& [id, i] : before) seen.insert(id);
        for (int step = 0; step < 200; ++step) {
            fly(b.model, 0.005, b.state);
            const auto now = alive_by_id(b.state);
            for (const auto& [id, i] : now) {
                EXPECT_FALSE(dead.count(id)) << "risen from the dead";
                seen.insert(id);
            }
            for (const auto& [id, i] : before)
                if (!now.count(id)) dead.insert(id);
            before = now;
            EXPECT_EQ(seen.size(), now.size() + dead.size());
        }
        const std::vector<double>& count = *find_memory(b.state, "emitter.0"); // born, slot, lost
        EXPECT_EQ(count[0], 5 + 98); // initial, and j/97.3 for j = 0 ... 97
        if (capacity == 12) {
            EXPECT_GT(count[2], 0);
        } else {
            EXPECT_EQ(count[2], 0);
        }
        // those born inside the sink are born and gone at once
        EXPECT_LE(double(seen.size()) + count[2], count[0]);
        EXPECT_GT(double(seen.size()) + count[2], 0.8 * count[0]);
    }
}

TEST(emit, births_lie_between_from_and_until_and_the_dead_rest) {
    Emitter e = make_spray();
    e.initial_count = 0, e.from = 0.2, e.until = 0.4, e.rate = 50, e.lifetime = 1e300;
    ModelBuilder b = make_pool(40, e);
    for (int step = 0; step < 100; ++step) {
        fly(b.model, 0.01, b.state);
        const int alive = int(alive_by_id(b.state).size());
        if (b.state.time < 0.2 - 1e-9) {
            EXPECT_EQ(alive, 0);
        }
        if (b.state.time > 0.4 + 1e-9) {
            EXPECT_EQ(alive, 11); // 0.20, 0.22, ... 0.40
        }
    }
    b.model.sinks.push_back({{0, 0, 0}, {1e-3, 0, 0}, true, true}); // everything outside a small ball goes
    fly(b.model, 0.01, b.state);
    EXPECT_TRUE(alive_by_id(b.state).empty());
    for (const Real3& v : b.state.point.v) EXPECT_EQ(v, Real3{});
}

TEST(emit, two_emitters_count_for_themselves_also_after_the_first_is_removed) {
    ModelBuilder b = make_pool(20, make_spray());
    Emitter second = make_spray();
    second.object = begin_object(b, "second", "emitter");
    second.rate = 10, second.initial_count = 0, second.lifetime = 1e300;
    const int first = add_points(b, std::vector<Real3>(20), std::vector<Real>(20, 0.1), kPooled);
    second.points = {first, first + 20};
    b.model.emitters.push_back(second);
    memory_array(b.state, "emitter.1", 3);
    memory_array(b.state, "other", 1);
    for (int i = 0; i < 50; ++i) fly(b.model, 0.01, b.state);
    EXPECT_EQ((*find_memory(b.state, "emitter.1"))[0], 6); // 0, 0.1, ... 0.5
    remove_emitter(b.model, b.state, 0);
    EXPECT_EQ((*find_memory(b.state, "emitter.0"))[0], 6);
    EXPECT_FALSE(find_memory(b.state, "emitter.1"));
    EXPECT_TRUE(find_memory(b.state, "other"));
    for (int i = 0; i < 50; ++i) fly(b.model, 0.01, b.state);
    EXPECT_EQ((*find_memory(b.state, "emitter.0"))[0], 11);
}
