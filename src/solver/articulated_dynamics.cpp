// Articulated-body algorithm with world axes and centres of mass as reference points. Accelerations are those of the
// centres (not spatial ones), so that Newton and Euler hold as f = m a, torque = I w' + w x I w:
//   up    U = IA S, D = S^T U + diagonal, u = tau - S^T pA
//         Ia = IA - U D^-1 U^T, pa = pA + Ia c + U D^-1 u,   IA_parent += X^T Ia X, pA_parent += X^T pa
//   down  a' = X a_parent + c, q'' = D^-1 (u - U^T a'), a = a' + S q''
//   X = [1 -r*; 0 1],  pA = (0, w x I w) - f
#include "solver/articulated_dynamics.h"
#include "linalg/block6.h"
#include "solver/articulated_joint.h"

namespace sinew {

namespace {

using VecJoint = Eigen::Matrix<Real, Eigen::Dynamic, 1, 0, 6, 1>;
using MapJoint = Eigen::Map<VecJoint>;
using ConstMapJoint = Eigen::Map<const VecJoint>;

const BaseMotion kWorld;

const BaseMotion& base_of(const Link& l, const Bases& bases) {
    return l.base < 0 ? kWorld : bases[l.base];
}

// velocity of the parent, carried to the centre of the child: X v
Vec6 shift_motion(const Vec3& r, const Vec6& v) {
    Vec6 out = v;
    out.head<3>() += v.tail<3>().cross(r);
    return out;
}
// force on the child, as felt by the parent: X^T f
Vec6 shift_force(const Vec3& r, const Vec6& f) {
    Vec6 out = f;
    out.tail<3>() += r.cross(f.head<3>());
    return out;
}
// out += X^T A X
void add_shifted(const Vec3& r, const Mat6& a, Mat6& out) {
    const Mat3 p = -skew(r);
    const Mat3 ap = a.topLeftCorner<3, 3>() * p;
    const Mat3 corner = ap + a.topRightCorner<3, 3>();
    const Mat3 pb = p.transpose() * a.topRightCorner<3, 3>();
    out.topLeftCorner<3, 3>() += a.topLeftCorner<3, 3>();
    out.topRightCorner<3, 3>() += corner;
    out.bottomLeftCorner<3, 3>() += corner.transpose();
    out.bottomRightCorner<3, 3>() += p.transpose() * ap + pb + pb.transpose() + a.bottomRightCorner<3, 3>();
}

Mat6 spatial_inertia(const Link& l, const LinkMotion& m) {
    Mat6 i = Mat6::Zero();
    i.topLeftCorner<3, 3>().diagonal().setConstant(l.mass);
    i.bottomRightCorner<3, 3>() = m.inertia;
    return i;
}
// I a + (0, w x I w) - f
Vec6 inertial_force(const Link& l, const LinkMotion& m, const Vec6& a, const Vec6* f) {
    const Vec3 w = m.v.tail<3>();
    Vec6 out;
    out << l.mass * a.head<3>(), m.inertia * a.tail<3>() + w.cross(m.inertia * w);
    if (f) out -= *f;
    return out;
}

} // namespace

bool finish_forest(Forest& f) {
    f.trees.clear();
    f.tree_speeds.clear();
    f.q_count = f.v_count = 0;
    for (int i = 0; i < int(f.links.size()); ++i) {
        Link& l = f.links[i];
        const bool starts = i == 0 || l.tree != f.links[i - 1].tree;
        if (starts && l.parent >= 0) return false;
        if (starts) f.trees.push_back({i, i}), f.tree_speeds.push_back({f.v_count, f.v_count});
        if (l.parent >= i || (l.parent >= 0 && l.parent < f.trees.back().begin)) return false;
        l.tree = int(f.trees.size()) - 1;
        l.q_begin = f.q_count, l.v_begin = f.v_count;
        l.q_count = coordinate_count(l.kind), l.v_count = speed_count(l.kind);
        f.q_count += l.q_count, f.v_count += l.v_count;
        f.trees.back().end = i + 1;
        f.tree_speeds.back().end = f.v_count;
    }
    f.springs.resize(f.v_count);
    return true;
}

void compute_positions(const Forest& f, Range links, const Bases& bases, const Real* q, LinkMotion* motion) {
    for (int i = links.begin; i < links.end; ++i) {
        const Link& l = f.links[i];
        LinkMotion& m = motion[i];
        const Vec3 parent_p = l.parent < 0 ? base_of(l, bases).p : motion[l.parent].p;
        const Quat parent_q = l.parent < 0 ? base_of(l, bases).q : motion[l.parent].q;
        Quat turn;
        Vec3 way;
        joint_pose(l.kind, q + l.q_begin, turn, way);
        m.axes_a = parent_q * l.a.axes;
        const Vec3 lever = parent_q * l.a.at + m.axes_a * way; // from the parent's centre to o_B
        m.q = (m.axes_a * turn * l.b.axes.conjugate()).normalized();
        m.rho = -(m.q * l.b.at);
        m.r = lever + m.rho;
        m.p = parent_p + m.r;
        const Mat3 rotation = m.q.toRotationMatrix();
        m.inertia = rotation * l.inertia * rotation.transpose();
        JointSubspace s;
        joint_subspace(l.kind, q + l.q_begin, s);
        for (int k = 0; k < l.v_count; ++k) {
            const Vec3 e = m.axes_a * s.e.col(k);
            m.s.col(k) << m.axes_a * s.t.col(k) + e.cross(m.rho), e;
        }
    }
}

void compute_velocities(const Forest& f, Range links, const Bases& bases, const Real* q, const Real* qd,
                        LinkMotion* motion) {
    for (int i = links.begin; i < links.end; ++i) {
        const Link& l = f.links[i];
        LinkMotion& m = motion[i];
        const Vec6 parent = l.parent < 0 ? base_of(l, bases).v : motion[l.parent].v;
        Vec6 relative = Vec6::Zero();
        for (int k = 0; k < l.v_count; ++k) relative += qd[l.v_begin + k] * m.s.col(k);
        m.v = shift_motion(m.r, parent) + relative;
        const Vec3 w_parent = parent.tail<3>(), w_relative = relative.tail<3>(), w = m.v.tail<3>();
        const Vec3 sliding = relative.head<3>() - w_relative.cross(m.rho); // of o_B in A
        const Vec3 spin = w_parent.cross(w_relative) +
                          m.axes_a * joint_spin_bias(l.kind, q + l.q_begin, qd + l.v_begin);
        m.c << w_parent.cross(w_parent.cross(m.r - m.rho)) + 2 * w_parent.cross(sliding) + spin.cross(m.rho) +
                   w.cross(w.cross(m.rho)),
            spin;
    }
}

int factor_inertia(const Forest& f, Range links, const LinkMotion* motion, const Real* diagonal, LinkFactor* factor) {
    for (int i = links.begin; i < links.end; ++i) factor[i].ia = spatial_inertia(f.links[i], motion[i]);
    for (int i = links.end - 1; i >= links.begin; --i) {
        const Link& l = f.links[i];
        const LinkMotion& m = motion[i];
        LinkFactor& t = factor[i];
        const int n = l.v_count;
        t.u.leftCols(n).noalias() = t.ia * m.s.leftCols(n);
        t.d_inverse.topLeftCorner(n, n).noalias() = m.s.leftCols(n).transpose() * t.u.leftCols(n);
        if (diagonal)
            for (int k = 0; k < n; ++k) t.d_inverse(k, k) += diagonal[l.v_begin + k];
        if (!invert_positive(t.d_inverse, n)) return i;
        if (l.parent < 0) continue;
        Mat6 ia = t.ia;
        if (n == 1) ia.noalias() -= t.u.col(0) * (t.d_inverse(0, 0) * t.u.col(0).transpose());
        else if (n > 1) {
            const Eigen::Matrix<Real, 6, Eigen::Dynamic, 0, 6, 6> ud = t.u.leftCols(n) * t.d_inverse.topLeftCorner(n, n);
            ia.noalias() -= ud * t.u.leftCols(n).transpose();
        }
        add_shifted(m.r, ia, factor[l.parent].ia);
    }
    return -1;
}

void compute_accelerations(const Forest& f, Range links, const Bases& bases, const LinkMotion* motion,
                           const LinkFactor* factor, const Real* tau, const Vec6* force, Real* qdd, Vec6* a) {
    // up: `a` holds the bias forces pA, `qdd` holds u
    for (int i = links.begin; i < links.end; ++i)
        a[i] = inertial_force(f.links[i], motion[i], Vec6::Zero(), force ? force + i : nullptr);
    for (int i = links.end - 1; i >= links.begin; --i) {
        const Link& l = f.links[i];
        const LinkMotion& m = motion[i];
        const LinkFactor& t = factor[i];
        const int n = l.v_count;
        MapJoint u(qdd + l.v_begin, n);
        u = -m.s.leftCols(n).transpose() * a[i];
        if (tau) u += ConstMapJoint(tau + l.v_begin, n);
        if (l.parent < 0) continue;
        // pa = pA + IA c + U D^-1 (u - U^T c)
        const VecJoint y = t.d_inverse.topLeftCorner(n, n) * (u - t.u.leftCols(n).transpose() * m.c);
        const Vec6 pa = a[i] + t.ia * m.c + t.u.leftCols(n) * y;
        a[l.parent] += shift_force(m.r, pa);
    }
    for (int i = links.begin; i < links.end; ++i) {
        const Link& l = f.links[i];
        const LinkMotion& m = motion[i];
        const LinkFactor& t = factor[i];
        const int n = l.v_count;
        const Vec6 carried = shift_motion(m.r, l.parent < 0 ? base_of(l, bases).a : a[l.parent]) + m.c;
        MapJoint out(qdd + l.v_begin, n);
        const VecJoint rest = out - t.u.leftCols(n).transpose() * carried;
        out = t.d_inverse.topLeftCorner(n, n) * rest;
        a[i] = carried + m.s.leftCols(n) * out;
    }
}

void add_generalised(const Forest& f, const LinkMotion* motion, int link, const Vec6& force, Real* out) {
    Vec6 at = force;
    for (int i = link; i >= 0; i = f.links[i].parent) {
        const Link& l = f.links[i];
        for (int k = 0; k < l.v_count; ++k) out[l.v_begin + k] += motion[i].s.col(k).dot(at);
        at = shift_force(motion[i].r, at);
    }
}

// second half of the response: `work` holds u of each joint, and becomes the change of velocity of each link
static void respond_down(const Forest& f, Range links, const LinkMotion* motion, const LinkFactor* factor, Real* out,
                         Vec6* work) {
    for (int i = links.begin; i < links.end; ++i) {
        const Link& l = f.links[i];
        const LinkFactor& t = factor[i];
        const int n = l.v_count;
        Vec6 carried = Vec6::Zero();
        if (l.parent >= 0) carried = shift_motion(motion[i].r, work[l.parent]);
        const VecJoint u = work[i].head(n) - t.u.leftCols(n).transpose() * carried;
        const VecJoint y = t.d_inverse.topLeftCorner(n, n) * u;
        MapJoint(out + l.v_begin, n) += y;
        work[i] = carried + motion[i].s.leftCols(n) * y;
    }
}

void add_response(const Forest& f, Range links, const LinkMotion* motion, const LinkFactor* factor, int link,
                  const Vec6& force, const Real* tau, Real* out, Vec6* work) {
    for (int i = links.begin; i < links.end; ++i) work[i].setZero();
    Vec6 at = force;
    for (int i = link; i >= 0; i = f.links[i].parent) { // up along the path to the root only
        const LinkFactor& t = factor[i];
        const int n = f.links[i].v_count;
        VecJoint u = motion[i].s.leftCols(n).transpose() * at;
        if (i == link && tau) u += ConstMapJoint(tau, n);
        work[i].head(n) = u;
        const VecJoint y = t.d_inverse.topLeftCorner(n, n) * u;
        at -= t.u.leftCols(n) * y;
        at = shift_force(motion[i].r, at);
    }
    respond_down(f, links, motion, factor, out, work);
}

void add_responses(const Forest& f, Range links, const LinkMotion* motion, const LinkFactor* factor, const Vec6* impulse,
                   Real* out, Vec6* work) {
    for (int i = links.begin; i < links.end; ++i) work[i] = impulse[i];
    for (int i = links.end - 1; i >= links.begin; --i) {
        const LinkFactor& t = factor[i];
        const int n = f.links[i].v_count, parent = f.links[i].parent;
        const VecJoint u = motion[i].s.leftCols(n).transpose() * work[i];
        const VecJoint y = t.d_inverse.topLeftCorner(n, n) * u;
        const Vec6 rest = work[i] - t.u.leftCols(n) * y;
        if (parent >= 0) work[parent] += shift_force(motion[i].r, rest);
        work[i].head(n) = u;
    }
    respond_down(f, links, motion, factor, out, work);
}

void compute_mass_matrix(const Forest& f, Range links, const LinkMotion* motion, std::span<Real> h,
                         std::vector<Mat6>& composite) {
    const int first = links.begin < links.end ? f.links[links.begin].v_begin : 0;
    int size = 0;
    for (int i = links.begin; i < links.end; ++i) size += f.links[i].v_count;
    Eigen::Map<MatX> H(h.data(), size, size);
    H.setZero();
    composite.resize(links.count());
    for (int i = links.begin; i < links.end; ++i) composite[i - links.begin] = spatial_inertia(f.links[i], motion[i]);
    for (int i = links.end - 1; i >= links.begin; --i) {
        const Link& l = f.links[i];
        if (l.parent >= 0) add_shifted(motion[i].r, composite[i - links.begin], composite[l.parent - links.begin]);
        for (int k = 0; k < l.v_count; ++k) {
            // force that gives a unit acceleration of this joint, seen from every joint on the way to the root
            Vec6 force = composite[i - links.begin] * motion[i].s.col(k);
            for (int j = i; j >= 0; j = f.links[j].parent) {
                const Link& to = f.links[j];
                for (int n = 0; n < to.v_count; ++n) {
                    const Real x = motion[j].s.col(n).dot(force);
                    H(to.v_begin - first + n, l.v_begin - first + k) = x;
                    H(l.v_begin - first + k, to.v_begin - first + n) = x;
                }
                force = shift_force(motion[j].r, force);
            }
        }
    }
    for (int i = 0; i < size; ++i) H(i, i) += f.springs[first + i].armature;
}

void compute_joint_forces(const Forest& f, Range links, const Bases& bases, const LinkMotion* motion,
                          const Real* qdd, const Vec6* force, Real* tau, Vec6* joint) {
    for (int i = links.begin; i < links.end; ++i) { // `joint` holds accelerations on the way down
        const Link& l = f.links[i];
        joint[i] = shift_motion(motion[i].r, l.parent < 0 ? base_of(l, bases).a : joint[l.parent]) + motion[i].c;
        for (int k = 0; k < l.v_count; ++k) joint[i] += qdd[l.v_begin + k] * motion[i].s.col(k);
    }
    for (int i = links.begin; i < links.end; ++i)
        joint[i] = inertial_force(f.links[i], motion[i], joint[i], force ? force + i : nullptr);
    for (int i = links.end - 1; i >= links.begin; --i) {
        const Link& l = f.links[i];
        for (int k = 0; k < l.v_count; ++k)
            tau[l.v_begin + k] = motion[i].s.col(k).dot(joint[i]) + f.springs[l.v_begin + k].armature * qdd[l.v_begin + k];
        if (l.parent >= 0) joint[l.parent] += shift_force(motion[i].r, joint[i]);
    }
}

TreeMomentum compute_momentum(const Forest& f, Range links, const LinkMotion* motion) {
    TreeMomentum t;
    for (int i = links.begin; i < links.end; ++i) {
        t.mass += f.links[i].mass;
        t.center += f.links[i].mass * motion[i].p;
        t.linear += f.links[i].mass * motion[i].v.head<3>();
    }
    t.center /= t.mass;
    for (int i = links.begin; i < links.end; ++i) {
        const LinkMotion& m = motion[i];
        const Vec3 arm = m.p - t.center;
        t.angular += f.links[i].mass * arm.cross(m.v.head<3>()) + m.inertia * m.v.tail<3>();
        t.inertia += m.inertia + f.links[i].mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
    }
    return t;
}

Real kinetic_energy(const Forest& f, Range links, const LinkMotion* motion) {
    Real e = 0;
    for (int i = links.begin; i < links.end; ++i) {
        const Vec6& v = motion[i].v;
        e += 0.5 * f.links[i].mass * v.head<3>().squaredNorm() + 0.5 * v.tail<3>().dot(motion[i].inertia * v.tail<3>());
    }
    return e;
}

} // namespace sinew
