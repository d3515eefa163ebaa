#include "study/machine_load.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <unistd.h>

namespace sinew {

namespace {

// first line of the system's statistics: "cpu  user nice system idle iowait irq softirq steal ..." in ticks
bool read_machine(double& seconds) {
    std::FILE* file = std::fopen("/proc/stat", "r");
    if (!file) return false;
    char line[512];
    const bool read = std::fgets(line, sizeof line, file) != nullptr;
    std::fclose(file);
    if (!read || std::string_view(line).substr(0, 4) != "cpu ") return false;
    const char* at = line + 4;
    double ticks[8]{};
    for (double& t : ticks) {
        char* end = nullptr;
        t = std::strtod(at, &end);
        if (end == at) return false;
        at = end;
    }
    const long rate = sysconf(_SC_CLK_TCK);
    if (rate <= 0) return false;
    seconds = (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]) / double(rate);
    return true;
}

} // namespace

MachineLoad read_load() {
    MachineLoad out;
    out.wall = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    out.own = double(std::clock()) / CLOCKS_PER_SEC;
    out.known = read_machine(out.machine);
    return out;
}

double processors_of_others(const MachineLoad& from, const MachineLoad& to) {
    if (!from.known || !to.known || !(to.wall > from.wall)) return -1;
    return std::max(0.0, (to.machine - from.machine) - (to.own - from.own)) / (to.wall - from.wall);
}

} // namespace sinew
