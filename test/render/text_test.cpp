#include "render/text.h"
#include "render/write_on.h"
#include <gtest/gtest.h>
#include <set>

namespace sinew {
namespace {

Picture write(std::string_view text, double cell = 2.4) {
    Picture p = make_picture(400, 60, {255, 255, 255, 255});
    draw_text(text, 10, 10, {.cell = cell, .halo_strength = 0}, p);
    return p;
}

TEST(text, every_printable_character_but_the_letter_o_has_its_own_shape) {
    std::set<std::vector<std::uint8_t>> seen;
    for (char c = 32; c < 127; ++c)
        EXPECT_EQ(seen.insert(write(std::string(1, c)).rgba).second, c != 'O') << c; // drawn as the zero
    EXPECT_EQ(seen.size(), 94u);
}

TEST(text, ink_stays_within_the_announced_width) {
    const std::string text = "Frame 0123 (t = 4.5e-6 s)";
    const TextStyle style{.cell = 2.4};
    const Picture p = write(text);
    int first = 1000, last = -1;
    for (int y = 0; y < p.height; ++y)
        for (int x = 0; x < p.width; ++x)
            if (p.rgba[4 * (y * p.width + x)] < 200) first = std::min(first, x), last = std::max(last, x);
    // strokes are about one cell thick, half of it outside the dots
    EXPECT_GE(first, 10 - 3);
    EXPECT_NEAR(last, 10 + text_width(text, style), 6);
}

TEST(text, what_lies_outside_the_picture_is_harmless) {
    Picture p = make_picture(20, 10);
    draw_text("far too long for this picture", -50, -5, {}, p);
    draw_text("elsewhere", 1e9, 1e9, {}, p);
    draw_text("nowhere", std::nan(""), 0, {}, p);
    draw_text("", 0, 0, {}, p);
    draw_panel(-100, -100, 1000, 1000, 5, {1, 2, 3}, 1, p);
    EXPECT_EQ(p.rgba[0], 1);
}

TEST(text, characters_outside_ascii_are_one_question_mark_each) {
    EXPECT_EQ(write("\xc2\xb5m").rgba, write("?m").rgba);
    EXPECT_EQ(write("\t").rgba, write("?").rgba);
}

TEST(text, digits_have_equal_widths) {
    for (char c = '0'; c <= '9'; ++c)
        EXPECT_EQ(text_width(std::string("1") + c, {}), text_width("18", {})) << c;
}

TEST(legend, marks_hold_both_ends_and_round_numbers_between) {
    EXPECT_EQ(scale_marks(0, 1), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
    EXPECT_EQ(scale_marks(-1, 1), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
    for (const auto& [low, high] : {std::pair{0.0, 1e-12}, {1e9, 1e9 + 1}, {-3.7, 1e5}}) {
        const auto m = scale_marks(low, high);
        EXPECT_EQ(m.front(), low);
        EXPECT_EQ(m.back(), high);
        EXPECT_GE(m.size(), 3u);
        EXPECT_LE(m.size(), 13u);
        for (std::size_t i = 1; i < m.size(); ++i) EXPECT_LT(m[i - 1], m[i]);
    }
    EXPECT_EQ(scale_marks(2, 2).size(), 1u);
}

} // namespace
} // namespace sinew
