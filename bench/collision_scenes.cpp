#include "collision_scenes.h"
#include "core/random.h"
#include "geometry/read_mesh.h"
#include "geometry/triangulate.h"
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace sinew::bench {

namespace {

// volatile: g++ 12 drops the rounding of the first two when it joins their conversions into one of vectors
Real3 rounded(double x, double y, double z) {
    volatile float r[3] = {float(x), float(y), float(z)};
    return {r[0], r[1], r[2]};
}

template <class F>
void add_grid(int n, F&& place, std::vector<Real3>& x, std::vector<std::array<int, 3>>& triangles) {
    const int first = int(x.size());
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) x.push_back(place(i, j));
    for (int i = 0; i + 1 < n; ++i)
        for (int j = 0; j + 1 < n; ++j) {
            const int a = first + i * n + j, b = a + 1, c = a + n, d = c + 1;
            triangles.push_back({a, b, c});
            triangles.push_back({c, b, d});
        }
}

// a knotted tube of 50 k triangles where there is no dragon
Soup make_knot() {
    Soup s;
    const int rounds = 500, around = 50;
    for (int i = 0; i < rounds; ++i)
        for (int j = 0; j < around; ++j) {
            const double t = 2 * M_PI * i / rounds, u = 2 * M_PI * j / around;
            const double r = 2 + std::cos(3 * t) + 0.5 * std::cos(u), z = std::sin(3 * t) + 0.5 * std::sin(u);
            s.x.push_back(rounded(r * std::cos(2 * t), r * std::sin(2 * t), z));
        }
    for (int i = 0; i < rounds; ++i)
        for (int j = 0; j < around; ++j) {
            const int k = (i + 1) % rounds, l = (j + 1) % around;
            s.triangles.push_back({i * around + j, k * around + j, i * around + l});
            s.triangles.push_back({k * around + j, k * around + l, i * around + l});
        }
    return s;
}

} // namespace

Soup load_dragon(std::string& where) {
    const char* given = std::getenv("SINEW_DATA");
    for (const std::string& folder :
         {std::string(given ? given : ""), std::string(SINEW_SOURCE_DIR "/../shared/data"),
          std::string(SINEW_SOURCE_DIR "/../../shared/data")}) {
        const std::string path = folder + "/meshes/dragon_50k.obj";
        std::error_code code;
        if (folder.empty() || !std::filesystem::exists(path, code)) continue;
        const auto mesh = read_mesh(path);
        if (!mesh) continue;
        Soup s;
        for (const Real3& x : mesh.value->positions) s.x.push_back(rounded(x.x, x.y, x.z));
        s.triangles = triangulate(*mesh.value).triangles;
        where = "dragon_50k.obj";
        return s;
    }
    where = "knot, stand-in for the dragon";
    return make_knot();
}

// waves of several lengths with amplitudes near their lengths fold it over itself
Soup make_crumpled_sheet(int n) {
    Soup s;
    const auto place = [n](int i, int j) {
        const double u = double(i) / (n - 1), v = double(j) / (n - 1);
        double x = 0.35 * u, y = 0, z = 0.35 * v;
        for (int k = 0; k < 24; ++k) {
            const double angle = 2 * M_PI * random_uniform(7, 0, k), f = 20 * std::pow(1.13, k);
            const double phase =
                f * (u * std::cos(angle) + v * std::sin(angle)) + 2 * M_PI * random_uniform(7, 1, k);
            const Real3 d{random_uniform(7, 2, k) - 0.5, random_uniform(7, 3, k) - 0.5,
                          random_uniform(7, 4, k) - 0.5};
            const double a = 0.5 * std::sin(phase) / f;
            x += a * d.x, y += 2 * a * d.y, z += a * d.z;
        }
        return rounded(x, y, z);
    };
    add_grid(n, place, s.x, s.triangles);
    return s;
}

void deform(const Soup& rest, double phase, Soup& out) {
    double lo = rest.x[0].x, hi = lo;
    for (const Real3& x : rest.x) lo = std::min(lo, x.x), hi = std::max(hi, x.x);
    const double size = hi - lo, k = 2 * M_PI / size;
    out.triangles = rest.triangles;
    out.x.resize(rest.x.size());
    for (std::size_t i = 0; i < rest.x.size(); ++i) {
        const Real3& p = rest.x[i];
        out.x[i] = rounded(p.x + 0.02 * size * std::sin(k * p.y + phase),
                           p.y + 0.02 * size * std::sin(k * p.z + phase),
                           p.z + 0.02 * size * std::sin(k * p.x + phase));
    }
}

TwoSheets make_two_sheets(int n) {
    TwoSheets s;
    const double h = 1.0 / (n - 1);
    for (int sheet : {0, 1}) {
        const auto place = [&](int i, int j) {
            const auto jitter = [&](int c) {
                return 0.2 * h * (2 * random_uniform(3, 6 * sheet + c, i * n + j) - 1);
            };
            const double x = i * h, z = j * h;
            const double y = sheet ? 3.8 * h + 1.5 * h * std::sin(20 * x) * std::sin(17 * z) : 0;
            return rounded(x + jitter(0), y + jitter(1), z + jitter(2));
        };
        add_grid(n, place, s.x_t0, s.triangles);
    }
    s.x_t1 = s.x_t0;
    for (std::size_t i = s.x_t0.size() / 2; i < s.x_t0.size(); ++i)
        s.x_t1[i] = rounded(s.x_t0[i].x + 0.5 * h, s.x_t0[i].y - 3 * h, s.x_t0[i].z);
    const auto add_edge = [&](int a, int b) { s.edges.push_back({a, b}); };
    for (int sheet : {0, 1})
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                const int a = sheet * n * n + i * n + j;
                if (j + 1 < n) add_edge(a, a + 1);
                if (i + 1 < n) add_edge(a, a + n);
                if (i + 1 < n && j > 0) add_edge(a, a + n - 1); // the diagonal b-c of add_grid
            }
    return s;
}

} // namespace sinew::bench
