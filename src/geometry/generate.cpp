#include "geometry/generate.h"
#include "core/math.h"
#include "geometry/topology.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {
// Circle of a surface of revolution.
struct Ring {
    Real radius, y;
};

// Rings from top to bottom between two poles. Vertices: top pole, rings, bottom pole.
PolygonMesh revolve(Real top, const std::vector<Ring>& rings, Real bottom, int segments) {
    PolygonMesh m;
    const int n = segments, ring_count = int(rings.size());
    m.positions.push_back({0, top, 0});
    for (const Ring& r : rings)
        for (int i = 0; i < n; ++i) {
            const Real angle = 2 * kPi * i / n;
            m.positions.push_back({r.radius * std::sin(angle), r.y, r.radius * std::cos(angle)});
        }
    m.positions.push_back({0, bottom, 0});
    const int last = vertex_count(m) - 1;
    const auto at = [&](int ring, int i) { return 1 + ring * n + i % n; };
    for (int i = 0; i < n; ++i) add_polygon(m, {0, at(0, i), at(0, i + 1)});
    for (int k = 0; k + 1 < ring_count; ++k)
        for (int i = 0; i < n; ++i) add_polygon(m, {at(k, i), at(k + 1, i), at(k + 1, i + 1), at(k, i + 1)});
    for (int i = 0; i < n; ++i) add_polygon(m, {last, at(ring_count - 1, i + 1), at(ring_count - 1, i)});
    return m;
}

// Rings along a line; pieces longer than `cell` cut into equal parts, 0 = none.
std::vector<Ring> cut_line(std::span<const std::array<Real, 2>> profile, Real cell) {
    std::vector<Ring> line;
    for (std::size_t k = 0; k < profile.size(); ++k) {
        const Ring to{profile[k][0], profile[k][1]};
        if (k > 0) {
            const Ring from{profile[k - 1][0], profile[k - 1][1]};
            const Real length = std::hypot(to.radius - from.radius, to.y - from.y);
            const int parts = cell > 0 ? std::max(1, int(std::ceil(length / cell - 1e-9))) : 1; // rounding makes no further part
            for (int i = 1; i < parts; ++i) {
                const Real t = Real(i) / parts;
                line.push_back({from.radius + t * (to.radius - from.radius), from.y + t * (to.y - from.y)});
            }
        }
        line.push_back(to);
    }
    return line;
}

// 3/pi of the volume that a line turned about the axis has on the side of the axis, by cone frustums; positive where it goes down
Real turned_volume(const std::vector<Ring>& line) {
    Real volume = 0;
    for (std::size_t k = 0; k + 1 < line.size(); ++k) {
        const Real a = line[k].radius, b = line[k + 1].radius;
        volume += (line[k].y - line[k + 1].y) * (a * a + a * b + b * b);
    }
    return volume;
}

// Longitude and latitude as texture coordinates; the seam has its own column.
void add_sphere_uv(PolygonMesh& m, int segments, int rings) {
    const int n = segments;
    for (int k = 0; k <= rings; ++k)
        for (int i = 0; i <= n; ++i)
            m.uv.push_back({(i + (k == 0 || k == rings ? 0.5 : 0)) / n, 1 - Real(k) / rings});
    const auto at = [&](int k, int i) { return k * (n + 1) + i; };
    const auto add = [&](std::initializer_list<int> corners) {
        m.polygon_uv.insert(m.polygon_uv.end(), corners.begin(), corners.end());
    };
    for (int i = 0; i < n; ++i) add({at(0, i), at(1, i), at(1, i + 1)});
    for (int k = 1; k + 1 < rings; ++k)
        for (int i = 0; i < n; ++i) add({at(k, i), at(k + 1, i), at(k + 1, i + 1), at(k, i + 1)});
    for (int i = 0; i < n; ++i) add({at(rings, i), at(rings - 1, i + 1), at(rings - 1, i)});
}

PolygonMesh make_icosahedron(Real radius) {
    PolygonMesh m;
    const Real a = radius / std::sqrt((5 + std::sqrt(5.0)) / 2), b = a * (1 + std::sqrt(5.0)) / 2;
    m.positions = {{-a, b, 0},  {a, b, 0},  {-a, -b, 0}, {a, -b, 0}, {0, -a, b},  {0, a, b},
                   {0, -a, -b}, {0, a, -b}, {b, 0, -a},  {b, 0, a},  {-b, 0, -a}, {-b, 0, a}};
    static const int kTriangles[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                          {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                          {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                          {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    for (const auto& t : kTriangles) add_polygon(m, {t[0], t[1], t[2]});
    return m;
}

// Old vertices keep their numbers, the middle of edge e becomes vertex count + e.
PolygonMesh subdivide_sphere(const PolygonMesh& m, Real radius) {
    const EdgeTable t = build_edges(m);
    PolygonMesh fine;
    fine.positions = m.positions;
    for (const auto& e : t.edges)
        fine.positions.push_back(
            real3(radius * (vec(m.positions[e[0]]) + vec(m.positions[e[1]])).normalized()));
    const int first = vertex_count(m);
    for (int p = 0; p < polygon_count(m); ++p) {
        const int c = m.polygon_begin[p];
        const int a = m.polygon_vertex[c], b = m.polygon_vertex[c + 1], d = m.polygon_vertex[c + 2];
        const int ab = first + t.corner_edge[c], bd = first + t.corner_edge[c + 1],
                  da = first + t.corner_edge[c + 2];
        add_polygon(fine, {a, ab, da});
        add_polygon(fine, {b, bd, ab});
        add_polygon(fine, {d, da, bd});
        add_polygon(fine, {ab, bd, da});
    }
    return fine;
}
} // namespace

PolygonMesh make_box(const Real3& size) {
    PolygonMesh m;
    for (int i = 0; i < 8; ++i)
        m.positions.push_back(
            {(i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y, (i & 4 ? 0.5 : -0.5) * size.z});
    static const int kQuads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                     {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (const auto& q : kQuads) add_polygon(m, {q[0], q[1], q[2], q[3]});
    return m;
}

PolygonMesh make_icosphere(Real radius, int levels) {
    PolygonMesh m = make_icosahedron(radius);
    for (int i = 0; i < std::clamp(levels, 0, 10); ++i) m = subdivide_sphere(m, radius);
    return m;
}

PolygonMesh make_uv_sphere(Real radius, int segments, int rings) {
    segments = std::max(segments, 3), rings = std::max(rings, 2);
    std::vector<Ring> circles;
    for (int k = 1; k < rings; ++k)
        circles.push_back({radius * std::sin(kPi * k / rings), radius * std::cos(kPi * k / rings)});
    PolygonMesh m = revolve(radius, circles, -radius, segments);
    add_sphere_uv(m, segments, rings);
    return m;
}

PolygonMesh make_capsule(Real radius, Real length, int segments, int rings) {
    segments = std::max(segments, 3), rings = std::max(rings, 1);
    std::vector<Ring> circles;
    for (int k = 1; k <= rings; ++k) {
        const Real angle = kPi / 2 * k / rings;
        circles.push_back({radius * std::sin(angle), length / 2 + radius * std::cos(angle)});
    }
    for (int k = rings - 1; k >= 0; --k) circles.push_back({circles[k].radius, -circles[k].y});
    return revolve(length / 2 + radius, circles, -length / 2 - radius, segments);
}

PolygonMesh make_cylinder(Real radius, Real height, int segments) {
    return revolve(height / 2, {{radius, height / 2}, {radius, -height / 2}}, -height / 2,
                   std::max(segments, 3));
}

PolygonMesh make_cone(Real radius, Real height, int segments) {
    return revolve(height / 2, {{radius, -height / 2}}, -height / 2, std::max(segments, 3));
}

PolygonMesh make_lathe(std::span<const std::array<Real, 2>> profile, int segments, Real cell) {
    std::vector<Ring> line = cut_line(profile, cell);
    const bool closed = line.size() > 3 && line.front().radius == line.back().radius && line.front().y == line.back().y;
    const bool inwards = turned_volume(line) < 0;
    if (closed) line.pop_back();
    PolygonMesh m;
    const int n = std::max(segments, 3), rows = int(line.size());
    std::vector<int> begin;
    for (const Ring& r : line) {
        begin.push_back(vertex_count(m));
        for (int i = 0; i < (r.radius > 0 ? n : 1); ++i) {
            const Real angle = 2 * kPi * i / n;
            m.positions.push_back({r.radius * std::sin(angle), r.y, r.radius * std::cos(angle)});
        }
    }
    begin.push_back(vertex_count(m));
    const auto at = [&](int row, int i) { return begin[row] + (line[row].radius > 0 ? i % n : 0); };
    const auto add = [&](std::vector<int> corners) {
        if (inwards) std::reverse(corners.begin(), corners.end());
        add_polygon(m, corners);
    };
    for (int k = 0; k < rows - (closed ? 0 : 1); ++k) {
        const int next = (k + 1) % rows;
        const bool pole = !(line[k].radius > 0), pole_next = !(line[next].radius > 0);
        for (int i = 0; i < n && !(pole && pole_next); ++i) {
            if (pole) add({at(k, 0), at(next, i), at(next, i + 1)});
            else if (pole_next) add({at(k, i), at(next, 0), at(k, i + 1)});
            else add({at(k, i), at(next, i), at(next, i + 1), at(k, i + 1)});
        }
    }
    if (closed) return m;
    const auto ring = [&](int row) {
        std::vector<int> vertices;
        for (int i = begin[row]; i < begin[row + 1]; ++i) vertices.push_back(i);
        return vertices;
    };
    m.vertex_groups = {{"first", ring(0)}, {"last", ring(rows - 1)}};
    return m;
}

PolygonMesh make_grid(int nx, int nz, Real size_x, Real size_z) {
    nx = std::max(nx, 1), nz = std::max(nz, 1);
    PolygonMesh m;
    const auto at = [&](int i, int j) { return i + (nx + 1) * j; };
    for (int j = 0; j <= nz; ++j)
        for (int i = 0; i <= nx; ++i) {
            m.positions.push_back({size_x * (Real(i) / nx - 0.5), 0, size_z * (Real(j) / nz - 0.5)});
            m.uv.push_back({Real(i) / nx, 1 - Real(j) / nz});
        }
    for (int j = 0; j < nz; ++j)
        for (int i = 0; i < nx; ++i) add_polygon(m, {at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)});
    m.polygon_uv = m.polygon_vertex;
    std::vector<int> x_min, x_max, z_min, z_max;
    for (int j = 0; j <= nz; ++j) x_min.push_back(at(0, j)), x_max.push_back(at(nx, j));
    for (int i = 0; i <= nx; ++i) z_min.push_back(at(i, 0)), z_max.push_back(at(i, nz));
    m.vertex_groups = {{"x_min", x_min}, {"x_max", x_max}, {"z_min", z_min}, {"z_max", z_max}};
    m.vertex_groups.push_back({"corners", {at(0, 0), at(nx, 0), at(0, nz), at(nx, nz)}});
    return m;
}

PolygonMesh make_quad(Real size_x, Real size_z) { return make_grid(1, 1, size_x, size_z); }

PolygonMesh make_chain(const Real3& a, const Real3& b, int count) {
    count = std::max(count, 1);
    PolygonMesh m;
    for (int i = 0; i <= count; ++i) {
        const Real s = Real(i) / count;
        // both ends exactly
        m.positions.push_back(i == count ? b : real3(vec(a) + s * (vec(b) - vec(a))));
        if (i) m.segments.push_back({i - 1, i});
    }
    m.vertex_groups = {{"first", {0}}, {"last", {count}}};
    return m;
}

} // namespace sinew
