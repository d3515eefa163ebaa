#include "render/film.h"
#include "render/read_png.h"
#include "render/test_folder.h"
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace sinew {
namespace {

using FilmTest = FolderTest;

Picture frame_picture(int frame, int width = 64, int height = 48) {
    Picture p = make_picture(width, height, {40, 90, 160, 255});
    for (int y = 10; y < 30; ++y)
        for (int x = 4 + 5 * frame; x < 24 + 5 * frame && x < width; ++x) {
            std::uint8_t* c = &p.rgba[4 * (y * width + x)];
            c[0] = 220, c[1] = 120, c[2] = 30;
        }
    return p;
}

void write_program(const std::string& path, const std::string& text) {
    std::ofstream(path) << "#!/bin/sh\n" << text;
    ::chmod(path.c_str(), 0755);
}

// standard output of a program, through a shell; the tests' own names hold no quotes
std::string output_of(const std::string& command) {
    std::string out;
    FILE* f = ::popen(command.c_str(), "r");
    char buffer[65536];
    for (std::size_t n; f && (n = std::fread(buffer, 1, sizeof buffer, f)) > 0;) out.append(buffer, n);
    if (f) ::pclose(f);
    return out;
}

TEST_F(FilmTest, numbers_replace_the_signs) {
    EXPECT_EQ(frame_path("a/frame_####.png", 12), "a/frame_0012.png");
    EXPECT_EQ(frame_path("f#.png", 1234), "f1234.png");
    EXPECT_EQ(frame_path("a#b/frame.png", 7), "a#b/frame0007.png");
    EXPECT_EQ(frame_path("frame", 7), "frame0007");
    EXPECT_EQ(frame_path("a.b/frame", 7), "a.b/frame0007");
    EXPECT_EQ(frame_path("f##.png", -3), "f-03.png");
}

TEST_F(FilmTest, all_kinds_of_files_at_once_hold_the_frames) {
    FilmSettings s;
    s.width = 64;
    s.height = 48;
    s.fps = 12;
    s.apng = path("film.png");
    s.numbered = path("f_##.png");
    s.still = path("still.png");
    s.colors = 0;
    s.tolerance = 0;
    FilmWriter w;
    ASSERT_FALSE(open_film(s, w));
    for (int f = 0; f < 5; ++f) ASSERT_FALSE(add_frame(w, frame_picture(f), 1001 + f));
    ASSERT_FALSE(close_film(w));
    const auto film = png_test::read_apng(png_test::read_bytes(s.apng));
    ASSERT_EQ(film.frames.size(), 5u);
    EXPECT_EQ(film.delay[0], 1.0 / 12);
    for (int f = 0; f < 5; ++f) {
        EXPECT_EQ(film.frames[f].rgba, frame_picture(f).rgba);
        const auto file = png_test::read_bytes(path("f_" + std::to_string(1001 + f) + ".png"));
        EXPECT_EQ(png_test::read_png(file).rgba, frame_picture(f).rgba);
    }
    EXPECT_EQ(png_test::read_png(png_test::read_bytes(s.still)).rgba, frame_picture(4).rgba);
    EXPECT_EQ(file_count(), 7);
}

TEST_F(FilmTest, the_still_may_be_any_frame_that_is_shown) {
    FilmSettings s;
    s.width = 64;
    s.height = 48;
    s.still = path("still.png");
    s.still_frame = 2;
    for (const int last : {4, 1}) {
        FilmWriter w;
        ASSERT_FALSE(open_film(s, w));
        for (int f = 0; f <= last; ++f) ASSERT_FALSE(add_frame(w, frame_picture(f), f));
        const auto error = close_film(w);
        EXPECT_EQ(error.has_value(), last < 2);
        if (error) continue;
        EXPECT_EQ(png_test::read_png(png_test::read_bytes(s.still)).rgba, frame_picture(2).rgba);
    }
}

TEST_F(FilmTest, a_film_is_made_to_fit_a_limit_or_refused) {
    // grain in motion, the worst case
    const auto grainy = [](int frame) {
        Picture p = make_picture(160, 120);
        std::uint32_t seed = std::uint32_t(frame);
        for (std::size_t i = 0; i < p.rgba.size(); ++i) {
            seed = seed * 1664525u + 1013904223u;
            if (i % 4 != 3) p.rgba[i] = std::uint8_t(100 + i / 4 % 160 / 4 + (seed >> 28) % 8);
        }
        return p;
    };
    FilmSettings s;
    s.width = 160;
    s.height = 120;
    s.apng = path("film.png");
    s.tolerance = 0;
    long long size[3];
    const int limits[3] = {0, 60000, 2000};
    for (int k = 0; k < 3; ++k) {
        s.limit = limits[k];
        FilmWriter w;
        ASSERT_FALSE(open_film(s, w));
        for (int f = 0; f < 8; ++f) ASSERT_FALSE(add_frame(w, grainy(f), f));
        const auto error = close_film(w);
        if (k == 2) {
            ASSERT_TRUE(error);
            EXPECT_NE(error->message.find("does not fit"), std::string::npos) << error->message;
            break;
        }
        ASSERT_FALSE(error) << error->message;
        size[k] = (long long)std::filesystem::file_size(s.apng);
        EXPECT_EQ(png_test::read_apng(png_test::read_bytes(s.apng)).frames.size(), 8u);
    }
    EXPECT_GT(size[0], limits[1]) << "the limit asks for something";
    EXPECT_LE(size[1], limits[1]);
    EXPECT_EQ(file_count(), 1) << "the film that fitted is still there, nothing else";
}

TEST_F(FilmTest, mp4_holds_every_frame_as_h264_in_yuv420p) {
    if (find_ffmpeg().empty()) GTEST_SKIP() << "no ffmpeg here";
    for (const auto& [width, height] : {std::pair{64, 48}, {63, 47}}) {
        MovieWriter w;
        // a name that a shell or ffmpeg would read as something else
        const std::string name = path("-i $(touch pwned); 'x:y'.mp4");
        ASSERT_FALSE(open_movie(name, {.width = width, .height = height, .fps = 24}, w));
        for (int f = 0; f < 7; ++f) ASSERT_FALSE(add_frame(w, frame_picture(f, width, height)));
        EXPECT_FALSE(std::filesystem::exists(name));
        const auto error = close_movie(w);
        ASSERT_FALSE(error) << error->message;
        EXPECT_EQ(file_count(), 1);
        std::filesystem::rename(name, path("plain.mp4"));
        const std::string raw =
            output_of("ffmpeg -v error -i '" + path("plain.mp4") + "' -f rawvideo -pix_fmt rgb24 -");
        ASSERT_EQ(raw.size(), 7u * 64 * 48 * 3); // odd sides are padded
        for (int f = 0; f < 7; ++f) {
            const auto pixel = [&](int x, int y) {
                return reinterpret_cast<const std::uint8_t*>(raw.data()) + 3 * ((f * 48 + y) * 64 + x);
            };
            // inside and outside the box, away from its blurred border; chroma and quality cost some levels
            const std::uint8_t *in = pixel(14 + 5 * f, 20), *out = pixel(5, 44);
            EXPECT_NEAR(in[0], 220, 12) << f;
            EXPECT_NEAR(in[2], 30, 12) << f;
            EXPECT_NEAR(out[0], 40, 12) << f;
            EXPECT_NEAR(out[2], 160, 12) << f;
        }
        const std::string facts = output_of("ffmpeg -i '" + path("plain.mp4") + "' 2>&1");
        EXPECT_NE(facts.find("h264"), std::string::npos) << facts;
        EXPECT_NE(facts.find("yuv420p"), std::string::npos) << facts;
        std::filesystem::remove(path("plain.mp4"));
    }
}

TEST_F(FilmTest, a_missing_or_failing_ffmpeg_is_an_error_with_its_words) {
    MovieWriter w;
    MovieSettings s{.width = 64, .height = 48};
    s.program = path("none");
    auto error = open_movie(path("a.mp4"), s, w);
    ASSERT_TRUE(error);
    EXPECT_NE(error->message.find("cannot start"), std::string::npos) << error->message;
    // ends at once: the frames meet a closed pipe, which must not end us by a signal
    s.program = path("ffmpeg");
    write_program(s.program, "echo 'no such encoder' >&2\nexit 1\n");
    ASSERT_FALSE(open_movie(path("a.mp4"), s, w));
    error.reset();
    for (int f = 0; f < 100 && !error; ++f) error = add_frame(w, frame_picture(0));
    if (!error) error = close_movie(w);
    ASSERT_TRUE(error);
    EXPECT_NE(error->message.find("no such encoder"), std::string::npos) << error->message;
    EXPECT_TRUE(close_movie(w)) << "closed already";
    EXPECT_EQ(file_count(), 1) << "the program itself";
}

TEST_F(FilmTest, an_unfinished_film_leaves_nothing_behind) {
    const std::string program = path("ffmpeg");
    write_program(program, "for last; do :; done\necho x > \"${last#file:}\"\nexec cat > /dev/null\n");
    {
        FilmSettings s;
        s.width = 64;
        s.height = 48;
        s.apng = path("film.png");
        s.mp4 = path("film.mp4");
        s.ffmpeg = program;
        FilmWriter w;
        ASSERT_FALSE(open_film(s, w));
        ASSERT_FALSE(add_frame(w, frame_picture(0), 0));
    }
    EXPECT_EQ(file_count(), 1);
}

TEST_F(FilmTest, misuse_is_an_error) {
    FilmSettings s;
    s.width = 64;
    s.height = 48;
    s.apng = path("film.png");
    FilmWriter w;
    ASSERT_FALSE(open_film(s, w));
    EXPECT_TRUE(add_frame(w, frame_picture(0, 32, 48), 0));
    EXPECT_TRUE(close_film(w)) << "no frames";
    s.fps = -1;
    EXPECT_TRUE(open_film(s, w));
    s.fps = 24;
    s.mp4 = path("film.mp4");
    s.quality = 99;
    EXPECT_TRUE(open_film(s, w));
    EXPECT_EQ(file_count(), 0);
}

} // namespace
} // namespace sinew
