// Surfaces for the benchmark of collision detection. All coordinates are single-precision numbers, so that
// libraries of either precision compare the same boxes.
#pragma once
#include "collision_peers.h"
#include <string>

namespace sinew::bench {

Soup load_dragon(std::string& where); // the shared mesh, or a generated stand-in; `where` says which
Soup make_crumpled_sheet(int n);      // n x n vertices
void deform(const Soup& rest, double phase, Soup& out); // smooth waves through the surface

// Two n x n sheets of side 1 m, h = 1/(n - 1), 3.8 h apart, the upper one with wrinkles of amplitude 1.5 h,
// jitter 0.2 h; the upper one moves by -3 h along y and 0.5 h along x.
struct TwoSheets {
    std::vector<Real3> x_t0, x_t1;
    std::vector<std::array<int, 2>> edges;
    std::vector<std::array<int, 3>> triangles;
};
TwoSheets make_two_sheets(int n);

} // namespace sinew::bench
