// The dihedral angle of a hinge as a formula over any number type: what automatic differentiation of the tests starts from.
#pragma once
#include "energy/hinge.h"
#include <array>
#include <cmath>

namespace sinew {

template <class S> S angle(const std::array<VecOf<S>, 4>& x) {
    const VecOf<S> e = x[2] - x[1];
    const VecOf<S> n = (x[1] - x[0]).cross(x[2] - x[0]), m = (x[2] - x[3]).cross(x[1] - x[3]);
    const VecOf<S> unit = e / e.norm();
    using std::atan2;
    return atan2(S(n.cross(m).dot(unit)), S(n.dot(m)));
}

} // namespace sinew
