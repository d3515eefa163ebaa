#include "render/write_on.h"
#include "render/text.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

static double text_cell(const Picture& p) { return std::max(1.0, std::min(p.width, p.height) / 310.0); }

std::vector<double> scale_marks(double low, double high) {
    const double range = high - low;
    if (!(range > 0) || !std::isfinite(range)) return {low};
    const double power = std::pow(10.0, std::floor(std::log10(range / 4))), m = range / 4 / power;
    const double step = (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10) * power;
    std::vector<double> marks{low};
    for (double k = std::ceil(low / step); k * step < high && marks.size() < 12; ++k)
        if (k * step > low + 0.09 * range && k * step < high - 0.09 * range) marks.push_back(k * step);
    marks.push_back(high);
    return marks;
}

// short, and a rounding error of the step does not show as 1e-17
static std::string mark_text(double value, double range) {
    return fmt::format("{:.3g}", std::abs(value) < 1e-9 * range ? 0.0 : value);
}

static std::array<std::uint8_t, 3> to_bytes(const Real3& c) {
    std::array<std::uint8_t, 3> out;
    for (int k = 0; k < 3; ++k) out[k] = std::uint8_t(std::lround(255 * std::clamp(c[k], 0.0, 1.0)));
    return out;
}

static void draw_legend(const RenderSettings& settings, const Drawing& drawing, Picture& p) {
    TextStyle style;
    style.cell = text_cell(p);
    style.halo_strength = 0;
    const double c = style.cell, bar = std::round(7 * c),
                 height = std::floor(std::min(120 * c, p.height - 44 * c));
    if (height < 20 * c) return;
    const ColorMap map = color_map(settings);
    const double low = drawing.color_min, high = drawing.color_max;
    const std::string& title = settings.legend_title.empty() ? settings.color_by : settings.legend_title;
    const std::vector<double> marks = scale_marks(low, high);
    double width = 0;
    for (const double m : marks) width = std::max(width, text_width(mark_text(m, high - low), style));
    width = std::max(bar + 5 * c + width, text_width(title, style));
    const double x0 = std::floor(p.width - 12 * c - width), top = std::round(28 * c);
    draw_panel(x0 - 6 * c, 8 * c, p.width - 6 * c, top + height + 8 * c, 4 * c, {255, 255, 255}, 0.72, p);
    draw_text(title, x0, 14 * c, style, p);
    for (int y = int(top); y < int(top + height); ++y) {
        const double t = 1 - (y + 0.5 - top) / height;
        for (int x = int(x0); x < int(x0 + bar); ++x) mix_pixel(x, y, to_bytes(map_color(map, t)), 1, p);
    }
    for (const double m : marks) {
        const double y = top + height * (1 - (m - low) / (high - low));
        draw_panel(x0 + bar, y - 0.3 * c, x0 + bar + 2 * c, y + 0.3 * c, 0.1, style.color, 1, p);
        draw_text(mark_text(m, high - low), x0 + bar + 5 * c, y - 3 * c, style, p);
    }
}

void write_on(const RenderSettings& settings, const Snapshot& s, const Drawing& drawing, Picture& p) {
    if (settings.legend && drawing.has_field) draw_legend(settings, drawing, p);
    TextStyle style;
    style.cell = text_cell(p);
    const double edge = 8 * style.cell;
    if (settings.show_time)
        draw_text(fmt::format("frame {}   t = {:.3f} s", s.frame, s.time), edge, edge, style, p);
    if (!settings.caption.empty())
        draw_text(settings.caption, edge, p.height - edge - 7 * style.cell, style, p);
}

} // namespace sinew
