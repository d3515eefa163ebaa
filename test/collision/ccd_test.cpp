// Continuous collision against the exact judge: no miss, never late, rarely early, rarely a false alarm.
#include "collision/ccd.h"
#include "collision/ccd_samples.h"
#include "core/parallel.h"
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

using namespace sinew;
using judge::FeaturePair;
using judge::Truth;

namespace {

Real find_impact(const CcdSample& s, const CcdOptions& o) {
    switch (s.pair) {
    case FeaturePair::edge_edge:
        return find_impact_edge_edge(s.x0, s.x1, o);
    case FeaturePair::vertex_edge:
        return find_impact_vertex_edge(s.x0, s.x1, o);
    case FeaturePair::vertex_vertex:
        return find_impact_vertex_vertex(s.x0, s.x1, o);
    default:
        return find_impact_vertex_triangle(s.x0, s.x1, o);
    }
}
constexpr FeaturePair kPairs[] = {FeaturePair::vertex_triangle, FeaturePair::edge_edge, FeaturePair::vertex_edge, FeaturePair::vertex_vertex};

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
    const Real t = find_impact(s, {separation});
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

// judged in parallel chunks
Count judge_stream(std::uint64_t seed, long count, Real separation, bool filter) {
    constexpr int kChunk = 500;
    const auto parallel = make_parallel({});
    std::vector<Count> chunks(std::size_t((count + kChunk - 1) / kChunk));
    parallel_for(*parallel, int(chunks.size()), 1, [&](int k, int) {
        for (long i = long(k) * kChunk; i < std::min(count, long(k + 1) * kChunk); ++i)
            judge_one(random_sample(seed, std::uint64_t(i)), separation, filter, chunks[k]);
    });
    Count c;
    for (const Count& part : chunks) add(c, part);
    return c;
}

void judge_random(std::uint64_t seed, long count) {
    const Count c = judge_stream(seed, count, 0, true);
    print("random", c);
    expect_conservative(c);
    EXPECT_EQ(c.samples, count);
    EXPECT_GE(c.hits, 0.3 * count);
    EXPECT_GE(c.near_misses, 0.2 * count);
    EXPECT_LE(c.early, 0.001 * c.hits); // 99.9 % of hits
    EXPECT_LT(c.alarms, 0.01 * count);
}

// Early answers and false alarms of degenerate pairs are gaps of the size of rounding: the same pair, thicker
// by 1e-11 of its size, is truly touching there.
Real size_of(const CcdSample& s) {
    Real size = 0;
    for (int i = 0; i < judge::kPoints[int(s.pair)]; ++i)
        size = std::max(
            {size, (s.x0[i] - s.x0[0]).cwiseAbs().maxCoeff(), (s.x1[i] - s.x1[0]).cwiseAbs().maxCoeff()});
    return size;
}
bool is_explained_by_rounding(const CcdSample& s, Real separation) {
    Truth thick;
    judge::find_truth(s.pair, s.x0, s.x1, separation + 1e-11 * size_of(s), false, thick);
    return thick.hit && find_impact(s, {separation}) >= 0.99 * thick.high - 1e-6;
}

// every stride-th sample with a separation of `relative` times its size
void judge_samples(const char* name, const std::vector<CcdSample>& samples, Real relative, int begin,
                   int stride) {
    const auto parallel = make_parallel({});
    const int count = (int(samples.size()) - begin + stride - 1) / stride;
    std::vector<Count> counts(count);
    std::vector<char> unexplained(count, 0);
    parallel_for(*parallel, count, 1, [&](int k, int) {
        const CcdSample& s = samples[begin + k * stride];
        const Real separation = relative * size_of(s);
        judge_one(s, separation, false, counts[k]);
        unexplained[k] = (counts[k].early || counts[k].alarms) && !is_explained_by_rounding(s, separation);
    });
    std::map<std::string, Count> kinds;
    Count all;
    for (int k = 0; k < count; ++k) {
        const Count& c = counts[k];
        const int i = begin + k * stride;
        const char* what = samples[i].what;
        if (c.missed || c.late || c.not_zero)
            ADD_FAILURE() << name << ", sample " << i << ", " << what
                          << (c.missed ? " missed"
                              : c.late ? " late"
                                       : " not zero at the start");
        if (unexplained[k])
            ADD_FAILURE() << name << ", sample " << i << ", " << what << ": not explained by rounding";
        add(kinds[what], c), add(all, c);
    }
    for (const auto& [what, c] : kinds)
        if (c.early || c.alarms) print(what.c_str(), c);
    print(name, all);
    expect_conservative(all);
    EXPECT_GT(all.hits, 0.02 * double(all.samples)) << name << " has too few hits to say anything";
}

// the first points of each sample as a smaller pair
std::vector<CcdSample> as_pairs(std::vector<CcdSample> samples, FeaturePair pair) {
    for (CcdSample& s : samples) s.pair = pair;
    return samples;
}

} // namespace

TEST(ccd, hundred_thousand_random_pairs_are_judged_by_exact_arithmetic) { judge_random(1, 100000); }
// ten millions in ten parts, each a CTest of its own
class soak_ccd_part : public testing::TestWithParam<int> {};
TEST_P(soak_ccd_part, a_million_random_pairs_are_judged_by_exact_arithmetic) {
    judge_random(std::uint64_t(100 + GetParam()), 1000000);
}
INSTANTIATE_TEST_SUITE_P(soak, soak_ccd_part, testing::Range(0, 10));

TEST(ccd, degenerate_pairs_are_judged_by_exact_arithmetic) {
    judge_samples("all degenerate", degenerate_samples(), 0, 0, 1);
}

// separations of a thousandth, a millionth and a tenth of the size; the sextic takes longer, so in turn
TEST(ccd, degenerate_pairs_with_a_separation_are_judged_by_exact_arithmetic) {
    const std::vector<CcdSample> samples = degenerate_samples();
    judge_samples("degenerate, 1e-3", samples, 1e-3, 0, 6);
    judge_samples("degenerate, 1e-6", samples, 1e-6, 2, 6);
    judge_samples("degenerate, 0.1", samples, 0.1, 4, 6);
}
TEST(soak_ccd, degenerate_pairs_with_a_separation_are_judged_by_exact_arithmetic) {
    const std::vector<CcdSample> samples = degenerate_samples();
    for (Real relative : {1e-9, 1e-6, 1e-3, 0.1})
        judge_samples(("degenerate, " + std::to_string(relative)).c_str(), samples, relative, 0, 1);
}

// The first three and two points of the degenerate samples: on lattices and shared vertices they meet
// exactly, with a separation often.
TEST(ccd, vertex_edge_and_vertex_vertex_pairs_are_judged_by_exact_arithmetic) {
    for (FeaturePair pair : {FeaturePair::vertex_edge, FeaturePair::vertex_vertex}) {
        const char* name = pair == FeaturePair::vertex_edge ? "vertex-edge" : "vertex-vertex";
        const std::vector<CcdSample> samples = as_pairs(degenerate_samples(), pair);
        judge_samples(name, samples, 0, 0, 2);
        judge_samples(name, samples, 1e-3, 0, 8);
        judge_samples(name, samples, 0.25, 3, 8);
        Count c;
        for (long i = 0; i < 2000; ++i) {
            CcdSample s = random_sample(4, i);
            s.pair = pair;
            judge_one(s, 0.2, false, c);
        }
        print(name, c);
        expect_conservative(c);
        EXPECT_GT(c.hits, 100);
        EXPECT_LE(c.early, 0.001 * c.hits);
        EXPECT_LT(c.alarms, 0.01 * c.samples);
    }
}

// The filter decides plain misses by intervals; in make test the integers decide everything for a part of the samples.
void judge_separated(std::uint64_t seed, long count, Real separation, bool filter) {
    const Count c = judge_stream(seed, count, separation, filter);
    print(fmt::format("separation {:g}", separation).c_str(), c);
    expect_conservative(c);
    EXPECT_EQ(c.samples, count);
    EXPECT_GE(c.hits, 0.3 * count);
    EXPECT_LE(c.early, 0.001 * c.hits);
    EXPECT_LT(c.alarms, 0.01 * c.samples);
}
TEST(ccd, ten_thousand_separations_are_judged_by_exact_arithmetic) {
    judge_separated(3, 500, 1e-6, false);
    judge_separated(3, 500, 1e-3, false);
    judge_separated(3, 500, 0.1, false);
    judge_separated(31, 3000, 1e-6, true);
    judge_separated(32, 3000, 1e-3, true);
    judge_separated(33, 2500, 0.1, true);
}
// a million in ten parts, each a CTest of its own
class soak_ccd_separation : public testing::TestWithParam<int> {};
TEST_P(soak_ccd_separation, a_hundred_thousand_separations_are_judged_by_exact_arithmetic) {
    const Real separations[] = {1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.1};
    judge_separated(std::uint64_t(200 + GetParam()), 100000, separations[GetParam() % 6], true);
}
INSTANTIATE_TEST_SUITE_P(soak, soak_ccd_separation, testing::Range(0, 10));

// what is not a number or infinite says nothing about the motion: no time is safe
TEST(ccd, points_and_separations_that_are_not_finite_give_zero) {
    const Real bad[] = {std::numeric_limits<Real>::quiet_NaN(), kNoImpact, -kNoImpact};
    for (FeaturePair pair : kPairs) {
        CcdSample s = random_sample(5, 2); // a pair far from contact once its vertex is moved away
        s.pair = pair;
        s.x0[0] += Vec3(100, 0, 0), s.x1[0] += Vec3(100, 0, 0);
        if (pair == FeaturePair::edge_edge) s.x0[1] += Vec3(100, 0, 0), s.x1[1] += Vec3(100, 0, 0);
        ASSERT_EQ(find_impact(s, {}), kNoImpact);
        for (Real v : bad) {
            for (int i = 0; i < 2 * judge::kPoints[int(pair)]; ++i)
                for (int k = 0; k < 3; ++k) {
                    CcdSample broken = s;
                    (i % 2 ? broken.x1 : broken.x0)[i / 2][k] = v;
                    EXPECT_EQ(find_impact(broken, {}), 0) << int(pair) << " " << i << " " << k << " " << v;
                    EXPECT_EQ(find_impact(broken, {0.1}), 0) << int(pair) << " " << i << " " << k << " " << v;
                }
            EXPECT_EQ(find_impact(s, {v}), 0) << int(pair) << " separation " << v;
        }
        EXPECT_EQ(find_impact(s, {-1e-300}), 0);
    }
}

// the same bits as without it, as long as the answer is before it; nothing otherwise
TEST(ccd, the_last_time_of_interest_changes_no_earlier_answer) {
    long hits = 0;
    for (long i = 0; i < 4000; ++i)
        for (Real separation : {0.0, 1e-3, 0.1}) {
            const CcdSample s = random_sample(6, i);
            const Real t = find_impact(s, {separation});
            if (t == kNoImpact) {
                for (Real last : {0.1, 0.7}) EXPECT_EQ(find_impact(s, {separation, last}), kNoImpact);
                continue;
            }
            ++hits;
            EXPECT_EQ(find_impact(s, {separation, std::nextafter(t, 2)}), t);
            EXPECT_EQ(find_impact(s, {separation, 0.5 * (t + 1)}), t < 1 ? t : kNoImpact);
            if (t > 0) {
                EXPECT_EQ(find_impact(s, {separation, t}), kNoImpact);
                EXPECT_EQ(find_impact(s, {separation, 0.5 * t}), kNoImpact);
            }
        }
    EXPECT_GT(hits, 3000);
}
