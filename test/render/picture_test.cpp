#include "render/picture.h"
#include "render/read_png.h"
#include "render/test_folder.h"
#include <gtest/gtest.h>

namespace sinew {
namespace {

// gradients, noise and flat parts, so that every scanline filter is the best one somewhere
Picture mixed_picture(int width, int height, bool opaque) {
    Picture p = make_picture(width, height);
    std::uint32_t seed = 1;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int k = 0; k < 4; ++k) {
                seed = seed * 1664525u + 1013904223u;
                std::uint8_t v = std::uint8_t(3 * x + k);
                if (y % 5 == 1) v = std::uint8_t(7 * y + x * y / 9);
                if (y % 5 == 2) v = std::uint8_t(seed >> 24);
                if (y % 5 == 3) v = std::uint8_t((x + y) / 2 * (k + 1));
                if (y % 5 == 4) v = 17;
                p.rgba[4 * (std::size_t(y) * width + x) + k] = k == 3 && opaque ? 255 : v;
            }
    return p;
}

using PictureTest = FolderTest;

TEST_F(PictureTest, a_png_reads_back_bit_for_bit) {
    for (const bool opaque : {true, false})
        for (const auto& [w, h] : {std::pair{1, 1}, {1, 37}, {64, 1}, {131, 77}}) {
            const Picture p = mixed_picture(w, h, opaque);
            ASSERT_FALSE(write_png(p, path("a.png")));
            const auto file = png_test::read_bytes(path("a.png"));
            const Picture q = png_test::read_png(file);
            EXPECT_EQ(q.width, w);
            EXPECT_EQ(q.height, h);
            EXPECT_EQ(q.rgba, p.rgba) << w << " x " << h << " opaque " << opaque;
            EXPECT_EQ(png_test::read_header(png_test::read_chunks(file)).color, opaque ? 2 : 6);
        }
}

TEST_F(PictureTest, every_scanline_filter_is_used_and_undone) {
    const Picture p = mixed_picture(200, 200, true);
    const auto chunks = png_test::read_chunks(encode_png(p));
    std::array<int, 5> used{};
    for (const auto& c : chunks) {
        if (c.type != "IDAT") continue;
        std::vector<std::uint8_t> rows(200 * 601);
        uLongf n = rows.size();
        ASSERT_EQ(uncompress(rows.data(), &n, c.data.data(), c.data.size()), Z_OK);
        for (int y = 0; y < 200; ++y) ++used[rows[y * 601]];
    }
    EXPECT_GE(std::count_if(used.begin(), used.end(), [](int n) { return n > 0; }), 3);
    EXPECT_EQ(png_test::read_png(encode_png(p)).rgba, p.rgba);
}

TEST_F(PictureTest, bad_sizes_are_errors_and_write_nothing) {
    Picture p = make_picture(4, 4);
    p.rgba.pop_back();
    EXPECT_TRUE(write_png(p, path("a.png")));
    EXPECT_TRUE(write_png(Picture{}, path("a.png")));
    EXPECT_TRUE(write_png(Picture{kPictureSide + 1, 1, {}}, path("a.png")));
    EXPECT_TRUE(write_png(Picture{-3, 4, {}}, path("a.png")));
    EXPECT_EQ(file_count(), 0);
    const auto error = write_png(make_picture(2, 2), path("none/a.png"));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->file, path("none/a.png"));
}

} // namespace
} // namespace sinew
