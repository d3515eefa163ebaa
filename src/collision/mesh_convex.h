// Triangle meshes and height fields against convex shapes, without ghosts of internal edges.
// A convex shape that slides over a triangulated floor meets, triangle by triangle, the sides of triangles that the floor
// as a whole does not have. A contact normal n at a feature of the mesh is true only where n lies in the feature's Voronoi
// region, the polar cone of the mesh around it:
//   face    n = +-n_f
//   edge    n . t <= 0 for the directions t from the edge into both its triangles
//   vertex  n . e <= 0 for all edges e that leave the vertex
// (at a flat or concave edge nothing but the face normals is left). The direction of least penetration of a single
// triangle is taken where it passes; otherwise the best of the triangle's own normal and the nearest directions of its
// edges' cones, or a normal found at another triangle, by separation along it, and only what lies over the triangle touches. Normals within kSnap of a face
// normal become that normal, so that resting contacts have one normal to the last bit.
//   one-sided  a closed mesh and a height field push out of their material only; an open mesh pushes to either side
// Touching points of equal normals (within kSnap) become one manifold of at most four points.
#pragma once
#include "collision/manifold.h"
#include "geometry/triangle_tree.h"

namespace sinew {

// What a mesh needs for contact beside its triangles; made once.
struct MeshSurface {
    const TriangleShape* shape = nullptr; // must outlive this
    TriangleTree tree;                    // empty for patches
    std::vector<Vec3> normal;             // unit, per triangle; zero without area: such triangles do not touch
    std::vector<std::array<int, 3>> opposite; // per triangle and edge: the third vertex across it, -1 at a border
    std::vector<int> end_begin, end;      // CSR: per vertex the other ends of its edges
    std::vector<Vec3> vertex_normal;      // sum of face normals by angle
    std::vector<std::uint8_t> sharp;      // per triangle, bits: edges that can meet edges (borders, and what is bent; of a
                                          // one-sided mesh what is convex), each edge at its lowest triangle only
    bool one_sided = false;
    bool solid_below = false;             // height field: material without end below the triangles
};
struct MeshNeighborScratch {
    struct Edge {
        int a, b, triangle, k;
    };
    std::vector<Edge> edges;
    std::vector<int> at;
};
// Everything but tree and sides, from s.shape and s.one_sided.
void build_mesh_neighbors(MeshSurface& s, MeshNeighborScratch&);
// One-sided if the mesh is closed.
MeshSurface build_mesh_surface(const TriangleShape&);
// Of a mesh whose vertices move. Then the tree is refitted, and made anew once its boxes have grown to twice their areas;
// no memory is taken after the first call.
struct MeshMoveScratch {
    MeshNeighborScratch neighbors;
    TriangleTreeScratch tree;
    Real cost = 0; // of the tree when it was made
};
void build_mesh_surface(const TriangleShape&, MeshMoveScratch&, MeshSurface&);
void move_mesh_surface(MeshSurface&, MeshMoveScratch&);

struct MeshContactPart { // of one triangle
    Vec3 normal;
    int triangle;            // -1 once it is part of a manifold
    int begin, end;          // of MeshContactScratch::points
};
struct MeshContactScratch {
    std::vector<int> found;
    std::vector<MeshContactPart> parts, refused;
    std::vector<Vec3> normals;        // found true
    std::vector<ManifoldPoint> points, group;
    MeshNeighborScratch neighbors;
    TriangleShape patch;              // height fields
    std::vector<int> patch_triangle;  // of the field
    MeshSurface patch_surface;
};

// Manifolds of mesh (a) and convex (b), normals from the mesh to the convex, gaps up to `margin` [m]; `thickness` [m] grows
// the mesh. Ordered by the lowest triangle of each. True if there are any. Half-spaces and planes touch vertices.
bool collide_mesh_convex(const MeshSurface&, const Placement&, Real thickness, const Convex&, const Placement&, Real margin,
                         MeshContactScratch&, std::vector<Manifold>& out);
// Any convex shape; planes and half-spaces touch nodes.
bool collide_height_field_convex(const HeightFieldShape&, const Placement&, Real thickness, const Convex&, const Placement&,
                                 Real margin, MeshContactScratch&, std::vector<Manifold>& out);

} // namespace sinew
