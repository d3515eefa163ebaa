// Questions about where things are: rays, shapes moved or placed, nearest points, against a model in a state. A body is met
// by its shapes of any kind: convex ones as a whole, meshes by their triangles, solids and height fields by their triangles
// and, inside, as a whole. Everything else is met by the triangles of its surface, lines and particles by capsules and balls
// of their thickness; triangles have none. Nothing throws; what is asked with numbers that are not finite meets nothing.
// Answers do not depend on the number of threads; of equally near
// ones the object and index that come first win.
#pragma once
#include "sinew/model.h"
#include "sinew/state.h"
#include <limits>
#include <memory>

namespace sinew {

struct QueryHit {
    Id object;
    enum Part : int { shape, triangle, edge, vertex } part = shape;
    int index = -1;      // of the triangle, edge or vertex, counted within the object's surface, or of the triangle of a
                         // mesh or height field; -1 for a shape
    Real3 position;      // [m] on the object
    Real3 normal;        // unit, out of the object: for triangles and for closest points towards the question
    double distance = 0; // [m] along the ray or the motion, or from the point; negative inside a shape
};

struct QueryFilter {
    std::uint32_t groups = ~0u; // collision groups that are met
    Id ignore;                  // an object that is not
};

struct Query; // a tree over everything that can be met
struct QueryDelete {
    void operator()(Query*) const;
};
using QueryPtr = std::unique_ptr<Query, QueryDelete>;

QueryPtr make_query(const Context&);
// To be called after each step or edit and before asking. False, and nothing is met, if a position is not finite.
bool update(Query&, const Model&, const State&);

// First hit of the ray origin + t direction; direction need not have unit length, `far` is a distance [m].
std::optional<QueryHit> cast_ray(const Query&, const Real3& origin, const Real3& direction,
                                 double far = std::numeric_limits<double>::infinity(), const QueryFilter& = {});
// First touch of a convex shape, or of a compound of such, that moves from its pose by `motion` [m] without turning; a shape that
// overlaps something at the start has distance 0. Others (meshes, solids, height fields) meet nothing, here and below; hulls and
// compounds are in `store`.
std::optional<QueryHit> cast_shape(const Query&, const Shape&, const Pose&, const Real3& motion, const QueryFilter& = {},
                                   const ShapeStore* store = nullptr);
// Everything within `margin` [m] of such a shape, by object, part and index; distance negative where they overlap.
std::vector<QueryHit> find_overlaps(const Query&, const Shape&, const Pose&, double margin = 0, const QueryFilter& = {},
                                    const ShapeStore* store = nullptr);
// Nearest point of anything within a distance.
std::optional<QueryHit> find_closest(const Query&, const Real3& point,
                                     double within = std::numeric_limits<double>::infinity(), const QueryFilter& = {});

} // namespace sinew
