#include "energy/tet.h"
#include "linalg/psd.h"
#include <Eigen/LU>

namespace sinew {

TetShape make_tet_shape(const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3) {
    Mat3 edges;
    edges << x1 - x0, x2 - x0, x3 - x0;
    TetShape t{};
    const Real det = edges.determinant(), size = edges.cwiseAbs().maxCoeff();
    if (!(std::abs(det) > 1e-12 * size * size * size)) return t;
    Eigen::Map<Mat3>(t.inverse.data()) = edges.inverse();
    t.volume = std::abs(det) / 6;
    return t;
}

VecN<12> tet_gradient(const Mat3& inverse, Real volume, const Mat3& P) {
    const Mat3 H = volume * P * inverse.transpose();
    VecN<12> g;
    g << -(H.col(0) + H.col(1) + H.col(2)), H.col(0), H.col(1), H.col(2);
    return g;
}

void clamp_principal(PrincipalStiffness& k) {
    project_psd(k.stretch.data(), 3, PsdMode::clamp);
    k.twist = k.twist.cwiseMax(0);
    k.flip = k.flip.cwiseMax(0);
}

MatN<9> stiffness_matrix(const Mat3& U, const Mat3& V, const PrincipalStiffness& k) {
    // column c of dP/dF: dF = one entry 1, A = U^T dF V, D = what the modes make of it, dP = U D V^T
    MatN<9> out;
    for (int c = 0; c < 9; ++c) {
        const Mat3 A = U.row(c % 3).transpose() * V.row(c / 3);
        Mat3 D = (k.stretch * A.diagonal()).asDiagonal();
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                if (i != j) {
                    const int o = 3 - i - j;
                    D(i, j) = 0.5 * ((k.flip[o] + k.twist[o]) * A(i, j) + (k.flip[o] - k.twist[o]) * A(j, i));
                }
        Eigen::Map<Mat3>(out.col(c).data()) = U * D * V.transpose();
    }
    return out;
}

// In principal axes the unknowns are y = U^T x and the shape gradients h = V^T g: block (n, m) of the Hessian is
//   V U B U^T,  B_ac = A_ac h_n[a] h_m[c] + minus_ac h_n[c] h_m[a]   (a != c: both terms, a = c: the first, and plus)
MatN<12> tet_hessian(const Mat3& inverse, Real volume, const Mat3& U, const Mat3& V, const PrincipalStiffness& k) {
    MatN<3, 4> h;
    h.rightCols<3>() = V.transpose() * inverse.transpose();
    h.col(0) = -(h.col(1) + h.col(2) + h.col(3));
    Mat3 plus = Mat3::Zero(), minus = Mat3::Zero();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (i != j) {
                plus(i, j) = 0.5 * (k.flip[3 - i - j] + k.twist[3 - i - j]);
                minus(i, j) = 0.5 * (k.flip[3 - i - j] - k.twist[3 - i - j]);
            }
    MatN<12> out;
    for (int n = 0; n < 4; ++n)
        for (int m = n; m < 4; ++m) {
            const Vec3 a = h.col(n), b = h.col(m);
            Mat3 B = k.stretch.cwiseProduct(a * b.transpose()) + minus.cwiseProduct(b * a.transpose());
            B.diagonal() += plus * a.cwiseProduct(b);
            const Mat3 block = volume * (U * B * U.transpose());
            out.block<3, 3>(3 * n, 3 * m) = block;
            out.block<3, 3>(3 * m, 3 * n) = block.transpose();
        }
    // the diagonal blocks to the last bit
    for (int n = 0; n < 12; n += 3) {
        const Mat3 block = out.block<3, 3>(n, n);
        out.block<3, 3>(n, n) = 0.5 * (block + block.transpose());
    }
    return out;
}

VecN<6> green_strain(const Mat3& F) {
    const Mat3 C = F.transpose() * F;
    VecN<6> e;
    e << 0.5 * (C(0, 0) - 1), 0.5 * (C(1, 1) - 1), 0.5 * (C(2, 2) - 1), C(1, 2), C(0, 2), C(0, 1);
    return e;
}

MatN<6, 12> strain_rows(const Mat3& inverse, const Mat3& F) {
    MatN<6, 12> out;
    for (int n = 0; n < 4; ++n) {
        const Vec3 g = n ? Vec3(inverse.row(n - 1).transpose()) : Vec3(-inverse.colwise().sum().transpose());
        auto b = out.middleCols<3>(3 * n);
        for (int i = 0; i < 3; ++i) b.row(i) = g[i] * F.col(i).transpose();
        b.row(3) = (g[1] * F.col(2) + g[2] * F.col(1)).transpose();
        b.row(4) = (g[0] * F.col(2) + g[2] * F.col(0)).transpose();
        b.row(5) = (g[0] * F.col(1) + g[1] * F.col(0)).transpose();
    }
    return out;
}

Mat3 stress_matrix(const VecN<6>& s) {
    Mat3 out;
    out << s[0], s[5], s[4], s[5], s[1], s[3], s[4], s[3], s[2];
    return out;
}

MatN<6> isotropic_stiffness(const Lame& l) {
    MatN<6> C = MatN<6>::Zero();
    C.topLeftCorner<3, 3>().setConstant(l.lambda);
    C.diagonal().head<3>().array() += 2 * l.mu;
    C.diagonal().tail<3>().setConstant(l.mu);
    return C;
}

TetSample sample_tet(Rng& rng, int which, bool inverts) {
    // rest: a corner of a cube, disturbed
    std::array<Vec3, 4> X{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
    for (Vec3& x : X) x += draw_vec(rng, -0.2, 0.2);
    const auto turn = [&](Real most) { return exp_rotation(draw_vec(rng, -most, most)).toRotationMatrix(); };
    Vec3 s(draw_uniform(rng, 0.7, 1.8), draw_uniform(rng, 0.7, 1.8), draw_uniform(rng, 0.7, 1.8));
    Mat3 U = turn(2), V = turn(2);
    switch (which) {
    case 1: s[2] = inverts ? draw_uniform(rng, -0.4, -0.1) : draw_uniform(rng, 0.2, 0.4); break; // inverted
    case 2: s[2] = inverts ? 0 : 0.1; break;                                                     // flat
    case 3: s = Vec3::Ones() + draw_vec(rng, -0.02, 0.02); break;                                // rotated
    case 4: s.setOnes(); break;                                                                  // at rest, turned
    case 5: s = draw_uniform(rng, 0.4, 0.6) * Vec3(1, 1, draw_uniform(rng, 0.8, 1)); break;      // compressed
    default: break;
    }
    TetSample out{make_tet_shape(X[0], X[1], X[2], X[3]), {}};
    const Mat3 F = U * s.asDiagonal() * V.transpose();
    const Vec3 shift = draw_vec(rng, -1, 1);
    for (int i = 0; i < 4; ++i) out.x[i] = F * X[i] + shift;
    return out;
}

} // namespace sinew
