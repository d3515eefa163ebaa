#include "geometry/distance_grid.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {
Result<DistanceGridShape> fail_building(std::string value, std::string message, std::string allowed = {}) {
    Result<DistanceGridShape> r;
    r.errors.push_back({.value = std::move(value), .message = std::move(message), .allowed = std::move(allowed)});
    return r;
}

std::size_t node_index(const DistanceGridShape& g, int i, int j, int k) {
    return (std::size_t(k) * g.size[1] + j) * g.size[0] + i;
}

// One row along x: each distance bounds the search for the next, most signs follow from their neighbour's.
void fill_row(const TriangleTree& tree, const TriangleShape& mesh, int j, int k, DistanceGridShape& g) {
    Real before = std::numeric_limits<Real>::infinity(), sign = 1;
    int nearest = -1;
    for (int i = 0; i < g.size[0]; ++i) {
        const Vec3 p = grid_node(g, i, j, k);
        const Real bound = (before + g.cell) * (1 + 1e-9);
        const SurfacePoint s = find_closest(tree, mesh, p, bound, nearest);
        const Real d = s.distance;
        nearest = s.triangle;
        if (!(before + d > g.cell * (1 + 1e-9)) || i == 0) sign = winding_number(tree, mesh, p) > 0.5 ? -1 : 1;
        g.distance[node_index(g, i, j, k)] = float(sign * d);
        before = d;
    }
}
} // namespace

bool is_closed(const TriangleShape& m) {
    std::vector<std::array<int, 3>> sides; // a < b, direction
    for (const auto& t : m.triangles)
        for (int k = 0; k < 3; ++k) {
            const int a = t[k], b = t[(k + 1) % 3];
            if (a != b) sides.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
        }
    std::sort(sides.begin(), sides.end());
    for (std::size_t i = 0, j = 0; i < sides.size(); i = j) {
        int balance = 0;
        for (j = i; j < sides.size() && sides[j][0] == sides[i][0] && sides[j][1] == sides[i][1]; ++j) balance += sides[j][2];
        if (balance != 0) return false;
    }
    return !sides.empty();
}

bool is_distance_grid(const DistanceGridShape& g) {
    if (!(g.cell > 0) || !std::isfinite(g.cell) || !vec(g.origin).allFinite()) return false;
    std::int64_t nodes = 1;
    for (int n : g.size) {
        if (n < 2 || n > kDistanceGridNodes) return false;
        nodes *= n;
        if (nodes > kDistanceGridNodes) return false;
    }
    if (g.distance.size() != std::size_t(nodes)) return false;
    return std::all_of(g.distance.begin(), g.distance.end(), [](float d) { return std::isfinite(d); });
}

Vec3 grid_node(const DistanceGridShape& g, int i, int j, int k) { return vec(g.origin) + g.cell * Vec3(i, j, k); }

Aabb grid_box(const DistanceGridShape& g) { return {vec(g.origin), grid_node(g, g.size[0] - 1, g.size[1] - 1, g.size[2] - 1)}; }

Result<DistanceGridShape> build_distance_grid(const Parallel& parallel, const TriangleShape& mesh, const DistanceGridSettings& s) {
    if (mesh.triangles.empty()) return fail_building("", "the mesh has no triangles");
    for (const auto& t : mesh.triangles)
        for (int v : t) {
            if (v < 0 || v >= int(mesh.vertices.size())) return fail_building(std::to_string(v), "vertex index out of range");
            if (!vec(mesh.vertices[v]).allFinite()) return fail_building(std::to_string(v), "the vertex is not finite");
        }
    const TriangleTree tree = build_triangle_tree(mesh);
    const Aabb box = tree.nodes[0].box;
    if (!is_closed(mesh)) return fail_building("", "the mesh is not closed: it has no inside", "sinew mesh repair, sinew mesh check");
    const Real longest = (box.hi - box.lo).maxCoeff();
    DistanceGridShape g;
    g.cell = s.cell > 0 ? s.cell : longest / std::clamp(s.resolution, 1, 1024);
    if (!(g.cell > 0) || !std::isfinite(g.cell)) return fail_building(std::to_string(g.cell), "the cell must have a size", "> 0");
    const int padding = std::clamp(s.padding, 1, 1000);
    std::int64_t nodes = 1;
    for (int k = 0; k < 3; ++k) {
        const Real cells = std::ceil((box.hi[k] - box.lo[k]) / g.cell) + 2 * padding;
        if (!(cells < 1e6)) return fail_building(std::to_string(g.cell), "the cell is too small for the mesh");
        g.size[k] = int(cells) + 1;
        nodes *= g.size[k];
        // centred: as much room on both sides
        g.origin[k] = (box.lo[k] + box.hi[k]) / 2 - g.cell * int(cells) / 2;
    }
    if (nodes > kDistanceGridNodes) return fail_building(std::to_string(g.cell), "the grid has too many nodes", std::to_string(kDistanceGridNodes));
    g.distance.resize(std::size_t(nodes));
    parallel_for(parallel, g.size[1] * g.size[2], 4, [&](int begin, int end) {
        for (int row = begin; row < end; ++row) fill_row(tree, mesh, row % g.size[1], row / g.size[1], g);
    });
    return {std::move(g), {}};
}

namespace {
DistanceSample sample_within(const DistanceGridShape& g, const Vec3& p) {
    const Vec3 u = (p - vec(g.origin)) / g.cell;
    int c[3];
    Vec3 f;
    for (int k = 0; k < 3; ++k) {
        c[k] = std::clamp(int(std::floor(u[k])), 0, g.size[k] - 2);
        f[k] = std::clamp(u[k] - c[k], 0.0, 1.0);
    }
    DistanceSample s;
    for (int n = 0; n < 8; ++n) {
        const int bit[3] = {n & 1, n >> 1 & 1, n >> 2};
        const Real d = g.distance[node_index(g, c[0] + bit[0], c[1] + bit[1], c[2] + bit[2])];
        Vec3 w, dw;
        for (int k = 0; k < 3; ++k) w[k] = bit[k] ? f[k] : 1 - f[k], dw[k] = bit[k] ? 1 : -1;
        s.distance += w[0] * w[1] * w[2] * d;
        s.gradient += d / g.cell * Vec3(dw[0] * w[1] * w[2], w[0] * dw[1] * w[2], w[0] * w[1] * dw[2]);
    }
    const Real length = s.gradient.norm();
    if (length > 1e-12) s.normal = s.gradient / length;
    return s;
}
} // namespace

DistanceSample sample_distance(const DistanceGridShape& g, const Vec3& p) {
    const Aabb box = grid_box(g);
    const Vec3 q = p.cwiseMax(box.lo).cwiseMin(box.hi);
    DistanceSample s = sample_within(g, q);
    if (q == p) return s;
    const Vec3 r = p - (q - s.distance * s.normal);
    s.distance = r.norm();
    s.normal = s.gradient = r / s.distance;
    return s;
}

bool is_inside(const DistanceGridShape& g, const Vec3& p) { return contains(grid_box(g), p) && sample_within(g, p).distance < 0; }

} // namespace sinew
