// Result of detection, plain data, one contiguous range per kind, sorted by key: deterministic, and warm starting is a
// merge. The kinds of this file: a surface vertex against an obstacle with a given normal.
#pragma once
#include "sinew/model.h"

namespace sinew {

struct ObstacleContact {
    std::uint64_t key = 0;       // vertex << 32 | obstacle
    int vertex = -1;             // surface vertex
    int obstacle = -1;
    Real3 normal;                // unit, from the obstacle to the vertex
    Real3 at;                    // [m] closest point of the obstacle
    Real3 velocity;              // [m/s] of the obstacle there
    Real gap = 0;                // [m] distance - thickness
    Real thickness = 0;          // [m] of the pair
};
struct Contacts {
    std::vector<ObstacleContact> obstacle;
};

} // namespace sinew
