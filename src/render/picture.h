// A picture in memory, and PNG files (W3C Portable Network Graphics, third edition) written with zlib alone,
// so that the same scanline packing serves moving pictures (apng.h).
#pragma once
#include "sinew/types.h"
#include <span>

namespace sinew {

struct Picture {
    int width = 0, height = 0;      // pixels, at most kPictureSide each
    std::vector<std::uint8_t> rgba; // 4 * width * height, rows from the top, sRGB, alpha 255 = opaque
};
inline constexpr int kPictureSide = 16384; // 1 GB in memory, and every chunk stays below PNG's 2 GB

Picture make_picture(int width, int height, std::array<std::uint8_t, 4> fill = {0, 0, 0, 255});
std::optional<Error> check_picture(const Picture&); // sizes in range and matching the array

std::vector<std::uint8_t> encode_png(const Picture&); // the file's bytes; RGB if all pixels are opaque
std::optional<Error> write_png(const Picture&, const std::string& path);

} // namespace sinew
