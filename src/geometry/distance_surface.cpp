// The surface d = 0 of a distance grid by marching tetrahedra: every cell is cut into six around its main
// diagonal, the same way everywhere, so that neighbours agree and the surface is closed where it does not
// leave the grid.
#include "geometry/distance_grid.h"
#include <algorithm>
#include <unordered_map>

namespace sinew {

namespace {
constexpr Real kEnd = 1e-6; // crossings stay this far from the nodes: no triangle without area

struct Marching {
    const DistanceGridShape& g;
    TriangleShape out;
    std::unordered_map<std::uint64_t, int> crossing; // edge of the grid -> vertex
};

using Node = std::array<int, 3>;
std::uint64_t index_of(const DistanceGridShape& g, const Node& n) {
    return (std::uint64_t(n[2]) * g.size[1] + n[1]) * g.size[0] + n[0];
}
Vec3 place_of(const DistanceGridShape& g, const Node& n) { return grid_node(g, n[0], n[1], n[2]); }

int crossing_of(Marching& m, const Node& in, const Node& out) {
    const std::uint64_t a = index_of(m.g, in), b = index_of(m.g, out);
    // the other node is at most one step away along each axis: eight offsets name it
    const int bit[3] = {in[0] != out[0], in[1] != out[1], in[2] != out[2]};
    const auto [at, is_new] = m.crossing.try_emplace(
        std::min(a, b) * 8 + std::uint64_t(bit[0] + 2 * bit[1] + 4 * bit[2]), int(m.out.vertices.size()));
    if (is_new) {
        const Real da = m.g.distance[a], db = m.g.distance[b], t = std::clamp(da / (da - db), kEnd, 1 - kEnd);
        m.out.vertices.push_back(real3((1 - t) * place_of(m.g, in) + t * place_of(m.g, out)));
    }
    return at->second;
}

// counter-clockwise seen from outside
void add_triangle(Marching& m, int a, int b, int c, const Vec3& outwards) {
    const Vec3 x = vec(m.out.vertices[a]),
               n = (Vec3(vec(m.out.vertices[b])) - x).cross(Vec3(vec(m.out.vertices[c])) - x);
    if (n.dot(outwards) < 0) std::swap(b, c);
    m.out.triangles.push_back({a, b, c});
}

void march(Marching& m, const std::array<Node, 4>& corner) {
    std::array<Node, 4> in, out;
    int ins = 0, outs = 0;
    Vec3 outwards = Vec3::Zero();
    for (const Node& n : corner)
        if (m.g.distance[index_of(m.g, n)] < 0)
            in[ins++] = n;
        else
            out[outs++] = n;
    if (ins == 0 || outs == 0) return;
    for (int i = 0; i < ins; ++i) outwards -= place_of(m.g, in[i]) / ins;
    for (int i = 0; i < outs; ++i) outwards += place_of(m.g, out[i]) / outs;
    if (ins == 2) {
        const int a = crossing_of(m, in[0], out[0]), b = crossing_of(m, in[0], out[1]),
                  c = crossing_of(m, in[1], out[1]), d = crossing_of(m, in[1], out[0]);
        add_triangle(m, a, b, c, outwards);
        add_triangle(m, a, c, d, outwards);
        return;
    }
    int v[3];
    for (int i = 0; i < 3; ++i)
        v[i] = ins == 1 ? crossing_of(m, in[0], out[i]) : crossing_of(m, in[i], out[0]);
    add_triangle(m, v[0], v[1], v[2], outwards);
}
} // namespace

TriangleShape mesh_of(const DistanceGridShape& g) {
    Marching m{g, {}, {}};
    constexpr int kOrder[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int k = 0; k + 1 < g.size[2]; ++k)
        for (int j = 0; j + 1 < g.size[1]; ++j)
            for (int i = 0; i + 1 < g.size[0]; ++i)
                for (const auto& order : kOrder) {
                    // from the first corner to the last, one axis after the other
                    std::array<Node, 4> corner;
                    corner.fill({i, j, k});
                    for (int s = 0; s < 3; ++s)
                        for (int c = s + 1; c < 4; ++c) ++corner[c][order[s]];
                    march(m, corner);
                }
    return std::move(m.out);
}

} // namespace sinew
