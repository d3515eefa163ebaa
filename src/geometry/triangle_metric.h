// Strain of a flat triangle from its edge lengths (spec T 3.1.2).
//   edge i is opposite corner i: e_i = x_k - x_j, (i, j, k) cyclic;  bar = rest
//   s_i = 1/2 (|e_i|^2 - |E_i|^2)                        [m^2]
//   E   = -1/(8 A^2) sum_i s_i (m_j m_k^T + m_k m_j^T),  m_i = rest edge turned by 90 degrees in the rest plane
// Green's strain is linear in s: with u_i, v_i the rest edges along the material axes 1 and 2,
//   (E11, E22, E12) = M s,   M_1i = -v_j v_k/(4 A^2),  M_2i = -u_j u_k/(4 A^2),  M_3i = (u_j v_k + u_k v_j)/(8 A^2)
// E12 is the tensor shear, half the engineering one.
#pragma once
#include "core/math.h"
#include <array>

namespace sinew {

inline constexpr int kNext[3] = {1, 2, 0}, kPrevious[3] = {2, 0, 1};

inline std::array<Vec3, 3> triangle_edges(const Vec3& x0, const Vec3& x1, const Vec3& x2) {
    return {x2 - x1, x0 - x2, x1 - x0};
}

// A triangle at rest: edges along its material axes. Axis 1 is `direction` projected onto the plane, or the last edge
// where that is impossible.
struct TriangleMetric {
    std::array<Real, 3> length2; // [m^2] squared rest lengths
    std::array<Real, 3> u, v;    // [m] rest edges along axes 1 and 2
    Real area = 0;               // [m^2]
};

inline TriangleMetric make_triangle_metric(const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& direction) {
    TriangleMetric t;
    const std::array<Vec3, 3> e = triangle_edges(x0, x1, x2);
    const Vec3 cross = e[0].cross(e[1]);
    t.area = 0.5 * cross.norm();
    const Vec3 n = t.area > 0 ? Vec3(cross / (2 * t.area)) : Vec3::UnitY();
    Vec3 a1 = direction - n.dot(direction) * n;
    if (a1.norm() <= 1e-6 * direction.norm() || !(direction.norm() > 0)) a1 = e[2];
    a1.normalize();
    const Vec3 a2 = n.cross(a1);
    for (int i = 0; i < 3; ++i) {
        t.length2[i] = e[i].squaredNorm();
        t.u[i] = e[i].dot(a1);
        t.v[i] = e[i].dot(a2);
    }
    return t;
}

// M: (E11, E22, E12) = M s
inline Mat3 strain_matrix(const TriangleMetric& t) {
    Mat3 m;
    const Real c = 1 / (4 * t.area * t.area);
    for (int i = 0; i < 3; ++i) {
        const int j = kNext[i], k = kPrevious[i];
        m(0, i) = -c * t.v[j] * t.v[k];
        m(1, i) = -c * t.u[j] * t.u[k];
        m(2, i) = 0.5 * c * (t.u[j] * t.v[k] + t.u[k] * t.v[j]);
    }
    return m;
}

// Area from squared lengths (Heron); 0 where no such triangle exists.
inline Real triangle_area(Real a, Real b, Real c) {
    const Real sum = a + b + c, radicand = sum * sum - 2 * (a * a + b * b + c * c);
    return radicand > 0 ? 0.25 * std::sqrt(radicand) : 0;
}

} // namespace sinew
