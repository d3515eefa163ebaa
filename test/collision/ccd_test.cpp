// Continuous collision against the exact judge: no miss, never late, rarely early, rarely a false alarm.
#include "collision/ccd.h"
#include "collision/ccd_samples.h"
#include <cstdio>
#include <gtest/gtest.h>
#include <map>

using namespace sinew;
using judge::Pair;
using judge::Truth;

namespace {

Real find_impact(const CcdSample& s, Real separation = 0) {
    const CcdOptions o{separation};
    return s.pair == Pair::edge_edge ? find_impact_edge_edge(s.x0, s.x1, o)
                                     : find_impact_vertex_triangle(s.x0, s.x1, o);
}

struct Count {
    long samples = 0, hits = 0, near_misses = 0, missed = 0, late = 0, early = 0, alarms = 0, not_zero = 0;
};
void add(Count& a, const Count& b) {
    a.samples += b.samples, a.hits += b.hits, a.near_misses += b.near_misses, a.missed += b.missed;
    a.late += b.late, a.early += b.early, a.alarms += b.alarms, a.not_zero += b.not_zero;
}

void judge_one(const CcdSample& s, Real separation, bool filter, Count& c) {
    Truth truth;
    judge::find_truth(s.pair, s.x0, s.x1, separation, filter, truth);
    const Real t = find_impact(s, separation);
    ++c.samples;
    if (!truth.hit) {
        c.near_misses += s.near;
        c.alarms += t != kNoImpact;
        return;
    }
    ++c.hits;
    if (t == kNoImpact) {
        ++c.missed;
        return;
    }
    c.late += judge::is_first_before(truth, t);
    c.early += !(t >= 0.99 * truth.high - 1e-6);
    c.not_zero += truth.high == 0 && t != 0;
}

void print(const char* name, const Count& c) {
    std::printf(
        "%-28s %8ld samples %5.1f %% hits %5.1f %% near misses: %ld missed, %ld late, %ld early (%.3f %%), "
        "%ld false alarms (%.3f %%)\n",
        name, c.samples, 100.0 * c.hits / c.samples, 100.0 * c.near_misses / c.samples, c.missed, c.late,
        c.early, c.hits ? 100.0 * c.early / c.hits : 0.0, c.alarms, 100.0 * c.alarms / c.samples);
}

void expect_conservative(const Count& c) {
    EXPECT_EQ(c.missed, 0);
    EXPECT_EQ(c.late, 0);
    EXPECT_EQ(c.not_zero, 0);
}

void judge_random(std::uint64_t seed, long count) {
    Count c;
    for (long i = 0; i < count; ++i) judge_one(random_sample(seed, i), 0, true, c);
    print("random", c);
    expect_conservative(c);
    EXPECT_GE(c.hits, 0.3 * count);
    EXPECT_GE(c.near_misses, 0.2 * count);
    EXPECT_LE(c.early, 0.001 * c.hits); // 99.9 % of hits
    EXPECT_LT(c.alarms, 0.01 * count);
}

} // namespace

TEST(ccd, hundred_thousand_random_pairs_are_judged_by_exact_arithmetic) { judge_random(1, 100000); }
TEST(soak_ccd, ten_million_random_pairs_are_judged_by_exact_arithmetic) { judge_random(2, 10000000); }

// Early answers and false alarms of degenerate pairs are gaps of the size of rounding: the same pair, thicker
// by 1e-11 of its size, is truly touching there.
static bool is_explained_by_rounding(const CcdSample& s) {
    Real size = 0;
    for (int i = 0; i < 4; ++i)
        size = std::max(
            {size, (s.x0[i] - s.x0[0]).cwiseAbs().maxCoeff(), (s.x1[i] - s.x1[0]).cwiseAbs().maxCoeff()});
    Truth thick;
    judge::find_truth(s.pair, s.x0, s.x1, 1e-11 * size, false, thick);
    return thick.hit && find_impact(s) >= 0.99 * thick.high - 1e-6;
}

TEST(ccd, degenerate_pairs_are_judged_by_exact_arithmetic) {
    std::map<std::string, Count> counts;
    Count all;
    long unexplained = 0;
    for (const CcdSample& s : degenerate_samples()) {
        Count c;
        judge_one(s, 0, false, c);
        if (c.missed || c.late || c.not_zero) {
            ADD_FAILURE() << s.what << (c.missed ? " missed" : c.late ? " late" : " not zero at the start");
        }
        if ((c.early || c.alarms) && !is_explained_by_rounding(s)) {
            ++unexplained;
            std::printf("not explained by rounding: %s\n", s.what);
        }
        add(counts[s.what], c), add(all, c);
    }
    for (const auto& [what, c] : counts) print(what.c_str(), c);
    print("all degenerate", all);
    expect_conservative(all);
    EXPECT_EQ(unexplained, 0);
}

TEST(ccd, separations_are_judged_by_exact_arithmetic) {
    for (double separation : {1e-6, 1e-3, 0.1}) {
        Count c;
        for (long i = 0; i < 1500; ++i) judge_one(random_sample(3, i), separation, false, c);
        print(("separation " + std::to_string(separation)).c_str(), c);
        expect_conservative(c);
        EXPECT_LE(c.early, 0.001 * c.hits + 1); // one in a sample of thousands
        EXPECT_LT(c.alarms, 0.01 * c.samples);
    }
}
