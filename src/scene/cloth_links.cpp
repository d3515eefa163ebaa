#include "scene/cloth_links.h"
#include "geometry/topology.h"
#include "scene/deformable.h"

namespace sinew {

namespace {

struct Links {
    BuildContext& c;
    const PolygonMesh& mesh;
    std::span<const Real3> world;
    const PointMaps& maps;
    Range points;
};

Real length_between(const Links& l, int a, int b) { return (vec(l.world[b]) - vec(l.world[a])).norm(); }

// [m^2] in the world, where the sheet may be scaled
Real area_of(const Links& l, int polygon) {
    const int begin = l.mesh.polygon_begin[polygon], size = polygon_size(l.mesh, polygon);
    const auto at = [&](int k) { return vec(l.world[l.mesh.polygon_vertex[begin + k]]); };
    Vec3 sum = Vec3::Zero();
    for (int k = 1; k + 1 < size; ++k) sum += (at(k) - at(0)).cross(at(k + 1) - at(0));
    return 0.5 * sum.norm();
}

void add_membrane(const Links& l, const LinkRole& role, const EdgeTable& edges) {
    for (std::size_t e = 0; e < edges.edges.size(); ++e) {
        const auto [a, b] = edges.edges[e];
        const Real length = length_between(l, a, b);
        const int first = edges.corners.begin[e], count = edges.corners.begin[e + 1] - first;
        Real width = count > 0 ? 0 : 0.87 * length;
        for (int k = 0; k < count; ++k) {
            const int polygon = edges.corner_polygon[edges.corners.index[first + k]];
            width += (polygon_size(l.mesh, polygon) == 4 && length > 0 ? area_of(l, polygon) / length : 0.87 * length) / count;
        }
        add_mapped_link(l.c, role, l.maps, width, length, l.points, a, b);
    }
}

void add_shear(const Links& l, const LinkRole& role) {
    for (int p = 0; p < polygon_count(l.mesh); ++p) {
        const int begin = l.mesh.polygon_begin[p], size = polygon_size(l.mesh, p);
        if (size < 4) continue;
        const Real area = area_of(l, p);
        for (int k = 0; k < (size == 4 ? 2 : size); ++k) {
            const int a = l.mesh.polygon_vertex[begin + k], b = l.mesh.polygon_vertex[begin + (k + 2) % size];
            if (const Real length = length_between(l, a, b); length > 0) add_mapped_link(l.c, role, l.maps, area / length, length, l.points, a, b);
        }
    }
}

void add_bend(const Links& l, const LinkRole& role, const EdgeTable& edges) {
    const auto add = [&](Real width, int a, int b) {
        const Real length = length_between(l, a, b);
        if (a != b && length > 0) add_mapped_link(l.c, role, l.maps, width, length, l.points, a, b);
    };
    for (std::size_t e = 0; e < edges.edges.size(); ++e) {
        const int first = edges.corners.begin[e], count = edges.corners.begin[e + 1] - first;
        if (count != 2) continue;
        // of each polygon what faces the edge beside its first and beside its second end: one corner in a triangle
        std::array<std::array<int, 2>, 2> facing{};
        bool triangles = true;
        for (int k = 0; k < 2; ++k) {
            const int corner = edges.corners.index[first + k], polygon = edges.corner_polygon[corner];
            const int begin = l.mesh.polygon_begin[polygon], size = polygon_size(l.mesh, polygon);
            const int after = l.mesh.polygon_vertex[begin + (corner - begin + 2) % size];
            const int before = l.mesh.polygon_vertex[begin + (corner - begin + size - 1) % size];
            const bool along = l.mesh.polygon_vertex[corner] == edges.edges[e][0];
            facing[k] = {along ? before : after, along ? after : before};
            triangles = triangles && size == 3;
        }
        const Real width = length_between(l, edges.edges[e][0], edges.edges[e][1]);
        if (triangles) add(width, facing[0][0], facing[1][0]);
        else
            for (int end = 0; end < 2; ++end) add(0.5 * width, facing[0][end], facing[1][end]);
    }
}

} // namespace

void add_mapped_link(BuildContext& c, const LinkRole& role, const PointMaps& maps, Real width, Real length, Range points, int a, int b) {
    LinkRole mapped = role;
    mapped.stiffness *= 0.5 * (maps.stiffness[a] + maps.stiffness[b]);
    add_link(c, make_link_model(mapped, width, length), points.begin + a, points.begin + b);
}

void add_cloth_links(BuildContext& c, const Material& material, const PolygonMesh& mesh, std::span<const Real3> world, const PointMaps& maps,
                     Range points, bool bend) {
    const Links l{c, mesh, world, maps, points};
    const EdgeTable edges = build_edges(mesh);
    add_membrane(l, material.membrane, edges);
    add_shear(l, material.shear);
    if (bend) add_bend(l, material.bend, edges);
}

} // namespace sinew
