#define SINEW_ASSERTS 1
#include "core/assert.h"
#include "core/log.h"
#include <gtest/gtest.h>

using namespace sinew;

TEST(log, messages_reach_the_callback_of_their_context_only) {
    std::string seen;
    Context loud, silent;
    loud.log = [&](LogLevel level, std::string_view text) {
        seen = std::to_string(int(level)) + std::string(text);
    };
    log(silent, LogLevel::error, "nothing {}", 1);
    EXPECT_EQ(seen, "");
    log(loud, LogLevel::warning, "dt = {} s", 0.5);
    EXPECT_EQ(seen, "2dt = 0.5 s");
}

static std::string failed;

TEST(assert, a_failed_assertion_calls_the_handler_with_condition_and_place) {
    const AssertHandler before =
        set_assert_handler([](const char* condition, const char* file, int, const char*) {
            failed = std::string(condition) + " " + file;
        });
    const int x = 1;
    SINEW_ASSERT(x == 1);
    EXPECT_EQ(failed, "");
    SINEW_ASSERT(x == 2);
    set_assert_handler(before);
    EXPECT_EQ(failed.substr(0, 6), "x == 2");
    EXPECT_NE(failed.find("log_test.cpp"), std::string::npos);
}

TEST(assertDeathTest, the_default_handler_ends_the_program) {
    EXPECT_DEATH(SINEW_ASSERT(1 + 1 == 3), "assertion failed: 1 \\+ 1 == 3");
}
