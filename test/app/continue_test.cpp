#include "continue.h"
#include "sinew/sinew.h"
#include <gtest/gtest.h>

using namespace sinew;

TEST(continue_state, a_state_of_this_program_with_the_same_files_is_told_nothing_of) {
    StateFile file;
    file.program_version = version();
    file.needs = {"00000000000000aa  /a/sheet.obj", "00000000000000bb  /a/sheet.obj"};
    Compiled compiled;
    compiled.files = {"00000000000000bb  /a/sheet.obj", "00000000000000aa  /a/sheet.obj"};
    EXPECT_TRUE(find_changes(file, compiled).empty());
}

TEST(continue_state, another_program_is_named) {
    StateFile file;
    file.program_version = "0.0.7";
    const std::vector<std::string> changes = find_changes(file, Compiled{});
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0], "the state was made by Sinew 0.0.7, this is " + std::string(version()) + "; bits may differ");
}

TEST(continue_state, files_that_have_changed_are_named_and_others_that_are_not_read_any_more_are_not) {
    StateFile file;
    file.program_version = version();
    file.needs = {"00000000000000aa  /a/sheet one.obj", "00000000000000bb  /a/land.csv"};
    Compiled compiled;
    compiled.files = {"00000000000000cc  /a/sheet one.obj"};
    const std::vector<std::string> changes = find_changes(file, compiled);
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0], "/a/sheet one.obj has changed since the state was made");
}
