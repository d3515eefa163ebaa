#include "position_scenes.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace sinew::bench {

// edges of the triangles, and the pairs of triangles that share one
static void add_edges_and_hinges(SoftScene& s) {
    std::map<std::array<int, 2>, std::array<int, 4>> hinge; // apex of the triangle that has a -> b, a, b, the other apex
    for (const auto& t : s.triangles)
        for (int k = 0; k < 3; ++k) {
            const int a = t[k], b = t[(k + 1) % 3], apex = t[(k + 2) % 3];
            auto [at, is_new] = hinge.try_emplace({std::min(a, b), std::max(a, b)}, std::array<int, 4>{apex, a, b, -1});
            if (!is_new) at->second[3] = apex;
        }
    for (const auto& [edge, h] : hinge) {
        s.edges.push_back(edge);
        if (h[3] >= 0) s.hinges.push_back(h);
    }
}

SoftScene make_soft_cloth(int n, int columns) {
    SoftScene s;
    s.name = "cloth" + std::to_string(n);
    const int width = columns > 0 ? columns : n;
    const double edge = 2.0 / (n - 1);
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < width; ++c) {
            s.x.push_back({edge * c, 0, edge * r});
            s.mass.push_back(1.0 / (double(n) * n));
            s.fixed.push_back(r == 0);
        }
    for (int r = 0; r + 1 < n; ++r)
        for (int c = 0; c + 1 < width; ++c) {
            const int a = r * width + c, b = a + 1, d = a + width, e = d + 1;
            if ((r + c) % 2 == 0) s.triangles.insert(s.triangles.end(), {{a, d, e}, {a, e, b}});
            else s.triangles.insert(s.triangles.end(), {{a, d, b}, {b, d, e}});
        }
    add_edges_and_hinges(s);
    return s;
}

SoftScene make_soft_bar() {
    constexpr int nx = 41, ny = 8, nz = 8;
    SoftScene s;
    s.name = "bar";
    const auto at = [&](int i, int j, int k) { return (i * ny + j) * nz + k; };
    for (int i = 0; i < nx; ++i)
        for (int j = 0; j < ny; ++j)
            for (int k = 0; k < nz; ++k) {
                s.x.push_back({10.0 * i / (nx - 1), 1.5 * j / (ny - 1), 1.5 * k / (nz - 1)});
                s.mass.push_back(1);
                s.fixed.push_back(i == 0);
            }
    for (int i = 0; i + 1 < nx; ++i)
        for (int j = 0; j + 1 < ny; ++j)
            for (int k = 0; k + 1 < nz; ++k) { // the inner tetrahedron turns from cell to cell, so that faces match
                std::array<int, 8> p;
                for (int c = 0; c < 8; ++c) p[c] = at(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
                if ((i + j + k) % 2 == 0)
                    s.tets.insert(s.tets.end(), {{p[0], p[1], p[2], p[4]}, {p[3], p[2], p[1], p[7]}, {p[5], p[1], p[4], p[7]}, {p[6], p[4], p[2], p[7]}, {p[1], p[2], p[4], p[7]}});
                else
                    s.tets.insert(s.tets.end(), {{p[1], p[0], p[5], p[3]}, {p[2], p[0], p[3], p[6]}, {p[4], p[0], p[6], p[5]}, {p[7], p[3], p[5], p[6]}, {p[0], p[3], p[5], p[6]}});
            }
    std::map<std::array<int, 2>, int> seen;
    for (const auto& t : s.tets)
        for (int a = 0; a < 4; ++a)
            for (int b = a + 1; b < 4; ++b) seen[{std::min(t[a], t[b]), std::max(t[a], t[b])}] = 1;
    for (const auto& [edge, one] : seen) s.edges.push_back(edge);
    return s;
}

static double length(const Real3& a, const Real3& b) { return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z); }

Stretch measure_stretch(const SoftScene& s, const std::vector<Real3>& x) {
    Stretch out;
    for (const auto& [a, b] : s.edges) {
        const double stretch = std::abs(length(x[a], x[b]) / length(s.x[a], s.x[b]) - 1);
        if (!(stretch <= out.largest)) out.largest = std::isfinite(stretch) ? stretch : std::numeric_limits<double>::infinity();
        out.mean += stretch / double(s.edges.size());
    }
    return out;
}

Real3 center_of_mass(const SoftScene& s, const std::vector<Real3>& x) {
    Real3 sum{};
    double mass = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum.x += s.mass[i] * x[i].x, sum.y += s.mass[i] * x[i].y, sum.z += s.mass[i] * x[i].z;
        mass += s.mass[i];
    }
    return {sum.x / mass, sum.y / mass, sum.z / mass};
}

constexpr double kGravity = 9.81; // [m/s^2]

double energy_without_strain(const SoftScene& s, const std::vector<Real3>& before, const std::vector<Real3>& x, double dt) {
    double energy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (s.fixed[i]) continue;
        const double speed = length(before[i], x[i]) / dt, height = (before[i].y + x[i].y) / 2 - s.x[i].y;
        energy += s.mass[i] * (speed * speed / 2 + kGravity * height);
    }
    return energy;
}

double energy_of_fall(const SoftScene& s, double height) {
    double mass = 0;
    for (std::size_t i = 0; i < s.x.size(); ++i) mass += s.fixed[i] ? 0 : s.mass[i];
    return mass * kGravity * height;
}

double lowest_point(const std::vector<Real3>& x) {
    double y = std::numeric_limits<double>::infinity();
    for (const Real3& p : x) y = std::min(y, p.y);
    return y;
}

} // namespace sinew::bench
