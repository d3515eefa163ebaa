// Welding, faces without area, repeated faces, flipping of thin triangles.
#include "geometry/repair_mesh.h"
#include "geometry/topology.h"
#include "geometry/triangulate.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

namespace sinew {

namespace {
// Identical positions: sorted, so that equal ones are neighbours.
void join_identical(const std::vector<Real3>& x, std::vector<int>& parent) {
    std::vector<int> order(x.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](int i) { return std::tie(x[i].x, x[i].y, x[i].z); };
    std::sort(order.begin(), order.end(), [&](int i, int j) { return key(i) < key(j); });
    for (std::size_t i = 1; i < order.size(); ++i)
        if (key(order[i - 1]) == key(order[i])) join_roots(parent, order[i - 1], order[i]);
}

// Closer than the tolerance: swept along x, so that no cell size can overflow an index.
void join_close(const std::vector<Real3>& x, Real tolerance, std::vector<int>& parent) {
    std::vector<int> order(x.size());
    std::iota(order.begin(), order.end(), 0);
    std::map<std::array<Real, 2>, std::vector<int>> cells; // (y, z) cells, each sorted by x
    std::sort(order.begin(), order.end(), [&](int i, int j) { return x[i].x != x[j].x ? x[i].x < x[j].x : i < j; });
    const auto cell = [&](Real v) { return std::floor(v / tolerance); };
    for (int i : order) {
        const Real cy = cell(x[i].y), cz = cell(x[i].z);
        for (Real dy : {-1.0, 0.0, 1.0})
            for (Real dz : {-1.0, 0.0, 1.0}) {
                const auto found = cells.find({cy + dy, cz + dz});
                if (found == cells.end()) continue;
                const auto& list = found->second;
                for (std::size_t k = list.size(); k-- > 0 && x[i].x - x[list[k]].x <= tolerance;)
                    if ((vec(x[i]) - vec(x[list[k]])).squaredNorm() <= tolerance * tolerance) join_roots(parent, i, list[k]);
            }
        cells[{cy, cz}].push_back(i);
    }
}
} // namespace

void find_clusters(const RepairOptions& o, RepairWork& w) {
    const auto& x = w.rest.positions;
    w.cluster.resize(x.size());
    std::iota(w.cluster.begin(), w.cluster.end(), 0);
    if (o.weld < 0) return;
    join_identical(x, w.cluster);
    if (o.weld > 0) join_close(x, o.weld, w.cluster);
    for (int i = 0; i < int(x.size()); ++i) w.cluster[i] = find_root(w.cluster, i);
}

Real thinness(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Real longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    return longest > 0 ? ((b - a) / longest).cross((c - a) / longest).norm() : 0;
}

Vec3 face_area(const RepairWork& w, const RepairFace& f) {
    Vec3 sum = Vec3::Zero();
    const Vec3 x0 = vec(w.rest.positions[w.cluster[f.vertex[0]]]);
    for (std::size_t i = 1; i + 1 < f.vertex.size(); ++i)
        sum += (vec(w.rest.positions[w.cluster[f.vertex[i]]]) - x0).cross(vec(w.rest.positions[w.cluster[f.vertex[i + 1]]]) - x0);
    return sum;
}

namespace {
// Corners that repeat the one before them.
bool drop_repeated_corners(RepairWork& w, RepairFace& f) {
    std::vector<int> vertex, uv;
    const std::size_t n = f.vertex.size();
    for (std::size_t i = 0; i < n; ++i)
        if (w.cluster[f.vertex[i]] != w.cluster[f.vertex[(i + n - 1) % n]]) vertex.push_back(f.vertex[i]), uv.push_back(f.uv[i]);
    if (vertex.size() == n) return false;
    f.vertex = std::move(vertex);
    f.uv = std::move(uv);
    return true;
}

std::vector<int> canonical_cycle(const RepairWork& w, const RepairFace& f) {
    std::vector<int> cycle;
    for (int v : f.vertex) cycle.push_back(w.cluster[v]);
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    return cycle;
}

// A polygon of more than three corners without area.
bool is_flat_polygon(const RepairOptions& o, const RepairWork& w, const RepairFace& f) {
    if (f.vertex.size() == 3) return false; // by flipping
    Real longest = 0;
    const std::size_t n = f.vertex.size();
    for (std::size_t i = 0; i < n; ++i)
        longest = std::max(longest, (vec(w.rest.positions[f.vertex[i]]) - vec(w.rest.positions[f.vertex[(i + 1) % n]])).norm());
    std::vector<int> welded;
    for (int v : f.vertex) welded.push_back(w.cluster[v]);
    return fan_area(w.rest.positions, welded) <= std::max(o.thin, 0.0) * longest * longest;
}
} // namespace

void clean_faces(const RepairOptions& o, RepairWork& w) {
    std::map<std::vector<int>, int> seen;
    for (RepairFace& f : w.faces) {
        if (!f.alive) continue;
        if (drop_repeated_corners(w, f) && f.vertex.size() >= 3) w.report.repeated_corners.push_back(f.source);
        std::vector<int> cycle = canonical_cycle(w, f), sorted = cycle;
        std::sort(sorted.begin(), sorted.end());
        const auto different = std::unique(sorted.begin(), sorted.end()) - sorted.begin();
        if (different < 3 || is_flat_polygon(o, w, f)) {
            f.alive = false;
            w.report.degenerate.push_back(f.source);
        } else if (!seen.try_emplace(std::move(cycle), f.source).second) {
            f.alive = false;
            w.report.duplicate.push_back(f.source);
        }
    }
}

std::vector<RepairSide> build_sides(const RepairWork& w) {
    std::vector<RepairSide> sides;
    for (int f = 0; f < int(w.faces.size()); ++f) {
        const RepairFace& face = w.faces[f];
        if (!face.alive) continue;
        for (int i = 0; i < int(face.vertex.size()); ++i) {
            const int a = w.cluster[face.vertex[i]], b = w.cluster[face.vertex[(i + 1) % face.vertex.size()]];
            sides.push_back({std::min(a, b), std::max(a, b), f, i, a < b});
        }
    }
    std::sort(sides.begin(), sides.end(), [](const RepairSide& p, const RepairSide& q) {
        return std::tie(p.a, p.b, p.face, p.corner) < std::tie(q.a, q.b, q.face, q.corner);
    });
    return sides;
}

namespace {
struct FaceEdges { // faces at each edge, kept up to date while flipping
    std::map<std::array<int, 2>, std::vector<int>> faces;
    static std::array<int, 2> key(int a, int b) { return {std::min(a, b), std::max(a, b)}; }
    void add(const RepairWork& w, int f) {
        const auto& v = w.faces[f].vertex;
        for (std::size_t i = 0; i < v.size(); ++i) faces[key(w.cluster[v[i]], w.cluster[v[(i + 1) % v.size()]])].push_back(f);
    }
    void remove(const RepairWork& w, int f) {
        const auto& v = w.faces[f].vertex;
        for (std::size_t i = 0; i < v.size(); ++i) std::erase(faces[key(w.cluster[v[i]], w.cluster[v[(i + 1) % v.size()]])], f);
    }
};

// Corner opposite to the longest edge.
int apex_of(const RepairWork& w, const RepairFace& f) {
    int apex = 0;
    Real longest = -1;
    for (int i = 0; i < 3; ++i) {
        const Real d = (vec(w.rest.positions[f.vertex[(i + 1) % 3]]) - vec(w.rest.positions[f.vertex[(i + 2) % 3]])).norm();
        if (d > longest) longest = d, apex = i;
    }
    return apex;
}

// Texture coordinate of the thin triangle's apex on the other side of its longest edge: the same where the two sides
// agree, otherwise between the neighbour's own coordinates at the edge's ends.
int apex_uv(RepairWork& w, const RepairFace& thin, int apex, const RepairFace& other, int at_b, int at_a) {
    const int a = (apex + 1) % 3, b = (apex + 2) % 3;
    if (thin.uv[a] == other.uv[at_a] && thin.uv[b] == other.uv[at_b]) return thin.uv[apex];
    if (other.uv[at_a] < 0 || other.uv[at_b] < 0) return -1;
    const Vec3 pa = vec(w.rest.positions[thin.vertex[a]]), pb = vec(w.rest.positions[thin.vertex[b]]);
    const Real s = (vec(w.rest.positions[thin.vertex[apex]]) - pa).norm() / (pb - pa).norm();
    std::array<double, 2> uv;
    for (int k = 0; k < 2; ++k) uv[k] = (1 - s) * w.rest.uv[other.uv[at_a]][k] + s * w.rest.uv[other.uv[at_b]][k];
    w.rest.uv.push_back(uv);
    return int(w.rest.uv.size()) - 1;
}

// The apex of a thin triangle goes into the neighbour across the longest edge, which is cut in two if it is a triangle.
// False if there is no single neighbour running the other way, or the new edge exists already.
bool flip(RepairWork& w, FaceEdges& edges, int f) {
    const int apex = apex_of(w, w.faces[f]), c = w.faces[f].vertex[apex];
    const int a = w.faces[f].vertex[(apex + 1) % 3], b = w.faces[f].vertex[(apex + 2) % 3];
    const auto& at_edge = edges.faces[FaceEdges::key(w.cluster[a], w.cluster[b])];
    if (at_edge.size() == 1) return edges.remove(w, f), w.faces[f].alive = false, true;
    if (at_edge.size() != 2) return false;
    const int g = at_edge[0] == f ? at_edge[1] : at_edge[0];
    RepairFace other = w.faces[g];
    const int n = int(other.vertex.size());
    int at_b = -1;
    for (int i = 0; i < n; ++i) {
        if (w.cluster[other.vertex[i]] == w.cluster[b] && w.cluster[other.vertex[(i + 1) % n]] == w.cluster[a]) at_b = i;
        if (w.cluster[other.vertex[i]] == w.cluster[c]) return false;
    }
    if (at_b < 0) return false;
    const int at_a = (at_b + 1) % n, at_d = (at_b + 2) % n, d = other.vertex[at_d];
    if (n == 3) {
        const auto existing = edges.faces.find(FaceEdges::key(w.cluster[c], w.cluster[d]));
        if (existing != edges.faces.end() && !existing->second.empty()) return false;
    }
    const int uv = apex_uv(w, w.faces[f], apex, other, at_b, at_a);
    edges.remove(w, f);
    edges.remove(w, g);
    if (n == 3) {
        w.faces[f] = {{other.vertex[at_a], d, c}, {other.uv[at_a], other.uv[at_d], uv}, other.source, true};
        w.faces[g] = {{d, other.vertex[at_b], c}, {other.uv[at_d], other.uv[at_b], uv}, other.source, true};
        edges.add(w, f);
    } else {
        w.faces[g].vertex.insert(w.faces[g].vertex.begin() + at_b + 1, c);
        w.faces[g].uv.insert(w.faces[g].uv.begin() + at_b + 1, uv);
        w.faces[f].alive = false;
    }
    edges.add(w, g);
    return true;
}
} // namespace

bool flip_thin_faces(const RepairOptions& o, RepairWork& w) {
    std::vector<int> thin;
    const auto is_thin = [&](int f) {
        const RepairFace& face = w.faces[f];
        if (!face.alive || face.vertex.size() != 3) return false;
        const auto x = [&](int k) { return Vec3(vec(w.rest.positions[w.cluster[face.vertex[k]]])); };
        return thinness(x(0), x(1), x(2)) <= std::max(o.thin, 0.0);
    };
    for (int f = 0; f < int(w.faces.size()); ++f)
        if (is_thin(f)) thin.push_back(f);
    w.report.thin_left.clear();
    if (thin.empty()) return false;
    FaceEdges edges;
    for (int f = 0; f < int(w.faces.size()); ++f)
        if (w.faces[f].alive) edges.add(w, f);
    bool changed = false;
    // a flip can make the neighbour thin in turn; each face gets a few tries, then it is left and said so
    for (int round = 0; round < 8 && !thin.empty(); ++round) {
        std::vector<int> left;
        for (int f : thin) {
            if (!is_thin(f)) continue;
            const int source = w.faces[f].source;
            if (!flip(w, edges, f)) {
                left.push_back(f);
                continue;
            }
            changed = true;
            (w.faces[f].alive ? w.report.flipped : w.report.degenerate).push_back(source);
            if (is_thin(f)) left.push_back(f);
        }
        thin = std::move(left);
    }
    for (int f : thin)
        if (is_thin(f)) w.report.thin_left.push_back(w.faces[f].source);
    return changed;
}

} // namespace sinew
