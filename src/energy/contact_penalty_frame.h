// The penalty of contact_penalty.h for a surface vertex fixed in a rigid body.  x = p + r, r = q local
//   J = [ n ; r x n ],   grad E = k gap J,   Hess E = k (J J^T + gap H),
//   H = 1/2 (n r^T + r n^T) - (n . r) I on the rotations: the second derivative of n . exp(theta) r at theta = 0
#pragma once
#include "energy/contact_penalty.h"

namespace sinew {

struct ContactPenaltyFrame {
    static constexpr std::string_view name = "contact_penalty_frame";
    static constexpr std::string_view doc = "penalty force of an obstacle on a rigid body";
    static constexpr Share share = Share::contact;
    static constexpr int points = 0, frames = 1;
    static constexpr int sample_kinds = 2; // penetrating, clear of the obstacle
    struct Params {
        ContactPenalty::Params contact;
        Real3 local;
    };
    struct Data {
        ContactPenalty::Data contact;
        Real3 local;
    };

    template <class V> static void fields(Params& p, V&& v) { ContactPenalty::fields(p.contact, v); }
    static Data prepare(const Params& p, const RestView& rest) { return {ContactPenalty::prepare(p.contact, rest), p.local}; }

    static VecN<6> jacobian(const Data& d, const Vec3& r) {
        VecN<6> j;
        j << vec(d.contact.normal), r.cross(vec(d.contact.normal));
        return j;
    }
    template <int Order> static Local<6, Order> eval(const Data& d, const StepContext&, const Stencil<0, 1>& s) {
        Local<6, Order> out;
        const Vec3 r = s.q[0] * vec(d.local), n = vec(d.contact.normal);
        const Real depth = ContactPenalty::gap(d.contact, s.p[0] + r), k = d.contact.stiffness;
        if (depth >= 0) return out;
        out.value = 0.5 * k * depth * depth;
        if constexpr (Order >= 1) {
            const VecN<6> j = jacobian(d, r);
            out.gradient = k * depth * j;
            if constexpr (Order >= 2) {
                const Mat3 curve = 0.5 * (n * r.transpose() + r * n.transpose()) - n.dot(r) * Mat3::Identity();
                out.hessian = k * j * j.transpose();
                out.hessian.template bottomRightCorner<3, 3>() += k * depth * curve;
            }
        }
        return out;
    }
    // the gap at the start of the step, which switches the damping as in contact_penalty.h
    static Real start_gap(const Data& d, const StepContext& c, const Stencil<0, 1>& s) {
        const int i = c.stencil[0];
        const Vec3 x = c.p_now ? Vec3(vec(c.p_now[i]) + quat(c.q_now[i]) * vec(d.local)) : Vec3(s.p[0] + s.q[0] * vec(d.local));
        return ContactPenalty::gap(d.contact, x);
    }
    // damping along the normal
    template <int Order> static LocalForce<6, Order> force(const Data& d, const StepContext& c, const Stencil<0, 1>& s) {
        LocalForce<6, Order> out;
        const Vec3 r = s.q[0] * vec(d.local);
        if (start_gap(d, c, s) >= 0) return out;
        const VecN<6> j = jacobian(d, r);
        const Vec3 v = s.frame_v[0] + s.frame_w[0].cross(r) - vec(d.contact.velocity);
        const Real approach = vec(d.contact.normal).dot(v);
        if (approach >= 0) return out;
        out.force = -d.contact.damping * approach * j;
        if constexpr (Order >= 1) {
            out.dfdv = -d.contact.damping * j * j.transpose();
            // approach = n.(v + w x r), j = (n, r x n); dr = dtheta x r
            const Vec3 n = vec(d.contact.normal), w = s.frame_w[0];
            VecN<6> da = VecN<6>::Zero(); // d approach / d(p, theta)
            da.template tail<3>() = r.cross(n.cross(w));
            MatN<6> dj = MatN<6>::Zero();
            dj.template bottomRightCorner<3, 3>() = skew(n) * skew(r); // d(r x n) = (dtheta x r) x n
            out.dfdx = -d.contact.damping * (j * da.transpose() + approach * dj);
        }
        return out;
    }
    static Sample<ContactPenaltyFrame> sample(Rng& rng, int which) {
        const Sample<ContactPenalty> contact = ContactPenalty::sample(rng, which);
        Sample<ContactPenaltyFrame> out{{contact.data, real3(draw_vec(rng, -0.5, 0.5))}, {}};
        out.at.q[0] = exp_rotation(draw_vec(rng, -2, 2));
        out.at.p[0] = contact.at.x[0] - out.at.q[0] * vec(out.data.local);
        out.at.frame_v[0] = contact.at.v[0];
        out.at.frame_w[0] = draw_vec(rng, -1, 1);
        return out;
    }
};

} // namespace sinew
