// Turns an energy (see energy.h) into an ElementRow of function pointers. Included by the generated source files only.
#pragma once
#include "energy/energy.h"
#include "linalg/psd.h"

namespace sinew {

// The loops over a range of elements of one entry.
template <class E> struct EnergyLoops : ElementsOf<E> {
    using ElementsOf<E>::N, ElementsOf<E>::load, ElementsOf<E>::data_of, ElementsOf<E>::context, ElementsOf<E>::kMatrix,
        ElementsOf<E>::store;
    static constexpr int kSize = kMatrix * kMatrix; // reals per element matrix

    static Real value(const Table& t, const Evaluation& ev, int begin, int end) {
        StepContext c = context(ev);
        StencilOf<E> x;
        Real sum = 0;
        for (int e = begin; e < end; ++e)
            if (load(t, ev, e, false, x, c)) sum += evaluate_energy<E, 0>(data_of(t, e), c, x).value;
        return sum;
    }
    static void gradient(const Table& t, const Evaluation& ev, int begin, int end, Real* out) {
        StepContext c = context(ev);
        StencilOf<E> x;
        for (int e = begin; e < end; ++e, out += N) {
            Eigen::Map<VecN<N>> g(out);
            if (load(t, ev, e, false, x, c)) g = evaluate_energy<E, 1>(data_of(t, e), c, x).gradient;
            else g.setZero();
        }
    }
    static void hessian(const Table& t, const Evaluation& ev, int begin, int end, Projection how, Real* out) {
        StepContext c = context(ev);
        StencilOf<E> x;
        for (int e = begin; e < end; ++e, out += kSize) {
            if (!load(t, ev, e, false, x, c)) {
                std::fill(out, out + kSize, 0.0);
                continue;
            }
            if constexpr (requires { E::hessian_psd(data_of(t, e), c, x); }) {
                constexpr bool is_nearest = !requires { E::hessian_gauss_newton(data_of(t, e), c, x); };
                if (how == Projection::clamp || (is_nearest && how == Projection::gauss_newton)) {
                    store(E::hessian_psd(data_of(t, e), c, x), out);
                    continue;
                }
            }
            if constexpr (requires { E::hessian_gauss_newton(data_of(t, e), c, x); }) {
                if (how == Projection::gauss_newton) {
                    store(E::hessian_gauss_newton(data_of(t, e), c, x), out);
                    continue;
                }
            }
            store(evaluate_energy<E, 2>(data_of(t, e), c, x).hessian, out);
            if (how != Projection::none)
                project_psd(out, kMatrix, how == Projection::absolute ? PsdMode::absolute : PsdMode::clamp);
        }
    }
    static void force(const Table& t, const Evaluation& ev, int begin, int end, Real* out) {
        StepContext c = context(ev);
        StencilOf<E> x;
        for (int e = begin; e < end; ++e, out += N) {
            Eigen::Map<VecN<N>> f(out);
            if (load(t, ev, e, true, x, c)) f = E::template force<0>(data_of(t, e), c, x).force;
            else f.setZero();
        }
    }
    static void force_derivatives(const Table& t, const Evaluation& ev, int begin, int end, Real* dfdx, Real* dfdv) {
        StepContext c = context(ev);
        StencilOf<E> x;
        for (int e = begin; e < end; ++e, dfdx += kSize, dfdv += kSize) {
            if (load(t, ev, e, true, x, c)) {
                const auto local = E::template force<1>(data_of(t, e), c, x);
                store(local.dfdx, dfdx);
                store(local.dfdv, dfdv);
            } else {
                std::fill(dfdx, dfdx + kSize, 0.0);
                std::fill(dfdv, dfdv + kSize, 0.0);
            }
        }
    }
    static void finish(const Table& t, const Evaluation& ev, int begin, int end, Real* memory) {
        if constexpr (memory_of<E>() > 0) {
            StepContext c = context(ev);
            StencilOf<E> x;
            for (int e = begin; e < end; ++e, memory += memory_of<E>())
                if (load(t, ev, e, false, x, c)) E::finish(data_of(t, e), c, x, memory);
        }
    }
    static int inverted(const Table& t, const Evaluation& ev, int begin, int end) {
        int count = 0;
        if constexpr (requires(StencilOf<E> x) { E::is_inverted(data_of(t, 0), x); }) {
            StepContext c = context(ev);
            StencilOf<E> x;
            for (int e = begin; e < end; ++e)
                if (load(t, ev, e, false, x, c) && E::is_inverted(data_of(t, e), x)) ++count;
        }
        return count;
    }
};

template <Energy E> ElementRow make_energy_row() {
    using R = EnergyLoops<E>;
    ElementRow row = make_common_row<E>();
    row.share = E::share;
    if constexpr (HasPotential<E>) {
        row.views |= kValue | kHessian;
        row.value = R::value;
        row.gradient = R::gradient;
        row.hessian = R::hessian;
    }
    if constexpr (HasForce<E>) {
        row.views |= kForce;
        row.force = R::force;
        row.force_derivatives = R::force_derivatives;
    }
    if constexpr (memory_of<E>() > 0) row.finish = R::finish;
    if constexpr (requires(const typename E::Data& d, const StencilOf<E>& x) { E::is_inverted(d, x); }) row.inverted = R::inverted;
    return row;
}

} // namespace sinew
