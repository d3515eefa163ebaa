// Wavefront OBJ, polygonal part (specification of Wavefront's Advanced Visualizer, appendix B1).
//   v x y z [w] | x y z r g b [a]    vt u [v [w]]    vn x y z    f, fo, l, p    g names...    o name usemtl
//   name
// Own reader rather than tinyobjloader: that one splits the file into shapes, merges groups, limits a polygon
// to 255 corners and has no line numbers in errors. Groups and objects become polygon groups and vertex
// groups (the vertices of their polygons, lines and points); materials become polygon groups. Normals follow
// from the moving surface and are checked, then dropped. Free-form curves and surfaces are refused; other
// statements without geometry are noted.
#include "geometry/read_mesh.h"
#include "geometry/text_cursor.h"
#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

namespace sinew {

namespace {
constexpr std::size_t kMaxActiveGroups = 256;     // names in one group statement
constexpr std::size_t kFreeMemberships = 1 << 20; // entries in groups beyond one per byte of the file
constexpr std::size_t kMaxIndex = std::numeric_limits<int>::max();

// The largest index used before its target was defined, with its line: enough to find a wrong one at the end.
struct Forward {
    std::int64_t index = -1, line = 0;
};
struct ObjCorner {
    int vertex = -1, uv = -1;
};
struct ObjReader {
    std::string_view file;
    TextCursor cursor;
    std::int64_t statement_line = 1;
    PolygonMesh mesh;
    std::optional<Error> error;
    std::int64_t normal_count = 0;
    Forward forward_vertex, forward_uv, forward_normal;
    std::vector<double> colors;
    std::unordered_map<std::string, int> group_index[3]; // per kind: name -> index into mesh.polygon_groups
    std::vector<int> groups;                             // active
    int object = -1, material = -1;                      // active, -1 = none
    std::vector<std::pair<int, int>> loose_members;      // (polygon group, vertex) of lines and points
    std::size_t memberships = 0;                         // entries in all groups
    std::vector<std::pair<std::string, std::int64_t>> skipped; // statement -> count
    std::int64_t skipped_other = 0;
};

bool fail(ObjReader& r, std::string_view value, std::string message, std::string allowed = {}) {
    r.error = make_mesh_error(r.file, r.statement_line, {}, printable(value), std::move(message),
                              std::move(allowed));
    return false;
}

// Up to `max` numbers to the end of the statement.
bool read_numbers(ObjReader& r, int min, int max, double* out, int& count) {
    std::string_view word;
    for (count = 0; next_word_on_line(r.cursor, word); ++count) {
        if (count == max) return fail(r, word, "too many numbers", "at most " + std::to_string(max));
        const NumberStatus status = parse_real(word, out[count]);
        if (status == NumberStatus::not_a_number) return fail(r, word, "not a number");
        if (status == NumberStatus::not_finite) return fail(r, word, "not a finite number");
    }
    if (count < min) return fail(r, {}, "too few numbers", "at least " + std::to_string(min));
    return true;
}

bool read_vertex(ObjReader& r) {
    double x[7];
    int count = 0;
    if (!read_numbers(r, 3, 7, x, count)) return false;
    if (count == 5)
        return fail(r, {}, "5 numbers are no vertex", "x y z, x y z w, x y z r g b, x y z r g b a");
    if (r.mesh.positions.size() >= kMaxIndex) return fail(r, {}, "more than 2147483647 vertices");
    r.mesh.positions.push_back({x[0], x[1], x[2]});
    if (count >= 6) r.colors.insert(r.colors.end(), x + 3, x + 6);
    return true;
}

// 1-based or, if negative, counted back from the last one defined.
bool resolve_index(ObjReader& r, std::string_view word, const char* what, std::int64_t defined,
                   Forward& forward, int& out) {
    std::int64_t i = 0;
    if (!parse_integer(word, i)) return fail(r, word, std::string("not a ") + what + " index");
    if (i == 0) return fail(r, word, std::string(what) + " indices start at 1");
    if (i < -defined || i > std::int64_t(kMaxIndex))
        return fail(r, word, std::string(what) + " index out of range",
                    std::to_string(defined) + " are defined so far");
    out = int(i > 0 ? i - 1 : defined + i);
    if (out >= defined && out > forward.index) forward = {out, r.statement_line};
    return true;
}

// v, v/vt, v//vn, v/vt/vn
bool read_corner(ObjReader& r, std::string_view word, ObjCorner& out) {
    std::string_view part[3];
    int parts = 0;
    for (std::string_view rest = word;; ++parts) {
        const std::size_t slash = rest.find('/');
        if (parts == 3) return fail(r, word, "a corner has at most three indices", "v, v/vt, v//vn, v/vt/vn");
        part[parts] = rest.substr(0, slash);
        if (slash == std::string_view::npos) break;
        rest.remove_prefix(slash + 1);
    }
    int normal = 0;
    return resolve_index(r, part[0], "vertex", std::int64_t(r.mesh.positions.size()), r.forward_vertex,
                         out.vertex) &&
           (part[1].empty() || resolve_index(r, part[1], "texture coordinate", std::int64_t(r.mesh.uv.size()),
                                             r.forward_uv, out.uv)) &&
           (part[2].empty() || resolve_index(r, part[2], "normal", r.normal_count, r.forward_normal, normal));
}

// Every element is listed once per active group; without a bound a small file could ask for a huge memory.
bool count_memberships(ObjReader& r, std::size_t elements) {
    r.memberships += elements * (r.groups.size() + (r.object >= 0) + (r.material >= 0));
    if (r.memberships <= kFreeMemberships + r.cursor.text.size()) return true;
    return fail(r, {}, "the elements of this file are in too many groups");
}

bool read_face(ObjReader& r) {
    PolygonMesh& m = r.mesh;
    std::string_view word;
    while (next_word_on_line(r.cursor, word)) {
        ObjCorner corner;
        if (!read_corner(r, word, corner)) return false;
        if (m.polygon_vertex.size() >= kMaxIndex) return fail(r, {}, "more than 2147483647 corners");
        m.polygon_vertex.push_back(corner.vertex);
        m.polygon_uv.push_back(corner.uv);
    }
    const int size = int(m.polygon_vertex.size()) - m.polygon_begin.back();
    if (size < 3) return fail(r, {}, "a face with " + std::to_string(size) + " corners", "at least 3");
    if (!count_memberships(r, 1)) return false;
    const int polygon = polygon_count(m);
    m.polygon_begin.push_back(int(m.polygon_vertex.size()));
    for (int g : r.groups) m.polygon_groups[g].polygons.push_back(polygon);
    if (r.object >= 0) m.polygon_groups[r.object].polygons.push_back(polygon);
    if (r.material >= 0) m.polygon_groups[r.material].polygons.push_back(polygon);
    return true;
}

bool read_line_or_points(ObjReader& r, bool line) {
    std::string_view word;
    int previous = -1, count = 0;
    for (; next_word_on_line(r.cursor, word); ++count) {
        ObjCorner corner;
        if (!read_corner(r, word, corner) || !count_memberships(r, 1)) return false;
        if (line && count) r.mesh.segments.push_back({previous, corner.vertex});
        previous = corner.vertex;
        for (int g : r.groups) r.loose_members.push_back({g, corner.vertex});
        if (r.object >= 0) r.loose_members.push_back({r.object, corner.vertex});
    }
    if (count < (line ? 2 : 1))
        return fail(r, {}, line ? "a line needs two vertices" : "a point needs a vertex");
    return true;
}

int find_group(ObjReader& r, PolygonGroupKind kind, std::string_view name) {
    const auto [it, is_new] =
        r.group_index[int(kind)].try_emplace(std::string(name), int(r.mesh.polygon_groups.size()));
    if (is_new) r.mesh.polygon_groups.push_back({kind, std::string(name), {}});
    return it->second;
}

bool read_groups(ObjReader& r) {
    r.groups.clear();
    std::string_view word;
    while (next_word_on_line(r.cursor, word)) {
        const int g = find_group(r, PolygonGroupKind::group, word);
        if (std::find(r.groups.begin(), r.groups.end(), g) != r.groups.end()) continue;
        if (r.groups.size() == kMaxActiveGroups)
            return fail(r, word, "more than 256 names in one group statement");
        r.groups.push_back(g);
    }
    return true;
}

void skip_words(ObjReader& r) {
    std::string_view word;
    while (next_word_on_line(r.cursor, word)) {
    }
}

bool skip_statement(ObjReader& r, std::string_view word) {
    static constexpr std::string_view kFreeForm[] = {"curv", "curv2", "surf", "call"};
    static constexpr std::string_view kHarmless[] = {"s", "mtllib", "vp", "mg", "lod", "usemap", "maplib"};
    if (std::find(std::begin(kFreeForm), std::end(kFreeForm), word) != std::end(kFreeForm))
        return fail(r, word, "curves, surfaces and included files are not supported",
                    "polygons, lines and points");
    const bool is_name =
        word.size() <= 32 && std::all_of(word.begin(), word.end(), [](unsigned char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        });
    if (!is_name) return fail(r, word, "this is no OBJ statement", "v, vt, vn, f, l, p, g, o, usemtl ...");
    if (std::find(std::begin(kHarmless), std::end(kHarmless), word) == std::end(kHarmless)) {
        const auto it =
            std::find_if(r.skipped.begin(), r.skipped.end(), [&](auto& s) { return s.first == word; });
        if (it != r.skipped.end())
            it->second++;
        else if (r.skipped.size() < 8)
            r.skipped.push_back({std::string(word), 1});
        else
            r.skipped_other++;
    }
    skip_words(r);
    return true;
}

bool read_statement(ObjReader& r, std::string_view word) {
    double x[3];
    int count = 0;
    if (word == "v") return read_vertex(r);
    if (word == "vt") {
        x[1] = 0;
        if (!read_numbers(r, 1, 3, x, count)) return false;
        r.mesh.uv.push_back({x[0], count > 1 ? x[1] : 0});
        return true;
    }
    if (word == "vn") {
        // exporters write nan normals at degenerate corners; normals are not used, so only their number
        // counts
        ++r.normal_count;
        skip_words(r);
        return true;
    }
    if (word == "f" || word == "fo") return read_face(r);
    if (word == "l") return read_line_or_points(r, true);
    if (word == "p") return read_line_or_points(r, false);
    if (word == "g") return read_groups(r);
    if (word == "o" || word == "usemtl") {
        const std::string_view name = rest_of_line(r.cursor);
        const auto kind = word == "o" ? PolygonGroupKind::object : PolygonGroupKind::material;
        (word == "o" ? r.object : r.material) = name.empty() ? -1 : find_group(r, kind, name);
        return true;
    }
    return skip_statement(r, word);
}

bool check_forward(ObjReader& r, const Forward& f, const char* what, std::int64_t defined) {
    if (f.index < defined) return true;
    r.statement_line = f.line;
    return fail(r, std::to_string(f.index + 1), std::string(what) + " index out of range",
                std::to_string(defined) + " are defined");
}

// Vertices of each group and object: corners of its polygons, its lines and points; ascending, each once.
void build_vertex_groups(ObjReader& r) {
    PolygonMesh& m = r.mesh;
    std::sort(r.loose_members.begin(), r.loose_members.end());
    std::unordered_map<std::string, int> index;
    std::size_t loose = 0;
    for (int g = 0; g < int(m.polygon_groups.size()); ++g) {
        const PolygonGroup& group = m.polygon_groups[g];
        std::vector<int> members;
        for (; loose < r.loose_members.size() && r.loose_members[loose].first == g; ++loose)
            members.push_back(r.loose_members[loose].second);
        if (group.kind == PolygonGroupKind::material) continue;
        for (int p : group.polygons)
            members.insert(members.end(), m.polygon_vertex.begin() + m.polygon_begin[p],
                           m.polygon_vertex.begin() + m.polygon_begin[p + 1]);
        if (members.empty()) continue;
        const auto [it, is_new] = index.try_emplace(group.name, int(m.vertex_groups.size()));
        if (is_new) m.vertex_groups.push_back({group.name, {}});
        auto& list = m.vertex_groups[it->second].second;
        list.insert(list.end(), members.begin(), members.end());
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    std::erase_if(m.polygon_groups, [](const PolygonGroup& g) { return g.polygons.empty(); });
}

bool finish(ObjReader& r) {
    PolygonMesh& m = r.mesh;
    if (m.positions.empty()) {
        r.statement_line = 0;
        return fail(r, {}, "the file has no vertices");
    }
    if (!check_forward(r, r.forward_vertex, "vertex", std::int64_t(m.positions.size())) ||
        !check_forward(r, r.forward_uv, "texture coordinate", std::int64_t(m.uv.size())) ||
        !check_forward(r, r.forward_normal, "normal", r.normal_count))
        return false;
    if (std::all_of(m.polygon_uv.begin(), m.polygon_uv.end(), [](int i) { return i < 0; })) {
        m.polygon_uv.clear();
        m.uv.clear();
    }
    build_vertex_groups(r);
    // notes
    if (r.colors.size() == 3 * m.positions.size())
        m.attributes.push_back({"color", 3, std::move(r.colors)});
    else if (!r.colors.empty())
        m.notes.push_back("vertex colours left out: only some vertices have one");
    if (r.normal_count) m.notes.push_back(std::to_string(r.normal_count) + " normals left out");
    for (const auto& [word, count] : r.skipped)
        m.notes.push_back(std::to_string(count) + " \"" + word + "\" statements left out");
    if (r.skipped_other) m.notes.push_back(std::to_string(r.skipped_other) + " other statements left out");
    return true;
}
} // namespace

Result<PolygonMesh> parse_obj(std::string_view text, std::string_view file) {
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3); // byte order mark of UTF-8
    ObjReader r;
    r.file = file;
    r.cursor.text = text;
    r.cursor.obj = true;
    bool ok = true;
    std::string_view word;
    while (ok && next_word(r.cursor, word)) {
        r.statement_line = r.cursor.line;
        ok = read_statement(r, word);
    }
    Result<PolygonMesh> result;
    if (ok && finish(r))
        result.value = std::move(r.mesh);
    else
        result.errors.push_back(std::move(*r.error));
    return result;
}

} // namespace sinew
