#include "geometry/compound.h"
#include "core/math.h"
#include <gtest/gtest.h>

using namespace sinew;

TEST(compound, parts_of_parts_are_placed_in_the_body) {
    ShapeStore store;
    Shape ball, inner, outer;
    ball.size.x = 1;
    inner.kind = outer.kind = Shape::compound;
    inner.data = 0, outer.data = 1;
    inner.rounding = 0.1, outer.rounding = 0.02;
    const Real4 quarter{std::sqrt(0.5), 0, 0, std::sqrt(0.5)}; // a quarter turn about z
    store.compounds = {{{ball, ball}, {{{1, 0, 0}, {}}, {{0, 1, 0}, {}}}}, {{ball, inner}, {{}, {{0, 0, 5}, quarter}}}};
    std::vector<PlacedShape> parts;
    ASSERT_FALSE(expand_shape(store, outer, parts));
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_EQ(parts[0].part, 0);
    EXPECT_EQ(parts[2].part, 1);
    EXPECT_NEAR((vec(parts[1].pose.position) - Vec3(0, 1, 5)).norm(), 0, 1e-15);
    EXPECT_NEAR((vec(parts[2].pose.position) - Vec3(-1, 0, 5)).norm(), 0, 1e-15);
    EXPECT_DOUBLE_EQ(parts[1].shape.rounding, 0.12);
    ASSERT_FALSE(expand_shape(store, ball, parts));
    EXPECT_EQ(parts.size(), 1u);
}

TEST(compound, loops_and_missing_parts_are_errors) {
    ShapeStore store;
    Shape s;
    s.kind = Shape::compound;
    s.data = 0;
    std::vector<PlacedShape> parts;
    EXPECT_TRUE(expand_shape(store, s, parts));
    store.compounds = {{{s, s}, {{}, {}}}};
    EXPECT_TRUE(expand_shape(store, s, parts)); // itself, twice per level
    store.compounds = {{{Shape{}}, {}}};
    EXPECT_TRUE(expand_shape(store, s, parts));
}
