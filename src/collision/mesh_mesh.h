// Two surfaces of triangles (meshes, solids, height fields) against each other, by their features.
//   vertex   of one in reach of the other: the nearest point there, with sign where the other has an inside:
//   a closed mesh
//            by its pseudonormals, a solid deep inside by its distance grid, a height field below itself
//   edges    that cross: nearest points inside both; where both say "inside" they penetrate by their distance
// A normal counts only where both surfaces allow it (polar cones, collision/mesh_feature.h): no ghosts of
// internal edges on either side. A vertex inside whose nearest way out is refused leaves along its own
// normal; one that lies in a side of the other body, as where two cubes share the plane of a side, leaves
// through the nearest face whose normal it allows. Neither counts if it is far deeper than the bodies overlap:
//   r + s <= depth   for balls of radius r inside a and s inside b about any common point
// Edges that seem to penetrate far deeper than that, or than any of their points lies inside the other, are
// sides of a shallow overlap and are dropped. Where nothing else overlaps, the shallowest of what was dropped
// stays. A vertex deeper inside than its edges are long is taken without its cone, if it faces the way out.
// Open meshes have no inside: they keep
// others away within thickness and margin only. Points whose normals differ by less than 20 degrees form a
// group; of each the outermost four and the deepest stay, with their own normals.
#pragma once
#include "collision/mesh_convex.h"

namespace sinew {

struct SurfaceSide {
    const MeshSurface* surface = nullptr;    // mesh or solid
    const DistanceGridShape* grid = nullptr; // of the solid
    const HeightFieldShape* field = nullptr; // instead of both
    Aabb box;                                // [m] of the surface, own axes
    Placement place;
    Real thickness = 0; // [m]
};

struct ShapePoint {
    Vec3 on_a, on_b; // [m] world, on the grown surfaces
    Vec3 normal;     // unit, from a to b
    Real gap;        // [m]
    std::uint64_t key;
};

struct SurfacePairScratch {
    struct Side {
        TriangleShape patch; // height fields: triangles near the other side
        std::vector<int> patch_name;
        MeshSurface patch_surface;
        const MeshSurface* surface = nullptr; // in use
        std::vector<int> triangles, vertices; // near the other side
    };
    std::array<Side, 2> side;
    MeshNeighborScratch neighbors;
    std::vector<int> near;
    std::vector<ShapePoint> points, doubtful;
    std::array<std::vector<int>, 2> refused; // vertices inside the other body without a way out
    std::vector<std::uint8_t> used;
    std::vector<int> group;
};

// Adds the points with a gap of at most `margin` [m].
void collide_surfaces(const SurfaceSide& a, const SurfaceSide& b, Real margin, SurfacePairScratch&,
                      std::vector<ShapePoint>& out);

// At most four points of each group of near normals; adds to out.
void reduce_groups(std::vector<ShapePoint>& points, std::vector<std::uint8_t>& used, std::vector<int>& group,
                   std::vector<ShapePoint>& out);

} // namespace sinew
