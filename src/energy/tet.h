// What all tetrahedra share: the linear element (spec C08, P97-P98, U012) and the eigen-system of isotropic materials.
//   Dm = [X1 - X0, X2 - X0, X3 - X0] at rest, Ds likewise deformed [m];   F = Ds Dm^-1;   V = |det Dm|/6 [m^3]
//   E = V psi(F),  P = dpsi/dF [Pa];   [dE/dx1, dE/dx2, dE/dx3] = V P Dm^-T,  dE/dx0 = -(their sum)
// (the printed forces of the source are three times too large, erratum X9).  A material is psi, P and dP/dF.
//
// Isotropic materials give dP/dF by principal stretches s of the signed decomposition F = U diag(s) V^T (linalg/svd3.h):
//   stretch  A_ij = d2psi/ds_i ds_j              on U e_i e_i^T V^T
//   twist_k = (psi_i + psi_j)/(s_i + s_j)        on the antisymmetric pair of i, j = the two others than k
//   flip_k  = (psi_i - psi_j)/(s_i - s_j)        on the symmetric pair
// each written without its division, so that repeated stretches do no harm. These are the eigenvalues of dP/dF (Stomakhin et
// al. 2012; Smith, De Goes and Kim 2019): clamping twist, flip and the 3 x 3 block A gives the nearest positive semi-definite
// dP/dF, and pulled back the projected Hessian. It differs from clamping the 12 x 12 matrix itself, whose directions are not
// orthogonal images of those of F, but is zero and positive in the same places.
#pragma once
#include "energy/energy.h"
#include "linalg/svd3.h"

namespace sinew {

struct TetShape {
    std::array<Real, 9> inverse; // [1/m] Dm^-1, column-major
    Real volume;                 // [m^3]; 0 = degenerate at rest: feels nothing
};
TetShape make_tet_shape(const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3);

inline Mat3 inverse_of(const TetShape& t) { return Eigen::Map<const Mat3>(t.inverse.data()); }
inline Mat3 deformation(const Mat3& inverse, const std::array<Vec3, 4>& x) {
    Mat3 edges;
    edges << x[1] - x[0], x[2] - x[0], x[3] - x[0];
    return edges * inverse;
}

// dE/dx from the stress
VecN<12> tet_gradient(const Mat3& inverse, Real volume, const Mat3& P);

// dP/dF of an isotropic material in principal axes
struct PrincipalStiffness {
    Mat3 stretch;
    Vec3 twist, flip; // entry k belongs to the pair without k
};
void clamp_principal(PrincipalStiffness&); // nearest positive semi-definite
MatN<9> stiffness_matrix(const Mat3& U, const Mat3& V, const PrincipalStiffness&); // dP/dF, column-major F
MatN<12> tet_hessian(const Mat3& inverse, Real volume, const Mat3& U, const Mat3& V, const PrincipalStiffness&);

// Green's strain E = 1/2 (F^T F - I), or Cauchy's at F = I, as (11, 22, 33, 2 23, 2 13, 2 12), and d(strain)/dx
VecN<6> green_strain(const Mat3& F);
MatN<6, 12> strain_rows(const Mat3& inverse, const Mat3& F);
Mat3 stress_matrix(const VecN<6>& voigt);

// Young's modulus and Poisson's ratio to Lame's parameters [Pa]
struct Lame {
    Real mu, lambda;
};
inline Lame make_lame(Real young, Real poisson) {
    return {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
}
MatN<6> isotropic_stiffness(const Lame&); // stress from engineering strain (spec U013)

// Rows C with 1/2 C^T C = V/2 e^T K e, K Hooke's stiffness, e engineering strain with the rates `rate`: C = sqrt(V) L^T e
template <int Order> LocalRows<6, 12, Order> hooke_rows(const Lame& l, Real volume, const VecN<6>& strain, const MatN<6, 12>& rate) {
    LocalRows<6, 12, Order> out;
    // Cholesky factor of [a b b; b a b; b b a] by hand
    const Real a = l.lambda + 2 * l.mu, b = l.lambda, root = std::sqrt(volume);
    const Real l11 = std::sqrt(a), l21 = b / l11, l22 = std::sqrt(a - l21 * l21), l32 = (b - l21 * l21) / l22;
    const Real l33 = std::sqrt(a - l21 * l21 - l32 * l32), shear = std::sqrt(l.mu);
    Mat3 lt;
    lt << l11, l21, l21, 0, l22, l32, 0, 0, l33;
    out.c.template head<3>() = root * (lt * strain.template head<3>());
    out.c.template tail<3>() = root * shear * strain.template tail<3>();
    if constexpr (Order >= 1) {
        out.jacobian.template topRows<3>() = root * (lt * rate.template topRows<3>());
        out.jacobian.template bottomRows<3>() = root * shear * rate.template bottomRows<3>();
    }
    return out;
}

struct TetParams {
    Real young = 1e5, poisson = 0.3;
    template <class V> static void fields(TetParams& p, V&& v) {
        v("young", p.young, Field{.min = 0, .min_exclusive = true, .unit = "Pa", .doc = "Young's modulus"});
        v("poisson", p.poisson,
          Field{.min = -1, .max = 0.5, .min_exclusive = true, .max_exclusive = true, .doc = "Poisson's ratio"});
    }
};
struct TetData {
    TetShape shape;
    Real mu, lambda; // [Pa]
};

// Elements for the tests: general, inverted, flat, rotated, at rest, compressed. Nowhere s_1 + s_2 < 0.3, where the nearest
// rotation, and with it every material that uses it, turns fast or jumps.
struct TetSample {
    TetShape shape;
    std::array<Vec3, 4> x;
};
inline constexpr int kTetSamples = 6;
TetSample sample_tet(Rng&, int which, bool inverts);

// What isotropic materials share. E supplies psi(mu, lambda, F), stress(...), principal(mu, lambda, s) and
// `inverts` = whether it is defined for det F <= 0; where not, psi is infinite and a line search never gets there.
template <class E> struct TetIsotropic {
    static constexpr Share share = Share::elastic;
    static constexpr int points = 4;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    static constexpr bool inverts = true;
    static constexpr int sample_kinds = kTetSamples;
    using Params = TetParams;
    using Data = TetData;

    template <class V> static void fields(TetParams& p, V&& v) { TetParams::fields(p, v); }
    static Lame lame(const TetParams& p) { return make_lame(p.young, p.poisson); }
    template <class P> static TetData prepare(const P& p, const RestView& rest) {
        const Lame l = E::lame(p);
        return {make_tet_shape(vec(rest.x[0]), vec(rest.x[1]), vec(rest.x[2]), vec(rest.x[3])), l.mu, l.lambda};
    }
    template <int Order> static Local<12, Order> eval(const TetData& d, const StepContext&, const Stencil<4>& s) {
        return eval_with<Order>(inverse_of(d.shape), d, s);
    }
    template <int Order> static Local<12, Order> eval_with(const Mat3& inverse, const TetData& d, const Stencil<4>& s) {
        Local<12, Order> out;
        if (d.shape.volume == 0) return out;
        const Mat3 F = deformation(inverse, s.x);
        out.value = d.shape.volume * E::psi(d.mu, d.lambda, F);
        if constexpr (Order >= 1) out.gradient = tet_gradient(inverse, d.shape.volume, E::stress(d.mu, d.lambda, F));
        if constexpr (Order >= 2) {
            const Svd3 svd = compute_svd(F);
            out.hessian = tet_hessian(inverse, d.shape.volume, svd.U, svd.V, E::principal(d.mu, d.lambda, svd.sigma));
        }
        return out;
    }
    static MatN<12> hessian_psd(const TetData& d, const StepContext&, const Stencil<4>& s) {
        return hessian_psd_with(inverse_of(d.shape), d, s);
    }
    static MatN<12> hessian_psd_with(const Mat3& inverse, const TetData& d, const Stencil<4>& s) {
        if (d.shape.volume == 0) return MatN<12>::Zero();
        const Svd3 svd = compute_svd(deformation(inverse, s.x));
        PrincipalStiffness k = E::principal(d.mu, d.lambda, svd.sigma);
        clamp_principal(k);
        return tet_hessian(inverse, d.shape.volume, svd.U, svd.V, k);
    }
    static bool is_inverted(const TetData& d, const Stencil<4>& s) {
        return d.shape.volume > 0 && deformation(inverse_of(d.shape), s.x).determinant() <= 0;
    }
    static Sample<E> sample(Rng& rng, int which) {
        const TetSample t = sample_tet(rng, which, E::inverts);
        Sample<E> out{{t.shape, draw_uniform(rng, 1, 10), draw_uniform(rng, 1, 20)}, {}};
        out.at.x = t.x;
        return out;
    }
};

} // namespace sinew
