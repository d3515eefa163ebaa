// Progress of long work on a terminal: a bar with the time left, on standard error. Silent when that or standard output is no terminal.
#pragma once
#include <chrono>
#include <string>

namespace sinew {

struct Progress {
    bool active = false;
    std::string title;
    double total = 1;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now(), shown{};
};
Progress make_progress(std::string title, double total, bool quiet);
void show_progress(Progress&, double done, const std::string& detail); // at most ten times a second
void finish_progress(Progress&);
double seconds_since(std::chrono::steady_clock::time_point);
std::string duration_text(double seconds); // "3 min 05 s"

} // namespace sinew
