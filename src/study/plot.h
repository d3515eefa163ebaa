// A plot of curves as SVG: axes with ticks at round numbers, units, grid, legend, linear or by powers of ten. Colours are those of
// Okabe and Ito (2008), which colour-blind readers tell apart, and every curve has its own dash and mark as well.
// What is not finite, and on a logarithmic axis what is not positive, leaves a gap in its curve.
#pragma once
#include <string>
#include <vector>

namespace sinew {

struct PlotCurve {
    std::string title;
    std::vector<double> x, y;
};
struct Plot {
    std::string title, x_label, y_label;
    bool log_x = false, log_y = false;
    std::vector<PlotCurve> curves;
};
std::string write_svg(const Plot&);

// Round numbers that cover [low, high]: multiples of 1, 2 or 5 times a power of ten; about `count` of them.
std::vector<double> find_ticks(double low, double high, int count);
// the powers of ten within [low, high], with 2 and 5 times them where there are few; both positive
std::vector<double> find_log_ticks(double low, double high);

} // namespace sinew
