// Quickhull (Barber, Dobkin and Huhdanpaa 1996) with exact decisions. The points are laid on a grid of 2^40
// steps across the largest extent (1e-12 of it), where "above a face" is the sign of an integer determinant
//   orient(a, b, c, p) = ((b - a) x (c - a)) . (p - a),  |orient| < 6 * 2^120, in 128 bits.
// So the faces seen from a point are always connected, their border is one loop, and coplanar, collinear or
// duplicate input needs no special case; floating-point planes only order points by height and drop those
// lower than the tolerance. Merging the triangles into polygons is hull_faces.cpp.
#include "geometry/hull_faces.h"
#include <cmath>
#include <fmt/format.h>

namespace sinew {

static constexpr Real kSteps = 0x1p40;           // grid steps across the largest extent
static constexpr Real kOutside = 1e-10 * kSteps; // [grid steps] lower points are not added
static constexpr Real kThinnest = 1e-8 * kSteps; // thinner sets have no hull

__extension__ typedef __int128 Int128;

using GridPoint = std::array<std::int64_t, 3>;

static Vec3 grid_difference(const GridPoint& a, const GridPoint& b) {
    return Vec3(Real(a[0] - b[0]), Real(a[1] - b[1]), Real(a[2] - b[2])); // exact: below 2^53
}

static int orient(const GridPoint& a, const GridPoint& b, const GridPoint& c, const GridPoint& p) {
    Int128 u[3], v[3], w[3];
    for (int i = 0; i < 3; ++i) u[i] = b[i] - a[i], v[i] = c[i] - a[i], w[i] = p[i] - a[i];
    const Int128 det = (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] +
                       (u[0] * v[1] - u[1] * v[0]) * w[2];
    return det > 0 ? 1 : det < 0 ? -1 : 0;
}

namespace {

struct Quickhull {
    std::vector<GridPoint> points;
    std::vector<HullTriangle> faces;
    std::vector<std::vector<int>> outside; // per face the points above it, the highest first
    std::vector<int> face_from;            // per vertex: the new face whose border edge starts there
    std::vector<int> stack, orphans;
    std::vector<std::array<int, 2>> border; // face that stays, its edge
};

void set_plane(const Quickhull& q, HullTriangle& f) {
    const Vec3 u = grid_difference(q.points[f.v[1]], q.points[f.v[0]]),
               v = grid_difference(q.points[f.v[2]], q.points[f.v[0]]);
    const Vec3 n = u.cross(v);
    f.area = n.norm() / 2;
    f.normal = n / (2 * f.area);
}

Real height(const Quickhull& q, const HullTriangle& f, int p) {
    return f.normal.dot(grid_difference(q.points[p], q.points[f.v[0]]));
}

bool sees(const Quickhull& q, int p, const HullTriangle& f) {
    return orient(q.points[f.v[0]], q.points[f.v[1]], q.points[f.v[2]], q.points[p]) > 0;
}

// Gives each point to the first of the faces begin ... that it is above; the highest comes first in the list.
void distribute(Quickhull& q, const std::vector<int>& points, int begin) {
    std::vector<Real> highest(q.faces.size() - begin, 0);
    for (int p : points)
        for (int f = begin; f < int(q.faces.size()); ++f) {
            const Real h = height(q, q.faces[f], p);
            if (h <= kOutside) continue;
            q.outside[f].push_back(p);
            if (h > highest[f - begin]) {
                highest[f - begin] = h;
                std::swap(q.outside[f].front(), q.outside[f].back());
            }
            break;
        }
}

// Faces seen from p, connected to `first`, leave; their border edges and points are collected.
void remove_seen(Quickhull& q, int first, int p) {
    q.border.clear();
    q.orphans.clear();
    q.stack.assign(1, first);
    q.faces[first].alive = false;
    while (!q.stack.empty()) {
        const int f = q.stack.back();
        q.stack.pop_back();
        for (int x : q.outside[f])
            if (x != p) q.orphans.push_back(x);
        std::vector<int>().swap(q.outside[f]);
        for (int e = 0; e < 3; ++e) {
            const int g = q.faces[f].next[e];
            if (!q.faces[g].alive) continue;
            if (sees(q, p, q.faces[g])) {
                q.faces[g].alive = false;
                q.stack.push_back(g);
            } else {
                int back = 0;
                while (q.faces[g].v[back] != q.faces[f].v[(e + 1) % 3]) ++back;
                q.border.push_back({g, back});
            }
        }
    }
}

void add_point(Quickhull& q, int first, int p) {
    remove_seen(q, first, p);
    const int begin = int(q.faces.size());
    for (const auto& [g, e] : q.border) {
        HullTriangle f;
        f.v = {q.faces[g].v[(e + 1) % 3], q.faces[g].v[e], p};
        f.next = {g, -1, -1};
        q.face_from[f.v[0]] = int(q.faces.size());
        q.faces[g].next[e] = int(q.faces.size());
        set_plane(q, f);
        q.faces.push_back(f);
    }
    q.outside.resize(q.faces.size());
    for (int f = begin; f < int(q.faces.size()); ++f) {
        const int g = q.face_from[q.faces[f].v[1]];
        q.faces[f].next[1] = g;
        q.faces[g].next[2] = f;
    }
    distribute(q, q.orphans, begin);
}

// Four points that are far from each other, and how flat they are; count < 4: the dimension that failed
struct Start {
    std::array<int, 4> v{};
    int count = 1;
};
Start find_start(const Quickhull& q) {
    Start s;
    const int n = int(q.points.size());
    Real best = 0;
    for (int axis = 0; axis < 3; ++axis) {
        int lo = 0, hi = 0;
        for (int i = 1; i < n; ++i) {
            if (q.points[i][axis] < q.points[lo][axis]) lo = i;
            if (q.points[i][axis] > q.points[hi][axis]) hi = i;
        }
        const Real extent = Real(q.points[hi][axis] - q.points[lo][axis]);
        if (extent > best) best = extent, s.v[0] = lo, s.v[1] = hi;
    }
    if (best <= 0) return s;
    const Vec3 line = grid_difference(q.points[s.v[1]], q.points[s.v[0]]).normalized();
    best = kThinnest;
    s.count = 2;
    for (int i = 0; i < n; ++i) {
        const Real h = line.cross(grid_difference(q.points[i], q.points[s.v[0]])).norm();
        if (h > best) best = h, s.v[2] = i, s.count = 3;
    }
    if (s.count < 3) return s;
    const Vec3 normal = line.cross(grid_difference(q.points[s.v[2]], q.points[s.v[0]])).normalized();
    best = kThinnest;
    for (int i = 0; i < n; ++i) {
        const Real h = std::abs(normal.dot(grid_difference(q.points[i], q.points[s.v[0]])));
        if (h > best) best = h, s.v[3] = i, s.count = 4;
    }
    if (s.count == 4 && orient(q.points[s.v[0]], q.points[s.v[1]], q.points[s.v[2]], q.points[s.v[3]]) > 0)
        std::swap(s.v[0], s.v[1]);
    return s;
}

void build_hull(Quickhull& q, const Start& s) {
    static constexpr int kSides[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    for (const auto& side : kSides) {
        HullTriangle f;
        for (int i = 0; i < 3; ++i) f.v[i] = s.v[side[i]];
        set_plane(q, f);
        q.faces.push_back(f);
    }
    for (HullTriangle& f : q.faces)
        for (int e = 0; e < 3; ++e)
            for (int g = 0; g < 4; ++g)
                for (int k = 0; k < 3; ++k)
                    if (q.faces[g].v[k] == f.v[(e + 1) % 3] && q.faces[g].v[(k + 1) % 3] == f.v[e])
                        f.next[e] = g;
    q.outside.resize(4);
    q.face_from.assign(q.points.size(), -1);
    std::vector<int> all(q.points.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = int(i);
    distribute(q, all, 0);
    for (std::size_t f = 0; f < q.faces.size(); ++f)
        if (q.faces[f].alive && !q.outside[f].empty()) add_point(q, int(f), q.outside[f].front());
}

std::vector<Error> refuse(const std::string& message) {
    Error e;
    e.message = message;
    return {e};
}

} // namespace

Result<HullShape> make_hull(std::span<const Real3> points) {
    if (points.size() < 4)
        return {{},
                refuse(fmt::format("a convex hull needs at least 4 points, there are {}", points.size()))};
    if (points.size() > 50'000'000) return {{}, refuse("a convex hull of more than 50 million points")};
    Vec3 lo = vec(points[0]), hi = lo;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!vec(points[i]).allFinite())
            return {{}, refuse(fmt::format("point {} of the hull is not finite", i))};
        lo = lo.cwiseMin(vec(points[i]));
        hi = hi.cwiseMax(vec(points[i]));
    }
    const Real extent = (hi - lo).maxCoeff();
    if (!std::isfinite(extent)) return {{}, refuse("the points of the hull are too far apart")};
    if (!(extent > 1e-290)) return {{}, refuse("all points of the hull are the same")};

    Quickhull q;
    q.points.reserve(points.size());
    for (const Real3& p : points) {
        GridPoint g;
        for (int i = 0; i < 3; ++i) g[i] = std::int64_t((p[i] - lo[i]) / extent * kSteps + 0.5);
        q.points.push_back(g);
    }
    const Start start = find_start(q);
    if (start.count == 1) return {{}, refuse("all points of the hull are the same")};
    if (start.count == 2) return {{}, refuse("all points of the hull lie on a line")};
    if (start.count == 3) return {{}, refuse("all points of the hull lie in a plane")};
    build_hull(q, start);

    std::vector<Vec3> grid;
    grid.reserve(q.points.size());
    for (const GridPoint& p : q.points) grid.push_back(grid_difference(p, q.points[start.v[0]]));
    HullShape hull;
    if (!build_polygons(q.faces, grid, points, 1e-9 * kSteps, hull))
        return {{}, refuse("the faces of the hull could not be joined")};
    return {hull, {}};
}

} // namespace sinew
