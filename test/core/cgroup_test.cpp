#include "core/cgroup.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace sinew;

namespace {

// a machine's proc/ and sys/, as far as control groups go
struct Machine {
    std::filesystem::path root = std::filesystem::temp_directory_path() / ("sinew_cgroup_" + std::to_string(getpid()));
    Machine() { std::filesystem::remove_all(root); }
    ~Machine() { std::filesystem::remove_all(root); }
    void write(const std::string& file, const std::string& text) {
        std::filesystem::create_directories((root / file).parent_path());
        std::ofstream(root / file) << text;
    }
    int quota() const { return cgroup_quota(root.string()); }
};

} // namespace

TEST(cgroup, without_groups_or_quotas_there_is_no_limit) {
    Machine m;
    EXPECT_EQ(m.quota(), 0);
    m.write("proc/self/cgroup", "0::/user.slice\n");
    m.write("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
    EXPECT_EQ(m.quota(), 0);
}

TEST(cgroup, the_quota_of_the_own_group_and_of_those_above_it_count_and_the_smallest_wins) {
    Machine m;
    m.write("proc/self/cgroup", "0::/batch.slice/job.scope\n");
    m.write("sys/fs/cgroup/batch.slice/job.scope/cpu.max", "600000 100000\n");
    EXPECT_EQ(m.quota(), 6);
    m.write("sys/fs/cgroup/batch.slice/cpu.max", "350000 100000\n"); // 3.5 processors
    EXPECT_EQ(m.quota(), 4);
    m.write("sys/fs/cgroup/other.slice/cpu.max", "100000 100000\n");
    EXPECT_EQ(m.quota(), 4);
    m.write("sys/fs/cgroup/batch.slice/job.scope/cpu.max", "10000 100000\n"); // less than one
    EXPECT_EQ(m.quota(), 1);
}

TEST(cgroup, a_container_has_its_group_at_the_top_whatever_path_it_is_told) {
    Machine m;
    m.write("sys/fs/cgroup/cpu.max", "200000 100000\n");
    for (const char* path : {"/", "/docker/0123", "/../other"}) {
        m.write("proc/self/cgroup", "0::" + std::string(path) + "\n");
        EXPECT_EQ(m.quota(), 2) << path;
    }
}

TEST(cgroup, version_1_quotas_are_followed_wherever_the_controller_is_mounted) {
    for (const char* mount : {"cpu,cpuacct", "cpu"}) {
        Machine m;
        m.write("proc/self/cgroup", "11:memory:/docker/a\n4:cpu,cpuacct:/docker/a\n0::/docker/a\n");
        const std::string group = "sys/fs/cgroup/" + std::string(mount) + "/docker/a/";
        m.write(group + "cpu.cfs_period_us", "50000\n");
        m.write(group + "cpu.cfs_quota_us", "-1\n");
        EXPECT_EQ(m.quota(), 0) << mount;
        m.write(group + "cpu.cfs_quota_us", "150000\n");
        EXPECT_EQ(m.quota(), 3) << mount;
        // cpusets have nothing to do with it
        m.write("proc/self/cgroup", "4:cpuset,cpuacct:/docker/a\n");
        EXPECT_EQ(m.quota(), 0) << mount;
    }
}
