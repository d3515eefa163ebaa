// The force of a drive (joint_drive.h) for energy solvers, which have no rows to clamp, and the damping of soft rows:
//   lambda_r = clamp(-C_r/alpha - gain (dC_r/dt - rate_r), -limit, limit)  or  -damping dC_r/dt,  f = J^T lambda
// and its derivatives. With J at exp(d) q the row J(d) . t has the derivative H + 1/2 K, where t . K d = J_rot . (t x d): the
// second derivative H is that of C(exp(d) q), symmetric, and rotations do not commute.
#pragma once
#include "constraint/constraint.h"

namespace sinew {

// drives say `static constexpr bool driven = true`
template <class C> constexpr bool is_driven() {
    if constexpr (requires { C::driven; }) return C::driven;
    else return false;
}

template <class C> struct DriveForce : ElementsOf<C> {
    using ElementsOf<C>::N, ElementsOf<C>::P, ElementsOf<C>::F, ElementsOf<C>::load, ElementsOf<C>::data_of,
        ElementsOf<C>::context, ElementsOf<C>::store;
    static constexpr int R = C::rows;

    static VecN<N> rates(const StencilOf<C>& x) {
        VecN<N> v;
        for (int i = 0; i < P; ++i) v.template segment<3>(3 * i) = x.v[i];
        for (int i = 0; i < F; ++i) {
            v.template segment<3>(3 * P + 6 * i) = x.frame_v[i];
            v.template segment<3>(3 * P + 6 * i + 3) = x.frame_w[i];
        }
        return v;
    }
    // multiplier of row r and whether the limit cuts it
    static std::pair<Real, bool> multiplier(const typename C::Data& d, const StepContext& c, Real value, Real rate, int r) {
        if constexpr (!is_driven<C>()) return {-C::damping(d) * rate, false};
        else {
            const Real alpha = C::compliance(d), wanted = C::rate(d, c)[r];
            const Real raw = (alpha > 0 ? -value / alpha : 0) - C::gain(d, wanted) * (rate - wanted);
            return {std::clamp(raw, -C::limit(d), C::limit(d)), std::abs(raw) > C::limit(d)};
        }
    }
    // derivatives of -lambda by C and by its rate
    static std::pair<Real, Real> slopes(const typename C::Data& d, const StepContext& c, int r) {
        if constexpr (is_driven<C>()) return {C::compliance(d) > 0 ? 1 / C::compliance(d) : 0, C::gain(d, C::rate(d, c)[r])};
        else return {0, C::damping(d)};
    }

    static void force(const Table& t, const Evaluation& ev, int begin, int end, Real* out) {
        StepContext c = context(ev);
        StencilOf<C> x;
        for (int e = begin; e < end; ++e, out += N) {
            Eigen::Map<VecN<N>> f(out);
            f.setZero();
            if (!load(t, ev, e, true, x, c)) continue;
            const auto local = C::template eval<1>(data_of(t, e), c, x);
            const VecN<R> rate = local.jacobian * rates(x);
            for (int r = 0; r < R; ++r)
                f += multiplier(data_of(t, e), c, local.c[r], rate[r], r).first * local.jacobian.row(r).transpose();
        }
    }
    static void force_derivatives(const Table& t, const Evaluation& ev, int begin, int end, Real* dfdx, Real* dfdv) {
        StepContext c = context(ev);
        StencilOf<C> x;
        for (int e = begin; e < end; ++e, dfdx += N * N, dfdv += N * N) {
            MatN<N> by_x = MatN<N>::Zero(), by_v = MatN<N>::Zero();
            if (load(t, ev, e, true, x, c)) {
                const typename C::Data& d = data_of(t, e);
                const auto local = C::template eval<2>(d, c, x);
                const VecN<N> v = rates(x);
                for (int r = 0; r < R; ++r) {
                    const VecN<N> j = local.jacobian.row(r).transpose();
                    MatN<N> dj = local.hessian[r]; // of J(d) . t
                    for (int i = 0; i < F; ++i) {
                        const int k = 3 * P + 6 * i + 3;
                        dj.template block<3, 3>(k, k) -= 0.5 * skew(j.template segment<3>(k));
                    }
                    const auto [lambda, is_cut] = multiplier(d, c, local.c[r], j.dot(v), r);
                    by_x += lambda * dj;
                    if (is_cut) continue;
                    const auto [stiffness, gain] = slopes(d, c, r);
                    by_x -= j * (stiffness * j + gain * dj.transpose() * v).transpose();
                    by_v -= gain * j * j.transpose();
                }
            }
            store(by_x, dfdx);
            store(by_v, dfdv);
        }
    }
};

} // namespace sinew
