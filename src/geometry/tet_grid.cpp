#include "geometry/tet_grid.h"
#include "core/math.h"
#include <algorithm>

namespace sinew {

double tet_volume(const TetMesh& m, int tet) {
    const auto& t = m.tets[tet];
    const Vec3 a = vec(m.points[t[0]]);
    return (vec(m.points[t[1]]) - a).cross(vec(m.points[t[2]]) - a).dot(vec(m.points[t[3]]) - a) / 6;
}

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
    for (int t = 0; t < int(m.tets.size()); ++t)
        if (tet_volume(m, t) < 0) std::swap(m.tets[t][2], m.tets[t][3]);
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
    for (int t = 0; t < int(m.tets.size()); ++t)
        if (tet_volume(m, t) < 0) std::swap(m.tets[t][2], m.tets[t][3]);
    return m;
}

std::vector<std::array<int, 3>> boundary_triangles(const TetMesh& m) {
    // opposite each corner, counter-clockwise from outside for a positive tetrahedron
    static constexpr int face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    struct Face {
        std::array<int, 3> sorted;
        int order;
        std::array<int, 3> corners;
    };
    std::vector<Face> faces;
    for (int t = 0; t < int(m.tets.size()); ++t) {
        const bool negative = tet_volume(m, t) < 0;
        for (const auto& f : face) {
            std::array<int, 3> c{m.tets[t][f[0]], m.tets[t][f[1]], m.tets[t][f[2]]};
            if (negative) std::swap(c[1], c[2]);
            std::array<int, 3> sorted = c;
            std::sort(sorted.begin(), sorted.end());
            faces.push_back({sorted, int(faces.size()), c});
        }
    }
    std::sort(faces.begin(), faces.end(),
              [](const Face& a, const Face& b) { return a.sorted != b.sorted ? a.sorted < b.sorted : a.order < b.order; });
    std::vector<Face> kept;
    for (std::size_t i = 0; i < faces.size();) {
        std::size_t end = i + 1;
        while (end < faces.size() && faces[end].sorted == faces[i].sorted) ++end;
        if (end - i == 1) kept.push_back(faces[i]);
        i = end;
    }
    std::sort(kept.begin(), kept.end(), [](const Face& a, const Face& b) { return a.order < b.order; });
    std::vector<std::array<int, 3>> out;
    for (const Face& f : kept) out.push_back(f.corners);
    return out;
}

} // namespace sinew
