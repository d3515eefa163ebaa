// What a picture should look like. Everything has a default that suits most scenes.
#pragma once
#include "core/fields.h"
#include "render/color.h"

namespace sinew {

enum class GroundStyle { grid, checker, plain, none };

// Units, ranges and meanings are in settings.cpp, next to the names by which scene files and the command line
// know them.
struct RenderSettings {
    // picture
    int width = 1280, height = 720;
    int samples = 16;
    double exposure = 1;
    double thinnest = 1.2;

    // camera fitted to the scene, where none is given
    double azimuth = 0.6109, elevation = 0.3316, fov = 0.6109;

    // surroundings
    Real3 up{0, 1, 0};
    std::string ground = "grid";
    Real3 ground_color{0.60, 0.61, 0.63};
    double ground_spacing = 0;
    Real3 sky_top{0.22, 0.40, 0.68}, sky_horizon{0.74, 0.80, 0.87};
    double sun_azimuth = -0.75, sun_elevation = 0.85, sun_size = 0.035;
    double sun_light = 1.05, sky_light = 0.36;

    // bodies
    double crease = 0.75;
    std::string color_by;
    std::array<double, 2> color_range{0, 0};
    std::string color_map = "viridis";

    // writing in the picture
    bool legend = true;
    std::string legend_title;
    bool show_time = false;
    std::string caption;
};

FieldList render_fields(RenderSettings&);                 // every member once
std::vector<Error> check_settings(const RenderSettings&); // members outside their range, by name
GroundStyle ground_style(const RenderSettings&);
ColorMap color_map(const RenderSettings&);

} // namespace sinew
