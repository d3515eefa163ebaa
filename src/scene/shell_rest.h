// Scripted rest states of shells (spec T 3.2): where lengths and angles at rest come from (energy/rest_script.h).
//   "rest": { "scale": "1 - 0.2*t" }                  factor on all rest lengths, of t, frame, x, y, z
//           { "angle": "0.5*t", "angle_scale": 0 }    added to the angles of hinges, and factor on those of the rest shape
//           { "object": "body", "weight": 0.5 }       lengths and angles of a moving mesh with the same vertices
// weight: 0 = the true rest shape, 1 = follows the script; a number or a map per vertex (point_maps.h).
#pragma once
#include "scene/point_maps.h"

namespace sinew {

struct RestScript {
    std::vector<Real> weight;                 // per vertex
    int first_moving = -1;                    // animated vertex of the first one, -1 = no moving mesh
    int scale = -1, factor = -1, added = -1;  // scalar fields, -1 = none
    bool lengths = false, angles = false;     // what is scripted
};
// false: nothing scripted, or an error
bool read_rest(BuildContext&, const Value& rest, const PolygonMesh&, RestScript&);

// the animated entry of a law of hinges (hinge_tan -> hinge_tan_animated); null = bending by something else
const ElementRow* find_animated_hinge(const ElementRow& law);
// a hinge over the vertices h, from the parameters of its law
void add_animated_hinge(BuildContext&, const ElementRow& animated, const void* law_params, const RestScript&, const std::array<int, 4>& h,
                        Range points);
// tri_stvk_animated from the parameters of tri_stvk
void add_animated_triangle(BuildContext&, const void* params, const RestScript&, const std::array<int, 3>& t, Range points);

} // namespace sinew
