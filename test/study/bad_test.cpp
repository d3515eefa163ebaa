// Wrong study files, each with what must be said about it in its first line:  // expect: path | fragment
#include "study/tiny_study.h"
#include <algorithm>

using namespace sinew;

TEST(bad_studies, each_wrong_file_gives_its_message_with_place_and_path) {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/test/study/bad")) {
        const std::string file = entry.path().string(), text = read_text(file), line = text.substr(0, text.find('\n'));
        const std::size_t bar = line.find(" | ");
        ASSERT_TRUE(line.starts_with("// expect: ") && bar != std::string::npos) << file;
        const std::string path = line.substr(11, bar - 11), fragment = line.substr(bar + 3);
        const Result<Study> r = load_study(file);
        EXPECT_FALSE(r.value.has_value()) << file;
        std::string all;
        const bool said = std::any_of(r.errors.begin(), r.errors.end(), [&](const Error& e) {
            all += "\n    path \"" + e.path + "\": " + to_string(e);
            return e.path == path && to_string(e).find(fragment) != std::string::npos && !e.file.empty() && e.line > 0;
        });
        EXPECT_TRUE(said) << file << ": no error with path \"" << path << "\" and \"" << fragment << "\" among:" << all;
        ++count;
    }
    EXPECT_GE(count, 12);
}

TEST(bad_studies, a_missing_file_is_named) {
    const Result<Study> r = load_study("no_such.study.json");
    ASSERT_EQ(r.errors.size(), 1u);
    EXPECT_EQ(r.errors[0].file, "no_such.study.json");
}
