// Soft pin of a point to a place in the world (anchored spring, spec P11).
//   E = 1/2 k |x - a|^2,  f = -c v;   a anchor [m], k [N/m], c [N s/m]
// With rest length L > 0: E = 1/2 k (|x - a| - L)^2.
#pragma once
#include "energy/spring_block.h"

namespace sinew {

struct Attach {
    static constexpr std::string_view name = "attach";
    static constexpr std::string_view doc = "soft pin of a point to a place in the world";
    static constexpr Share share = Share::elastic;
    static constexpr int points = 1;
    static constexpr bool zero_at_rest = true;
    static constexpr int sample_kinds = 2; // zero length, with rest length
    struct Params {
        Real stiffness = 1000;
        Real damping = 0;
        Real length = 0;
        std::optional<Real3> to; // anchor; default: where the point rests
    };
    struct Data {
        Real stiffness, damping, length;
        Real3 anchor;
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "stiffness"});
        v("damping", p.damping, Field{.min = 0, .unit = "N s/m", .doc = "damping of the velocity"});
        v("length", p.length, Field{.min = 0, .unit = "m", .doc = "rest length"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        return {p.stiffness, p.damping, p.length, p.to ? *p.to : rest.x[0]};
    }
    template <int Order> static Local<3, Order> eval(const Data& d, const StepContext&, const Stencil<1>& s) {
        Local<3, Order> out;
        const Vec3 e = s.x[0] - vec(d.anchor);
        const Real l = e.norm(), stretch = l - d.length;
        const bool smooth = l > 0 && d.length > 0;
        out.value = 0.5 * d.stiffness * stretch * stretch;
        if constexpr (Order >= 1) {
            if (d.length == 0) out.gradient = d.stiffness * e;
            else if (l > 0) out.gradient = d.stiffness * stretch / l * e;
        }
        if constexpr (Order >= 2) {
            const Vec3 n = smooth ? Vec3(e / l) : Vec3::UnitX();
            const Real transverse = smooth ? 1 - d.length / l : (d.length == 0 ? 1 : 0);
            const Mat3 nn = n * n.transpose();
            out.hessian = d.stiffness * (nn + transverse * (Mat3::Identity() - nn));
        }
        return out;
    }
    static constexpr int root_rows = 3; // the last two are zero where there is a rest length
    template <int Order> static LocalRows<3, 3, Order> root(const Data& d, const StepContext&, const Stencil<1>& s) {
        LocalRows<3, 3, Order> out;
        const Vec3 e = s.x[0] - vec(d.anchor);
        const Real l = e.norm(), root = std::sqrt(d.stiffness);
        if (d.length == 0) out.c = root * e;
        else out.c[0] = root * (l - d.length);
        if constexpr (Order >= 1) {
            if (d.length == 0) out.jacobian = root * Mat3::Identity();
            else if (l > 0) out.jacobian.row(0) = root / l * e.transpose();
        }
        return out;
    }
    // the damper acts on all of the velocity, the row with a rest length on a part of it
    static Real root_damping(const Data& d) { return damper_time(d.damping, d.length == 0 ? d.stiffness : 0); }
    template <int Order> static LocalForce<3, Order> force(const Data& d, const StepContext&, const Stencil<1>& s) {
        LocalForce<3, Order> out;
        out.force = -d.damping * s.v[0];
        if constexpr (Order >= 1) out.dfdv = -d.damping * Mat3::Identity();
        return out;
    }
    static Sample<Attach> sample(Rng& rng, int which) {
        Sample<Attach> out{{draw_uniform(rng, 1, 1e3), draw_uniform(rng, 0, 10), which ? draw_uniform(rng, 0.1, 1) : 0,
                            real3(draw_vec(rng, -1, 1))}, {}};
        out.at.x[0] = vec(out.data.anchor) + draw_uniform(rng, 0.1, 2) * draw_direction(rng);
        return out;
    }
};

} // namespace sinew
