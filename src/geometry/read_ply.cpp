// PLY (Turk 1994), ascii and binary of both byte orders.
//   vertex     x y z; nx ny nz -> attribute "normal", red green blue -> "color" (0..1), s t | u v | texture_u
//   texture_v
//              -> texture coordinates, every other scalar -> attribute of its name; lists are left out
//   face       list vertex_indices | vertex_index; list texcoord (u v per corner, as MeshLab writes it)
//   edge       vertex1 vertex2 -> segments
//   tristrips  list vertex_indices with -1 between strips -> triangles (Stanford scans)
// Other elements and properties are passed over and noted.
#include "geometry/ply_header.h"
#include "geometry/read_mesh.h"
#include "geometry/text_cursor.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace sinew {

namespace {
constexpr std::int64_t kMostItems = std::numeric_limits<int>::max();

struct PlyReader {
    std::string_view file;
    PlyHeader header;
    TextCursor cursor; // ascii: words; binary: cursor.at is the next byte
    const PlyElement* element = nullptr;
    std::int64_t item = 0;    // number of the element's item being read
    std::size_t value_at = 0; // byte of the number being read
    std::int64_t vertex_count = 0;
    PolygonMesh mesh;
    std::vector<std::array<double, 2>> vertex_uv;
    std::vector<double> list, texcoord; // scratch
    std::optional<Error> error;
};

bool fail(PlyReader& r, std::string value, std::string message, std::string allowed = {}) {
    std::string path;
    if (r.element) path = r.element->name + " " + std::to_string(r.item);
    const bool ascii = r.header.format == PlyFormat::ascii;
    if (!ascii) path += std::string(path.empty() ? "" : ", ") + "byte " + std::to_string(r.value_at);
    r.error = make_mesh_error(r.file, ascii ? r.cursor.line : 0, std::move(path), std::move(value),
                              std::move(message), std::move(allowed));
    return false;
}

std::int64_t bytes_left(const PlyReader& r) { return std::int64_t(r.cursor.text.size() - r.cursor.at); }

template <class T> double decode(const char* p, bool swap) {
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), p, sizeof(T));
    if (swap) std::reverse(bytes.begin(), bytes.end());
    return double(std::bit_cast<T>(bytes));
}

// One number; a non-finite one is returned as such, for the caller to judge.
bool read_number(PlyReader& r, PlyType type, double& value) {
    r.value_at = r.cursor.at;
    if (r.header.format == PlyFormat::ascii) {
        std::string_view word;
        if (!next_word(r.cursor, word)) return fail(r, {}, "the file ends before all its elements are there");
        const NumberStatus status = parse_real(word, value);
        if (status == NumberStatus::not_a_number) return fail(r, printable(word), "not a number");
        if (status == NumberStatus::not_finite) value = std::numeric_limits<double>::infinity();
        return true;
    }
    if (bytes_left(r) < ply_size(type)) return fail(r, {}, "the file ends before all its elements are there");
    const char* p = r.cursor.text.data() + r.cursor.at;
    const bool swap = r.header.format == PlyFormat::big;
    switch (type) {
    case PlyType::i8:
        value = decode<std::int8_t>(p, swap);
        break;
    case PlyType::u8:
        value = decode<std::uint8_t>(p, swap);
        break;
    case PlyType::i16:
        value = decode<std::int16_t>(p, swap);
        break;
    case PlyType::u16:
        value = decode<std::uint16_t>(p, swap);
        break;
    case PlyType::i32:
        value = decode<std::int32_t>(p, swap);
        break;
    case PlyType::u32:
        value = decode<std::uint32_t>(p, swap);
        break;
    case PlyType::f32:
        value = decode<float>(p, swap);
        break;
    case PlyType::f64:
        value = decode<double>(p, swap);
        break;
    }
    r.cursor.at += std::size_t(ply_size(type));
    return true;
}

std::string number_text(double x) {
    return x == std::floor(x) && std::abs(x) < 1e15 ? std::to_string(std::int64_t(x)) : std::to_string(x);
}

// A scalar as a list of one number.
bool read_property(PlyReader& r, const PlyProperty& p, std::vector<double>& out) {
    double count = 1;
    if (p.is_list) {
        if (!read_number(r, p.count_type, count)) return false;
        // an ascii number takes at least two characters with its blank
        const std::int64_t size = r.header.format == PlyFormat::ascii ? 2 : ply_size(p.type);
        if (count < 0 || count != std::floor(count))
            return fail(r, number_text(count), "wrong length of a list");
        if (count > double((bytes_left(r) + 1) / size))
            return fail(r, number_text(count), "the file is too short for a list of this length");
    }
    out.resize(std::size_t(count));
    for (double& x : out)
        if (!read_number(r, p.type, x)) return false;
    return true;
}

bool to_vertex(PlyReader& r, double x, int& vertex) {
    if (!(x >= 0 && x < double(r.vertex_count)) || x != std::floor(x))
        return fail(r, number_text(x), "vertex index out of range",
                    r.vertex_count ? "0 to " + std::to_string(r.vertex_count - 1)
                                   : "the file has no vertices");
    vertex = int(x);
    return true;
}

// Before anything is allocated: can the rest of the file hold so many items at all?
bool check_count(PlyReader& r) {
    const PlyElement& e = *r.element;
    const bool ascii = r.header.format == PlyFormat::ascii;
    std::int64_t least = 0; // bytes of one item with empty lists
    for (const PlyProperty& p : e.properties)
        least += ascii ? 2 : ply_size(p.is_list ? p.count_type : p.type);
    if (e.count > kMostItems) return fail(r, std::to_string(e.count), "more than 2147483647 of one element");
    if (least == 0 || e.count <= (bytes_left(r) + 1) / least) return true;
    return fail(r, std::to_string(e.count),
                "the file is too short for the declared number of " + e.name + " elements");
}

// Where each vertex property goes.
struct Slot {
    enum { skip, position, uv, attribute } kind = skip;
    int attribute_id = 0, component = 0;
    double scale = 1;
};

double color_scale(PlyType t) { return t == PlyType::u8 ? 1 / 255.0 : t == PlyType::u16 ? 1 / 65535.0 : 1; }

// The three properties become one attribute, if all are there.
void plan_triple(PlyReader& r, std::array<std::string_view, 3> names, const char* name,
                 std::vector<Slot>& slots) {
    int at[3];
    for (int k = 0; k < 3; ++k) {
        at[k] = find_property(*r.element, {names[k]});
        if (at[k] < 0 || r.element->properties[at[k]].is_list) return;
    }
    for (int k = 0; k < 3; ++k) {
        const bool color = names[0] == "red";
        slots[at[k]] = {Slot::attribute, int(r.mesh.attributes.size()), k,
                        color ? color_scale(r.element->properties[at[k]].type) : 1};
    }
    r.mesh.attributes.push_back({name, 3, {}});
}

bool plan_vertex(PlyReader& r, std::vector<Slot>& slots) {
    const PlyElement& e = *r.element;
    slots.assign(e.properties.size(), {});
    const std::string_view axis[3] = {"x", "y", "z"};
    for (int k = 0; k < 3; ++k) {
        const int p = find_property(e, {axis[k]});
        if (p < 0 || e.properties[p].is_list)
            return fail(r, {}, "the vertices have no property \"" + std::string(axis[k]) + "\"");
        slots[p] = {Slot::position, 0, k};
    }
    plan_triple(r, {"nx", "ny", "nz"}, "normal", slots);
    plan_triple(r, {"red", "green", "blue"}, "color", slots);
    static constexpr std::string_view kUv[][2] = {{"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}};
    for (const auto& pair : kUv) {
        const int u = find_property(e, {pair[0]}), v = find_property(e, {pair[1]});
        if (u < 0 || v < 0 || e.properties[u].is_list || e.properties[v].is_list) continue;
        slots[u] = {Slot::uv, 0, 0};
        slots[v] = {Slot::uv, 0, 1};
        r.vertex_uv.resize(std::size_t(e.count));
        break;
    }
    for (std::size_t p = 0; p < slots.size(); ++p) {
        if (slots[p].kind != Slot::skip) continue;
        if (e.properties[p].is_list) {
            r.mesh.notes.push_back("vertex property \"" + printable(e.properties[p].name) +
                                   "\" left out: it is a list");
            continue;
        }
        slots[p] = {Slot::attribute, int(r.mesh.attributes.size()), 0};
        r.mesh.attributes.push_back({e.properties[p].name, 1, {}});
    }
    return true;
}

bool read_vertices(PlyReader& r) {
    const PlyElement& e = *r.element;
    std::vector<Slot> slots;
    if (!plan_vertex(r, slots)) return false;
    PolygonMesh& m = r.mesh;
    m.positions.resize(std::size_t(e.count));
    for (VertexAttribute& a : m.attributes) a.values.resize(m.positions.size() * std::size_t(a.components));
    for (r.item = 0; r.item < e.count; ++r.item)
        for (std::size_t p = 0; p < slots.size(); ++p) {
            const Slot& s = slots[p];
            if (!read_property(r, e.properties[p], r.list)) return false;
            const double x = s.kind == Slot::skip ? 0 : r.list[0] * s.scale;
            if (s.kind != Slot::attribute && !std::isfinite(x))
                return fail(r, {}, "\"" + e.properties[p].name + "\" is not a finite number");
            if (s.kind == Slot::position) m.positions[r.item][s.component] = x;
            if (s.kind == Slot::uv) r.vertex_uv[r.item][s.component] = x;
            if (s.kind != Slot::attribute) continue;
            VertexAttribute& a = m.attributes[s.attribute_id];
            a.values[std::size_t(r.item) * a.components + s.component] = x;
        }
    return true;
}

bool add_corner(PlyReader& r, double x) {
    int v = 0;
    if (!to_vertex(r, x, v)) return false;
    if (std::int64_t(r.mesh.polygon_vertex.size()) >= kMostItems)
        return fail(r, {}, "more than 2147483647 corners");
    r.mesh.polygon_vertex.push_back(v);
    return true;
}

// Texture coordinates of the corners of the polygon just added.
bool add_texcoord(PlyReader& r, std::size_t corners) {
    PolygonMesh& m = r.mesh;
    if (!r.texcoord.empty() && r.texcoord.size() != 2 * corners)
        return fail(r, std::to_string(r.texcoord.size()), "wrong number of texture coordinates",
                    "two per corner: " + std::to_string(2 * corners));
    for (std::size_t c = 0; c < corners; ++c) {
        if (r.texcoord.empty()) {
            m.polygon_uv.push_back(-1);
            continue;
        }
        const std::array<double, 2> uv{r.texcoord[2 * c], r.texcoord[2 * c + 1]};
        if (!std::isfinite(uv[0]) || !std::isfinite(uv[1]))
            return fail(r, {}, "\"texcoord\" is not a finite number");
        m.polygon_uv.push_back(int(m.uv.size()));
        m.uv.push_back(uv);
    }
    return true;
}

bool read_faces(PlyReader& r) {
    const PlyElement& e = *r.element;
    const int index = find_property(e, {"vertex_indices", "vertex_index"}),
              texcoord = find_property(e, {"texcoord"});
    if (index < 0 || !e.properties[index].is_list)
        return fail(r, {}, "the faces have no list \"vertex_indices\"");
    if (!is_integer(e.properties[index].type)) return fail(r, {}, "vertex indices must be whole numbers");
    const bool has_uv = texcoord >= 0 && e.properties[texcoord].is_list;
    for (int p = 0; p < int(e.properties.size()); ++p)
        if (p != index && !(has_uv && p == texcoord))
            r.mesh.notes.push_back("face property \"" + printable(e.properties[p].name) + "\" left out");
    std::vector<double> ignored;
    for (r.item = 0; r.item < e.count; ++r.item) {
        for (int p = 0; p < int(e.properties.size()); ++p)
            if (!read_property(r, e.properties[p],
                               p == index                ? r.list
                               : has_uv && p == texcoord ? r.texcoord
                                                         : ignored))
                return false;
        if (r.list.size() < 3)
            return fail(r, {}, "a face with " + std::to_string(r.list.size()) + " corners", "at least 3");
        for (double x : r.list)
            if (!add_corner(r, x)) return false;
        r.mesh.polygon_begin.push_back(int(r.mesh.polygon_vertex.size()));
        if (has_uv && !add_texcoord(r, r.list.size())) return false;
    }
    return true;
}

bool read_edges(PlyReader& r) {
    const PlyElement& e = *r.element;
    const int a = find_property(e, {"vertex1"}), b = find_property(e, {"vertex2"});
    if (a < 0 || b < 0 || e.properties[a].is_list || e.properties[b].is_list)
        return fail(r, {}, "the edges have no properties \"vertex1\" and \"vertex2\"");
    for (r.item = 0; r.item < e.count; ++r.item) {
        std::array<int, 2> segment{};
        for (int p = 0; p < int(e.properties.size()); ++p) {
            if (!read_property(r, e.properties[p], r.list)) return false;
            if ((p == a || p == b) && !to_vertex(r, r.list[0], segment[p == b])) return false;
        }
        r.mesh.segments.push_back(segment);
    }
    return true;
}

bool read_strips(PlyReader& r) {
    const PlyElement& e = *r.element;
    const int index = find_property(e, {"vertex_indices", "vertex_index"});
    if (index < 0 || !e.properties[index].is_list)
        return fail(r, {}, "the strips have no list \"vertex_indices\"");
    std::vector<double> ignored;
    for (r.item = 0; r.item < e.count; ++r.item) {
        for (int p = 0; p < int(e.properties.size()); ++p)
            if (!read_property(r, e.properties[p], p == index ? r.list : ignored)) return false;
        int strip = 0; // vertices of the strip so far
        for (std::size_t i = 0; i < r.list.size(); ++i) {
            strip = r.list[i] == -1 ? 0 : strip + 1;
            if (strip < 3) continue;
            // every second triangle runs the other way; triangles with a repeated vertex only stitch
            const bool turned = strip % 2 == 0;
            const double a = r.list[i - 2], b = r.list[turned ? i : i - 1], c = r.list[turned ? i - 1 : i];
            if (a == b || b == c || c == a) continue;
            if (!add_corner(r, a) || !add_corner(r, b) || !add_corner(r, c)) return false;
            r.mesh.polygon_begin.push_back(int(r.mesh.polygon_vertex.size()));
        }
    }
    return true;
}

bool skip_element(PlyReader& r) {
    const PlyElement& e = *r.element;
    if (e.count == 0) return true;
    r.mesh.notes.push_back(std::to_string(e.count) + " \"" + printable(e.name) + "\" elements left out");
    for (r.item = 0; r.item < e.count && !e.properties.empty(); ++r.item)
        for (const PlyProperty& p : e.properties)
            if (!read_property(r, p, r.list)) return false;
    return true;
}

bool read_body(PlyReader& r) {
    for (const PlyElement& e : r.header.elements)
        if (e.name == "vertex") r.vertex_count = e.count;
    for (const PlyElement& e : r.header.elements) {
        r.element = &e;
        r.item = 0;
        r.value_at = r.cursor.at;
        if (!check_count(r)) return false;
        const auto read = e.name == "vertex"      ? read_vertices
                          : e.count == 0          ? skip_element
                          : e.name == "face"      ? read_faces
                          : e.name == "edge"      ? read_edges
                          : e.name == "tristrips" ? read_strips
                                                  : skip_element;
        if (!read(r)) return false;
    }
    r.element = nullptr;
    std::string_view word;
    const bool more = r.header.format == PlyFormat::ascii ? next_word(r.cursor, word) : bytes_left(r) > 0;
    if (more) r.mesh.notes.push_back("data after the last element left out");
    if (r.vertex_count == 0) return fail(r, {}, "the file has no vertices");
    return true;
}

void finish(PlyReader& r) {
    PolygonMesh& m = r.mesh;
    // strips beside faces have no texture coordinates of their own
    if (!m.uv.empty())
        m.polygon_uv.resize(m.polygon_vertex.size(), -1);
    else
        m.polygon_uv.clear();
    if (m.uv.empty() && !r.vertex_uv.empty() && !m.polygon_vertex.empty()) {
        m.uv = std::move(r.vertex_uv);
        m.polygon_uv = m.polygon_vertex;
    }
    std::erase_if(m.attributes, [&](const VertexAttribute& a) {
        const bool finite =
            std::all_of(a.values.begin(), a.values.end(), [](double x) { return std::isfinite(x); });
        if (!finite)
            m.notes.push_back("vertex attribute \"" + printable(a.name) + "\" left out: it is not finite");
        return !finite;
    });
}
} // namespace

Result<PolygonMesh> parse_ply(std::string_view bytes, std::string_view file) {
    Result<PolygonMesh> result;
    Result<PlyHeader> header = parse_ply_header(bytes, file);
    if (!header) {
        result.errors = std::move(header.errors);
        return result;
    }
    PlyReader r;
    r.file = file;
    r.header = std::move(*header.value);
    r.cursor.text = bytes;
    r.cursor.at = r.header.body;
    r.cursor.line = r.header.body_line;
    if (read_body(r)) {
        finish(r);
        result.value = std::move(r.mesh);
    } else {
        result.errors.push_back(std::move(*r.error));
    }
    return result;
}

} // namespace sinew
