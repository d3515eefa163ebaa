// What the shapes of a store need for contact and questions beside their data: trees and neighbours of
// meshes, surfaces of distance grids, compounds taken apart, boxes, cores. Made once per store; of a store that has
// grown only what is new.
#pragma once
#include "collision/mesh_convex.h"
#include "geometry/compound.h"
#include <memory>

namespace sinew {

// Part of the half thickness of a body that is not its core: what has come that deep counts as through (collision/passage.h).
inline constexpr Real kCoreDepth = 0.5;
struct HullCore {
    Real inner = 0; // [m] radius of a ball inside: half thickness; 0: none was found
    HullShape core; // with kCoreDepth of that taken off all around
};

struct ShapeCache {
    std::shared_ptr<const ShapeStore> store;          // null = none
    std::vector<MeshSurface> meshes;                  // per mesh; shape = null where the mesh is not valid
    std::vector<std::unique_ptr<TriangleShape>> made; // per distance grid without a mesh its surface
    std::vector<MeshSurface> made_surface;
    std::vector<std::uint8_t> grid_valid, field_valid;
    std::vector<Aabb> field_box;                     // of the surface
    std::vector<std::vector<PlacedShape>> compounds; // per compound its parts; none if it is not valid
    std::vector<HullCore> hulls;                     // per hull
};

void update_shape_cache(const std::shared_ptr<const ShapeStore>&, ShapeCache&);
const ShapeStore& store_of(const ShapeCache&);

// Data of a shape, null where it is missing or not valid: such shapes touch nothing.
const MeshSurface* surface_of(const ShapeCache&, const Shape&); // mesh and solid
const DistanceGridShape* grid_of(const ShapeCache&, const Shape&);
const HeightFieldShape* field_of(const ShapeCache&, const Shape&);

// Box around a placed shape that is no compound, empty if its data is missing. Of meshes, solids and height
// fields the box around their box, so that its cost does not depend on their size.
Aabb shape_bounds(const ShapeCache&, const Shape&, const Placement&);

} // namespace sinew
