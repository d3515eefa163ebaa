// Contact of a point and an edge of rods: the vertex-edge penalty of contact_pair.h.
#pragma once
#include "energy/contact_pair.h"
#include "energy/energy.h"

namespace sinew {

struct ContactVertexEdge {
    static constexpr std::string_view name = "contact_vertex_edge";
    static constexpr std::string_view doc = "penalty force between a point and an edge of rods";
    static constexpr Share share = Share::contact;
    static constexpr int points = 3;
    static constexpr bool translation_invariant = true, rotation_invariant = true;
    static constexpr int sample_kinds = 3; // inside, apart, at an end
    struct Params {
        Real stiffness = 1e4, thickness = 0.01;
    };
    using Data = Params;

    template <class V> static void fields(Params& p, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "force per depth"});
        v("thickness", p.thickness, Field{.min = 0, .unit = "m", .doc = "distance below which point and edge push"});
    }
    static Data prepare(const Params& p, const RestView&) { return p; }

    template <int Order> static Local<9, Order> eval(const Data& d, const StepContext&, const Stencil<3>& s) {
        Local<9, Order> out;
        PairPenalty pair;
        compute_vertex_edge_penalty(d.stiffness, d.thickness, s.x, Order, pair);
        out.value = pair.value;
        if constexpr (Order >= 1) out.gradient = pair.gradient.template head<9>();
        if constexpr (Order >= 2) out.hessian = pair.hessian.template topLeftCorner<9, 9>();
        return out;
    }

    static Sample<ContactVertexEdge> sample(Rng& rng, int which) {
        Sample<ContactVertexEdge> out{{draw_uniform(rng, 10, 1e3), 0.3}, {}};
        const Vec3 e0 = draw_vec(rng, -1, 1), along = draw_direction(rng), side = along.cross(draw_direction(rng)).normalized();
        const Real far = which == 1 ? 0.4 : draw_uniform(rng, 0.1, 0.2);
        const Real where = which == 2 ? -0.1 : draw_uniform(rng, 0.2, 0.8);
        out.at.x = {Vec3(e0 + where * along + far * side), e0, Vec3(e0 + along)};
        return out;
    }
};

} // namespace sinew
