// The penalty of contact_penalty.h for a point inside an edge or a triangle:  x = sum_i w_i x_i, sum w_i = 1
//   grad_i E = k gap w_i n,   Hess_ij E = k w_i w_j n n^T
// Weights are frozen at detection like the normal.
#pragma once
#include "energy/contact_penalty.h"

namespace sinew {

template <class E, int N> struct ContactPenaltyBlend {
    static constexpr Share share = Share::contact;
    static constexpr int points = N;
    static constexpr int sample_kinds = 2; // penetrating, clear of the obstacle
    struct Params {
        ContactPenalty::Params contact;
        std::array<Real, 3> weight{};
    };
    struct Data {
        ContactPenalty::Data contact;
        Real weight[N];
    };

    template <class V> static void fields(Params& p, V&& v) { ContactPenalty::fields(p.contact, v); }
    static Data prepare(const Params& p, const RestView& rest) {
        Data d{ContactPenalty::prepare(p.contact, rest), {}};
        for (int i = 0; i < N; ++i) d.weight[i] = p.weight[i];
        return d;
    }
    template <int Order> static Local<3 * N, Order> eval(const Data& d, const StepContext&, const Stencil<N>& s) {
        Local<3 * N, Order> out;
        const Real k = d.contact.stiffness, depth = gap_of(d, [&](int i) { return s.x[i]; });
        if (depth >= 0) return out;
        out.value = 0.5 * k * depth * depth;
        if constexpr (Order >= 1) {
            const VecN<3 * N> j = direction(d);
            out.gradient = k * depth * j;
            if constexpr (Order >= 2) out.hessian = k * j * j.transpose();
        }
        return out;
    }
    // damping along the normal, switched by the gap at the start of the step as in contact_penalty.h
    template <int Order> static LocalForce<3 * N, Order> force(const Data& d, const StepContext& c, const Stencil<N>& s) {
        LocalForce<3 * N, Order> out;
        Vec3 v = -vec(d.contact.velocity);
        for (int i = 0; i < N; ++i) v += d.weight[i] * s.v[i];
        const Real approach = vec(d.contact.normal).dot(v);
        if (gap_of(d, [&](int i) { return c.x_now ? c.x_start(i) : s.x[i]; }) >= 0 || approach >= 0) return out;
        const VecN<3 * N> j = direction(d);
        out.force = -d.contact.damping * approach * j;
        if constexpr (Order >= 1) out.dfdv = -d.contact.damping * j * j.transpose();
        return out;
    }
    static Sample<E> sample(Rng& rng, int which) {
        const Sample<ContactPenalty> contact = ContactPenalty::sample(rng, which);
        Sample<E> out{{contact.data, {}}, {}};
        Real sum = 0;
        for (int i = 0; i < N; ++i) sum += out.data.weight[i] = draw_uniform(rng, 0.1, 1);
        Vec3 middle = Vec3::Zero(), speed = Vec3::Zero();
        for (int i = 0; i < N; ++i) {
            out.data.weight[i] /= sum;
            out.at.x[i] = draw_vec(rng, -1, 1);
            out.at.v[i] = draw_vec(rng, -1, 1);
            middle += out.data.weight[i] * out.at.x[i], speed += out.data.weight[i] * out.at.v[i];
        }
        for (int i = 0; i < N; ++i) {
            out.at.x[i] += contact.at.x[0] - middle;
            out.at.v[i] += contact.at.v[0] - speed;
        }
        return out;
    }

private:
    template <class X> static Real gap_of(const Data& d, X&& x) {
        Vec3 at = Vec3::Zero();
        for (int i = 0; i < N; ++i) at += d.weight[i] * x(i);
        return ContactPenalty::gap(d.contact, at);
    }
    static VecN<3 * N> direction(const Data& d) {
        VecN<3 * N> j;
        for (int i = 0; i < N; ++i) j.template segment<3>(3 * i) = d.weight[i] * vec(d.contact.normal);
        return j;
    }
};

} // namespace sinew
