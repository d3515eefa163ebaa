#include "geometry/height_field.h"
#include <algorithm>
#include <cmath>

namespace sinew {

Vec3 height_field_node(const HeightFieldShape& f, int i, int k) { return {i * f.dx, f.height[std::size_t(k) * f.nx + i], k * f.dz}; }

namespace {
// Cell of a coordinate, clamped to the field.
int cell_of(Real x, Real d, int nodes) { return int(std::max(0.0, std::min(std::floor(x / d), Real(nodes - 2)))); }

bool hit_triangle(const std::array<Vec3, 3>& x, const Vec3& origin, const Vec3& direction, Real far, RayPoint& r) {
    const Vec3 n = (x[1] - x[0]).cross(x[2] - x[0]);
    const Real slope = n.dot(direction);
    if (slope == 0) return false;
    const Real t = n.dot(x[0] - origin) / slope;
    if (!(t >= 0 && t <= far)) return false;
    // inside test in the plane of the nodes, where shared edges have equal coordinates; closed
    const Vec3 p = origin + t * direction;
    Real w[3], sum = 0;
    for (int k = 0; k < 3; ++k) {
        const Vec3 &a = x[(k + 1) % 3], &b = x[(k + 2) % 3];
        w[k] = (b.z() - a.z()) * (p.x() - a.x()) - (b.x() - a.x()) * (p.z() - a.z());
        sum += w[k];
    }
    const Real slack = 1e-12 * std::abs(sum);
    if (sum < 0)
        for (Real& v : w) v = -v;
    if (w[0] < -slack || w[1] < -slack || w[2] < -slack) return false;
    r.t = t;
    r.weight = Vec3(w[0], w[1], w[2]) / std::abs(sum);
    r.normal = n.normalized();
    return true;
}
} // namespace

bool has_cells(const HeightFieldShape& f) {
    if (f.nx < 2 || f.nz < 2 || !(f.dx > 0 && f.dz > 0) || !std::isfinite(f.dx) || !std::isfinite(f.dz)) return false;
    return f.height.size() == std::size_t(f.nx) * std::size_t(f.nz) && f.height.size() <= std::size_t(1) << 29;
}

bool is_height_field(const HeightFieldShape& f) {
    return has_cells(f) && std::all_of(f.height.begin(), f.height.end(), [](double h) { return std::isfinite(h); });
}

Aabb height_field_box(const HeightFieldShape& f) {
    const auto [low, high] = std::minmax_element(f.height.begin(), f.height.end());
    return {{0, *low, 0}, {(f.nx - 1) * f.dx, *high, (f.nz - 1) * f.dz}};
}

std::array<Vec3, 3> height_field_triangle(const HeightFieldShape& f, int triangle) {
    const int cell = triangle / 2, i = cell % (f.nx - 1), k = cell / (f.nx - 1);
    if (triangle % 2 == 0) return {height_field_node(f, i, k), height_field_node(f, i + 1, k + 1), height_field_node(f, i + 1, k)};
    return {height_field_node(f, i, k), height_field_node(f, i, k + 1), height_field_node(f, i + 1, k + 1)};
}

HeightSample sample_height(const HeightFieldShape& f, Real x, Real z) {
    HeightSample s;
    if (!(x >= 0 && z >= 0 && x <= (f.nx - 1) * f.dx && z <= (f.nz - 1) * f.dz)) return s;
    const int i = cell_of(x, f.dx, f.nx), k = cell_of(z, f.dz, f.nz);
    const Real u = x / f.dx - i, v = z / f.dz - k;
    s.inside = true;
    s.triangle = 2 * (k * (f.nx - 1) + i) + (u < v ? 1 : 0);
    const std::array<Vec3, 3> t = height_field_triangle(f, s.triangle);
    const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]);
    s.normal = n.normalized();
    s.height = t[0].y() - (n.x() * (x - t[0].x()) + n.z() * (z - t[0].z())) / n.y();
    return s;
}

void make_patch(const HeightFieldShape& f, const Aabb& box, TriangleShape& patch, std::vector<int>& triangle) {
    patch.vertices.clear();
    patch.triangles.clear();
    triangle.clear();
    const Real width = (f.nx - 1) * f.dx, depth = (f.nz - 1) * f.dz;
    if (!(box.hi.x() >= 0 && box.hi.z() >= 0 && box.lo.x() <= width && box.lo.z() <= depth)) return;
    const int i0 = cell_of(box.lo.x(), f.dx, f.nx), i1 = cell_of(box.hi.x(), f.dx, f.nx);
    const int k0 = cell_of(box.lo.z(), f.dz, f.nz), k1 = cell_of(box.hi.z(), f.dz, f.nz);
    const int row = i1 - i0 + 2;
    for (int k = k0; k <= k1 + 1; ++k)
        for (int i = i0; i <= i1 + 1; ++i) patch.vertices.push_back(real3(height_field_node(f, i, k)));
    for (int k = k0; k <= k1; ++k)
        for (int i = i0; i <= i1; ++i) {
            const int a = (k - k0) * row + (i - i0), b = a + 1, c = a + row, d = c + 1, cell = k * (f.nx - 1) + i;
            patch.triangles.push_back({a, d, b});
            patch.triangles.push_back({a, c, d});
            triangle.push_back(2 * cell);
            triangle.push_back(2 * cell + 1);
        }
}

void find_triangles(const HeightFieldShape& f, const Aabb& box, std::vector<int>& out) {
    out.clear();
    if (!has_cells(f) || !(box.hi.x() >= 0 && box.hi.z() >= 0 && box.lo.x() <= (f.nx - 1) * f.dx && box.lo.z() <= (f.nz - 1) * f.dz)) return;
    // a box that ends on a border touches the cell before it too
    const int i0 = std::max(0, cell_of(box.lo.x(), f.dx, f.nx) - 1), i1 = cell_of(box.hi.x(), f.dx, f.nx);
    const int k0 = std::max(0, cell_of(box.lo.z(), f.dz, f.nz) - 1), k1 = cell_of(box.hi.z(), f.dz, f.nz);
    for (int k = k0; k <= k1; ++k)
        for (int t = 2 * (k * (f.nx - 1) + i0); t < 2 * (k * (f.nx - 1) + i1 + 1); ++t) {
            const std::array<Vec3, 3> x = height_field_triangle(f, t);
            if (overlap(box, merge(merge(box_of(x[0]), x[1]), x[2]))) out.push_back(t);
        }
}

RayPoint cast_ray(const HeightFieldShape& f, const Vec3& origin, const Vec3& direction, Real far) {
    RayPoint best;
    best.t = far;
    if (!(direction.squaredNorm() > 0) || !has_cells(f)) return best;
    // the part of the ray over the field
    Real begin = 0, end = far;
    for (int a : {0, 2}) {
        const Real size = a == 0 ? (f.nx - 1) * f.dx : (f.nz - 1) * f.dz;
        if (direction[a] == 0) {
            if (origin[a] < 0 || origin[a] > size) return best;
            continue;
        }
        Real t0 = -origin[a] / direction[a], t1 = (size - origin[a]) / direction[a];
        if (t0 > t1) std::swap(t0, t1);
        begin = std::max(begin, t0), end = std::min(end, t1);
    }
    if (begin > end) return best;
    const Vec3 start = origin + begin * direction;
    int i = cell_of(start.x(), f.dx, f.nx), k = cell_of(start.z(), f.dz, f.nz);
    const int step_i = direction.x() > 0 ? 1 : -1, step_k = direction.z() > 0 ? 1 : -1;
    const auto border = [&](int a, int cell, int step, Real d) {
        return direction[a] == 0 ? std::numeric_limits<Real>::infinity() : ((cell + (step > 0)) * d - origin[a]) / direction[a];
    };
    for (;;) {
        for (int s = 0; s < 2; ++s) {
            RayPoint r;
            const int t = 2 * (k * (f.nx - 1) + i) + s;
            if (!hit_triangle(height_field_triangle(f, t), origin, direction, best.t, r)) continue;
            if (best.triangle >= 0 && r.t >= best.t) continue;
            best = r;
            best.triangle = t;
        }
        const Real ti = border(0, i, step_i, f.dx), tk = border(2, k, step_k, f.dz);
        // a hit before the cell's end is the first one
        if (std::min(ti, tk) > std::min(end, best.t)) return best;
        (ti < tk ? i : k) += ti < tk ? step_i : step_k;
        if (i < 0 || k < 0 || i > f.nx - 2 || k > f.nz - 2) return best;
    }
}

SurfacePoint find_closest(const HeightFieldShape& f, const Vec3& p, Real within) {
    SurfacePoint best;
    if (!has_cells(f)) return best;
    Real least = within;
    // the height right under the point bounds the search
    const Vec3 q(std::clamp(p.x(), 0.0, (f.nx - 1) * f.dx), 0, std::clamp(p.z(), 0.0, (f.nz - 1) * f.dz));
    const HeightSample under = sample_height(f, q.x(), q.z());
    least = std::min(least, (p - Vec3(q.x(), under.height, q.z())).norm() * (1 + 1e-12));
    const int i0 = cell_of(p.x() - least, f.dx, f.nx), i1 = cell_of(p.x() + least, f.dx, f.nx);
    const int k0 = cell_of(p.z() - least, f.dz, f.nz), k1 = cell_of(p.z() + least, f.dz, f.nz);
    for (int k = k0; k <= k1; ++k)
        for (int t = 2 * (k * (f.nx - 1) + i0); t < 2 * (k * (f.nx - 1) + i1 + 1); ++t) {
            const std::array<Vec3, 3> x = height_field_triangle(f, t);
            const TrianglePoint at = closest_on_triangle(p, x[0], x[1], x[2]);
            const Real d = (p - at.point).norm();
            if (d > within || (best.triangle >= 0 && d >= best.distance)) continue;
            best = {t, d, at};
        }
    return best;
}

TriangleShape mesh_of(const HeightFieldShape& f) {
    TriangleShape m;
    std::vector<int> triangle;
    if (is_height_field(f)) make_patch(f, height_field_box(f), m, triangle);
    return m;
}

} // namespace sinew
