#include "collision/solid_points.h"
#include "geometry/hull.h"
#include <algorithm>
#include <cmath>

namespace sinew {

void collide_solid_points(const DistanceGridShape& g, const Placement& f, Real thickness, std::span<const Vec3> points,
                          const Placement& at_points, Real radius, Real margin, std::vector<SolidContact>& out) {
    out.clear();
    const Placement local = relative(f, at_points);
    const Aabb near = grow(grid_box(g), margin + radius + thickness);
    for (int i = 0; i < int(points.size()); ++i) {
        const Vec3 p = at(local, points[i]);
        if (!contains(near, p)) continue;
        const DistanceSample s = sample_distance(g, p);
        const Real gap = s.distance - radius - thickness;
        if (!(gap <= margin)) continue;
        const Vec3 n = f.R * s.normal, x = at(f, p);
        out.push_back({i, x - (s.distance - thickness) * n, x - radius * n, n, gap});
    }
}

namespace {
int steps(Real length, Real spacing) { return int(std::clamp(std::ceil(length / spacing), 1.0, 200.0)); }

void sample_polygon(const std::vector<Vec3>& x, Real spacing, std::vector<Vec3>& out) {
    for (std::size_t t = 1; t + 1 < x.size(); ++t) {
        const Vec3 u = x[t] - x[0], v = x[t + 1] - x[0];
        const int n = steps(std::max({u.norm(), v.norm(), (u - v).norm()}), spacing);
        for (int i = 0; i <= n; ++i)
            for (int j = 0; i + j <= n; ++j) out.push_back(x[0] + Real(i) / n * u + Real(j) / n * v);
    }
}

// Rings of a disc or of a side from radius r0 at y0 to r1 at y1.
void sample_rings(Real r0, Real y0, Real r1, Real y1, Real spacing, std::vector<Vec3>& out) {
    const int n = steps(std::hypot(r1 - r0, y1 - y0), spacing);
    for (int i = 0; i <= n; ++i) {
        const Real s = Real(i) / n, r = r0 + s * (r1 - r0), y = y0 + s * (y1 - y0);
        const int around = r > 0 ? std::max(6, steps(2 * kPi * r, spacing)) : 1;
        for (int k = 0; k < around; ++k) out.push_back({r * std::cos(2 * kPi * k / around), y, r * std::sin(2 * kPi * k / around)});
    }
}

void sample_hull_faces(const HullShape& h, Real spacing, std::vector<Vec3>& out) {
    for (std::size_t f = 0; f + 1 < h.face_begin.size(); ++f) {
        std::vector<Vec3> x;
        for (int i = h.face_begin[f]; i < h.face_begin[f + 1]; ++i) x.push_back(vec(h.vertices[h.face_vertex[i]]));
        sample_polygon(x, spacing, out);
    }
}
} // namespace

void sample_core(const Convex& c, Real spacing, std::vector<Vec3>& out) {
    out.clear();
    if (!(spacing > 0)) return;
    switch (c.core) {
    case Convex::point: out.push_back(Vec3::Zero()); break;
    case Convex::segment:
        for (int n = steps(2 * c.size.y(), spacing), i = 0; i <= n; ++i) out.push_back({0, c.size.y() * (2.0 * i / n - 1), 0});
        break;
    case Convex::triangle: sample_polygon({c.corner[0], c.corner[1], c.corner[2]}, spacing, out); break;
    case Convex::box: sample_hull_faces(make_box_hull(real3(c.size)), spacing, out); break;
    case Convex::hull: sample_hull_faces(*c.hull_data, spacing, out); break;
    case Convex::cylinder:
        sample_rings(0, -c.size.y(), c.size.x(), -c.size.y(), spacing, out);
        sample_rings(c.size.x(), -c.size.y(), c.size.x(), c.size.y(), spacing, out);
        sample_rings(c.size.x(), c.size.y(), 0, c.size.y(), spacing, out);
        break;
    case Convex::cone:
        sample_rings(0, -c.size.y(), c.size.x(), -c.size.y(), spacing, out);
        sample_rings(c.size.x(), -c.size.y(), 0, c.size.y(), spacing, out);
        break;
    case Convex::half_space:
    case Convex::plane: break;
    }
    // faces share their edges
    const auto less = [](const Vec3& p, const Vec3& q) { return std::lexicographical_compare(p.data(), p.data() + 3, q.data(), q.data() + 3); };
    std::sort(out.begin(), out.end(), less);
    out.erase(std::unique(out.begin(), out.end()), out.end());
}

} // namespace sinew
