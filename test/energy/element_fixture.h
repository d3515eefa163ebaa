// One element of any entry of the lists, with its unknowns as a tangent vector: what the list-driven tests work on.
#pragma once
#include "core/random.h"
#include "model/element.h"
#include <algorithm>
#include <ostream>
#include <vector>

namespace sinew {

// names of tests instead of addresses
inline void PrintTo(const ElementRow* row, std::ostream* out) { *out << row->name; }

struct ElementFixture {
    const ElementRow& row;
    Table table;
    std::vector<Real3> x, v, p, frame_v, frame_w;
    std::vector<Real4> q;
    std::vector<Real> s, ds;
    FieldSet* fields = nullptr;
    // an implicit step that began elsewhere; empty, 0: none
    std::vector<Real3> x_now, p_now;
    std::vector<Real4> q_now;
    std::vector<NamedValues> memory;
    Real elapsed = 0;

    ElementFixture(const ElementRow& r, std::uint64_t seed, int which) : row(r) {
        Rng rng{seed, hash_text(r.name), 0};
        table.row = &row;
        table.data.resize(row.data_size);
        table.object = {0};
        x.resize(row.points), v.resize(row.points);
        p.resize(row.frames), q.resize(row.frames), frame_v.resize(row.frames), frame_w.resize(row.frames);
        s.resize(row.scalars), ds.resize(row.scalars);
        row.sample(rng, which, table.data.data(), x.data(), p.data(), q.data(), s.data());
        for (int i = 0; i < row.points; ++i) table.stencil.push_back(i);
        for (int i = 0; i < row.frames; ++i) table.stencil.push_back(i);
        for (int i = 0; i < row.scalars; ++i) table.stencil.push_back(i);
        for (auto* a : {&v, &frame_v, &frame_w})
            for (Real3& e : *a) e = {draw_uniform(rng, -2, 2), draw_uniform(rng, -2, 2), draw_uniform(rng, -2, 2)};
        for (Real& e : ds) e = draw_uniform(rng, -2, 2);
    }

    Evaluation evaluation() const {
        Evaluation ev;
        ev.x = x.data(), ev.v = v.data(), ev.x_now = elapsed > 0 ? x_now.data() : x.data(), ev.p = p.data(), ev.q = q.data();
        ev.frame_v = frame_v.data(), ev.frame_w = frame_w.data(), ev.s = s.data(), ev.ds = ds.data();
        ev.t = 0.5, ev.dt = elapsed > 0 ? elapsed : 0.01, ev.elapsed = elapsed;
        if (elapsed > 0) ev.p_now = p_now.data(), ev.q_now = q_now.data(), ev.memory = &memory;
        return ev;
    }

    // the same place in an implicit step that began up to `far` away, with what the step before it left in the memory there
    ElementFixture in_step(Real h, Real far, std::uint64_t seed) const {
        Rng rng{seed, 77, 0};
        VecX d(row.dofs);
        for (Real& a : d) a = far * draw_uniform(rng, -1, 1);
        const ElementFixture start = moved(d);
        ElementFixture out = *this;
        out.x_now = start.x, out.p_now = start.p, out.q_now = start.q;
        out.elapsed = h;
        if (row.memory_size > 0) {
            State held;
            element_memory(held, row).assign(row.memory_size, 0.0);
            if (row.finish) row.finish(table, start.evaluation(), 0, 1, element_memory(held, row).data());
            out.memory = held.memory;
        }
        return out;
    }

    // x <- retract(x, d): translations add, rotations q <- exp(d) q
    ElementFixture moved(const VecX& d) const {
        ElementFixture out = *this;
        int k = 0;
        for (Real3& a : out.x) vec(a) += d.segment<3>(k), k += 3;
        for (std::size_t i = 0; i < p.size(); ++i, k += 6) {
            vec(out.p[i]) += d.segment<3>(k);
            out.q[i] = real4(exp_rotation(d.segment<3>(k + 3)) * quat(q[i]));
        }
        for (Real& a : out.s) a += d[k++];
        return out;
    }
    ElementFixture with_velocity(const VecX& d) const {
        ElementFixture out = *this;
        int k = 0;
        for (Real3& a : out.v) vec(a) += d.segment<3>(k), k += 3;
        for (std::size_t i = 0; i < p.size(); ++i, k += 6) {
            vec(out.frame_v[i]) += d.segment<3>(k);
            vec(out.frame_w[i]) += d.segment<3>(k + 3);
        }
        for (Real& a : out.ds) a += d[k++];
        return out;
    }

    Real value() const { return row.value(table, evaluation(), 0, 1); }
    VecX gradient() const {
        VecX g(row.dofs);
        row.gradient(table, evaluation(), 0, 1, g.data());
        return g;
    }
    // an element matrix as it is stored, in full
    MatX expand(const std::vector<Real>& stored) const {
        if (!row.pair) return Eigen::Map<const MatX>(stored.data(), row.dofs, row.dofs);
        const Eigen::Map<const Mat3> k(stored.data());
        MatX full(6, 6);
        full << k, -k, -k, k;
        return full;
    }
    MatX hessian(Projection how) const {
        std::vector<Real> h(row.matrix_size);
        row.hessian(table, evaluation(), 0, 1, how, h.data());
        return expand(h);
    }
    VecX force() const {
        VecX f(row.dofs);
        row.force(table, evaluation(), 0, 1, f.data());
        return f;
    }
};

// Fourth-order central difference of f along each unknown. With h = 2e-4 the truncation error is f^(5) h^4/30 and the
// rounding error 1.5 eps f/h: both near 1e-12 of the scale for smooth f of unit size.
inline constexpr Real kStep = 2e-4;
template <class F> MatX finite_difference(int dofs, F&& f) {
    MatX out;
    for (int i = 0; i < dofs; ++i) {
        const auto at = [&](Real h) {
            VecX d = VecX::Zero(dofs);
            d[i] = h;
            return VecX(f(d));
        };
        const VecX column = (8 * (at(kStep) - at(-kStep)) - (at(2 * kStep) - at(-2 * kStep))) / (12 * kStep);
        if (i == 0) out.resize(column.size(), dofs);
        out.col(i) = column;
    }
    return out;
}

} // namespace sinew
