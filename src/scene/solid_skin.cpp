#include "scene/solid_skin.h"
#include "geometry/tet_embed.h"
#include "geometry/triangle_tree.h"
#include "geometry/triangulate.h"
#include "scene/deformable.h"
#include "scene/mesh_source.h"

namespace sinew {

PolygonMesh read_skin(BuildContext& c, const Value& value, PolygonMesh filled) {
    if (value.kind == Value::Kind::null) return filled;
    if (value.kind == Value::Kind::boolean) {
        if (value.boolean) add_error(c, "skin", value, "must be false, or name a mesh", "false, file name, { file, unit, up }");
        return {};
    }
    return read_mesh_source(c, "skin", value);
}

void add_skin_groups(const PolygonMesh& skin, const std::vector<std::array<int, 3>>& boundary, PolygonMesh& solid) {
    if (skin.vertex_groups.empty()) return;
    const TriangleShape shape{skin.positions, triangulate(skin).triangles};
    const TriangleTree tree = build_triangle_tree(shape);
    std::vector<std::uint8_t> outside(solid.positions.size(), 0);
    for (const auto& t : boundary)
        for (int v : t) outside[v] = 1;
    std::vector<SurfacePoint> nearest(solid.positions.size());
    for (std::size_t i = 0; i < outside.size(); ++i)
        if (outside[i]) nearest[i] = find_closest(tree, shape, vec(solid.positions[i]));
    for (const auto& [name, members] : skin.vertex_groups) {
        std::vector<std::uint8_t> in(skin.positions.size(), 0);
        for (int v : members) in[v] = 1;
        std::vector<int> points;
        for (std::size_t i = 0; i < outside.size(); ++i) {
            if (nearest[i].triangle < 0) continue;
            Real share = 0;
            for (int k = 0; k < 3; ++k)
                if (in[shape.triangles[nearest[i].triangle][k]]) share += nearest[i].at.weight[k];
            if (share >= 0.5) points.push_back(int(i));
        }
        solid.vertex_groups.emplace_back(name, std::move(points));
    }
}

void add_skin_snapshot(BuildContext& c, const PolygonMesh& skin, const TetMesh& local, const PolygonMesh& solid, const Real3& color) {
    const int index = add_deformable_snapshot(c, skin, {}, color, 0.003);
    SnapshotObject& s = c.builder.layout.objects[index];
    s.point_count = vertex_count(skin);
    s.rest = place_points(c, skin.positions);
    for (const TetPlace& place : embed_points(*make_parallel(Context{}), local, skin.positions))
        s.carriers.push_back({local.tets[place.tet], place.weight});
    s.carrier_groups = solid.vertex_groups;
}

} // namespace sinew
