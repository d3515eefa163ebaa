#include "solver/position_violation.h"
#include "solver/position_whole.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kElementGrain = 256, kPiece = 16;

// J u of a row, J W J^T of it, and the largest inverse mass of its bodies
struct RowFacts {
    Real velocity = 0, response = 0, lightest = 0;
};

RowFacts facts_of(const ElementRow& row, const int* id, const Real* j, const DualState& s) {
    RowFacts out;
    for (int i = 0; i < row.points; ++i, j += 3) {
        if (id[i] < 0) continue;
        const Vec3 a = Eigen::Map<const Vec3>(j);
        const Real w = s.point_inverse[id[i]];
        out.velocity += a.dot(vec(s.v[id[i]]));
        out.response += w * a.squaredNorm();
        out.lightest = std::max(out.lightest, w);
    }
    id += row.points;
    for (int i = 0; i < row.frames; ++i, j += 6) {
        const int f = id[i];
        if (f < 0) continue;
        const Vec3 a = Eigen::Map<const Vec3>(j), b = Eigen::Map<const Vec3>(j + 3);
        out.velocity += a.dot(vec(s.frame_v[f])) + b.dot(vec(s.frame_w[f]));
        out.response += s.frame_inverse[f] * a.squaredNorm() + b.dot(s.frame_inverse_inertia[f] * b);
        out.lightest = std::max(out.lightest, s.frame_inverse[f]);
    }
    id += row.frames;
    for (int i = 0; i < row.scalars; ++i, ++j) {
        if (id[i] < 0) continue;
        out.velocity += *j * s.ds[id[i]];
        out.response += s.scalar_inverse[id[i]] * *j * *j;
    }
    if (row.points + row.frames == 0) out.lightest = 1;
    return out;
}

Real table_violation(const DualTable& t, const Evaluation& ev, const Sweep& w, int begin, int end) {
    std::array<Real, kPiece * kMaxDualRows> c, rate{};
    std::array<Real, kPiece * kMaxDualRows * kMaxDualDofs> j;
    const ElementRow& row = *t.table->row;
    const int rows = t.view->rows;
    Real worst = 0;
    for (int first = begin; first < end; first += kPiece) {
        const int last = std::min(end, first + kPiece);
        t.view->evaluate(*t.table, ev, first, last, c.data(), j.data());
        if (t.is_constraint && row.rate) row.rate(*t.table, ev, first, last, rate.data());
        for (int e = first; e < last; ++e) {
            const Bound bound = t.is_constraint ? row.bound(*t.table, e) : Bound::equality;
            if (bound == Bound::box || t.view->level(*t.table, e) == Level::velocity) continue;
            const Real alpha = w.softness == Softness::factor ? 0 : t.view->compliance(*t.table, e), rho = damping_time_of(t, e, w.damping_time);
            for (int k = 0; k < rows; ++k) {
                const int i = (e - first) * rows + k;
                const RowFacts facts = facts_of(row, t.table->stencil.data() + std::size_t(e) * row.stencil, j.data() + i * row.dofs, w.to);
                Real r = c[i] + rho * (facts.velocity - rate[i]);
                if (w.softness == Softness::feedback) r += alpha * t.lambda[std::size_t(e) * rows + k];
                const Real error = bound == Bound::lower ? std::max(0.0, -r) : std::abs(r);
                worst = std::max(worst, correction_of(error, facts.response, alpha / (w.reach + rho * w.kick), facts.lightest));
            }
        }
    }
    return worst;
}

template <class F> Real largest(const Parallel& parallel, int count, std::vector<Real>& partial, F&& f) {
    const int chunks = chunk_count(count, kElementGrain);
    if (int(partial.size()) < chunks) partial.resize(chunks);
    parallel_for(parallel, count, kElementGrain, [&](int begin, int end) { partial[begin / kElementGrain] = f(begin, end); });
    Real worst = 0;
    for (int k = 0; k < chunks; ++k) worst = std::max(worst, partial[k]);
    return worst;
}

} // namespace

Real lightest_of(const Dofs& dofs, const PositionProblem& p, std::span<const int> blocks) {
    Real most = 0;
    bool any = false;
    for (int b : blocks) {
        if (b < 0 || b >= dofs.points + 2 * dofs.frames) continue;
        any = true;
        most = std::max(most, b < dofs.points ? p.point_inverse[b] : p.frame_inverse[(b - dofs.points) / 2]);
    }
    return any ? most : 1;
}

Real contact_violation(const PositionContactOptions& o, const DualState& s, int points, const PositionContacts& all) {
    Real worst = 0;
    for (const PositionContact& c : all.contacts) {
        const ContactState at = contact_state(all, c, s, points);
        const Real r = -(at.gap + o.damping_time * c.n.dot(at.velocity) + o.compliance * c.normal);
        if (!(r > 0)) continue;
        Real lightest = 0;
        for (int k = 0; k < c.sides; ++k) {
            const int body = all.sides[c.side + k].body;
            lightest = std::max(lightest, body < points ? s.point_inverse[body] : s.frame_inverse[body - points]);
        }
        const Real a = o.compliance / (o.h * (o.h + o.damping_time));
        worst = std::max(worst, correction_of(r, contact_response(all, c, s, points, c.n), a, lightest));
    }
    return worst;
}

Real largest_violation(const Parallel& parallel, const Model& m, const Evaluation& ev, const Sweep& w, const PositionContactOptions& o,
                       PositionProblem& p, const PositionContacts& contacts, std::vector<Real>& scratch) {
    Real worst = std::max(contact_violation(o, w.to, point_count(m), contacts), whole_violation(w, p.whole));
    for (DualTable& t : p.tables) {
        if (t.packed && t.pack.kind == PackKind::link && !t.pack.damped() && w.damping_time == 0) {
            worst = std::max(worst, largest_error(parallel, w, t.pack, scratch, true));
            continue;
        }
        if (t.packed) store_multipliers(t.pack, t.lambda);
        const Evaluation at = evaluation_for(p, *t.table, ev);
        worst = std::max(worst, largest(parallel, t.table->count(), scratch,
                                        [&](int begin, int end) { return table_violation(t, at, w, begin, end); }));
    }
    return worst;
}

} // namespace sinew
