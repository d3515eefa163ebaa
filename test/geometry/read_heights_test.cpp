// Grids of heights from PGM pictures and text, good and damaged.
#include "geometry/read_heights.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace sinew;
using Reals = std::vector<double>;

static HeightGrid good(std::string_view text) {
    const Result<HeightGrid> r = parse_heights(text, "a.pgm");
    for (const Error& e : r.errors) ADD_FAILURE() << to_string(e);
    return r ? *r.value : HeightGrid{};
}
static std::string heights_error(std::string_view text) {
    const Result<HeightGrid> r = parse_heights(text, "a");
    return r ? "accepted" : to_string(r.errors[0]);
}

TEST(read_heights, plain_and_binary_pictures_of_8_and_16_bits_are_shares_of_white) {
    const HeightGrid plain = good("P2\n# hills\n3 2 # wide\n100\n0 50 100\n25 75 10\n");
    EXPECT_EQ(plain.nx, 3);
    EXPECT_EQ(plain.nz, 2);
    EXPECT_TRUE(plain.image);
    EXPECT_EQ(plain.height, (Reals{0, 0.5, 1, 0.25, 0.75, 0.1}));
    EXPECT_EQ(good(std::string("P5 2 2 255\n") + std::string("\x00\x33\xff\x66", 4)).height, (Reals{0, 0.2, 1, 0.4}));
    // 16 bits, high byte first: 0, 65535, 256, 1
    EXPECT_EQ(good(std::string("P5 2 2 65535\n") + std::string("\x00\x00\xff\xff\x01\x00\x00\x01", 8)).height,
              (Reals{0, 1, 256 / 65535.0, 1 / 65535.0}));
}

TEST(read_heights, text_has_rows_of_numbers_with_any_common_separator) {
    const HeightGrid g = good("# metres\n0 1.5, -2\r\n\n3;4;5 # second\n");
    EXPECT_EQ(g.nx, 3);
    EXPECT_EQ(g.nz, 2);
    EXPECT_FALSE(g.image);
    EXPECT_EQ(g.height, (Reals{0, 1.5, -2, 3, 4, 5}));
}

TEST(read_heights, what_is_wrong_is_named_with_its_place) {
    EXPECT_NE(heights_error("1 2\n3 four\n").find("a:2: four: a height must be a finite number"), std::string::npos) << heights_error("1 2\n3 four\n");
    EXPECT_NE(heights_error("1 2\n3 inf\n").find("finite"), std::string::npos);
    EXPECT_NE(heights_error("1 2 3\n4 5\n").find("equally long"), std::string::npos);
    EXPECT_NE(heights_error("1 2 3\n").find("at least 2 x 2"), std::string::npos);
    EXPECT_NE(heights_error("").find("at least 2 x 2"), std::string::npos);
    EXPECT_NE(heights_error("P2 3 2 100 1 2 3 4 5").find("number 5 of the picture is missing"), std::string::npos);
    EXPECT_NE(heights_error("P2 2 2 100 1 2 3 101").find("brighter than white"), std::string::npos);
    EXPECT_NE(heights_error("P2 2 2 0 1 2 3 4").find("white is out of range"), std::string::npos);
    EXPECT_NE(heights_error("P5 2 2 255\nabc").find("too short"), std::string::npos);
    EXPECT_NE(heights_error("P5 100000 100000 255\n").find("too many heights"), std::string::npos);
    EXPECT_NE(heights_error("P5 1 9 255\n").find("too few heights"), std::string::npos);
    EXPECT_NE(heights_error("P2 # 5").find("not a PGM picture"), std::string::npos);
    EXPECT_NE(heights_error("P2 -1 2").find("not a PGM picture"), std::string::npos);
}

// Cut anywhere or changed anywhere: refused, or a whole grid of finite numbers.
TEST(read_heights, damaged_files_are_refused_or_whole) {
    std::mt19937 random(7);
    const std::string seeds[] = {"P2\n# c\n3 2\n255\n0 50 100\n25 75 10\n", std::string("P5 3 2 300\n") + std::string(12, '\1'), "1 2 3\n4 5 6\n7,8;9\n"};
    const auto check = [](const std::string& text) {
        const Result<HeightGrid> r = parse_heights(text, "a");
        EXPECT_NE(bool(r), !r.errors.empty());
        if (!r) return;
        EXPECT_EQ(r.value->height.size(), std::size_t(r.value->nx) * std::size_t(r.value->nz));
        EXPECT_GE(std::min(r.value->nx, r.value->nz), 2);
        for (double h : r.value->height) EXPECT_TRUE(std::isfinite(h));
    };
    for (const std::string& s : seeds) {
        for (std::size_t n = 0; n <= s.size(); ++n) check(s.substr(0, n));
        for (int round = 0; round < 3000; ++round) {
            std::string damaged = s;
            for (int k = 0; k < 1 + int(random() % 3); ++k) damaged[random() % damaged.size()] = char(random());
            check(damaged);
        }
    }
}
