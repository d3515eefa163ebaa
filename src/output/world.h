// Vertices of one object in world coordinates: rigid x = R(q) X + p, deformable x = the frame's positions.
#pragma once
#include "model/snapshot.h"
#include <span>

namespace sinew {

void world_positions(const SnapshotObject& object, const SnapshotObjectFrame& frame, std::span<Real3> out);
std::vector<Real3> make_world_positions(const SnapshotObject& object, const SnapshotObjectFrame& frame);

} // namespace sinew
