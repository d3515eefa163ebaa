// General linear stress-strain law in Green's strain (spec P51): psi = 1/2 e^T C e
//   e = (E11, E22, E33, 2 E23, 2 E13, 2 E12) of E = 1/2 (F^T F - I),  C the symmetric 6 x 6 stiffness [Pa]
//   dE/dx = V B^T C e,  Hessian V (B^T C B + sum S_kl g_n[k] g_m[l] I),  B = de/dx,  S = C e as a matrix
// C by nine engineering constants of an orthotropic material along two axes, or all of it: 21 numbers (upper triangle, row by
// row) or 36. An isotropic C gives tet_stvk. Projection of the element matrix by its eigenvalues.
#pragma once
#include "energy/tet.h"

namespace sinew {

struct TetAnisotropic {
    static constexpr std::string_view name = "tet_anisotropic";
    static constexpr std::string_view doc = "tetrahedron with any linear stiffness in Green's strain, such as wood or muscle";
    static constexpr Share share = Share::elastic;
    static constexpr int points = 4;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    static constexpr int sample_kinds = kTetSamples;
    struct Params {
        Real3 young{1e5, 1e5, 1e5}, poisson{0.3, 0.3, 0.3}, shear{0, 0, 0};
        Real3 axis{1, 0, 0}, second_axis{0, 1, 0};
        std::vector<double> stiffness;
    };
    struct Data {
        TetShape shape;
        std::array<Real, 21> stiffness; // upper triangle of C, row by row
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("young", p.young, Field{.min = 0, .min_exclusive = true, .unit = "Pa", .doc = "moduli along the three axes"});
        v("poisson", p.poisson, Field{.min = -2, .max = 2, .doc = "ratios 12, 23, 13: contraction along the second digit when "
                                                                   "pulled along the first"});
        v("shear", p.shear, Field{.min = 0, .unit = "Pa", .doc = "shear moduli 23, 13, 12; 0 = that of an isotropic material "
                                                                 "with the first modulus and ratio"});
        v("axis", p.axis, Field{.doc = "first axis of the material, in the world at rest"});
        v("second_axis", p.second_axis, Field{.doc = "direction in the plane of the first two axes"});
        v("stiffness", p.stiffness, Field{.unit = "Pa", .doc = "all of C along the axes: 21 or 36 numbers, instead of moduli"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        Data d{make_tet_shape(vec(rest.x[0]), vec(rest.x[1]), vec(rest.x[2]), vec(rest.x[3])), {}};
        pack(stiffness_of(p), d);
        return d;
    }
    template <int Order> static Local<12, Order> eval(const Data& d, const StepContext&, const Stencil<4>& s) {
        Local<12, Order> out;
        if (d.shape.volume == 0) return out;
        const Mat3 inverse = inverse_of(d.shape), F = deformation(inverse, s.x);
        const MatN<6> C = unpack(d);
        const VecN<6> e = green_strain(F), stress = C * e;
        out.value = 0.5 * d.shape.volume * e.dot(stress);
        if constexpr (Order >= 1) out.gradient = tet_gradient(inverse, d.shape.volume, F * stress_matrix(stress));
        if constexpr (Order >= 2) out.hessian = hessian(inverse, d.shape.volume, C, stress, strain_rows(inverse, F));
        return out;
    }
    static bool is_inverted(const Data& d, const Stencil<4>& s) {
        return d.shape.volume > 0 && deformation(inverse_of(d.shape), s.x).determinant() <= 0;
    }
    static Sample<TetAnisotropic> sample(Rng&, int which);

    static MatN<6> stiffness_of(const Params&); // along the world's axes at rest; NaN where it does not exist
    static void pack(const MatN<6>&, Data&);
    static MatN<6> unpack(const Data&);
    static MatN<12> hessian(const Mat3& inverse, Real volume, const MatN<6>& C, const VecN<6>& stress, const MatN<6, 12>& B);
};

} // namespace sinew
