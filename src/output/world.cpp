#include "output/world.h"
#include "core/math.h"
#include <algorithm>

namespace sinew {

void world_positions(const SnapshotObject& object, const SnapshotObjectFrame& frame, std::span<Real3> out) {
    if (!object.rigid) {
        std::copy(frame.position.begin(), frame.position.end(), out.begin());
        return;
    }
    const Mat3 rotation = quat(frame.pose.rotation).normalized().toRotationMatrix();
    const Vec3 position = vec(frame.pose.position);
    for (std::size_t i = 0; i < object.rest.size(); ++i)
        out[i] = real3(rotation * vec(object.rest[i]) + position);
}

std::vector<Real3> make_world_positions(const SnapshotObject& object, const SnapshotObjectFrame& frame) {
    std::vector<Real3> out(std::size_t(object.point_count));
    world_positions(object, frame, out);
    return out;
}

} // namespace sinew
