// Bending and twisting of a discrete elastic rod at one inner point (Bergou et al. 2008, 2010; spec T 3.9).
//   E = 1/2 (k - k0)^T B (k - k0)/l + 1/2 GJ (m - m0)^2/l        B = diag(EI1, EI2)
//   e, f edges before and behind the point, te, tf their directions, l [m] mean of their rest lengths
//   kb = 2 te x tf/(1 + te.tf)     k1 = 1/2 kb.(m2e + m2f)   k2 = -1/2 kb.(m1e + m1f)   curvature times l
//   m = angle_f - angle_e + r      twist; angle: unknown scalars of the two edges, r: twist of the reference frames
// Material frames m1 = cos d1 + sin d2, m2 = -sin d1 + cos d2 turn by the angle from the reference frames (d1, d2, t).
//
// Reference frames are carried along in time: d1(t) = P(t0 -> t) d1(t0) with P the smallest rotation that turns t0 into
// t; (t0, d1(t0)) is that of the end of the last accepted step and lives in State.memory. Within the step E is thus a
// plain function of positions and angles, and its derivatives are exact: to the formulas of Bergou (frames carried along
// the path of t) comes the angle between P(t0 -> t + dt) and P(t -> t + dt) P(t0 -> t), the area of a spherical
// triangle:   dpsi/de = -(t0 x t)/(|e| (1 + t0.t)),   dE/de += dE/dangle_e dpsi/de.
// r is the angle from the space-parallel d1e to d1f, with as many turns as at the start of the step.
// Turned as a whole, the element keeps its energy only if the angles follow (see docs/theory/rod.md): torques on points
// and angles balance together.
//
// Viscosity by the Rayleigh analogy: the strains k', m' at the start of the step are rest values of a second energy with
// 3 mu I/dt, mu J/dt instead of EI, GJ; both are evaluated as one, with the sum of the stiffnesses. It acts within steps
// only (dt > 0), not in the report, and from the second step on, when the memory holds k' and m'. As a potential and not
// as a force: lagged forces (solver/objective.h) that are stiffer than the rod lead Newton's method astray. Explicit steps have the
// force -sum_k c_k dC_k/dt grad C_k instead, C = (k1, k2, m), c = (3 mu I1, 3 mu I2, mu J)/l.
// The Hessian differentiates the gradient by forward automatic differentiation in the eight variables e, f, angles.
#pragma once
#include "energy/energy.h"
#include "energy/rod_curvature.h"
#include <algorithm>

namespace sinew {

struct RodBendTwist {
    static constexpr std::string_view name = "rod_bend_twist";
    static constexpr std::string_view doc = "bending and twisting of a rod between two edges, with natural curvature and twist";
    static constexpr Share share = Share::elastic;
    static constexpr int points = 3, scalars = 2;
    static constexpr bool translation_invariant = true;
    static constexpr int memory_size = 16; // (t, d1) of both edges, r; k1, k2, m at the end of the step
    static constexpr int sample_kinds = 3; // general, nearly straight, far from the reference frames
    struct Params {
        Real bend1 = 1e-4, bend2 = 1e-4, twist = 1e-4;
        Real viscosity_bend1 = 0, viscosity_bend2 = 0, viscosity_twist = 0;
        Real curvature1 = 0, curvature2 = 0, natural_twist = 0;
        Real3 director0, director1; // zero = any
        bool natural_shape = false;
    };
    struct Data {
        Real stiffness[3];  // EI1/l, EI2/l, GJ/l [N m]
        Real viscosity[3];  // [N m s] 3 mu I1/l, 3 mu I2/l, mu J/l
        Real natural[3];    // k1, k2 and m without force [rad]
        Real frame[13];     // reference frames at the start: te d1e tf d1f r
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("bend1", p.bend1, Field{.min = 0, .unit = "N m^2", .doc = "EI of bending towards the first director"});
        v("bend2", p.bend2, Field{.min = 0, .unit = "N m^2", .doc = "EI of bending towards the second director"});
        v("twist", p.twist, Field{.min = 0, .unit = "N m^2", .doc = "GJ"});
        v("viscosity_bend1", p.viscosity_bend1, Field{.min = 0, .unit = "N m^2 s", .doc = "damping of bending towards the first director"});
        v("viscosity_bend2", p.viscosity_bend2, Field{.min = 0, .unit = "N m^2 s", .doc = "damping of bending towards the second director"});
        v("viscosity_twist", p.viscosity_twist, Field{.min = 0, .unit = "N m^2 s", .doc = "damping of twisting"});
        v("curvature1", p.curvature1, Field{.unit = "1/m", .doc = "natural curvature towards the first director"});
        v("curvature2", p.curvature2, Field{.unit = "1/m", .doc = "natural curvature towards the second director"});
        v("natural_twist", p.natural_twist, Field{.unit = "1/m", .doc = "natural twist in radians per length"});
        v("director0", p.director0, Field{.doc = "first director of the edge before the point; zero = any"});
        v("director1", p.director1, Field{.doc = "first director of the edge behind the point; zero = the other's, carried along"});
        v("natural_shape", p.natural_shape, Field{.doc = "the rest shape is free of forces; otherwise the natural curvature is"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        const Vec3 e = vec(rest.x[1]) - vec(rest.x[0]), f = vec(rest.x[2]) - vec(rest.x[1]);
        const Real l = 0.5 * (e.norm() + f.norm());
        Data d{};
        if (!(e.norm() > 0) || !(f.norm() > 0)) return d; // refused when a scene is compiled
        const Real stiffness[3] = {p.bend1, p.bend2, p.twist};
        const Real viscosity[3] = {p.viscosity_bend1, p.viscosity_bend2, p.viscosity_twist};
        const Real natural[3] = {p.curvature1, p.curvature2, p.natural_twist};
        for (int k = 0; k < 3; ++k) {
            d.stiffness[k] = stiffness[k] / l;
            d.viscosity[k] = viscosity[k] / l;
            d.natural[k] = natural[k] * l;
        }
        place_rod_frames(e.normalized(), f.normalized(), vec(p.director0), vec(p.director1), d.frame);
        if (p.natural_shape) {
            const RodStrain s = rod_strain(d.frame, e, f, 0, 0);
            for (int k = 0; k < 3; ++k) d.natural[k] = s.value[k];
        }
        return d;
    }
    static bool has_memory(const StepContext& c) { // it begins with zeros, and a direction has length one
        return c.memory && c.memory[0] * c.memory[0] + c.memory[1] * c.memory[1] + c.memory[2] * c.memory[2] > 0;
    }
    static const Real* frame_of(const Data& d, const StepContext& c) {
        return has_memory(c) ? c.memory : d.frame;
    }

    // elastic and viscous part together: stiffness and rest value of their sum; adds the energy
    static void combine(const Data& d, const StepContext& c, const RodStrain& strain, Real* stiffness, Real* natural, Real& value) {
        for (int k = 0; k < 3; ++k) {
            const Real g = strain.value[k] - d.natural[k];
            value += 0.5 * d.stiffness[k] * g * g;
            stiffness[k] = d.stiffness[k];
            natural[k] = d.natural[k];
            if (!(c.elapsed > 0 && d.viscosity[k] > 0 && has_memory(c))) continue;
            const Real drag = d.viscosity[k] / c.elapsed, before = c.memory[13 + k], change = strain.value[k] - before;
            value += 0.5 * drag * change * change;
            stiffness[k] += drag;
            natural[k] = (d.stiffness[k] * d.natural[k] + drag * before) / stiffness[k];
        }
    }
    static constexpr int root_rows = 3; // both curvatures and the twist; the energy but for a constant where it is viscous
    template <int Order> static LocalRows<3, 11, Order> root(const Data& d, const StepContext& c, const Stencil<3, 0, 2>& s) {
        LocalRows<3, 11, Order> out;
        const Vec3 e = s.x[1] - s.x[0], f = s.x[2] - s.x[1];
        const Real* frame = frame_of(d, c);
        const RodStrain strain = rod_strain(frame, e, f, s.s[0], s.s[1]);
        Real stiffness[3], natural[3], value = 0;
        combine(d, c, strain, stiffness, natural, value);
        for (int k = 0; k < 3; ++k) out.c[k] = std::sqrt(stiffness[k]) * (strain.value[k] - natural[k]);
        if constexpr (Order >= 1) {
            RodGradient j;
            rod_gradient(frame, e, f, s.s[0], s.s[1], j);
            for (int k = 0; k < 3; ++k) out.jacobian.row(k) = std::sqrt(stiffness[k]) * spread_rod(j.row[k]).transpose();
        }
        return out;
    }

    template <int Order> static Local<11, Order> eval(const Data& d, const StepContext& c, const Stencil<3, 0, 2>& s) {
        const Vec3 e = s.x[1] - s.x[0], f = s.x[2] - s.x[1];
        const Real* frame = frame_of(d, c);
        Local<11, Order> out;
        const RodStrain strain = rod_strain(frame, e, f, s.s[0], s.s[1]);
        Real stiffness[3], natural[3];
        combine(d, c, strain, stiffness, natural, out.value);
        if constexpr (Order == 1) {
            RodGradient j;
            rod_gradient(frame, e, f, s.s[0], s.s[1], j);
            Real g[8] = {};
            for (int k = 0; k < 3; ++k)
                for (int i = 0; i < 8; ++i) g[i] += stiffness[k] * (strain.value[k] - natural[k]) * j.row[k][i];
            out.gradient = spread_rod(g);
        }
        if constexpr (Order >= 2) rod_hessian(stiffness, natural, frame, e, f, s.s[0], s.s[1], strain, out.gradient, out.hessian);
        return out;
    }
    static constexpr bool explicit_force = true;
    template <int Order> static LocalForce<11, Order> force(const Data& d, const StepContext& c, const Stencil<3, 0, 2>& s) {
        LocalForce<11, Order> out;
        if (c.elapsed > 0 || !(d.viscosity[0] > 0 || d.viscosity[1] > 0 || d.viscosity[2] > 0)) return out;
        const Vec3 e = s.x[1] - s.x[0], f = s.x[2] - s.x[1];
        const Real* frame = frame_of(d, c);
        VecN<11> v;
        v << s.v[0], s.v[1], s.v[2], s.ds[0], s.ds[1];
        RodGradient j;
        rod_gradient(frame, e, f, s.s[0], s.s[1], j);
        const RodStrain strain = rod_strain(frame, e, f, s.s[0], s.s[1]);
        for (int k = 0; k < 3; ++k) {
            const VecN<11> row = spread_rod(j.row[k]);
            const Real rate = row.dot(v);
            out.force -= d.viscosity[k] * rate * row;
            if constexpr (Order >= 1) {
                // the Hessian of C_k is that of 1/2 (C_k - C_k(x) + 1)^2 at x without the square of its gradient
                Real stiffness[3] = {}, natural[3] = {};
                stiffness[k] = 1, natural[k] = strain.value[k] - 1;
                VecN<11> g;
                MatN<11> h;
                rod_hessian(stiffness, natural, frame, e, f, s.s[0], s.s[1], strain, g, h);
                h -= row * row.transpose();
                out.dfdv -= d.viscosity[k] * row * row.transpose();
                out.dfdx -= d.viscosity[k] * (row * (v.transpose() * h) + rate * h);
            }
        }
        return out;
    }
    static void finish(const Data& d, const StepContext& c, const Stencil<3, 0, 2>& s, Real* memory) {
        const Vec3 e = s.x[1] - s.x[0], f = s.x[2] - s.x[1];
        Real moved[13];
        move_rod_frames(frame_of(d, c), e, f, moved);
        const RodStrain strain = rod_strain(moved, e, f, s.s[0], s.s[1]);
        std::copy_n(moved, 13, memory);
        std::copy_n(strain.value, 3, memory + 13);
    }
    static Sample<RodBendTwist> sample(Rng& rng, int which) {
        Params p;
        p.bend1 = draw_uniform(rng, 0.5, 2), p.bend2 = draw_uniform(rng, 0.5, 2), p.twist = draw_uniform(rng, 0.5, 2);
        p.viscosity_bend1 = draw_uniform(rng, 0, 1), p.viscosity_bend2 = draw_uniform(rng, 0, 1), p.viscosity_twist = draw_uniform(rng, 0, 1);
        p.curvature1 = draw_uniform(rng, -1, 1), p.curvature2 = draw_uniform(rng, -1, 1), p.natural_twist = draw_uniform(rng, -1, 1);
        p.director0 = real3(draw_direction(rng));
        p.director1 = real3(draw_direction(rng));
        // edges of about unit length that turn by at most about 70 degrees, and reference frames at other edges
        const Vec3 t = draw_direction(rng);
        const Real turn = which == 1 ? 1e-4 : 0.5, away = which == 2 ? 0.8 : 0.3;
        const auto edges = [&](Real far) {
            std::array<Real3, 3> x{};
            const Vec3 base = t + far * draw_direction(rng);
            vec(x[1]) = vec(x[0]) + draw_uniform(rng, 0.7, 1.3) * (base + turn * draw_vec(rng, -0.5, 0.5));
            vec(x[2]) = vec(x[1]) + draw_uniform(rng, 0.7, 1.3) * (base + turn * draw_vec(rng, -0.5, 0.5));
            return x;
        };
        const std::array<Real3, 3> rest = edges(0), now = edges(away);
        Sample<RodBendTwist> out;
        out.data = prepare(p, RestView{rest, {}, {}, {}});
        for (int i = 0; i < 3; ++i) out.at.x[i] = vec(now[i]);
        out.at.s = {draw_uniform(rng, -2, 2), draw_uniform(rng, -2, 2)};
        return out;
    }
};

} // namespace sinew
