#include "geometry/tet_manifold.h"
#include "geometry/tet_measure.h"
#include "geometry/topology.h"
#include <algorithm>
#include <deque>
#include <map>

namespace sinew {

namespace {
bool has(const std::array<int, 4>& tet, int p) { return std::find(tet.begin(), tet.end(), p) != tet.end(); }
bool has(const std::array<int, 3>& face, int p) { return std::find(face.begin(), face.end(), p) != face.end(); }

// tetrahedra at each of the given points (ascending)
std::map<int, std::vector<int>> tets_at(const TetMesh& m, const std::vector<int>& points) {
    std::map<int, std::vector<int>> at;
    for (int p : points) at[p];
    std::vector<char> wanted(m.points.size(), 0);
    for (int p : points) wanted[p] = 1;
    for (int t = 0; t < int(m.tets.size()); ++t)
        for (int p : m.tets[t])
            if (wanted[p]) at[p].push_back(t);
    return at;
}

int shared_points(const std::array<int, 4>& a, const std::array<int, 4>& b) {
    int n = 0;
    for (int p : a) n += has(b, p);
    return n;
}

// Groups of the given tetrahedra that are connected through faces: those of one point or edge share all of its faces.
std::vector<std::vector<int>> face_groups(const TetMesh& m, const std::vector<int>& tets) {
    std::vector<std::vector<int>> groups;
    std::vector<char> seen(tets.size(), 0);
    for (std::size_t first = 0; first < tets.size(); ++first) {
        if (seen[first]) continue;
        seen[first] = 1;
        std::vector<int> group{tets[first]};
        for (std::size_t n = 0; n < group.size(); ++n)
            for (std::size_t i = first + 1; i < tets.size(); ++i)
                if (!seen[i] && shared_points(m.tets[group[n]], m.tets[tets[i]]) == 3) {
                    seen[i] = 1;
                    group.push_back(tets[i]);
                }
        std::sort(group.begin(), group.end());
        groups.push_back(std::move(group));
    }
    return groups;
}

int split_points(TetMesh& m, const std::vector<int>& points) {
    int added = 0;
    for (const auto& [p, tets] : tets_at(m, points)) {
        const std::vector<std::vector<int>> groups = face_groups(m, tets);
        for (std::size_t g = 1; g < groups.size(); ++g, ++added) {
            const int copy = int(m.points.size());
            m.points.push_back(Real3(m.points[p]));
            for (TetGroup& named : m.point_groups)
                if (std::binary_search(named.members.begin(), named.members.end(), p)) named.members.push_back(copy);
            for (int t : groups[g]) std::replace(m.tets[t].begin(), m.tets[t].end(), p, copy);
        }
    }
    return added;
}

// all but the largest group around each edge
void mark_edges(const TetMesh& m, const std::vector<std::array<int, 2>>& edges, std::vector<char>& dead) {
    std::vector<int> first;
    for (const auto& e : edges) first.push_back(e[0]);
    const std::map<int, std::vector<int>> at = tets_at(m, first);
    for (const auto& e : edges) {
        std::vector<int> tets;
        for (int t : at.at(e[0]))
            if (has(m.tets[t], e[1])) tets.push_back(t);
        const std::vector<std::vector<int>> groups = face_groups(m, tets);
        std::size_t keep = 0;
        for (std::size_t g = 1; g < groups.size(); ++g)
            if (groups[g].size() > groups[keep].size()) keep = g;
        for (std::size_t g = 0; g < groups.size(); ++g)
            if (g != keep)
                for (int t : groups[g]) dead[t] = 1;
    }
}

// Shortest way through the tetrahedra at p from the boundary fan of the first boundary face there to another fan.
void mark_point(const TetMesh& m, const std::vector<BoundaryFace>& faces, int p, const std::vector<int>& tets, std::vector<char>& dead) {
    // fans: boundary faces at p connected through edges at p
    std::vector<BoundaryFace> at;
    for (const BoundaryFace& f : faces)
        if (has(f.corners, p)) at.push_back(f);
    std::vector<int> fan(at.size(), 0);
    std::vector<std::size_t> queue{0};
    if (at.empty()) return;
    fan[0] = 1;
    for (std::size_t n = 0; n < queue.size(); ++n)
        for (std::size_t i = 0; i < at.size(); ++i) {
            int common = 0;
            for (int c : at[queue[n]].corners) common += has(at[i].corners, c);
            if (!fan[i] && common == 2) fan[i] = 1, queue.push_back(i);
        }
    std::map<int, int> target; // tetrahedron -> 1 has a face of the first fan, 2 of another
    for (std::size_t i = 0; i < at.size(); ++i) target[at[i].tet] |= fan[i] ? 1 : 2;
    // breadth first from the tetrahedra of the first fan
    std::map<int, int> from;
    std::deque<int> next;
    for (const auto& [t, kinds] : target)
        if (kinds & 1) from[t] = -1, next.push_back(t);
    while (!next.empty()) {
        const int t = next.front();
        next.pop_front();
        const auto found = target.find(t);
        if (found != target.end() && (found->second & 2)) {
            for (int u = t; u >= 0; u = from[u]) dead[u] = 1;
            return;
        }
        for (int u : tets)
            if (!from.count(u) && shared_points(m.tets[t], m.tets[u]) == 3) from[u] = t, next.push_back(u);
    }
}

// groups follow the new numbers
void renumber(std::vector<TetGroup>& groups, const std::vector<int>& number) {
    for (TetGroup& g : groups) {
        std::vector<int> kept;
        for (int i : g.members)
            if (number[i] >= 0) kept.push_back(number[i]);
        std::sort(kept.begin(), kept.end());
        g.members = std::move(kept);
    }
}

int remove_tets(TetMesh& m, const std::vector<char>& dead) {
    std::vector<int> number(m.tets.size(), -1);
    int kept = 0;
    for (int t = 0; t < int(m.tets.size()); ++t)
        if (!dead[t]) {
            number[t] = kept;
            m.tets[kept++] = m.tets[t];
        }
    const int removed = int(m.tets.size()) - kept;
    m.tets.resize(kept);
    renumber(m.tet_groups, number);
    return removed;
}

void remove_unused_points(TetMesh& m) {
    std::vector<int> number(m.points.size(), -1);
    for (const auto& t : m.tets)
        for (int p : t) number[p] = 0;
    int kept = 0;
    for (int p = 0; p < int(m.points.size()); ++p)
        if (number[p] == 0) {
            number[p] = kept;
            m.points[kept++] = Real3(m.points[p]);
        }
    m.points.resize(kept);
    for (auto& t : m.tets)
        for (int& p : t) p = number[p];
    renumber(m.point_groups, number);
}
} // namespace

SeparateReport separate_parts(TetMesh& m) {
    SeparateReport report;
    for (;;) {
        const BoundaryMesh b = boundary_mesh(m);
        const MeshCheck c = check_mesh(b.mesh);
        if (c.manifold) break;
        std::vector<int> bad;
        for (int v : c.nonmanifold_vertices) bad.push_back(b.point[v]);
        std::vector<std::array<int, 2>> edges;
        for (const auto& e : c.nonmanifold_edges) {
            edges.push_back({b.point[e[0]], b.point[e[1]]});
            bad.insert(bad.end(), {edges.back()[0], edges.back()[1]});
        }
        std::sort(bad.begin(), bad.end());
        bad.erase(std::unique(bad.begin(), bad.end()), bad.end());
        if (const int added = split_points(m, bad); added > 0) {
            report.split += added;
            continue;
        }
        std::vector<char> dead(m.tets.size(), 0);
        if (!edges.empty()) mark_edges(m, edges, dead);
        else {
            const std::vector<BoundaryFace> faces = boundary_faces(m);
            for (const auto& [p, tets] : tets_at(m, bad)) mark_point(m, faces, p, tets, dead);
        }
        const int removed = remove_tets(m, dead);
        report.removed += removed;
        if (removed == 0) break;
    }
    if (report.removed > 0) remove_unused_points(m);
    return report;
}

} // namespace sinew
