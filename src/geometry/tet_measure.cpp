#include "geometry/tet_measure.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew {

namespace {
struct TetFace {
    std::array<int, 3> key; // ascending corners
    int tet, corner;
};

// all faces, equal ones next to each other
std::vector<TetFace> sorted_faces(const TetMesh& m) {
    std::vector<TetFace> faces;
    faces.reserve(4 * m.tets.size());
    for (int t = 0; t < int(m.tets.size()); ++t)
        for (int i = 0; i < 4; ++i) {
            TetFace f{{m.tets[t][kTetFaces[i][0]], m.tets[t][kTetFaces[i][1]], m.tets[t][kTetFaces[i][2]]}, t, i};
            std::sort(f.key.begin(), f.key.end());
            faces.push_back(f);
        }
    std::sort(faces.begin(), faces.end(), [](const TetFace& a, const TetFace& b) {
        return a.key != b.key ? a.key < b.key : a.tet != b.tet ? a.tet < b.tet : a.corner < b.corner;
    });
    return faces;
}

void check_group(const TetGroup& g, const char* of, std::size_t count, std::vector<Error>& errors) {
    for (std::size_t i = 0; i < g.members.size(); ++i)
        if (g.members[i] < 0 || std::size_t(g.members[i]) >= count || (i && g.members[i] <= g.members[i - 1])) {
            errors.push_back({.path = std::string(of) + " group " + g.name, .value = std::to_string(g.members[i]),
                              .message = "members are not ascending indices"});
            return;
        }
}
} // namespace

std::vector<Error> validate_tets(const TetMesh& m) {
    std::vector<Error> errors;
    for (std::size_t i = 0; i < m.points.size() && errors.size() < 10; ++i)
        if (!vec(m.points[i]).allFinite()) errors.push_back({.path = "point " + std::to_string(i), .message = "not a finite number"});
    for (std::size_t t = 0; t < m.tets.size() && errors.size() < 10; ++t) {
        std::array<int, 4> c = m.tets[t];
        std::sort(c.begin(), c.end());
        if (c[0] < 0 || std::size_t(c[3]) >= m.points.size())
            errors.push_back({.path = "tetrahedron " + std::to_string(t), .message = "refers to a point that does not exist"});
        else if (c[0] == c[1] || c[1] == c[2] || c[2] == c[3])
            errors.push_back({.path = "tetrahedron " + std::to_string(t), .message = "names a point twice"});
    }
    for (const TetGroup& g : m.tet_groups)
        if (errors.size() < 10) check_group(g, "tetrahedron", m.tets.size(), errors);
    for (const TetGroup& g : m.point_groups)
        if (errors.size() < 10) check_group(g, "point", m.points.size(), errors);
    return errors;
}

Real signed_volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return (b - a).cross(c - a).dot(d - a) / 6;
}
Real signed_volume(const TetMesh& m, int t) {
    const std::array<int, 4>& c = m.tets[t];
    return signed_volume(vec(m.points[c[0]]), vec(m.points[c[1]]), vec(m.points[c[2]]), vec(m.points[c[3]]));
}
Real total_volume(const TetMesh& m) {
    Real sum = 0;
    for (int t = 0; t < int(m.tets.size()); ++t) sum += signed_volume(m, t);
    return sum;
}

std::vector<int> orient_tets(TetMesh& m) {
    std::vector<int> changed;
    for (int t = 0; t < int(m.tets.size()); ++t)
        if (signed_volume(m, t) < 0) {
            std::swap(m.tets[t][2], m.tets[t][3]);
            changed.push_back(t);
        }
    return changed;
}

std::array<Real, 6> dihedral_angles(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    static constexpr int kEdge[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    const Vec3* x[4] = {&a, &b, &c, &d};
    std::array<Real, 6> angle;
    for (int e = 0; e < 6; ++e) {
        // seen along the edge, the angle between the directions to the two other corners
        const Vec3 u = *x[kEdge[e][1]] - *x[kEdge[e][0]];
        const Vec3 p = u.cross(*x[kEdge[e][2]] - *x[kEdge[e][0]]), q = u.cross(*x[kEdge[e][3]] - *x[kEdge[e][0]]);
        angle[e] = std::atan2(p.cross(q).norm(), p.dot(q));
    }
    return angle;
}

AngleRange dihedral_range(const TetMesh& m) {
    AngleRange r;
    for (const std::array<int, 4>& c : m.tets)
        for (Real angle : dihedral_angles(vec(m.points[c[0]]), vec(m.points[c[1]]), vec(m.points[c[2]]), vec(m.points[c[3]]))) {
            r.min = std::min(r.min, angle);
            r.max = std::max(r.max, angle);
        }
    return r;
}

std::vector<BoundaryFace> boundary_faces(const TetMesh& m) {
    const std::vector<TetFace> faces = sorted_faces(m);
    std::vector<TetFace> single;
    for (std::size_t i = 0, j; i < faces.size(); i = j) {
        for (j = i + 1; j < faces.size() && faces[j].key == faces[i].key; ++j) {}
        if (j == i + 1) single.push_back(faces[i]);
    }
    std::sort(single.begin(), single.end(), [](const TetFace& a, const TetFace& b) { return a.tet != b.tet ? a.tet < b.tet : a.corner < b.corner; });
    std::vector<BoundaryFace> out;
    for (const TetFace& f : single) {
        const std::array<int, 4>& c = m.tets[f.tet];
        const std::array<int, 3>& k = kTetFaces[f.corner];
        out.push_back({{c[k[0]], c[k[1]], c[k[2]]}, f.tet});
        if (signed_volume(m, f.tet) < 0) std::swap(out.back().corners[1], out.back().corners[2]);
    }
    return out;
}

BoundaryMesh boundary_mesh(const TetMesh& m) {
    const std::vector<BoundaryFace> faces = boundary_faces(m);
    BoundaryMesh b;
    std::vector<int> vertex(m.points.size(), -1);
    for (const BoundaryFace& f : faces)
        for (int p : f.corners) vertex[p] = 0;
    for (int p = 0; p < int(vertex.size()); ++p)
        if (vertex[p] == 0) {
            vertex[p] = int(b.point.size());
            b.point.push_back(p);
            b.mesh.positions.push_back(m.points[p]);
        }
    for (const BoundaryFace& f : faces) add_polygon(b.mesh, {vertex[f.corners[0]], vertex[f.corners[1]], vertex[f.corners[2]]});
    return b;
}

int face_components(const TetMesh& m, std::vector<int>& component) {
    // union by faces, the lower root stays
    std::vector<int> root(m.tets.size());
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](int t) {
        while (root[t] != t) t = root[t] = root[root[t]];
        return t;
    };
    const std::vector<TetFace> faces = sorted_faces(m);
    for (std::size_t i = 1; i < faces.size(); ++i)
        if (faces[i].key == faces[i - 1].key) {
            const int a = find(faces[i].tet), b = find(faces[i - 1].tet);
            root[std::max(a, b)] = std::min(a, b);
        }
    component.assign(m.tets.size(), -1);
    int count = 0;
    for (int t = 0; t < int(m.tets.size()); ++t) {
        const int r = find(t);
        component[t] = r == t ? count++ : component[r];
    }
    return count;
}

} // namespace sinew
