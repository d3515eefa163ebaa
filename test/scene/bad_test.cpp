// Malformed scene files, each with what must be said about it in its first line:  // expect: path | fragment
// bad/structure/ is refused by load_scene; bad/compile/ only when the scene is compiled.
#include "scene/bad_scenes.h"
#include "sinew/scene.h"
#include "paths.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace sinew {

std::vector<BadScene> list_bad_scenes(const std::string& folder) {
    std::vector<BadScene> scenes;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        std::ifstream in(entry.path());
        std::string line;
        std::getline(in, line);
        BadScene s;
        s.file = entry.path().string();
        const std::string head = "// expect: ";
        const std::size_t bar = line.find(" | ");
        if (line.starts_with(head) && bar != std::string::npos) {
            s.path = line.substr(head.size(), bar - std::min(bar, head.size()));
            s.fragment = line.substr(bar + 3);
        }
        scenes.push_back(std::move(s));
    }
    std::sort(scenes.begin(), scenes.end(),
              [](const BadScene& a, const BadScene& b) { return a.file < b.file; });
    return scenes;
}

std::string check_bad_scene(const BadScene& s, const std::vector<Error>& errors) {
    if (s.fragment.empty()) return "the first line must be: // expect: path | fragment";
    std::string all;
    for (const Error& e : errors) {
        const std::string text = to_string(e);
        if (e.path == s.path && text.find(s.fragment) != std::string::npos && !e.file.empty() && e.line > 0)
            return {};
        all += "\n    path \"" + e.path + "\": " + text;
    }
    return errors.empty()
               ? "no error"
               : "no error with path \"" + s.path + "\" and \"" + s.fragment + "\" and a place among:" + all;
}

} // namespace sinew

using namespace sinew;

static const std::string kBad = source_dir() + "/test/scene/bad";

TEST(bad_scenes, each_malformed_file_gives_its_message_with_place_and_path) {
    const std::vector<BadScene> scenes = list_bad_scenes(kBad + "/structure");
    EXPECT_GE(scenes.size(), 100u);
    for (const BadScene& s : scenes) {
        const Result<Scene> r = load_scene(s.file);
        EXPECT_FALSE(r.value.has_value()) << s.file;
        EXPECT_EQ(check_bad_scene(s, r.errors), "") << s.file;
        EXPECT_LE(r.errors.size(), 3u) << s.file << ": one mistake must not look like many";
    }
}

TEST(bad_scenes, files_whose_structure_is_right_are_left_to_the_compiler) {
    const std::vector<BadScene> scenes = list_bad_scenes(kBad + "/compile");
    EXPECT_GE(scenes.size(), 10u);
    for (const BadScene& s : scenes) {
        EXPECT_FALSE(s.fragment.empty()) << s.file;
        const Result<Scene> r = load_scene(s.file);
        for (const Error& e : r.errors) ADD_FAILURE() << to_string(e);
    }
}

TEST(bad_scenes, every_truncation_of_a_good_scene_is_refused_with_a_place) {
    std::ifstream in(source_dir() + "/test/scene/sample/stairs.json");
    std::stringstream buffer;
    buffer << in.rdbuf();
    std::string text = buffer.str();
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    for (std::size_t n = 0; n < text.size(); ++n) {
        const Result<Scene> r =
            parse_scene(text.substr(0, n), source_dir() + "/test/scene/sample/stairs.json");
        ASSERT_FALSE(r.value.has_value()) << n;
        ASSERT_FALSE(r.errors.empty()) << n;
        EXPECT_GT(r.errors[0].line, 0) << n;
    }
}
