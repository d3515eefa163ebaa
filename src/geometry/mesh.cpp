#include "geometry/mesh.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {
constexpr std::size_t kMaxErrors = 10;

struct Validation {
    std::vector<Error> errors;
    bool full() const { return errors.size() >= kMaxErrors; }
    void add(std::string path, std::string value, std::string message, std::string allowed = {}) {
        if (full()) return;
        Error e;
        e.path = std::move(path);
        e.value = std::move(value);
        e.message = std::move(message);
        e.allowed = std::move(allowed);
        errors.push_back(std::move(e));
    }
};

std::string item(const char* name, std::size_t i) {
    return std::string(name) + "[" + std::to_string(i) + "]";
}

void check_indices(Validation& v, const char* name, const std::vector<int>& indices, int first, int count) {
    for (std::size_t i = 0; i < indices.size() && !v.full(); ++i)
        if (indices[i] < first || indices[i] >= count)
            v.add(item(name, i), std::to_string(indices[i]), "index out of range",
                  std::to_string(first) + " to " + std::to_string(count - 1));
}

void check_polygons(Validation& v, const PolygonMesh& m) {
    const auto& begin = m.polygon_begin;
    if (begin.empty() || begin.front() != 0 || begin.back() != int(m.polygon_vertex.size())) {
        v.add("polygon_begin", "", "must start at 0 and end at the number of corners");
        return;
    }
    for (std::size_t i = 0; i + 1 < begin.size() && !v.full(); ++i)
        if (begin[i] < 0 || begin[i + 1] > begin.back() || std::int64_t(begin[i + 1]) - begin[i] < 3)
            v.add(item("polygon_begin", i), std::to_string(begin[i]), "polygon needs at least 3 corners");
    check_indices(v, "polygon_vertex", m.polygon_vertex, 0, vertex_count(m));
    if (!m.polygon_uv.empty() && m.polygon_uv.size() != m.polygon_vertex.size())
        v.add("polygon_uv", std::to_string(m.polygon_uv.size()), "must have one entry per corner or none",
              std::to_string(m.polygon_vertex.size()));
    check_indices(v, "polygon_uv", m.polygon_uv, -1, int(m.uv.size()));
}
} // namespace

int add_polygon(PolygonMesh& m, const std::vector<int>& vertices) {
    m.polygon_vertex.insert(m.polygon_vertex.end(), vertices.begin(), vertices.end());
    m.polygon_begin.push_back(int(m.polygon_vertex.size()));
    return polygon_count(m) - 1;
}

const std::vector<int>* find_vertex_group(const PolygonMesh& m, std::string_view name) {
    for (const auto& group : m.vertex_groups)
        if (group.first == name) return &group.second;
    return nullptr;
}

std::vector<Error> validate_mesh(const PolygonMesh& m) {
    Validation v;
    for (std::size_t i = 0; i < m.positions.size() && !v.full(); ++i)
        for (int k = 0; k < 3; ++k)
            if (!std::isfinite(m.positions[i][k]))
                v.add(item("positions", i), std::to_string(m.positions[i][k]), "not a finite number");
    check_polygons(v, m);
    for (std::size_t i = 0; i < m.uv.size() && !v.full(); ++i)
        if (!std::isfinite(m.uv[i][0]) || !std::isfinite(m.uv[i][1]))
            v.add(item("uv", i), "", "not a finite number");
    for (std::size_t i = 0; i < m.segments.size() && !v.full(); ++i)
        for (int end : m.segments[i])
            if (end < 0 || end >= vertex_count(m))
                v.add(item("segments", i), std::to_string(end), "index out of range",
                      "0 to " + std::to_string(vertex_count(m) - 1));
    for (const auto& group : m.vertex_groups)
        check_indices(v, group.first.c_str(), group.second, 0, vertex_count(m));
    for (const auto& group : m.polygon_groups)
        check_indices(v, group.name.c_str(), group.polygons, 0, polygon_count(m));
    for (const auto& a : m.attributes)
        if (a.components < 1 || a.values.size() != m.positions.size() * std::size_t(a.components))
            v.add(a.name, std::to_string(a.values.size()), "attribute has the wrong length",
                  std::to_string(m.positions.size()) + " * components");
    return std::move(v.errors);
}

Bounds compute_bounds(const PolygonMesh& m) {
    Bounds b;
    if (m.positions.empty()) return b;
    b.min = b.max = m.positions[0];
    for (const Real3& x : m.positions)
        for (int k = 0; k < 3; ++k) {
            b.min[k] = std::min(b.min[k], x[k]);
            b.max[k] = std::max(b.max[k], x[k]);
        }
    return b;
}

} // namespace sinew
