#include "render/color.h"
#include <algorithm>
#include <cmath>
#include <iterator>

namespace sinew {

double linear_from_srgb(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }
double srgb_from_linear(double c) {
    return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
}

static Real3 srgb_from_hex(std::uint32_t rgb) {
    return {(rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0};
}
Real3 linear_from_hex(std::uint32_t rgb) {
    const Real3 c = srgb_from_hex(rgb);
    return {linear_from_srgb(c.x), linear_from_srgb(c.y), linear_from_srgb(c.z)};
}

Real3 object_color(int index) {
    static constexpr std::uint32_t colors[] = {0xd8572a, 0x2b7bb9, 0xeaa83b, 0x3c9a7d, 0x8561ab,
                                               0xcf5f86, 0x7d9a3a, 0x46b1c9, 0xa56a43, 0x767f80};
    const int count = int(std::size(colors));
    return linear_from_hex(colors[((index % count) + count) % count]);
}

// Seventeen equidistant entries each; between them sRGB is interpolated, at most 2 of 255 off the full
// tables.
//   viridis   Smith and van der Walt 2015 (matplotlib, CC0): perceptually uniform, readable in grey
//   coolwarm  Moreland 2009, computed from its definition in Msh space: for signed fields
static constexpr std::uint32_t kViridis[] = {0x440154, 0x48186a, 0x472d7b, 0x424086, 0x3b528b, 0x33638d,
                                             0x2c728e, 0x26828e, 0x21918c, 0x1f9f88, 0x27ad81, 0x3dbc74,
                                             0x5cc863, 0x81d34d, 0xaadc32, 0xd5e21a, 0xfde725};
static constexpr std::uint32_t kCoolwarm[] = {0x3b4cc0, 0x4e68d7, 0x6282ea, 0x779af7, 0x8db0fe, 0xa3c2ff,
                                              0xb8d0f9, 0xccd9ee, 0xdddddd, 0xecd3c6, 0xf5c4ad, 0xf7b194,
                                              0xf49a7b, 0xec7f63, 0xde614c, 0xcb3e38, 0xb40426};

Real3 map_color(ColorMap map, double t) {
    if (std::isnan(t)) return srgb_from_hex(kNoValueColor);
    t = std::clamp(t, 0.0, 1.0);
    if (map == ColorMap::gray) return {t, t, t};
    const std::uint32_t* table = map == ColorMap::viridis ? kViridis : kCoolwarm;
    const int i = std::min(15, int(t * 16));
    const double u = t * 16 - i;
    const Real3 a = srgb_from_hex(table[i]), b = srgb_from_hex(table[i + 1]);
    return {a.x + u * (b.x - a.x), a.y + u * (b.y - a.y), a.z + u * (b.z - a.z)};
}

} // namespace sinew
