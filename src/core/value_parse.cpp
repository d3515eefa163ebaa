// Reads JSON with // and /* */ comments and trailing commas (RFC 8259 otherwise). Recursive descent with a
// depth limit. Errors inside a string, a number or a set of keys, words without quotes and missing commas do not
// end the reading; other errors of structure do.
#include "core/value_parts.h"
#include "core/utf8.h"
#include "sinew/value.h"
#include <charconv>
#include <fmt/core.h>
#include <unordered_map>

namespace sinew {
namespace {

constexpr std::size_t kMaxErrors = 100; // a wrong file says enough

struct Parser {
    std::string_view text;
    std::shared_ptr<const std::string> file;
    std::size_t at = 0; // next byte
    int depth = 0;
    // line and column of byte `marked`; moves forward only, so that reading stays linear
    std::size_t marked = 0;
    int line = 1, column = 1;
    std::vector<Error> errors;
    std::vector<Place> broken; // values that could not be read as written; a null stands in
};

Place place_at(Parser& p, std::size_t offset) {
    if (offset < p.marked) { // rare: an error found while looking ahead
        p.marked = 0;
        p.line = p.column = 1;
    }
    for (; p.marked < offset; ++p.marked) {
        if (p.text[p.marked] == '\n') {
            ++p.line;
            p.column = 1;
        } else if (!utf8_continues(p.text[p.marked]))
            ++p.column;
    }
    return {p.file, p.line, p.column};
}

bool fail_parsing(Parser& p, const Place& place, std::string message, std::string value = {},
                  std::string allowed = {}) {
    if (p.errors.size() < kMaxErrors)
        p.errors.push_back({*p.file,
                            place.line,
                            place.column,
                            {},
                            std::move(value),
                            std::move(message),
                            std::move(allowed),
                            {}});
    return false;
}
bool fail_parsing(Parser& p, std::size_t offset, std::string message, std::string value = {},
                  std::string allowed = {}) {
    return fail_parsing(p, place_at(p, offset), std::move(message), std::move(value), std::move(allowed));
}

char peek(const Parser& p) { return p.at < p.text.size() ? p.text[p.at] : '\0'; }

// spaces and comments
bool skip_space(Parser& p) {
    for (;;) {
        const char c = peek(p);
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            ++p.at;
        } else if (p.text.substr(p.at, 2) == "//") {
            p.at = std::min(p.text.find('\n', p.at), p.text.size());
        } else if (p.text.substr(p.at, 2) == "/*") {
            const std::size_t end = p.text.find("*/", p.at + 2);
            if (end == std::string_view::npos) return fail_parsing(p, p.at, "comment without end", {}, "*/");
            p.at = end + 2;
        } else
            return true;
    }
}

int hex_digits(std::string_view s) { // four of them, -1 if not
    if (s.size() != 4) return -1;
    int value = 0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + 4, value, 16);
    return error == std::errc() && end == s.data() + 4 && s[0] != '-' ? value : -1;
}

// after the backslash
void parse_escape(Parser& p, std::string& out) {
    const std::size_t start = p.at - 1;
    const char c = peek(p);
    ++p.at;
    switch (c) {
    case '"':
    case '\\':
    case '/':
        out += c;
        return;
    case 'b':
        out += '\b';
        return;
    case 'f':
        out += '\f';
        return;
    case 'n':
        out += '\n';
        return;
    case 'r':
        out += '\r';
        return;
    case 't':
        out += '\t';
        return;
    case 'u':
        break;
    default:
        --p.at; // the character itself may be a line end or a quote
        fail_parsing(p, start, "unknown escape in a text", std::string(p.text.substr(start, 2)),
                     "\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
        return;
    }
    int code = hex_digits(p.text.substr(p.at, 4));
    if (code < 0) {
        fail_parsing(p, start, "\\u must be followed by four hexadecimal digits");
        return;
    }
    p.at += 4;
    if (code >= 0xd800 && code < 0xdc00 && p.text.substr(p.at, 2) == "\\u") { // a pair of surrogates
        const int low = hex_digits(p.text.substr(p.at + 2, 4));
        if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            p.at += 6;
        }
    }
    if (code == 0)
        fail_parsing(p, start, "the character \\u0000 is not allowed in a text");
    else if (code >= 0xd800 && code < 0xe000)
        fail_parsing(p, start, "\\u names half of a surrogate pair");
    else
        append_utf8(unsigned(code), out);
}

bool parse_text(Parser& p, std::string& out) {
    const std::size_t start = p.at++;
    for (;;) {
        if (p.at >= p.text.size()) return fail_parsing(p, start, "text without end", {}, "a closing \"");
        const unsigned char c = static_cast<unsigned char>(p.text[p.at]);
        if (c == '"') {
            ++p.at;
            return true;
        }
        if (c == '\n') return fail_parsing(p, start, "text without end on this line", {}, "a closing \"");
        if (c == '\\') {
            ++p.at;
            parse_escape(p, out);
        } else if (c < 0x20) {
            fail_parsing(p, p.at++, "control character " + std::to_string(int(c)) + " in a text", {},
                         "\\t, \\n, \\uXXXX");
        } else {
            const int length = utf8_length(p.text, p.at);
            if (length == 0) fail_parsing(p, p.at, "invalid UTF-8 in a text");
            out.append(p.text, p.at, std::size_t(std::max(1, length)));
            p.at += std::size_t(std::max(1, length));
        }
    }
}

bool word_character(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '+' || c == '-';
}

// number of characters of the longest JSON number at the start of s, 0 if there is none
std::size_t number_length(std::string_view s) {
    std::size_t i = 0;
    const auto digits = [&] {
        const std::size_t begin = i;
        while (i < s.size() && s[i] >= '0' && s[i] <= '9') ++i;
        return i - begin;
    };
    if (i < s.size() && s[i] == '-') ++i;
    const bool zero = i < s.size() && s[i] == '0';
    const std::size_t whole = digits();
    if (whole == 0 || (zero && whole > 1)) return 0;
    std::size_t end = i;
    if (i < s.size() && s[i] == '.') {
        ++i;
        if (!digits()) return end;
        end = i;
    }
    if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
        ++i;
        if (i < s.size() && (s[i] == '+' || s[i] == '-')) ++i;
        if (!digits()) return end;
        end = i;
    }
    return end;
}

// numbers, true, false, null, and what was meant by other words
bool parse_word(Parser& p, Value& v) {
    const std::size_t start = p.at;
    while (word_character(peek(p))) ++p.at;
    const std::string_view word = p.text.substr(start, p.at - start);
    if (word == "true" || word == "false") {
        v.kind = Value::Kind::boolean;
        v.boolean = word == "true";
        return true;
    }
    if (word == "null") return true;
    if (number_length(word) == word.size()) {
        v.kind = Value::Kind::number;
        v.text = word;
        if (std::from_chars(word.data(), word.data() + word.size(), v.number).ec == std::errc()) return true;
        const Place place = v.place;
        v = {};
        v.place = place;
        p.broken.push_back(v.place); // the document goes on
        fail_parsing(p, start, "number out of the range of double precision", shorten_utf8(word, 40),
                     "0 and magnitudes from 5e-324 to 1.797e308");
        return true;
    }
    p.broken.push_back(v.place);
    const std::string shown = shorten_utf8(word, 40);
    const std::string_view bare = word.substr(word[0] == '-' || word[0] == '+' ? 1 : 0);
    const char c = bare.empty() ? '\0' : bare[0];
    if (bare == "NaN" || bare == "nan" || bare == "Infinity" || bare == "inf" || bare == "Inf" || bare == "infinity")
        fail_parsing(p, start, "not a finite number", shown);
    else if (c == '.' || (c >= '0' && c <= '9'))
        fail_parsing(p, start,
                     "not a number (a number has digits before and after its point, no leading zeros, no leading +)",
                     shown, "numbers such as -0.5, 12, 3e-4; units go into quotes: \"3 mm\"");
    else
        fail_parsing(p, start, "unknown word without quotes", shown, "true, false, null, or a text in double quotes");
    return true;
}

bool parse_any(Parser& p, Value& v);

// after `open`; calls item() for each entry; accepts a trailing comma
template <class F> bool parse_list(Parser& p, std::size_t open, char close, const char* what, F&& item) {
    if (++p.depth > kMaxNesting)
        return fail_parsing(p, open, "nested too deeply", {}, "at most " + std::to_string(kMaxNesting) + " levels");
    for (;;) {
        if (!skip_space(p)) return false;
        if (peek(p) == close) break;
        if (p.at >= p.text.size())
            return fail_parsing(p, open, fmt::format("{} without end", what), {}, fmt::format("a closing {}", close));
        if (!item() || !skip_space(p)) return false;
        if (peek(p) == ',') {
            ++p.at;
            continue;
        }
        if (peek(p) == close) break;
        if (p.at >= p.text.size())
            return fail_parsing(p, open, fmt::format("{} without end", what), {}, fmt::format("a closing {}", close));
        fail_parsing(p, p.at, fmt::format("unexpected character in an {}", what), shorten_utf8(p.text.substr(p.at, 12), 4),
                     fmt::format(", or {}", close));
        // where the next entry begins, only a comma is missing
        const char c = peek(p);
        const bool value = c == '{' || c == '[' || c == '-' || (c >= '0' && c <= '9');
        if (c != '"' && (close == '}' || !value)) return false;
    }
    ++p.at;
    --p.depth;
    return true;
}

bool parse_array(Parser& p, Value& v) {
    v.kind = Value::Kind::array;
    return parse_list(p, p.at++, ']', "array", [&] { return parse_any(p, v.items.emplace_back()); });
}

bool parse_object(Parser& p, Value& v) {
    v.kind = Value::Kind::object;
    std::unordered_map<std::string, int> lines; // of the keys seen so far
    return parse_list(p, p.at++, '}', "object", [&] {
        Member m;
        m.place = place_at(p, p.at);
        if (peek(p) != '"') {
            fail_parsing(p, m.place, "a name in double quotes is expected here",
                         shorten_utf8(p.text.substr(p.at, 80), 12), "\"name\": value");
            while (word_character(peek(p))) m.key += p.text[p.at++];
            if (m.key.empty()) return false;
        } else if (!parse_text(p, m.key))
            return false;
        if (!skip_space(p)) return false;
        if (peek(p) != ':')
            return fail_parsing(p, p.at, "a colon is expected after the name \"" + shorten_utf8(m.key, 40) + '"', {},
                                ":");
        ++p.at;
        if (!skip_space(p) || !parse_any(p, m.value)) return false;
        const auto [known, fresh] = lines.try_emplace(m.key, m.place.line);
        if (fresh)
            v.members.push_back(std::move(m));
        else
            fail_parsing(p, m.place,
                         "the name \"" + shorten_utf8(m.key, 40) + "\" is given twice; the first is at line " +
                     std::to_string(known->second));
        return true;
    });
}

bool parse_any(Parser& p, Value& v) {
    v.place = place_at(p, p.at);
    const char c = peek(p);
    if (c == '{') return parse_object(p, v);
    if (c == '[') return parse_array(p, v);
    if (c == '"') {
        v.kind = Value::Kind::text;
        const std::size_t before = p.errors.size();
        const bool ended = parse_text(p, v.text);
        if (p.errors.size() > before) p.broken.push_back(v.place);
        return ended;
    }
    if (word_character(c)) return parse_word(p, v);
    if (p.at >= p.text.size()) return fail_parsing(p, p.at, "the file ends where a value is expected");
    if (c == '\'') {
        fail_parsing(p, p.at, "a text needs double quotes", "'", "\"text\"");
        const std::size_t end = p.text.find_first_of("'\n", p.at + 1);
        if (end == std::string_view::npos || p.text[end] != '\'') return false;
        p.broken.push_back(v.place);
        p.at = end + 1;
        return true;
    }
    return fail_parsing(p, p.at, "a value is expected here", shorten_utf8(p.text.substr(p.at, 12), 4),
                        "number, \"text\", true, false, null, [array], {object}");
}

} // namespace

ValueParts parse_value_parts(std::string_view text, std::string_view file_name) {
    Parser p;
    p.text = text;
    p.file = std::make_shared<const std::string>(file_name);
    if (text.substr(0, 3) == "\xef\xbb\xbf") p.at = 3; // byte order mark
    ValueParts result;
    if (skip_space(p) && parse_any(p, result.value) && skip_space(p)) {
        result.usable = p.at >= text.size();
        if (!result.usable)
            fail_parsing(p, p.at, "text after the end of the document", shorten_utf8(text.substr(p.at, 80), 12));
    }
    result.usable = result.usable && p.errors.size() < kMaxErrors;
    result.errors = std::move(p.errors);
    result.broken = std::move(p.broken);
    return result;
}

Result<Value> parse_value(std::string_view text, std::string_view file_name) {
    ValueParts parts = parse_value_parts(text, file_name);
    Result<Value> result;
    result.errors = std::move(parts.errors);
    if (result.errors.empty()) result.value = std::move(parts.value);
    return result;
}

} // namespace sinew
