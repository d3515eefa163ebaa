// Moving pairs for the tests of continuous collision.
#pragma once
#include "collision/ccd_judge.h"
#include <cstdint>
#include <string>
#include <vector>

namespace sinew {

struct CcdSample {
    judge::FeaturePair pair = judge::FeaturePair::vertex_triangle;
    CcdPoints x0, x1;
    bool near = false; // made to pass each other closely
    const char* what = "";
};

// Sample i of a stream: 45 % made to touch at a random time, 30 % made to pass within 1e-8 .. 1e-2 of their
// size, the rest at random. The judge has the last word about each.
CcdSample random_sample(std::uint64_t seed, std::uint64_t index);

// Parallel edges, coplanar motion, shared vertices, zero length, huge and tiny coordinates, tiny times, no
// motion, touching at the start or the end, corners and edges met exactly, coordinates on a small lattice.
std::vector<CcdSample> degenerate_samples();

} // namespace sinew
