// Solids that are not made of energies of tetrahedra:
//   "solid": { "model": "hooke", "young": "1 MPa", "poisson": 0.3, "linear": false }   rows of strain (constraint/tet_hooke.h)
//   "solid": { "model": "shape_match", "frequency": "20 Hz", "region": "10 cm" }       shape matching (energy/shape_match.h)
// Shape matching is of the whole body, or of regions: the cubes of a lattice of half their side, so that each overlaps its neighbours
// by half; a point gives each of its regions an equal share of its mass. Regions of fewer than eight points are left out where all of
// their points have another.
#pragma once
#include "scene/object.h"

namespace sinew {

struct ShapeRegionParams {
    Real frequency = 10; // [1/s]
    Real region = 0;     // [m] side of a region, 0 = the whole body
    template <class V> static void fields(ShapeRegionParams& p, V&& v) {
        v("frequency", p.frequency, Field{.min = 0, .min_exclusive = true, .unit = "1/s", .doc = "of every deformation of a region"});
        v("region", p.region, Field{.min = 0, .unit = "m", .doc = "side of a region; 0 = the whole body is one"});
    }
};
// rows, or shape matching where `rows` is null
struct SpecialSolid {
    const ElementRow* rows = nullptr;
    std::shared_ptr<void> params;
    ShapeRegionParams shape;
};
bool is_special_solid(const SolidRole&);
bool read_special_solid(const SolidRole&, const Scope&, std::string_view path, SpecialSolid&, std::vector<Error>&);
// of tetrahedra that are counted from the first point; `stiffness` has a factor per point, which shape matching does not use
void add_special_solid(BuildContext&, const SpecialSolid&, Range points, std::span<const std::array<int, 4>> tets, std::span<const Real> stiffness);

// points of each region, from 0
std::vector<std::vector<int>> find_shape_regions(std::span<const Real3> x, Real side);

} // namespace sinew
