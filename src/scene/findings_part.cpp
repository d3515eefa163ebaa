#include "scene/findings_part.h"
#include "collision/surface_distance.h"
#include "core/math.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew {

namespace {

constexpr int kDirections = 100; // of a spiral on the sphere: every open cone of 12 degrees has one

struct SurfaceBody {
    TriangleShape mesh;
    Aabb box;
    MeshSurface surface; // sees `mesh`; one_sided if closed
};

void build_surface_body(const TriangleSet& s, SurfaceBody& out) {
    auto& x = out.mesh.vertices;
    std::vector<int> index(s.x.size(), -1);
    for (const auto& t : s.triangles) {
        std::array<int, 3> own{};
        for (int k = 0; k < 3; ++k) {
            if (index[t[k]] < 0) index[t[k]] = int(x.size()), x.push_back(s.x[t[k]]);
            own[k] = index[t[k]];
        }
        out.mesh.triangles.push_back(own);
    }
    for (const Real3& p : x) out.box = merge(out.box, Vec3(vec(p)));
    out.surface = build_mesh_surface(out.mesh);
}

// triangles that come near a box
std::vector<std::array<int, 3>> near_triangles(const SurfaceBody& b, const Aabb& box) {
    std::vector<std::array<int, 3>> out;
    for (const auto& t : b.mesh.triangles) {
        Aabb own;
        for (int v : t) own = merge(own, Vec3(vec(b.mesh.vertices[v])));
        if (overlap(own, box)) out.push_back(t);
    }
    return out;
}

// whether a point of `x` is within the closed surface of b, moved by -shift
bool encloses(const SurfaceBody& b, const std::vector<Real3>& x, const Vec3& shift) {
    if (!b.surface.one_sided) return false;
    SurfaceSide side;
    side.surface = &b.surface;
    side.box = b.surface.tree.nodes[0].box;
    SurfaceDistance d;
    return std::any_of(x.begin(), x.end(), [&](const Real3& p) {
        const Vec3 at = vec(p) + shift;
        return contains(side.box, at) && find_distance(side, at, 0, d) && d.distance < 0;
    });
}

} // namespace

bool can_part(const Parallel& parallel, const TriangleSet& sa, const TriangleSet& sb, Real step) {
    SurfaceBody a, b;
    build_surface_body(sa, a), build_surface_body(sb, b);
    const std::vector<Real3>& x = a.mesh.vertices;
    const auto near_a = near_triangles(a, grow(b.box, 2 * step)), near_b = near_triangles(b, grow(a.box, 2 * step));
    IntersectScratch scratch;
    std::vector<Pair> pairs;
    std::vector<Real3> moved(x.size());
    const auto is_free = [&] {
        if (!find_intersections(parallel, {moved, near_a}, {b.mesh.vertices, near_b}, scratch, pairs)) return true; // not finite: said elsewhere
        return pairs.empty() && !encloses(b, moved, Vec3::Zero());
    };
    for (int k = 0; k < kDirections; ++k) {
        const Real y = 1 - (2 * k + 1) / Real(kDirections), r = std::sqrt(1 - y * y), angle = 2.39996322972865332 * k;
        const Vec3 shift = step * Vec3(r * std::cos(angle), y, r * std::sin(angle));
        for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = real3(vec(x[i]) + shift);
        if (is_free() && !encloses(a, b.mesh.vertices, -shift)) return true;
    }
    // a plug that touches all around: smaller, it is free
    const Vec3 middle = 0.5 * (a.box.lo + a.box.hi);
    const Real scale = 1 - 2 * step / std::max((a.box.hi - a.box.lo).norm(), step * 4);
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = real3(middle + scale * (vec(x[i]) - middle));
    return is_free() && !encloses(a, b.mesh.vertices, Vec3::Zero());
}

std::vector<int> find_parts(const TriangleSet& s) {
    std::vector<int> up(s.x.size());
    std::iota(up.begin(), up.end(), 0);
    const auto root = [&](int v) {
        while (up[v] != v) v = up[v] = up[up[v]];
        return v;
    };
    for (const auto& t : s.triangles)
        for (int k = 1; k < 3; ++k) up[std::max(root(t[0]), root(t[k]))] = std::min(root(t[0]), root(t[k]));
    std::vector<int> out;
    for (const auto& t : s.triangles) out.push_back(root(t[0]));
    return out;
}

} // namespace sinew
