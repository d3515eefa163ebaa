// Packed springs against the gather, AVX2 against plain code, and independence of the number of threads.
#include "energy/assemble.h"
#include "energy/spring_batch.h"
#include "energy/spring_models.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

struct Case {
    const char* name;
    ModelBuilder built;
};
std::vector<Case> make_cases() {
    std::vector<Case> out;
    out.push_back({"cloth of many chunks", make_spring_cloth(61, 67)});
    out.push_back({"cloth of one chunk", make_spring_cloth(9, 21)});
    out.push_back({"damped cloth", make_spring_cloth(40, 33, 0.3)});
    out.push_back({"tangle", make_spring_tangle(700, 4000)});
    out.push_back({"damped tangle", make_spring_tangle(700, 4000, 2)});
    // runs with collapsed springs in them
    Case flat{"collapsed cloth", make_spring_cloth(30, 30, 0.3)};
    auto& x = flat.built.state.point.x;
    for (std::size_t i = 7; i < x.size(); i += 7) x[i] = x[i - 1];
    out.push_back(std::move(flat));
    return out;
}

std::vector<Real> packed_forces(const ModelBuilder& b, const SpringBatch& batch, int threads) {
    const auto parallel = make_parallel({.threads = threads});
    std::vector<SpringForces> scratch;
    build_spring_forces(batch, thread_count(*parallel), scratch);
    std::vector<Real> f(3 * b.state.point.x.size(), -1);
    compute_spring_forces(*parallel, batch, b.state.point.x.data(), b.state.point.v.data(), scratch,
                          f.data());
    return f;
}

// the same by the element loops, and per number the sum of the magnitudes that went into it
void gathered_forces(const ModelBuilder& b, std::vector<Real>& f, std::vector<Real>& magnitude) {
    Evaluation ev;
    ev.x = b.state.point.x.data();
    ev.v = b.state.point.v.data();
    f.assign(3 * b.state.point.x.size(), 0);
    magnitude = f;
    for (const Table& t : b.tables.energies) {
        if (!is_axial_spring(*t.row)) continue;
        for (int e = 0; e < t.count(); ++e) {
            std::array<Real, 6> gradient, force;
            t.row->gradient(t, ev, e, e + 1, gradient.data());
            t.row->force(t, ev, e, e + 1, force.data());
            for (int i = 0; i < 6; ++i) {
                const int at = 3 * t.stencil[2 * e + i / 3] + i % 3;
                f[at] += force[i] - gradient[i];
                magnitude[at] += std::abs(force[i]) + std::abs(gradient[i]);
            }
        }
    }
}

} // namespace

TEST(spring_batch, equals_the_element_loops_to_rounding) {
    for (const Case& c : make_cases()) {
        SpringBatch batch;
        ASSERT_TRUE(build_spring_batch(c.built.model, batch)) << c.name;
        const auto got = packed_forces(c.built, batch, 2);
        std::vector<Real> wanted, magnitude;
        gathered_forces(c.built, wanted, magnitude);
        for (std::size_t i = 0; i < got.size(); ++i) {
            // k (l - L) cancels: a rounding of l, relative 2^-53, becomes k l 2^-53; here l < 30 |l - L| but
            // for few springs, whose k l is below 1e3 N; a dozen roundings of the magnitudes on top of that
            const Real tolerance = 16 * 1.2e-16 * (magnitude[i] + 1e3);
            ASSERT_NEAR(got[i], wanted[i], tolerance) << c.name << " number " << i;
        }
    }
}

TEST(spring_batch, grids_are_nearly_all_runs_of_four) {
    SpringBatch batch;
    ASSERT_TRUE(build_spring_batch(make_spring_cloth(61, 67).model, batch));
    EXPECT_GT(batch.chunks.size(), 10u);
    EXPECT_GT(4 * batch.runs.size(), 10 * batch.ones.size());
}

TEST(spring_batch, avx2_and_plain_code_give_the_same_bits) {
    for (const Case& c : make_cases()) {
        SpringBatch batch;
        ASSERT_TRUE(build_spring_batch(c.built.model, batch));
        if (!batch.avx2) GTEST_SKIP() << "this machine has no AVX2";
        const auto fast = packed_forces(c.built, batch, 1);
        batch.avx2 = false;
        EXPECT_EQ(fast, packed_forces(c.built, batch, 1)) << c.name;
    }
}

TEST(spring_batch, any_number_of_threads_gives_the_same_bits) {
    for (const Case& c : make_cases()) {
        SpringBatch batch;
        ASSERT_TRUE(build_spring_batch(c.built.model, batch));
        const auto one = packed_forces(c.built, batch, 1);
        for (int threads : {2, 3, 8}) EXPECT_EQ(one, packed_forces(c.built, batch, threads)) << c.name;
    }
}

TEST(spring_batch, few_springs_and_springs_on_pooled_points_are_left_to_the_gather) {
    SpringBatch batch;
    EXPECT_FALSE(build_spring_batch(make_spring_cloth(3, 3).model, batch));
    ModelBuilder pooled = make_spring_cloth(30, 30);
    pooled.model.point.flags[5] |= kPooled;
    EXPECT_FALSE(build_spring_batch(pooled.model, batch));
    EXPECT_TRUE(batch.chunks.empty());
}
