// Fifteen axes of two boxes (Gottschalk, Lin and Manocha 1996), geometry/sat.h, in the axes of a:
//   separation(n) = |n . p| - sum |n_i| a_i - sum |n . R_j| b_j
#include "geometry/sat.h"
#include <cmath>

namespace sinew {

namespace {

struct BoxSearch {
    Vec3 a, b, p; // half sizes; centre of b
    Mat3 R, abs;
    SeparatingAxis best;
};

bool better(const BoxSearch& s, Real separation) {
    const Real now = s.best.separation;
    return separation > now + 1e-6 * std::abs(now) || now == -std::numeric_limits<Real>::infinity();
}

// Vertices are numbered as in support: bit k set on the positive side of axis k
int corner(const Vec3& d) { return int(d.x() >= 0) | int(d.y() >= 0) << 1 | int(d.z() >= 0) << 2; }

Vec3 corner_point(const Vec3& size, int id) {
    return {id & 1 ? size.x() : -size.x(), id & 2 ? size.y() : -size.y(), id & 4 ? size.z() : -size.z()};
}

void finish_face(BoxSearch& s, bool of_a, int axis, Real sign) {
    SeparatingAxis& r = s.best;
    if (of_a) {
        r.normal = sign * Vec3::Unit(axis);
        const int id = corner(-(s.R.transpose() * r.normal));
        r.on_b = s.R * corner_point(s.b, id) + s.p;
        r.on_a = r.on_b - r.separation * r.normal;
        r.feature_a = 2 * axis + (sign > 0);
        r.feature_b = id;
    } else {
        r.normal = sign * s.R.col(axis);
        const int id = corner(r.normal);
        r.on_a = corner_point(s.a, id);
        r.on_b = r.on_a + r.separation * r.normal;
        r.feature_a = id;
        r.feature_b = 2 * axis + (sign < 0);
    }
    r.kind = of_a ? SeparatingAxis::face_a : SeparatingAxis::face_b;
}

// Edge number of geometry/polytope.h: along `axis` through a corner on the far side of the other two axes
int edge_id(int axis, const Vec3& toward) {
    return 4 * axis + int(toward[(axis + 1) % 3] >= 0) + 2 * int(toward[(axis + 2) % 3] >= 0);
}
Vec3 edge_middle(const Vec3& size, int id) {
    const int k = id / 4, u = (k + 1) % 3, v = (k + 2) % 3;
    Vec3 x = Vec3::Zero();
    x[u] = id & 1 ? size[u] : -size[u];
    x[v] = id & 2 ? size[v] : -size[v];
    return x;
}

void finish_edges(BoxSearch& s, int i, int j, const Vec3& normal) {
    SeparatingAxis& r = s.best;
    r.kind = SeparatingAxis::edges;
    r.normal = normal;
    r.feature_a = edge_id(i, normal);
    r.feature_b = edge_id(j, -(s.R.transpose() * normal));
    const Vec3 p = edge_middle(s.a, r.feature_a), q = s.R * edge_middle(s.b, r.feature_b) + s.p;
    // closest points of the two lines; the directions are unit vectors
    const Vec3 e = Vec3::Unit(i), g = s.R.col(j), d = q - p;
    const Real c = e.dot(g), det = 1 - c * c;
    r.on_a = p + e * ((d.dot(e) - c * d.dot(g)) / det);
    r.on_b = r.on_a + r.separation * normal;
}

} // namespace

SeparatingAxis find_box_axis(const ConvexPair& pair, Real limit) {
    BoxSearch s{pair.a->size, pair.b->size, pair.b_in_a.p, pair.b_in_a.R, pair.b_in_a.R.cwiseAbs(), {}};
    const Vec3 in_b = s.R.transpose() * s.p;
    int axis = 0;
    bool of_a = true;
    for (int i = 0; i < 3; ++i) {
        const Real separation = std::abs(s.p[i]) - s.a[i] - s.abs.row(i).dot(s.b);
        if (better(s, separation)) s.best.separation = separation, axis = i;
    }
    for (int j = 0; j < 3; ++j) {
        const Real separation = std::abs(in_b[j]) - s.b[j] - s.abs.col(j).dot(s.a);
        if (better(s, separation)) s.best.separation = separation, axis = j, of_a = false;
    }
    if (s.best.separation > limit) {
        finish_face(s, of_a, axis, (of_a ? s.p[axis] : in_b[axis]) >= 0 ? 1 : -1);
        return s.best;
    }
    int i_best = -1, j_best = -1;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            // n = e_i x R_j; its parts along the axes of both boxes are entries of R
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const Real length = std::sqrt(s.R(i1, j) * s.R(i1, j) + s.R(i2, j) * s.R(i2, j));
            if (!(length > 1e-8)) continue;
            const Real along = s.p[i2] * s.R(i1, j) - s.p[i1] * s.R(i2, j);
            const Real separation = (std::abs(along) - s.a[i1] * s.abs(i2, j) - s.a[i2] * s.abs(i1, j) -
                                     s.b[j1] * s.abs(i, j2) - s.b[j2] * s.abs(i, j1)) /
                                    length;
            if (better(s, separation)) s.best.separation = separation, i_best = i, j_best = j;
        }
    if (i_best < 0) {
        finish_face(s, of_a, axis, (of_a ? s.p[axis] : in_b[axis]) >= 0 ? 1 : -1);
    } else {
        Vec3 n = Vec3::Unit(i_best).cross(s.R.col(j_best)).normalized();
        if (n.dot(s.p) < 0) n = -n;
        finish_edges(s, i_best, j_best, n);
    }
    return s.best;
}

} // namespace sinew
