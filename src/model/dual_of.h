// Turns rows of an entry into a DualView. Included by the generated source files only (constraint/row_of.h,
// energy/row_of.h), which say what the rows are:
//   struct Rows { using Entry; static constexpr int rows;
//       template <int Order> static auto eval(data, context, stencil);    LocalRows
//       static Real compliance(data), damping_time(data);                 rho [s], 0 or less: that of the solver
//       static Bound bound(data); static Level level(data); static Real limit(data);
//       static Real lower_bound(data);                                    of an energy that is a root; absent = 0
//       static VecN<rows> rate(data, context); };                        dC/dt that is wanted; absent = 0
// Only the evaluation is a template; the local solve is one function for all (dual.cpp).
#pragma once
#include "model/dual.h"
#include "model/local_rows.h"
#include "model/stencil.h"

namespace sinew {

template <class Rows> struct DualLoops : ElementsOf<typename Rows::Entry> {
    using E = typename Rows::Entry;
    using Data = typename E::Data;
    using ElementsOf<E>::P, ElementsOf<E>::F, ElementsOf<E>::S, ElementsOf<E>::N, ElementsOf<E>::load, ElementsOf<E>::data_of,
        ElementsOf<E>::context;
    static constexpr int R = Rows::rows;
    static_assert(R <= kMaxDualRows && N <= kMaxDualDofs);

    static void store(const MatN<R, N>& jacobian, Real* out) {
        for (int r = 0; r < R; ++r)
            for (int i = 0; i < N; ++i) out[r * N + i] = jacobian(r, i);
    }
    static void evaluate(const Table& t, const Evaluation& ev, int begin, int end, Real* c_out, Real* jacobian) {
        StepContext c = context(ev);
        StencilOf<E> x;
        for (int e = begin; e < end; ++e, c_out += R) {
            std::fill(c_out, c_out + R, 0.0);
            Real* j = jacobian ? jacobian + std::size_t(e - begin) * R * N : nullptr;
            if (j) std::fill(j, j + R * N, 0.0);
            if (!load(t, ev, e, false, x, c)) continue;
            const auto local = Rows::template eval<1>(data_of(t, e), c, x);
            for (int r = 0; r < R; ++r) c_out[r] = local.c[r];
            if (j) store(local.jacobian, j);
        }
    }
    static void project(const Table& t, const Evaluation& ev, std::span<const int> elements, const Sweep& w) {
        StepContext c = context(ev);
        StencilOf<E> x;
        DualElement d;
        d.points = P, d.frames = F, d.scalars = S, d.rows = R, d.dofs = N;
        for (int e : elements) {
            if (!load(t, ev, e, false, x, c)) continue;
            const Data& data = data_of(t, e);
            const auto local = Rows::template eval<1>(data, c, x);
            for (int r = 0; r < R; ++r) d.c[r] = local.c[r];
            store(local.jacobian, d.jacobian);
            d.id = c.stencil;
            d.compliance = Rows::compliance(data);
            d.damping_time = Rows::damping_time(data);
            d.bound = Rows::bound(data);
            d.level = Rows::level(data);
            if (d.bound == Bound::box) d.limit = Rows::limit(data);
            if constexpr (requires { Rows::rate(data, c); }) {
                const VecN<R> rate = Rows::rate(data, c);
                for (int r = 0; r < R; ++r) d.rate[r] = rate[r];
            }
            project_element(d, w, w.lambda + std::size_t(e) * R);
        }
    }
    static Real compliance(const Table& t, int e) { return Rows::compliance(data_of(t, e)); }
    static Real damping_time(const Table& t, int e) { return Rows::damping_time(data_of(t, e)); }
    static Level level(const Table& t, int e) { return Rows::level(data_of(t, e)); }
    static Real lower_bound(const Table& t, int e) {
        if constexpr (requires(const Data& d) { Rows::lower_bound(d); }) return Rows::lower_bound(data_of(t, e));
        else return 0;
    }
};

template <class Rows> const DualView* make_dual_view(bool covers_force) {
    using L = DualLoops<Rows>;
    static const DualView view{Rows::rows, L::evaluate, L::project, L::compliance, L::damping_time, L::level, L::lower_bound, covers_force};
    return &view;
}

} // namespace sinew
