// What the tests of bending share: the dihedral angle of a hinge as a formula over any number type, which automatic
// differentiation starts from, a hinge folded by an angle, its data when it is flat at rest, and sparse matrices in full.
#pragma once
#include "energy/hinge.h"
#include "linalg/block_sparse.h"
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

inline Stencil<4> folded_hinge(Real angle) {
    Stencil<4> s;
    s.x = {Vec3(0.4, 0.9, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.5, -std::cos(angle), -std::sin(angle))};
    return s;
}
template <class L> typename L::Data flat_hinge_data(const HingeParams& p = {}) {
    const Stencil<4> s = folded_hinge(0);
    const std::array<Real3, 4> rest{real3(s.x[0]), real3(s.x[1]), real3(s.x[2]), real3(s.x[3])};
    return L::prepare(p, {rest, {}, {}, {}});
}

inline MatX dense_matrix(const BlockSparse& a, int n) {
    const std::vector<Real> values = to_dense(a);
    return Eigen::Map<const MatX>(values.data(), n, n);
}

} // namespace sinew
