// All broad phases give the list of brute force, and brute force that of two plain loops.
#include "collision/box_scenes.h"
#include "collision/broad_phase.h"
#include "collision/dynamic_tree.h"
#include "collision/pair_rules.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

constexpr BroadPhase kAll[] = {BroadPhase::tree, BroadPhase::dynamic_tree, BroadPhase::kept_pairs, BroadPhase::sweep, BroadPhase::grid,
                               BroadPhase::hierarchical_grid, BroadPhase::brute_force};

std::vector<Pair> plain_pairs(const std::vector<Aabb>& boxes) {
    std::vector<Pair> pairs;
    for (int i = 0; i < int(boxes.size()); ++i)
        for (int j = i + 1; j < int(boxes.size()); ++j)
            if (!is_empty(boxes[i]) && !is_empty(boxes[j]) && overlap(boxes[i], boxes[j]))
                pairs.push_back({i, j});
    return pairs;
}

} // namespace

TEST(broad_phase, all_find_the_pairs_of_ten_thousand_scenes) {
    BroadPhaseScratch scratch[std::size(kAll)]; // kept: what one scene leaves must not matter to the next
    std::vector<Pair> found;
    for (int seed = 0; seed < 10000; ++seed) {
        const auto boxes = make_box_scene(seed, seed % 50 == 0 ? 200 : seed % 41);
        const auto wanted = plain_pairs(boxes);
        for (BroadPhase method : kAll) {
            ASSERT_TRUE(find_pairs(*kOneThread, method, boxes, {}, scratch[int(method)], found));
            ASSERT_EQ(found, wanted) << "seed " << seed << ", " << name_of(method);
        }
    }
}

TEST(broad_phase, kept_pairs_follow_a_few_boxes_that_move_appear_and_vanish) {
    BroadPhaseScratch scratch;
    std::vector<Pair> found;
    for (int kind : {0, 2, 5, 6, 11, 12, 15}) {
        auto boxes = make_box_scene(kind, 400);
        const auto more = make_box_scene(kind + 100, 60);
        Rng r{std::uint64_t(kind), 8};
        int kept = 0;
        for (int frame = 0; frame < 60; ++frame) {
            // a few per frame, by a part of their size or far; the rest by less than any margin
            for (int k = 0; k < 3; ++k) {
                Aabb& b = boxes[draw_int(r, int(boxes.size()))];
                if (is_empty(b)) continue;
                const Vec3 d = draw_vec(r, frame % 5 ? 0.3 : 5);
                b = {b.lo + d, b.hi + d};
            }
            boxes.push_back(more[frame]);
            if (frame % 7 == 3) boxes[draw_int(r, int(boxes.size()))] = {};
            const auto wanted = plain_pairs(boxes);
            ASSERT_TRUE(find_pairs(*kOneThread, BroadPhase::kept_pairs, boxes, {}, scratch, found));
            ASSERT_EQ(found, wanted) << "kind " << kind << ", frame " << frame;
            kept += !scratch.kept.left.empty(); // not a full search
        }
        EXPECT_GT(kept, 30);
    }
}

TEST(broad_phase, all_follow_boxes_that_move) {
    BroadPhaseScratch scratch[std::size(kAll)];
    std::vector<Pair> found;
    for (int kind : {0, 2, 5, 6, 11, 12, 15}) {
        auto boxes = make_box_scene(kind, 300);
        Rng r{std::uint64_t(kind), 7};
        for (int frame = 0; frame < 12; ++frame) {
            const Vec3 fast = frame == 6 ? draw_vec(r, 50) : Vec3::Zero(); // a jump in between
            for (Aabb& b : boxes) {
                const Vec3 d = draw_vec(r, 0.02) + (draw_uniform(r) < 0.3 ? fast : Vec3::Zero());
                b = {b.lo + d, b.hi + d};
            }
            const auto wanted = plain_pairs(boxes);
            for (BroadPhase method : kAll) {
                ASSERT_TRUE(find_pairs(*kOneThread, method, boxes, {}, scratch[int(method)], found));
                ASSERT_EQ(found, wanted) << "kind " << kind << ", frame " << frame << ", " << name_of(method);
            }
        }
    }
}

TEST(broad_phase, same_pairs_for_any_number_of_threads) {
    for (int kind : {0, 5, 15}) {
        const auto boxes = make_box_scene(kind, 3000);
        std::vector<Pair> first;
        for (BroadPhase method : kAll)
            for (int threads : {1, 2, 3, 8}) {
                const auto parallel = make_parallel({.threads = threads});
                BroadPhaseScratch s;
                std::vector<Pair> found;
                ASSERT_TRUE(find_pairs(*parallel, method, boxes, {}, s, found));
                if (first.empty()) first = found;
                ASSERT_EQ(found, first) << name_of(method) << ", " << threads << " threads, kind " << kind;
            }
        EXPECT_GT(first.size(), 1000u);
    }
}

TEST(broad_phase, all_refuse_numbers_that_are_none) {
    auto boxes = make_box_scene(0, 60);
    boxes[17].hi.y() = std::numeric_limits<Real>::quiet_NaN();
    for (BroadPhase method : kAll) {
        BroadPhaseScratch s;
        std::vector<Pair> found{{1, 2}};
        EXPECT_FALSE(find_pairs(*kOneThread, method, boxes, {}, s, found)) << name_of(method);
        EXPECT_TRUE(found.empty());
    }
}

TEST(broad_phase, names_go_both_ways) {
    for (BroadPhase method : kAll) EXPECT_EQ(broad_phase_of(name_of(method)), method);
    EXPECT_FALSE(broad_phase_of("trees"));
}

TEST(broad_phase, rules_decide_who_meets) {
    const auto boxes = make_box_scene(1, 60); // all equal: everyone meets everyone
    std::vector<std::uint32_t> group(60), mask(60);
    std::vector<int> object(60);
    for (int i = 0; i < 60; ++i) {
        group[i] = 1u << (i % 3);
        mask[i] = i % 3 == 2 ? 0b001 : 0b111; // the third group only accepts the first
        object[i] = i / 6;
    }
    std::vector<Pair> excluded{{4, 2}, {3, 3}, {2, 4}};
    sort_exclusions(excluded);
    ASSERT_EQ(excluded, (std::vector<Pair>{{2, 4}, {3, 3}}));
    const PairRules rules{group, mask, object, excluded};
    std::vector<Pair> wanted;
    for (int i = 0; i < 60; ++i)
        for (int j = i + 1; j < 60; ++j) {
            const int gi = i % 3, gj = j % 3, a = i / 6, b = j / 6;
            const bool groups = (gi != 2 || gj == 0) && (gj != 2 || gi == 0);
            if (groups && !(a == 2 && b == 4) && !(a == 3 && b == 3)) wanted.push_back({i, j});
        }
    for (BroadPhase method : kAll) {
        BroadPhaseScratch s;
        std::vector<Pair> found;
        ASSERT_TRUE(find_pairs(*kOneThread, method, boxes, filter_of(rules), s, found));
        EXPECT_EQ(found, wanted) << name_of(method);
    }
}

TEST(dynamic_tree, follows_insertions_moves_and_removals) {
    PairScratch s;
    std::vector<Pair> found;
    std::vector<int> in_box, on_ray;
    for (int seed = 0; seed < 300; ++seed) {
        Rng r{std::uint64_t(seed), 3};
        const auto pool = make_box_scene(seed, 60);
        std::vector<Aabb> now(60);
        std::vector<bool> present(60, false);
        DynamicTree t;
        t.margin = seed % 2 ? 0.1 : 0;
        for (int k = 0; k < 200; ++k) {
            const int id = draw_int(r, 60);
            const Aabb box = pool[draw_int(r, 60)];
            const int what = draw_int(r, 5);
            if (what < 2) {
                ASSERT_EQ(insert_box(t, id, box), !present[id]);
                if (!present[id]) now[id] = box, present[id] = true;
            } else if (what < 4) {
                ASSERT_EQ(move_box(t, id, box), present[id]);
                if (present[id]) now[id] = box;
            } else {
                ASSERT_EQ(remove_box(t, id), present[id]);
                now[id] = {}, present[id] = false;
            }
        }
        find_self_pairs(t, s, found);
        ASSERT_EQ(found, plain_pairs(now)) << "seed " << seed;
        ASSERT_EQ(t.count, std::count(present.begin(), present.end(), true));
        const Ray ray{draw_vec(r, 1), draw_vec(r, 1), 3};
        std::vector<int> boxes, hits;
        for (int i = 0; i < 60; ++i) {
            if (is_empty(now[i])) continue;
            const RayInterval in = intersect(ray, now[i]);
            if (in.t_in <= in.t_out) hits.push_back(i);
            if (!is_empty(pool[3]) && overlap(now[i], pool[3])) boxes.push_back(i);
        }
        find_in_box(t, pool[3], in_box);
        find_on_ray(t, ray, on_ray);
        ASSERT_EQ(in_box, boxes) << "seed " << seed;
        ASSERT_EQ(on_ray, hits) << "seed " << seed;
    }
}

TEST(dynamic_tree, stays_flat_when_boxes_come_in_order) {
    DynamicTree t;
    const int n = 4096;
    for (int i = 0; i < n; ++i) insert_box(t, i, {Vec3(i, 0, 0), Vec3(i + 0.5, 1, 1)});
    EXPECT_LT(depth_of(t), 3 * 12); // three times that of a complete tree
}

TEST(dynamic_tree, refuses_nonsense_and_can_be_emptied) {
    DynamicTree t;
    Aabb bad{Vec3::Zero(), Vec3::Ones()};
    ASSERT_TRUE(insert_box(t, 2, bad));
    bad.lo.z() = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_FALSE(insert_box(t, 1, bad));
    EXPECT_FALSE(insert_box(t, -1, {Vec3::Zero(), Vec3::Ones()}));
    EXPECT_FALSE(move_box(t, 2, bad));
    EXPECT_FALSE(remove_box(t, 77));
    clear(t);
    EXPECT_EQ(t.count, 0);
    EXPECT_FALSE(remove_box(t, 2));
    EXPECT_TRUE(insert_box(t, 2, {Vec3::Zero(), Vec3::Ones()}));
}
