// Colours: sRGB and linear light, a palette for objects that were given none, and colour maps for fields.
#pragma once
#include "sinew/types.h"

namespace sinew {

double linear_from_srgb(double); // 0..1 to 0..1, IEC 61966-2-1
double srgb_from_linear(double);
Real3 linear_from_hex(std::uint32_t rgb); // 0xRRGGBB as on a web page

// Ten distinct, calm colours, repeating; linear RGB. Neighbours in the list differ in hue and lightness, so
// that they stay apart for colour-blind eyes too.
Real3 object_color(int index);

enum class ColorMap { viridis, coolwarm, gray };

// sRGB 0..1 at t, clamped to 0..1; a NaN gives the colour for "no value", a neutral grey
Real3 map_color(ColorMap, double t);
inline constexpr std::uint32_t kNoValueColor = 0x9a9a9a;

} // namespace sinew
