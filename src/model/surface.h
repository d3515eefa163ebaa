// The surface map: where surface vertices are, and how what acts on them reaches the unknowns. The only two functions
// that know the kinds of surface vertices.
#pragma once
#include "core/math.h"
#include "core/parallel.h"
#include "model/dofs.h"
#include "sinew/state.h"

namespace sinew {

// x_i = x_point, or p + q local
void surface_positions(const Parallel&, const Model&, const PointState&, const FrameState&, std::span<Real3> out);
void surface_velocities(const Parallel&, const Model&, const PointState&, const FrameState&, std::span<Real3> out);
// g (tangent layout) += J^T g_surface for one vertex: points take it, frames take it and r x g
void push_back(const Model&, const FrameState&, const Dofs&, int vertex, const Vec3& g_surface, std::span<Real> g);

} // namespace sinew
