// Contact of two edges of rods: the edge-edge penalty of contact_pair.h.
#pragma once
#include "energy/contact_pair.h"
#include "energy/energy.h"

namespace sinew {

struct ContactEdgeEdge {
    static constexpr std::string_view name = "contact_edge_edge";
    static constexpr std::string_view doc = "penalty force between two edges of rods";
    static constexpr Share share = Share::contact;
    static constexpr int points = 4;
    static constexpr bool translation_invariant = true, rotation_invariant = true;
    // insides, apart, an end and an inside, two ends, nearly parallel
    static constexpr int sample_kinds = 5;
    struct Params {
        Real stiffness = 1e4, thickness = 0.01, threshold = 0;
    };
    using Data = Params; // threshold of the mollifier [m^4]

    template <class V> static void fields(Params& p, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "force per depth"});
        v("thickness", p.thickness, Field{.min = 0, .unit = "m", .doc = "distance below which the edges push"});
    }
    static Data prepare(const Params& p, const RestView&) { return p; }

    template <int Order> static Local<12, Order> eval(const Data& d, const StepContext&, const Stencil<4>& s) {
        Local<12, Order> out;
        PairPenalty pair;
        compute_edge_edge_penalty(d.stiffness, d.thickness, d.threshold, s.x, Order, pair);
        out.value = pair.value;
        if constexpr (Order >= 1) out.gradient = pair.gradient;
        if constexpr (Order >= 2) out.hessian = pair.hessian;
        return out;
    }

    static Sample<ContactEdgeEdge> sample(Rng& rng, int which) {
        Sample<ContactEdgeEdge> out{{draw_uniform(rng, 10, 1e3), 0.3, edge_mollifier_threshold(2, 2)}, {}};
        const Real height = which == 1 ? 0.4 : draw_uniform(rng, 0.1, 0.2), angle = draw_uniform(rng, 0.5, 2.6);
        const Vec3 along(std::cos(angle), std::sin(angle), 0);
        // edge a on the x axis, edge b above it
        Vec3 middle(draw_uniform(rng, -0.3, 0.3), draw_uniform(rng, -0.3, 0.3), height);
        Vec3 b0 = middle - along, b1 = middle + along;
        if (which == 2) b0 = Vec3(draw_uniform(rng, -0.3, 0.3), 0.1, height), b1 = b0 + Vec3(along.x(), along.y(), 0.3);
        if (which == 3) b0 = Vec3(1.1, 0.1, height), b1 = b0 + Vec3(0.9, along.y(), 0.3);
        // sin^2 of the angle is half the threshold's
        if (which == 4) b0 = Vec3(-0.3, 0.1, 0.1), b1 = b0 + Vec3(2, 2 * std::sqrt(0.5e-3), 0);
        const Mat3 turn = exp_rotation(draw_vec(rng, -2, 2)).toRotationMatrix();
        const Vec3 at = draw_vec(rng, -1, 1);
        out.at.x = {Vec3(at + turn * -Vec3::UnitX()), Vec3(at + turn * Vec3::UnitX()), Vec3(at + turn * b0), Vec3(at + turn * b1)};
        return out;
    }
};

} // namespace sinew
