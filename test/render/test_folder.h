// A folder of its own for each test, removed at its end.
#pragma once
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

namespace sinew {

struct FolderTest : testing::Test {
    std::filesystem::path folder;
    void SetUp() override {
        const auto* info = testing::UnitTest::GetInstance()->current_test_info();
        folder = std::filesystem::temp_directory_path() /
                 (std::string("sinew_") + info->name() + std::to_string(::getpid()));
        std::filesystem::create_directories(folder);
    }
    void TearDown() override { std::filesystem::remove_all(folder); }
    std::string path(const std::string& name) const { return folder / name; }
    long file_count() const {
        return std::distance(std::filesystem::directory_iterator(folder),
                             std::filesystem::directory_iterator());
    }
};

} // namespace sinew
