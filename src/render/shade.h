// Light along one camera ray. A surface gets the sun through a soft shadow, light from the sky with one
// bounce off whatever hides it, and, unless it is a sheet, a highlight; sheets let some light through.
//   seen = direct + sun * lit + albedo * sky
// The parts are kept apart because the soft ones, sun and sky, are averaged over neighbouring pixels
// afterwards.
#pragma once
#include "render/sampling.h"
#include "render/surroundings.h"
#include "render/trace.h"

namespace sinew {

struct ShadeScene {
    const SnapshotLayout* layout;
    const std::vector<DrawnShape>* shapes;
    const Drawing* drawing;
    const TraceScene* trace;
    Surroundings around;
    ColorMap color_map = ColorMap::viridis;
};

struct Shaded {
    Vec3f direct = Vec3f::Zero();   // background
    Vec3f lit = Vec3f::Zero();      // what the sun adds where it is not hidden
    Vec3f albedo = Vec3f::Zero();   // part of the sky's light that is seen; zero for the background
    Vec3f position = Vec3f::Zero(); // [m]
    Vec3f normal = Vec3f::Zero();   // facing the eye
    Vec3f flat = Vec3f::Zero();     // normal of the facet, facing the eye
    float sun = 0;                  // 0 or 1: reached by the sun's sample
    int id = -1;                    // -1 background, 0 ground, 1 + 2 object (+ 1 for the back of a sheet)
};

// `pixel` [rad]: angle between neighbouring pixels; `sun`: sample on the unit square
Shaded shade(const ShadeScene&, const Vec3f& eye, const Vec3f& direction, float pixel, Sample2 sun);

// Light that arrives at a shaded point of body or ground from one direction around its normal,
// cosine-weighted: the mean over samples is what a white surface there would show.
Vec3f sky_arriving(const ShadeScene&, const Shaded&, Sample2);

} // namespace sinew
