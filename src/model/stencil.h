// One element as energies and constraints see it: its unknowns (Stencil), its circumstances (StepContext), random samples
// for the tests (Sample), and the loading of all three from the type-erased tables. Shared by energy/ and constraint/.
#pragma once
#include "core/fields.h"
#include "core/random.h"
#include "model/element.h"
#include "model/field.h"
#include <cstring>
#include <type_traits>

namespace sinew {

// The unknowns of one element. Velocities are filled for forces only.
template <int P, int F = 0, int S = 0> struct Stencil {
    std::array<Vec3, P> x, v;
    std::array<Vec3, F> p, frame_v, frame_w;
    std::array<Quat, F> q;
    std::array<Real, S> s, ds;
};

struct StepContext {
    Real t = 0, dt = 0;
    Real elapsed = 0;             // [s] implicit schemes: from x_now to x; 0 otherwise. Viscous potentials divide by it
    const FieldSet* fields = nullptr;
    Gauges gauges;                // of energies that say `static constexpr bool reads_fields = true`
    const Real* memory = nullptr; // of this element, memory_size reals
    const Real3* x_now = nullptr; // all points at the start of the step
    const int* stencil = nullptr; // of this element, -1 = absent
    const Real* table_memory = nullptr; // of all elements of the table
    const Real3* p_now = nullptr; // all frames at the start of the step
    const Real4* q_now = nullptr;
    Real total = 0;               // what E::total makes of all elements of this one's object
    int total_of = -1;            // that object
    const Real3* animated = nullptr; // all animated vertices at time t
    Vec3 x_start(int i) const { return vec(x_now[stencil[i]]); }
};

template <class E> constexpr int frames_of() {
    if constexpr (requires { E::frames; }) return E::frames;
    else return 0;
}
template <class E> constexpr int scalars_of() {
    if constexpr (requires { E::scalars; }) return E::scalars;
    else return 0;
}
template <class E> constexpr int memory_of() {
    if constexpr (requires { E::memory_size; }) return E::memory_size;
    else return 0;
}
// Elements of two points that see x1 - x0 (and v1 - v0) only say `static constexpr bool pair = true`.
template <class E> constexpr bool is_pair() {
    if constexpr (requires { E::pair; }) return E::pair;
    else return false;
}
template <class E> constexpr int kDofs = 3 * E::points + 6 * frames_of<E>() + scalars_of<E>();
template <class E> using StencilOf = Stencil<E::points, frames_of<E>(), scalars_of<E>()>;

// What `sample` returns: an element and unknowns at which value and derivatives are smooth.
template <class E> struct Sample {
    typename E::Data data;
    StencilOf<E> at;
};

// draws for `sample`
inline Vec3 draw_vec(Rng& rng, Real a, Real b) {
    const Real x = draw_uniform(rng, a, b), y = draw_uniform(rng, a, b), z = draw_uniform(rng, a, b);
    return {x, y, z};
}
inline Vec3 draw_direction(Rng& rng) { return vec(draw_unit_vector(rng)); }

// Access to the elements of one entry.
template <class E> struct ElementsOf {
    static constexpr int P = E::points, F = frames_of<E>(), S = scalars_of<E>(), N = kDofs<E>;
    static constexpr int kStencil = P + F + S;
    static constexpr int kMatrix = is_pair<E>() ? 3 : N; // rows of a stored element matrix
    static_assert(!is_pair<E>() || (P == 2 && F == 0 && S == 0), "a pair has two points and nothing else");
    using Data = typename E::Data;

    static const Data& data_of(const Table& t, int e) {
        return *reinterpret_cast<const Data*>(t.data.data() + std::size_t(e) * sizeof(Data));
    }

    // unknowns of element e; false if it is absent in this state (a dead particle)
    static bool load(const Table& t, const Evaluation& ev, int e, bool velocities, StencilOf<E>& out, StepContext& c) {
        const int* id = t.stencil.data() + std::size_t(e) * kStencil;
        for (int i = 0; i < P; ++i) {
            if (id[i] < 0) {
                out.x[i].setZero();
                out.v[i].setZero();
                continue;
            }
            if (ev.alive && !ev.alive[id[i]]) return false;
            out.x[i] = vec(ev.x[id[i]]);
            if (velocities) out.v[i] = vec(ev.v[id[i]]);
        }
        for (int i = 0; i < F; ++i) {
            out.p[i] = vec(ev.p[id[P + i]]);
            out.q[i] = quat(ev.q[id[P + i]]);
            if (!velocities) continue;
            out.frame_v[i] = vec(ev.frame_v[id[P + i]]);
            out.frame_w[i] = vec(ev.frame_w[id[P + i]]);
        }
        for (int i = 0; i < S; ++i) {
            out.s[i] = ev.s[id[P + F + i]];
            if (velocities) out.ds[i] = ev.ds[id[P + F + i]];
        }
        c.stencil = id;
        if constexpr (requires { E::total(t, ev, e); })
            if (c.total_of != t.object[e]) {
                c.total = E::total(t, ev, e);
                c.total_of = t.object[e];
            }
        if constexpr (memory_of<E>() > 0) c.memory = c.table_memory ? c.table_memory + std::size_t(e) * memory_of<E>() : nullptr;
        return true;
    }
    // what is kept of an element matrix
    template <class M> static void store(const M& full, Real* out) {
        Eigen::Map<MatN<kMatrix>> to(out);
        to = full.template topLeftCorner<kMatrix, kMatrix>();
    }
    static StepContext context(const Evaluation& ev) {
        StepContext c;
        c.t = ev.t;
        c.dt = ev.dt;
        c.elapsed = ev.elapsed;
        c.fields = ev.fields;
        if constexpr (requires { E::reads_fields; })
            if (ev.memory) c.gauges = find_gauges(ev.fields, *ev.memory);
        c.x_now = ev.x_now;
        c.animated = ev.animated;
        c.p_now = ev.p_now;
        c.q_now = ev.q_now;
        if constexpr (memory_of<E>() > 0)
            if (const auto* all = ev.memory ? find_element_memory(*ev.memory, E::name) : nullptr) c.table_memory = all->data();
        return c;
    }
    static void sample(Rng& rng, int which, std::byte* data, Real3* x, Real3* p, Real4* q, Real* s) {
        const Sample<E> made = E::sample(rng, which);
        std::memcpy(data, &made.data, sizeof made.data);
        for (int i = 0; i < P; ++i) x[i] = real3(made.at.x[i]);
        for (int i = 0; i < F; ++i) {
            p[i] = real3(made.at.p[i]);
            q[i] = real4(made.at.q[i]);
        }
        for (int i = 0; i < S; ++i) s[i] = made.at.s[i];
    }
};

// What energies and constraints have in common.
template <class E> ElementRow make_common_row() {
    using R = ElementsOf<E>;
    using Params = typename E::Params;
    ElementRow row;
    row.name = E::name;
    row.doc = E::doc;
    row.points = R::P;
    row.frames = R::F;
    row.scalars = R::S;
    row.stencil = R::kStencil;
    row.dofs = R::N;
    row.pair = is_pair<E>();
    row.matrix_size = R::kMatrix * R::kMatrix;
    row.data_size = sizeof(typename E::Data);
    static_assert(alignof(typename E::Data) <= 8 && sizeof(typename E::Data) % 8 == 0, "Data: doubles, pairs of ints");
    if constexpr (requires { E::translation_invariant; }) row.translation_invariant = E::translation_invariant;
    if constexpr (requires { E::rotation_invariant; }) row.rotation_invariant = E::rotation_invariant;
    if constexpr (requires { E::zero_at_rest; }) row.zero_at_rest = E::zero_at_rest;
    if constexpr (requires { E::sample_kinds; }) row.sample_kinds = E::sample_kinds;
    row.memory_size = memory_of<E>();
    row.make_params = []() -> std::shared_ptr<void> { return std::make_shared<Params>(); };
    row.describe = [](void* p, FieldList& list) { E::fields(*static_cast<Params*>(p), FieldCollector{list}); };
    row.prepare = [](const void* p, const RestView& rest, std::byte* out) {
        const typename E::Data d = E::prepare(*static_cast<const Params*>(p), rest);
        std::memcpy(out, &d, sizeof d);
    };
    row.sample = R::sample;
    return row;
}

} // namespace sinew
