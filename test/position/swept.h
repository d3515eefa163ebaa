// What tests of single rows share: settings without chains, and momenta of points.
#pragma once
#include "position/position_fixture.h"

namespace sinew {

// row by row: chains would solve a line of links at once, and whether sweeps converge could not be seen
inline PositionSettings swept_settings() {
    PositionSettings s = plain_settings();
    s.chains = false;
    return s;
}

// sums of m v and of x x m v over all points, x and v of two states
inline std::pair<Vec3, Vec3> momenta(const State& places, const State& velocities, const Model& m) {
    std::pair<Vec3, Vec3> p{Vec3::Zero(), Vec3::Zero()};
    for (int i = 0; i < point_count(m); ++i) {
        const Vec3 mv = m.point.mass[i] * vec(velocities.point.v[i]);
        p.first += mv, p.second += vec(places.point.x[i]).cross(mv);
    }
    return p;
}

} // namespace sinew
