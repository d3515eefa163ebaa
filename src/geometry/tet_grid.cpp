#include "geometry/tet_grid.h"
#include "core/math.h"
#include "geometry/tet_measure.h"
#include <algorithm>

namespace sinew {

TetMesh make_box_tets(const Real3& size, const std::array<int, 3>& cells, CellSplit split) {
    // corners of a cell by bits x, y, z; each tetrahedron positive
    static constexpr int five[2][5][4] = {{{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 4, 2, 7}, {1, 2, 4, 7}},
                                          {{1, 3, 0, 5}, {2, 0, 3, 6}, {4, 5, 0, 6}, {7, 3, 5, 6}, {0, 3, 5, 6}}};
    static constexpr int six[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    TetMesh m;
    const int nx = cells[0], ny = cells[1], nz = cells[2];
    for (int k = 0; k <= nz; ++k)
        for (int j = 0; j <= ny; ++j)
            for (int i = 0; i <= nx; ++i)
                m.points.push_back({size.x * (Real(i) / nx - 0.5), size.y * (Real(j) / ny - 0.5), size.z * (Real(k) / nz - 0.5)});
    const auto at = [&](int i, int j, int k) { return i + (nx + 1) * (j + (ny + 1) * k); };
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i) {
                int corner[8];
                for (int b = 0; b < 8; ++b) corner[b] = at(i + (b & 1), j + (b >> 1 & 1), k + (b >> 2));
                const auto add = [&](const int* t) { m.tets.push_back({corner[t[0]], corner[t[1]], corner[t[2]], corner[t[3]]}); };
                if (split == CellSplit::six)
                    for (const auto& t : six) add(t);
                else
                    for (const auto& t : five[(i + j + k) & 1]) add(t);
            }
    orient_tets(m);
    return m;
}

TetMesh make_shell_tets(const std::vector<Real3>& points, const std::vector<std::array<int, 3>>& triangles, double thickness,
                        int layers) {
    std::vector<Vec3> normal(points.size(), Vec3::Zero());
    for (const auto& t : triangles) {
        const Vec3 n = (vec(points[t[1]]) - vec(points[t[0]])).cross(vec(points[t[2]]) - vec(points[t[0]]));
        for (int v : t) normal[v] += n;
    }
    TetMesh m;
    const int n = int(points.size());
    for (int l = 0; l <= layers; ++l)
        for (int i = 0; i < n; ++i)
            m.points.push_back(real3(vec(points[i]) - thickness * l / layers * normal[i].normalized()));
    // prisms between two layers, cut by the order of the vertices: neighbours agree on the diagonal of their side
    for (int l = 0; l < layers; ++l)
        for (auto t : triangles) {
            std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
            const int a = t[0] + l * n, b = t[1] + l * n, c = t[2] + l * n;
            if (t[1] < t[2]) m.tets.insert(m.tets.end(), {{a, b, c, c + n}, {a, b, c + n, b + n}, {a, b + n, c + n, a + n}});
            else m.tets.insert(m.tets.end(), {{a, b, c, b + n}, {a, c, c + n, b + n}, {a, b + n, c + n, a + n}});
        }
    orient_tets(m);
    return m;
}

} // namespace sinew
