// Turns a constraint (constraint.h) into an ElementRow: its rows C, J for dual solvers, and the same entry as the energy
//   E = 1/(2 alpha) C^T C,  grad E = J^T C / alpha,  Hess E = (J^T J + sum_k C_k Hess C_k) / alpha
// for energy solvers. One-sided rows count only where C < 0. Rigid rows (alpha = 0) take kPenalty instead: dual solvers keep
// them exactly, energy solvers as stiff springs. Drives (joint_drive.h) are forces for energy solvers. Included by the generated source files only.
#pragma once
#include "constraint/drive_of.h"
#include "linalg/psd.h"
#include "model/dual_of.h"

namespace sinew {

inline constexpr Real kPenalty = 1e-7; // [m/N] compliance of rigid rows in energy solvers

template <class C> struct ConstraintLoops : ElementsOf<C> {
    using ElementsOf<C>::N, ElementsOf<C>::load, ElementsOf<C>::data_of, ElementsOf<C>::context, ElementsOf<C>::kMatrix,
        ElementsOf<C>::store;
    static constexpr int kSize = kMatrix * kMatrix; // reals per element matrix
    static constexpr int R = C::rows;

    static Real softness(const typename C::Data& d) {
        const Real alpha = C::compliance(d);
        return alpha > 0 ? alpha : kPenalty;
    }
    template <int Order> static auto active_rows(const typename C::Data& d, const StepContext& c, const StencilOf<C>& x) {
        auto local = C::template eval<Order>(d, c, x);
        if (C::bound(d) == Bound::lower)
            for (int r = 0; r < R; ++r)
                if (local.c[r] > 0) {
                    local.c[r] = 0;
                    if constexpr (Order >= 1) local.jacobian.row(r).setZero();
                    if constexpr (Order >= 2) local.hessian[r].setZero();
                }
        return local;
    }

    static Real value(const Table& t, const Evaluation& ev, int begin, int end) {
        StepContext c = context(ev);
        StencilOf<C> x;
        Real sum = 0;
        for (int e = begin; e < end; ++e)
            if (load(t, ev, e, false, x, c))
                sum += active_rows<0>(data_of(t, e), c, x).c.squaredNorm() / (2 * softness(data_of(t, e)));
        return sum;
    }
    static void gradient(const Table& t, const Evaluation& ev, int begin, int end, Real* out) {
        StepContext c = context(ev);
        StencilOf<C> x;
        for (int e = begin; e < end; ++e, out += N) {
            Eigen::Map<VecN<N>> g(out);
            g.setZero();
            if (!load(t, ev, e, false, x, c)) continue;
            const auto local = active_rows<1>(data_of(t, e), c, x);
            g = local.jacobian.transpose() * local.c / softness(data_of(t, e));
        }
    }
    static void hessian(const Table& t, const Evaluation& ev, int begin, int end, Projection how, Real* out) {
        StepContext c = context(ev);
        StencilOf<C> x;
        for (int e = begin; e < end; ++e, out += kSize) {
            if (!load(t, ev, e, false, x, c)) {
                std::fill(out, out + kSize, 0.0);
                continue;
            }
            const auto local = active_rows<2>(data_of(t, e), c, x);
            MatN<N> h = local.jacobian.transpose() * local.jacobian;
            if (how != Projection::gauss_newton)
                for (int r = 0; r < R; ++r) h += local.c[r] * local.hessian[r];
            store(h / softness(data_of(t, e)), out);
            if (how == Projection::clamp || how == Projection::absolute)
                project_psd(out, kMatrix, how == Projection::clamp ? PsdMode::clamp : PsdMode::absolute);
        }
    }
    static void constraint(const Table& t, const Evaluation& ev, int begin, int end, Real* c_out, Real* jacobian) {
        using RowMajor = Eigen::Matrix<Real, R, N, (R == 1 || N > 1) ? Eigen::RowMajor : Eigen::ColMajor>;
        StepContext c = context(ev);
        StencilOf<C> x;
        for (int e = begin; e < end; ++e, c_out += R) {
            Eigen::Map<VecN<R>> value(c_out);
            value.setZero();
            const bool present = load(t, ev, e, false, x, c);
            if (!jacobian) {
                if (present) value = C::template eval<0>(data_of(t, e), c, x).c;
                continue;
            }
            Eigen::Map<RowMajor> j(jacobian + std::size_t(e - begin) * R * N);
            j.setZero();
            if (!present) continue;
            const auto local = C::template eval<1>(data_of(t, e), c, x);
            value = local.c;
            j = local.jacobian;
        }
    }
    static void constraint_hessian(const Table& t, const Evaluation& ev, int begin, int end, const Real* lambda, Real* out) {
        StepContext c = context(ev);
        StencilOf<C> x;
        for (int e = begin; e < end; ++e, out += kSize, lambda += R) {
            MatN<N> h = MatN<N>::Zero();
            if (load(t, ev, e, false, x, c)) {
                const auto local = C::template eval<2>(data_of(t, e), c, x);
                for (int r = 0; r < R; ++r) h += lambda[r] * local.hessian[r];
            }
            store(h, out);
        }
    }
    static Real compliance(const Table& t, int e) { return C::compliance(data_of(t, e)); }
    static Bound bound(const Table& t, int e) { return C::bound(data_of(t, e)); }
    static Real damping(const Table& t, int e) {
        if constexpr (requires(const typename C::Data& d) { C::damping(d); }) return C::damping(data_of(t, e));
        else return 0;
    }
    static Level level(const Table& t, int e) {
        if constexpr (requires(const typename C::Data& d) { C::level(d); }) return C::level(data_of(t, e));
        else return Level::position;
    }
    static Real limit(const Table& t, int e) {
        if constexpr (requires(const typename C::Data& d) { C::limit(d); }) return C::limit(data_of(t, e));
        else return 0;
    }
    static void rate(const Table& t, const Evaluation& ev, int begin, int end, Real* out) {
        if constexpr (requires(const typename C::Data& d, const StepContext& c) { C::rate(d, c); }) {
            StepContext c = context(ev);
            StencilOf<C> x;
            for (int e = begin; e < end; ++e, out += R) {
                Eigen::Map<VecN<R>> to(out);
                to.setZero();
                if (load(t, ev, e, false, x, c)) to = C::rate(data_of(t, e), c);
            }
        } else {
            std::fill(out, out + std::size_t(end - begin) * R, 0.0);
        }
    }
};

// the rows as position projection takes them
template <class C> struct ConstraintRows {
    using Entry = C;
    using Data = typename C::Data;
    static constexpr int rows = C::rows;
    template <int Order> static auto eval(const Data& d, const StepContext& c, const StencilOf<C>& x) {
        return C::template eval<Order>(d, c, x);
    }
    static Real damping(const Data& d) {
        if constexpr (requires { C::damping(d); }) return C::damping(d);
        else return -1;
    }
    static Level level(const Data& d) {
        if constexpr (requires { C::level(d); }) return C::level(d);
        else return Level::position;
    }
    // rows that hold a velocity with a damper c have 1/c here
    static Real compliance(const Data& d) {
        if (level(d) == Level::velocity) return damping(d) > 0 ? 1 / damping(d) : 0;
        return C::compliance(d);
    }
    static Real damping_time(const Data& d) { return damping(d) < 0 ? -1 : damping(d) * C::compliance(d); }
    static Bound bound(const Data& d) { return C::bound(d); }
    static Real limit(const Data& d) {
        if constexpr (requires { C::limit(d); }) return C::limit(d);
        else return 1e300;
    }
    static VecN<rows> rate(const Data& d, const StepContext& c)
        requires requires { C::rate(d, c); }
    {
        return C::rate(d, c);
    }
};

template <Constraint C> ElementRow make_constraint_row() {
    using L = ConstraintLoops<C>;
    ElementRow row = make_common_row<C>();
    row.rows = C::rows;
    row.views = kConstraint;
    if constexpr (is_driven<C>()) {
        row.views |= kForce;
        row.force = DriveForce<C>::force;
        row.force_derivatives = DriveForce<C>::force_derivatives;
    } else {
        row.views |= kValue | kHessian;
        row.value = L::value;
        row.gradient = L::gradient;
        row.hessian = L::hessian;
        if constexpr (requires(const typename C::Data& d) { C::damping(d); }) {
            row.views |= kForce;
            row.force = DriveForce<C>::force;
            row.force_derivatives = DriveForce<C>::force_derivatives;
        }
    }
    row.constraint = L::constraint;
    row.constraint_hessian = L::constraint_hessian;
    row.compliance = L::compliance;
    row.bound = L::bound;
    if constexpr (requires(const typename C::Data& d) { C::damping(d); }) row.damping = L::damping;
    if constexpr (requires(const typename C::Data& d) { C::level(d); }) row.level = L::level;
    if constexpr (requires(const typename C::Data& d, const StepContext& c) { C::rate(d, c); }) row.rate = L::rate;
    if constexpr (requires(const typename C::Data& d) { C::limit(d); }) row.limit = L::limit;
    return row;
}

template <Constraint C> const DualView* make_constraint_dual() { return make_dual_view<ConstraintRows<C>>(true); }

} // namespace sinew
