// How many pairs of the scene's surface meet, by the exact test (collision/intersections.h): triangles with triangles, edges of
// rods with triangles. Left out are pairs of rigid bodies, which meet by their shapes, pairs of objects that do not touch each
// other by the scene's rules, and what is not alive.
#pragma once
#include "sinew/model.h"
#include "sinew/state.h"

namespace sinew {

// object < 0: all; otherwise pairs with a part of it. -1 if a position is not finite.
int count_intersections(const Model&, const State&, int object);

} // namespace sinew
