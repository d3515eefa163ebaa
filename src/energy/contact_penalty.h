// Penalty on the gap of a contact with a given normal (spec P 3.1).
//   gap(x) = n . (x - c) - thickness,   E = 1/2 k min(0, gap)^2
//   damping f = -c_n min(0, n . (v - v_obstacle)) n where the step starts with gap < 0: takes energy only while
//   approaching. Were it switched by the gap at the end, an implicit step that arrives at gap = 0 with some speed would
//   have no solution: without damping it goes in, with it out.
//   n unit normal away from the obstacle, c closest point on it [m], k [N/m], c_n [N s/m]
// Normal and point are frozen at detection, which solvers repeat; the curvature of the obstacle is left out, which
// keeps the Hessian k n n^T positive semi-definite. The unknown is a surface vertex that is a point; vertices fixed in
// frames push the same force through the surface map.
#pragma once
#include "energy/energy.h"

namespace sinew {

struct ContactPenalty {
    static constexpr std::string_view name = "contact_penalty";
    static constexpr std::string_view doc = "penalty force out of an obstacle";
    static constexpr Share share = Share::contact;
    static constexpr int points = 1;
    static constexpr int sample_kinds = 2; // penetrating, clear of the obstacle
    struct Params {
        Real stiffness = 1e4, damping = 0;
        Real thickness = 0;
        Real3 normal{0, 1, 0}, at{}, velocity{};
    };
    struct Data {
        Real stiffness, damping, thickness;
        Real3 normal, at, velocity; // velocity of the obstacle at the contact [m/s]
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "force per depth"});
        v("damping", p.damping, Field{.min = 0, .unit = "N s/m", .doc = "normal damping while approaching"});
    }
    static Data prepare(const Params& p, const RestView&) {
        return {p.stiffness, p.damping, p.thickness, p.normal, p.at, p.velocity};
    }
    static Real gap(const Data& d, const Vec3& x) { return vec(d.normal).dot(x - vec(d.at)) - d.thickness; }

    template <int Order> static Local<3, Order> eval(const Data& d, const StepContext&, const Stencil<1>& s) {
        Local<3, Order> out;
        const Real depth = gap(d, s.x[0]);
        if (depth >= 0) return out;
        out.value = 0.5 * d.stiffness * depth * depth;
        if constexpr (Order >= 1) out.gradient = d.stiffness * depth * vec(d.normal);
        if constexpr (Order >= 2) out.hessian = d.stiffness * vec(d.normal) * vec(d.normal).transpose();
        return out;
    }
    template <int Order> static LocalForce<3, Order> force(const Data& d, const StepContext& c, const Stencil<1>& s) {
        LocalForce<3, Order> out;
        const Vec3 n = vec(d.normal);
        const Real approach = n.dot(s.v[0] - vec(d.velocity));
        if (gap(d, c.x_now ? c.x_start(0) : s.x[0]) >= 0 || approach >= 0) return out;
        out.force = -d.damping * approach * n;
        if constexpr (Order >= 1) out.dfdv = -d.damping * n * n.transpose();
        return out;
    }
    static Sample<ContactPenalty> sample(Rng& rng, int which) {
        Sample<ContactPenalty> out{{draw_uniform(rng, 10, 1e3), draw_uniform(rng, 0, 5), draw_uniform(rng, 0, 0.1),
                                    real3(draw_direction(rng)), real3(draw_vec(rng, -1, 1)), {}}, {}};
        const Vec3 n = vec(out.data.normal);
        const Vec3 side = n.cross(draw_direction(rng));
        const Real depth = which ? 0.5 : -0.3;
        out.at.x[0] = vec(out.data.at) + (out.data.thickness + depth) * n + side;
        out.at.v[0] = -2 * n + side;
        return out;
    }
};

} // namespace sinew
