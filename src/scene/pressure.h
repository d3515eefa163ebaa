// "pressure" of bodies with a closed surface: constant, of a sealed gas, or of a liquid (energy/pressure_volume.h).
//   "pressure": "2 kPa" | { "pressure", "gas", "outside" } | { "bulk": "2 GPa", "fill": 1.2 }
#pragma once
#include "scene/object.h"

namespace sinew {

// faces: counter-clockwise seen from where the pressure does not act, corners counted from the first point
void add_pressure(BuildContext&, const Value&, Range points, const std::vector<std::array<int, 3>>& faces);

} // namespace sinew
