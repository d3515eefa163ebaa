// What stays the same over a film: where it is seen from, how large the scene is, the range of colours.
#pragma once
#include "render/camera.h"
#include "render/settings.h"

namespace sinew {

struct FilmView {
    Camera camera;
    Bounds bounds = kEmptyBounds;            // of everything drawn in all frames
    CameraReach reach;                       // of the same, for the fitted camera
    double ground_height = 0;                // [m] along up
    std::array<double, 2> color_range{0, 0}; // equal = from the frame drawn
};

// Collected over the frames of a film, one add_to_view each, then finished. finish_view fits the camera
// unless one is given; a different ground_height may be put in afterwards.
void add_to_view(const SnapshotLayout&, const Snapshot&, const RenderSettings&, FilmView&);
void finish_view(const SnapshotLayout&, const Snapshot& first, const RenderSettings&,
                 const std::optional<Camera>&, FilmView&);

// A camera from which nothing can be drawn, or heights and ranges that are no numbers.
std::vector<Error> check_view(const FilmView&);

// Of the point i; a frame without such a list has living points only.
inline bool is_alive(const SnapshotObjectFrame& frame, std::size_t i) { return i >= frame.alive.size() || frame.alive[i]; }

// The field's numbers at the object's vertices: its value, the length of a vector; "speed" from "velocity"
// where there is no field of that name. Empty = none.
std::vector<double> field_values(const SnapshotObjectFrame&, const std::string& name);

// Widens low..high to the finite values of the field at living points of all objects.
void add_field_range(const SnapshotLayout&, const Snapshot&, const std::string& name, double& low,
                     double& high);

} // namespace sinew
