#include "render/apng.h"
#include "render/read_png.h"
#include "render/test_folder.h"
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace sinew {
namespace {

// a ball travelling over a gradient; frame 3 repeats frame 2
Picture moving_picture(int frame, int width = 120, int height = 80) {
    if (frame == 3) frame = 2;
    Picture p = make_picture(width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            std::uint8_t* c = &p.rgba[4 * (std::size_t(y) * width + x)];
            const int dx = x - 20 - 7 * frame, dy = y - 40;
            const bool ball = dx * dx + dy * dy < 144;
            c[0] = std::uint8_t(ball ? 220 - dx : 40 + y);
            c[1] = std::uint8_t(ball ? 80 - dy : 60 + y);
            c[2] = std::uint8_t(ball ? 40 : 100 + y / 2);
        }
    return p;
}

using ApngTest = FolderTest;

TEST_F(ApngTest, frames_reconstruct_exactly_and_numbers_are_in_order) {
    ApngWriter w;
    ASSERT_FALSE(open_apng(path("a.png"), 120, 80, {.fps = 24, .loops = 5}, w));
    for (int f = 0; f < 8; ++f) ASSERT_FALSE(add_frame(w, moving_picture(f)));
    EXPECT_FALSE(std::filesystem::exists(path("a.png")));
    ASSERT_FALSE(close_apng(w));
    const auto film = png_test::read_apng(png_test::read_bytes(path("a.png")));
    ASSERT_EQ(film.frames.size(), 8u);
    for (int f = 0; f < 8; ++f) {
        EXPECT_EQ(film.frames[f].rgba, moving_picture(f).rgba) << f;
        EXPECT_EQ(film.delay[f], 1.0 / 24);
    }
    EXPECT_EQ(film.loops, 5);
    // only what moved is stored: the ball's height, not the picture's
    EXPECT_EQ(film.rectangle[0], (std::array{0, 0, 120, 80}));
    EXPECT_EQ(film.rectangle[1][3], 23);
    EXPECT_EQ(film.rectangle[3], (std::array{0, 0, 1, 1}));
    EXPECT_EQ(file_count(), 1);
}

TEST_F(ApngTest, transparent_frames_reconstruct_exactly) {
    ApngWriter w;
    ASSERT_FALSE(open_apng(path("a.png"), 40, 30, {}, w));
    std::vector<Picture> frames;
    for (int f = 0; f < 5; ++f) {
        Picture p = moving_picture(f, 40, 30);
        for (std::size_t i = 0; i < p.rgba.size(); i += 4) p.rgba[i + 3] = std::uint8_t(i / 7 + f * (i % 3));
        frames.push_back(p);
        ASSERT_FALSE(add_frame(w, p));
    }
    ASSERT_FALSE(close_apng(w));
    const auto film = png_test::read_apng(png_test::read_bytes(path("a.png")));
    ASSERT_EQ(film.frames.size(), 5u);
    for (int f = 0; f < 5; ++f) EXPECT_EQ(film.frames[f].rgba, frames[f].rgba) << f;
}

TEST_F(ApngTest, a_tolerance_bounds_the_difference_and_does_not_drift) {
    ApngWriter w;
    ASSERT_FALSE(open_apng(path("a.png"), 16, 16, {.tolerance = 3}, w));
    // brightens by 1 per frame: without comparison to what is shown the error would grow without bound
    for (int f = 0; f < 40; ++f) {
        const auto v = std::uint8_t(100 + f);
        ASSERT_FALSE(add_frame(w, make_picture(16, 16, {v, v, v, 255})));
    }
    ASSERT_FALSE(close_apng(w));
    const auto film = png_test::read_apng(png_test::read_bytes(path("a.png")));
    ASSERT_EQ(film.frames.size(), 40u);
    for (int f = 0; f < 40; ++f) EXPECT_LE(std::abs(film.frames[f].rgba[0] - (100 + f)), 3) << f;
}

// with grain, as rendered pictures have: pure gradients are predicted exactly by the scanline filters
Picture grainy_picture(int frame) {
    Picture p = moving_picture(frame);
    std::uint32_t seed = 7;
    for (std::size_t i = 0; i < p.rgba.size(); ++i) {
        seed = seed * 1664525u + 1013904223u;
        if (i % 4 != 3) p.rgba[i] = std::uint8_t(p.rgba[i] + (seed >> 29));
    }
    return p;
}

TEST_F(ApngTest, a_palette_film_is_smaller_and_close_to_the_frames) {
    long size[2];
    for (const int colors : {0, 255}) {
        ApngWriter w;
        ASSERT_FALSE(open_apng(path("a.png"), 120, 80, {.fps = 12.5, .colors = colors}, w));
        for (int f = 0; f < 8; ++f) ASSERT_FALSE(add_frame(w, grainy_picture(f)));
        ASSERT_FALSE(close_apng(w));
        size[colors > 0] = long(std::filesystem::file_size(path("a.png")));
    }
    EXPECT_LT(size[1], size[0]);
    const auto film = png_test::read_apng(png_test::read_bytes(path("a.png")));
    ASSERT_EQ(film.frames.size(), 8u);
    EXPECT_EQ(film.delay[0], 0.08);
    for (int f = 0; f < 8; ++f) {
        const Picture p = grainy_picture(f);
        double sum = 0;
        int worst = 0;
        for (std::size_t i = 0; i < p.rgba.size(); ++i) {
            const int d = std::abs(p.rgba[i] - film.frames[f].rgba[i]);
            sum += d;
            worst = std::max(worst, d);
        }
        // thousands of colours to 255: entries are some levels apart, a dithered pixel may take the second
        // nearest
        EXPECT_LT(sum / double(p.rgba.size()), 3.0) << f;
        EXPECT_LE(worst, 32) << f;
    }
    EXPECT_EQ(file_count(), 1) << "the spool is gone";
}

TEST_F(ApngTest, a_palette_keeps_few_colours_exactly) {
    ApngWriter w;
    ASSERT_FALSE(open_apng(path("a.png"), 30, 20, {.colors = 32}, w));
    std::vector<Picture> frames;
    for (int f = 0; f < 4; ++f) {
        Picture p = make_picture(30, 20, {250, 250, 250, 255});
        for (int i = 0; i < 50; ++i) {
            const std::uint8_t c[3] = {std::uint8_t(40 * (i % 4)), 200, std::uint8_t(60 * f)};
            std::memcpy(&p.rgba[4 * (i + 37 * f)], c, 3);
        }
        frames.push_back(p);
        ASSERT_FALSE(add_frame(w, p));
    }
    ASSERT_FALSE(close_apng(w));
    const auto film = png_test::read_apng(png_test::read_bytes(path("a.png")));
    int wrong = 0;
    for (int f = 0; f < 4; ++f)
        for (std::size_t i = 0; i < frames[f].rgba.size(); i += 4)
            wrong += std::memcmp(&film.frames[f].rgba[i], &frames[f].rgba[i], 4) != 0;
    EXPECT_EQ(wrong, 0) << "17 colours fit";
}

TEST_F(ApngTest, delays_are_exact_for_odd_rates) {
    const std::pair<double, double> rates[] = {
        {60, 1. / 60}, {23.976, 1000. / 23976}, {0.25, 4}, {1000, 0.001}};
    for (const auto& [fps, delay] : rates) {
        ApngWriter w;
        ASSERT_FALSE(open_apng(path("a.png"), 4, 4, {.fps = fps}, w));
        ASSERT_FALSE(add_frame(w, make_picture(4, 4)));
        ASSERT_FALSE(close_apng(w));
        EXPECT_DOUBLE_EQ(png_test::read_apng(png_test::read_bytes(path("a.png"))).delay[0], delay) << fps;
    }
}

TEST_F(ApngTest, misuse_is_an_error) {
    ApngWriter w;
    EXPECT_TRUE(open_apng(path("a.png"), 0, 4, {}, w));
    EXPECT_TRUE(open_apng(path("a.png"), 4, 4, {.fps = 0}, w));
    EXPECT_TRUE(open_apng(path("a.png"), 4, 4, {.colors = 256}, w));
    EXPECT_TRUE(open_apng(path("none/a.png"), 4, 4, {}, w));
    EXPECT_TRUE(add_frame(w, make_picture(4, 4)));
    ASSERT_FALSE(open_apng(path("a.png"), 4, 4, {}, w));
    EXPECT_TRUE(add_frame(w, make_picture(5, 4)));
    EXPECT_TRUE(close_apng(w)) << "no frames";
    EXPECT_TRUE(close_apng(w)) << "closed twice";
    EXPECT_EQ(file_count(), 0);
}

TEST_F(ApngTest, a_full_disk_is_an_error_and_leaves_no_rest) {
    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{}, small{};
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 2000;
    setrlimit(RLIMIT_FSIZE, &small);
    for (const int colors : {0, 32}) {
        std::optional<Error> error;
        {
            ApngWriter w;
            error = open_apng(path("a.png"), 120, 80, {.colors = colors}, w);
            for (int f = 0; f < 8 && !error; ++f) error = add_frame(w, moving_picture(f));
            if (!error) error = close_apng(w);
        }
        ASSERT_TRUE(error) << colors;
        EXPECT_NE(error->message.find("cannot write"), std::string::npos) << error->message;
    }
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(file_count(), 0);
}

} // namespace
} // namespace sinew
