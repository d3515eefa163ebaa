#include "geometry/gmsh_source.h"
#include <cstring>
#include <limits>

namespace sinew {

std::int64_t place_of(const GmshSource& s) { return s.binary ? std::int64_t(s.cursor.at) : s.cursor.line; }

bool fail_at(GmshSource& s, std::int64_t place, std::string value, std::string message) {
    if (!s.error)
        s.error = make_mesh_error(s.file, s.binary ? 0 : place, s.binary ? "byte " + std::to_string(place) : std::string(), std::move(value),
                                  std::move(message));
    return false;
}

bool fail(GmshSource& s, std::string value, std::string message, std::string allowed) {
    if (!s.error) {
        fail_at(s, place_of(s), std::move(value), std::move(message));
        s.error->allowed = std::move(allowed);
    }
    return false;
}

bool next_section(GmshSource& s, std::string_view& name) {
    std::string_view word;
    if (!next_word(s.cursor, word)) return false;
    if (word.size() < 2 || word[0] != '$') return fail(s, printable(word), "unexpected word", "the beginning of a section");
    name = word.substr(1);
    return true;
}

bool end_section(GmshSource& s, std::string_view name) {
    std::string_view word;
    const std::string expected = "$End" + std::string(name);
    if (!next_word(s.cursor, word)) return fail(s, {}, "the file ends where " + expected + " is expected");
    return word == expected || fail(s, printable(word), "unexpected word", expected);
}

bool skip_section(GmshSource& s, std::string_view name) {
    const std::string end = "$End" + std::string(name);
    const std::size_t at = s.cursor.text.find(end, s.cursor.at);
    if (at == std::string_view::npos) return fail(s, {}, "the section does not end", end);
    for (std::size_t i = s.cursor.at; i < at; ++i) s.cursor.line += s.cursor.text[i] == '\n';
    s.cursor.at = at;
    return true;
}

bool begin_data(GmshSource& s) {
    if (!s.binary) return true;
    const std::size_t end = s.cursor.text.find('\n', s.cursor.at);
    if (end == std::string_view::npos) return fail(s, {}, "the file ends where binary data is expected");
    s.cursor.at = end + 1;
    ++s.cursor.line;
    return true;
}

bool enough_left(GmshSource& s, std::size_t items) {
    const std::size_t left = s.cursor.text.size() - s.cursor.at;
    return items <= left || fail(s, std::to_string(items), "the file is too short for the declared number of items");
}

bool read_word_integer(GmshSource& s, std::int64_t& value) {
    std::string_view word;
    if (!next_word(s.cursor, word)) return fail(s, {}, "the file ends where an integer is expected");
    return parse_integer(word, value) || fail(s, printable(word), "not an integer");
}

bool read_word_count(GmshSource& s, std::int64_t& value) {
    if (!read_word_integer(s, value)) return false;
    if (value < 0) return fail(s, std::to_string(value), "not a count", "0 or more");
    return enough_left(s, std::size_t(value));
}

bool read_word_real(GmshSource& s, double& value) {
    std::string_view word;
    if (!next_word(s.cursor, word)) return fail(s, {}, "the file ends where a number is expected");
    switch (parse_real(word, value)) {
    case NumberStatus::ok: return true;
    case NumberStatus::not_finite: return fail(s, printable(word), "not a finite number");
    default: return fail(s, printable(word), "not a number");
    }
}

bool read_quoted(GmshSource& s, std::string& name) {
    const std::string_view line = rest_of_line(s.cursor);
    if (line.size() < 2 || line.front() != '"' || line.back() != '"') return fail(s, printable(line), "not a name in quotes");
    name = std::string(line.substr(1, line.size() - 2));
    return true;
}

namespace {
template <class T> bool read_bytes(GmshSource& s, T& value) {
    if (s.cursor.text.size() - s.cursor.at < sizeof(T)) return fail(s, {}, "the file ends inside binary data");
    std::memcpy(&value, s.cursor.text.data() + s.cursor.at, sizeof(T));
    s.cursor.at += sizeof(T);
    return true;
}
} // namespace

bool read_int(GmshSource& s, int& value) {
    if (s.binary) return read_bytes(s, value);
    std::int64_t wide;
    if (!read_word_integer(s, wide)) return false;
    if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()) return fail(s, std::to_string(wide), "too large a number");
    value = int(wide);
    return true;
}

bool read_size(GmshSource& s, std::size_t& value) {
    std::uint64_t bytes;
    if (s.binary) {
        if (!read_bytes(s, bytes)) return false;
    } else {
        std::int64_t wide;
        if (!read_word_integer(s, wide)) return false;
        if (wide < 0) return fail(s, std::to_string(wide), "not a count or tag", "0 or more");
        bytes = std::uint64_t(wide);
    }
    if (bytes > std::uint64_t(std::numeric_limits<std::int64_t>::max())) return fail(s, {}, "too large a number");
    value = std::size_t(bytes);
    return true;
}

bool read_real(GmshSource& s, double& value) {
    if (!s.binary) return read_word_real(s, value);
    if (!read_bytes(s, value)) return false;
    return std::isfinite(value) || fail(s, {}, "not a finite number");
}

} // namespace sinew
