// The tree of boxes against comparing everything with everything: what is found must be the same, exactly.
#include "collision/aabb_tree_visit.h"
#include "collision/box_scenes.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

bool meet(const Aabb& a, const Aabb& b) { return !is_empty(a) && !is_empty(b) && overlap(a, b); }

std::vector<Pair> all_self_pairs(const std::vector<Aabb>& boxes) {
    std::vector<Pair> pairs;
    for (int i = 0; i < int(boxes.size()); ++i)
        for (int j = i + 1; j < int(boxes.size()); ++j)
            if (meet(boxes[i], boxes[j])) pairs.push_back({i, j});
    return pairs;
}
std::vector<Pair> all_tree_pairs(const std::vector<Aabb>& a, const std::vector<Aabb>& b) {
    std::vector<Pair> pairs;
    for (int i = 0; i < int(a.size()); ++i)
        for (int j = 0; j < int(b.size()); ++j)
            if (meet(a[i], b[j])) pairs.push_back({i, j});
    return pairs;
}
int size_of_scene(int seed) { return seed % 3 == 0 ? seed % 40 : 20 + seed % 97; }

AabbTree tree_of(const std::vector<Aabb>& boxes) {
    TreeScratch s;
    AabbTree t;
    EXPECT_TRUE(build_tree(*kOneThread, boxes, s, t));
    return t;
}

} // namespace

TEST(aabb_tree, finds_the_pairs_of_every_scene) {
    TreeScratch s;
    AabbTree t;
    PairScratch scratch;
    std::vector<Pair> found;
    for (int seed = 0; seed < 4000; ++seed) {
        const auto boxes = make_box_scene(seed, size_of_scene(seed));
        ASSERT_TRUE(build_tree(*kOneThread, boxes, s, t));
        find_self_pairs(*kOneThread, t, {}, scratch, found);
        ASSERT_EQ(found, all_self_pairs(boxes)) << "seed " << seed;
    }
}

TEST(aabb_tree, finds_the_pairs_of_a_large_scene) {
    for (int kind : {0, 2, 5, 12, 15, 17}) {
        const auto boxes = make_box_scene(kind, 3000);
        const AabbTree t = tree_of(boxes);
        PairScratch scratch;
        std::vector<Pair> found;
        find_self_pairs(*kOneThread, t, {}, scratch, found);
        ASSERT_EQ(found, all_self_pairs(boxes)) << "kind " << kind;
    }
}

TEST(aabb_tree, finds_the_pairs_of_two_trees_of_any_sizes) {
    PairScratch scratch;
    std::vector<Pair> found;
    for (int seed = 0; seed < 1500; ++seed) {
        const auto a = make_box_scene(seed, seed % 11 ? size_of_scene(seed) : 700),
                   b = make_box_scene(seed + kBoxSceneKinds * (seed % 5), size_of_scene(seed / 2));
        find_tree_pairs(*kOneThread, tree_of(a), tree_of(b), {}, scratch, found);
        ASSERT_EQ(found, all_tree_pairs(a, b)) << "seed " << seed;
        find_tree_pairs(*kOneThread, tree_of(b), tree_of(a), {}, scratch, found);
        ASSERT_EQ(found, all_tree_pairs(b, a)) << "seed " << seed;
    }
}

TEST(aabb_tree, refitted_finds_the_pairs_of_the_new_boxes) {
    TreeScratch s;
    PairScratch scratch;
    std::vector<Pair> found;
    for (int seed = 0; seed < 1000; ++seed) {
        const int n = size_of_scene(seed);
        AabbTree t = tree_of(make_box_scene(seed, n));
        const auto moved = make_box_scene(seed * 7 + 3, n);
        ASSERT_TRUE(refit_tree(*kOneThread, moved, s, t));
        find_self_pairs(*kOneThread, t, {}, scratch, found);
        ASSERT_EQ(found, all_self_pairs(moved)) << "seed " << seed;
    }
}

TEST(aabb_tree, wants_a_rebuild_when_neighbours_have_parted) {
    auto boxes = make_box_scene(0, 2000);
    TreeScratch s;
    AabbTree t = tree_of(boxes);
    EXPECT_FALSE(wants_rebuild(t));
    for (Aabb& b : boxes) b = {b.lo + Vec3(5, 6, 7), b.hi + Vec3(5, 6, 7)};
    ASSERT_TRUE(refit_tree(*kOneThread, boxes, s, t));
    EXPECT_FALSE(wants_rebuild(t)) << "all moved together";
    std::reverse(boxes.begin(), boxes.begin() + 1000);
    ASSERT_TRUE(refit_tree(*kOneThread, boxes, s, t));
    EXPECT_TRUE(wants_rebuild(t));
    const Real before = t.cost;
    ASSERT_TRUE(update_tree(*kOneThread, boxes, s, t));
    EXPECT_FALSE(wants_rebuild(t));
    EXPECT_LT(t.cost, before);
}

TEST(aabb_tree, refuses_numbers_that_are_none) {
    TreeScratch s;
    AabbTree t;
    for (int where = 0; where < 6; ++where) {
        auto boxes = make_box_scene(0, 50);
        ASSERT_TRUE(build_tree(*kOneThread, boxes, s, t));
        (where < 3 ? boxes[31].lo : boxes[31].hi)[where % 3] = std::numeric_limits<Real>::quiet_NaN();
        EXPECT_FALSE(refit_tree(*kOneThread, boxes, s, t));
        EXPECT_EQ(t.count, 0);
        EXPECT_FALSE(build_tree(*kOneThread, boxes, s, t));
        EXPECT_EQ(t.count, 0);
    }
}

TEST(aabb_tree, filter_takes_pairs_out) {
    const auto boxes = make_box_scene(1, 100);
    const AabbTree t = tree_of(boxes);
    PairScratch scratch;
    std::vector<Pair> found;
    const auto keep_even = [](const void*, Pair* pair, std::size_t count) {
        return std::size_t(std::remove_if(pair, pair + count, [](Pair p) { return (p[0] + p[1]) % 2; }) -
                           pair);
    };
    find_self_pairs(*kOneThread, t, {keep_even, nullptr}, scratch, found);
    std::vector<Pair> wanted = all_self_pairs(boxes);
    std::erase_if(wanted, [](Pair p) { return (p[0] + p[1]) % 2; });
    EXPECT_EQ(found, wanted);
}

TEST(aabb_tree, box_query_finds_every_overlap) {
    std::vector<int> found;
    for (int seed = 0; seed < 1000; ++seed) {
        const auto boxes = make_box_scene(seed, size_of_scene(seed));
        const auto queries = make_box_scene(seed % 2 ? seed : seed + 1, 5);
        const AabbTree t = tree_of(boxes);
        for (const Aabb& q : queries) {
            std::vector<int> wanted;
            for (int i = 0; i < int(boxes.size()); ++i)
                if (meet(boxes[i], q)) wanted.push_back(i);
            find_in_box(t, q, found);
            ASSERT_EQ(found, wanted) << "seed " << seed;
        }
    }
}

TEST(aabb_tree, ray_query_finds_every_box_on_the_ray) {
    std::vector<int> found;
    for (int seed = 0; seed < 2000; ++seed) {
        const auto boxes = make_box_scene(seed, size_of_scene(seed));
        if (boxes.empty()) continue;
        const AabbTree t = tree_of(boxes);
        Rng r{std::uint64_t(seed), 1};
        const Vec3 at = boxes[0].lo.cwiseMax(-1e200).cwiseMin(1e200);
        Ray ray{draw_vec(r, 2), draw_vec(r, 1)};
        if (seed % 3 == 0) ray.start = at;              // grazing
        if (seed % 5 == 0) ray.direction[seed % 2] = 0; // parallel to sides
        if (seed % 7 == 0) ray.t_end = draw_uniform(r);
        std::vector<int> wanted;
        for (int i = 0; i < int(boxes.size()); ++i) {
            const RayInterval in = intersect(ray, boxes[i]);
            if (!is_empty(boxes[i]) && in.t_in <= in.t_out) wanted.push_back(i);
        }
        find_on_ray(t, ray, found);
        ASSERT_EQ(found, wanted) << "seed " << seed;
    }
}

TEST(aabb_tree, ray_meets_a_box_where_sampling_says) {
    Rng r{5};
    int hits = 0;
    for (int trial = 0; trial < 500; ++trial) {
        const Aabb b = draw_box(r, 1, 0.7);
        const Vec3 start = draw_vec(r, 2);
        const Ray ray{start, draw_vec(r, 1) - start, 2};
        const RayInterval t = intersect(ray, b);
        for (int k = 0; k <= 1000; ++k) {
            const Real at = 2 * k / 1000.0;
            if (std::abs(at - t.t_in) < 1e-9 || std::abs(at - t.t_out) < 1e-9)
                continue; // rounding of the point
            ASSERT_EQ(contains(b, ray.start + at * ray.direction), t.t_in <= at && at <= t.t_out);
        }
        hits += t.t_in <= t.t_out;
    }
    EXPECT_GT(hits, 20);
}

TEST(aabb_tree, nearest_box_is_found) {
    for (int seed = 0; seed < 1000; ++seed) {
        const auto boxes = make_box_scene(seed, size_of_scene(seed));
        const AabbTree t = tree_of(boxes);
        Rng r{std::uint64_t(seed), 2};
        const Vec3 p = draw_vec(r, 3);
        Real wanted = std::numeric_limits<Real>::infinity(), found = wanted;
        for (const Aabb& b : boxes)
            if (!is_empty(b)) wanted = std::min(wanted, squared_distance(b, p));
        visit_near(t, p, found, [&](int, Real d2) { return found = std::min(found, d2); });
        ASSERT_EQ(found, wanted) << "seed " << seed;
    }
}

TEST(aabb_tree, same_pairs_for_any_number_of_threads) {
    for (int kind : {0, 1, 5, 15}) {
        const auto boxes = make_box_scene(kind, kind == 1 ? 700 : 20000);
        std::vector<Pair> first;
        for (int threads : {1, 2, 3, 8}) {
            const auto parallel = make_parallel({.threads = threads});
            TreeScratch s;
            AabbTree t;
            PairScratch scratch;
            std::vector<Pair> found;
            ASSERT_TRUE(build_tree(*parallel, boxes, s, t));
            find_self_pairs(*parallel, t, {}, scratch, found);
            if (threads == 1) first = found;
            ASSERT_EQ(found, first) << threads << " threads, kind " << kind;
        }
        EXPECT_FALSE(first.empty());
    }
}

TEST(aabb_tree, fast_comparisons_equal_plain_ones) {
    Rng r{9};
    const auto draw = [&] {
        BoxBlock b;
        for (int j = 0; j < kBlock; ++j)
            for (int k = 0; k < 3; ++k) {
                b.lo[k][j] = float(draw_int(r, 6));
                b.hi[k][j] = b.lo[k][j] + float(draw_int(r, 3));
                if (j == 5) b.lo[k][j] = b.hi[k][j] = std::numeric_limits<float>::quiet_NaN();
            }
        return b;
    };
    const BlockKernels &fast = block_kernels(), &plain = plain_kernels();
    for (int trial = 0; trial < 2000; ++trial) {
        const BoxBlock a = draw(), b = draw();
        const auto boxes = make_box_scene(trial, 40);
        const int id[kBlock] = {3, -1, 39, 7, 8, draw_int(r, 40), -1, draw_int(r, 40)};
        BoxBlock rounded[2];
        Aabb exact[2][kBlock];
        ASSERT_EQ(fast.round(boxes.data(), id, Vec3(1, 2, 0.3), exact[0], rounded[0]),
                  plain.round(boxes.data(), id, Vec3(1, 2, 0.3), exact[1], rounded[1]));
        ASSERT_EQ(0, std::memcmp(&rounded[0], &rounded[1], sizeof(BoxBlock)));
        ASSERT_EQ(0, std::memcmp(exact[0], exact[1], sizeof(exact[0])));
        BoxBlock top[2]{};
        fast.merge(b, 3, top[0]);
        plain.merge(b, 3, top[1]);
        for (int k = 0; k < 3; ++k) {
            ASSERT_EQ(top[0].lo[k][3], top[1].lo[k][3]);
            ASSERT_EQ(top[0].hi[k][3], top[1].hi[k][3]);
        }
        ASSERT_EQ(fast.meet(a, b, top[0], 3), plain.meet(a, b, top[0], 3));
        const Meetings x = fast.meet_leaves(a, b, top[0], 3), y = plain.meet_leaves(a, b, top[0], 3);
        ASSERT_EQ(x.may, y.may);
        ASSERT_EQ(x.sure, y.sure);
        const float q[6] = {a.lo[0][1], a.lo[1][1], a.lo[2][1], a.hi[0][1], a.hi[1][1], a.hi[2][1]};
        ASSERT_EQ(fast.meet_box(b, q), plain.meet_box(b, q));
    }
}
