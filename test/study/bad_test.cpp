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

// One mistake, one message: `reference` has no settings of its own and the misspelt name has none either, which is no reason to call them alike.
TEST(bad_studies, a_misspelt_variant_of_a_race_is_the_only_error) {
    std::string text = read_text(source_dir() + "/test/study/bad/race_no_raise.study.json");
    text = replaced(text, R"("against": "cr",)", R"("against": "crr", "raise": "solvers.position.iterations",)");
    const std::string file = write_text(fresh_folder("misspelt") + "/misspelt.study.json", text);
    const Result<Study> r = load_study(file);
    ASSERT_EQ(r.errors.size(), 1u) << to_string(r.errors.back());
    EXPECT_EQ(r.errors[0].path, "race.against");
    // the other way round: settings that differ from none need no `raise` before the name is right
    text = replaced(text, R"("reference": "gs", "against": "crr", "raise": "solvers.position.iterations",)", R"("reference": "crr", "against": "cr",)");
    const Result<Study> other = load_study(write_text(file, text));
    ASSERT_EQ(other.errors.size(), 1u) << to_string(other.errors.back());
    EXPECT_EQ(other.errors[0].path, "race.reference");
}
