#include "geometry/fill_holes.h"
#include "geometry/topology.h"
#include <algorithm>
#include <map>

namespace sinew {

int fill_holes(PolygonMesh& m) {
    // open edges, against the direction of the polygon that has them
    const EdgeTable table = build_edges(m);
    std::multimap<int, int> next;
    for (int e : boundary_edges(table)) {
        const int corner = table.corners.index[table.corners.begin[e]];
        const int p = table.corner_polygon[corner];
        const int after = corner + 1 < m.polygon_begin[p + 1] ? corner + 1 : m.polygon_begin[p];
        next.emplace(m.polygon_vertex[after], m.polygon_vertex[corner]);
    }
    int added = 0;
    while (!next.empty()) {
        // walk until a vertex comes back; what lies between is a loop
        std::vector<int> path{next.begin()->first};
        while (true) {
            const auto step = next.find(path.back());
            if (step == next.end()) break; // a dead end: the neighbours disagree about orientation
            const int to = step->second;
            next.erase(step);
            const auto seen = std::find(path.begin(), path.end(), to);
            if (seen == path.end()) {
                path.push_back(to);
                continue;
            }
            const std::vector<int> loop(seen, path.end());
            path.erase(seen + 1, path.end());
            if (loop.size() >= 3) {
                add_polygon(m, loop);
                ++added;
            }
        }
    }
    return added;
}

} // namespace sinew
