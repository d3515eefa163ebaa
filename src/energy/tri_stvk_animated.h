// tri_stvk whose rest state is scripted (spec T 3.2). The rest state is three lengths, nothing else: each is a blend of the true rest
// length and of that on a moving surface, or of one that a scalar field of the scene scales (growth, shrinking): rest_script.h.
// Lengths are blended, never positions, so that no embedding of the blended surface need exist. Area by Heron, dot products
// by the law of cosines, the warp as the fixed combination w0 E_0 + w1 E_1 of rest edges that it was at the start; T of
// tri_stvk.h is made anew at every evaluation, at the time of that evaluation. Where blended lengths make no triangle (area
// below 1e-3 of the rest area) the rest lengths stay. Hinges: hinge_animated.h.
#pragma once
#include "energy/rest_script.h"
#include "energy/tri_stvk.h"

namespace sinew {

struct TriStvkAnimated {
    static constexpr std::string_view name = "tri_stvk_animated";
    static constexpr std::string_view doc = "St. Venant-Kirchhoff membrane whose rest lengths are scripted over time";
    static constexpr Share share = Share::elastic;
    static constexpr int points = 3;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    static constexpr int sample_kinds = kTriSampleKinds;
    struct Params : MembraneParams {
        std::array<Real, 3> weight{0, 0, 0};    // per edge
        std::array<int, 3> moving{-1, -1, -1};  // animated vertices of the corners, -1 = none; set by the scene compiler
        int scale = -1;                         // scalar field, -1 = none; set by the scene compiler
    };
    struct Data {
        std::array<Real3, 3> x;                 // [m] corners at rest
        std::array<Real, 3> weight;             // edges
        OrthotropicModuli moduli;               // [Pa]
        Real thickness, damping, area;          // [m], [s], [m^2]
        Real warp0, warp1;                      // warp = warp0 E_0 + warp1 E_1
        std::array<int, 3> moving;
        int scale;
    };

    template <class V> static void fields(Params& p, V&& v) { membrane_fields(p, v); }
    static Data prepare(const Params& p, const RestView& rest) {
        const TriangleMetric m = make_triangle_metric(vec(rest.x[0]), vec(rest.x[1]), vec(rest.x[2]), vec(p.warp));
        Data d{{rest.x[0], rest.x[1], rest.x[2]}, p.weight, orthotropic_moduli(p), p.thickness, p.damping, m.area, 0, 0, p.moving, p.scale};
        // warp = (1, 0) in material axes: solve [E_0 E_1] w = warp
        const Real det = m.u[0] * m.v[1] - m.u[1] * m.v[0];
        if (det != 0) d.warp0 = m.v[1] / det, d.warp1 = -m.v[0] / det;
        return d;
    }
    // squared rest lengths at the time of the context
    static std::array<Real, 3> lengths2(const Data& d, const StepContext& c) {
        std::array<Real, 3> out;
        const auto set = [&](const StepContext& at) {
            for (int i = 0; i < 3; ++i) {
                const int a = kNext[i], b = kPrevious[i];
                const Real l = rest_length(at, d.x[a], d.x[b], d.weight[i], d.moving[a], d.moving[b], d.scale);
                out[i] = l * l;
            }
        };
        set(c);
        if (!(triangle_area(out[0], out[1], out[2]) > 1e-3 * d.area)) set({}); // without time, fields and surface
        return out;
    }
    static TriStvk::Data at(const Data& d, const StepContext& c) {
        const std::array<Real, 3> l2 = lengths2(d, c);
        const Real area = triangle_area(l2[0], l2[1], l2[2]);
        if (!(area > 0)) return TriStvk::pack(Mat3::Zero(), l2, 0);
        const Real d01 = 0.5 * (l2[2] - l2[0] - l2[1]), w0 = d.warp0 * l2[0] + d.warp1 * d01,
                   w1 = d.warp0 * d01 + d.warp1 * l2[1];
        return TriStvk::pack(stvk_matrix(d.moduli, d.thickness, l2, {w0, w1, -w0 - w1}, area), l2, d.damping);
    }
    template <int Order> static Local<9, Order> eval(const Data& d, const StepContext& c, const Stencil<3>& s) {
        return TriStvk::eval<Order>(at(d, c), c, s);
    }
    static MatN<9> hessian_psd(const Data& d, const StepContext& c, const Stencil<3>& s) {
        return TriStvk::hessian_psd(at(d, c), c, s);
    }
    template <int Order> static LocalForce<9, Order> force(const Data& d, const StepContext& c, const Stencil<3>& s) {
        return TriStvk::force<Order>(at(d, c), c, s);
    }
    static Sample<TriStvkAnimated> sample(Rng& rng, int which) { return sample_membrane_element<TriStvkAnimated>(rng, which); }
};

} // namespace sinew
