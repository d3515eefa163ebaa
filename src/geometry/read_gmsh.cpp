// Gmsh's .msh files of version 2.2 and 4.1 (Geuzaine and Remacle 2009; the format's chapter of the manual). Sections
// that are not needed are skipped. Tags of points are arbitrary numbers, each once.
#include "geometry/gmsh_source.h"
#include "geometry/read_tets.h"
#include "geometry/tet_groups.h"
#include <algorithm>
#include <limits>

namespace sinew {

namespace {
constexpr std::size_t kMaxItems = std::size_t(std::numeric_limits<int>::max()) / 4;
constexpr int kTet = 4, kTet10 = 11;

// Points of an element by its type, 0 = not known: lines, triangles and so on of first and second order.
int element_points(int type) {
    static constexpr int kPoints[] = {0, 2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13};
    return type >= 1 && type < int(std::size(kPoints)) ? kPoints[type] : 0;
}

struct Named { // a physical group
    int dimension;
    std::int64_t tag;
    std::string name;
};
struct Entity { // of version 4.1: its physical groups
    int dimension;
    std::int64_t tag;
    std::vector<int> groups;
};

struct GmshReader {
    GmshSource in;
    int version = 0; // 22 or 41
    std::vector<Named> names;
    std::vector<Entity> entities;                          // sorted before use
    std::vector<std::pair<std::int64_t, int>> point_of;    // tag -> point, sorted before use
    struct Member {
        int dimension;
        std::int64_t group;
        std::vector<std::int64_t> tags; // of points; a tetrahedron's index instead for dimension 3
    };
    std::vector<Member> members;
    std::vector<std::array<std::int64_t, 4>> corners; // tags
    std::vector<std::int64_t> place;                  // line or byte of each tetrahedron
    bool other_elements = false, nodes = false, elements = false;
    TetMesh mesh;
};

bool read_format(GmshReader& r) {
    double version;
    std::int64_t binary, size;
    if (!read_word_real(r.in, version) || !read_word_integer(r.in, binary) || !read_word_integer(r.in, size)) return false;
    if (version == 2.2) r.version = 22;
    else if (version == 4.1) r.version = 41;
    else return fail(r.in, std::to_string(version), "this version of the format is not read", "2.2, 4.1");
    if (binary != 0 && binary != 1) return fail(r.in, std::to_string(binary), "neither ascii nor binary", "0, 1");
    if (size != 8) return fail(r.in, std::to_string(size), "numbers have the wrong size", "8");
    if (binary == 1) {
        r.in.binary = true;
        int one;
        if (!begin_data(r.in) || !read_int(r.in, one)) return false;
        if (one != 1) return fail(r.in, {}, "the file has the other byte order", "little endian");
    }
    return true;
}

bool read_names(GmshReader& r) {
    std::int64_t count;
    if (!read_word_count(r.in, count)) return false;
    for (std::int64_t i = 0; i < count; ++i) {
        Named n;
        std::int64_t dimension;
        if (!read_word_integer(r.in, dimension) || !read_word_integer(r.in, n.tag) || !read_quoted(r.in, n.name)) return false;
        if (dimension < 0 || dimension > 3) return fail(r.in, std::to_string(dimension), "a group has no such dimension", "0 to 3");
        n.dimension = int(dimension);
        r.names.push_back(std::move(n));
    }
    return true;
}

bool read_entities(GmshReader& r) {
    if (!begin_data(r.in)) return false;
    std::array<std::size_t, 4> counts;
    for (std::size_t& c : counts)
        if (!read_size(r.in, c)) return false;
    for (int dimension = 0; dimension < 4; ++dimension)
        for (std::size_t i = 0; i < counts[dimension]; ++i) {
            Entity e{dimension, 0, {}};
            int tag;
            double ignored;
            if (!read_int(r.in, tag)) return false;
            for (int k = 0; k < (dimension == 0 ? 3 : 6); ++k)
                if (!read_real(r.in, ignored)) return false;
            std::size_t groups, bounding = 0;
            if (!read_size(r.in, groups)) return false;
            for (std::size_t k = 0; k < groups; ++k) {
                int group;
                if (!read_int(r.in, group)) return false;
                e.groups.push_back(group);
            }
            if (dimension > 0 && !read_size(r.in, bounding)) return false;
            for (std::size_t k = 0; k < bounding; ++k)
                if (int b; !read_int(r.in, b)) return false;
            e.tag = tag;
            if (!e.groups.empty()) r.entities.push_back(std::move(e));
        }
    const auto before = [](const Entity& a, const Entity& b) { return a.dimension != b.dimension ? a.dimension < b.dimension : a.tag < b.tag; };
    std::sort(r.entities.begin(), r.entities.end(), before);
    return true;
}

bool add_point(GmshReader& r, std::int64_t tag) {
    Real3 x;
    for (int k = 0; k < 3; ++k)
        if (!read_real(r.in, x[k])) return false;
    if (r.mesh.points.size() >= kMaxItems) return fail(r.in, {}, "too many points");
    r.point_of.push_back({tag, int(r.mesh.points.size())});
    r.mesh.points.push_back(x);
    return true;
}

bool read_nodes(GmshReader& r) {
    if (r.nodes) return fail(r.in, {}, "a second section of points");
    r.nodes = true;
    if (r.version == 22) {
        std::int64_t count;
        if (!read_word_count(r.in, count) || !begin_data(r.in)) return false;
        for (std::int64_t i = 0; i < count; ++i)
            if (int tag; !read_int(r.in, tag) || !add_point(r, tag)) return false;
        return true;
    }
    std::size_t blocks, ignored;
    if (!begin_data(r.in) || !read_size(r.in, blocks)) return false;
    for (int k = 0; k < 3; ++k)
        if (!read_size(r.in, ignored)) return false;
    for (std::size_t b = 0; b < blocks; ++b) {
        int dimension, entity, parametric;
        std::size_t count;
        if (!read_int(r.in, dimension) || !read_int(r.in, entity) || !read_int(r.in, parametric) || !read_size(r.in, count)) return false;
        if (dimension < 0 || dimension > 3) return fail(r.in, std::to_string(dimension), "there is no such dimension", "0 to 3");
        if (!enough_left(r.in, count)) return false;
        std::vector<std::size_t> tags(count);
        for (std::size_t& tag : tags)
            if (!read_size(r.in, tag)) return false;
        for (std::size_t tag : tags) {
            if (!add_point(r, std::int64_t(tag))) return false;
            double u;
            for (int k = 0; parametric != 0 && k < dimension; ++k)
                if (!read_real(r.in, u)) return false;
        }
    }
    return true;
}

// one element's points, and its groups
template <class ReadTag> bool read_element(GmshReader& r, int type, int points, int dimension, const std::vector<int>& groups, ReadTag&& read_tag) {
    std::vector<std::int64_t> tags(points);
    for (std::int64_t& t : tags)
        if (!read_tag(t)) return false;
    if (type == kTet || type == kTet10) {
        if (r.corners.size() >= kMaxItems) return fail(r.in, {}, "too many tetrahedra");
        for (int g : groups) r.members.push_back({3, g, {std::int64_t(r.corners.size())}});
        r.corners.push_back({tags[0], tags[1], tags[2], tags[3]});
        r.place.push_back(place_of(r.in));
        if (type == kTet10 && r.mesh.notes.empty()) r.mesh.notes.push_back("tetrahedra of second order count by their corners");
    } else {
        if (dimension == 3) r.other_elements = true;
        for (int g : groups)
            if (dimension < 3) r.members.push_back({dimension, g, tags});
    }
    return true;
}

int element_dimension(int type) {
    switch (type) {
    case 15: return 0;
    case 1: case 8: return 1;
    case 2: case 3: case 9: case 10: case 16: return 2;
    default: return 3;
    }
}

bool check_type(GmshReader& r, int type) {
    return element_points(type) > 0 || fail(r.in, std::to_string(type), "this type of element is not read", "1 to 19");
}

bool read_elements_22(GmshReader& r) {
    std::int64_t count;
    if (!read_word_count(r.in, count) || !begin_data(r.in)) return false;
    const auto read_tag = [&](std::int64_t& t) {
        int tag;
        if (!read_int(r.in, tag)) return false;
        t = tag;
        return true;
    };
    for (std::int64_t done = 0; done < count;) {
        // ascii: number type tags; binary: a block of elements of one type
        int id, type, in_block = 1, tag_count;
        if (r.in.binary) {
            if (!read_int(r.in, type) || !read_int(r.in, in_block) || !read_int(r.in, tag_count)) return false;
            if (in_block < 1 || in_block > count - done) return fail(r.in, std::to_string(in_block), "a block has the wrong number of elements");
        } else if (!read_int(r.in, id) || !read_int(r.in, type) || !read_int(r.in, tag_count)) return false;
        if (!check_type(r, type)) return false;
        if (tag_count < 0 || tag_count > 1000) return fail(r.in, std::to_string(tag_count), "not a number of tags", "0 to 1000");
        for (int i = 0; i < in_block; ++i) {
            if (r.in.binary && !read_int(r.in, id)) return false;
            std::vector<int> groups;
            for (int k = 0; k < tag_count; ++k) {
                int tag;
                if (!read_int(r.in, tag)) return false;
                if (k == 0 && tag != 0) groups.push_back(tag);
            }
            if (!read_element(r, type, element_points(type), element_dimension(type), groups, read_tag)) return false;
        }
        done += in_block;
    }
    return true;
}

bool read_elements_41(GmshReader& r) {
    std::size_t blocks, ignored;
    if (!begin_data(r.in) || !read_size(r.in, blocks)) return false;
    for (int k = 0; k < 3; ++k)
        if (!read_size(r.in, ignored)) return false;
    const auto read_tag = [&](std::int64_t& t) {
        std::size_t tag;
        if (!read_size(r.in, tag)) return false;
        t = std::int64_t(tag);
        return true;
    };
    for (std::size_t b = 0; b < blocks; ++b) {
        int dimension, tag, type;
        std::size_t count;
        if (!read_int(r.in, dimension) || !read_int(r.in, tag) || !read_int(r.in, type) || !read_size(r.in, count)) return false;
        if (!check_type(r, type) || !enough_left(r.in, count)) return false;
        std::vector<int> groups;
        const auto found = std::lower_bound(r.entities.begin(), r.entities.end(), std::pair<int, std::int64_t>(dimension, tag), [](const Entity& e, const auto& key) {
            return e.dimension != key.first ? e.dimension < key.first : e.tag < key.second;
        });
        if (found != r.entities.end() && found->dimension == dimension && found->tag == tag) groups = found->groups;
        for (std::size_t i = 0; i < count; ++i) {
            std::int64_t id;
            if (!read_tag(id) || !read_element(r, type, element_points(type), element_dimension(type), groups, read_tag)) return false;
        }
    }
    return true;
}

bool read_section(GmshReader& r, std::string_view name) {
    if (name == "PhysicalNames") return read_names(r);
    if (name == "Entities" && r.version == 41) return read_entities(r);
    if (name == "Nodes") return read_nodes(r);
    if (name == "Elements") {
        if (r.elements) return fail(r.in, {}, "a second section of elements");
        r.elements = true;
        return r.version == 22 ? read_elements_22(r) : read_elements_41(r);
    }
    return skip_section(r.in, name);
}

bool read_sections(GmshReader& r) {
    std::string_view word;
    if (!next_section(r.in, word) || word != "MeshFormat") return fail(r.in, {}, "this is no Gmsh file: it does not begin with $MeshFormat");
    if (!read_format(r) || !end_section(r.in, "MeshFormat")) return false;
    while (next_section(r.in, word)) {
        const std::string name(word);
        if (!read_section(r, name) || !end_section(r.in, name)) return false;
    }
    return !r.in.error;
}

bool find_point(const GmshReader& r, std::int64_t tag, int& point) {
    const auto at = std::lower_bound(r.point_of.begin(), r.point_of.end(), std::pair<std::int64_t, int>(tag, -1));
    if (at == r.point_of.end() || at->first != tag) return false;
    point = at->second;
    return true;
}

// tags become points, groups get their names
bool connect(GmshReader& r) {
    std::sort(r.point_of.begin(), r.point_of.end());
    for (std::size_t i = 1; i < r.point_of.size(); ++i)
        if (r.point_of[i].first == r.point_of[i - 1].first) return fail(r.in, std::to_string(r.point_of[i].first), "two points have the same tag");
    if (r.corners.empty()) return fail(r.in, {}, r.other_elements ? "the file has solid elements, but no tetrahedra" : "the file has no tetrahedra");
    for (std::size_t t = 0; t < r.corners.size(); ++t) {
        std::array<int, 4> c;
        for (int k = 0; k < 4; ++k)
            if (!find_point(r, r.corners[t][k], c[k]))
                return fail_at(r.in, r.place[t], std::to_string(r.corners[t][k]), "the tetrahedron refers to a point that does not exist");
        std::array<int, 4> sorted = c;
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return fail_at(r.in, r.place[t], {}, "the tetrahedron names a point twice");
        r.mesh.tets.push_back(c);
    }
    GroupCollector points, tets;
    for (const GmshReader::Member& m : r.members) {
        std::string name = "group_" + std::to_string(m.group);
        for (const Named& n : r.names)
            if (n.dimension == m.dimension && n.tag == m.group) name = n.name;
        if (m.dimension == 3) tets[name].push_back(int(m.tags[0]));
        else
            for (std::int64_t tag : m.tags)
                if (int p; find_point(r, tag, p)) points[name].push_back(p);
                else return fail(r.in, std::to_string(tag), "an element refers to a point that does not exist");
    }
    r.mesh.point_groups = collect_groups(points);
    r.mesh.tet_groups = collect_groups(tets);
    if (r.other_elements) r.mesh.notes.push_back("solid elements other than tetrahedra left out");
    return true;
}
} // namespace

Result<TetMesh> parse_gmsh(std::string_view bytes, std::string_view file) {
    GmshReader r;
    r.in.file = file;
    r.in.cursor = TextCursor{bytes};
    Result<TetMesh> result;
    if (!read_sections(r) || !connect(r)) {
        result.errors.push_back(std::move(*r.in.error));
        return result;
    }
    finish_tets(r.mesh);
    result.value = std::move(r.mesh);
    return result;
}

} // namespace sinew
