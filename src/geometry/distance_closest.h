// Closest features of the primitive pairs: vertex-vertex, vertex-edge, vertex-triangle, edge-edge. Each
// answer says which features are closest, where on them (barycentric weights) and the vector between them, so
// that derivatives (distance_derivatives.h) can be taken of the smooth formula that holds there.
//   vertex-triangle  p against t0 t1 t2: 3 corners, 3 edges, the face (Ericson 2005, 5.1.5)
//   edge-edge        a0 a1 against b0 b1: 4 corner pairs, 4 corner-edge pairs, both interiors
// Points of a stencil are numbered p t0 t1 t2, or a0 a1 b0 b1, or p e0 e1, or p q.
// Deviation from the book: thin triangles and nearly parallel edges, where the interior solution is noisy,
// take the best of it and of the boundary (the edges; the four corner-edge pairs), so that the degenerate
// ones are exact.
#pragma once
#include "core/math.h"
#include <array>

namespace sinew {

// The formula of the distance and the points of the stencil it depends on.
struct Feature {
    enum Kind : int { point_point, point_line, point_plane, line_line } kind = point_point;
    std::array<int, 4> point{0, 1, 2, 3}; // stencil numbers, the first `point_count(kind)` of them count
};
inline int point_count(Feature::Kind k) {
    return k == Feature::point_point ? 2 : k == Feature::point_line ? 3 : 4;
}

struct Closest {
    Feature feature;
    Vec4 weight = Vec4::Zero(); // of the stencil's points: the closest points are the sums of each side
    Vec3 difference =
        Vec3::Zero(); // [m] vertex-*: p minus the closest point; edge-edge: point of b minus point of a
    Real squared = 0; // [m^2]
};

Closest closest_vertex_vertex(const Vec3& p, const Vec3& q);
Closest closest_vertex_edge(const Vec3& p, const Vec3& e0, const Vec3& e1);
Closest closest_vertex_triangle(const Vec3& p, const Vec3& t0, const Vec3& t1, const Vec3& t2);
Closest closest_edge_edge(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);

} // namespace sinew
