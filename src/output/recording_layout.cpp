// Payload of a layout chunk: columns over all objects ("object/name", ...), then the arrays of each object
// ("7/rest", ...), absent where empty.
#include "output/arrays.h"
#include "output/check.h"
#include "output/recording.h"
#include <cstring>

namespace sinew {
namespace {

template <std::size_t N, class T> std::span<const T> flat(const std::vector<std::array<T, N>>& a) {
    return {a.empty() ? nullptr : a[0].data(), N * a.size()};
}
std::span<const double> flat(const std::vector<Real3>& a) {
    return {a.empty() ? nullptr : &a[0].x, 3 * a.size()};
}

template <class Row, class T> void unflatten(const std::vector<T>& from, std::vector<Row>& to) {
    static_assert(sizeof(Row) % sizeof(T) == 0);
    to.resize(from.size() * sizeof(T) / sizeof(Row));
    if (!to.empty()) std::memcpy(static_cast<void*>(to.data()), from.data(), from.size() * sizeof(T));
}

void add_object(const std::string& prefix, const SnapshotObject& o, ArrayWriter& out) {
    if (!o.rest.empty()) out.add<double>(prefix + "rest", flat(o.rest), 3);
    if (polygon_count(o) > 0) {
        out.add<int>(prefix + "polygon_begin", o.polygon_begin);
        out.add<int>(prefix + "polygon_vertex", o.polygon_vertex);
    }
    if (!o.uv.empty()) out.add<double>(prefix + "uv", flat(o.uv), 2);
    if (!o.polygon_uv.empty()) out.add<int>(prefix + "polygon_uv", o.polygon_uv);
    if (!o.segments.empty()) out.add<int>(prefix + "segments", flat(o.segments), 2);
    std::vector<std::string> groups;
    for (const auto& group : o.vertex_groups) groups.push_back(group.first);
    if (!groups.empty()) out.add_texts(prefix + "group_names", groups);
    for (std::size_t g = 0; g < groups.size(); ++g)
        out.add<int>(prefix + "group/" + std::to_string(g), o.vertex_groups[g].second);
    if (o.polygon_groups.empty()) return;
    std::vector<std::string> names;
    std::vector<std::uint8_t> kinds;
    for (const PolygonGroup& g : o.polygon_groups) names.push_back(g.name), kinds.push_back(std::uint8_t(g.kind));
    out.add_texts(prefix + "polygon_group_names", names);
    out.add<std::uint8_t>(prefix + "polygon_group_kinds", kinds);
    for (std::size_t g = 0; g < names.size(); ++g)
        out.add<int>(prefix + "polygon_group/" + std::to_string(g), o.polygon_groups[g].polygons);
}

void read_object(const std::string& prefix, const ArrayList& list, SnapshotObject& o, Errors& errors) {
    std::vector<double> reals;
    std::vector<int> ints;
    read_array(list, prefix + "rest", 3, reals, errors);
    unflatten(reals, o.rest);
    read_array(list, prefix + "polygon_begin", 0, o.polygon_begin, errors);
    if (o.polygon_begin.empty()) o.polygon_begin = {0};
    read_array(list, prefix + "polygon_vertex", 0, o.polygon_vertex, errors);
    read_array(list, prefix + "uv", 2, reals, errors);
    unflatten(reals, o.uv);
    read_array(list, prefix + "polygon_uv", 0, o.polygon_uv, errors);
    read_array(list, prefix + "segments", 2, ints, errors);
    unflatten(ints, o.segments);
    std::vector<std::string> groups;
    read_texts(list, prefix + "group_names", groups, errors);
    for (std::size_t g = 0; g < groups.size() && errors.empty(); ++g) {
        read_array(list, prefix + "group/" + std::to_string(g), 0, ints, errors);
        o.vertex_groups.emplace_back(groups[g], ints);
    }
    groups.clear();
    std::vector<std::uint8_t> kinds;
    read_texts(list, prefix + "polygon_group_names", groups, errors);
    read_array(list, prefix + "polygon_group_kinds", 0, kinds, errors);
    if (errors.empty() && kinds.size() != groups.size()) errors.push_back(file_error("", "a layout is incomplete"));
    for (std::size_t g = 0; g < groups.size() && errors.empty(); ++g) {
        read_array(list, prefix + "polygon_group/" + std::to_string(g), 0, ints, errors);
        o.polygon_groups.push_back({PolygonGroupKind(kinds[g]), groups[g], ints});
    }
}

struct Columns { // one entry per object
    std::vector<std::string> name, kind, material;
    std::vector<std::uint8_t> rigid, draw_points;
    std::vector<int> point_count;
    std::vector<double> radius, color;
};
} // namespace

Bytes encode_layout(const SnapshotLayout& layout) {
    Columns c;
    for (const SnapshotObject& o : layout.objects) {
        c.name.push_back(o.name);
        c.kind.push_back(o.kind);
        c.material.push_back(o.material);
        c.rigid.push_back(o.rigid);
        c.draw_points.push_back(o.draw_points);
        c.point_count.push_back(o.point_count);
        c.radius.push_back(o.radius);
        c.color.insert(c.color.end(), {o.color.x, o.color.y, o.color.z});
    }
    ArrayWriter out;
    out.add_text("scene_name", layout.scene_name);
    out.add_one<double>("fps", layout.fps);
    out.add_one<int>("first_frame", layout.first_frame);
    if (layout.up != "y") out.add_text("up", layout.up);
    if (!layout.camera.empty()) out.add<double>("camera", layout.camera);
    if (!layout.look.empty()) out.add_text("look", layout.look);
    out.add_texts("object/name", c.name);
    out.add_texts("object/kind", c.kind);
    out.add_texts("object/material", c.material);
    out.add<std::uint8_t>("object/rigid", c.rigid);
    out.add<std::uint8_t>("object/draw_points", c.draw_points);
    out.add<int>("object/point_count", c.point_count);
    out.add<double>("object/radius", c.radius);
    out.add<double>("object/color", c.color, 3);
    for (std::size_t i = 0; i < layout.objects.size(); ++i)
        add_object(std::to_string(i) + "/", layout.objects[i], out);
    return std::move(out.bytes);
}

Errors decode_layout(ByteSpan payload, SnapshotLayout& layout) {
    layout = SnapshotLayout();
    ArrayList list;
    if (Errors e = parse_arrays(payload, list); !e.empty()) return e;
    Errors errors;
    Columns c;
    std::vector<double> fps;
    std::vector<int> first_frame;
    read_text(list, "scene_name", layout.scene_name, errors);
    read_array(list, "fps", 0, fps, errors);
    read_array(list, "first_frame", 0, first_frame, errors);
    read_text(list, "up", layout.up, errors);
    if (layout.up.empty()) layout.up = "y";
    read_array(list, "camera", 0, layout.camera, errors);
    read_text(list, "look", layout.look, errors);
    if (layout.camera.size() != 10) layout.camera.clear();
    read_texts(list, "object/name", c.name, errors);
    read_texts(list, "object/kind", c.kind, errors);
    read_texts(list, "object/material", c.material, errors);
    read_array(list, "object/rigid", 0, c.rigid, errors);
    read_array(list, "object/draw_points", 0, c.draw_points, errors);
    read_array(list, "object/point_count", 0, c.point_count, errors);
    read_array(list, "object/radius", 0, c.radius, errors);
    read_array(list, "object/color", 3, c.color, errors);
    // all columns before any object is made, so that a list of names alone cannot fill the memory
    const std::size_t n = c.name.size();
    const bool equal = c.kind.size() == n && c.material.size() == n && c.rigid.size() == n &&
                       c.color.size() == 3 * n && c.draw_points.size() == n && c.point_count.size() == n &&
                       c.radius.size() == n;
    if (errors.empty() && (!equal || fps.size() != 1 || first_frame.size() != 1))
        errors.push_back(file_error("", "a layout is incomplete"));
    if (!errors.empty()) return errors;
    layout.fps = fps[0];
    layout.first_frame = first_frame[0];
    layout.objects.resize(n);
    for (std::size_t i = 0; i < n && errors.empty(); ++i) {
        SnapshotObject& o = layout.objects[i];
        o.name = c.name[i];
        o.kind = c.kind[i];
        o.material = c.material[i];
        o.rigid = c.rigid[i] != 0;
        o.draw_points = c.draw_points[i] != 0;
        o.point_count = c.point_count[i];
        o.radius = c.radius[i];
        o.color = {c.color[3 * i], c.color[3 * i + 1], c.color[3 * i + 2]};
        read_object(std::to_string(i) + "/", list, o, errors);
    }
    return errors.empty() ? check_layout(layout) : errors;
}

} // namespace sinew
