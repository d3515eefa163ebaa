#include "study/plot.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

constexpr double kWidth = 760, kHeight = 440, kLeft = 78, kRight = 24, kTop = 44, kBottom = 58;
constexpr std::array<const char*, 8> kColors{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8a6d00"};
constexpr std::array<const char*, 4> kDashes{"", "7 3", "2 3", "9 3 2 3"};
constexpr int kMostMarks = 40; // points of a curve that get marks

std::string escape(const std::string& text) {
    std::string out;
    for (char c : text) {
        if (c == '<') out += "&lt;";
        else if (c == '>') out += "&gt;";
        else if (c == '&') out += "&amp;";
        else if (c == '"') out += "&quot;";
        else out += c;
    }
    return out;
}

struct Axis {
    double low = 0, high = 1, from = 0, to = 1; // values, and where they are on the page
    bool log = false;
    std::vector<double> ticks;
    bool shows(double v) const { return std::isfinite(v) && (!log || v > 0); }
    double at(double v) const {
        const double a = log ? std::log10(low) : low, b = log ? std::log10(high) : high, x = log ? std::log10(v) : v;
        return from + (x - a) / (b - a) * (to - from);
    }
};

Axis make_axis(const Plot& p, bool vertical) {
    Axis a;
    a.log = vertical ? p.log_y : p.log_x;
    bool any = false;
    for (const PlotCurve& c : p.curves)
        for (double v : vertical ? c.y : c.x) {
            if (!a.shows(v)) continue;
            a.low = any ? std::min(a.low, v) : v, a.high = any ? std::max(a.high, v) : v;
            any = true;
        }
    if (!any) a.low = a.log ? 1 : 0, a.high = a.log ? 10 : 1;
    if (a.log) {
        if (!(a.high > a.low)) a.low /= 2, a.high *= 2;
        if (vertical) a.low /= 1.15, a.high *= 1.15;
        a.ticks = find_log_ticks(a.low, a.high);
    } else {
        // from zero where that is not far: lengths of bars and curves then mean something
        if (vertical && a.low > 0 && a.low < 0.5 * a.high) a.low = 0;
        if (!(a.high - a.low > 1e-9 * std::max(std::abs(a.low), std::abs(a.high)))) a.low -= 0.5, a.high += 0.5; // rounding is no range
        a.ticks = find_ticks(a.low, a.high, vertical ? 6 : 8);
        const double step = a.ticks.size() > 1 ? a.ticks[1] - a.ticks[0] : 1;
        if (vertical) a.low = std::floor(a.low / step + 1e-9) * step, a.high = std::ceil(a.high / step - 1e-9) * step;
        a.ticks = find_ticks(a.low, a.high, vertical ? 6 : 8);
    }
    a.from = vertical ? kHeight - kBottom : kLeft;
    a.to = vertical ? kTop : kWidth - kRight;
    return a;
}

std::string tick_text(double v, bool log) {
    const double exponent = log && v > 0 ? std::log10(v) : 0;
    const bool whole = log && std::abs(exponent - std::round(exponent)) < 1e-9;
    if (whole && std::abs(exponent) > 3.5)
        return fmt::format("10<tspan dy=\"-5\" font-size=\"9\">{}</tspan>", int(std::lround(exponent)));
    return fmt::format("{:.6g}", std::abs(v) < 1e-300 ? 0 : v);
}

void add_axes(const Plot& p, const Axis& x, const Axis& y, std::string& out) {
    for (double t : x.ticks)
        out += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" class=\"grid\"/>"
                           "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>\n",
                           x.at(t), y.from, y.to, y.from + 17, tick_text(t, x.log));
    for (double t : y.ticks)
        out += fmt::format("<line x1=\"{1:.1f}\" y1=\"{0:.1f}\" x2=\"{2:.1f}\" y2=\"{0:.1f}\" class=\"grid\"/>"
                           "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
                           y.at(t), x.from, x.to, x.from - 7, y.at(t) + 4, tick_text(t, y.log));
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"frame\"/>\n", x.from, y.to, x.to - x.from,
                       y.from - y.to);
    out += fmt::format("<text x=\"{:.1f}\" y=\"22\" class=\"title\" text-anchor=\"middle\">{}</text>\n", 0.5 * kWidth, escape(p.title));
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", 0.5 * (x.from + x.to), kHeight - 18, escape(p.x_label));
    out += fmt::format("<text transform=\"translate(17 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n", 0.5 * (y.from + y.to),
                       escape(p.y_label));
}

void add_mark(std::size_t kind, double x, double y, const char* color, std::string& out) {
    if (kind % 3 == 0) out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>", x, y, color);
    if (kind % 3 == 1) out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"5.4\" height=\"5.4\" fill=\"{}\"/>", x - 2.7, y - 2.7, color);
    if (kind % 3 == 2)
        out += fmt::format("<path d=\"M{:.1f} {:.1f}l3.4 5.8h-6.8z\" fill=\"{}\"/>", x, y - 3.8, color);
}

void add_curve(const PlotCurve& c, std::size_t k, const Axis& x, const Axis& y, std::string& out) {
    const char* color = kColors[k % kColors.size()];
    const char* dash = kDashes[(k + k / kColors.size()) % kDashes.size()];
    std::string path, marks;
    bool pen = false;
    const std::size_t n = std::min(c.x.size(), c.y.size());
    for (std::size_t i = 0; i < n; ++i) {
        const bool shown = x.shows(c.x[i]) && y.shows(c.y[i]);
        if (shown) {
            path += fmt::format("{}{:.1f} {:.1f}", pen ? 'L' : 'M', x.at(c.x[i]), y.at(c.y[i]));
            if (n <= std::size_t(kMostMarks)) add_mark(k, x.at(c.x[i]), y.at(c.y[i]), color, marks);
        }
        pen = shown;
    }
    if (!path.empty()) out += fmt::format("<path d=\"{}\" class=\"curve\" stroke=\"{}\" stroke-dasharray=\"{}\"/>\n", path, color, *dash ? dash : "none");
    if (!marks.empty()) out += marks + "\n";
}

// in the corner where the fewest points are
void add_legend(const Plot& p, const Axis& x, const Axis& y, std::string& out) {
    std::size_t longest = 0;
    for (const PlotCurve& c : p.curves) longest = std::max(longest, c.title.size());
    const double width = 46 + 6.6 * double(longest), height = 10 + 17 * double(p.curves.size());
    std::array<int, 4> points{};
    const auto corner = [&](int k) {
        return std::array<double, 2>{k % 2 ? x.from + 8 : x.to - width - 8, k / 2 ? y.from - height - 8 : y.to + 8};
    };
    for (const PlotCurve& c : p.curves)
        for (std::size_t i = 0; i < std::min(c.x.size(), c.y.size()); ++i) {
            if (!x.shows(c.x[i]) || !y.shows(c.y[i])) continue;
            for (int k = 0; k < 4; ++k) {
                const auto at = corner(k);
                const double dx = x.at(c.x[i]) - at[0], dy = y.at(c.y[i]) - at[1];
                points[k] += dx > -6 && dx < width + 6 && dy > -6 && dy < height + 6;
            }
        }
    const auto at = corner(int(std::min_element(points.begin(), points.end()) - points.begin()));
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"legend\"/>\n", at[0], at[1], width, height);
    for (std::size_t k = 0; k < p.curves.size(); ++k) {
        const double row = at[1] + 13 + 17 * double(k);
        const char* dash = kDashes[(k + k / kColors.size()) % kDashes.size()];
        out += fmt::format("<path d=\"M{:.1f} {:.1f}h26\" class=\"curve\" stroke=\"{}\" stroke-dasharray=\"{}\"/>", at[0] + 7, row,
                           kColors[k % kColors.size()], *dash ? dash : "none");
        if (p.curves[k].x.size() <= std::size_t(kMostMarks)) add_mark(k, at[0] + 20, row, kColors[k % kColors.size()], out);
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", at[0] + 39, row + 4, escape(p.curves[k].title));
    }
}

} // namespace

std::vector<double> find_ticks(double low, double high, int count) {
    std::vector<double> out;
    if (!(high - low > 1e-9 * std::max(std::abs(low), std::abs(high))) || count < 1) return {low}; // rounding is no range
    const double raw = (high - low) / count, power = std::pow(10, std::floor(std::log10(raw)));
    double step = 10 * power;
    for (double f : {1.0, 2.0, 5.0})
        if (f * power >= raw * (1 - 1e-9)) {
            step = f * power;
            break;
        }
    for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) out.push_back(k * step);
    return out;
}

std::vector<double> find_log_ticks(double low, double high) {
    std::vector<double> out;
    const double decades = std::log10(high / low);
    const int every = std::max(1, int(std::ceil(decades / 9)));
    for (int e = int(std::floor(std::log10(low))); e <= int(std::ceil(std::log10(high))); ++e)
        for (double f : {1.0, 2.0, 5.0}) {
            if (f > 1 && decades > 2.5) continue;
            if (e % every != 0) continue;
            const double v = f * std::pow(10, e);
            if (v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)) out.push_back(v);
        }
    return out;
}

std::string write_svg(const Plot& p) {
    const Axis x = make_axis(p, false), y = make_axis(p, true);
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" font-family=\"sans-serif\" "
        "font-size=\"12\" fill=\"#222\">\n<style>.grid{{stroke:#ddd;stroke-width:1}}.frame{{fill:none;stroke:#444;stroke-width:1}}"
        ".curve{{fill:none;stroke-width:1.8;stroke-linejoin:round}}.legend{{fill:#fff;fill-opacity:.88;stroke:#bbb}}.title{{font-size:15px;font-weight:bold}}"
        "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        kWidth, kHeight);
    add_axes(p, x, y, out);
    for (std::size_t k = 0; k < p.curves.size(); ++k) add_curve(p.curves[k], k, x, y, out);
    if (p.curves.size() > 1) add_legend(p, x, y, out);
    return out + "</svg>\n";
}

} // namespace sinew
