// Linux control groups: how many processors a process may use in the mean, below what the machine has. Containers and batch
// systems set it; threads beyond it only wait for each other.
#pragma once
#include <string>

namespace sinew {

// The smallest quota of the process's group and the groups above it, in whole processors, rounded up; 0 if there is none.
// `root`: folder that holds proc/ and sys/.
int cgroup_quota(const std::string& root = "/");

} // namespace sinew
