// Turns an energy (see energy.h) into an ElementRow of function pointers. Included by the generated source files only.
#pragma once
#include "energy/energy.h"
#include "linalg/psd.h"
#include "model/dual_of.h"

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

template <class E>
concept HasRoot = requires(const typename E::Data& d, const StepContext& c, const StencilOf<E>& x) {
    E::template root<1>(d, c, x).jacobian;
};
template <class E> constexpr int root_rows() {
    if constexpr (HasRoot<E>) return E::root_rows;
    else return 1;
}

// What the energy never goes below with these data: `lower_bound` of the entry, 0 unless it says so. -infinity: there is no such number, and position
// projection refuses the element. Near is better: far above the bound sqrt(2 (E - b)) hides the curvature of E.
template <class E> Real lower_bound_of(const typename E::Data& d) {
    if constexpr (requires { E::lower_bound(d); }) return E::lower_bound(d);
    else return 0;
}

// Rows with 1/2 C^T C = E but for a constant: the entry's own, or sqrt(2 (E - b)), b its lower bound. That one has no direction where E = b, and
// no force, as it should be: E is least there.
template <class E> struct EnergyRows {
    using Entry = E;
    using Data = typename E::Data;
    static constexpr int rows = root_rows<E>();
    template <int Order> static LocalRows<rows, kDofs<E>, Order> eval(const Data& d, const StepContext& c, const StencilOf<E>& x) {
        if constexpr (HasRoot<E>) {
            return E::template root<Order>(d, c, x);
        } else {
            LocalRows<1, kDofs<E>, Order> out;
            const auto local = evaluate_energy<E, Order>(d, c, x);
            const Real above = local.value - lower_bound_of<E>(d);
            if (!(above > 0) || !std::isfinite(above)) return out;
            out.c[0] = std::sqrt(2 * above);
            if constexpr (Order >= 1) out.jacobian = local.gradient.transpose() / out.c[0];
            return out;
        }
    }
    static Real compliance(const Data&) { return 1; }
    static Real damping_time(const Data& d) {
        if constexpr (requires { E::root_damping(d); }) return E::root_damping(d);
        else return -1;
    }
    static Real lower_bound(const Data& d)
        requires(!HasRoot<E>)
    {
        return lower_bound_of<E>(d);
    }
    static Bound bound(const Data&) { return Bound::equality; }
    static Level level(const Data&) { return Level::position; }
    static Real limit(const Data&) { return 0; }
};

// A damper -J^T J v as rows that hold a velocity: J v + lambda = 0.
template <class E> struct DamperRows {
    using Entry = E;
    using Data = typename E::Data;
    static constexpr int rows = E::damper_rows;
    template <int Order> static LocalRows<rows, kDofs<E>, 1> eval(const Data& d, const StepContext& c, const StencilOf<E>& x) {
        return E::damper(d, c, x);
    }
    static Real compliance(const Data&) { return 1; }
    static Real damping_time(const Data&) { return 0; }
    static Bound bound(const Data&) { return Bound::equality; }
    static Level level(const Data&) { return Level::velocity; }
    static Real limit(const Data&) { return 0; }
};
template <class E>
concept HasDamper = requires(const typename E::Data& d, const StepContext& c, const StencilOf<E>& x) { E::damper(d, c, x).jacobian; };

// elastic, and not a sum over a whole object
template <class E> constexpr bool has_dual() {
    if constexpr (!HasPotential<E>) return false;
    else return E::share == Share::elastic && !requires(const Table& t, const Evaluation& ev) { E::total(t, ev, 0); };
}

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
        if constexpr (requires { E::explicit_force; }) row.explicit_force = E::explicit_force;
    }
    if constexpr (memory_of<E>() > 0) row.finish = R::finish;
    if constexpr (requires(const typename E::Data& d, const StencilOf<E>& x) { E::is_inverted(d, x); }) row.inverted = R::inverted;
    return row;
}

template <Energy E> const DualView* make_energy_dual() {
    if constexpr (HasDamper<E>) return make_dual_view<DamperRows<E>>(true);
    else if constexpr (has_dual<E>()) return make_dual_view<EnergyRows<E>>(requires(const typename E::Data& d) { E::root_damping(d); });
    else return nullptr;
}

} // namespace sinew
