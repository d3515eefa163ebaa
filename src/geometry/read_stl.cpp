// STL (3D Systems 1989), ascii and binary. The format has no shared vertices: corners with exactly equal
// coordinates become one vertex, numbered by first appearance, so that a closed file gives a closed mesh.
// Nearly equal ones are kept apart: no tolerance is right for every file, and check_mesh names the open
// edges. Triangles that collapse are kept. Facet normals are not used. Each named solid of an ascii file
// becomes a polygon group. A file is binary when its length says so, whatever its first word: some exporters
// begin binary headers with "solid".
#include "geometry/read_mesh.h"
#include "geometry/text_cursor.h"
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace sinew {

namespace {
constexpr std::size_t kHeaderBytes = 84, kFacetBytes = 50;
constexpr std::size_t kMaxFacets = std::numeric_limits<int>::max() / 3;

struct StlReader {
    std::string_view file;
    TextCursor cursor;
    std::vector<Real3> corners; // three per triangle
    std::vector<PolygonGroup> groups;
    std::optional<Error> error;
};

bool fail(StlReader& r, std::int64_t line, std::string path, std::string value, std::string message,
          std::string allowed = {}) {
    r.error = make_mesh_error(r.file, line, std::move(path), std::move(value), std::move(message),
                              std::move(allowed));
    return false;
}

std::uint32_t declared_facets(std::string_view bytes) {
    std::uint32_t n = 0;
    std::memcpy(&n, bytes.data() + 80, 4);
    return n;
}

bool read_binary(StlReader& r, std::string_view bytes) {
    if (bytes.size() < kHeaderBytes)
        return fail(r, 0, {}, {},
                    "this is no STL file: it is shorter than a header and does not begin with \"solid\"");
    const std::size_t count = declared_facets(bytes);
    if (count > (bytes.size() - kHeaderBytes) / kFacetBytes)
        return fail(r, 0, "byte 80", std::to_string(count),
                    "the file is too short for the declared number of triangles",
                    "at most " + std::to_string((bytes.size() - kHeaderBytes) / kFacetBytes));
    if (count > kMaxFacets) return fail(r, 0, "byte 80", std::to_string(count), "too many triangles");
    r.corners.resize(3 * count);
    for (std::size_t i = 0; i < r.corners.size(); ++i) {
        const std::size_t at = kHeaderBytes + i / 3 * kFacetBytes + 12 + i % 3 * 12;
        float x[3];
        std::memcpy(x, bytes.data() + at, 12);
        for (int k = 0; k < 3; ++k)
            if (!std::isfinite(x[k]))
                return fail(r, 0,
                            "triangle " + std::to_string(i / 3) + ", byte " + std::to_string(at + 4 * k), {},
                            "not a finite number");
        r.corners[i] = {x[0], x[1], x[2]};
    }
    return true;
}

bool equal_ignoring_case(std::string_view a, std::string_view lower) {
    if (a.size() != lower.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if ((a[i] >= 'A' && a[i] <= 'Z' ? a[i] + 32 : a[i]) != lower[i]) return false;
    return true;
}

bool expect(StlReader& r, std::string_view lower) {
    std::string_view word;
    if (!next_word(r.cursor, word))
        return fail(r, r.cursor.line, {}, {},
                    "the file ends where \"" + std::string(lower) + "\" is expected");
    if (equal_ignoring_case(word, lower)) return true;
    return fail(r, r.cursor.line, {}, printable(word), "unexpected word", std::string(lower));
}

bool read_point(StlReader& r, Real3& x) {
    for (int k = 0; k < 3; ++k) {
        std::string_view word;
        if (!next_word(r.cursor, word))
            return fail(r, r.cursor.line, {}, {}, "the file ends inside a vertex");
        const NumberStatus status = parse_real(word, x[k]);
        if (status == NumberStatus::not_a_number)
            return fail(r, r.cursor.line, {}, printable(word), "not a number");
        if (status == NumberStatus::not_finite)
            return fail(r, r.cursor.line, {}, printable(word), "not a finite number");
    }
    return true;
}

// after the word "facet"
bool read_facet(StlReader& r) {
    std::string_view word;
    if (!expect(r, "normal")) return false;
    for (int k = 0; k < 3; ++k) // any three words: nan at collapsed triangles is common
        if (!next_word(r.cursor, word))
            return fail(r, r.cursor.line, {}, {}, "the file ends inside a normal");
    if (!expect(r, "outer") || !expect(r, "loop")) return false;
    for (int k = 0; k < 3; ++k) {
        Real3 x;
        if (!expect(r, "vertex") || !read_point(r, x)) return false;
        r.corners.push_back(x);
    }
    if (r.corners.size() > 3 * kMaxFacets) return fail(r, r.cursor.line, {}, {}, "too many triangles");
    return expect(r, "endloop") && expect(r, "endfacet");
}

bool read_ascii(StlReader& r, std::string_view text) {
    r.cursor.text = text;
    std::string_view word;
    while (next_word(r.cursor, word)) {
        if (!equal_ignoring_case(word, "solid"))
            return fail(r, r.cursor.line, {}, printable(word), "unexpected word", "solid");
        PolygonGroup group{PolygonGroupKind::object, std::string(rest_of_line(r.cursor)), {}};
        const std::size_t first = r.corners.size() / 3;
        for (bool open = true; open;) {
            if (!next_word(r.cursor, word))
                return fail(r, r.cursor.line, {}, {},
                            "the file ends where \"facet\" or \"endsolid\" is expected");
            open = !equal_ignoring_case(word, "endsolid");
            if (open && !equal_ignoring_case(word, "facet"))
                return fail(r, r.cursor.line, {}, printable(word), "unexpected word", "facet, endsolid");
            if (open && !read_facet(r)) return false;
        }
        rest_of_line(r.cursor); // the name again
        group.polygons.resize(r.corners.size() / 3 - first);
        std::iota(group.polygons.begin(), group.polygons.end(), int(first));
        if (!group.name.empty() && !group.polygons.empty()) r.groups.push_back(std::move(group));
    }
    return true;
}

// Equal coordinates become one vertex, numbered by first appearance. By sorting: no input makes it slow.
PolygonMesh weld(const std::vector<Real3>& corners) {
    PolygonMesh m;
    const int n = int(corners.size());
    std::vector<int> order(n), first(n), vertex(n, -1);
    std::iota(order.begin(), order.end(), 0);
    const auto before = [&](int a, int b) {
        const Real3 &x = corners[a], &y = corners[b];
        if (x.x != y.x) return x.x < y.x;
        if (x.y != y.y) return x.y < y.y;
        return x.z != y.z ? x.z < y.z : a < b;
    };
    std::sort(order.begin(), order.end(), before);
    for (int i = 0; i < n; ++i) {
        const bool same = i && corners[order[i]] == corners[order[i - 1]];
        first[order[i]] = same ? first[order[i - 1]] : order[i];
    }
    m.polygon_vertex.resize(n);
    for (int c = 0; c < n; ++c) {
        if (first[c] == c) {
            vertex[c] = vertex_count(m);
            m.positions.push_back(corners[c]);
        }
        m.polygon_vertex[c] = vertex[first[c]];
    }
    m.polygon_begin.resize(n / 3 + 1);
    for (int p = 0; p <= n / 3; ++p) m.polygon_begin[p] = 3 * p;
    return m;
}

bool begins_with_solid(std::string_view bytes) {
    TextCursor c{bytes};
    std::string_view word;
    return next_word(c, word) && equal_ignoring_case(word, "solid");
}
} // namespace

Result<PolygonMesh> parse_stl(std::string_view bytes, std::string_view file) {
    StlReader r;
    r.file = file;
    const bool exact = bytes.size() >= kHeaderBytes &&
                       bytes.size() == kHeaderBytes + kFacetBytes * std::size_t(declared_facets(bytes));
    const bool binary = exact || !begins_with_solid(bytes);
    Result<PolygonMesh> result;
    bool ok = binary ? read_binary(r, bytes) : read_ascii(r, bytes);
    if (ok && r.corners.empty()) ok = fail(r, 0, {}, {}, "the file has no triangles");
    if (!ok) {
        result.errors.push_back(std::move(*r.error));
        return result;
    }
    result.value = weld(r.corners);
    result.value->polygon_groups = std::move(r.groups);
    if (binary && !exact) result.value->notes.emplace_back("bytes after the last triangle left out");
    return result;
}

} // namespace sinew
