// Faces and edges of flat-faced cores, geometry/polytope.h.
#include "geometry/polytope.h"

namespace sinew {

int face_count(const Convex& c) {
    switch (c.core) {
    case Convex::box:
        return 6;
    case Convex::triangle:
        return 5;
    case Convex::hull:
        return int(c.hull_data->face_normal.size());
    default:
        return 0;
    }
}

int edge_count(const Convex& c) {
    switch (c.core) {
    case Convex::box:
        return 12;
    case Convex::triangle:
        return 6;
    case Convex::segment:
        return 1;
    case Convex::hull:
        return int(c.hull_data->edges.size());
    default:
        return 0;
    }
}

// Outward in the plane of the triangle, across the side from corner i; zero for a side without length
static Vec3 side_normal(const Convex& c, int i) {
    const Vec3 n = (c.corner[(i + 1) % 3] - c.corner[i]).cross(c.normal);
    const Real length = n.norm();
    return length > 0 ? Vec3(n / length) : c.normal;
}

PolytopeFace face_of(const Convex& c, int f) {
    if (c.core == Convex::box) {
        const Vec3 n = (f % 2 ? 1 : -1) * Vec3::Unit(f / 2);
        return {n, c.size[f / 2]};
    }
    if (c.core == Convex::hull) return {vec(c.hull_data->face_normal[f]), c.hull_data->face_offset[f]};
    const Vec3 n = f == 0 ? c.normal : f == 1 ? Vec3(-c.normal) : side_normal(c, f - 2);
    return {n, n.dot(c.corner[f < 2 ? 0 : f - 2])};
}

PolytopeEdge edge_of(const Convex& c, int e) {
    if (c.core == Convex::box) {
        const int k = e / 4, u = (k + 1) % 3, v = (k + 2) % 3;
        const Vec3 nu = (e & 1 ? 1 : -1) * Vec3::Unit(u), nv = (e & 2 ? 1 : -1) * Vec3::Unit(v);
        const Real turn = (e & 1) == (e >> 1 & 1) ? 1 : -1;
        const Vec3 middle = nu * c.size[u] + nv * c.size[v], half = turn * c.size[k] * Vec3::Unit(k);
        return {middle - half, middle + half, nu, nv};
    }
    if (c.core == Convex::hull) {
        const HullShape& h = *c.hull_data;
        return {vec(h.vertices[h.edges[e][0]]), vec(h.vertices[h.edges[e][1]]),
                vec(h.face_normal[h.edge_faces[e][0]]), vec(h.face_normal[h.edge_faces[e][1]])};
    }
    if (c.core == Convex::triangle) {
        const int i = e % 3, j = (i + 1) % 3;
        if (e < 3) return {c.corner[i], c.corner[j], c.normal, side_normal(c, i)};
        return {c.corner[j], c.corner[i], -c.normal, side_normal(c, i)};
    }
    return {-Vec3::UnitY() * c.size.y(), Vec3::UnitY() * c.size.y(), Vec3::UnitX(), -Vec3::UnitX()};
}

} // namespace sinew
