// Base of an elastic energy of points, which sees shapes and not places and is free of forces at rest (example/energy/spring_auto.h):
// declares so, and draws elements for the tests, with the default parameters, from about unit distances at rest.
#pragma once
#include "energy/energy.h"

namespace sinew {

template <class E, int Points> struct ElasticPoints {
    static constexpr Share share = Share::elastic;
    static constexpr int points = Points;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    static Sample<E> sample(Rng& rng, int) {
        std::array<Real3, Points> rest{};
        std::array<Real, Points> mass;
        mass.fill(1);
        Sample<E> out;
        for (int i = 0; i < Points; ++i) {
            const Vec3 corner = i == 0 ? Vec3(Vec3::Zero()) : Vec3(Vec3::Unit((i - 1) % 3));
            vec(rest[i]) = corner + draw_vec(rng, -0.2, 0.2);
            out.at.x[i] = corner + draw_vec(rng, -0.3, 0.3);
        }
        out.data = E::prepare(typename E::Params{}, RestView{rest, mass, {}, {0, -9.81, 0}});
        return out;
    }
};

} // namespace sinew
