// Messages of pages: what is understood, and that everything else is refused with a reason.
#include "view_message.h"
#include "core/random.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

using Do = ViewMessage::Do;

std::string refusal(std::string_view text) {
    const Result<ViewMessage> m = parse_view_message(text);
    EXPECT_FALSE(m) << text;
    return m || m.errors.empty() ? std::string() : to_string(m.errors[0]);
}

} // namespace

TEST(view_message, every_word_is_understood) {
    const std::pair<const char*, Do> words[] = {
        {R"({"do": "play"})", Do::play}, {R"({"do": "pause"})", Do::pause}, {R"({"do": "step"})", Do::step},
        {R"({"do": "restart"})", Do::restart}, {R"({"do": "speed", "value": 0.5})", Do::speed}, {R"({"do": "loop", "on": true})", Do::loop},
        {R"({"do": "seek", "frame": -3})", Do::seek}, {R"({"do": "field", "name": ""})", Do::field},
        {R"({"do": "set", "path": "gravity", "value": "0"})", Do::set},
        {R"({"do": "grab", "object": 1, "vertex": 2, "at": [1, 2, 3]})", Do::grab}, {R"({"do": "drag", "to": [0, 0, 0]})", Do::drag},
        {R"({"do": "release"})", Do::release}, {R"({"do": "hash"})", Do::hash}, {R"({"do": "window", "frames": 2})", Do::window},
        {R"({"do": "got", "serial": 9})", Do::got}};
    for (const auto& [text, what] : words) {
        const Result<ViewMessage> m = parse_view_message(text);
        ASSERT_TRUE(m) << text;
        EXPECT_EQ(m.value->what, what) << text;
    }
}

TEST(view_message, members_arrive) {
    const auto step = parse_view_message(R"({"do": "step", "count": 12, "steps": true})");
    ASSERT_TRUE(step);
    EXPECT_EQ(step.value->count, 12);
    EXPECT_TRUE(step.value->steps);
    const auto grab = parse_view_message(R"({"do": "grab", "object": 1, "vertex": 2, "at": [1, 2.5, -3]})");
    ASSERT_TRUE(grab);
    EXPECT_EQ(grab.value->object, 1);
    EXPECT_EQ(grab.value->vertex, 2);
    EXPECT_EQ(grab.value->at, (Real3{1, 2.5, -3}));
    const auto set = parse_view_message(R"({"do": "set", "path": "a.b", "value": "3 mm"})");
    ASSERT_TRUE(set);
    EXPECT_EQ(set.value->path, "a.b");
    EXPECT_EQ(set.value->value, "3 mm");
}

TEST(view_message, what_is_wrong_is_named) {
    EXPECT_NE(refusal(R"({"do": "pley"})").find("did you mean \"play\""), std::string::npos);
    EXPECT_NE(refusal(R"({"do": "step", "cout": 2})").find("count"), std::string::npos);
    EXPECT_NE(refusal(R"({"do": "seek"})").find("missing"), std::string::npos);
    EXPECT_NE(refusal(R"({"do": "seek", "frame": 1.5})").find("whole number"), std::string::npos);
    EXPECT_NE(refusal(R"({"do": "speed", "value": 1e9})").find("0 to 1000"), std::string::npos);
    for (const char* text : {"", "{", "[]", "7", R"({"do": null})", R"({"do": "join"})", R"({"do": "leave"})", R"({"do": "loop", "on": 1})",
                             R"({"do": "drag", "to": [1e300, 0, 0]})", R"({"do": "drag", "to": "here"})", R"({"do": "step", "count": 0})"})
        EXPECT_FALSE(refusal(text).empty()) << text;
    EXPECT_FALSE(refusal(std::string(kLargestViewMessage + 1, ' ')).empty());
    EXPECT_FALSE(refusal(std::string(60000, '[')).empty());
}

// whatever bytes come, there is an answer; seeds fixed
TEST(view_message, damaged_messages_are_answered) {
    const std::string whole = R"({"do": "grab", "object": 1, "vertex": 2, "at": [1, 2.5, -3e2]})";
    std::uint64_t state = 12345;
    const auto next = [&] { return state = state * 6364136223846793005u + 1442695040888963407u, state >> 33; };
    for (int i = 0; i < 20000; ++i) {
        std::string text = whole;
        for (int k = 0; k < 1 + int(next() % 4); ++k) text[next() % text.size()] = char(next());
        if (next() % 3 == 0) text.resize(next() % text.size());
        const Result<ViewMessage> m = parse_view_message(text);
        ASSERT_TRUE(m || !m.errors.empty()) << text;
    }
}
