// Stretching of a rod's edge.  E = 1/2 EA (l/L - 1)^2 L, l = |x1 - x0|, L rest length [m]; the axial spring of
// spring_block.h with k = EA/L. Viscosity by the Rayleigh analogy: the length l' at the start of the step is the rest length
// of a second such spring with 3 mu A/dt instead of EA; within steps only, and from the second one on (see
// rod_bend_twist.h). Explicit steps have the damper 3 mu A/L along the edge as a force.
#pragma once
#include "energy/energy.h"
#include "energy/spring_block.h"

namespace sinew {

struct RodStretch {
    static constexpr std::string_view name = "rod_stretch";
    static constexpr std::string_view doc = "stretching of a rod's edge, with viscosity";
    static constexpr Share share = Share::elastic;
    static constexpr int points = 2;
    static constexpr bool pair = true;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    static constexpr int memory_size = 1; // length at the end of the step, 0 = none yet
    static constexpr int sample_kinds = 3;
    struct Params {
        Real stiffness = 100, viscosity = 0;
    };
    struct Data {
        Real stiffness, viscosity, rest_length; // EA/L [N/m], 3 mu A/L [N s/m], L [m]
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N", .doc = "EA: force at strain 1"});
        v("viscosity", p.viscosity, Field{.min = 0, .unit = "N s", .doc = "force at strain rate 1/s"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        const Real l = (vec(rest.x[1]) - vec(rest.x[0])).norm();
        return l > 0 ? Data{p.stiffness / l, p.viscosity / l, l} : Data{0, 0, 0};
    }
    static bool is_viscous(const Data& d, const StepContext& c) { return c.elapsed > 0 && d.viscosity > 0 && c.memory && c.memory[0] > 0; }
    template <int Order> static Local<6, Order> eval(const Data& d, const StepContext& c, const Stencil<2>& s) {
        Local<6, Order> out = axial_spring<Order>(d.stiffness, d.rest_length, s);
        if (!is_viscous(d, c)) return out;
        const Local<6, Order> drag = axial_spring<Order>(d.viscosity / c.elapsed, c.memory[0], s);
        out.value += drag.value;
        if constexpr (Order >= 1) out.gradient += drag.gradient;
        if constexpr (Order >= 2) out.hessian += drag.hessian;
        return out;
    }
    static MatN<6> hessian_psd(const Data& d, const StepContext& c, const Stencil<2>& s) {
        if (!is_viscous(d, c)) return axial_spring_psd(d.stiffness, d.rest_length, s);
        // the two together are one axial spring: clamped as a whole
        const Real drag = d.viscosity / c.elapsed, sum = d.stiffness + drag;
        return axial_spring_psd(sum, (d.stiffness * d.rest_length + drag * c.memory[0]) / sum, s);
    }
    static constexpr int root_rows = 2; // elastic, viscous
    template <int Order> static LocalRows<2, 6, Order> root(const Data& d, const StepContext& c, const Stencil<2>& s) {
        LocalRows<2, 6, Order> out;
        const auto add = [&](int row, Real k, Real rest) {
            const auto one = axial_root<Order>(k, rest, s);
            out.c[row] = one.c[0];
            if constexpr (Order >= 1) out.jacobian.row(row) = one.jacobian;
        };
        add(0, d.stiffness, d.rest_length);
        if (is_viscous(d, c)) add(1, d.viscosity / c.elapsed, c.memory[0]);
        return out;
    }
    static constexpr bool explicit_force = true;
    template <int Order> static LocalForce<6, Order> force(const Data& d, const StepContext& c, const Stencil<2>& s) {
        if (c.elapsed > 0) return {};
        return axial_damper<Order>(d.viscosity, s);
    }
    static void finish(const Data&, const StepContext&, const Stencil<2>& s, Real* memory) { memory[0] = (s.x[1] - s.x[0]).norm(); }
    static Sample<RodStretch> sample(Rng& rng, int which) {
        const Real rest = draw_uniform(rng, 0.5, 2);
        return {{draw_uniform(rng, 1, 1e3), draw_uniform(rng, 0, 10), rest}, sample_axial(rng, which, rest)};
    }
};

} // namespace sinew
