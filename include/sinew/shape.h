// Shapes that can touch: plain data in the body's own axes, y up. The big ones (hulls, meshes, grids) live in a
// ShapeStore and are named by index, so that a Shape is small, copies freely and many bodies share one mesh.
#pragma once
#include "sinew/types.h"
#include <array>
#include <vector>

namespace sinew {

struct Shape {
    enum Kind : int {
        point,        // the origin
        segment,      // (0, -size.y, 0) to (0, size.y, 0)
        sphere,       // radius size.x
        capsule,      // all points within size.x of the segment of half length size.y along y
        box,          // |x| <= size in each coordinate
        cylinder,     // radius size.x, half height size.y along y
        cone,         // base of radius size.x at y = -size.y, apex at y = +size.y
        half_space,   // y <= 0
        plane,        // y = 0, infinitely thin, two-sided
        hull,         // store.hulls[data]
        height_field, // store.height_fields[data], solid below
        mesh,         // store.meshes[data], a surface without inside
        solid,        // store.distance_grids[data]: closed mesh sampled as a signed distance
        compound,     // store.compounds[data]
    } kind = sphere;
    Real3 size;          // [m] as above
    double rounding = 0; // [m] the shape grown by a ball of this radius: its thickness
    int data = -1;       // index into the store
};

// Convex polyhedron: faces are convex polygons, counter-clockwise from outside.
struct HullShape {
    std::vector<Real3> vertices;                // [m]
    std::vector<int> face_begin{0}, face_vertex; // CSR
    std::vector<Real3> face_normal;             // unit, outward
    std::vector<double> face_offset;            // [m] n . x of the face
    std::vector<std::array<int, 2>> edges;      // each once, a < b
    std::vector<std::array<int, 2>> edge_faces; // the two faces at each edge
    std::vector<int> neighbor_begin{0}, neighbor; // CSR: vertices joined to each vertex by an edge, ascending
};

// Heights at nodes of a grid in the xz-plane, node (i, k) at x = i dx, z = k dz from the origin; each cell is cut
// into two triangles along the diagonal from (i, k) to (i + 1, k + 1).
struct HeightFieldShape {
    int nx = 0, nz = 0;          // nodes
    double dx = 1, dz = 1;       // [m]
    std::vector<double> height;  // [m] height[k * nx + i]
};

struct TriangleShape {
    std::vector<Real3> vertices;                // [m]
    std::vector<std::array<int, 3>> triangles;  // counter-clockwise from outside
};

// Signed distance sampled on a grid, negative inside; trilinear between nodes.
struct DistanceGridShape {
    Real3 origin;                // [m] node (0, 0, 0)
    double cell = 0;             // [m]
    std::array<int, 3> size{};   // nodes along x, y, z
    std::vector<float> distance; // [m] distance[(k * size[1] + j) * size[0] + i]
    int mesh = -1;               // store.meshes index of the surface it was made from
};

struct CompoundShape {
    std::vector<Shape> parts;
    std::vector<Pose> poses;     // of each part in the body's axes
};

struct ShapeStore {
    std::vector<HullShape> hulls;
    std::vector<HeightFieldShape> height_fields;
    std::vector<TriangleShape> meshes;
    std::vector<DistanceGridShape> distance_grids;
    std::vector<CompoundShape> compounds;
};

} // namespace sinew
