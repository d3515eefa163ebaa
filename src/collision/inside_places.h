// The place of an edge or a triangle that is nearest to a convex obstacle, or deepest in it, with its border's
// (energy/contact_inside.h): the minimum of the signed distance d, a convex function, over the element.
//   sphere, capsule   nearest points of core and element; an axis that passes through a triangle: out over its nearer end
//   box, outside      nearest points (GJK)
//   box, inside       d = -min over the faces f of their heights h_f, a linear program over the weights: at a vertex, where two
//                     faces are as near inside an edge, or three inside a triangle. Its gradient is n = sum lambda_f n_f with
//                     lambda >= 0, sum 1 and n perpendicular to the element, shorter than one.
// Planes have nothing inside: vertices say it all. Height fields are not convex: vertices meet them.
#pragma once
#include "collision/collision.h"

namespace sinew {

struct NearestPlace {
    std::array<Real, 3> weight{}; // of the element's vertices, sum 1
    Vec3 normal = Vec3::UnitY();  // gradient of the distance, as above
    Real distance = 0;            // [m] negative inside
};
// In the shape's axes; one to three vertices.
NearestPlace find_nearest_place(const ImplicitShape&, std::span<const Vec3> element);

struct InsideScratch {
    struct Chunk {
        std::vector<int> near;
        std::vector<InsideContact> found;
    };
    std::vector<Chunk> chunks;
};
// Edges and triangles of points whose nearest place is inside them and nearer than `margin` [m]: Contacts.inside, after
// detect_obstacles with this margin and state, of which it takes the obstacles' places.
void detect_inside(const Parallel&, const Model&, std::span<const Real3> surface, std::span<const std::uint8_t> alive,
                   const FrameState&, Real margin, const DetectScratch&, InsideScratch&, Contacts&);

} // namespace sinew
