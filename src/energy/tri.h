// What membranes of triangles share. Every membrane energy is a function W(s) of the three numbers
//   s_i = 1/2 (|e_i|^2 - |E_i|^2)   of edge i, opposite corner i (geometry/triangle_metric.h)
// so that, with r = dW/ds [N/m] and W2 = d2W/ds2, forces are those of three springs along the edges (spec T 3.1.3):
//   dW/dx_m = r_(m+1) e_(m+1) - r_(m-1) e_(m-1)
//   d2W     = B^T W2 B + sum_i r_i L_i,   B = ds/dx,  L_i = [I -I; -I I] on the ends of edge i
// Projection: in the two edges d1 = x1 - x0, d2 = x2 - x0 the matrix splits into a 2 x 2 part along the normal, clamped in
// closed form, and a 4 x 4 part in the plane. Clamping there instead of in the 9 unknowns is not the nearest matrix in the
// Frobenius norm, but positive semi-definite, exact where the matrix was so, and an order of magnitude cheaper.
//
// Viscosity (Kelvin-Voigt): with T0 = 1/2 W2 at rest and a time eta [s],
//   implicit steps      E_v = eta/h (s - s_now)^T T0 (s - s_now), h the time from x_now to x: part of the potential
//   elsewhere           f = -2 eta B^T T0 ds/dt: a force
#pragma once
#include "energy/energy.h"
#include "geometry/triangle_metric.h"
#include "linalg/psd.h"

namespace sinew {

// What the scene says about a membrane. Axis 1 (warp) has `young`, axis 2 (weft) `young_weft`.
struct MembraneParams {
    Real young = 1e6;       // [Pa]
    Real young_weft = -1;   // [Pa], -1 = young
    Real poisson = 0.3;     // contraction along the weft from extension along the warp
    Real shear = -1;        // [Pa] engineering modulus, -1 = of the isotropic material
    Real thickness = 1e-3;  // [m]
    Real damping = 0;       // [s]
    Real3 warp{1, 0, 0};    // direction at rest, projected onto the triangle
};
template <class V> void membrane_fields(MembraneParams& p, V&& v) {
    v("young", p.young, Field{.min = 0, .unit = "Pa", .doc = "modulus along the warp; times thickness: force per width at strain 1"});
    v("young_weft", p.young_weft, Field{.min = 0, .unit = "Pa", .doc = "modulus along the weft; default: young"});
    v("poisson", p.poisson, Field{.min = -0.999, .max = 0.999, .doc = "contraction along the weft from extension along the warp"});
    v("shear", p.shear, Field{.min = 0, .unit = "Pa", .doc = "shear modulus (engineering); default: young / (2 (1 + poisson))"});
    v("thickness", p.thickness, Field{.min = 0, .min_exclusive = true, .unit = "m", .doc = "of the material"});
    v("damping", p.damping, Field{.min = 0, .unit = "s", .doc = "viscosity as a time: stress per strain rate over stiffness"});
    v("warp", p.warp, Field{.doc = "direction of the warp at rest, projected onto each triangle"});
}

// Moduli of the quadratic energy  psi = lambda/2 J1^2 + mu J2 + alpha J1 J3 + beta J3^2  [Pa], with J1 = tr E,
// J2 = tr E^2, J3 = strain along axis 2 (spec T 3.1.1; G of the formulas is twice the engineering modulus).
struct OrthotropicModuli {
    Real lambda, mu, alpha, beta;
};
inline Real shear_modulus(const MembraneParams& p) { return p.shear >= 0 ? p.shear : p.young / (2 * (1 + p.poisson)); }
inline Real weft_ratio(const MembraneParams& p) { return p.young_weft >= 0 && p.young > 0 ? p.young_weft / p.young : 1; }
// the matrix of moduli is positive definite
inline bool is_admissible(const MembraneParams& p) {
    const Real eta = weft_ratio(p);
    return p.young > 0 && eta > 0 && shear_modulus(p) > 0 && eta * p.poisson * p.poisson < 1;
}
inline OrthotropicModuli orthotropic_moduli(const MembraneParams& p) {
    const Real eta = weft_ratio(p), nu = p.poisson, y = p.young / (1 - eta * nu * nu), g = 2 * shear_modulus(p);
    return {y - g, g / 2, (eta * nu - 1) * y + g, 0.5 * (1 + eta - 2 * eta * nu) * y - g};
}
// d2 psi/dE2 over (E11, E22, E12)
inline Mat3 moduli_matrix(const OrthotropicModuli& m) {
    Mat3 c;
    c << m.lambda + 2 * m.mu, m.lambda + m.alpha, 0, //
        m.lambda + m.alpha, m.lambda + 2 * m.mu + 2 * m.alpha + 2 * m.beta, 0, //
        0, 0, 4 * m.mu;
    return c;
}

using TriEdges = std::array<Vec3, 3>;
inline TriEdges edges_of(const Stencil<3>& s) { return triangle_edges(s.x[0], s.x[1], s.x[2]); }

// s_i
inline Vec3 edge_strains(const TriEdges& e, const Real* rest2) {
    return {0.5 * (e[0].squaredNorm() - rest2[0]), 0.5 * (e[1].squaredNorm() - rest2[1]), 0.5 * (e[2].squaredNorm() - rest2[2])};
}
inline Vec3 edge_strains_now(const StepContext& c, const Real* rest2) {
    return edge_strains(triangle_edges(c.x_start(0), c.x_start(1), c.x_start(2)), rest2);
}

inline VecN<9> tri_gradient(const TriEdges& e, const Vec3& r) {
    VecN<9> g;
    for (int m = 0; m < 3; ++m)
        g.segment<3>(3 * m) = r[kNext[m]] * e[kNext[m]] - r[kPrevious[m]] * e[kPrevious[m]];
    return g;
}

// Rows C = K s over the corners: dC/dx_m = K_(m+1) e_(m+1)^T - K_(m-1) e_(m-1)^T, K_i the columns of K
template <int Order> LocalRows<3, 9, Order> edge_strain_rows(const Mat3& K, const TriEdges& e, const Vec3& s) {
    LocalRows<3, 9, Order> out;
    out.c = K * s;
    if constexpr (Order >= 1)
        for (int m = 0; m < 3; ++m)
            out.jacobian.template middleCols<3>(3 * m) =
                K.col(kNext[m]) * e[kNext[m]].transpose() - K.col(kPrevious[m]) * e[kPrevious[m]].transpose();
    return out;
}
// K with K^T K = 2 T of a positive semi-definite T
inline Mat3 root_matrix(const Mat3& T) {
    Mat3 l = Mat3::Zero();
    const Real size = T.trace();
    for (int j = 0; j < 3; ++j) {
        Real d = T(j, j);
        for (int k = 0; k < j; ++k) d -= l(j, k) * l(j, k);
        if (!(d > 1e-15 * size)) continue;
        l(j, j) = std::sqrt(d);
        for (int i = j + 1; i < 3; ++i) {
            Real v = T(i, j);
            for (int k = 0; k < j; ++k) v -= l(i, k) * l(j, k);
            l(i, j) = v / l(j, j);
        }
    }
    return std::sqrt(2.0) * l.transpose();
}

// blocks (1,0), (2,0), (2,1) are computed, the rest follows from symmetry and translation
inline MatN<9> tri_hessian(const TriEdges& e, const Vec3& r, const Mat3& w2) {
    // b_m = W2 row combinations: ds/dx_m has +e_(m+1) in row m+1 and -e_(m-1) in row m-1
    const auto block = [&](int m, int n) {
        const int a = kNext[m], b = kPrevious[m], c = kNext[n], d = kPrevious[n];
        Mat3 k = e[a] * (w2(a, c) * e[c] - w2(a, d) * e[d]).transpose() - e[b] * (w2(b, c) * e[c] - w2(b, d) * e[d]).transpose();
        k.diagonal().array() -= r[3 - m - n];
        return k;
    };
    const Mat3 k10 = block(1, 0), k20 = block(2, 0), k21 = block(2, 1);
    MatN<9> h;
    h.block<3, 3>(3, 0) = k10;
    h.block<3, 3>(0, 3) = k10.transpose();
    h.block<3, 3>(6, 0) = k20;
    h.block<3, 3>(0, 6) = k20.transpose();
    h.block<3, 3>(6, 3) = k21;
    h.block<3, 3>(3, 6) = k21.transpose();
    const auto symmetric = [](const Mat3& a) { return Mat3(-0.5 * (a + a.transpose())); };
    h.block<3, 3>(0, 0) = symmetric(k10 + k20);
    h.block<3, 3>(3, 3) = symmetric(k10 + k21);
    h.block<3, 3>(6, 6) = symmetric(k20 + k21);
    return h;
}

// closed form for two rows
inline Mat2 clamp_psd(const Mat2& a) {
    const Real mean = 0.5 * (a(0, 0) + a(1, 1)), radius = std::hypot(0.5 * (a(0, 0) - a(1, 1)), a(0, 1));
    const Real high = mean + radius;
    if (mean - radius >= 0) return a;
    if (high <= 0 || radius == 0) return Mat2::Zero();
    return high / (2 * radius) * (a - (mean - radius) * Mat2::Identity());
}

// orthonormal axes: two in the plane (of the longest edge and its normal where the triangle has collapsed), the normal
inline Mat3 tangent_axes(const TriEdges& e) {
    int longest = 0;
    for (int i = 1; i < 3; ++i)
        if (e[i].squaredNorm() > e[longest].squaredNorm()) longest = i;
    Mat3 axes;
    const Real length = e[longest].norm();
    const Vec3 t = length > 0 ? Vec3(e[longest] / length) : Vec3::UnitX();
    Vec3 n = e[0].cross(e[1]);
    const Real area = n.norm();
    n = area > 1e-12 * length * length ? Vec3(n / area) : t.unitOrthogonal();
    axes << t, n.cross(t), n;
    return axes;
}

inline MatN<9> tri_hessian_psd(const TriEdges& e, const Vec3& r, const Mat3& w2) {
    const Mat3 axes = tangent_axes(e);
    Mat2 across;
    across << r[2] + r[0], -r[0], -r[0], r[1] + r[0];
    // rows of ds over (d1, d2) in the plane: e_2 = d1, e_1 = -d2, e_0 = d2 - d1
    Eigen::Matrix<Real, 3, 4> b = Eigen::Matrix<Real, 3, 4>::Zero();
    for (int c = 0; c < 2; ++c) {
        const Real e0 = e[0].dot(axes.col(c)), e1 = e[1].dot(axes.col(c)), e2 = e[2].dot(axes.col(c));
        b(0, c) = -e0, b(0, 2 + c) = e0, b(1, 2 + c) = -e1, b(2, c) = e2;
    }
    Eigen::Matrix4d in_plane = b.transpose() * w2 * b;
    for (int c = 0; c < 2; ++c)
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j) in_plane(2 * i + c, 2 * j + c) += across(i, j);
    in_plane = 0.5 * (in_plane + in_plane.transpose()).eval();
    project_psd(in_plane.data(), 4, PsdMode::clamp);
    across = clamp_psd(across);
    // back to world axes and to the three corners: x0 takes minus the sum
    const auto world = [&](int i, int j) {
        Mat3 local = Mat3::Zero();
        local.topLeftCorner<2, 2>() = in_plane.block<2, 2>(2 * i, 2 * j);
        local(2, 2) = across(i, j);
        return Mat3(axes * local * axes.transpose());
    };
    const Mat3 k11 = world(0, 0), k21 = world(1, 0), k22 = world(1, 1), k12 = k21.transpose();
    MatN<9> h;
    h.block<3, 3>(3, 3) = k11;
    h.block<3, 3>(6, 3) = k21;
    h.block<3, 3>(3, 6) = k12;
    h.block<3, 3>(6, 6) = k22;
    h.block<3, 3>(3, 0) = -k11 - k12;
    h.block<3, 3>(6, 0) = -k21 - k22;
    h.block<3, 3>(0, 3) = -k11 - k21;
    h.block<3, 3>(0, 6) = -k12 - k22;
    h.block<3, 3>(0, 0) = k11 + k12 + k21 + k22;
    return h;
}

// Elements of a membrane E that gives W, r and, from order 2 on, W2:
//   static Real strain_energy(const Data&, const StepContext&, const TriEdges&, int order, Vec3& r, Mat3& w2);
template <class E, int Order> Local<9, Order> tri_eval(const typename E::Data& d, const StepContext& c, const Stencil<3>& s) {
    Local<9, Order> out;
    const TriEdges e = edges_of(s);
    Vec3 r;
    Mat3 w2;
    out.value = E::strain_energy(d, c, e, Order, r, w2);
    if constexpr (Order >= 1) out.gradient = tri_gradient(e, r);
    if constexpr (Order >= 2) out.hessian = tri_hessian(e, r, w2);
    return out;
}
template <class E> MatN<9> tri_psd(const typename E::Data& d, const StepContext& c, const Stencil<3>& s) {
    const TriEdges e = edges_of(s);
    Vec3 r;
    Mat3 w2;
    E::strain_energy(d, c, e, 2, r, w2);
    if (!r.allFinite()) return MatN<9>::Zero(); // a collapsed triangle of a law that forbids it
    return tri_hessian_psd(e, r, w2);
}

// f = -2 eta B^T T0 ds/dt and its derivatives
template <int Order> LocalForce<9, Order> tri_damper(Real eta, const Mat3& t0, const Stencil<3>& s) {
    LocalForce<9, Order> out;
    const TriEdges e = edges_of(s), rate = triangle_edges(s.v[0], s.v[1], s.v[2]);
    const Mat3 w = 2 * eta * t0;
    const Vec3 y = w * Vec3(e[0].dot(rate[0]), e[1].dot(rate[1]), e[2].dot(rate[2]));
    out.force = -tri_gradient(e, y);
    if constexpr (Order >= 1) {
        Eigen::Matrix<Real, 3, 9> b = Eigen::Matrix<Real, 3, 9>::Zero(), db = b;
        for (int i = 0; i < 3; ++i) {
            b.block<1, 3>(i, 3 * kPrevious[i]) = e[i].transpose();
            b.block<1, 3>(i, 3 * kNext[i]) = -e[i].transpose();
            db.block<1, 3>(i, 3 * kPrevious[i]) = rate[i].transpose();
            db.block<1, 3>(i, 3 * kNext[i]) = -rate[i].transpose();
        }
        out.dfdv = -b.transpose() * w * b;
        out.dfdx = -b.transpose() * w * db - tri_hessian(e, y, Mat3::Zero());
    }
    return out;
}

// A random triangle for the tests: general, strongly compressed, nearly at rest, almost collapsed to a line.
inline constexpr int kTriSampleKinds = 4;
inline Stencil<3> sample_tri(Rng& rng, int which, const std::array<Vec3, 3>& rest) {
    Stencil<3> s;
    const Quat turn = exp_rotation(draw_uniform(rng, 0, 3) * draw_direction(rng));
    const Real size = which == 1 ? draw_uniform(rng, 0.5, 0.8) : which == 2 ? 1.0 : draw_uniform(rng, 0.9, 1.3);
    const Real noise = which == 2 ? 1e-4 : 0.1;
    const Vec3 shift = draw_vec(rng, -1, 1);
    const Vec3 axis = (rest[1] - rest[0]).normalized();
    for (int i = 0; i < 3; ++i) {
        Vec3 x = rest[i];
        if (which == 3) x -= 0.7 * (x - rest[0] - axis.dot(x - rest[0]) * axis); // squeezed towards edge 2
        s.x[i] = shift + turn * (size * x + noise * draw_vec(rng, -1, 1));
    }
    return s;
}
inline std::array<Vec3, 3> sample_rest_tri(Rng& rng) {
    const Quat turn = exp_rotation(draw_uniform(rng, 0, 3) * draw_direction(rng));
    const Real a = draw_uniform(rng, 0.8, 1.5), b = draw_uniform(rng, 0.2, 0.8), c = draw_uniform(rng, 0.8, 1.5);
    return {turn * Vec3(0, 0, 0), turn * Vec3(a, 0, 0), turn * Vec3(b * a, c, 0)};
}
inline MembraneParams sample_membrane(Rng& rng) {
    MembraneParams p;
    p.young = draw_uniform(rng, 1e2, 1e3);
    p.young_weft = draw_uniform(rng, 1e2, 1e3);
    p.poisson = draw_uniform(rng, -0.2, 0.3);
    p.shear = draw_uniform(rng, 30, 300);
    p.thickness = draw_uniform(rng, 0.05, 0.2);
    p.damping = draw_uniform(rng, 0, 0.1);
    p.warp = real3(draw_direction(rng));
    return p;
}

template <class E> Sample<E> sample_membrane_element(Rng& rng, int which) {
    typename E::Params p;
    static_cast<MembraneParams&>(p) = sample_membrane(rng);
    const std::array<Vec3, 3> rest = sample_rest_tri(rng);
    const std::array<Real3, 3> x{real3(rest[0]), real3(rest[1]), real3(rest[2])};
    return {E::prepare(p, {x, {}, {}, {}}), sample_tri(rng, which, rest)};
}

} // namespace sinew
