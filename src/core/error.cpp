#include "core/error.h"
#include <set>

namespace sinew {

std::string to_string(const Error& e) {
    std::string s = e.file;
    if (e.line > 0) {
        s += (s.empty() ? "line " : ":") + std::to_string(e.line);
        if (e.column > 0) s += ':' + std::to_string(e.column);
    }
    const auto part = [&](const std::string& text) {
        if (!text.empty()) s += (s.empty() ? "" : ": ") + text;
    };
    part(e.path.empty() || e.value.empty() ? e.path + e.value : e.path + " = " + e.value);
    part(e.message);
    std::string hint;
    if (!e.allowed.empty()) hint = "allowed: " + e.allowed;
    if (!e.nearest.empty())
        hint += (hint.empty() ? "did you mean \"" : "; did you mean \"") + e.nearest + "\"?";
    if (!hint.empty()) s += " (" + hint + ')';
    return s;
}

static Error error_at(const Place& place, std::string_view path, std::string message, std::string allowed,
                      std::string nearest) {
    Error e;
    if (place.file) e.file = *place.file;
    e.line = place.line;
    e.column = place.column;
    e.path = path;
    e.message = std::move(message);
    e.allowed = std::move(allowed);
    e.nearest = std::move(nearest);
    return e;
}

Error make_error(const Value& at, std::string_view path, std::string message, std::string allowed,
                 std::string nearest) {
    Error e = error_at(at.place, path, std::move(message), std::move(allowed), std::move(nearest));
    e.value = summarise(at);
    return e;
}

Error make_error(const Member& at, std::string_view path, std::string message, std::string allowed,
                 std::string nearest) {
    return error_at(at.place, path, std::move(message), std::move(allowed), std::move(nearest));
}

Value text_at(std::string_view text, const Place& place) {
    Value v = make_text(text);
    v.place = place;
    return v;
}

static constexpr std::string_view kCommandLine = "command line (";
Place command_line_place(std::string_view option) {
    return {std::make_shared<const std::string>(std::string(kCommandLine) + std::string(option) + ")"), 0, 0};
}
bool is_command_line(const Place& p) { return p.file && p.file->starts_with(kCommandLine); }

Place place_of(const Value& object, std::string_view key) {
    for (const Member& m : object.members)
        if (m.key == key) return m.place;
    return object.place;
}

void remove_duplicates(std::vector<Error>& errors) {
    std::set<std::string> seen;
    std::erase_if(errors, [&](const Error& e) {
        // without a place the path and the value tell them apart
        return !seen.insert(e.line == 0 ? to_string(e)
                                        : e.file + ':' + std::to_string(e.line) + ':' +
                                              std::to_string(e.column) + ':' + e.message)
                    .second;
    });
}

std::string join_path(std::string_view path, std::string_view key) {
    std::string s(path);
    if (!s.empty()) s += '.';
    return s += key;
}

std::string join_path(std::string_view path, int index) {
    return std::string(path) + '[' + std::to_string(index) + ']';
}

} // namespace sinew
