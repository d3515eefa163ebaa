// Rayleigh damping of tetrahedra, the part proportional to stiffness (spec P43): D = a K.
//   f = -V B^T (a C) de/dt,  de/dt = B v,  B = d(strain)/dx at the deformed place;   power -a V (de/dt)^T C de/dt <= 0
// At rest this is a K exactly, for every material with the stiffness C of Hooke's law, so that a mode of frequency w is damped
// with the ratio a w/2. Deformed, the matrix a K would also brake rotations of a stressed body and take its stiffness away
// where it is indefinite; the viscous stress a C de/dt of Green's strain (Kelvin and Voigt) does neither: no torque, no force on
// a rigid motion, always dissipative. The part proportional to mass, f = -b m v, is `drag` with the coefficient b m.
// In steps of implicit Euler it is the potential V/(2 h) (e - e_now)^T (a C) (e - e_now), e_now the strain at their start (viscous.h):
// force -V B^T a C (e - e_now)/h, Hessian as that of tet_anisotropic with a C/h.
#pragma once
#include "energy/tet_anisotropic.h"
#include "energy/viscous.h"

namespace sinew {

struct TetViscous {
    static constexpr std::string_view name = "tet_viscous";
    static constexpr std::string_view doc = "viscous stress of a tetrahedron: damping proportional to stiffness";
    static constexpr Share share = Share::elastic;
    static constexpr int points = 4;
    static constexpr bool translation_invariant = true, rotation_invariant = true;
    static constexpr int sample_kinds = kTetSamples;
    struct Params {
        Real time = 0.01;
        Real young = 1e5, poisson = 0.3;
        bool linear = false;
        std::vector<double> stiffness;
    };
    struct Data {
        TetShape shape;
        std::array<Real, 21> viscosity; // [Pa s] upper triangle of a C, row by row
        std::int64_t linear;            // rates of Cauchy's strain
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("time", p.time, Field{.min = 0, .unit = "s", .doc = "a of D = a K"});
        v("young", p.young, Field{.min = 0, .min_exclusive = true, .unit = "Pa", .doc = "Young's modulus of the material"});
        v("poisson", p.poisson, Field{.min = -1, .max = 0.5, .min_exclusive = true, .max_exclusive = true,
                                      .doc = "Poisson's ratio of the material"});
        v("linear", p.linear, Field{.doc = "rates of Cauchy's strain instead of Green's"});
        v("stiffness", p.stiffness, Field{.unit = "Pa", .doc = "all of C in world axes, 21 or 36 numbers, instead of moduli"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        TetAnisotropic::Data packed{make_tet_shape(vec(rest.x[0]), vec(rest.x[1]), vec(rest.x[2]), vec(rest.x[3])), {}};
        TetAnisotropic::Params all;
        all.stiffness = p.stiffness;
        TetAnisotropic::pack(p.stiffness.empty() ? isotropic_stiffness(make_lame(p.young, p.poisson))
                                                 : TetAnisotropic::stiffness_of(all), packed);
        Data d{packed.shape, packed.stiffness, p.linear};
        for (Real& c : d.viscosity) c *= p.time;
        return d;
    }
    // Green's strain, or Cauchy's, which is linear
    static VecN<6> strain_of(const Data& d, const Mat3& F) {
        if (!d.linear) return green_strain(F);
        VecN<6> e;
        e << F(0, 0) - 1, F(1, 1) - 1, F(2, 2) - 1, F(1, 2) + F(2, 1), F(0, 2) + F(2, 0), F(0, 1) + F(1, 0);
        return e;
    }
    template <int Order> static Local<12, Order> eval(const Data& d, const StepContext& c, const Stencil<4>& s) {
        Local<12, Order> out;
        if (d.shape.volume == 0 || !has_viscous_potential(c)) return out;
        const Mat3 inverse = inverse_of(d.shape), F = deformation(inverse, s.x), one = Mat3::Identity();
        const std::array<Vec3, 4> start{c.x_start(0), c.x_start(1), c.x_start(2), c.x_start(3)};
        const MatN<6> C = TetAnisotropic::unpack({d.shape, d.viscosity}) / c.elapsed;
        const VecN<6> change = strain_of(d, F) - strain_of(d, deformation(inverse, start)), stress = C * change;
        out.value = 0.5 * d.shape.volume * change.dot(stress);
        const Mat3& at = d.linear ? one : F;
        if constexpr (Order >= 1) out.gradient = tet_gradient(inverse, d.shape.volume, at * stress_matrix(stress));
        if constexpr (Order >= 2) {
            const VecN<6> tension = d.linear ? VecN<6>(VecN<6>::Zero()) : stress;
            out.hessian = TetAnisotropic::hessian(inverse, d.shape.volume, C, tension, strain_rows(inverse, at));
        }
        return out;
    }
    template <int Order> static LocalForce<12, Order> force(const Data& d, const StepContext& c, const Stencil<4>& s) {
        LocalForce<12, Order> out;
        if (d.shape.volume == 0 || has_viscous_potential(c)) return out;
        const Mat3 inverse = inverse_of(d.shape), F = d.linear ? Mat3::Identity() : deformation(inverse, s.x);
        const MatN<6, 12> B = strain_rows(inverse, F);
        const MatN<6> C = TetAnisotropic::unpack({d.shape, d.viscosity});
        VecN<12> v;
        v << s.v[0], s.v[1], s.v[2], s.v[3];
        const VecN<6> stress = C * (B * v);
        out.force = -tet_gradient(inverse, d.shape.volume, F * stress_matrix(stress));
        if constexpr (Order >= 1) {
            out.dfdv = -d.shape.volume * (B.transpose() * (C * B).eval());
            // the rate depends on x as the strain does, with dF/dt in the place of F
            if (!d.linear)
                out.dfdx = -TetAnisotropic::hessian(inverse, d.shape.volume, MatN<6>::Zero(), stress, B)
                         - d.shape.volume * (B.transpose() * (C * strain_rows(inverse, deformation(inverse, s.v))).eval());
        }
        return out;
    }
    // rows with the force -J^T J v: J = sqrt(V) L^T B, L L^T = a C
    static constexpr int damper_rows = 6;
    static LocalRows<6, 12, 1> damper(const Data& d, const StepContext&, const Stencil<4>& s) {
        LocalRows<6, 12, 1> out;
        if (d.shape.volume == 0) return out;
        const Mat3 inverse = inverse_of(d.shape), F = d.linear ? Mat3::Identity() : deformation(inverse, s.x);
        const MatN<6> C = TetAnisotropic::unpack({d.shape, d.viscosity});
        MatN<6> l = MatN<6>::Zero();
        for (int j = 0; j < 6; ++j) {
            Real pivot = C(j, j);
            for (int k = 0; k < j; ++k) pivot -= l(j, k) * l(j, k);
            if (!(pivot > 1e-14 * C(j, j))) continue;
            l(j, j) = std::sqrt(pivot);
            for (int i = j + 1; i < 6; ++i) {
                Real v = C(i, j);
                for (int k = 0; k < j; ++k) v -= l(i, k) * l(j, k);
                l(i, j) = v / l(j, j);
            }
        }
        out.jacobian = std::sqrt(d.shape.volume) * (l.transpose() * strain_rows(inverse, F));
        return out;
    }
    static Sample<TetViscous> sample(Rng& rng, int which) {
        const Sample<TetAnisotropic> t = TetAnisotropic::sample(rng, which);
        Sample<TetViscous> out{{t.data.shape, t.data.stiffness, which == 0 && draw_uniform(rng, 0, 1) < 0.5}, {}};
        out.at.x = t.at.x;
        return out;
    }
};

} // namespace sinew
