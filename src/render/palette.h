// Reduction of a film to one palette: a histogram of all frames, boxes split where that removes most squared
// error (Wu 1992), a few Lloyd iterations, and ordered dithering between the two colours around a pixel. The
// threshold depends on the pixel's place only, so what does not move does not flicker.
#pragma once
#include "render/picture.h"

namespace sinew {

using Rgb8 = std::array<std::uint8_t, 3>;

// 6 bits per channel; the sums keep the mean colour of each bin exact
struct ColorBin {
    std::uint64_t count = 0, r = 0, g = 0, b = 0;
};
using ColorHistogram = std::vector<ColorBin>;
ColorHistogram make_histogram();
void add_color(ColorHistogram&, const std::uint8_t* rgb);

// At most `colors` entries (1 to 255), in a fixed order. Bins weigh by the square root of their count: small
// moving things would otherwise lose all colours to a large background.
std::vector<Rgb8> build_palette(const ColorHistogram&, int colors);

struct PaletteMap {
    std::vector<Rgb8> palette;
    std::vector<std::int16_t> nearest; // per 6-bit bin, -1 = not looked up yet
};
PaletteMap make_palette_map(std::vector<Rgb8> palette);
int find_color(PaletteMap&, int r, int g, int b);                            // index of the nearest entry
int find_color_dithered(PaletteMap&, const std::uint8_t* rgb, int x, int y); // x, y: the pixel's place

} // namespace sinew
