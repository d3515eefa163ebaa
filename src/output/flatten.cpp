#include "output/flatten.h"
#include "output/check.h"
#include "output/world.h"
#include <algorithm>

namespace sinew {
namespace {

// the field of this name, made and filled with `missing` where it is new; components grow to the largest
SnapshotField& find_field(FlatMesh& mesh, const SnapshotField& like) {
    for (SnapshotField& f : mesh.fields)
        if (f.name == like.name) return f;
    mesh.fields.push_back({like.name, like.components, {}});
    return mesh.fields.back();
}

void declare_fields(const Snapshot& snapshot, FlatMesh& mesh) {
    for (const SnapshotObjectFrame& o : snapshot.objects)
        for (const SnapshotField& f : o.fields) {
            SnapshotField& to = find_field(mesh, f);
            to.components = std::max(to.components, f.components);
        }
}

void append_fields(const SnapshotObjectFrame& frame, const std::vector<int>& shown, double missing,
                   FlatMesh& mesh) {
    for (SnapshotField& to : mesh.fields) {
        const std::size_t begin = to.values.size(), n = std::size_t(to.components);
        to.values.resize(begin + shown.size() * n, missing);
        for (const SnapshotField& from : frame.fields) {
            if (from.name != to.name) continue;
            for (std::size_t i = 0; i < shown.size(); ++i)
                for (int c = 0; c < from.components; ++c)
                    to.values[begin + i * n + std::size_t(c)] =
                        from.values[std::size_t(shown[i] * from.components + c)];
        }
    }
}

void append_topology(const SnapshotObject& o, int object, int first, bool any_uv, double missing,
                     FlatMesh& mesh) {
    for (int p = 0; p < polygon_count(o); ++p) {
        for (int k = o.polygon_begin[std::size_t(p)]; k < o.polygon_begin[std::size_t(p) + 1]; ++k) {
            mesh.polygon_vertex.push_back(first + o.polygon_vertex[std::size_t(k)]);
            const int uv = o.polygon_uv.empty() ? -1 : o.polygon_uv[std::size_t(k)];
            if (any_uv)
                mesh.corner_uv.push_back(uv < 0 ? std::array{missing, missing} : o.uv[std::size_t(uv)]);
        }
        mesh.polygon_begin.push_back(int(mesh.polygon_vertex.size()));
        mesh.polygon_object.push_back(object);
    }
    for (const auto& s : o.segments) {
        mesh.segments.push_back({first + s[0], first + s[1]});
        mesh.segment_object.push_back(object);
    }
}
// a column per name over all objects
void append_polygon_groups(const SnapshotObject& o, FlatMesh& mesh) {
    const std::size_t end = mesh.polygon_object.size(), begin = end - std::size_t(polygon_count(o));
    for (const PolygonGroup& g : o.polygon_groups) {
        const std::string name = (g.kind == PolygonGroupKind::material ? "material_" : "group_") + g.name;
        auto column = std::find_if(mesh.polygon_groups.begin(), mesh.polygon_groups.end(), [&](const auto& c) { return c.first == name; });
        if (column == mesh.polygon_groups.end()) column = mesh.polygon_groups.insert(column, {name, {}});
        column->second.resize(end, 0);
        for (int p : g.polygons) column->second[begin + std::size_t(p)] = 1;
    }
    for (auto& column : mesh.polygon_groups) column.second.resize(end, 0);
}
} // namespace

bool only_particles(const SnapshotObject& o) {
    return o.draw_points && polygon_count(o) == 0 && o.segments.empty() && o.vertex_groups.empty();
}

std::vector<int> shown_vertices(const SnapshotObject& object, const SnapshotObjectFrame& frame) {
    std::vector<int> shown;
    const bool skip = only_particles(object) && !frame.alive.empty();
    for (int i = 0; i < object.point_count; ++i)
        if (!skip || frame.alive[std::size_t(i)]) shown.push_back(i);
    return shown;
}

FlatMesh flatten(const SnapshotLayout& layout, const Snapshot& snapshot, double missing) {
    FlatMesh mesh;
    declare_fields(snapshot, mesh);
    bool any_uv = false, any_id = false;
    for (std::size_t k = 0; k < layout.objects.size(); ++k) {
        any_uv = any_uv || !layout.objects[k].polygon_uv.empty();
        any_id = any_id || !snapshot.objects[k].id.empty();
        for (const auto& group : layout.objects[k].vertex_groups)
            if (std::none_of(mesh.groups.begin(), mesh.groups.end(),
                             [&](auto& g) { return g.first == group.first; }))
                mesh.groups.emplace_back(group.first, std::vector<std::uint8_t>());
    }
    for (std::size_t k = 0; k < layout.objects.size(); ++k) {
        const SnapshotObject& o = layout.objects[k];
        const SnapshotObjectFrame& frame = snapshot.objects[k];
        const std::vector<Real3> x = make_world_positions(o, frame);
        const std::vector<int> shown = shown_vertices(o, frame);
        const std::size_t first = mesh.position.size();
        const bool points = o.draw_points || (polygon_count(o) == 0 && o.segments.empty());
        for (int i : shown) {
            const std::size_t v = std::size_t(i);
            const bool dead = !frame.alive.empty() && !frame.alive[v];
            if (points && !dead) mesh.points.push_back(int(mesh.position.size()));
            mesh.position.push_back(x[v]);
            if (any_id) mesh.id.push_back(frame.id.empty() ? std::uint32_t(i) : frame.id[v]);
        }
        mesh.vertex_object.resize(mesh.position.size(), int(k));
        append_fields(frame, shown, missing, mesh);
        append_topology(o, int(k), int(first), any_uv, missing, mesh);
        append_polygon_groups(o, mesh);
        for (auto& [name, member] : mesh.groups) {
            member.resize(mesh.position.size(), 0);
            for (const auto& group : o.vertex_groups)
                if (group.first == name)
                    for (int i : group.second) member[first + std::size_t(i)] = 1;
        }
    }
    return mesh;
}

} // namespace sinew
