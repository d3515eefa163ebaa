// The contract of an energy: a small struct, a fixed-size stencil, one evaluation routine for all derivative orders.
// spring.h is the smallest complete example; docs/add_an_energy.md shows how to add one.
//
//   struct Spring {
//       static constexpr std::string_view name = "spring", doc = "...";
//       static constexpr Share share = Share::elastic;        // where the report counts it
//       static constexpr int points = 2;                      // optional: frames = ..., scalars = ...
//       static constexpr bool pair = true;                    // optional: sees x1 - x0 only, matrices are [K -K; -K K]
//       static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
//       struct Params { ... };                                // what the scene file says
//       struct Data { ... };                                  // what one element stores: doubles and pairs of ints
//       template <class V> static void fields(Params&, V&&);  // the only list of parameters
//       static Data prepare(const Params&, const RestView&);
//       template <int Order> static Local<6, Order> eval(const Data&, const StepContext&, const Stencil<2>&);
//       static Sample<Spring> sample(Rng&, int which);        // a random valid element for the tests
//   };
//
// Entries without a potential (drag, motors) offer instead, or as well,
//       template <int Order> static LocalForce<6, Order> force(const Data&, const StepContext&, const Stencil<2>&);
// Order 0: f only; 1: also df/dx and df/dv. Implicit solvers use v = (x - x_now)/dt and keep them out of the merit
// function. Optional: `explicit_force = true` (the force is zero while StepContext::elapsed > 0, because the potential has the
// viscosity of implicit steps: it is then not even asked for), `hessian_psd` (closed-form projected Hessian), `hessian_gauss_newton` (k J^T J of
// an energy 1/2 k C^2, without the curvature of C), `sample_kinds` (number of degenerate cases that
// `sample` knows), `is_inverted(data, stencil)` (solids: counted in the Report),
// `root<Order>(data, context, stencil)` with `root_rows` (rows C with 1/2 C^T C = E, for position projection: model/dual.h)
// and `root_damping(data)` (the time rho [s] by which the rate of C adds to C in place of the entry's force; infinite where
// there is a damper without a spring), `damper(data, context, stencil)` with `damper_rows` (rows J of an entry whose force is
// -J^T J v: a damper that position projection takes implicitly), `lower_bound(data)` (E is never below, 0 unless said: row_of.h),
// `total(table, evaluation, element)` (a sum over all elements of that element's object, found in StepContext::total),
// `memory_size` with
//       static void finish(const Data&, const StepContext&, const Stencil<2>&, Real* memory);
// numbers per element that live in State.memory and start at 0: `eval` and `force` read those of the step's start in
// StepContext::memory, `finish` is called once at the end of an accepted step and writes the new ones.
//
// An energy of points may offer instead of `eval` only its value, over any number type:
//       template <class S> static S value(const Data&, const StepContext&, const std::array<VecOf<S>, 2>& x);
// Gradient and Hessian then come from automatic differentiation (core/autodiff.h), some ten times slower than by hand.
#pragma once
#include "core/autodiff.h"
#include "core/fields.h"
#include "model/local_rows.h"
#include "model/stencil.h"
#include <concepts>
#include <type_traits>

namespace sinew {

// Value, from order 1 gradient, from order 2 Hessian, over N scalar unknowns. Absent orders do not exist.
template <int N, int Order> struct Local;
template <int N> struct Local<N, 0> {
    Real value = 0;
};
template <int N> struct Local<N, 1> : Local<N, 0> {
    VecN<N> gradient = VecN<N>::Zero();
};
template <int N> struct Local<N, 2> : Local<N, 1> {
    MatN<N> hessian = MatN<N>::Zero();
};

// A force without potential, and from order 1 its derivatives.
template <int N, int Order> struct LocalForce;
template <int N> struct LocalForce<N, 0> {
    VecN<N> force = VecN<N>::Zero();
};
template <int N> struct LocalForce<N, 1> : LocalForce<N, 0> {
    MatN<N> dfdx = MatN<N>::Zero(), dfdv = MatN<N>::Zero();
};

template <class E>
concept HasEval = requires(const typename E::Data& d, const StepContext& c, const StencilOf<E>& x) {
    E::template eval<2>(d, c, x).hessian;
};
template <class E>
concept HasValueOnly = !HasEval<E> && requires(const typename E::Data& d, const StepContext& c, const StencilOf<E>& x) {
    { E::template value<Real>(d, c, x.x) } -> std::convertible_to<Real>;
};
template <class E>
concept HasPotential = HasEval<E> || HasValueOnly<E>;
template <class E>
concept HasForce = requires(const typename E::Data& d, const StepContext& c, const StencilOf<E>& x) {
    E::template force<1>(d, c, x).dfdv;
};
template <class E>
concept Energy = requires(typename E::Params p, const RestView& rest, Rng& rng) {
    { E::name } -> std::convertible_to<std::string_view>;
    { E::doc } -> std::convertible_to<std::string_view>;
    { E::share } -> std::convertible_to<Share>;
    { E::points } -> std::convertible_to<int>;
    { E::prepare(p, rest) } -> std::same_as<typename E::Data>;
    { E::sample(rng, 0) } -> std::same_as<Sample<E>>;
} && std::is_trivially_copyable_v<typename E::Data> && (HasPotential<E> || HasForce<E>);

// `eval` of the energy, or its value differentiated automatically
template <class E, int Order>
Local<kDofs<E>, Order> evaluate_energy(const typename E::Data& d, const StepContext& c, const StencilOf<E>& x) {
    if constexpr (HasEval<E>) {
        return E::template eval<Order>(d, c, x);
    } else {
        static_assert(frames_of<E>() == 0 && scalars_of<E>() == 0, "automatic differentiation is for points");
        Local<kDofs<E>, Order> out;
        if constexpr (Order == 0) {
            out.value = E::template value<Real>(d, c, x.x);
        } else {
            using S = Jet<kDofs<E>>;
            const S jet = E::template value<S>(d, c, make_variables<E::points>(x.x));
            out.value = jet.value;
            out.gradient = gradient_of(jet);
            if constexpr (Order >= 2) out.hessian = hessian_of(jet);
        }
        return out;
    }
}

} // namespace sinew
