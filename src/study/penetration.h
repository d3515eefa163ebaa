// How deep everything is in everything else, added up: the L1 error of contacts (spec U 3.11). Found by the detection that solvers
// use, at the state itself.
#pragma once
#include "collision/detect.h"
#include "collision/detect_shapes.h"
#include "collision/collision.h"
#include "core/parallel.h"
#include "solver/velocity_build.h"

namespace sinew {

struct PenetrationScratch {
    ShapeScratch shapes;
    DetectScratch obstacles;
    SurfaceScratch surface;
    std::vector<Real3> x;
    Contacts found;
    RowProblem bodies;
    TouchList list;
};
Real total_penetration(const Parallel&, const Model&, const State&, PenetrationScratch&); // [m]; nan: a position is not finite

} // namespace sinew
