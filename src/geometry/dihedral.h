// Angle between two triangles that share an edge, its gradient and Hessian in closed form (spec T 3.3 with errata E7-E9;
// Tamstorf and Grinspun 2013).
//
//   x1, x2  the shared edge e0 = x2 - x1, counter-clockwise in the upper triangle (x0, x1, x2)
//   x3      apex of the lower triangle (x3, x2, x1);  labels 1, 2 of both triangles mean the same points x1, x2
//   n       unit normals;  h_i altitudes, a_i inner angles, m_i outward unit normals of the edges opposite corner i
//   theta   0 when flat, positive when the normals diverge, in (-pi, pi)
//
//   grad_0 = -n/h_0                            grad_3 = -n~/h~_0
//   grad_1 = cos a_2/h_1 n + cos a~_2/h~_1 n~   grad_2 likewise with 1 and 2 exchanged
// Half-angle functions come from the normals without inverse trigonometry: sin = |n - n~|/2, cos = |n + n~|/2.
// A triangle without area (2 A below 1e-12 of its longest edge squared) has no normal: gradient and Hessian of the whole
// hinge are zero there and theta counts as 0. As the shared edge vanishes theta, grad_0, grad_3 and grad_1 + grad_2 have limits, grad_1
// and grad_2 alone grow like 1/|e0|: energies fade there (energy/hinge.h).
#pragma once
#include "core/math.h"
#include <array>

namespace sinew {

// sine (signed) and cosine of half the angle
struct HalfAngle {
    Real sin = 0, cos = 1;
};
inline Real full_angle(const HalfAngle& a) { return 2 * std::atan2(a.sin, a.cos); }

// from unit normals and the shared edge
inline HalfAngle half_angle(const Vec3& n, const Vec3& lower, const Vec3& edge) {
    const Real sine = 0.5 * (n - lower).norm();
    return {n.cross(lower).dot(edge) < 0 ? -sine : sine, 0.5 * (n + lower).norm()};
}

// One triangle of a hinge, corners labelled apex, x1, x2.
struct HingeSide {
    Vec3 n;                            // unit normal
    std::array<Vec3, 3> m;             // outward unit normals of the edges opposite each label
    std::array<Real, 3> cosine;        // of the inner angles
    std::array<Real, 3> inverse_height; // [1/m]
};

// a, b, c counter-clockwise; b is label `label_b`, c is label 3 - label_b. False: no area.
inline bool make_hinge_side(const Vec3& a, const Vec3& b, const Vec3& c, int label_b, HingeSide& out) {
    const std::array<Vec3, 3> e{c - b, a - c, b - a};
    const std::array<int, 3> label{0, label_b, 3 - label_b};
    const Vec3 normal = e[0].cross(e[1]);
    const std::array<Real, 3> l2{e[0].squaredNorm(), e[1].squaredNorm(), e[2].squaredNorm()};
    const Real area2 = normal.norm();
    if (!(area2 > 1e-12 * std::max({l2[0], l2[1], l2[2]}))) return false;
    const Real inverse = 1 / area2;
    out.n = inverse * normal;
    std::array<Real, 3> length;
    std::array<Vec3, 3> unit;
    for (int i = 0; i < 3; ++i) {
        length[i] = std::sqrt(l2[i]);
        unit[i] = e[i] / length[i];
    }
    for (int i = 0; i < 3; ++i) {
        out.cosine[label[i]] = -unit[(i + 1) % 3].dot(unit[(i + 2) % 3]);
        out.inverse_height[label[i]] = length[i] * inverse;
        out.m[label[i]] = unit[i].cross(out.n);
    }
    return true;
}

struct Hinge {
    HingeSide upper, lower;
    HalfAngle half;
    Real inverse_length2 = 0; // [1/m^2] of the shared edge
    bool valid = false;
};
inline Hinge make_hinge(const std::array<Vec3, 4>& x) {
    Hinge h;
    h.valid = make_hinge_side(x[0], x[1], x[2], 1, h.upper) && make_hinge_side(x[3], x[2], x[1], 2, h.lower);
    if (!h.valid) return h;
    const Vec3 edge = x[2] - x[1];
    h.inverse_length2 = 1 / edge.squaredNorm();
    h.half = half_angle(h.upper.n, h.lower.n, edge);
    return h;
}

inline VecN<12> hinge_gradient(const Hinge& h) {
    const HingeSide &u = h.upper, &l = h.lower;
    VecN<12> g;
    if (!h.valid) return VecN<12>::Zero();
    g.segment<3>(0) = -u.inverse_height[0] * u.n;
    g.segment<3>(3) = u.cosine[2] * u.inverse_height[1] * u.n + l.cosine[2] * l.inverse_height[1] * l.n;
    g.segment<3>(6) = u.cosine[1] * u.inverse_height[2] * u.n + l.cosine[1] * l.inverse_height[2] * l.n;
    g.segment<3>(9) = -l.inverse_height[0] * l.n;
    return g;
}

inline MatN<12> hinge_hessian(const Hinge& h) {
    MatN<12> out = MatN<12>::Zero();
    if (!h.valid) return out;
    Mat3 h11 = Mat3::Zero(), h22 = h11, h12 = h11;
    const auto add_side = [&](const HingeSide& s, int apex) {
        const Mat3 m0 = s.n * s.m[0].transpose(), m1 = s.n * s.m[1].transpose(), m2 = s.n * s.m[2].transpose();
        const Mat3 n0 = h.inverse_length2 * m0;
        const Real i0 = s.inverse_height[0], i1 = s.inverse_height[1], i2 = s.inverse_height[2];
        const Real c1 = s.cosine[1], c2 = s.cosine[2];
        h11 += i1 * i1 * c2 * (m1 + m1.transpose()) - n0;
        h22 += i2 * i2 * c1 * (m2 + m2.transpose()) - n0;
        h12 += i1 * i2 * (c2 * m2.transpose() + c1 * m1) + n0;
        const Mat3 h10 = i0 * i1 * (c2 * m0.transpose() - m1), h20 = i0 * i2 * (c1 * m0.transpose() - m2);
        out.block<3, 3>(apex, apex) = -i0 * i0 * (m0 + m0.transpose());
        out.block<3, 3>(3, apex) = h10;
        out.block<3, 3>(apex, 3) = h10.transpose();
        out.block<3, 3>(6, apex) = h20;
        out.block<3, 3>(apex, 6) = h20.transpose();
    };
    add_side(h.upper, 0);
    add_side(h.lower, 9);
    // symmetric up to rounding once both sides are in
    out.block<3, 3>(3, 3) = 0.5 * (h11 + h11.transpose());
    out.block<3, 3>(6, 6) = 0.5 * (h22 + h22.transpose());
    out.block<3, 3>(3, 6) = h12;
    out.block<3, 3>(6, 3) = h12.transpose();
    return out;
}

} // namespace sinew
