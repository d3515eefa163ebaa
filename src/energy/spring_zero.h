// Zero-length spring between two points (spec P11).  E = 1/2 k |x1 - x0|^2,  damper f = -c (v1 - v0)
//   k [N/m], c [N s/m]; in steps of implicit Euler the damper is c/(2 h) |d - d_now|^2, d = x1 - x0 (viscous.h)
#pragma once
#include "energy/spring_block.h"

namespace sinew {

struct SpringZero {
    static constexpr std::string_view name = "spring_zero";
    static constexpr std::string_view doc = "zero-length spring between two points";
    static constexpr Share share = Share::elastic;
    static constexpr int points = 2;
    static constexpr bool pair = true;
    static constexpr bool translation_invariant = true, rotation_invariant = true;
    struct Params {
        Real stiffness = 1000;
        Real damping = 0;
    };
    struct Data {
        Real stiffness, damping;
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "stiffness"});
        v("damping", p.damping, Field{.min = 0, .unit = "N s/m", .doc = "damping of the relative velocity"});
    }
    static Data prepare(const Params& p, const RestView&) { return {p.stiffness, p.damping}; }
    template <int Order> static Local<6, Order> eval(const Data& d, const StepContext& c, const Stencil<2>& s) {
        Local<6, Order> out;
        const Vec3 e = s.x[1] - s.x[0];
        const Real drag = has_viscous_potential(c) ? d.damping / c.elapsed : 0;
        const Vec3 change = drag > 0 ? Vec3(e - (c.x_start(1) - c.x_start(0))) : Vec3(Vec3::Zero());
        out.value = 0.5 * d.stiffness * e.squaredNorm() + 0.5 * drag * change.squaredNorm();
        if constexpr (Order >= 1) {
            const Vec3 g = d.stiffness * e + drag * change;
            out.gradient << -g, g;
        }
        if constexpr (Order >= 2) out.hessian = pair_block((d.stiffness + drag) * Mat3::Identity());
        return out;
    }
    static constexpr int root_rows = 3;
    template <int Order> static LocalRows<3, 6, Order> root(const Data& d, const StepContext&, const Stencil<2>& s) {
        LocalRows<3, 6, Order> out;
        const Real root = std::sqrt(d.stiffness);
        out.c = root * (s.x[1] - s.x[0]);
        if constexpr (Order >= 1) out.jacobian << -root * Mat3::Identity(), root * Mat3::Identity();
        return out;
    }
    static Real root_damping(const Data& d) { return damper_time(d.damping, d.stiffness); }
    template <int Order> static LocalForce<6, Order> force(const Data& d, const StepContext& c, const Stencil<2>& s) {
        LocalForce<6, Order> out;
        if (has_viscous_potential(c)) return out;
        const Vec3 f = -d.damping * (s.v[1] - s.v[0]);
        out.force << -f, f;
        if constexpr (Order >= 1) out.dfdv = pair_block(-d.damping * Mat3::Identity());
        return out;
    }
    static Sample<SpringZero> sample(Rng& rng, int) {
        Sample<SpringZero> out{{draw_uniform(rng, 1, 1e3), draw_uniform(rng, 0, 10)}, {}};
        out.at.x = {draw_vec(rng, -1, 1), draw_vec(rng, -1, 1)};
        return out;
    }
};

} // namespace sinew
