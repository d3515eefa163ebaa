// The cloth of the benchmarks: a square grid of points with stretch, shear and bend links (6 springs per
// point), hung by two corners and bent into a wave.
#pragma once
#include "model/builder.h"

namespace sinew::bench {

struct Cloth {
    Real stiffness = 100;  // [N/m] of stretch links; shear 0.3 and bend 0.01 times that
    Real damping = 0;      // [N s/m]
    bool shuffled = false; // points numbered at random, as in a mesh without any order
};
ModelBuilder make_cloth(int size, const Cloth& = {});
int spring_count(const ModelBuilder&);

} // namespace sinew::bench
