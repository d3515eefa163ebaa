// Limits of a link's length (spec U113).  C = ((1 + s) L - l, l - (1 - c) L) >= 0,  l = |x1 - x0|, L rest length [m]
//   s largest stretch, c largest compression, both as parts of L; a compression of 1 or more limits nothing. Compliance alpha [m/N].
// Both rows are one-sided: within the limits there is no force.
#pragma once
#include "constraint/constraint.h"

namespace sinew {

struct StrainLimit {
    static constexpr std::string_view name = "strain_limit";
    static constexpr std::string_view doc = "keeps the stretch of a link below a limit";
    static constexpr int points = 2, rows = 2;
    static constexpr bool pair = true;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    static constexpr int sample_kinds = 3; // beyond the stretch, within, beyond the compression
    struct Params {
        Real stretch = 0.1, compression = 1;
        Real compliance = 0;
    };
    struct Data {
        Real longest, shortest, compliance; // [m], [m/N]
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("stretch", p.stretch, Field{.min = 0, .doc = "largest, as a part of the length at rest"});
        v("compression", p.compression, Field{.min = 0, .doc = "largest, as a part of the length at rest; 1 or more = no limit"});
        v("compliance", p.compliance, Field{.min = 0, .unit = "m/N", .doc = "of the limits; 0 = rigid"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        const Real length = (vec(rest.x[1]) - vec(rest.x[0])).norm();
        return {(1 + p.stretch) * length, std::max(0.0, 1 - p.compression) * length, p.compliance};
    }
    static Real compliance(const Data& d) { return d.compliance; }
    static Bound bound(const Data&) { return Bound::lower; }

    template <int Order> static LocalRows<2, 6, Order> eval(const Data& d, const StepContext&, const Stencil<2>& s) {
        LocalRows<2, 6, Order> out;
        const Vec3 e = s.x[1] - s.x[0];
        const Real l = e.norm();
        const Vec3 n = l > 0 ? Vec3(e / l) : Vec3::UnitX();
        const bool squeezed = d.shortest > 0;
        out.c << d.longest - l, squeezed ? l - d.shortest : d.longest;
        if constexpr (Order >= 1) {
            out.jacobian.row(0) << n.transpose(), -n.transpose();
            if (squeezed) out.jacobian.row(1) = -out.jacobian.row(0);
        }
        if constexpr (Order >= 2) {
            if (!(l > 0)) return out;
            const Mat3 k = (Mat3::Identity() - n * n.transpose()) / l;
            out.hessian[0] << -k, k, k, -k;
            if (squeezed) out.hessian[1] = -out.hessian[0];
        }
        return out;
    }
    static Sample<StrainLimit> sample(Rng& rng, int which) {
        const Real rest = draw_uniform(rng, 0.3, 2);
        const Real factor = which == 0 ? draw_uniform(rng, 1.2, 2) : which == 1 ? draw_uniform(rng, 0.95, 1.05) : draw_uniform(rng, 0.3, 0.7);
        Sample<StrainLimit> out{{1.1 * rest, 0.9 * rest, draw_uniform(rng, 1e-3, 1)}, {}};
        out.at.x[0] = draw_vec(rng, -1, 1);
        out.at.x[1] = out.at.x[0] + factor * rest * draw_direction(rng);
        return out;
    }
};

} // namespace sinew
