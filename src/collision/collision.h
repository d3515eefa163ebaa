// Who touches whom. Detection writes plain Contacts (model/contacts.h); energies and constraints read them. Each pair of
// objects belongs to one source:
//   detect_shapes     two rigid bodies, free or held, by their shapes (collision/detect_shapes.h)
//   detect_obstacles  everything else against planes, spheres, capsules, boxes and height fields that are obstacles, by
//                     their true shape
//   detect_surface    the rest, by triangles and edges (collision/detect.h); forces meet held ones of them by detect_held
//                     (collision/held_shapes.h)
#pragma once
#include "collision/obstacle_boxes.h"
#include "collision/field_features.h"
#include "collision/shape_cache.h"
#include "core/parallel.h"
#include "geometry/convex.h"
#include "geometry/implicit_shape.h"
#include "model/contacts.h"
#include "sinew/state.h"
#include <span>

namespace sinew {

// Of all but height fields:
ImplicitShape implicit_shape_of(const Obstacle&);
Convex convex_of(const Obstacle&); // without its thickness
// Of any kind: where the shape is when its frame is there, and the box around it without its thickness; `shapes` is up to
// date where the model has height fields.
Pose place_obstacle(const Obstacle&, const Pose& frame);
Aabb obstacle_bounds(const ShapeCache& shapes, const Obstacle&, const Placement&);
bool has_fields(const Model&); // height fields among the obstacles

// Objects that meet each other by their shapes.
struct ShapedObjects {
    std::vector<std::uint8_t> shaped; // per object: has a collider
};
void find_shaped_objects(const Model&, ShapedObjects&);
inline bool meet_by_shapes(const ShapedObjects& s, int a, int b) { return s.shaped[a] && s.shaped[b]; }

// Triangles at each edge of the surface, by the vertex across; kept until the model changes.
struct EdgeTriangles {
    int topology = -1;
    const void* owner = nullptr;   // model.elements
    std::size_t vertices = 0;
    std::vector<int> begin, across; // CSR over edges
    std::vector<std::array<int, 3>> of_triangle; // edges (t0 t1), (t1 t2), (t2 t0)
};
bool update_edge_triangles(const Model&, EdgeTriangles&); // false if the surface is malformed or a triangle lacks an edge

struct DetectScratch {
    RuleTable rules;
    ShapedObjects shaped;
    EdgeTriangles edges;
    ObstacleBoxes boxes;
    ShapeCache shapes;            // where the model has height fields
    std::vector<Pose> pose;       // per obstacle, of its shape
    std::vector<Placement> place; // the same
    std::vector<Real> way;        // [m] per obstacle: of its parts, of planes that of their frame alone
    struct Chunk {                // of surface vertices, edges or triangles, joined in order
        std::vector<int> near;
        std::vector<PointContact> found;
        std::vector<Vec3> inward;           // into the triangles at an edge
        std::vector<FeaturePoint> features; // of an element and a height field
        std::vector<FieldPoint> places;     // of a vertex
        bool not_finite = false;
    };
    std::vector<Chunk> chunks;
    std::vector<PointContact> found;
};

// How far to look: pairs whose gap is below the margin and the ways of both. A vertex that is fast looks far, its neighbours do not.
struct ObstacleReach {
    Real margin = 0;             // [m]
    std::span<const Real> way{}; // [m] per surface vertex, empty = none
    Real ahead = 0;              // [s] that obstacles go on as they move now
};

// Surface closer than the reach to an obstacle: the parts vertex_obstacle, edge_obstacle and triangle_obstacle of
// point_point. Every vertex within it, and the places inside edges and triangles where the distance is smallest
// (collision/obstacle_features.h). Frames give the obstacles' poses and velocities; vertices of dead points are skipped
// (`alive` may be empty); a body does not touch itself, bodies with shapes meet obstacles in detect_shapes. False, and no
// contacts, if a living vertex or an obstacle's pose is not finite, or the surface names vertices that do not exist.
bool detect_obstacles(const Parallel&, const Model&, std::span<const Real3> surface, std::span<const std::uint8_t> alive,
                      const FrameState&, const ObstacleReach&, DetectScratch&, Contacts&);

} // namespace sinew
