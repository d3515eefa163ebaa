// Where a picture is taken from, and a camera fitted to what a run shows.
#pragma once
#include "core/math.h"
#include "geometry/mesh.h"
#include "model/snapshot.h"

namespace sinew {

struct Camera {
    Real3 eye{3, 2, 4};    // [m]
    Real3 look_at;         // [m] in the middle of the picture
    Real3 up{0, 1, 0};     // points to the picture's top, any length
    double fov = 0.610865; // [rad] vertical opening angle, 0 < fov < pi; 35 degrees
};

// Orthonormal: right x up = -forward. A degenerate camera (eye = look_at, up along the view) gives some valid
// axes.
struct CameraAxes {
    Real3 right, up, forward;
};
CameraAxes camera_axes(const Camera&);

// Finite, and near enough that squares of distances do not overflow in single precision. Nothing else is
// drawn.
bool is_drawable(const Vec3&); // [m]

// Box of everything that is drawn: drawable, living points with their radius. Planes (kind "plane") are
// ground, not content. Empty as long as min > max.
inline constexpr Bounds kEmptyBounds{{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
inline bool is_empty(const Bounds& b) { return !(b.min.x <= b.max.x); }
void add_bounds(const SnapshotLayout&, const Snapshot&, Bounds&);

struct CameraFit {
    double azimuth = 0.6109;   // [rad] of the eye around `up`; 35 degrees: a three-quarter view
    double elevation = 0.3316; // [rad] of the eye above the horizon, within +-1.5; 19 degrees
    double fov = 0.610865;     // [rad] vertical opening angle
    double aspect = 16.0 / 9;  // width / height
    double margin = 0.1;       // part of the half picture left free on each side, 0..0.9
    Real3 up{0, 1, 0};
};

// How far the content reaches against the four sides of the picture when seen as a CameraFit says: all that a
// tight fit needs to know of it. Collected frame by frame.
struct CameraReach {
    // [m] right, left, top, bottom; see camera.cpp
    std::array<double, 4> side{-1e300, -1e300, -1e300, -1e300};
};
void add_reach(const SnapshotLayout&, const Snapshot&, const CameraFit&, CameraReach&);
void add_reach(const Bounds&, const CameraFit&, CameraReach&); // the box's corners

// The nearest camera of that direction and opening whose picture holds the content within the margin,
// centred. The bounds say where its middle is; an empty box counts as one metre around the origin.
Camera fit_camera(const Bounds&, const CameraReach&, const CameraFit&);
Camera fit_camera(const Bounds&, const CameraFit&);

// Turned by `angle` [rad] around the axis `up` through look_at.
Camera orbit_camera(const Camera&, const Real3& up, double angle);

// An object of kind "plane" whose vertices are all at one height (without vertices: any such object); its
// height [m].
std::optional<double> plane_height(const SnapshotObject&, const Pose&, const Real3& up);

// Height along `up` [m] of the ground: that of the highest horizontal object of kind "plane", otherwise the
// lowest point of the bounds.
double find_ground(const SnapshotLayout&, const Snapshot&, const Bounds&, const Real3& up);

} // namespace sinew
