// Spring normalised by strain (spec P13-P16): resolution independent.
//   E = 1/2 k_s r (l/r - 1)^2,  f = [ k_s (l/r - 1) + k_d (w . n)/r ] n
//   k_s [N] = E A of a bar, k_d [N s], r rest length [m], w relative velocity of the ends
// Is the axial spring with k = k_s/r and damper c = k_d/r; r = 0 is refused when a scene is compiled (use spring_zero).
#pragma once
#include "energy/spring_block.h"

namespace sinew {

struct SpringStrain {
    static constexpr std::string_view name = "spring_strain";
    static constexpr std::string_view doc = "spring normalised by strain, stiffness in N, independent of resolution";
    static constexpr Share share = Share::elastic;
    static constexpr int points = 2;
    static constexpr bool pair = true;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    static constexpr int sample_kinds = 3;
    struct Params {
        Real stiffness = 100;
        Real damping = 0;
    };
    struct Data {
        Real stiffness, damping, rest_length; // [N/m], [N s/m], [m]
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N", .doc = "force at strain 1 (E A of a bar)"});
        v("damping", p.damping, Field{.min = 0, .unit = "N s", .doc = "force at strain rate 1/s"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        const Real r = (vec(rest.x[1]) - vec(rest.x[0])).norm();
        return r > 0 ? Data{p.stiffness / r, p.damping / r, r} : Data{0, 0, 0};
    }
    template <int Order> static Local<6, Order> eval(const Data& d, const StepContext& c, const Stencil<2>& s) {
        return damped_spring<Order>(d.stiffness, d.damping, d.rest_length, c, s);
    }
    static MatN<6> hessian_psd(const Data& d, const StepContext& c, const Stencil<2>& s) {
        return damped_spring_psd(d.stiffness, d.damping, d.rest_length, c, s);
    }
    static MatN<6> hessian_gauss_newton(const Data& d, const StepContext& c, const Stencil<2>& s) {
        return damped_spring_gauss_newton(d.stiffness, d.damping, c, s);
    }
    static constexpr int root_rows = 1;
    template <int Order> static LocalRows<1, 6, Order> root(const Data& d, const StepContext&, const Stencil<2>& s) {
        return axial_root<Order>(d.stiffness, d.rest_length, s);
    }
    static Real root_damping(const Data& d) { return damper_time(d.damping, d.stiffness); }
    template <int Order> static LocalForce<6, Order> force(const Data& d, const StepContext& c, const Stencil<2>& s) {
        if (has_viscous_potential(c)) return {};
        return axial_damper<Order>(d.damping, s);
    }
    static Sample<SpringStrain> sample(Rng& rng, int which) {
        const Real rest = draw_uniform(rng, 0.5, 2);
        return {{draw_uniform(rng, 1, 1e3), draw_uniform(rng, 0, 10), rest}, sample_axial(rng, which, rest)};
    }
};

} // namespace sinew
