// The spring of spring_green.h as its value only: gradient and Hessian by automatic differentiation.
//   E = k/(8 L^2) (|e|^2 - L^2)^2,  e = x1 - x0
#pragma once
#include "energy/elastic_points.h"

namespace sinew {

struct SpringAuto : ElasticPoints<SpringAuto, 2> {
    static constexpr std::string_view name = "spring_auto", doc = "spring by Green's strain, differentiated automatically";
    struct Params { Real stiffness = 1000; };
    struct Data { Real stiffness, rest_length; };
    template <class V> static void fields(Params& p, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "stiffness for small strains"});
    }
    static Data prepare(const Params& p, const RestView& rest) { return {p.stiffness, (vec(rest.x[1]) - vec(rest.x[0])).norm()}; }
    template <class S> static S value(const Data& d, const StepContext&, const std::array<VecOf<S>, 2>& x) {
        const S g = (x[1] - x[0]).squaredNorm() - S(d.rest_length * d.rest_length);
        return d.stiffness / (8 * d.rest_length * d.rest_length) * (g * g);
    }
};

} // namespace sinew
