// What a picture should look like. Everything has a default that suits most scenes.
#pragma once
#include "render/camera.h"
#include "render/color.h"

namespace sinew {

enum class GroundStyle { grid, checker, plain, none };
inline constexpr std::string_view kGroundStyleNames[] = {"grid", "checker", "plain", "none"};

struct RenderSettings {
    // picture
    int width = 1280, height = 720; // [pixels] 1..16384
    int samples = 16;               // per pixel where something changes within it, 1..1024; elsewhere a quarter
    double exposure = 1;            // factor on all light, > 0
    double thinnest = 1.2;          // [pixels] least drawn diameter of points and segments, >= 0

    // camera fitted to the scene, where none is given
    double azimuth = CameraFit{}.azimuth;     // [rad] of the eye around up
    double elevation = CameraFit{}.elevation; // [rad] of the eye above the horizon, -1.5..1.5
    double fov = CameraFit{}.fov;             // [rad] vertical opening angle, 0.001..3

    // surroundings
    Real3 up{0, 1, 0};              // any length
    GroundStyle ground = GroundStyle::grid;
    Real3 ground_color{0.60, 0.61, 0.63}; // linear RGB 0..1
    double ground_spacing = 0;      // [m] of grid lines or checks, 0 = a round number that suits the scene
    Real3 sky_top{0.22, 0.40, 0.68};      // linear RGB of the background overhead
    Real3 sky_horizon{0.74, 0.80, 0.87};  // linear RGB of the background at the horizon
    double sun_azimuth = -0.75;     // [rad] around up, counted as CameraFit::azimuth
    double sun_elevation = 0.85;    // [rad] above the horizon, 0.05..1.57
    double sun_size = 0.035;        // [rad] angular radius: softness of shadows, 0..0.5
    double sun_light = 1.05;        // what it adds to a white surface facing it, >= 0
    double sky_light = 0.36;        // what an open sky adds to a white surface, >= 0

    // bodies
    double crease = 0.75;           // [rad] rest angle between faces above which an edge stays sharp, 0..pi
    std::string color_by;           // field to colour by ("speed" falls back to the length of "velocity"); empty: none
    double color_min = 0, color_max = 0; // range of the field; equal = from the data
    ColorMap color_map = ColorMap::viridis;

    // writing in the picture
    bool legend = true;             // colour bar when color_by is set
    std::string legend_title;       // empty = the field's name
    bool show_time = false;         // frame and time in a corner
    std::string caption;            // text in the lower left corner
};

// What stays the same over a film: where it is seen from, how large the scene is, the range of colours.
struct View {
    Camera camera;
    Bounds bounds = kEmptyBounds;      // of everything drawn in all frames
    CameraReach reach;                 // of the same, for the fitted camera
    double ground_height = 0;          // [m] along up
    double color_min = 0, color_max = 0; // equal = from the frame drawn
};

// Collected over the frames of a film, one add_to_view each, then finished.
void add_to_view(const SnapshotLayout&, const Snapshot&, const RenderSettings&, View&);
// Fits the camera unless one is given.
void finish_view(const SnapshotLayout&, const Snapshot& first, const RenderSettings&,
                 const std::optional<Camera>& camera, View&);

} // namespace sinew
