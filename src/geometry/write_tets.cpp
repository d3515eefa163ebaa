// Writers of read_tets.h, and reading and writing by file name.
#include "core/atomic_file.h"
#include "geometry/read_tets.h"
#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <new>

namespace sinew {

namespace {
constexpr std::uint64_t kMaxTextBytes = std::uint64_t(8) << 30;

void append(std::string& out, double value) {
    char digits[32];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}
template <class T> void append_bytes(std::string& out, T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out.append(bytes, sizeof(T));
}

// per item the number of its first group, 0 = none
std::vector<int> first_group(const std::vector<TetGroup>& groups, std::size_t count, const std::vector<int>& number) {
    std::vector<int> of(count, 0);
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (int i : groups[g].members)
            if (of[i] == 0) of[i] = number[g];
    return of;
}

// "marker_7" keeps 7, other names get numbers that are free
std::vector<int> numbers_of(const std::vector<TetGroup>& groups, std::string_view prefix) {
    std::vector<int> number(groups.size(), 0);
    int next = 1;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const std::string& name = groups[g].name;
        int n = 0;
        if (name.size() > prefix.size() && std::string_view(name).substr(0, prefix.size()) == prefix &&
            std::from_chars(name.data() + prefix.size(), name.data() + name.size(), n).ptr == name.data() + name.size() && n != 0) {
            number[g] = n;
            next = std::max(next, n < 1000000000 ? n + 1 : n);
        }
    }
    for (int& n : number)
        if (n == 0) n = next++;
    return number;
}

std::string extension_of(const std::string& path) {
    std::string e = std::filesystem::path(path).extension().string();
    std::transform(e.begin(), e.end(), e.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return e;
}

std::vector<Error> read_text(const std::string& path, std::string& text) {
    Bytes bytes;
    const std::vector<Error> errors = read_file(path, kMaxTextBytes, bytes);
    text.assign(bytes.begin(), bytes.end());
    return errors;
}
} // namespace

std::string format_gmsh(const TetMesh& m, bool binary) {
    std::string out = binary ? "$MeshFormat\n2.2 1 8\n" : "$MeshFormat\n2.2 0 8\n";
    if (binary) append_bytes(out, int(1)), out += '\n';
    out += "$EndMeshFormat\n";
    if (const std::size_t names = m.tet_groups.size() + m.point_groups.size(); names > 0) {
        out += "$PhysicalNames\n" + std::to_string(names) + '\n';
        int tag = 1;
        for (const TetGroup& g : m.point_groups) out += "0 " + std::to_string(tag++) + " \"" + g.name + "\"\n";
        for (const TetGroup& g : m.tet_groups) out += "3 " + std::to_string(tag++) + " \"" + g.name + "\"\n";
        out += "$EndPhysicalNames\n";
    }
    out += "$Nodes\n" + std::to_string(m.points.size()) + '\n';
    for (std::size_t i = 0; i < m.points.size(); ++i) {
        if (binary) append_bytes(out, int(i + 1));
        else out += std::to_string(i + 1);
        for (int k = 0; k < 3; ++k) {
            if (binary) append_bytes(out, m.points[i][k]);
            else out += ' ', append(out, m.points[i][k]);
        }
        if (!binary) out += '\n';
    }
    out += binary ? "\n$EndNodes\n" : "$EndNodes\n";
    std::size_t count = m.tets.size();
    for (const TetGroup& g : m.point_groups) count += g.members.size();
    out += "$Elements\n" + std::to_string(count) + '\n';
    int id = 1;
    const auto element = [&](int type, int group, const int* points, int n) {
        int row[4] = {id++, type, 2, group};
        if (binary) {
            for (int v : {type, 1, 2, row[0], group, group}) append_bytes(out, v);
            for (int k = 0; k < n; ++k) append_bytes(out, points[k] + 1);
            return;
        }
        for (int v : row) out += std::to_string(v) + ' ';
        out += std::to_string(group);
        for (int k = 0; k < n; ++k) out += ' ' + std::to_string(points[k] + 1);
        out += '\n';
    };
    std::vector<int> number;
    for (std::size_t g = 0; g < m.tet_groups.size(); ++g) number.push_back(int(m.point_groups.size() + g) + 1);
    for (std::size_t g = 0; g < m.point_groups.size(); ++g)
        for (int p : m.point_groups[g].members) element(15, int(g) + 1, &p, 1);
    const std::vector<int> group = first_group(m.tet_groups, m.tets.size(), number);
    for (std::size_t t = 0; t < m.tets.size(); ++t) element(4, group[t], m.tets[t].data(), 4);
    out += binary ? "\n$EndElements\n" : "$EndElements\n";
    return out;
}

TetgenFiles format_tetgen(const TetMesh& m) {
    TetgenFiles f;
    const std::vector<int> marker = first_group(m.point_groups, m.points.size(), numbers_of(m.point_groups, "marker_"));
    const std::vector<int> region = first_group(m.tet_groups, m.tets.size(), numbers_of(m.tet_groups, "region_"));
    const bool markers = !m.point_groups.empty(), regions = !m.tet_groups.empty();
    f.node = std::to_string(m.points.size()) + " 3 0 " + (markers ? "1\n" : "0\n");
    for (std::size_t i = 0; i < m.points.size(); ++i) {
        f.node += std::to_string(i);
        for (int k = 0; k < 3; ++k) f.node += ' ', append(f.node, m.points[i][k]);
        if (markers) f.node += ' ' + std::to_string(marker[i]);
        f.node += '\n';
    }
    f.ele = std::to_string(m.tets.size()) + " 4 " + (regions ? "1\n" : "0\n");
    for (std::size_t t = 0; t < m.tets.size(); ++t) {
        f.ele += std::to_string(t);
        for (int p : m.tets[t]) f.ele += ' ' + std::to_string(p);
        if (regions) f.ele += ' ' + std::to_string(region[t]);
        f.ele += '\n';
    }
    return f;
}

Result<TetMesh> read_tets(const std::string& path) {
    Result<TetMesh> result;
    try {
        const std::string extension = extension_of(path);
        std::string text;
        if (extension == ".msh") {
            result.errors = read_text(path, text);
            return result.errors.empty() ? parse_gmsh(text, path) : result;
        }
        if (extension != ".node" && extension != ".ele") {
            result.errors = {Error{.file = path, .message = "unknown kind of file of tetrahedra", .allowed = ".msh, .node, .ele"}};
            return result;
        }
        const std::string base = path.substr(0, path.size() - extension.size());
        std::string ele, face;
        result.errors = read_text(base + ".node", text);
        add_errors(result.errors, read_text(base + ".ele", ele));
        std::error_code code;
        if (std::filesystem::exists(base + ".face", code)) add_errors(result.errors, read_text(base + ".face", face));
        return result.errors.empty() ? parse_tetgen({text, ele, face}, base) : result;
    } catch (const std::bad_alloc&) {
        result.errors = {Error{.file = path, .message = "not enough memory for this mesh"}};
    } catch (const std::exception& e) {
        result.errors = {Error{.file = path, .message = std::string("the file cannot be read: ") + e.what()}};
    }
    result.value.reset();
    return result;
}

std::vector<Error> write_tets(const std::string& path, const TetMesh& m) {
    const std::string extension = extension_of(path);
    if (extension == ".msh") return write_atomically(path, as_bytes(format_gmsh(m, false)));
    if (extension != ".node" && extension != ".ele")
        return {Error{.file = path, .message = "unknown kind of file of tetrahedra", .allowed = ".msh, .node, .ele"}};
    const std::string base = path.substr(0, path.size() - extension.size());
    const TetgenFiles f = format_tetgen(m);
    std::vector<Error> errors = write_atomically(base + ".node", as_bytes(f.node));
    if (errors.empty()) errors = write_atomically(base + ".ele", as_bytes(f.ele));
    return errors;
}

} // namespace sinew
