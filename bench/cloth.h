// The cloth of the benchmarks: a square grid of points with stretch, shear and bend links (6 springs per
// point), hung by two corners and bent into a wave.
#pragma once
#include "model/builder.h"

namespace sinew::bench {

// shuffled: points are numbered at random, as in a mesh without any order
ModelBuilder make_cloth(int size, Real stiffness, bool shuffled = false);
int spring_count(const ModelBuilder&);

} // namespace sinew::bench
