// Parts of a decomposition: the surface inside a convex cell, its hull, its concavity.
#pragma once
#include "geometry/decompose.h"
#include "geometry/distance_grid.h"
#include "geometry/hull.h"

namespace sinew {

struct CutPlane {
    Vec3 normal; // unit
    Real offset; // [m] n . x
};

// Convex polyhedron: polygons of a box cut by planes.
struct Cell {
    std::vector<std::vector<Vec3>> faces;
};
Cell make_cell(const Aabb&);
Cell cut_cell(const Cell&, const CutPlane&, bool upper); // the half with n . x >= offset or <= offset

struct Part {
    std::vector<Vec3> vertices;
    std::vector<std::array<int, 3>> triangles;
    Cell cell;
    std::vector<int> samples;   // of the job, in the cell
    std::vector<Vec3> inner;    // corners of the cell inside the solid
    HullShape hull;             // empty if the part has no volume
    Real volume = 0;            // [m^3] of the hull
    Real concavity = 0;         // [m]
    Vec3 worst = Vec3::Zero();  // where it is measured
};

struct DecomposeJob {
    const TriangleShape& mesh;
    TriangleTree tree;
    DistanceGridShape grid;
    std::vector<Vec3> samples; // of the surface
    Real spacing = 0;          // [m]
    Real size = 0;             // [m] diagonal
};

// Both halves; samples are dealt out, hulls are not made yet.
void cut_part(const DecomposeJob&, const Part&, const CutPlane&, Part& lower, Part& upper);

// Hull of at most `limit` of the points, evenly chosen; empty without volume.
HullShape hull_of(const std::vector<Vec3>& points, const std::vector<Vec3>& more, std::size_t limit);
Real hull_volume(const HullShape&);

// `fine`: all samples and exact distances; otherwise every `stride`-th sample and the grid alone.
struct Worst {
    Real concavity = 0;
    Vec3 place = Vec3::Zero();
};
Worst find_worst(const DecomposeJob&, const HullShape&, const std::vector<int>* samples, int stride, bool fine);
void finish_part(const DecomposeJob&, Part&); // hull, volume, concavity

// Points on the faces of the hull at most `spacing` apart, at most 40 along an edge.
void sample_hull(const HullShape&, Real spacing, std::vector<Vec3>& out);
void sample_triangle(const Vec3& a, const Vec3& b, const Vec3& c, Real spacing, int most, std::vector<Vec3>& out);
// Distance of p to the nearest face plane, negative outside; stops below `least`.
Real depth_in_hull(const HullShape&, const Vec3& p, Real least);

} // namespace sinew
