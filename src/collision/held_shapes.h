// Surface points against obstacles that have no frame: objects that cannot move and are met, by signed distance, by their own
//   shapes    held bodies: cylinders, cones, meshes, solids, and compounds with such parts
//   surfaces  objects without shapes: meshes moved by files
// Forces take them, which need a place, a normal and a depth for each point; solvers with constraints meet the triangles of
// such objects (detect.h).
//   outside   every place whose distance is smallest around there is a contact, so that a point in a crease is held by both
//             flanks, and nothing jumps when one of them becomes the nearer
//   inside    the nearest place; of several parts that of the deepest
// Of triangles a place counts if its normal lies in the polar cone there (collision/mesh_convex.h). Open meshes have no inside:
// they keep others away within their thickness, on the side where those are.
#pragma once
#include "collision/collision.h"
#include "collision/shape_cache.h"
#include "collision/surface_distance.h"
#include "model/surface.h"

namespace sinew {

struct HeldSurface {      // of an object, as it is in the world
    int object = -1;
    TriangleShape shape;
    MeshSurface surface;  // of it
    MeshMoveScratch move;
    std::vector<Real3> v; // [m/s] of its vertices
};
struct HeldShape {        // a convex shape, mesh or solid, in the world
    int object = -1, frame = -1; // frame -1: a surface
    int obstacle = -1, part = 0;
    Real rounding = 0;    // [m]
    std::optional<Convex> convex;
    SurfaceSide side;     // else
    const HeldSurface* moved = nullptr;
    Placement place;
    Aabb box;             // [m] grown by all it can reach
};
struct HeldPlace {        // of a shape near a point, in the shape's axes
    Real distance = 0;    // [m] negative inside
    Vec3 normal = Vec3::UnitY();
    std::uint64_t feature = 0;
};
struct HeldScratch {
    RuleTable rules;
    ShapeCache shapes;
    std::vector<std::unique_ptr<HeldSurface>> surfaces;
    std::vector<HeldShape> held;        // by obstacle, part
    struct Chunk {                      // of surface vertices, joined in order
        std::vector<PointContact> found;
        std::vector<HeldPlace> places;
        std::vector<int> near, block;   // triangles; shapes
        bool not_finite = false;
    };
    std::vector<Chunk> chunks;
    std::vector<PointContact> found;
};

bool has_held_objects(const Model&); // whether there are any

// Places of the surface near p, in its axes, at most `limit` [m] away. Feature 0 is the nearest.
void find_surface_places(const SurfaceSide&, const Vec3& p, Real limit, std::vector<int>& near, std::vector<HeldPlace>& out);

// Points of the surface, whose positions are given, with a gap below `margin` [m]: the part vertex_held of point_point. False, and
// none, if a position or pose is not finite.
bool detect_held(const Parallel&, const Model&, const SurfaceState&, std::span<const Real3> surface, Real margin, HeldScratch&,
                 Contacts&);

} // namespace sinew
