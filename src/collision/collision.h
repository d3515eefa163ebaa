// Who touches whom. Detection writes plain Contacts (model/contacts.h); energies and constraints read them.
#pragma once
#include "core/parallel.h"
#include "geometry/implicit_shape.h"
#include "model/contacts.h"
#include "sinew/state.h"
#include <span>

namespace sinew {

ImplicitShape implicit_shape_of(const Obstacle&);

struct DetectScratch {
    RuleTable rules;
    std::vector<std::vector<PointContact>> chunks; // per chunk of surface vertices, joined in order
    std::vector<PointContact> found;
};

// Surface vertices closer than `margin` [m] to an obstacle: the part vertex_obstacle of point_point. Frames give the obstacles' poses and
// velocities; vertices of dead points are skipped (`alive` may be empty); a body does not touch itself.
void detect_obstacles(const Parallel&, const Model&, std::span<const Real3> surface, std::span<const std::uint8_t> alive,
                      const FrameState&, Real margin, DetectScratch&, Contacts&);

} // namespace sinew
