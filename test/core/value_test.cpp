#include "sinew/value.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sinew;

static Value parsed(std::string_view text) {
    auto r = parse_value(text, "f.json");
    for (const Error& e : r.errors) ADD_FAILURE() << to_string(e);
    return r.value.value_or(Value{});
}
static std::string first_error(std::string_view text) {
    const auto r = parse_value(text, "f.json");
    EXPECT_FALSE(r.value.has_value()) << text;
    return r.errors.empty() ? std::string() : to_string(r.errors[0]);
}

TEST(value, all_kinds_are_read_in_order_with_comments_and_trailing_commas) {
    const Value v = parsed("\xef\xbb\xbf// head\n{ \"b\": [1, -2.5e3, true, false, null,], /* in\nside */ "
                           "\"a\": \"x\\u00e9\\n\\ud83d\\ude00\", }\n// end");
    ASSERT_EQ(v.members.size(), 2u);
    EXPECT_EQ(v.members[0].key, "b");
    EXPECT_EQ(v.members[1].key, "a");
    const Value& b = *find(v, "b");
    EXPECT_EQ(b, make_array({make_number(1), make_number(-2500), make_boolean(true), make_boolean(false),
                             make_null()}));
    EXPECT_EQ(find(v, "a")->text, "x\xc3\xa9\n\xf0\x9f\x98\x80");
    EXPECT_EQ(find(v, "c"), nullptr);
}

TEST(value, places_count_lines_and_characters) {
    const Value v = parsed("{\n  \"\xc3\xa9\xc3\xa9\": 1,\r\n  \"z\": [true, {\"q\": \"\xc3\xa9\"}]\n}");
    EXPECT_EQ(v.members[0].value.place.line, 2);
    EXPECT_EQ(v.members[0].value.place.column, 9); // é counts once
    EXPECT_EQ(v.members[1].place.line, 3);
    EXPECT_EQ(v.members[1].place.column, 3);
    EXPECT_EQ(v.members[1].value.items[1].members[0].value.place.column, 21);
    EXPECT_EQ(*v.place.file, "f.json");
}

TEST(value, what_is_wrong_is_said_with_line_and_column) {
    const struct {
        std::string text, place, fragment;
    } cases[] = {
        {"", "1:1", "the file ends where a value"},
        {"   // only a comment", "1:21", "the file ends"},
        {"{\"a\": 1", "1:1", "object without end"},
        {"{\"a\": [1, 2", "1:7", "array without end"},
        {"{\"a\" 1}", "1:6", "a colon is expected"},
        {"{\"a\": }", "1:7", "a value is expected"},
        {"{a: 1}", "1:2", "a name in double quotes"},
        {"{\"a\": 'x'}", "1:7", "double quotes"},
        {"{\"a\": 1 \"b\": 2}", "1:9", "unexpected character"},
        {"[1,,2]", "1:4", "a value is expected"},
        {"[1] 2", "1:5", "text after the end"},
        {"\n\n  [NaN]", "3:4", "not a finite number"},
        {"[-Infinity]", "1:2", "not a finite number"},
        {"[1e400]", "1:2", "out of the range"},
        {"[1e-400]", "1:2", "out of the range"},
        {"[01]", "1:2", "not a number"},
        {"[1.]", "1:2", "not a number"},
        {"[.5]", "1:2", "not a number"},
        {"[+1]", "1:2", "not a number"},
        {"[0x10]", "1:2", "not a number"},
        {"[3 mm]", "1:4", "unexpected character"},
        {"[3mm]", "1:2", "units go into quotes"},
        {"[yes]", "1:2", "unknown word"},
        {"[\"a\\q\"]", "1:4", "unknown escape"},
        {"[\"\\u12g4\"]", "1:3", "four hexadecimal digits"},
        {"[\"\\u-123\"]", "1:3", "four hexadecimal digits"},
        {"[\"\\ud800x\"]", "1:3", "surrogate"},
        {"[\"\\udc00\"]", "1:3", "surrogate"},
        {"[\"\\u0000\"]", "1:3", "u0000"},
        {"[\"a\x01\"]", "1:4", "control character 1"},
        {"[\"abc\n\"]", "1:2", "text without end"},
        {"[\"abc", "1:2", "text without end"},
        {"[\"abc\\", "1:6", "unknown escape"},
        {"[\"\xff\"]", "1:3", "invalid UTF-8"},
        {"[\"\xc0\xaf\"]", "1:3", "invalid UTF-8"},
        {"[\"\xed\xa0\x80\"]", "1:3", "invalid UTF-8"},
        {"[\"\xf4\x90\x80\x80\"]", "1:3", "invalid UTF-8"},
        {"/* open", "1:1", "comment without end"},
    };
    for (const auto& c : cases) {
        const std::string e = first_error(c.text);
        EXPECT_EQ(e.substr(0, 7 + c.place.size()), "f.json:" + c.place) << c.text << "\n" << e;
        EXPECT_NE(e.find(c.fragment), std::string::npos) << c.text << "\n" << e;
    }
}

TEST(value, duplicate_keys_and_bad_numbers_are_all_reported_at_once) {
    const auto r =
        parse_value("{\"a\": 1,\n \"a\": 2,\n \"b\": [1e999, nan],\n \"a\": {\"c\": 1, \"c\": 2}}", "f.json");
    ASSERT_EQ(r.errors.size(), 5u);
    EXPECT_EQ(to_string(r.errors[0]), "f.json:2:2: the name \"a\" is given twice; the first is at line 1");
    EXPECT_EQ(r.errors[1].line, 3);
    EXPECT_EQ(r.errors[2].line, 3);
    EXPECT_EQ(r.errors[3].column, 16);
}

TEST(value, deep_nesting_is_refused_and_never_overflows_the_stack) {
    const auto nested = [](int n) { return std::string(n, '[') + std::string(n, ']'); };
    EXPECT_TRUE(parse_value(nested(kMaxNesting), "f").value.has_value());
    EXPECT_NE(first_error(nested(kMaxNesting + 1)).find("nested too deeply"), std::string::npos);
    EXPECT_NE(first_error(std::string(3000000, '[')).find("at most 200 levels"), std::string::npos);
    std::string objects;
    for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
    EXPECT_NE(first_error(objects).find("nested too deeply"), std::string::npos);
}

TEST(value, long_documents_on_one_line_are_read_whole) {
    // one line, many keys, many places: each of these has made parsers quadratic, which would not end here
    const int n = 400000;
    std::string text = "{";
    for (int i = 0; i < n; ++i) text += "\"key" + std::to_string(i) + "\": [1, 2, \"x\"],";
    text += "}";
    const Result<Value> read = parse_value(text, "f");
    ASSERT_TRUE(read.value.has_value());
    EXPECT_EQ(int(read.value->members.size()), n);
    EXPECT_EQ(read.value->members.back().value.place.line, 1);
}

TEST(value, a_document_is_written_back_without_loss) {
    const char* text = "{ \"a\": [1.50, 1e-3, -0.0, 123456789012345678901], \"s\": \"q\\\"\\\\\\n\\u0001é\", "
                       "\"o\": {}, \"l\": [], "
                       "\"n\": null, \"t\": true, \"deep\": { \"long\": [ [100, 200, 300, 400, 500, 600, "
                       "700, 800, 900, 1000], "
                       "[100, 200, 300, 400, 500, 600, 700, 800, 900, 1000], { \"x\": [false] } ] } }";
    const Value v = parsed(text);
    for (int indent : {0, 1, 2, 4}) {
        const std::string out = write_value(v, indent);
        EXPECT_EQ(parsed(out), v) << out;
        EXPECT_NE(out.find("1.50"), std::string::npos);
        EXPECT_NE(out.find("123456789012345678901"), std::string::npos);
        EXPECT_EQ(write_value(parsed(out), indent), out); // writing is stable
    }
    EXPECT_EQ(write_value(v, 0).find('\n'), std::string::npos);
}

TEST(value, numbers_made_by_the_program_read_back_to_the_same_double) {
    for (double x : {0.1, 1.0 / 3, 1e308, 5e-324, -0.0, 123456.75, 1e21}) {
        const Value v = parsed(write_value(make_number(x), 0));
        EXPECT_EQ(v.number, x);
        EXPECT_EQ(std::signbit(v.number), std::signbit(x));
    }
}

TEST(value, set_replaces_in_place_or_appends_and_erase_removes) {
    Value v = make_object({{"a", make_number(1), {}}, {"b", make_number(2), {}}});
    set(v, "a", make_text("x"));
    set(v, "c", make_boolean(true));
    EXPECT_EQ(write_value(v, 0), "{ \"a\": \"x\", \"b\": 2, \"c\": true }");
    EXPECT_TRUE(erase(v, "b"));
    EXPECT_FALSE(erase(v, "b"));
    EXPECT_EQ(write_value(v, 0), "{ \"a\": \"x\", \"c\": true }");
}

TEST(value, a_summary_is_short_and_keeps_whole_characters) {
    EXPECT_EQ(summarise(parsed("[1, 2]")), "[1, 2]");
    EXPECT_EQ(summarise(parsed("\"éééééééééé\""), 8), "\"éééé...");
}
