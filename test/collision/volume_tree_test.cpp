// The dynamic tree over every kind of bounding volume against testing every pair, while volumes come, move and go.
#include "collision/dynamic_tree.h"
#include "core/random.h"
#include "model/stencil.h"
#include <gtest/gtest.h>

namespace sinew {
namespace {

template <class V> V random_volume(Rng& rng) {
    const Vec3 at = 2 * draw_vec(rng, -1, 1), stretch = draw_vec(rng, 0.1, 0.7);
    std::array<Vec3, 6> cloud;
    for (Vec3& x : cloud) x = at + draw_vec(rng, -1, 1).cwiseProduct(stretch);
    V v;
    build_bounds(cloud, v);
    return v;
}

template <class V> class volume_tree : public testing::Test {};
using Volumes = testing::Types<Aabb, Sphere, Obb, Kdop<14>, Kdop<18>, Kdop<26>>;
TYPED_TEST_SUITE(volume_tree, Volumes);

TYPED_TEST(volume_tree, finds_what_testing_every_pair_finds) {
    const auto parallel = make_parallel(Context{2, {}, {}});
    PairScratch s;
    std::vector<Pair> found, serial;
    std::vector<int> in_box;
    std::size_t total = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Rng rng{seed, 7, 0};
        constexpr int n = 80;
        std::vector<TypeParam> now(n);
        std::vector<bool> present(n, false);
        DynamicTreeOf<TypeParam> t;
        t.margin = seed % 2 ? 0.1 : 0;
        for (int k = 0; k < 400; ++k) {
            const int id = int(draw_uniform(rng, 0, n)), what = int(draw_uniform(rng, 0, 5));
            const TypeParam v = random_volume<TypeParam>(rng);
            if (what == 4) {
                ASSERT_EQ(remove_box(t, id), present[id]);
                present[id] = false;
            } else if (what < 2) {
                ASSERT_EQ(insert_box(t, id, v), !present[id]);
                if (!present[id]) now[id] = v, present[id] = true;
            } else {
                ASSERT_EQ(move_box(t, id, v), present[id]);
                if (present[id]) now[id] = v;
            }
        }
        std::vector<Pair> pairs;
        std::vector<int> inside;
        const TypeParam q = random_volume<TypeParam>(rng);
        for (int i = 0; i < n; ++i) {
            if (present[i] && overlap(now[i], q)) inside.push_back(i);
            for (int j = i + 1; j < n; ++j)
                if (present[i] && present[j] && overlap(now[i], now[j])) pairs.push_back({i, j});
        }
        find_self_pairs(*parallel, t, {}, s, found);
        find_self_pairs(t, s, serial);
        find_in_box(t, q, in_box);
        ASSERT_EQ(found, pairs) << seed;
        ASSERT_EQ(serial, pairs) << seed;
        ASSERT_EQ(in_box, inside) << seed;
        total += pairs.size();
    }
    EXPECT_GT(total, 100u);
}

TYPED_TEST(volume_tree, refuses_what_is_no_number) {
    DynamicTreeOf<TypeParam> t;
    std::array<Vec3, 2> cloud{Vec3(0, 0, 0), Vec3(1, 1, 1)};
    TypeParam v;
    build_bounds(cloud, v);
    ASSERT_TRUE(insert_box(t, 0, v));
    TypeParam bad = grow(v, std::numeric_limits<Real>::quiet_NaN());
    EXPECT_FALSE(insert_box(t, 1, bad));
    EXPECT_FALSE(move_box(t, 0, bad));
    EXPECT_EQ(depth_of(t), 1);
}

// bodies that appear and disappear between steps
TEST(dynamic_boxes, follow_a_list_that_grows_and_shrinks) {
    Rng rng{3, 1, 0};
    DynamicTree t;
    PairScratch s;
    std::vector<Pair> found;
    for (int step = 0; step < 60; ++step) {
        std::vector<Aabb> boxes(std::size_t(draw_uniform(rng, 0, 60)));
        for (Aabb& b : boxes) b = random_volume<Aabb>(rng);
        ASSERT_TRUE(update_boxes(t, boxes));
        ASSERT_EQ(t.count, int(boxes.size()));
        std::vector<Pair> pairs;
        for (int i = 0; i < int(boxes.size()); ++i)
            for (int j = i + 1; j < int(boxes.size()); ++j)
                if (overlap(boxes[i], boxes[j])) pairs.push_back({i, j});
        find_self_pairs(t, s, found);
        ASSERT_EQ(found, pairs) << step;
    }
}

} // namespace
} // namespace sinew
