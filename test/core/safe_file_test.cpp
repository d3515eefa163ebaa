#include "core/safe_file.h"
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace sinew {
namespace {

namespace fs = std::filesystem;

struct SafeFileTest : testing::Test {
    fs::path folder = fs::temp_directory_path() / ("sinew_safe_file_" + std::to_string(::getpid()));
    void SetUp() override { fs::create_directories(folder); }
    void TearDown() override { fs::remove_all(folder); }
    std::string text(const fs::path& p) {
        std::ifstream in(p, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    long files() { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); }
};

std::span<const std::uint8_t> bytes(std::string_view s) {
    return {reinterpret_cast<const std::uint8_t*>(s.data()), s.size()};
}

TEST_F(SafeFileTest, appears_under_its_name_only_when_committed) {
    const fs::path path = folder / "a.bin";
    SafeFile f;
    ASSERT_FALSE(open_file(path, f));
    EXPECT_TRUE(write_bytes(f, bytes("xxxlo")));
    EXPECT_FALSE(fs::exists(path));
    EXPECT_TRUE(seek_file(f, 0));
    EXPECT_TRUE(write_bytes(f, bytes("hel")));
    EXPECT_TRUE(seek_file(f, -1));
    EXPECT_TRUE(write_bytes(f, bytes("!")));
    EXPECT_EQ(file_position(f), 6);
    ASSERT_FALSE(commit_file(f));
    EXPECT_EQ(text(path), "hello!");
    EXPECT_EQ(files(), 1);
}

TEST_F(SafeFileTest, a_file_that_is_not_committed_leaves_the_old_one_and_no_rest) {
    const fs::path path = folder / "a.bin";
    ASSERT_FALSE(write_file(path, bytes("old")));
    {
        SafeFile f;
        ASSERT_FALSE(open_file(path, f));
        write_bytes(f, bytes("new"));
    }
    EXPECT_EQ(text(path), "old");
    EXPECT_EQ(files(), 1);
}

TEST_F(SafeFileTest, two_writers_of_one_path_do_not_mix) {
    const fs::path path = folder / "a.bin";
    SafeFile f, g;
    ASSERT_FALSE(open_file(path, f));
    ASSERT_FALSE(open_file(path, g));
    write_bytes(f, bytes("first"));
    write_bytes(g, bytes("second"));
    ASSERT_FALSE(commit_file(f));
    ASSERT_FALSE(commit_file(g));
    EXPECT_EQ(text(path), "second");
}

TEST_F(SafeFileTest, a_missing_folder_is_named) {
    const std::string path = folder / "none" / "a.bin";
    const auto error = write_file(path, bytes("x"));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->file, path);
    EXPECT_NE(error->message.find("No such file"), std::string::npos) << error->message;
}

// a file size limit stands for a full disk: the kernel refuses the write in both cases
TEST_F(SafeFileTest, a_refused_write_is_an_error_and_leaves_the_old_file) {
    const fs::path path = folder / "a.bin";
    ASSERT_FALSE(write_file(path, bytes("old")));
    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{}, small{};
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 1000;
    setrlimit(RLIMIT_FSIZE, &small);
    const auto error = write_file(path, std::vector<std::uint8_t>(100000));
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    ASSERT_TRUE(error);
    EXPECT_NE(error->message.find("cannot write"), std::string::npos) << error->message;
    EXPECT_EQ(text(path), "old");
    EXPECT_EQ(files(), 1);
}

} // namespace
} // namespace sinew
