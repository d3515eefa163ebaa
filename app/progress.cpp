#include "progress.h"
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace sinew {

double seconds_since(std::chrono::steady_clock::time_point t) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
}

std::string duration_text(double s) {
    if (s < 60) return fmt::format("{:.1f} s", s);
    if (s < 3600) return fmt::format("{} min {:02} s", int(s) / 60, int(s) % 60);
    return fmt::format("{} h {:02} min", int(s) / 3600, int(s) / 60 % 60);
}

Progress make_progress(std::string title, double total, bool quiet) {
    Progress p;
    p.title = std::move(title);
    p.total = total;
    p.active = !quiet && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
    return p;
}

void show_progress(Progress& p, double done, const std::string& detail) {
    if (!p.active || (seconds_since(p.shown) < 0.1 && done < p.total)) return;
    p.shown = std::chrono::steady_clock::now();
    const double share = p.total > 0 ? done / p.total : 1, used = seconds_since(p.start);
    const int width = 24, filled = int(share * width);
    const std::string left = share > 0.01 ? duration_text(used / share * (1 - share)) : "...";
    fmt::print(stderr, "\r\x1b[K{} [{}{}] {:3.0f} %  left {}  {}", p.title, std::string(filled, '='),
               std::string(width - filled, ' '), 100 * share, left, detail);
    std::fflush(stderr);
}

void finish_progress(Progress& p) {
    if (p.active) fmt::print(stderr, "\r\x1b[K");
    p.active = false;
}

} // namespace sinew
