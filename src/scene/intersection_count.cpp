#include "scene/intersection_count.h"
#include "collision/intersections.h"
#include "core/parallel.h"
#include "model/contacts.h"
#include "model/surface.h"
#include <algorithm>

namespace sinew {

namespace {

// triangles that are alive, and edges without triangle
void list_alive(const Model& m, const State& s, std::vector<std::array<int, 3>>& triangles, std::vector<std::array<int, 2>>& edges) {
    const auto alive = [&](int v) {
        return m.objects[m.surface.object[v]].alive && is_alive(m, s.point.alive, m.surface.vertices[v]);
    };
    std::vector<std::array<int, 2>> covered;
    for (const auto& t : m.surface.triangles) {
        if (alive(t[0]) && alive(t[1]) && alive(t[2])) triangles.push_back(t);
        for (int k = 0; k < 3; ++k) covered.push_back({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
    }
    std::sort(covered.begin(), covered.end());
    for (const auto& e : m.surface.edges)
        if (alive(e[0]) && alive(e[1]) &&
            !std::binary_search(covered.begin(), covered.end(), std::array<int, 2>{std::min(e[0], e[1]), std::max(e[0], e[1])}))
            edges.push_back(e);
}

} // namespace

int count_intersections(const Model& m, const State& s, int object) {
    const ParallelPtr parallel = make_parallel(Context{.threads = 1});
    std::vector<std::array<int, 3>> triangles;
    std::vector<std::array<int, 2>> edges;
    list_alive(m, s, triangles, edges);
    std::vector<Real3> x(m.surface.vertices.size());
    surface_positions(*parallel, m, surface_state(s), x);
    RuleTable rules;
    build_rule_table(m, rules);
    int count = 0;
    const auto add = [&](int v, int w) {
        const int a = m.surface.object[v], b = m.surface.object[w];
        if (object >= 0 && a != object && b != object) return;
        const auto rigid = [&](int i) { return m.surface.vertices[i].kind == SurfaceVertex::frame; };
        if (rigid(v) && rigid(w)) return;
        if (a != b && !find_pair_rule(m, rules, a, b).touches) return;
        ++count;
    };
    IntersectScratch scratch;
    std::vector<Pair> pairs;
    const TriangleSet set{x, triangles};
    if (!find_self_intersections(*parallel, set, scratch, pairs)) return -1;
    for (const Pair& p : pairs) add(triangles[p[0]][0], triangles[p[1]][0]);
    if (edges.empty()) return count;
    if (!find_edge_intersections(*parallel, set, edges, scratch, pairs)) return -1;
    for (const Pair& p : pairs) add(edges[p[0]][0], triangles[p[1]][0]);
    return count;
}

} // namespace sinew
