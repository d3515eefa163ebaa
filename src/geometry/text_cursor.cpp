#include "geometry/text_cursor.h"
#include "core/utf8.h"
#include <algorithm>
#include <charconv>
#include <limits>
#include <locale>
#include <sstream>

namespace sinew {

namespace {
bool is_line_end(char c) { return c == '\n' || c == '\r'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

void pass_line_end(TextCursor& c) {
    if (c.text[c.at] == '\r' && c.at + 1 < c.text.size() && c.text[c.at + 1] == '\n') ++c.at;
    ++c.at;
    ++c.line;
}

bool is_continuation(const TextCursor& c, std::size_t at) {
    return c.obj && c.text[at] == '\\' && at + 1 < c.text.size() && is_line_end(c.text[at + 1]);
}

void skip_blanks(TextCursor& c) {
    while (c.at < c.text.size()) {
        if (is_blank(c.text[c.at])) {
            ++c.at;
        } else if (is_continuation(c, c.at)) {
            ++c.at;
            pass_line_end(c);
        } else if (c.obj && c.text[c.at] == '#') {
            while (c.at < c.text.size() && !is_line_end(c.text[c.at])) ++c.at;
        } else {
            return;
        }
    }
}
} // namespace

bool next_word_on_line(TextCursor& c, std::string_view& word) {
    skip_blanks(c);
    const std::size_t begin = c.at;
    while (c.at < c.text.size() && !is_blank(c.text[c.at]) && !is_line_end(c.text[c.at]) &&
           !is_continuation(c, c.at))
        ++c.at;
    word = c.text.substr(begin, c.at - begin);
    return !word.empty();
}

bool next_word(TextCursor& c, std::string_view& word) {
    while (!next_word_on_line(c, word)) {
        if (c.at >= c.text.size()) return false;
        pass_line_end(c);
    }
    return true;
}

bool next_line(TextCursor& c) {
    if (c.at >= c.text.size()) return false;
    while (c.at < c.text.size() && !is_line_end(c.text[c.at])) ++c.at;
    if (c.at < c.text.size()) pass_line_end(c);
    return true;
}

std::string_view rest_of_line(TextCursor& c) {
    skip_blanks(c);
    const std::size_t begin = c.at;
    while (c.at < c.text.size() && !is_line_end(c.text[c.at])) ++c.at;
    std::size_t end = c.at;
    while (end > begin && is_blank(c.text[end - 1])) --end;
    return c.text.substr(begin, end - begin);
}

NumberStatus parse_real(std::string_view word, double& value) {
    if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
    const char* end = word.data() + word.size();
    const auto r = std::from_chars(word.data(), end, value);
    if (r.ptr != end || r.ec == std::errc::invalid_argument) return NumberStatus::not_a_number;
    if (r.ec == std::errc::result_out_of_range) {
        // too small counts as what it rounds to, too large is an error; the stream tells them apart
        std::istringstream in{std::string(word)};
        in.imbue(std::locale::classic());
        if (!(in >> value) || std::abs(value) > 1) return NumberStatus::not_finite;
        return NumberStatus::ok;
    }
    return std::isfinite(value) ? NumberStatus::ok : NumberStatus::not_finite;
}

bool parse_integer(std::string_view word, std::int64_t& value) {
    if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
    const char* end = word.data() + word.size();
    const auto r = std::from_chars(word.data(), end, value);
    return r.ec == std::errc() && r.ptr == end;
}

std::string printable(std::string_view word) {
    std::string s;
    for (std::size_t i = 0; i < word.size() && s.size() < 200;) {
        const int length = utf8_length(word, i);
        const bool control = length == 1 && (static_cast<unsigned char>(word[i]) < 0x20 || word[i] == 0x7f);
        if (length == 0 || control)
            s += '?';
        else
            s += word.substr(i, length);
        i += std::size_t(std::max(length, 1));
    }
    return shorten_utf8(s, 40);
}

Error make_mesh_error(std::string_view file, std::int64_t line, std::string path, std::string value,
                      std::string message, std::string allowed) {
    Error e;
    e.file = std::string(file);
    e.line = int(std::min<std::int64_t>(line, std::numeric_limits<int>::max()));
    e.path = std::move(path);
    e.value = std::move(value);
    e.message = std::move(message);
    e.allowed = std::move(allowed);
    return e;
}

} // namespace sinew
