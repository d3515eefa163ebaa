// Whether a moving shape gets through another within a step, whatever it turns meanwhile.
//
// A shape is deep in another where its core is: what is left of it when kCoreDepth of its half thickness is taken off all around. A body that starts
// outside of a thin wall and ends behind it has had its core in the wall, on every way between; one that merely touches has not,
// though contacts are soft and their directions those of the start. Found by conservative advancement (convex_query.h), which
// knows the turning.
#pragma once
#include "collision/convex_query.h"
#include "collision/shape_cache.h"

namespace sinew {

// [m] A ball of this radius fits into the convex shape: no more than its half thickness. 0 for planes, and for hulls, whose cache knows it.
Real inner_radius(const Convex&);

// The same of what can be followed; 0 where a shape is not convex or has no bounds. `convex`: the shape, where it is one.
Real half_thickness(const ShapeCache&, const Shape&, const std::optional<Convex>& convex);

// What is followed of a shape.
struct Followed {
    Convex shape;                // where this touches the body stops
    Convex core;                 // inside
    Vec3 core_at = Vec3::Zero(); // [m] origin of the core's axes, in those of the shape
    Real inner = 0;              // [m] half thickness
};
Followed followed_of(const ShapeCache&, const Shape&, const std::optional<Convex>& convex); // which has a half thickness; the cache keeps its hulls

// A shape that may be met and its motion over the step, of which it goes on until a part of it and rests then.
struct MovingShape {
    Shape shape;
    std::optional<Convex> convex; // where it is one
    RigidMotion motion;
    Real until = 1;
};
// Part of the step after which a must not go on if its core meets b within it: the first touch, with a gap `near` [m] left. Where the two are
// nearer than twice that at the start: the touch after they have been apart; or the time when they are furthest apart; or, if they only come
// nearer, that at which the core has half of its distance left, so that it is still outside at the end. What has stopped thus goes on; 0 only
// where several of these have brought the core as near as 1/64 of the depth. More than 1 if the core does not meet b, or is in b at the start,
// or as near to it as a cast can tell, where nothing can be judged. a goes on until `until`; b: any shape that is no compound; triangles: memory.
Real find_passage(const ShapeCache&, const Followed& a, const RigidMotion&, Real until, const MovingShape& b, Real near, std::vector<int>& triangles);

} // namespace sinew
