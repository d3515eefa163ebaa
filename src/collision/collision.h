// Who touches whom. Detection writes plain Contacts (model/contacts.h); energies and constraints read them.
#pragma once
#include "core/parallel.h"
#include "model/contacts.h"
#include "sinew/state.h"
#include <span>

namespace sinew {

struct DetectScratch {
    std::vector<std::vector<ObstacleContact>> chunks; // per chunk of surface vertices, joined in order
};

// Surface vertices closer than `margin` [m] to an obstacle, sorted by key. Frames give the obstacles' poses and
// velocities; vertices of dead points are skipped (`alive` may be empty); a body does not touch itself.
void detect_obstacles(const Parallel&, const Model&, std::span<const Real3> surface, std::span<const std::uint8_t> alive,
                      const FrameState&, Real margin, DetectScratch&, Contacts&);

} // namespace sinew
