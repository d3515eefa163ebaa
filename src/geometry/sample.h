// Points for emitters and for fitting. Each is a function of (seed, index) alone: item i is the same in any
// order, on any thread, and after a restart. Item `index` draws from its own stream (core/random.h) of the
// seed.
#pragma once
#include "geometry/triangulate.h"
#include <span>

namespace sinew {

Real3 sample_in_box(std::uint64_t seed, std::uint64_t index, const Real3& min, const Real3& max);  // uniform
Real3 sample_in_sphere(std::uint64_t seed, std::uint64_t index, const Real3& center, Real radius); // uniform

// count.x * count.y * count.z points in cell centres of the box, x fastest; index counts through them and
// starts again.
struct PointGrid {
    Real3 min, max;
    std::array<int, 3> count{1, 1, 1}; // each >= 1
};
std::int64_t point_count(const PointGrid&);
Real3 grid_point(const PointGrid&, std::uint64_t index);
// Cells of about `spacing` filling the box: at least one along each axis, at most 2^20.
PointGrid make_point_grid(const Real3& min, const Real3& max, Real spacing);

// A vertex chosen with equal chances, from a list of vertices or from all. -1 if there is none.
int sample_vertex(std::uint64_t seed, std::uint64_t index, const PolygonMesh&);
int sample_vertex(std::uint64_t seed, std::uint64_t index, std::span<const int> vertices);

// Uniform by area on the polygons.
struct SurfaceTable {
    Triangulation triangulation;
    std::vector<Real> area_end; // [m^2] sum of the areas up to and including each triangle
};
struct SurfaceSample {
    int triangle = -1; // of the table's triangulation; -1 if the mesh has no area
    int polygon = -1;
    std::array<Real, 3> weight{}; // of the triangle's vertices, >= 0, sum 1
    Real3 position;               // [m]
    Real3 normal;                 // unit, of the triangle
};
SurfaceTable build_surface_table(const PolygonMesh&);
Real surface_area(const SurfaceTable&); // [m^2]
SurfaceSample sample_on_surface(std::uint64_t seed, std::uint64_t index, const PolygonMesh&,
                                const SurfaceTable&);

} // namespace sinew
