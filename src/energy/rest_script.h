// Scripted rest states (spec T 3.2): a rest length is a blend of the true one and of a moving one,
//   l(t) = (1 - w) L + w K(t)
//   L true rest length, w weight of the edge, K its length on a moving surface (animated vertices), or, where there is none, L times
//   a scalar field of the scene at the edge's middle
// A shared edge so has one length, whichever of its triangles asks.
#pragma once
#include "model/field.h"
#include "model/stencil.h"

namespace sinew {

// a scalar field of the scene at a place of the rest shape and the time of the context; -1 = none
inline Real rest_value(const StepContext& c, int field, const Vec3& at, Real without) {
    return field >= 0 && c.fields ? value_at(c.fields->scalars[field], at, c.t) : without;
}

inline Real rest_length(const StepContext& c, const Real3& a, const Real3& b, Real weight, int moving_a, int moving_b, int scale) {
    const Real rest = (vec(b) - vec(a)).norm();
    if (weight == 0) return rest;
    Real target = rest;
    if (moving_a >= 0 && c.animated) target = (vec(c.animated[moving_b]) - vec(c.animated[moving_a])).norm();
    else target *= rest_value(c, scale, 0.5 * (vec(a) + vec(b)), 1);
    return (1 - weight) * rest + weight * target;
}

} // namespace sinew
