// attraction of rigid bodies to a plane: that of a particle of their mass at the centre of mass (attractor_plane.h), no torque
#pragma once
#include "energy/attractor.h"

namespace sinew {

struct AttractorPlaneFrame {
    static constexpr std::string_view name = "attractor_plane_frame";
    static constexpr std::string_view doc = "attraction of rigid bodies to a plane";
    static constexpr Share share = Share::field;
    static constexpr bool reads_fields = true;
    static constexpr int points = 0, frames = 1;
    static constexpr int sample_kinds = 4;
    using Params = AttractorParams;
    using Data = AttractorData;

    template <class V> static void fields(Params& p, V&& v) { attractor_fields(p, v, "normal of the plane"); }
    static Data prepare(const Params& p, const RestView& rest) { return prepare_attractor(p, rest.frame_mass[0]); }
    template <int Order> static Local<6, Order> eval(const Data& a, const StepContext& c, const Stencil<0, 1>& s) {
        return eval_attractor_frame<Order>(a, c, vec(a.axis) * vec(a.axis).transpose(), s.p[0]);
    }
    static Sample<AttractorPlaneFrame> sample(Rng& rng, int which) { return sample_attractor<AttractorPlaneFrame>(rng, which); }
};

} // namespace sinew
