#include "constraint/joint.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kPa = 0, kTa = 3, kPb = 6, kTb = 9; // translation and rotation of a and b

auto block(MatN<12>& h, int i, int j) { return h.block<3, 3>(i, j); }
auto part(VecN<12>& g, int i) { return g.segment<3>(i); }
void set_pair(MatN<12>& h, int i, int j, const Mat3& m) {
    block(h, i, j) = m;
    block(h, j, i) = m.transpose();
}

// second derivative of exp(t) u . w
Mat3 turned_dot(const Vec3& u, const Vec3& w) {
    return 0.5 * (u * w.transpose() + w * u.transpose()) - u.dot(w) * Mat3::Identity();
}
// mixed second derivative of exp(ta) u . exp(tb) w, rows ta
Mat3 turned_dot_mixed(const Vec3& u, const Vec3& w) { return u.dot(w) * Mat3::Identity() - w * u.transpose(); }

// one component of the relative quaternion, without the factor 2: vector component k, or the scalar for k = -1
void quaternion_term(const JointPlace& at, int k, int order, JointTerm& t) {
    const Real w = at.relative.w();
    const Vec3 v = at.relative.vec();
    const Mat3& a = at.axes[0];
    t.c = k < 0 ? w : v[k];
    if (order < 1) return;
    // (0, d/2) Q with d in a's axes: vector (w d + d x v)/2, scalar -d . v/2
    const Vec3 e = k < 0 ? Vec3::Zero() : Vec3(Vec3::Unit(k));
    const Vec3 g = k < 0 ? Vec3(-0.5 * (a * v)) : Vec3(0.5 * (a * (w * e + v.cross(e))));
    part(t.gradient, kTa) = -g;
    part(t.gradient, kTb) = g;
    if (order < 2) return;
    t.hessian.setZero();
    const Mat3 same = -0.25 * t.c * Mat3::Identity();
    // -t_a x t_b/4 times Q: vector -(w m + m x v)/4, scalar m . v/4, m = t_a x t_b
    const Vec3 m = k < 0 ? Vec3(a * v) : Vec3(a * -(w * e + v.cross(e)));
    block(t.hessian, kTa, kTa) = same;
    block(t.hessian, kTb, kTb) = same;
    set_pair(t.hessian, kTa, kTb, -same - 0.25 * skew(m));
}

} // namespace

JointPlace place_joint(const JointAnchor& anchor, const Stencil<0, 2>& s) {
    JointPlace out;
    for (int i = 0; i < 2; ++i) {
        out.p[i] = s.p[i];
        out.r[i] = s.q[i] * vec(anchor.local[i]);
        out.x[i] = s.p[i] + out.r[i];
        out.axes[i] = (s.q[i] * quat(anchor.axes[i])).toRotationMatrix();
    }
    out.relative = (s.q[0] * quat(anchor.axes[0])).conjugate() * (s.q[1] * quat(anchor.axes[1]));
    return out;
}

void place_term(const JointPlace& at, int k, int order, JointTerm& t) {
    const Vec3 n = Vec3::Unit(k);
    t.c = at.x[1][k] - at.x[0][k];
    if (order < 1) return;
    part(t.gradient, kPa) = -n;
    part(t.gradient, kTa) = -at.r[0].cross(n);
    part(t.gradient, kPb) = n;
    part(t.gradient, kTb) = at.r[1].cross(n);
    if (order < 2) return;
    t.hessian.setZero();
    block(t.hessian, kTa, kTa) = -turned_dot(at.r[0], n);
    block(t.hessian, kTb, kTb) = turned_dot(at.r[1], n);
}

// u . (x_b - x_a) = u . (x_b - p_a) - u . r_a, and the last term is constant: u and r_a turn together
void slide_term(const JointPlace& at, int k, int order, JointTerm& t) {
    const Vec3 u = at.axes[0].col(k), e = at.x[1] - at.p[0], &r = at.r[1];
    t.c = u.dot(at.x[1] - at.x[0]);
    if (order < 1) return;
    part(t.gradient, kPa) = -u;
    part(t.gradient, kTa) = u.cross(e);
    part(t.gradient, kPb) = u;
    part(t.gradient, kTb) = r.cross(u);
    if (order < 2) return;
    t.hessian.setZero();
    block(t.hessian, kTa, kTa) = turned_dot(u, e);
    block(t.hessian, kTb, kTb) = turned_dot(r, u);
    set_pair(t.hessian, kTa, kTb, turned_dot_mixed(u, r));
    set_pair(t.hessian, kPa, kTa, skew(u));
    set_pair(t.hessian, kPb, kTa, -skew(u));
}

void cross_term(const JointPlace& at, int j, int k, int order, JointTerm& t) {
    const Vec3 u = at.axes[0].col(j), w = at.axes[1].col(k);
    t.c = u.dot(w);
    if (order < 1) return;
    part(t.gradient, kTa) = u.cross(w);
    part(t.gradient, kTb) = w.cross(u);
    if (order < 2) return;
    t.hessian.setZero();
    block(t.hessian, kTa, kTa) = turned_dot(u, w);
    block(t.hessian, kTb, kTb) = turned_dot(w, u);
    set_pair(t.hessian, kTa, kTb, turned_dot_mixed(u, w));
}

void turn_term(const JointPlace& at, int k, int order, JointTerm& t) {
    quaternion_term(at, k, order, t);
    const Real sign = at.relative.w() < 0 ? -2 : 2;
    t.c *= sign;
    if (order >= 1) t.gradient *= sign;
    if (order >= 2) t.hessian *= sign;
}

void twist_term(const JointPlace& at, Real center, int order, JointTerm& t) {
    JointTerm y, w;
    quaternion_term(at, 0, order, y);
    quaternion_term(at, -1, order, w);
    const Real angle = 2 * std::atan2(y.c, w.c);
    t.c = angle - 2 * kPi * std::round((angle - center) / (2 * kPi));
    // a swing of half a turn leaves no twist: the gradient is then zero
    const Real r2 = y.c * y.c + w.c * w.c;
    if (order >= 2) t.hessian.setZero();
    if (order < 1 || r2 < 1e-12) return;
    const Real by_y = w.c / r2, by_w = -y.c / r2;
    t.gradient = 2 * (by_y * y.gradient + by_w * w.gradient);
    if (order < 2) return;
    const Real yy = -2 * y.c * w.c / (r2 * r2), yw = (y.c * y.c - w.c * w.c) / (r2 * r2);
    const MatN<12> mixed = y.gradient * w.gradient.transpose();
    t.hessian = 2 * (by_y * y.hessian + by_w * w.hessian + yy * y.gradient * y.gradient.transpose() -
                     yy * w.gradient * w.gradient.transpose() + yw * (mixed + mixed.transpose()));
}

void swing_term(const JointPlace& at, int order, JointTerm& t) {
    cross_term(at, 0, 0, order, t);
    const Real c = t.c, s = at.axes[0].col(0).cross(at.axes[1].col(0)).norm();
    t.c = std::atan2(s, c);
    if (order < 1) return;
    // parallel axes: no direction to swing back
    const Real first = s > 1e-9 ? -1 / s : 0, second = s > 1e-9 ? -c / (s * s * s) : 0;
    if (order >= 2) t.hessian = (first * t.hessian + second * t.gradient * t.gradient.transpose()).eval();
    t.gradient *= first;
}

void cardan_term(const JointPlace& at, int which, Real center, int order, JointTerm& t) {
    JointTerm y, x;
    cross_term(at, which == 0 ? 2 : 0, which == 0 ? 1 : 2, order, y);
    cross_term(at, which == 0 ? 1 : 0, which == 0 ? 1 : 0, order, x);
    const Real angle = std::atan2(y.c, x.c);
    t.c = angle - 2 * kPi * std::round((angle - center) / (2 * kPi));
    const Real r2 = y.c * y.c + x.c * x.c; // 1 while the joint holds
    if (order >= 2) t.hessian.setZero();
    if (order < 1 || r2 < 1e-12) return;
    const Real by_y = x.c / r2, by_x = -y.c / r2;
    t.gradient = by_y * y.gradient + by_x * x.gradient;
    if (order < 2) return;
    const Real yy = -2 * y.c * x.c / (r2 * r2), yx = (y.c * y.c - x.c * x.c) / (r2 * r2);
    const MatN<12> mixed = y.gradient * x.gradient.transpose();
    t.hessian = by_y * y.hessian + by_x * x.hessian + yy * y.gradient * y.gradient.transpose() -
                yy * x.gradient * x.gradient.transpose() + yx * (mixed + mixed.transpose());
}

// u turns with a: the row (-u, u) of the two spins has the derivative -skew(u) by t_a, of which drive_of.h adds its half skew
void spin_term(const JointPlace& at, int k, int order, JointTerm& t) {
    const Vec3 u = at.axes[0].col(k);
    t.c = 0;
    if (order < 1) return;
    part(t.gradient, kTa) = -u;
    part(t.gradient, kTb) = u;
    if (order < 2) return;
    t.hessian.setZero();
    block(t.hessian, kTa, kTa) = block(t.hessian, kTb, kTb) = 0.5 * skew(u);
    block(t.hessian, kTb, kTa) = -skew(u);
}

void length_term(const JointPlace& at, int order, JointTerm& t) {
    const Vec3 e = at.x[1] - at.x[0];
    const Real l = e.norm();
    const Vec3 n = l > 0 ? Vec3(e / l) : Vec3::UnitX();
    t.c = l;
    if (order < 1) return;
    MatN<3, 12> j;
    t.gradient.setZero();
    if (order >= 2) t.hessian.setZero();
    for (int k = 0; k < 3; ++k) {
        JointTerm row;
        place_term(at, k, order, row);
        j.row(k) = row.gradient.transpose();
        t.gradient += n[k] * row.gradient;
        if (order >= 2) t.hessian += n[k] * row.hessian;
    }
    if (order >= 2 && l > 0) t.hessian += j.transpose() * ((Mat3::Identity() - n * n.transpose()) / l) * j;
}

JointSample sample_joint(Rng& rng, Real error) {
    JointSample out;
    for (int i = 0; i < 2; ++i) {
        out.at.p[i] = draw_vec(rng, -1, 1);
        out.at.q[i] = exp_rotation(draw_vec(rng, -2, 2));
        out.anchor.local[i] = real3(draw_vec(rng, -0.5, 0.5));
        out.anchor.axes[i] = real4(exp_rotation(draw_vec(rng, -1, 1)));
    }
    // b so that the joint is nearly closed
    const Quat joint = out.at.q[0] * quat(out.anchor.axes[0]);
    const Vec3 x = out.at.p[0] + out.at.q[0] * vec(out.anchor.local[0]) + draw_vec(rng, -error, error);
    out.at.q[1] = exp_rotation(draw_vec(rng, -error, error)) * joint * quat(out.anchor.axes[1]).conjugate();
    out.at.p[1] = x - out.at.q[1] * vec(out.anchor.local[1]);
    return out;
}

} // namespace sinew
