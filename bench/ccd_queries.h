// Continuous collision queries for the benchmarks: where they come from, and the plain finder that ours is
// measured against.
#pragma once
#include "collision/candidates.h"
#include "collision/ccd.h"
#include "collision_scenes.h"

namespace sinew::bench {

struct Query {
    bool edges; // a0 a1 b0 b1, or p t0 t1 t2
    CcdPoints x0, x1;
};

std::vector<Query> sheet_queries(const TwoSheets&, const Candidates&);
// points in a unit box, displacements as large: a tenth are hits
std::vector<Query> random_queries(int count);

inline Real our_impact(const Query& q, Real separation = 0) {
    return q.edges ? find_impact_edge_edge(q.x0, q.x1, {separation})
                   : find_impact_vertex_triangle(q.x0, q.x1, {separation});
}

// What a textbook gives: coplanarity cubic in doubles, roots in [0, 1] by monotone pieces and Newton, then
// the inside test with a tolerance. It misses and it alarms.
Real plain_impact(const Query&);

// FCL's own queries with its own filter in front; `newton`: by intervals, its default, or by the closed form of
// the roots. One flag per query; false without FCL.
bool find_fcl_impacts(const std::vector<Query>&, bool newton, std::vector<char>& hit);

} // namespace sinew::bench
