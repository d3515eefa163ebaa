// TetGen's text files (Si 2015, section 5.2): a first line of counts, then one line per item, '#' begins a comment.
// Indices begin with 0 or 1, as the first point says.
#include "geometry/read_tets.h"
#include "geometry/tet_groups.h"
#include "geometry/tet_measure.h"
#include "geometry/text_cursor.h"
#include <algorithm>
#include <limits>

namespace sinew {

namespace {
constexpr std::int64_t kMaxCount = std::numeric_limits<int>::max() / 4;

struct TetgenReader {
    std::string file;
    TextCursor cursor;
    std::optional<Error> error;
    std::int64_t first = 0; // index of the first point
    TetMesh mesh;
};

bool fail(TetgenReader& r, std::string value, std::string message, std::string allowed = {}) {
    r.error = make_mesh_error(r.file, r.cursor.line, {}, std::move(value), std::move(message), std::move(allowed));
    return false;
}

bool read_count(TetgenReader& r, const char* what, std::int64_t low, std::int64_t high, std::int64_t& value) {
    std::string_view word;
    if (!next_word(r.cursor, word)) return fail(r, {}, std::string("the file ends where ") + what + " is expected");
    if (!parse_integer(word, value)) return fail(r, printable(word), std::string(what) + " is not an integer");
    if (value < low || value > high) return fail(r, printable(word), std::string(what) + " is out of range",
                                                 std::to_string(low) + " to " + std::to_string(high));
    return true;
}

// counts on the first line after comments; those left out are 0
bool read_header(TetgenReader& r, std::string_view text, const std::string& file, std::array<std::int64_t, 4>& counts, int needed) {
    r.file = file;
    r.cursor = TextCursor{text};
    r.cursor.obj = true;
    counts = {};
    if (!read_count(r, "the number of items", 0, kMaxCount, counts[0])) return false;
    for (int i = 1; i < 4; ++i) {
        std::string_view word;
        if (!next_word_on_line(r.cursor, word)) {
            if (i < needed) return fail(r, {}, "the first line is too short", "counts of items and their attributes");
            break;
        }
        if (!parse_integer(word, counts[i]) || counts[i] < 0 || counts[i] > 1000)
            return fail(r, printable(word), "not a count", "0 to 1000");
    }
    // each item takes at least two characters
    if (counts[0] > std::int64_t(text.size() / 2 + 1)) return fail(r, std::to_string(counts[0]), "the file is too short for the declared number of items");
    return true;
}

bool read_real(TetgenReader& r, double& value) {
    std::string_view word;
    if (!next_word_on_line(r.cursor, word)) return fail(r, {}, "the line ends where a number is expected");
    switch (parse_real(word, value)) {
    case NumberStatus::ok: return true;
    case NumberStatus::not_finite: return fail(r, printable(word), "not a finite number");
    default: return fail(r, printable(word), "not a number");
    }
}

bool read_index(TetgenReader& r, std::int64_t count, int& point) {
    std::int64_t i;
    std::string_view word;
    if (!next_word_on_line(r.cursor, word)) return fail(r, {}, "the line ends where a point is expected");
    if (!parse_integer(word, i)) return fail(r, printable(word), "not a point's index");
    if (i < r.first || i - r.first >= count)
        return fail(r, printable(word), "there is no such point", std::to_string(r.first) + " to " + std::to_string(r.first + count - 1));
    point = int(i - r.first);
    return true;
}

bool read_item(TetgenReader& r, std::int64_t expected) {
    std::int64_t i;
    if (!read_count(r, "an index", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), i)) return false;
    if (i != expected) return fail(r, std::to_string(i), "indices do not follow each other", std::to_string(expected));
    return true;
}

bool read_nodes(TetgenReader& r, std::string_view text, const std::string& file, GroupCollector& groups) {
    std::array<std::int64_t, 4> counts;
    if (!read_header(r, text, file, counts, 2)) return false;
    if (counts[1] != 3) return fail(r, std::to_string(counts[1]), "points have the wrong number of coordinates", "3");
    for (std::int64_t n = 0; n < counts[0]; ++n) {
        if (n == 0) {
            if (!read_count(r, "the first index", 0, 1, r.first)) return false;
        } else if (!read_item(r, r.first + n)) return false;
        Real3 x;
        double ignored;
        for (int k = 0; k < 3; ++k)
            if (!read_real(r, x[k])) return false;
        for (std::int64_t k = 0; k < counts[2]; ++k)
            if (!read_real(r, ignored)) return false;
        r.mesh.points.push_back(x);
        double marker = 0;
        if (counts[3] > 0 && !read_real(r, marker)) return false;
        if (marker != 0) add_member(groups, "marker_", marker, int(n));
    }
    if (counts[2] > 0) r.mesh.notes.push_back("attributes of points left out");
    return true;
}

bool read_elements(TetgenReader& r, std::string_view text, const std::string& file, GroupCollector& groups) {
    std::array<std::int64_t, 4> counts;
    if (!read_header(r, text, file, counts, 2)) return false;
    if (counts[1] != 4 && counts[1] != 10) return fail(r, std::to_string(counts[1]), "tetrahedra have the wrong number of points", "4, 10");
    const std::int64_t points = std::int64_t(r.mesh.points.size());
    for (std::int64_t n = 0; n < counts[0]; ++n) {
        if (!read_item(r, r.first + n)) return false;
        std::array<int, 4> corners;
        int ignored;
        for (std::int64_t k = 0; k < counts[1]; ++k)
            if (!read_index(r, points, k < 4 ? corners[k] : ignored)) return false;
        std::array<int, 4> sorted = corners;
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return fail(r, {}, "the tetrahedron names a point twice");
        r.mesh.tets.push_back(corners);
        double region = 0;
        for (std::int64_t k = 0; k < counts[2]; ++k)
            if (double value; !read_real(r, value)) return false;
            else if (k == 0) region = value;
        if (region != 0) add_member(groups, "region_", region, int(n));
    }
    if (counts[1] == 10) r.mesh.notes.push_back("tetrahedra of second order count by their corners");
    return true;
}

bool read_faces(TetgenReader& r, std::string_view text, const std::string& file, GroupCollector& groups) {
    std::array<std::int64_t, 4> counts;
    if (!read_header(r, text, file, counts, 1)) return false;
    for (std::int64_t n = 0; n < counts[0]; ++n) {
        if (!read_item(r, r.first + n)) return false;
        std::array<int, 3> corners;
        for (int& c : corners)
            if (!read_index(r, std::int64_t(r.mesh.points.size()), c)) return false;
        double marker = 0;
        if (counts[1] > 0 && !read_real(r, marker)) return false;
        if (marker != 0)
            for (int c : corners) add_member(groups, "face_", marker, c);
        // neighbours, if any, are not used
        std::string_view word;
        while (next_word_on_line(r.cursor, word)) {}
    }
    return true;
}
} // namespace

Result<TetMesh> parse_tetgen(const TetgenText& text, std::string_view file) {
    TetgenReader r;
    const std::string name(file);
    GroupCollector points, tets;
    bool ok = read_nodes(r, text.node, name + ".node", points) && read_elements(r, text.ele, name + ".ele", tets) &&
              (text.face.empty() || read_faces(r, text.face, name + ".face", points));
    if (ok && r.mesh.tets.empty()) ok = fail(r, {}, "there are no tetrahedra");
    Result<TetMesh> result;
    if (!ok) {
        result.errors.push_back(std::move(*r.error));
        return result;
    }
    r.mesh.point_groups = collect_groups(points);
    r.mesh.tet_groups = collect_groups(tets);
    finish_tets(r.mesh);
    result.value = std::move(r.mesh);
    return result;
}

} // namespace sinew
