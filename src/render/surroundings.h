// What is around the bodies: sun, sky, ground. Radiances are in units of a white surface in full light =
// about 1.
#pragma once
#include "render/drawing.h"

namespace sinew {

struct Surroundings {
    Vec3f up, east, north;          // orthonormal
    Vec3f sun, sun_a, sun_b;        // towards the sun; axes of its disc scaled by its size
    Vec3f sun_color;                // added to a white surface facing the sun
    Vec3f sky_top, sky_horizon;     // background
    Vec3f light_top, light_horizon; // light from the sky
    Vec3f ground_color;
    GroundStyle ground = GroundStyle::none;
    float ground_height = 0;            // along up, relative to Drawing::origin
    float spacing = 1;                  // [m] of grid lines
    float fade_begin = 1, fade_end = 2; // [m] distance from the scene's middle over which the ground vanishes
    float scale = 1;                    // [m] radius of the scene
};
Surroundings make_surroundings(const RenderSettings&, const FilmView&, const Drawing&);

Vec3f background(const Surroundings&, const Vec3f& direction); // what the camera sees where nothing is
Vec3f sky_light(const Surroundings&, const Vec3f& direction);  // what lights surfaces from there

// Distance along the ray to the ground, seen from above only; negative = not hit.
float ground_distance(const Surroundings&, const Vec3f& origin, const Vec3f& direction);

struct GroundPoint {
    Vec3f color;    // linear RGB reflectance
    float presence; // 1 = ground, 0 = faded into the background
};
// `footprint` [m]: width of a pixel on the ground there; finer patterns are averaged away.
GroundPoint ground_point(const Surroundings&, const Vec3f& position, float footprint);

} // namespace sinew
