#include "energy/tet_anisotropic.h"
#include <Eigen/Geometry>
#include <Eigen/LU>

namespace sinew {

void TetAnisotropic::pack(const MatN<6>& C, Data& d) {
    int k = 0;
    for (int i = 0; i < 6; ++i)
        for (int j = i; j < 6; ++j) d.stiffness[k++] = C(i, j);
}

MatN<6> TetAnisotropic::unpack(const Data& d) {
    MatN<6> C;
    int k = 0;
    for (int i = 0; i < 6; ++i)
        for (int j = i; j < 6; ++j) C(i, j) = C(j, i) = d.stiffness[k++];
    return C;
}

// T of e' = T e: engineering strains in axes that are the rows of A
static MatN<6> strain_rotation(const Mat3& A) {
    MatN<6> T;
    for (int k = 0; k < 6; ++k) {
        VecN<6> e = VecN<6>::Zero();
        e[k] = k < 3 ? 1 : 0.5;
        const Mat3 turned = A * stress_matrix(e) * A.transpose();
        T.col(k) << turned(0, 0), turned(1, 1), turned(2, 2), 2 * turned(1, 2), 2 * turned(0, 2), 2 * turned(0, 1);
    }
    return T;
}

MatN<6> TetAnisotropic::stiffness_of(const Params& p) {
    MatN<6> C;
    if (p.stiffness.size() == 36) {
        C = Eigen::Map<const MatN<6>>(p.stiffness.data());
        C = 0.5 * (C + C.transpose()).eval();
    } else if (p.stiffness.size() == 21) {
        Data d;
        std::copy(p.stiffness.begin(), p.stiffness.end(), d.stiffness.begin());
        C = unpack(d);
    } else {
        const Real E1 = p.young.x, E2 = p.young.y, E3 = p.young.z, isotropic = E1 / (2 * (1 + p.poisson.x));
        Mat3 S;
        S << 1 / E1, -p.poisson.x / E1, -p.poisson.z / E1, -p.poisson.x / E1, 1 / E2, -p.poisson.y / E2, -p.poisson.z / E1,
            -p.poisson.y / E2, 1 / E3;
        C.setZero();
        C.topLeftCorner<3, 3>() = S.inverse();
        C.diagonal().tail<3>() << (p.shear.x > 0 ? p.shear.x : isotropic), (p.shear.y > 0 ? p.shear.y : isotropic),
            (p.shear.z > 0 ? p.shear.z : isotropic);
    }
    Mat3 A;
    const Vec3 first = vec(p.axis).normalized(), third = first.cross(vec(p.second_axis)).normalized();
    A << first.transpose(), third.cross(first).transpose(), third.transpose();
    const MatN<6> T = strain_rotation(A), turned = T.transpose() * C * T;
    return 0.5 * (turned + turned.transpose());
}

MatN<12> TetAnisotropic::hessian(const Mat3& inverse, Real volume, const MatN<6>& C, const VecN<6>& stress,
                                 const MatN<6, 12>& B) {
    MatN<12> H = B.transpose() * (C * B).eval();
    MatN<3, 4> g;
    g.rightCols<3>() = inverse.transpose();
    g.col(0) = -(g.col(1) + g.col(2) + g.col(3));
    const MatN<4> geometric = g.transpose() * stress_matrix(stress) * g;
    for (int n = 0; n < 4; ++n)
        for (int m = 0; m < 4; ++m) H.block<3, 3>(3 * n, 3 * m).diagonal().array() += geometric(n, m);
    return 0.5 * volume * (H + H.transpose());
}

Sample<TetAnisotropic> TetAnisotropic::sample(Rng& rng, int which) {
    const TetSample t = sample_tet(rng, which, true);
    Sample<TetAnisotropic> out{{t.shape, {}}, {}};
    MatN<6> A;
    for (Real& a : A.reshaped()) a = draw_uniform(rng, -1, 1);
    pack(A * A.transpose() + MatN<6>::Identity(), out.data);
    out.at.x = t.x;
    return out;
}

} // namespace sinew
