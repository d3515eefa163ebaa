#include "geometry/read_heights.h"
#include "core/file.h"
#include "geometry/text_cursor.h"
#include <cctype>

namespace sinew {

namespace {

Result<HeightGrid> fail_at_line(std::string_view file, std::int64_t line, std::string value, std::string message, std::string allowed = {}) {
    Result<HeightGrid> r;
    r.errors.push_back(make_mesh_error(file, line, {}, std::move(value), std::move(message), std::move(allowed)));
    return r;
}

// Whole numbers of a PGM's head and of a plain one's picture; `at` stays behind the digits.
struct PgmCursor {
    std::string_view text;
    std::size_t at = 2; // behind P2 or P5
    std::int64_t line = 1;

    // blanks and comments, then digits; false if there are none or they are too large
    bool next(std::int64_t& value) {
        for (; at < text.size(); ++at) {
            if (text[at] == '#') at = std::min(text.find('\n', at), text.size());
            if (at == text.size()) break;
            if (text[at] == '\n') ++line;
            else if (!std::isspace(static_cast<unsigned char>(text[at]))) break;
        }
        std::size_t end = at;
        while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
        const bool found = end > at && end - at < 10 && parse_integer(text.substr(at, end - at), value);
        at = end;
        return found;
    }
};

Result<HeightGrid> check_size(std::string_view file, std::int64_t line, std::int64_t nx, std::int64_t nz) {
    const std::string size = std::to_string(nx) + " x " + std::to_string(nz);
    if (nx < 2 || nz < 2) return fail_at_line(file, line, size, "too few heights", "at least 2 x 2");
    if (nx > kMostHeights / nz) return fail_at_line(file, line, size, "too many heights", "at most " + std::to_string(kMostHeights));
    return {};
}

Result<HeightGrid> parse_pgm(std::string_view bytes, std::string_view file, bool binary) {
    PgmCursor c{bytes};
    std::int64_t nx = 0, nz = 0, white = 0;
    if (!c.next(nx) || !c.next(nz) || !c.next(white)) return fail_at_line(file, c.line, {}, "not a PGM picture: width, height and white are expected");
    if (Result<HeightGrid> size = check_size(file, c.line, nx, nz); !size.errors.empty()) return size;
    if (white < 1 || white > 65535) return fail_at_line(file, c.line, std::to_string(white), "white is out of range", "1 to 65535");
    Result<HeightGrid> r;
    HeightGrid& g = r.value.emplace();
    g.nx = int(nx), g.nz = int(nz), g.image = true;
    const std::size_t count = std::size_t(nx * nz), wide = white > 255 ? 2 : 1;
    const std::size_t first = c.at + 1; // one blank after the head
    if (binary && (first > bytes.size() || bytes.size() - first < count * wide))
        return fail_at_line(file, 0, std::to_string(bytes.size()) + " bytes", "the file is too short for its picture",
                            std::to_string(first + count * wide) + " bytes");
    for (std::size_t k = 0; k < count; ++k) {
        std::int64_t v = 0;
        const auto byte = [&](std::size_t i) { return std::int64_t(static_cast<unsigned char>(bytes[first + i])); };
        if (binary) v = wide == 2 ? 256 * byte(2 * k) + byte(2 * k + 1) : byte(k);
        else if (!c.next(v)) return fail_at_line(file, c.line, {}, "number " + std::to_string(k) + " of the picture is missing or not a whole number");
        if (v > white) return fail_at_line(file, binary ? 0 : c.line, std::to_string(v), "brighter than white", "0 to " + std::to_string(white));
        g.height.push_back(double(v) / double(white));
    }
    return r;
}

Result<HeightGrid> parse_rows(std::string_view bytes, std::string_view file) {
    std::string text(bytes);
    for (char& c : text)
        if (c == ',' || c == ';') c = ' ';
    TextCursor c{text};
    Result<HeightGrid> r;
    HeightGrid& g = r.value.emplace();
    do {
        std::string_view word;
        int found = 0;
        const std::int64_t line = c.line;
        while (next_word_on_line(c, word)) {
            if (word.front() == '#') break;
            double value = 0;
            if (parse_real(word, value) != NumberStatus::ok) return fail_at_line(file, line, printable(word), "a height must be a finite number");
            if (std::int64_t(g.height.size()) == kMostHeights)
                return fail_at_line(file, line, {}, "too many heights", "at most " + std::to_string(kMostHeights));
            g.height.push_back(value);
            ++found;
        }
        if (found == 0) continue;
        if (g.nz > 0 && found != g.nx)
            return fail_at_line(file, line, std::to_string(found) + " numbers", "rows must be equally long", std::to_string(g.nx) + ", as in the first row");
        g.nx = found, ++g.nz;
    } while (next_line(c));
    if (Result<HeightGrid> size = check_size(file, 0, g.nx, g.nz); !size.errors.empty()) return size;
    return r;
}

} // namespace

Result<HeightGrid> parse_heights(std::string_view bytes, std::string_view file) {
    const bool pgm = bytes.size() > 2 && bytes[0] == 'P' && (bytes[1] == '2' || bytes[1] == '5');
    return pgm ? parse_pgm(bytes, file, bytes[1] == '5') : parse_rows(bytes, file);
}

Result<HeightGrid> read_heights(const std::string& file) {
    Bytes bytes;
    Result<HeightGrid> r;
    r.errors = read_file(file, 1u << 30, bytes);
    if (!r.errors.empty()) return r;
    return parse_heights({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
}

} // namespace sinew
