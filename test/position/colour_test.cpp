// Colouring of elements.
#include "core/random.h"
#include "solver/colour.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace sinew;

namespace {

void expect_valid(const std::vector<int>& unknowns, int width, const std::vector<unsigned char>& held, const Colours& c) {
    std::vector<int> all = c.order;
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], int(i)); // each element once
    for (int k = 0; k < c.count() - c.last_is_serial; ++k) {
        std::set<int> seen;
        for (int i = c.begin[k]; i < c.begin[k + 1]; ++i) {
            ASSERT_TRUE(i == c.begin[k] || c.order[i - 1] < c.order[i]);
            std::set<int> own;
            for (int j = 0; j < width; ++j) {
                const int id = unknowns[std::size_t(c.order[i]) * width + j];
                if (id >= 0 && !held[id]) own.insert(id);
            }
            for (int id : own) ASSERT_TRUE(seen.insert(id).second) << "colour " << k << " has unknown " << id << " twice";
        }
    }
}

} // namespace

TEST(colour, elements_of_one_colour_share_nothing_that_moves) {
    Rng rng{1, 2, 0};
    std::vector<unsigned char> held(300, 0);
    for (int i = 0; i < 300; i += 7) held[i] = 1;
    std::vector<int> unknowns;
    for (int e = 0; e < 2000; ++e)
        for (int k = 0; k < 4; ++k) unknowns.push_back(draw_int(rng, 10) == 0 ? -1 : draw_int(rng, 300));
    Colours c;
    colour_elements(unknowns, 4, 300, held, c);
    expect_valid(unknowns, 4, held, c);
    EXPECT_FALSE(c.last_is_serial);
}

TEST(colour, what_finds_no_colour_runs_one_after_another) {
    // 300 elements at one unknown: 256 colours of one each, the rest serial
    const std::vector<int> unknowns(300, 0);
    Colours c;
    colour_elements(unknowns, 1, 1, std::vector<unsigned char>(1, 0), c);
    expect_valid(unknowns, 1, {0}, c);
    EXPECT_TRUE(c.last_is_serial);
    EXPECT_EQ(c.count(), 257);
    EXPECT_EQ(c.begin[257] - c.begin[256], 44);
}

TEST(colour, a_chain_has_two_and_held_ends_do_not_count) {
    std::vector<int> unknowns;
    for (int i = 0; i < 10; ++i) unknowns.insert(unknowns.end(), {i, i + 1});
    Colours c;
    colour_elements(unknowns, 2, 11, std::vector<unsigned char>(11, 0), c);
    EXPECT_EQ(c.count(), 2);
    // every second point held: all links are free of each other
    std::vector<unsigned char> held(11, 0);
    for (int i = 0; i < 11; i += 2) held[i] = 1;
    std::vector<int> star; // each element one free point
    for (int i = 1; i < 10; i += 2) star.insert(star.end(), {i - 1, i});
    colour_elements(star, 2, 11, held, c);
    EXPECT_EQ(c.count(), 1);
}
