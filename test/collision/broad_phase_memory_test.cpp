// Nothing is allocated once a broad phase has seen a scene: boxes and surfaces that move there and back,
// twice.
#include "allocation_counter.h"
#include "collision/box_scenes.h"
#include "collision/broad_phase.h"
#include "collision/candidates.h"
#include "collision/dynamic_tree.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

std::vector<Aabb> moved(std::vector<Aabb> boxes, int frame) {
    const Real shift[] = {0, 0.03, 0.06, 0.03};
    for (int i = 0; i < int(boxes.size()); ++i) {
        const Vec3 d = shift[frame % 4] * (i % 2 ? Vec3(1, 0.5, 0) : Vec3(-1, 0, 0.5));
        boxes[i] = {boxes[i].lo + d, boxes[i].hi + d};
    }
    return boxes;
}

// of the last of three rounds through the frames
template <class F> long allocations_of(F&& f) {
    long count = 0;
    for (int frame = 0; frame < 12; ++frame) {
        const long before = allocation_count();
        f(frame);
        if (frame >= 8) count += allocation_count() - before;
    }
    return count;
}

} // namespace

TEST(broad_phase_memory, counter_counts) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    const long before = allocation_count();
    const std::vector<int> a(100);
    EXPECT_EQ(allocation_count(), before + 1);
}

TEST(broad_phase_memory, steady_search_allocates_nothing) {
    const auto boxes = make_box_scene(0, 3000);
    std::vector<std::vector<Aabb>> frames;
    for (int k = 0; k < 4; ++k) frames.push_back(moved(boxes, k));
    for (int threads : {1, 3})
        for (BroadPhase method : {BroadPhase::tree, BroadPhase::dynamic_tree, BroadPhase::kept_pairs, BroadPhase::sweep, BroadPhase::grid,
                                  BroadPhase::hierarchical_grid, BroadPhase::brute_force}) {
            const auto parallel = make_parallel({.threads = threads});
            BroadPhaseScratch s;
            std::vector<Pair> found;
            EXPECT_EQ(
                allocations_of([&](int k) { find_pairs(*parallel, method, frames[k % 4], {}, s, found); }), 0)
                << name_of(method) << ", " << threads << " threads";
            EXPECT_FALSE(found.empty());
        }
}

TEST(broad_phase_memory, steady_rebuild_and_queries_allocate_nothing) {
    const auto boxes = make_box_scene(0, 3000);
    const auto parallel = make_parallel({.threads = 2});
    AabbTree t, other;
    TreeScratch s;
    PairScratch pairs;
    std::vector<Pair> found;
    std::vector<int> ids;
    ASSERT_TRUE(build_tree(*parallel, moved(boxes, 2), s, other));
    EXPECT_EQ(allocations_of([&](int) {
                  build_tree(*parallel, boxes, s, t);
                  find_tree_pairs(*parallel, t, other, {}, pairs, found);
                  find_in_box(t, {Vec3::Zero(), Vec3::Ones()}, ids);
                  find_on_ray(t, {-Vec3::Ones(), Vec3::Ones()}, ids);
              }),
              0);
}

TEST(broad_phase_memory, steady_moves_of_a_dynamic_tree_allocate_nothing) {
    const auto boxes = make_box_scene(0, 500);
    std::vector<std::vector<Aabb>> frames;
    for (int k = 0; k < 4; ++k) frames.push_back(moved(boxes, k));
    DynamicTree t;
    PairScratch s;
    std::vector<Pair> found;
    for (int i = 0; i < 500; ++i) insert_box(t, i, boxes[i]);
    EXPECT_EQ(allocations_of([&](int k) {
                  for (int i = 0; i < 500; ++i) move_box(t, i, frames[k % 4][i]);
                  remove_box(t, 7);
                  insert_box(t, 7, boxes[7]);
                  find_self_pairs(t, s, found);
              }),
              0);
}

TEST(broad_phase_memory, steady_candidates_allocate_nothing) {
    const int n = 40;
    std::vector<Real3> x[4];
    std::vector<std::array<int, 2>> edges;
    std::vector<std::array<int, 3>> triangles;
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < n * n + 100; ++i)
            x[k].push_back({i % n * 0.1, std::sin(0.7 * i + 0.02 * (k == 3 ? 1 : k)), i / n * 0.1});
    for (int i = 0; i + n + 1 < n * n; ++i)
        if (i % n + 1 < n) {
            triangles.push_back({i, i + 1, i + n});
            edges.push_back({i, i + 1});
        }
    for (int i = n * n; i < n * n + 50; ++i) edges.push_back({i, i + 1});
    SurfaceTopology t;
    t.vertex_count = n * n + 100, t.edges = edges, t.triangles = triangles;
    SurfaceNeighbors neighbors;
    ASSERT_TRUE(build_neighbors(t, 1, neighbors));
    const auto parallel = make_parallel({.threads = 2});
    CandidateScratch s;
    Candidates found;
    EXPECT_EQ(allocations_of([&](int k) {
                  find_candidates(*parallel, t, neighbors, x[k % 4], x[(k + 1) % 4], 0.01, s, found);
              }),
              0);
    EXPECT_FALSE(found.vertex_triangle.empty() || found.edge_edge.empty());
}
