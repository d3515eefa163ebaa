// A small run with every kind of geometry the snapshots know, and what tests of files need.
#pragma once
#include "model/snapshot.h"
#include "core/file.h"
#include <filesystem>
#include <gtest/gtest.h>

namespace sinew {

// "sheet": deformable, 4 x 3 points, quads and one triangle, texture coordinates with a seam, groups "top",
// "corner"; "hero/box": rigid, 8 vertices, 6 quads; "rope": 5 points, segments; "rain": emitter of 6 slots
// with alive and id
SnapshotLayout make_sample_layout();
// Smooth motion plus digits that float32 cannot hold; fields velocity (3), speed (1) on sheet, age (1) on
// rain.
Snapshot make_sample_snapshot(const SnapshotLayout& layout, int frame);

// Exactly equal, or (float32) equal to the rounded values.
void expect_equal(const SnapshotLayout& a, const SnapshotLayout& b);
void expect_equal(const Snapshot& a, const Snapshot& b, bool rounded);

// A fresh folder, removed afterwards.
struct TemporaryFolder {
    TemporaryFolder();
    ~TemporaryFolder();
    std::string path(const std::string& name) const { return (folder / name).string(); }
    std::vector<std::string> files() const; // names, sorted
    std::filesystem::path folder;
};

std::string read_text_file(const std::string& path);
void write_text_file(const std::string& path, std::string_view text);
std::string text_of(const Errors& errors); // for messages of failed tests

// While it lives, files of this process cannot grow beyond `bytes`: a full disk.
struct SmallDisk {
    explicit SmallDisk(std::uint64_t bytes);
    ~SmallDisk();
    std::uint64_t before_soft = 0, before_hard = 0;
};

} // namespace sinew
#define EXPECT_NO_ERRORS(call)                                                                               \
    do {                                                                                                     \
        const ::sinew::Errors errors_of_call = (call);                                                       \
        EXPECT_TRUE(errors_of_call.empty()) << ::sinew::text_of(errors_of_call);                             \
    } while (false)
#define ASSERT_NO_ERRORS(call)                                                                               \
    do {                                                                                                     \
        const ::sinew::Errors errors_of_call = (call);                                                       \
        ASSERT_TRUE(errors_of_call.empty()) << ::sinew::text_of(errors_of_call);                             \
    } while (false)
