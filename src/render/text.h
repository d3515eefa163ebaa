// Text in a picture. Letters are 5 x 8 dot patterns; neighbouring dots are joined by round strokes, so that
// they are smooth at any size.
#pragma once
#include "render/picture.h"

namespace sinew {

struct TextStyle {
    double cell = 2.4;                               // [pixels] between dots; capitals are 7 dots high
    std::array<std::uint8_t, 3> color{38, 43, 52};   // sRGB
    std::array<std::uint8_t, 3> halo{255, 255, 255}; // glow around the strokes that keeps them readable
    double halo_strength = 0.55;                     // 0..1
};

// x: left end; y: top of the capitals [pixels]. Characters outside ASCII become question marks; what lies
// outside the picture is not drawn.
void draw_text(std::string_view, double x, double y, const TextStyle&, Picture&);
double text_width(std::string_view, const TextStyle&); // [pixels]

// Rectangle with rounded corners mixed over the picture, strength 0..1
void draw_panel(double x0, double y0, double x1, double y1, double corner, std::array<std::uint8_t, 3> color,
                double strength, Picture&);

void mix_pixel(int x, int y, const std::array<std::uint8_t, 3>& color, double strength, Picture&);

} // namespace sinew
