#include "output/check.h"
#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace sinew {
namespace {

bool is_printable(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 32; });
}

template <class Range> bool in_range(const Range& indices, std::size_t count) {
    return std::all_of(indices.begin(), indices.end(),
                       [&](int i) { return i >= 0 && std::size_t(i) < count; });
}

std::string check_polygons(const SnapshotObject& o) {
    const std::vector<int>& begin = o.polygon_begin;
    if (begin.empty())
        return o.polygon_vertex.empty() && o.polygon_uv.empty() ? "" : "polygon_begin is empty";
    if (begin.front() != 0 || std::size_t(begin.back()) != o.polygon_vertex.size())
        return "polygon_begin does not start at 0 or does not end at the number of corners";
    for (std::size_t i = 1; i < begin.size(); ++i)
        if (begin[i] - std::int64_t(begin[i - 1]) < 3) return "a polygon has fewer than 3 corners";
    if (!in_range(o.polygon_vertex, std::size_t(o.point_count)))
        return "a polygon names a vertex that does not exist";
    if (!o.polygon_uv.empty() && o.polygon_uv.size() != o.polygon_vertex.size())
        return "polygon_uv and polygon_vertex have different sizes";
    for (int i : o.polygon_uv) // -1 = a corner without
        if (i < -1 || i >= std::int64_t(o.uv.size()))
            return "a corner names a texture coordinate that does not exist";
    return "";
}

std::string check_object(const SnapshotObject& o) {
    if (o.name.empty()) return "an object has no name";
    if (!is_printable(o.name) || !is_printable(o.kind) || !is_printable(o.material))
        return "a name has control characters";
    if (o.point_count < 0) return "point_count is negative";
    if (o.rest.size() != std::size_t(o.point_count) && (o.rigid || !o.rest.empty()))
        return "rest does not have point_count entries";
    if (std::string text = check_polygons(o); !text.empty()) return text;
    for (const auto& s : o.segments)
        if (!in_range(s, std::size_t(o.point_count))) return "a segment names a vertex that does not exist";
    std::unordered_set<std::string_view> names;
    for (const auto& [name, vertices] : o.vertex_groups) {
        if (name.empty() || !is_printable(name)) return "a vertex group has no printable name";
        if (!names.insert(name).second) return "two vertex groups have the same name";
        if (!in_range(vertices, std::size_t(o.point_count)))
            return "a vertex group names a vertex that does not exist";
    }
    for (const PolygonGroup& g : o.polygon_groups) {
        if (g.name.empty() || !is_printable(g.name)) return "a polygon group has no printable name";
        if (int(g.kind) < 0 || int(g.kind) > 2) return "a polygon group is of no known kind";
        if (!in_range(g.polygons, std::size_t(polygon_count(o)))) return "a polygon group names a polygon that does not exist";
    }
    return "";
}

std::string check_object_frame(const SnapshotObject& o, const SnapshotObjectFrame& f) {
    const std::size_t n = std::size_t(o.point_count);
    if (f.position.size() != (o.rigid ? 0 : n))
        return "position does not have point_count entries (rigid: none)";
    if (!f.alive.empty() && f.alive.size() != n) return "alive does not have point_count entries";
    if (!f.id.empty() && f.id.size() != n) return "id does not have point_count entries";
    for (std::size_t i = 0; i < f.fields.size(); ++i) {
        const SnapshotField& field = f.fields[i];
        if (field.name.empty() || !is_printable(field.name)) return "a field has no printable name";
        if (field.components < 1 || field.values.size() != n * std::size_t(field.components))
            return "field \"" + field.name + "\" does not have point_count * components values";
        for (std::size_t j = 0; j < i; ++j)
            if (f.fields[j].name == field.name) return "two fields have the name \"" + field.name + "\"";
    }
    return "";
}
} // namespace

Errors check_layout(const SnapshotLayout& layout) {
    if (!is_printable(layout.scene_name)) return {data_error("scene_name", "a name has control characters")};
    if (!std::isfinite(layout.fps) || layout.fps <= 0)
        return {data_error("fps", "frames per second must be positive")};
    Errors errors;
    std::unordered_set<std::string_view> names;
    for (const SnapshotObject& o : layout.objects) {
        std::string text = check_object(o);
        if (text.empty() && !names.insert(o.name).second) text = "two objects have the same name";
        if (!text.empty()) errors.push_back(data_error("objects." + (is_printable(o.name) ? o.name : "?"), text));
        if (errors.size() == 20) break; // enough to see what is wrong
    }
    return errors;
}

Errors check_snapshot(const SnapshotLayout& layout, const Snapshot& snapshot) {
    if (snapshot.objects.size() != layout.objects.size())
        return {data_error("objects", "the snapshot has " + std::to_string(snapshot.objects.size()) +
                                     " objects, its layout " + std::to_string(layout.objects.size()))};
    Errors errors;
    for (std::size_t i = 0; i < layout.objects.size() && errors.size() < 20; ++i) {
        const std::string text = check_object_frame(layout.objects[i], snapshot.objects[i]);
        if (!text.empty()) errors.push_back(data_error("objects." + layout.objects[i].name, text));
    }
    for (const auto& [name, value] : snapshot.numbers)
        if (name.empty() || !is_printable(name))
            errors.push_back(data_error("numbers", "a number has no printable name"));
    return errors;
}

} // namespace sinew
