// Point maps: numbers per point of an object that scale what it is made of.
//   "maps": { "stiffness": ..., "density": ..., "thickness": ... }   sheets
//   "maps": { "stiffness": ..., "density": ... }                     solids
//   "maps": { "stiffness": ..., "density": ..., "radius": ... }      rods
// Each is the name of a vertex attribute of the mesh, a list with one number per point, or an expression of x, y, z at rest in the
// object's axes. Of a solid that fills a surface an attribute is that of the surface: each point has the value of the place of the
// surface next to it.
// Elements take the mean of their points; a tetrahedron by mass: each of its corners gets a quarter of it by its own factor.
#pragma once
#include "scene/object.h"

namespace sinew {

// What a map may name and where expressions are taken.
struct MapPlaces {
    std::span<const Real3> x;               // [m] in the object's axes
    std::vector<VertexAttribute> attributes;
};
MapPlaces map_places(const PolygonMesh&);
// points inside of a surface with attributes
MapPlaces map_places(std::span<const Real3> x, const PolygonMesh& surface);

// Numbers that a map may have: at least, or above, `min`, and at most `max`.
struct MapRange {
    Real min = 0, max = 1e300;
    bool above = true;
    const char* allowed = "numbers above 0";
};
// one map at the path below the object, into `out`, which has a number per point; false after an error
bool read_map(BuildContext&, const Value&, std::string_view key, const MapPlaces&, const MapRange&, std::vector<Real>& out);

// Factors per point, 1 where the scene says nothing.
struct PointMaps {
    std::vector<Real> stiffness, density;
    std::vector<Real> size; // thickness of sheets, radius of rods
};
// `size` is the name of that map, empty where the object has none
PointMaps read_maps(BuildContext&, const Value& maps, const MapPlaces&, std::string_view size);

// of the points of an element
inline Real mean_of(std::span<const Real> map, std::span<const int> points) {
    Real sum = 0;
    for (int i : points) sum += map[i];
    return sum / Real(points.size());
}

} // namespace sinew
