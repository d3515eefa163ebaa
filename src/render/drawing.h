// One frame as it will be drawn: positions about a common origin in single precision, normals, colours, one
// number per vertex where a field is shown. What cannot be drawn (points that are not finite, dead particles)
// is left out here, so that the ray tracer sees clean data only.
#pragma once
#include "core/math.h"
#include "render/shape.h"
#include "render/view.h"

namespace sinew {

using Vec3f = Eigen::Vector3f;

struct DrawnObject {
    std::vector<Vec3f> position;     // [m] minus Drawing::origin; zero where not drawn
    std::vector<std::uint8_t> drawn; // per vertex: finite and alive
    std::vector<Vec3f> normal;       // unit, per normal of the shape
    std::vector<float> value;   // field at the vertices, scaled to 0..1; NaN = no value; empty = no field
    std::vector<int> triangles; // of the shape, those whose corners are all drawn
    std::vector<int> segments;  // of the layout, likewise
    std::vector<int> points;    // vertices drawn as balls
    float radius = 0;           // [m] of points and segments
    Vec3f color, back_color;    // linear RGB
    bool sheet = false;         // two-sided, lets light through
    bool gray = false;          // a field is shown, but this object has none
};

struct Drawing {
    Real3 origin;                        // [m] subtracted from all positions
    std::vector<DrawnObject> objects;    // as in the layout
    double color_min = 0, color_max = 0; // range of the field
    bool has_field = false;
    std::vector<std::string> warnings;
};

// Errors: a snapshot that does not fit the layout.
Result<Drawing> build_drawing(const SnapshotLayout&, const std::vector<DrawnShape>&, const Snapshot&,
                              const RenderSettings&, const FilmView&);

} // namespace sinew
