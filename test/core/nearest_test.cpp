#include "core/error.h"
#include "core/nearest.h"
#include <gtest/gtest.h>

using namespace sinew;

TEST(nearest, edit_distance_counts_insertions_deletions_replacements_and_swaps) {
    EXPECT_EQ(edit_distance("", "abc"), 3);
    EXPECT_EQ(edit_distance("abc", "abc"), 0);
    EXPECT_EQ(edit_distance("ABC", "abc"), 0); // case does not count
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
    EXPECT_EQ(edit_distance("fricton", "friction"), 1);
    EXPECT_EQ(edit_distance("raduis", "radius"), 1);
    EXPECT_EQ(edit_distance(std::string(100000, 'a'), std::string(100000, 'b')), 64); // bounded cost
}

TEST(nearest, the_nearest_word_is_found_and_strange_words_have_none) {
    const std::vector<std::string> known{"radius", "friction", "velocity", "at", "mass", "x", "y"};
    EXPECT_EQ(find_nearest("raduis", known), "radius");
    EXPECT_EQ(find_nearest("Friction", known), "friction");
    EXPECT_EQ(find_nearest("vel", known), "velocity");
    EXPECT_EQ(find_nearest("velocity_x", known), "velocity");
    EXPECT_EQ(find_nearest("banana", known), "");
    EXPECT_EQ(find_nearest("z", known), "");
    EXPECT_EQ(find_nearest("", known), "");
    EXPECT_EQ(find_nearest("q", {}), "");
}

TEST(error, the_text_names_place_path_value_what_is_allowed_and_the_nearest_word) {
    Error e{"a.json", 3, 7, "objects.ball.radius", "-1", "out of range", "> 0 m", ""};
    EXPECT_EQ(to_string(e), "a.json:3:7: objects.ball.radius = -1: out of range (allowed: > 0 m)");
    e = {"a.json", 3, 7, "objects.ball.raduis", "", "unknown name", "radius, at", "radius"};
    EXPECT_EQ(
        to_string(e),
        "a.json:3:7: objects.ball.raduis: unknown name (allowed: radius, at; did you mean \"radius\"?)");
    e = {"", 0, 0, "", "", "no solver", "", ""};
    EXPECT_EQ(to_string(e), "no solver");
    e = {"a.json", 0, 0, "", "", "cannot be read", "", "b.json"};
    EXPECT_EQ(to_string(e), "a.json: cannot be read (did you mean \"b.json\"?)");
}
