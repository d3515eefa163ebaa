#include "output/mesh_file.h"
#include "core/math.h"
#include "geometry/triangulate.h"
#include "core/atomic_file.h"
#include "output/text.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>

namespace sinew {

namespace {
std::string extension_of(const std::string& path) {
    std::string e = std::filesystem::path(path).extension().string();
    std::transform(e.begin(), e.end(), e.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return e;
}

void append_numbers(std::string& out, const double* x, int n) {
    for (int k = 0; k < n; ++k) {
        out += ' ';
        append_number(out, x[k], false);
    }
}

const VertexAttribute* find_attribute(const PolygonMesh& m, std::string_view name, int components) {
    for (const VertexAttribute& a : m.attributes)
        if (a.name == name && a.components == components) return &a;
    return nullptr;
}

// "g a b", "o name", "usemtl name" in force at each polygon; index 0 of the table = none.
struct ObjStates {
    std::vector<std::string> line[3]; // per kind the different lines
    std::vector<int> at[3];           // per kind and polygon the line
};

ObjStates find_states(const PolygonMesh& m) {
    static constexpr const char* kWord[3] = {"g", "o", "usemtl"};
    ObjStates s;
    std::vector<std::vector<int>> groups(std::size_t(polygon_count(m)));
    for (int k = 0; k < 3; ++k) {
        s.line[k].push_back(kWord[k]);
        s.at[k].assign(std::size_t(polygon_count(m)), 0);
    }
    for (int g = 0; g < int(m.polygon_groups.size()); ++g) {
        const PolygonGroup& group = m.polygon_groups[g];
        for (int p : group.polygons)
            if (group.kind == PolygonGroupKind::group) groups[p].push_back(g);
            else s.at[int(group.kind)][p] = int(s.line[int(group.kind)].size());
        if (group.kind != PolygonGroupKind::group) s.line[int(group.kind)].push_back(std::string(kWord[int(group.kind)]) + " " + group.name);
    }
    for (int p = 0; p < polygon_count(m); ++p) {
        if (groups[p].empty()) continue;
        if (p > 0 && groups[p] == groups[p - 1]) {
            s.at[0][p] = s.at[0][p - 1];
            continue;
        }
        std::string line = "g";
        for (int g : groups[p]) line += " " + one_word(m.polygon_groups[g].name);
        s.at[0][p] = int(s.line[0].size());
        s.line[0].push_back(std::move(line));
    }
    return s;
}

void append_polygon(std::string& out, const PolygonMesh& m, int p) {
    const int begin = m.polygon_begin[p], end = m.polygon_begin[p + 1];
    bool uv = !m.polygon_uv.empty();
    for (int c = begin; c < end && uv; ++c) uv = m.polygon_uv[c] >= 0; // OBJ cannot mix
    out += 'f';
    for (int c = begin; c < end; ++c) {
        out += ' ';
        append_integer(out, m.polygon_vertex[c] + 1);
        if (uv) out += '/', append_integer(out, m.polygon_uv[c] + 1);
    }
    out += '\n';
}

// Vertices of a group that no polygon of that name brings in.
void append_loose_groups(std::string& out, const PolygonMesh& m) {
    for (const auto& [name, vertices] : m.vertex_groups) {
        std::vector<char> covered(m.positions.size(), 0);
        for (const PolygonGroup& g : m.polygon_groups)
            for (int p : g.name == name && g.kind != PolygonGroupKind::material ? g.polygons : std::vector<int>{})
                for (int c = m.polygon_begin[p]; c < m.polygon_begin[p + 1]; ++c) covered[m.polygon_vertex[c]] = 1;
        bool first = true;
        for (int v : vertices) {
            if (covered[v]) continue;
            if (first) out += "g " + one_word(name) + "\n";
            first = false;
            out += "p ";
            append_integer(out, v + 1);
            out += '\n';
        }
    }
}

std::string ply_text(const PolygonMesh& m) {
    std::string out = "ply\nformat ascii 1.0\ncomment Sinew\nelement vertex " + std::to_string(vertex_count(m)) + "\n";
    for (const char* axis : {"x", "y", "z"}) out += std::string("property double ") + axis + "\n";
    for (const VertexAttribute& a : m.attributes) {
        static constexpr const char* kNormal[] = {"nx", "ny", "nz"};
        static constexpr const char* kColor[] = {"red", "green", "blue"};
        for (int k = 0; k < a.components; ++k)
            out += "property double " + (a.name == "normal" && a.components == 3  ? std::string(kNormal[k])
                                         : a.name == "color" && a.components == 3 ? std::string(kColor[k])
                                         : a.components == 1                      ? one_word(a.name)
                                                                                  : one_word(a.name) + "_" + std::to_string(k)) + "\n";
    }
    const bool uv = !m.polygon_uv.empty();
    out += "element face " + std::to_string(polygon_count(m)) + "\nproperty list int int vertex_indices\n";
    if (uv) out += "property list int double texcoord\n";
    out += "end_header\n";
    for (int v = 0; v < vertex_count(m); ++v) {
        std::string row;
        append_numbers(row, &m.positions[v].x, 3);
        for (const VertexAttribute& a : m.attributes) append_numbers(row, &a.values[std::size_t(v) * a.components], a.components);
        out.append(row, 1);
        out += '\n';
    }
    for (int p = 0; p < polygon_count(m); ++p) {
        append_integer(out, polygon_size(m, p));
        for (int c = m.polygon_begin[p]; c < m.polygon_begin[p + 1]; ++c) out += ' ', append_integer(out, m.polygon_vertex[c]);
        if (uv) {
            out += ' ';
            append_integer(out, 2 * polygon_size(m, p));
            for (int c = m.polygon_begin[p]; c < m.polygon_begin[p + 1]; ++c) {
                const std::array<double, 2> none{0, 0};
                append_numbers(out, (m.polygon_uv[c] >= 0 ? m.uv[m.polygon_uv[c]] : none).data(), 2);
            }
        }
        out += '\n';
    }
    return out;
}

std::string stl_bytes(const PolygonMesh& m) {
    const Triangulation t = triangulate(m);
    std::string out = "Sinew";
    out.resize(80, ' ');
    const auto append = [&](const void* data, std::size_t n) { out.append(static_cast<const char*>(data), n); };
    const std::uint32_t count = std::uint32_t(t.triangles.size());
    append(&count, 4);
    for (const auto& v : t.triangles) {
        const Vec3 a = vec(m.positions[v[0]]), b = vec(m.positions[v[1]]), c = vec(m.positions[v[2]]);
        const Vec3 n = (b - a).cross(c - a).stableNormalized();
        for (const Vec3& x : {n, a, b, c})
            for (int k = 0; k < 3; ++k) {
                const float f = float(x[k]);
                append(&f, 4);
            }
        const std::uint16_t zero = 0;
        append(&zero, 2);
    }
    return out;
}
} // namespace

std::string obj_text(const PolygonMesh& m) {
    std::string out = "# Sinew\n";
    const VertexAttribute* color = find_attribute(m, "color", 3);
    for (int v = 0; v < vertex_count(m); ++v) {
        out += 'v';
        append_numbers(out, &m.positions[v].x, 3);
        if (color) append_numbers(out, &color->values[3 * std::size_t(v)], 3);
        out += '\n';
    }
    for (const auto& uv : m.uv) out += "vt", append_numbers(out, uv.data(), 2), out += '\n';
    const ObjStates states = find_states(m);
    int now[3] = {0, 0, 0};
    for (int p = 0; p < polygon_count(m); ++p) {
        for (int k : {1, 0, 2})
            if (states.at[k][p] != now[k]) out += states.line[k][std::size_t(now[k] = states.at[k][p])] + "\n";
        append_polygon(out, m, p);
    }
    if (now[1]) out += "o\n";
    if (now[0]) out += "g\n";
    for (const auto& s : m.segments) {
        out += "l ";
        append_integer(out, s[0] + 1);
        out += ' ';
        append_integer(out, s[1] + 1);
        out += '\n';
    }
    append_loose_groups(out, m);
    return out;
}

bool can_write_mesh(const std::string& path) {
    const std::string e = extension_of(path);
    return e == ".obj" || e == ".ply" || e == ".stl";
}

Errors write_mesh(const std::string& path, const PolygonMesh& m, std::vector<std::string>& notes) {
    const std::string e = extension_of(path);
    if (!can_write_mesh(path)) return {Error{.file = path, .message = "no mesh format of this name", .allowed = ".obj, .ply, .stl"}};
    std::string lost;
    const auto lose = [&](bool present, const char* what) {
        if (present) lost += (lost.empty() ? "" : ", ") + std::string(what);
    };
    lose(e != ".obj" && !m.polygon_groups.empty(), "groups");
    lose(e != ".obj" && !m.segments.empty(), "segments");
    lose(e == ".stl" && !m.uv.empty(), "texture coordinates");
    for (const VertexAttribute& a : m.attributes)
        lose(e == ".stl" || (e == ".obj" && !(a.name == "color" && a.components == 3)), a.name.c_str());
    if (!lost.empty()) notes.push_back(e.substr(1) + " cannot hold and leaves out: " + lost);
    return write_atomically(path, as_bytes(e == ".obj" ? obj_text(m) : e == ".ply" ? ply_text(m) : stl_bytes(m)));
}

} // namespace sinew
