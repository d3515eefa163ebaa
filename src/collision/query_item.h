// One thing that questions of sinew/query.h can meet: a convex shape, or a surface of triangles with its own
// tree. Solids and height fields have an inside; meshes are surfaces. Triangles are met without thickness.
#pragma once
#include "collision/shape_cache.h"
#include "sinew/query.h"

namespace sinew {

struct QueryItem {
    Convex convex; // if there is no surface
    Placement place;
    int object = -1;
    QueryHit::Part part = QueryHit::shape;
    int index = -1;
    const MeshSurface* surface = nullptr;    // mesh or solid
    const DistanceGridShape* grid = nullptr; // of the solid
    const HeightFieldShape* field = nullptr;
    Aabb box{};                              // [m] of surface or field, own axes
};

struct ItemHit {
    Real distance = 0;     // [m]
    Vec3 position, normal; // world; out of the object
    QueryHit::Part part = QueryHit::shape;
    int index = -1;
};

Aabb bounds_of(const QueryItem&);

// First hit with 0 <= distance <= far; u is a unit vector.
bool cast_ray(const QueryItem&, const Vec3& origin, const Vec3& u, Real far, ItemHit&);
// First touch of a convex shape that moves along the unit vector u; `near` is scratch, here and below.
bool cast_convex(const QueryItem&, const Convex&, const Placement&, const Vec3& u, Real far,
                 std::vector<int>& near, ItemHit&);
// Adds what is within the margin, by index.
void find_overlaps(const QueryItem&, const Convex&, const Placement&, Real margin, std::vector<int>& near,
                   std::vector<ItemHit>&);
// Nearest point, signed inside; false if it is further than `within`.
bool find_closest(const QueryItem&, const Vec3& p, Real within, ItemHit&);

} // namespace sinew
