#include "render/text.h"
#include <algorithm>
#include <cmath>

namespace sinew {

// Columns from the left, lowest bit at the top; bit 7 is below the base line. Characters 32 to 126.
static constexpr std::uint8_t kGlyphs[95][5] = {{0, 0, 0, 0, 0},
                                                {0, 0, 0x5f, 0, 0},
                                                {0, 7, 0, 7, 0},
                                                {0x14, 0x7f, 0x14, 0x7f, 0x14},
                                                {0x24, 0x2a, 0x7f, 0x2a, 0x12},
                                                {0x23, 0x13, 8, 0x64, 0x62},
                                                {0x36, 0x49, 0x56, 0x20, 0x50},
                                                {0, 0, 7, 0, 0},
                                                {0, 0x1c, 0x22, 0x41, 0},
                                                {0, 0x41, 0x22, 0x1c, 0},
                                                {0x2a, 0x1c, 0x7f, 0x1c, 0x2a},
                                                {8, 8, 0x3e, 8, 8},
                                                {0, 0x80, 0x60, 0, 0},
                                                {8, 8, 8, 8, 0},
                                                {0, 0, 0x40, 0, 0},
                                                {0x40, 0x30, 8, 6, 1},
                                                {0x3e, 0x41, 0x41, 0x41, 0x3e},
                                                {0, 2, 1, 0x7f, 0},
                                                {0x42, 0x61, 0x51, 0x49, 0x46},
                                                {0x22, 0x41, 0x49, 0x49, 0x36},
                                                {0x18, 0x14, 0x12, 0x7f, 0x10},
                                                {0x27, 0x45, 0x45, 0x45, 0x39},
                                                {0x3c, 0x4a, 0x49, 0x49, 0x30},
                                                {1, 0x61, 0x19, 5, 3},
                                                {0x36, 0x49, 0x49, 0x49, 0x36},
                                                {6, 0x49, 0x49, 0x29, 0x1e},
                                                {0, 0, 0x24, 0, 0},
                                                {0, 0x80, 0x64, 0, 0},
                                                {8, 0x14, 0x22, 0x41, 0},
                                                {0x14, 0x14, 0x14, 0x14, 0},
                                                {0x41, 0x22, 0x14, 8, 0},
                                                {2, 1, 0x51, 9, 6},
                                                {0x3e, 0x41, 0x5d, 0x55, 0x1e},
                                                {0x7c, 0x12, 0x11, 0x12, 0x7c},
                                                {0x7f, 0x49, 0x49, 0x49, 0x36},
                                                {0x3e, 0x41, 0x41, 0x41, 0x22},
                                                {0x7f, 0x41, 0x41, 0x22, 0x1c},
                                                {0x7f, 0x49, 0x49, 0x49, 0x41},
                                                {0x7f, 9, 9, 9, 1},
                                                {0x3e, 0x41, 0x41, 0x49, 0x7a},
                                                {0x7f, 8, 8, 8, 0x7f},
                                                {0, 0x41, 0x7f, 0x41, 0},
                                                {0x20, 0x40, 0x40, 0x3f, 0},
                                                {0x7f, 8, 0x14, 0x22, 0x41},
                                                {0x7f, 0x40, 0x40, 0x40, 0x40},
                                                {0x7f, 2, 0x0c, 2, 0x7f},
                                                {0x7f, 4, 8, 0x10, 0x7f},
                                                {0x3e, 0x41, 0x41, 0x41, 0x3e},
                                                {0x7f, 9, 9, 9, 6},
                                                {0x3e, 0x41, 0x51, 0x21, 0x5e},
                                                {0x7f, 9, 0x19, 0x29, 0x46},
                                                {0x26, 0x49, 0x49, 0x49, 0x32},
                                                {1, 1, 0x7f, 1, 1},
                                                {0x3f, 0x40, 0x40, 0x40, 0x3f},
                                                {0x1f, 0x20, 0x40, 0x20, 0x1f},
                                                {0x3f, 0x40, 0x38, 0x40, 0x3f},
                                                {0x63, 0x14, 8, 0x14, 0x63},
                                                {3, 4, 0x78, 4, 3},
                                                {0x61, 0x51, 0x49, 0x45, 0x43},
                                                {0, 0x7f, 0x41, 0x41, 0},
                                                {1, 6, 8, 0x30, 0x40},
                                                {0, 0x41, 0x41, 0x7f, 0},
                                                {4, 2, 1, 2, 4},
                                                {0x40, 0x40, 0x40, 0x40, 0x40},
                                                {0, 1, 2, 0, 0},
                                                {0x20, 0x54, 0x54, 0x54, 0x78},
                                                {0x7f, 0x48, 0x44, 0x44, 0x38},
                                                {0x38, 0x44, 0x44, 0x44, 0},
                                                {0x38, 0x44, 0x44, 0x48, 0x7f},
                                                {0x38, 0x54, 0x54, 0x54, 0x18},
                                                {4, 0x7e, 5, 1, 0},
                                                {0x18, 0xa4, 0xa4, 0xa4, 0x7c},
                                                {0x7f, 8, 4, 4, 0x78},
                                                {0, 0, 0x7d, 0, 0},
                                                {0, 0x80, 0x80, 0x7d, 0},
                                                {0x7f, 0x10, 0x28, 0x44, 0},
                                                {0, 0x3f, 0x40, 0, 0},
                                                {0x7c, 4, 0x78, 4, 0x78},
                                                {0x7c, 8, 4, 4, 0x78},
                                                {0x38, 0x44, 0x44, 0x44, 0x38},
                                                {0xfc, 0x24, 0x24, 0x24, 0x18},
                                                {0x18, 0x24, 0x24, 0x24, 0xfc},
                                                {0x7c, 8, 4, 4, 0},
                                                {0x48, 0x54, 0x54, 0x54, 0x24},
                                                {4, 0x3e, 0x44, 0x40, 0},
                                                {0x3c, 0x40, 0x40, 0x20, 0x7c},
                                                {0x1c, 0x20, 0x40, 0x20, 0x1c},
                                                {0x3c, 0x40, 0x30, 0x40, 0x3c},
                                                {0x44, 0x28, 0x10, 0x28, 0x44},
                                                {0x1c, 0xa0, 0xa0, 0xa0, 0x7c},
                                                {0x44, 0x64, 0x54, 0x4c, 0x44},
                                                {0, 8, 0x36, 0x41, 0},
                                                {0, 0, 0x7f, 0, 0},
                                                {0, 0x41, 0x36, 8, 0},
                                                {4, 2, 4, 8, 4}};

static bool dot(int glyph, int x, int y) {
    return x >= 0 && x < 5 && y >= 0 && y < 8 && (kGlyphs[glyph][x] >> y & 1);
}

static void glyph_extent(int glyph, int& first, int& last) {
    first = 5, last = -1;
    for (int x = 0; x < 5; ++x)
        if (kGlyphs[glyph][x]) first = std::min(first, x), last = x;
    // digits and their neighbours in numbers share one width, so that running numbers do not jump
    if (glyph >= 16 && glyph < 26) first = 0, last = 4;
    if (last < 0) first = 0, last = 1;
}

// ASCII code minus 32 of each character; one question mark for each character outside
static std::vector<int> glyphs_of(std::string_view text) {
    std::vector<int> out;
    for (const char ch : text) {
        const auto c = static_cast<unsigned char>(ch);
        if (c >= 0x80 && c < 0xc0) continue; // inside a multi-byte character
        out.push_back(c >= 32 && c < 127 ? c - 32 : '?' - 32);
    }
    return out;
}

double text_width(std::string_view text, const TextStyle& style) {
    double width = 0;
    for (const int g : glyphs_of(text)) {
        int first, last;
        glyph_extent(g, first, last);
        width += (last - first + 2.2) * style.cell;
    }
    return std::max(0.0, width - 1.2 * style.cell);
}

void mix_pixel(int x, int y, const std::array<std::uint8_t, 3>& color, double strength, Picture& p) {
    if (x < 0 || y < 0 || x >= p.width || y >= p.height || !(strength > 0)) return;
    std::uint8_t* c = &p.rgba[4 * (std::size_t(y) * p.width + x)];
    strength = std::min(strength, 1.0);
    for (int k = 0; k < 3; ++k) c[k] = std::uint8_t(std::lround(c[k] + strength * (color[k] - c[k])));
}

// Distance in dots from (x, y) to the strokes of a glyph. A dot is joined with the next one to the right and
// below, and diagonally where no third dot fills the corner.
static double stroke_distance(int glyph, double x, double y) {
    static constexpr int steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
    double least = 1e9;
    for (int cy = 0; cy < 8; ++cy)
        for (int cx = 0; cx < 5; ++cx) {
            if (!dot(glyph, cx, cy)) continue;
            const double px = x - cx, py = y - cy;
            least = std::min(least, px * px + py * py);
            for (const auto& s : steps) {
                if (!dot(glyph, cx + s[0], cy + s[1])) continue;
                if (s[0] && s[1] && (dot(glyph, cx + s[0], cy) || dot(glyph, cx, cy + s[1]))) continue;
                const double t = std::clamp((px * s[0] + py * s[1]) / (s[0] * s[0] + s[1] * s[1]), 0.0, 1.0);
                const double dx = px - t * s[0], dy = py - t * s[1];
                least = std::min(least, dx * dx + dy * dy);
            }
        }
    return std::sqrt(least);
}

// one round over all letters: first the glow, then the strokes, so that no glow covers a stroke
static void draw_pass(const std::vector<int>& glyphs, double x, double y, const TextStyle& style, bool glow,
                      Picture& p) {
    const double reach = glow ? 2.6 : 1.2, half = 0.52; // half width of a stroke, in dots
    for (const int g : glyphs) {
        int first, last;
        glyph_extent(g, first, last);
        const int x0 = int(std::floor(x - reach * style.cell)), y0 = int(std::floor(y - reach * style.cell));
        const int x1 = int(std::ceil(x + (last - first + reach) * style.cell));
        const int y1 = int(std::ceil(y + (7 + reach) * style.cell));
        for (int j = std::max(0, y0); j <= std::min(p.height - 1, y1); ++j)
            for (int i = std::max(0, x0); i <= std::min(p.width - 1, x1); ++i) {
                const double d =
                    stroke_distance(g, (i + 0.5 - x) / style.cell + first, (j + 0.5 - y) / style.cell);
                if (glow)
                    mix_pixel(i, j, style.halo, 0.5 * style.halo_strength * std::exp(-d * d), p);
                else
                    mix_pixel(i, j, style.color, std::clamp((half - d) * style.cell + 0.5, 0.0, 1.0), p);
            }
        x += (last - first + 2.2) * style.cell;
    }
}

void draw_text(std::string_view text, double x, double y, const TextStyle& style, Picture& p) {
    if (!(style.cell > 0) || !std::isfinite(x + y)) return;
    const std::vector<int> glyphs = glyphs_of(text);
    if (style.halo_strength > 0) draw_pass(glyphs, x, y, style, true, p);
    draw_pass(glyphs, x, y, style, false, p);
}

void draw_panel(double x0, double y0, double x1, double y1, double corner, std::array<std::uint8_t, 3> color,
                double strength, Picture& p) {
    for (int j = std::max(0, int(y0) - 1); j <= std::min(p.height - 1, int(y1) + 1); ++j)
        for (int i = std::max(0, int(x0) - 1); i <= std::min(p.width - 1, int(x1) + 1); ++i) {
            // distance to the rectangle shrunk by the corner's radius
            const double dx = std::max({x0 + corner - i - 0.5, i + 0.5 - x1 + corner, 0.0});
            const double dy = std::max({y0 + corner - j - 0.5, j + 0.5 - y1 + corner, 0.0});
            const double d = std::sqrt(dx * dx + dy * dy);
            mix_pixel(i, j, color, strength * std::clamp(corner - d + 0.5, 0.0, 1.0), p);
        }
}

} // namespace sinew
