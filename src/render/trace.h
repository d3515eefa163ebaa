// Rays against one frame: an Embree 3 scene of triangles, balls (points) and round segments.
// Built on one thread, so that the tree, and with it the hit chosen among equals, is the same in every run.
#pragma once
#include "render/drawing.h"
#include <memory>

namespace sinew {

struct TraceScene;
struct TraceSceneDelete {
    void operator()(TraceScene*) const;
};
using TraceScenePtr = std::unique_ptr<TraceScene, TraceSceneDelete>;

bool can_trace(); // false in a build without Embree

// Errors: no Embree in this build, or Embree's own. `eye` [m] relative to Drawing::origin and `pixel` [rad],
// the angle of a pixel, thicken points and segments that would be thinner than `thinnest` pixels.
struct TraceThickness {
    Vec3f eye = Vec3f::Zero();
    float pixel = 0, thinnest = 0;
};
Result<TraceScenePtr> make_trace_scene(const SnapshotLayout&, const std::vector<DrawnShape>&, const Drawing&,
                                       const TraceThickness&);

struct TraceRay {
    Vec3f origin, direction; // [m], unit
    float near = 0, far = 1e30f;
};
enum class TracePart { triangle, point, segment };
struct TraceHit {
    float distance;
    int object; // of the layout
    TracePart part;
    int element;  // triangle of the shape, vertex, or segment of the layout
    float u, v;   // barycentric of corners 1 and 2; u along a segment
    Vec3f normal; // geometric, unit
};
bool find_hit(const TraceScene&, const TraceRay&, TraceHit&);
bool is_blocked(const TraceScene&, const TraceRay&);

} // namespace sinew
