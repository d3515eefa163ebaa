// The largest step along a motion that is proven free of contact: the smallest impact time (ccd.h) over all
// candidates. All pairs are apart on the closed interval [0, step], in exact arithmetic on the line from x_t0
// to x_t1. A minimum of times does not depend on the order: same bits for any thread count. Nothing is
// allocated once the scratch has grown.
#pragma once
#include "collision/candidates.h"

namespace sinew {

struct SafeStepOptions {
    Real separation = 0; // [m] pairs stay at least this far apart ...
    Real keep =
        0.5; // ... or, where they start closer than separation / keep, this part of their distance, in (0, 1)
};

struct SafeStep {
    Real step = 1; // in [0, 1]; 1 = no contact on the whole way, 0 = touching at the start
    enum Kind : int { none, vertex_triangle, edge_edge, vertex_edge, vertex_vertex, vertex_obstacle, edge_obstacle, triangle_obstacle } kind = none;
    Pair pair{-1, -1}; // of the candidates: who limits the step; the first in (kind, index) among equals
};

struct SafeStepScratch {
    std::vector<SafeStep> chunk;
};

SafeStep find_safe_step(const Parallel&, const SurfaceTopology&, const Candidates&,
                        std::span<const Real3> x_t0, std::span<const Real3> x_t1, const SafeStepOptions&,
                        SafeStepScratch&);

} // namespace sinew
