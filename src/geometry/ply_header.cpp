#include "geometry/ply_header.h"
#include "geometry/text_cursor.h"
#include <algorithm>

namespace sinew {

namespace {
constexpr std::size_t kMaxNames = 1000; // elements and properties of one header

struct HeaderReader {
    std::string_view file;
    TextCursor cursor;
    PlyHeader header;
    std::optional<Error> error;
    bool has_format = false;
    std::size_t name_count = 0;
};

bool fail(HeaderReader& r, std::string_view value, std::string message, std::string allowed = {}) {
    r.error =
        make_mesh_error(r.file, r.cursor.line, {}, printable(value), std::move(message), std::move(allowed));
    return false;
}

bool read_type(HeaderReader& r, PlyType& type) {
    static constexpr std::pair<std::string_view, PlyType> kTypes[] = {
        {"char", PlyType::i8},    {"uchar", PlyType::u8},   {"short", PlyType::i16},
        {"ushort", PlyType::u16}, {"int", PlyType::i32},    {"uint", PlyType::u32},
        {"float", PlyType::f32},  {"double", PlyType::f64}, {"int8", PlyType::i8},
        {"uint8", PlyType::u8},   {"int16", PlyType::i16},  {"uint16", PlyType::u16},
        {"int32", PlyType::i32},  {"uint32", PlyType::u32}, {"float32", PlyType::f32},
        {"float64", PlyType::f64}};
    std::string_view word;
    next_word_on_line(r.cursor, word);
    for (const auto& [name, t] : kTypes)
        if (name == word) return type = t, true;
    return fail(r, word, "unknown type of a property",
                "char, uchar, short, ushort, int, uint, float, double, int8 ... float64");
}

bool read_format(HeaderReader& r) {
    std::string_view word;
    next_word_on_line(r.cursor, word);
    if (word == "ascii")
        r.header.format = PlyFormat::ascii;
    else if (word == "binary_little_endian")
        r.header.format = PlyFormat::little;
    else if (word == "binary_big_endian")
        r.header.format = PlyFormat::big;
    else
        return fail(r, word, "unknown PLY format", "ascii, binary_little_endian, binary_big_endian");
    if (r.has_format) return fail(r, word, "the format is given twice");
    r.has_format = true;
    next_word_on_line(r.cursor, word);
    if (word != "1.0") return fail(r, word, "unknown PLY version", "1.0");
    return true;
}

bool read_element(HeaderReader& r) {
    std::string_view name, count;
    PlyElement e;
    if (!next_word_on_line(r.cursor, name)) return fail(r, {}, "the element has no name");
    next_word_on_line(r.cursor, count);
    if (!parse_integer(count, e.count) || e.count < 0)
        return fail(r, count, "the number of elements is not a whole number", "0 or more");
    for (const PlyElement& other : r.header.elements)
        if (other.name == name) return fail(r, name, "the element is declared twice");
    if (++r.name_count > kMaxNames) return fail(r, {}, "more than 1000 elements and properties");
    e.name = std::string(name);
    r.header.elements.push_back(std::move(e));
    return true;
}

bool read_property(HeaderReader& r) {
    if (r.header.elements.empty()) return fail(r, {}, "a property before the first element");
    PlyElement& e = r.header.elements.back();
    PlyProperty p;
    const TextCursor before = r.cursor;
    std::string_view word;
    next_word_on_line(r.cursor, word);
    p.is_list = word == "list";
    if (!p.is_list) r.cursor = before;
    if (p.is_list && !read_type(r, p.count_type)) return false;
    if (p.is_list && !is_integer(p.count_type))
        return fail(r, {}, "the length of a list must be a whole number");
    if (!read_type(r, p.type)) return false;
    if (!next_word_on_line(r.cursor, word)) return fail(r, {}, "the property has no name");
    if (find_property(e, {word}) >= 0) return fail(r, word, "the property is declared twice");
    if (++r.name_count > kMaxNames) return fail(r, {}, "more than 1000 elements and properties");
    p.name = std::string(word);
    e.properties.push_back(std::move(p));
    return true;
}

// Returns true at end_header.
bool read_line(HeaderReader& r) {
    std::string_view word;
    if (!next_word_on_line(r.cursor, word)) return false; // empty line
    bool ok = true;
    if (word == "format")
        ok = read_format(r);
    else if (word == "element")
        ok = read_element(r);
    else if (word == "property")
        ok = read_property(r);
    else if (word == "end_header")
        return true;
    else if (word != "comment" && word != "obj_info")
        return fail(r, word, "unknown statement in the header of the PLY file",
                    "format, comment, obj_info, element, property, end_header");
    if (ok && word != "comment" && word != "obj_info" && next_word_on_line(r.cursor, word))
        return fail(r, word, "unexpected word at the end of the line");
    return false;
}
} // namespace

int find_property(const PlyElement& e, std::initializer_list<std::string_view> names) {
    for (std::string_view name : names)
        for (std::size_t i = 0; i < e.properties.size(); ++i)
            if (e.properties[i].name == name) return int(i);
    return -1;
}

Result<PlyHeader> parse_ply_header(std::string_view bytes, std::string_view file) {
    HeaderReader r;
    r.file = file;
    r.cursor.text = bytes;
    std::string_view word;
    bool done = false;
    if (!next_word_on_line(r.cursor, word) || word != "ply")
        fail(r, word, "this is no PLY file: it does not begin with \"ply\"");
    while (!r.error && !done) {
        if (!next_line(r.cursor) || r.cursor.at >= bytes.size()) {
            fail(r, {}, "the file ends inside its header");
            break;
        }
        done = read_line(r);
    }
    if (done && !r.has_format) fail(r, {}, "the header has no format line");
    Result<PlyHeader> result;
    if (r.error) {
        result.errors.push_back(std::move(*r.error));
        return result;
    }
    // exactly one line end belongs to the header; binary data may begin with a byte that looks like another
    next_line(r.cursor);
    r.header.body = r.cursor.at;
    r.header.body_line = r.cursor.line;
    result.value = std::move(r.header);
    return result;
}

} // namespace sinew
