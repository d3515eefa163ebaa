// Penalty on the deepest place inside an edge or a triangle, so that what is narrower than the cells of a surface does not
// pass between its vertices.
//   D    depth of the deepest place of the element in an obstacle [m], at least 0
//   q_i  the same of each part of its border: the ends of an edge, the edges of a triangle; q_i <= D
//   E = 1/2 k D^2 prod_i (1 - q_i^2/D^2)
// Where the border is clear of the obstacle this is the 1/2 k D^2 of a vertex. Where the deepest place is on the border,
// which tells it itself, E is zero: a sheet flat on a face has nothing but its vertices. D is a maximum over the element, so
// that grad D is that of the place alone, -w_j n at vertex j (the envelope theorem), and equal to grad q_i when the place
// arrives at part i: E has a continuous gradient while places walk over the surface. A sum of 1/2 k D^2 over the nearest
// places jumps there, and Newton's method stalls. With S_2 = sum_i<j q_i^2 q_j^2 and S_3 = prod q_i^2 (0 for an edge)
//   E = k/2 (D^2 - sum q_i^2 + S_2/D^2 - S_3/D^4)
// Places and normals are frozen at detection, as in contact_penalty.h; the element's own depths then are linear.
//   damping f = -c_n s min(0, n . (v - v_obstacle)) n, s the product above at detection, where the step starts with D > 0
#pragma once
#include "energy/energy.h"
#include "model/contacts.h"

namespace sinew {

template <int N> struct ContactInside {
    static constexpr Share share = Share::contact;
    static constexpr int points = N;
    static constexpr int sample_kinds = 4; // border clear, partly in, wholly in; element clear
    using Place = InsideContact::Place;
    struct Params {
        Real stiffness = 1e4, damping = 0;
        Place deepest;
        std::array<Place, 3> border;
        Real3 velocity{}; // of the obstacle [m/s]
        Real part = 1;    // s
    };
    using Data = Params;

    template <class V> static void fields(Params& p, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "force per depth"});
        v("damping", p.damping, Field{.min = 0, .unit = "N s/m", .doc = "normal damping while approaching"});
    }
    static Data prepare(const Params& p, const RestView&) { return p; }

    template <class Positions> static Real depth(const Place& p, const Positions& x) {
        Vec3 at = -vec(p.at);
        for (int j = 0; j < N; ++j) at += p.weight[j] * x[j];
        return std::max(0.0, -vec(p.normal).dot(at));
    }
    // q_0 ... q_N-1, D
    static std::array<Real, N + 1> depths(const Data& d, const std::array<Vec3, N>& x) {
        std::array<Real, N + 1> q;
        for (int i = 0; i < N; ++i) q[i] = depth(d.border[i], x);
        q[N] = depth(d.deepest, x);
        return q;
    }
    static bool is_inside(const std::array<Real, N + 1>& q) {
        return q[N] > 0 && std::all_of(q.begin(), q.begin() + N, [&](Real b) { return b < q[N]; });
    }
    static Real product(const std::array<Real, N + 1>& q, int but = -1, int nor = -1) {
        Real p = 1;
        for (int i = 0; i < N; ++i)
            if (i != but && i != nor) p *= 1 - (q[i] / q[N]) * (q[i] / q[N]);
        return p;
    }

    template <int Order> static Local<3 * N, Order> eval(const Data& d, const StepContext&, const Stencil<N>& s) {
        Local<3 * N, Order> out;
        const auto q = depths(d, s.x);
        if (!is_inside(q)) return out;
        const Real k = d.stiffness, D = q[N];
        out.value = 0.5 * k * D * D * product(q);
        if constexpr (Order >= 1) {
            // by the depths, then by the points: each depth is linear in them
            std::array<VecN<3 * N>, N + 1> by_points;
            for (int i = 0; i <= N; ++i) {
                const Place& p = i < N ? d.border[i] : d.deepest;
                for (int j = 0; j < N; ++j)
                    by_points[i].template segment<3>(3 * j) = q[i] > 0 ? Vec3(-p.weight[j] * vec(p.normal)) : Vec3(Vec3::Zero());
            }
            Real pairs = 0, all = N == 3 ? 1 : 0; // S_2, S_3
            for (int i = 0; i < N; ++i) {
                for (int j = i + 1; j < N; ++j) pairs += q[i] * q[i] * q[j] * q[j];
                all *= q[i] * q[i];
                out.gradient += -k * q[i] * product(q, i) * by_points[i];
            }
            out.gradient += k * (D - pairs / (D * D * D) + 2 * all / (D * D * D * D * D)) * by_points[N];
            if constexpr (Order >= 2) {
                out.hessian += k * (1 + 3 * pairs / (D * D * D * D) - 10 * all / (D * D * D * D * D * D)) * by_points[N] * by_points[N].transpose();
                for (int i = 0; i < N; ++i) {
                    out.hessian += -k * product(q, i) * by_points[i] * by_points[i].transpose();
                    Real mixed = 0; // d2E/dq_i dD
                    for (int j = 0; j < N; ++j) {
                        if (j == i) continue;
                        const Real rest = product(q, i, j) * q[i] * q[j] / (D * D);
                        mixed -= 2 * k * rest * q[j] / D;
                        out.hessian += 2 * k * rest * by_points[i] * by_points[j].transpose();
                    }
                    out.hessian += mixed * (by_points[i] * by_points[N].transpose() + by_points[N] * by_points[i].transpose());
                }
            }
        }
        return out;
    }
    template <int Order> static LocalForce<3 * N, Order> force(const Data& d, const StepContext& c, const Stencil<N>& s) {
        LocalForce<3 * N, Order> out;
        std::array<Vec3, N> start = s.x;
        if (c.x_now)
            for (int j = 0; j < N; ++j) start[j] = c.x_start(j);
        const Vec3 n = vec(d.deepest.normal);
        VecN<3 * N> direction;
        Real approach = -n.dot(vec(d.velocity));
        for (int j = 0; j < N; ++j) {
            direction.template segment<3>(3 * j) = d.deepest.weight[j] * n;
            approach += d.deepest.weight[j] * n.dot(s.v[j]);
        }
        if (!(depth(d.deepest, start) > 0) || approach >= 0) return out;
        out.force = -d.part * d.damping * approach * direction;
        if constexpr (Order >= 1) out.dfdv = -d.part * d.damping * direction * direction.transpose();
        return out;
    }

    template <class Energy> static Sample<Energy> draw(Rng& rng, int which) {
        Sample<Energy> out{};
        Data& d = out.data;
        d.stiffness = draw_uniform(rng, 10, 1e3), d.damping = draw_uniform(rng, 0, 5), d.part = draw_uniform(rng, 0, 1);
        for (Vec3& x : out.at.x) x = draw_vec(rng, -1, 1);
        for (Vec3& v : out.at.v) v = draw_vec(rng, -1, 1);
        // planes at given depths
        const auto place = [&](std::array<Real, 3> weight, Real depth) {
            Vec3 x = Vec3::Zero();
            for (int j = 0; j < N; ++j) x += weight[j] * out.at.x[j];
            const Vec3 n = draw_uniform(rng, 0.6, 1) * draw_direction(rng);
            return Place{weight, real3(n), real3(x + depth / n.squaredNorm() * n)};
        };
        const Real D = which == 3 ? -0.3 : draw_uniform(rng, 0.4, 0.6), w = draw_uniform(rng, 0.2, 0.4);
        d.deepest = place(N == 2 ? std::array{w, 1 - w, 0.0} : std::array{w, 0.3, 0.7 - w}, D);
        for (int i = 0; i < N; ++i) {
            const Real q = which == 0 || (which == 1 && i == 0) ? -0.1 : draw_uniform(rng, 0.1, 0.3);
            std::array<Real, 3> weight{};
            weight[i] = N == 2 ? 1 : w;
            if (N == 3) weight[(i + 1) % 3] = 1 - w;
            d.border[i] = place(weight, q);
        }
        return out;
    }
};

} // namespace sinew
