#include "geometry/sample.h"
#include "core/math.h"
#include "core/random.h"
#include <algorithm>

namespace sinew {

namespace {
Rng item_stream(std::uint64_t seed, std::uint64_t index) { return {seed, index, 0}; }
} // namespace

Real3 sample_in_box(std::uint64_t seed, std::uint64_t index, const Real3& min, const Real3& max) {
    Rng rng = item_stream(seed, index);
    Real3 x;
    for (int k = 0; k < 3; ++k) x[k] = draw_uniform(rng, min[k], max[k]);
    return x;
}

Real3 sample_in_sphere(std::uint64_t seed, std::uint64_t index, const Real3& center, Real radius) {
    Rng rng = item_stream(seed, index);
    const Real3 d = draw_in_ball(rng);
    return real3(vec(center) + radius * vec(d));
}

std::int64_t point_count(const PointGrid& g) { return std::int64_t(g.count[0]) * g.count[1] * g.count[2]; }

Real3 grid_point(const PointGrid& g, std::uint64_t index) {
    index %= std::uint64_t(point_count(g));
    Real3 x;
    for (int k = 0; k < 3; ++k) {
        const std::uint64_t n = std::uint64_t(g.count[k]);
        x[k] = g.min[k] + (g.max[k] - g.min[k]) * (Real(index % n) + 0.5) / Real(n);
        index /= n;
    }
    return x;
}

PointGrid make_point_grid(const Real3& min, const Real3& max, Real spacing) {
    PointGrid g{min, max};
    for (int k = 0; k < 3; ++k) {
        const Real cells = std::round((max[k] - min[k]) / spacing);
        g.count[k] = cells >= 1 ? int(std::min(cells, 1048576.0)) : 1;
    }
    return g;
}

int sample_vertex(std::uint64_t seed, std::uint64_t index, const PolygonMesh& m) {
    if (m.positions.empty()) return -1;
    Rng rng = item_stream(seed, index);
    return draw_int(rng, vertex_count(m));
}

int sample_vertex(std::uint64_t seed, std::uint64_t index, std::span<const int> vertices) {
    if (vertices.empty()) return -1;
    Rng rng = item_stream(seed, index);
    return vertices[draw_int(rng, int(vertices.size()))];
}

SurfaceTable build_surface_table(const PolygonMesh& m) {
    SurfaceTable t;
    t.triangulation = triangulate(m);
    Real sum = 0;
    for (const auto& v : t.triangulation.triangles) {
        const Vec3 a = vec(m.positions[v[0]]);
        sum += 0.5 * (vec(m.positions[v[1]]) - a).cross(vec(m.positions[v[2]]) - a).norm();
        t.area_end.push_back(sum);
    }
    return t;
}

Real surface_area(const SurfaceTable& t) { return t.area_end.empty() ? 0 : t.area_end.back(); }

SurfaceSample sample_on_surface(std::uint64_t seed, std::uint64_t index, const PolygonMesh& m,
                                const SurfaceTable& t) {
    SurfaceSample s;
    if (!(surface_area(t) > 0)) return s;
    Rng rng = item_stream(seed, index);
    // first triangle whose sum of areas exceeds the draw: triangles without area are never chosen
    const Real at = draw_uniform(rng) * surface_area(t);
    const auto it = std::upper_bound(t.area_end.begin(), t.area_end.end(), at);
    s.triangle = int(std::min(it, t.area_end.end() - 1) - t.area_end.begin());
    s.polygon = t.triangulation.polygon[s.triangle];
    // uniform in the parallelogram, its far half folded back
    Real u = draw_uniform(rng), v = draw_uniform(rng);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    s.weight = {std::max(0.0, 1 - u - v), u, v};
    const auto& c = t.triangulation.triangles[s.triangle];
    const Vec3 a = vec(m.positions[c[0]]), e = vec(m.positions[c[1]]) - a, f = vec(m.positions[c[2]]) - a;
    s.position = real3(a + u * e + v * f);
    s.normal = real3(e.cross(f).normalized());
    return s;
}

} // namespace sinew
