// Shape matching (Mueller et al. 2005; spec U113): points of a region are drawn to where the region at rest would have them, moved as
// a rigid body as well as it can be.  One element per point and region,
//   E = 1/2 k sum_i m_i |x_i - c - R q_i|^2 over a region,   c = sum m x/sum m,  q_i = X_i - centre at rest
//   R the rotation nearest to A = sum_i m_i (x_i - c) q_i^T: polar decomposition (linalg/svd3.h)
//   k = (2 pi f)^2 [1/s^2], f the frequency of every deformation of the region
// c and R minimise E, so the force on a point is -k m_i (x_i - c - R q_i), as if they did not move: forces and torques of a region
// add up to nothing. The matrix of an element is k m_i (1 - m_i/M) I, M mass of the region: never less than what the others leave of
// it, since they only give way.
// One element alone has no invariances; a region has those of a body, and no force at rest.
// Position projection takes a region as rows together (solver/position_whole.h).
#pragma once
#include "energy/energy.h"
#include "linalg/svd3.h"
#include <Eigen/LU>

namespace sinew {

struct ShapeMatch {
    static constexpr std::string_view name = "shape_match";
    static constexpr std::string_view doc = "draws the points of a region to its shape at rest, moved as a rigid body";
    static constexpr Share share = Share::elastic;
    static constexpr int points = 1;
    struct Params {
        Real frequency = 10;
        Real3 center{0, 0, 0}; // [m] of the region at rest; this and the rest: set by the scene compiler
        Real region_mass = 1;  // [kg]
        Real weight = 1;       // share of the point's mass
        int region = 0;
    };
    struct Data {
        Real stiffness, mass, region_mass; // [1/s^2], [kg]
        std::array<Real, 3> q;             // [m]
        std::int64_t region;
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("frequency", p.frequency, Field{.min = 0, .min_exclusive = true, .unit = "1/s", .doc = "of every deformation of a region"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        const Vec3 q = vec(rest.x[0]) - vec(p.center);
        const Real w = 2 * kPi * p.frequency;
        return {w * w, p.weight * (rest.mass.empty() ? 1 : rest.mass[0]), p.region_mass, {q[0], q[1], q[2]}, p.region};
    }
    static const Data& data(const Table& t, int e) { return *reinterpret_cast<const Data*>(t.data.data() + std::size_t(e) * sizeof(Data)); }
    static int region(const Table& t, int e) { return int(data(t, e).region); }
    // elements of the region of element e: they stand together
    static std::pair<int, int> range(const Table& t, int e) {
        const auto same = [&](int i) { return t.object[i] == t.object[e] && region(t, i) == region(t, e); };
        int begin = e, end = e + 1;
        while (begin > 0 && same(begin - 1)) --begin;
        while (end < t.count() && same(end)) ++end;
        return {begin, end};
    }

    struct Fit { // of a region
        Vec3 c = Vec3::Zero();
        Mat3 R = Mat3::Identity();
        Real mass = 0;
        Mat3 K_inverse = Mat3::Zero(); // zero where the rotation has no derivative
    };
    static Fit fit(const Table& t, const Real3* x, int begin, int end) {
        Fit f;
        for (int e = begin; e < end; ++e) {
            f.mass += data(t, e).mass;
            f.c += data(t, e).mass * vec(x[t.stencil[e]]);
        }
        if (!(f.mass > 0)) return f;
        f.c /= f.mass;
        Mat3 A = Mat3::Zero();
        Real size = 0; // of A if nothing were deformed
        for (int e = begin; e < end; ++e) {
            const Data& d = data(t, e);
            const Vec3 q(d.q[0], d.q[1], d.q[2]);
            A += d.mass * (vec(x[t.stencil[e]]) - f.c) * q.transpose();
            size += d.mass * q.squaredNorm();
        }
        f.R = compute_polar(A).R;
        const Mat3 S = f.R.transpose() * A, K = S.trace() * Mat3::Identity() - 0.5 * (S + S.transpose());
        if (K.determinant() > 1e-9 * size * size * size) f.K_inverse = K.inverse();
        return f;
    }
    // a sum over many points: no rows of its own (energy/row_of.h); `load` below has what eval needs
    static Real total(const Table&, const Evaluation&, int) { return 0; }

    // context.memory: c, then R
    template <int Order> static Local<3, Order> eval(const Data& d, const StepContext& c, const Stencil<1>& s) {
        Local<3, Order> out;
        const Eigen::Map<const Vec3> center(c.memory), q(d.q.data());
        const Eigen::Map<const Mat3> R(c.memory + 3);
        const Vec3 r = s.x[0] - center - R * q;
        out.value = 0.5 * d.stiffness * d.mass * r.squaredNorm();
        if constexpr (Order >= 1) out.gradient = d.stiffness * d.mass * r;
        if constexpr (Order >= 2) out.hessian = d.stiffness * d.mass * (1 - d.mass / d.region_mass) * Mat3::Identity();
        return out;
    }
    // a point is a region of its own: nothing deforms
    static Sample<ShapeMatch> sample(Rng& rng, int) {
        const Real mass = draw_uniform(rng, 0.1, 2);
        Sample<ShapeMatch> out{{draw_uniform(rng, 1, 100), mass, mass, {0, 0, 0}, 0}, {}};
        out.at.x[0] = draw_vec(rng, -1, 1);
        return out;
    }
};

// The fit of a region is made when its first element is loaded and serves the others of the same loop.
template <>
inline bool ElementsOf<ShapeMatch>::load(const Table& t, const Evaluation& ev, int e, bool, Stencil<1>& out, StepContext& c) {
    static thread_local std::array<Real, 12> place; // c and R, from `load` to `eval`
    const int point = t.stencil[e];
    if (ev.alive && !ev.alive[point]) return false;
    out.x[0] = vec(ev.x[point]);
    out.v[0].setZero();
    c.stencil = t.stencil.data() + e;
    if (c.total_of == t.object[e] && c.total == ShapeMatch::region(t, e)) return true;
    const auto [begin, end] = ShapeMatch::range(t, e);
    const ShapeMatch::Fit f = ShapeMatch::fit(t, ev.x, begin, end);
    Eigen::Map<Vec3>(place.data()) = f.c;
    Eigen::Map<Mat3>(place.data() + 3) = f.R;
    c.memory = place.data();
    c.total_of = t.object[e], c.total = ShapeMatch::region(t, e);
    return true;
}

} // namespace sinew
