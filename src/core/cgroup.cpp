// /proc/self/cgroup has a line per hierarchy, "number:controllers:/path/of/the/group":
//   version 2   0::/path, one for everything     cpu.max             "quota period" or "max period" [us]
//   version 1   controllers with cpu among them  cpu.cfs_quota_us, -1 = none; cpu.cfs_period_us [us]
// A group is limited by those above it too. A container often sees the path of its host but has its own group mounted at the top:
// folders that are not there are passed over. Reference: Linux, Documentation/admin-guide/cgroup-v2.rst, scheduler/sched-bwc.rst.
#include "core/cgroup.h"
#include <algorithm>
#include <filesystem>
#include <fstream>

namespace sinew {

namespace {

namespace fs = std::filesystem;

// the smaller one, 0 = none
int tighter(int a, int b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

int whole_processors(long long quota, long long period) {
    return quota > 0 && period > 0 ? int(std::clamp(quota / period + (quota % period != 0), 1LL, 1LL << 20)) : 0;
}

int read_quota(const fs::path& group) {
    long long quota = 0, period = 0;
    std::ifstream both(group / "cpu.max"), old_quota(group / "cpu.cfs_quota_us"), old_period(group / "cpu.cfs_period_us");
    if (both >> quota >> period) return whole_processors(quota, period); // "max" is no number
    if (old_quota >> quota && old_period >> period) return whole_processors(quota, period);
    return 0;
}

// the group at `path` of the hierarchy mounted at `top`, and those above it
int read_quotas(const fs::path& top, const fs::path& path) {
    int quota = 0;
    fs::path here = path.relative_path().lexically_normal();
    if (!here.empty() && *here.begin() == "..") here.clear(); // outside of what this process may see
    for (; !here.empty(); here = here.parent_path()) quota = tighter(quota, read_quota(top / here));
    return tighter(quota, read_quota(top));
}

bool has_word(const std::string& list, const std::string& word) { return ("," + list + ",").find("," + word + ",") != list.npos; }

} // namespace

int cgroup_quota(const std::string& root) {
    const fs::path top = fs::path(root) / "sys/fs/cgroup";
    int quota = read_quotas(top, {});
    std::ifstream lines(fs::path(root) / "proc/self/cgroup");
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == line.npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
        if (controllers.empty()) quota = tighter(quota, read_quotas(top, path));
        if (!has_word(controllers, "cpu")) continue;
        for (const std::string& mount : {controllers, std::string("cpu")}) quota = tighter(quota, read_quotas(top / mount, path));
    }
    return quota;
}

} // namespace sinew
