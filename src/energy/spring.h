// Spring by length difference (spec P12).  E = 1/2 k (l - L)^2,  l = |x1 - x0|
//   k stiffness [N/m], L rest length [m], n = (x1 - x0)/l
//   Hessian block  K = k [ n n^T + (1 - L/l)(I - n n^T) ];  projected: (1 - L/l) replaced by max(0, 1 - L/l)
// Splitting one such spring in two halves the force: use spring_strain where resolution must not matter.
// At l = 0 the direction is undefined: the force is taken as 0, the Hessian as k n n^T with n = e_x.
#pragma once
#include "energy/energy.h"
#include "energy/spring_block.h"

namespace sinew {

struct Spring {
    static constexpr std::string_view name = "spring";
    static constexpr std::string_view doc = "spring by length difference, stiffness in N/m";
    static constexpr Share share = Share::elastic;
    static constexpr int points = 2;
    static constexpr bool pair = true;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    static constexpr int sample_kinds = 3; // general, strongly compressed, nearly rest length
    struct Params {
        Real stiffness = 1000;
        Real damping = 0;
    };
    struct Data {
        Real stiffness, damping, rest_length;
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "axial stiffness"});
        v("damping", p.damping, Field{.min = 0, .unit = "N s/m", .doc = "axial damping"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        return {p.stiffness, p.damping, (vec(rest.x[1]) - vec(rest.x[0])).norm()};
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
    static Sample<Spring> sample(Rng& rng, int which) {
        const Real rest = draw_uniform(rng, 0.5, 2);
        return {{draw_uniform(rng, 1, 1e3), draw_uniform(rng, 0, 10), rest}, sample_axial(rng, which, rest)};
    }
};

} // namespace sinew
