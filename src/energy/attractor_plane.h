// attraction to a plane (spec P7), see attractor.h for the law.  d = (n . (x - c)) n, n unit normal
#pragma once
#include "energy/attractor.h"

namespace sinew {

struct AttractorPlane {
    static constexpr std::string_view name = "attractor_plane";
    static constexpr std::string_view doc = "attraction to a plane";
    static constexpr Share share = Share::field;
    static constexpr bool reads_fields = true;
    static constexpr int points = 1;
    static constexpr int sample_kinds = 4;
    using Params = AttractorParams;
    using Data = AttractorData;

    template <class V> static void fields(Params& p, V&& v) { attractor_fields(p, v, "normal of the plane"); }
    static Data prepare(const Params& p, const RestView& rest) { return prepare_attractor(p, rest.mass[0]); }
    template <int Order> static Local<3, Order> eval(const Data& a, const StepContext& c, const Stencil<1>& s) {
        return eval_attractor<Order>(a, c, vec(a.axis) * vec(a.axis).transpose(), s.x[0]);
    }
    static Sample<AttractorPlane> sample(Rng& rng, int which) { return sample_attractor<AttractorPlane>(rng, which); }
};

} // namespace sinew
