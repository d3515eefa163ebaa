#include "render/shape.h"
#include "core/math.h"
#include "geometry/triangulate.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace sinew {

namespace {

// a triangle's corner, by the vertex at one end of an edge and the vertex at the other
struct EdgeUse {
    int a, b; // vertices, a < b
    int triangle;
    int at_a, at_b; // corners 0..2 of the triangle at a and at b
};

struct Groups { // union-find over corners 3 * triangle + k
    std::vector<int> parent;
    int find(int i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    }
    // the smaller index wins, so that the result does not depend on the order of unions
    void join(int i, int j) {
        i = find(i), j = find(j);
        parent[std::max(i, j)] = std::min(i, j);
    }
};

} // namespace

static std::vector<EdgeUse> sorted_edges(const std::vector<std::array<int, 3>>& triangles) {
    std::vector<EdgeUse> uses;
    for (int t = 0; t < int(triangles.size()); ++t)
        for (int k = 0; k < 3; ++k) {
            const int l = (k + 1) % 3, a = triangles[t][k], b = triangles[t][l];
            uses.push_back(a < b ? EdgeUse{a, b, t, k, l} : EdgeUse{b, a, t, l, k});
        }
    std::sort(uses.begin(), uses.end(), [](const EdgeUse& p, const EdgeUse& q) {
        return std::tie(p.a, p.b, p.triangle) < std::tie(q.a, q.b, q.triangle);
    });
    return uses;
}

static Vec3 area_vector(const std::vector<Real3>& x, const std::array<int, 3>& t) {
    const Vec3 a = vec(x[t[0]]);
    return (vec(x[t[1]]) - a).cross(vec(x[t[2]]) - a);
}

// true if the faces meet at less than the crease angle; faces without area join
static bool is_smooth(const Vec3& m, const Vec3& n, double crease) {
    const Real length = m.norm() * n.norm();
    return !(length > 0) || m.dot(n) >= std::cos(crease) * length;
}

static void group_normals(const std::vector<Real3>& rest, double crease, DrawnShape& s) {
    const int count = int(s.triangles.size());
    Groups groups;
    groups.parent.resize(3 * std::size_t(count));
    std::iota(groups.parent.begin(), groups.parent.end(), 0);
    const std::vector<EdgeUse> uses = sorted_edges(s.triangles);
    for (std::size_t i = 0; i < uses.size();) {
        std::size_t end = i + 1;
        while (end < uses.size() && uses[end].a == uses[i].a && uses[end].b == uses[i].b) ++end;
        s.open |= end - i == 1 && uses[i].a != uses[i].b;
        // more than two faces at an edge: each pair of neighbours in the list
        for (std::size_t j = i + 1; j < end; ++j) {
            const EdgeUse &p = uses[j - 1], &q = uses[j];
            const Vec3 m = area_vector(rest, s.triangles[p.triangle]),
                       n = area_vector(rest, s.triangles[q.triangle]);
            if (!is_smooth(m, n, crease)) continue;
            groups.join(3 * p.triangle + p.at_a, 3 * q.triangle + q.at_a);
            groups.join(3 * p.triangle + p.at_b, 3 * q.triangle + q.at_b);
        }
        i = end;
    }
    // number the groups in order of their first corner
    std::vector<int> number(3 * std::size_t(count), -1);
    s.normals.resize(count);
    for (int t = 0; t < count; ++t)
        for (int k = 0; k < 3; ++k) {
            int& n = number[groups.find(3 * t + k)];
            if (n < 0) {
                n = int(s.normal_vertex.size());
                s.normal_vertex.push_back(s.triangles[t][k]);
            }
            s.normals[t][k] = n;
        }
}

Result<DrawnShape> build_drawn_shape(const SnapshotObject& object, double crease) {
    PolygonMesh mesh;
    mesh.positions = object.rest;
    // without rest positions there are no creases and polygons become fans
    mesh.positions.resize(std::max(0, object.point_count));
    for (Real3& p : mesh.positions)
        if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) p = {};
    mesh.polygon_begin = object.polygon_begin;
    if (mesh.polygon_begin.empty()) mesh.polygon_begin = {0};
    mesh.polygon_vertex = object.polygon_vertex;
    mesh.segments = object.segments;
    std::vector<Error> errors = validate_mesh(mesh);
    if (object.point_count < 0) errors.push_back({.message = "negative number of points"});
    for (Error& e : errors) e.path = "objects." + object.name + (e.path.empty() ? "" : ".") + e.path;
    if (!errors.empty()) return {{}, std::move(errors)};
    DrawnShape shape;
    Triangulation cut = triangulate(mesh);
    shape.triangles = std::move(cut.triangles);
    shape.polygon = std::move(cut.polygon);
    group_normals(mesh.positions, crease, shape);
    return {std::move(shape), {}};
}

} // namespace sinew
