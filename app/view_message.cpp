#include "view_message.h"
#include "core/error.h"
#include "core/nearest.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

using Do = ViewMessage::Do;

// a member of a message: into whole, real, word, flag or place
struct MessageKey {
    const char* name;
    int ViewMessage::*whole = nullptr;
    double ViewMessage::*real = nullptr;
    std::string ViewMessage::*word = nullptr;
    bool ViewMessage::*flag = nullptr;
    Real3 ViewMessage::*place = nullptr;
    double low = 0, high = 0;
    bool needed = true;
};
struct MessageRow {
    const char* word;
    Do what;
    std::vector<MessageKey> keys;
};

const std::vector<MessageRow>& message_rows() {
    using M = ViewMessage;
    constexpr double kMost = 2e9;
    static const std::vector<MessageRow> rows{
        {"play", Do::play, {}},
        {"pause", Do::pause, {}},
        {"step", Do::step, {{.name = "count", .whole = &M::count, .low = 1, .high = 1e6, .needed = false},
                            {.name = "steps", .flag = &M::steps, .needed = false}}},
        {"restart", Do::restart, {}},
        {"speed", Do::speed, {{.name = "value", .real = &M::speed, .low = 0, .high = 1000}}},
        {"loop", Do::loop, {{.name = "on", .flag = &M::on}}},
        {"seek", Do::seek, {{.name = "frame", .whole = &M::count, .low = -kMost, .high = kMost}}},
        {"field", Do::field, {{.name = "name", .word = &M::path}}},
        {"set", Do::set, {{.name = "path", .word = &M::path}, {.name = "value", .word = &M::value}}},
        {"grab", Do::grab, {{.name = "object", .whole = &M::object, .low = 0, .high = kMost},
                            {.name = "vertex", .whole = &M::vertex, .low = 0, .high = kMost},
                            {.name = "at", .place = &M::at}}},
        {"drag", Do::drag, {{.name = "to", .place = &M::at}}},
        {"release", Do::release, {}},
        {"hash", Do::hash, {}},
        {"window", Do::window, {{.name = "frames", .whole = &M::count, .low = 0, .high = 1000}}},
        {"got", Do::got, {{.name = "serial", .whole = &M::count, .low = 0, .high = kMost}}},
    };
    return rows;
}

std::string range_text(const MessageKey& k) {
    return (k.whole ? "a whole number from " : "a number from ") + write_number(k.low) + " to " + write_number(k.high);
}

bool read_place(const Value& v, Real3& out) {
    if (v.kind != Value::Kind::array || v.items.size() != 3) return false;
    for (int i = 0; i < 3; ++i) {
        if (v.items[i].kind != Value::Kind::number || !(std::abs(v.items[i].number) < 1e9)) return false;
        out[i] = v.items[i].number;
    }
    return true;
}

void read_key(const MessageKey& k, const Value& v, ViewMessage& out, std::vector<Error>& errors) {
    const auto wrong = [&](const std::string& allowed) { errors.push_back(make_error(v, k.name, "not what is expected here", allowed)); };
    if (k.whole || k.real) {
        const bool fits = v.kind == Value::Kind::number && v.number >= k.low && v.number <= k.high;
        if (!fits || (k.whole && v.number != std::floor(v.number))) return wrong(range_text(k));
        if (k.whole) out.*k.whole = int(v.number);
        else out.*k.real = v.number;
    } else if (k.flag) {
        if (v.kind != Value::Kind::boolean) return wrong("true or false");
        out.*k.flag = v.boolean;
    } else if (k.place) {
        if (!read_place(v, out.*k.place)) wrong("three numbers, in metres");
    } else {
        if (v.kind != Value::Kind::text) return wrong("text");
        out.*k.word = v.text;
    }
}

} // namespace

Result<ViewMessage> parse_view_message(std::string_view text) {
    if (text.size() > kLargestViewMessage) return {std::nullopt, {Error{.message = "the message is too long"}}};
    const Result<Value> parsed = parse_value(text, "message");
    if (!parsed) return {std::nullopt, parsed.errors};
    std::vector<std::string> words;
    for (const MessageRow& r : message_rows()) words.push_back(r.word);
    const Value* word = find(*parsed.value, "do");
    if (!word || word->kind != Value::Kind::text)
        return {std::nullopt, {make_error(*parsed.value, "do", "a message is an object that says what to do", list_words(words))}};
    const auto row = std::find_if(message_rows().begin(), message_rows().end(), [&](const MessageRow& r) { return r.word == word->text; });
    if (row == message_rows().end())
        return {std::nullopt, {make_error(*word, "do", "nothing of this name can be done", list_words(words), find_nearest(word->text, words))}};

    ViewMessage out;
    out.what = row->what;
    out.word = row->word;
    std::vector<Error> errors;
    std::vector<std::string> known{"do"};
    for (const MessageKey& k : row->keys) {
        known.push_back(k.name);
        if (const Value* v = find(*parsed.value, k.name)) read_key(k, *v, out, errors);
        else if (k.needed) errors.push_back(make_error(*parsed.value, k.name, "is missing"));
    }
    for (const Member& m : parsed.value->members)
        if (std::find(known.begin(), known.end(), m.key) == known.end())
            errors.push_back(make_error(m, m.key, "is not known here", list_words(known), find_nearest(m.key, known)));
    if (!errors.empty()) return {std::nullopt, std::move(errors)};
    return {std::move(out), {}};
}

} // namespace sinew
