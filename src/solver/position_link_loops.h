// Loops over packed links: sweeps, chains, Jacobi, and the products of methods that follow residuals. See position_batch_loops.h.
#pragma once
#include "solver/position_lanes.h"

namespace sinew {
namespace {

// -- links: differences stay as they are in memory, [x y z 0] per link
SINEW_INLINE V dots(const V* a, const V* b) {
    const V m0 = a[0] * b[0], m1 = a[1] * b[1], m2 = a[2] * b[2], m3 = a[3] * b[3];
    const V s01 = __builtin_shufflevector(m0, m1, 0, 4, 2, 6) + __builtin_shufflevector(m0, m1, 1, 5, 3, 7);
    const V s23 = __builtin_shufflevector(m2, m3, 0, 4, 2, 6) + __builtin_shufflevector(m2, m3, 1, 5, 3, 7);
    return __builtin_shufflevector(s01, s23, 0, 1, 4, 5) + __builtin_shufflevector(s01, s23, 2, 3, 6, 7);
}
SINEW_INLINE void load_pairs(const LinkBatch& b, const double* at, V* p, V* q, V* d) {
#pragma GCC unroll 4
    for (int l = 0; l < kLanes; ++l) {
        p[l] = load_point(at + b.i[l]);
        q[l] = load_point(at + b.j[l]);
        d[l] = q[l] - p[l];
    }
}
SINEW_INLINE void store_pairs(const LinkBatch& b, bool whole, V by_i, V by_j, const V* p, const V* q, const V* d, double* at) {
    if (whole) {
#pragma GCC unroll 4
        for (int l = 0; l < kLanes; ++l) {
            store_point(at + b.i[l], p[l] + d[l] * all_of(by_i[l]));
            store_point(at + b.j[l], q[l] + d[l] * all_of(by_j[l]));
        }
        return;
    }
    for (int l = 0; l < kLanes; ++l) {
        if (b.w_i.v[l] > 0) store_point(at + b.i[l], p[l] + d[l] * all_of(by_i[l]));
        if (b.w_j.v[l] > 0) store_point(at + b.j[l], q[l] + d[l] * all_of(by_j[l]));
    }
}
SINEW_INLINE V rho_of(const BatchNumbers& o, int batch) {
    const V shared = all_of(o.damping_time);
    if (!o.rho) return shared;
    return larger(load(o.rho[batch]), shared);
}

constexpr int kAhead = 8; // batches that are fetched before they are needed, found by trial
// of chains: they go across the order of memory, so their points are asked for as well
constexpr int kPointsAhead = 6, kBatchesAhead = 12;

SINEW_INLINE void load_directions(const Lane4* directions, int batch, V* n) {
    for (int l = 0; l < kLanes; ++l) n[l] = load(directions[kLanes * long(batch) + l]);
}
void link_directions(const LinkBatch* batches, Lane4* out, int begin, int end, const double* x) {
    const V zero{}, one = all_of(1);
    for (int k = begin; k < end; ++k) {
        V p[kLanes], q[kLanes], d[kLanes];
        load_pairs(batches[k], x, p, q, d);
        const V l2 = dots(d, d), by = l2 > zero ? one / root(l2 > zero ? l2 : one) : zero;
        for (int l = 0; l < kLanes; ++l) store(out[kLanes * long(k) + l], d[l] * all_of(by[l]));
    }
}

// Frozen: along the rows of the start; the length is that of now
template <bool Velocities, bool First, bool Frozen> void project_links(LinkBatch* batches, int begin, int end, const BatchNumbers& numbers) {
    const BatchNumbers o = numbers; // a copy: nothing written below can change it
    const V zero{}, one = all_of(1), reach = all_of(o.reach), kick = all_of(o.kick), soft = all_of(o.soft), feedback = all_of(o.feedback),
            omega = all_of(-o.omega);
    for (int k = begin; k < end; ++k) {
        LinkBatch& b = batches[k];
        for (int line = 0; line < 3; ++line) __builtin_prefetch(reinterpret_cast<const char*>(&b + kAhead) + 64 * line);
        V p[kLanes], q[kLanes], d[kLanes];
        load_pairs(b, o.x, p, q, d);
        const V l2 = dots(d, d), length = root(l2);
        const V alpha = load(b.alpha) * soft, w_i = load(b.w_i), w_j = load(b.w_j);
        V r = length - load(b.rest), scale = reach, before = zero;
        if constexpr (!First) {
            before = load(b.lambda);
            r += feedback * alpha * before;
        }
        V vp[kLanes], vq[kLanes], vd[kLanes];
        if constexpr (Velocities) {
            load_pairs(b, o.v, vp, vq, vd);
            const V rho = rho_of(o, k), rate = dots(d, vd) / (l2 > zero ? length : one);
            r += rho * rate;
            scale += rho * kick;
        }
        if constexpr (Frozen) load_directions(o.directions, k, d);
        // the change of the multiplier by the length of d; a link without length has no direction
        const V unit = Frozen ? one : length;
        const V quotient = omega * r / ((scale * (w_i + w_j) + alpha) * unit), push = l2 > zero ? quotient : zero;
        store(b.lambda, before + push * unit);
        const V to_i = -push * w_i, to_j = push * w_j;
        const bool whole = holds_everywhere((w_i > zero) & (w_j > zero));
        store_pairs(b, whole, reach * to_i, reach * to_j, p, q, d, o.x);
        if constexpr (Velocities) store_pairs(b, whole, kick * to_i, kick * to_j, vp, vq, d, o.v);
    }
}

// -- chains: in every lane the second point of a link is the first of the next, and all links of a lane are solved together.
//   [ w_i + w_j + alpha/scale ] dl_k - w_i n_k.n_k-1 dl_k-1 - w_j n_k.n_k+1 dl_k+1 = -omega r_k/scale,   scale = reach + rho kick
// by elimination from the first link to the last and back. Pivots that vanish give 0: links without mass, and lanes without links.
struct ChainRow {
    V d[kLanes];      // second point less the first
    V by_length;      // 1/l
    V coupling;       // to the link before
    V inverse, value; // of the pivot, right side
};
SINEW_INLINE void move_joint(const int* id, V w, const V* d, V by, const V* next, V by_next, double* at) {
    const V zero{};
    by *= w, by_next *= w;
    if (holds_everywhere(w > zero)) {
#pragma GCC unroll 4
        for (int l = 0; l < kLanes; ++l)
            store_point(at + id[l], load_point(at + id[l]) + (d[l] * all_of(by[l]) - next[l] * all_of(by_next[l])));
        return;
    }
    for (int l = 0; l < kLanes; ++l)
        if (w[l] > 0) store_point(at + id[l], load_point(at + id[l]) + (d[l] * all_of(by[l]) - next[l] * all_of(by_next[l])));
}
template <bool Velocities, bool First, bool Frozen> void project_chain(LinkBatch* batches, int count, const BatchNumbers& numbers) {
    const BatchNumbers o = numbers;
    const V zero{}, one = all_of(1), reach = all_of(o.reach), kick = all_of(o.kick), soft = all_of(o.soft), feedback = all_of(o.feedback),
            omega = all_of(-o.omega), tiny = all_of(1e-13);
    ChainRow rows[kLongestChain];
    V p[kLanes], vp[kLanes], by_scale = one / reach;
    for (int l = 0; l < kLanes; ++l) p[l] = load_point(o.x + batches[0].i[l]), vp[l] = load_point(o.v + batches[0].i[l]);
    for (int k = 0; k < count; ++k) {
        const LinkBatch& b = batches[k];
        ChainRow& row = rows[k];
        for (int line = 0; line < 3; ++line) __builtin_prefetch(reinterpret_cast<const char*>(&b + kBatchesAhead) + 64 * line);
        if (k + kPointsAhead < count)
            for (int l = 0; l < kLanes; ++l) __builtin_prefetch(o.x + batches[k + kPointsAhead].j[l], 1);
#pragma GCC unroll 4
        for (int l = 0; l < kLanes; ++l) {
            const V q = load_point(o.x + b.j[l]);
            row.d[l] = q - p[l], p[l] = q;
        }
        const V l2 = dots(row.d, row.d), length = root(l2);
        row.by_length = l2 > zero ? (Frozen ? one : one / (l2 > zero ? length : one)) : zero;
        if constexpr (Frozen) load_directions(o.directions, k, row.d);
        const V alpha = load(b.alpha) * soft, w_i = load(b.w_i), w_j = load(b.w_j);
        V r = length - load(b.rest);
        if constexpr (!First) r += feedback * alpha * load(b.lambda);
        if constexpr (Velocities) {
            V u[kLanes];
            for (int l = 0; l < kLanes; ++l) {
                const V q = load_point(o.v + b.j[l]);
                u[l] = q - vp[l], vp[l] = q;
            }
            const V rho = rho_of(o, k);
            r += rho * dots(row.d, u) * row.by_length;
            by_scale = one / (reach + rho * kick);
        }
        V pivot = (w_i + w_j) + alpha * by_scale;
        row.coupling = zero, row.value = omega * r * by_scale;
        if (k > 0) {
            const ChainRow& last = rows[k - 1];
            row.coupling = -w_i * dots(last.d, row.d) * (last.by_length * row.by_length);
            const V factor = row.coupling * last.inverse;
            pivot -= factor * row.coupling;
            row.value -= factor * last.value;
        }
        const Mask some = pivot > tiny * (w_i + w_j);
        row.inverse = some ? one / (some ? pivot : one) : zero;
    }
    V none[kLanes] = {zero, zero, zero, zero}, change = zero, by = zero, coupling = zero;
    const V* next = none;
    for (int k = count - 1; k >= 0; --k) {
        LinkBatch& b = batches[k];
        const ChainRow& row = rows[k];
        change = (row.value - coupling * change) * row.inverse;
        store(b.lambda, First ? change : load(b.lambda) + change);
        const V by_next = by, w_j = load(b.w_j);
        by = change * row.by_length, coupling = row.coupling;
        move_joint(b.j, w_j, row.d, reach * by, next, reach * by_next, o.x);
        if constexpr (Velocities) move_joint(b.j, w_j, row.d, kick * by, next, kick * by_next, o.v);
        next = row.d;
    }
    const LinkBatch& first = batches[0];
    move_joint(first.i, load(first.w_i), none, zero, next, reach * by, o.x);
    if constexpr (Velocities) move_joint(first.i, load(first.w_i), none, zero, next, kick * by, o.v);
}

// -- Jacobi: all links from the same positions, r = -(C + alpha lambda)
SINEW_INLINE void push_pairs(const LinkBatch& b, bool whole, V by, const V* d, double* at) {
    for (int l = 0; l < kLanes; ++l) {
        const V f = d[l] * all_of(by[l]);
        if (whole || b.w_i.v[l] > 0) store_point(at + b.i[l], load_point(at + b.i[l]) - f);
        if (whole || b.w_j.v[l] > 0) store_point(at + b.j[l], load_point(at + b.j[l]) + f);
    }
}
template <bool First, bool Frozen> void relax_links_from(LinkBatch* batches, Lane4* change, int begin, int end, const BatchNumbers& numbers) {
    const BatchNumbers o = numbers;
    const V zero{}, one = all_of(1), reach = all_of(o.reach), soft = all_of(o.soft), feedback = all_of(o.feedback), omega = all_of(-o.omega),
            beta = all_of(o.beta);
    for (int k = begin; k < end; ++k) {
        LinkBatch& b = batches[k];
        for (int line = 0; line < 3; ++line) __builtin_prefetch(reinterpret_cast<const char*>(&b + kAhead) + 64 * line);
        V p[kLanes], q[kLanes], d[kLanes];
        load_pairs(b, o.x, p, q, d);
        const V l2 = dots(d, d), length = root(l2), alpha = load(b.alpha) * soft, w_i = load(b.w_i), w_j = load(b.w_j);
        V r = length - load(b.rest), before = zero, by = zero;
        if constexpr (!First) before = load(b.lambda), r += feedback * alpha * before, by = beta * load(change[k]);
        // lanes without a link have no response, links without a length no direction
        const V response = reach * (w_i + w_j) + alpha;
        const Mask some = (response > zero) & (l2 > zero) & (w_i + w_j > zero);
        const V step = some ? omega * r / (some ? response : one) + by : zero;
        store(change[k], step);
        store(b.lambda, before + step);
        if constexpr (Frozen) load_directions(o.directions, k, d);
        push_pairs(b, holds_everywhere((w_i > zero) & (w_j > zero)), Frozen ? step : step / (some ? length : one), d, o.push);
    }
}
void relax_links(LinkBatch* b, Lane4* change, int begin, int end, const BatchNumbers& o) {
    if (o.directions) o.first ? relax_links_from<true, true>(b, change, begin, end, o) : relax_links_from<false, true>(b, change, begin, end, o);
    else o.first ? relax_links_from<true, false>(b, change, begin, end, o) : relax_links_from<false, false>(b, change, begin, end, o);
}
void link_slope(const LinkBatch* batches, const Lane4* change, int begin, int end, const BatchNumbers& numbers, double* sums) {
    const BatchNumbers o = numbers;
    const V zero{}, one = all_of(1), reach = all_of(o.reach), soft = all_of(o.soft), feedback = all_of(o.feedback);
    V slope{}, size{};
    for (int k = begin; k < end; ++k) {
        const LinkBatch& b = batches[k];
        for (int line = 0; line < 3; ++line) __builtin_prefetch(reinterpret_cast<const char*>(&b + kAhead) + 64 * line);
        V p[kLanes], q[kLanes], d[kLanes];
        load_pairs(b, o.x, p, q, d);
        const V alpha = load(b.alpha) * soft, w = load(b.w_i) + load(b.w_j), response = reach * w + alpha;
        const V r = root(dots(d, d)) - load(b.rest) + feedback * alpha * load(b.lambda);
        slope -= r * load(change[k]);
        const Mask some = (response > zero) & (w > zero);
        size += some ? r * r / (some ? response : one) : zero;
    }
    sums[0] = (slope[0] + slope[1]) + (slope[2] + slope[3]);
    sums[1] = (size[0] + size[1]) + (size[2] + size[3]);
}

// -- residuals: with n the direction from i to j, s = 1/sqrt(reach (w_i + w_j) + alpha) the scale of a link
//   r = -s factor (C + feedback alpha lambda),   pushes  J^T s r  and  J^T s d  of the direction d before
template <bool Frozen>
void link_residuals_from(LinkBatch* batches, LinkRow* rows, int begin, int end, const BatchNumbers& numbers, double* sums) {
    const BatchNumbers o = numbers;
    const V zero{}, one = all_of(1), reach = all_of(o.reach), soft = all_of(o.soft), feedback = all_of(o.feedback), omega = all_of(-o.omega),
            step = all_of(o.step);
    V squares{}, softened{};
    for (int k = begin; k < end; ++k) {
        LinkBatch& b = batches[k];
        LinkRow& row = rows[k];
        for (int line = 0; line < 3; ++line) __builtin_prefetch(reinterpret_cast<const char*>(&b + kAhead) + 64 * line);
        for (int line = 0; line < 3; ++line) __builtin_prefetch(reinterpret_cast<const char*>(&row + kAhead) + 64 * line);
        V p[kLanes], q[kLanes], d[kLanes];
        load_pairs(b, o.x, p, q, d);
        const V l2 = dots(d, d), length = root(l2), alpha = load(b.alpha) * soft, w_i = load(b.w_i), w_j = load(b.w_j);
        const Mask moves = w_i + w_j > zero, some = moves & (l2 > zero); // without a length it has no direction
        const V scale = moves ? one / root(moves ? reach * (w_i + w_j) + alpha : one) : zero;
        V before = zero, direction = zero;
        if (!o.first) { // the step of the iteration before is not in the multipliers yet
            direction = load(row.direction);
            before = load(b.lambda) + step * scale * direction;
        }
        store(b.lambda, before);
        const V r = some ? scale * (omega * ((length - load(b.rest)) + feedback * alpha * before)) : zero;
        store(row.residual, r);
        squares += r * r, softened += alpha * (scale * r) * (scale * r);
        V by = some ? scale / (some ? length : one) : zero;
        if (Frozen && o.first) { // kept from here on
            load_pairs(b, o.start, p, q, d);
            const V l2_start = dots(d, d);
            const Mask had = moves & (l2_start > zero);
            by = had ? scale / (had ? root(l2_start) : one) : zero;
        }
        const bool whole = holds_everywhere((w_i > zero) & (w_j > zero));
#pragma GCC unroll 4
        for (int l = 0; l < kLanes; ++l) {
            const V n = Frozen && !o.first ? load(row.row[l]) : d[l] * all_of(by[l]);
            if (!Frozen || o.first) store(row.row[l], n);
            for (int part = 0; part < (o.first ? 1 : 2); ++part) {
                double *at_i = o.push + 2L * b.i[l] + 3 * part, *at_j = o.push + 2L * b.j[l] + 3 * part;
                const V f = n * all_of(part ? direction[l] : r[l]);
                if (whole || b.w_i.v[l] > 0) store_point(at_i, load_point(at_i) - f);
                if (whole || b.w_j.v[l] > 0) store_point(at_j, load_point(at_j) + f);
            }
        }
    }
    sums[0] = (squares[0] + squares[1]) + (squares[2] + squares[3]);
    sums[1] = (softened[0] + softened[1]) + (softened[2] + softened[3]);
}
void link_residuals(LinkBatch* batches, LinkRow* rows, int begin, int end, const BatchNumbers& o, double* sums) {
    o.start ? link_residuals_from<true>(batches, rows, begin, end, o, sums) : link_residuals_from<false>(batches, rows, begin, end, o, sums);
}
// d = r + beta d,  A d = reach s n . (z_j - z_i) + alpha s^2 d with z = W J^T s d:  sums r.Ad, Ad.Ad, r.d, d.Ad
void link_products(const LinkBatch* batches, LinkRow* rows, int begin, int end, const BatchNumbers& numbers, double* sums) {
    const BatchNumbers o = numbers;
    const V zero{}, one = all_of(1), reach = all_of(o.reach), soft = all_of(o.soft), beta = all_of(o.beta);
    V sum[4] = {zero, zero, zero, zero};
    for (int k = begin; k < end; ++k) {
        const LinkBatch& b = batches[k];
        LinkRow& row = rows[k];
        for (int line = 0; line < 3; ++line) __builtin_prefetch(reinterpret_cast<const char*>(&row + kAhead) + 64 * line);
        V n[kLanes], z[kLanes];
#pragma GCC unroll 4
        for (int l = 0; l < kLanes; ++l) {
            n[l] = load(row.row[l]);
            z[l] = load_point(o.way + b.j[l]) - load_point(o.way + b.i[l]);
        }
        const V alpha = load(b.alpha) * soft, response = reach * (load(b.w_i) + load(b.w_j)) + alpha, r = load(row.residual);
        const V d = o.first ? r : r + beta * load(row.direction);
        const V product = reach * dots(n, z) + alpha / (response > zero ? response : one) * d;
        store(row.direction, d);
        sum[0] += r * product, sum[1] += product * product, sum[2] += r * d, sum[3] += d * product;
    }
    for (int k = 0; k < 4; ++k) sums[k] = (sum[k][0] + sum[k][1]) + (sum[k][2] + sum[k][3]);
}
// multipliers take the step of the last iteration
void link_finish(LinkBatch* batches, const LinkRow* rows, int begin, int end, const BatchNumbers& o) {
    const V zero{}, one = all_of(1), reach = all_of(o.reach), soft = all_of(o.soft), step = all_of(o.step);
    for (int k = begin; k < end; ++k) {
        LinkBatch& b = batches[k];
        const V w = load(b.w_i) + load(b.w_j);
        const Mask moves = w > zero;
        const V scale = moves ? one / root(moves ? reach * w + load(b.alpha) * soft : one) : zero;
        store(b.lambda, load(b.lambda) + step * scale * load(rows[k].direction));
    }
}

// -- sweeps
void links(LinkBatch* b, int begin, int end, const BatchNumbers& o) {
    if (o.directions) o.first ? project_links<false, true, true>(b, begin, end, o) : project_links<false, false, true>(b, begin, end, o);
    else if (o.velocities) o.first ? project_links<true, true, false>(b, begin, end, o) : project_links<true, false, false>(b, begin, end, o);
    else o.first ? project_links<false, true, false>(b, begin, end, o) : project_links<false, false, false>(b, begin, end, o);
}
void chain(LinkBatch* b, int count, const BatchNumbers& o) {
    if (o.directions) o.first ? project_chain<false, true, true>(b, count, o) : project_chain<false, false, true>(b, count, o);
    else if (o.velocities) o.first ? project_chain<true, true, false>(b, count, o) : project_chain<true, false, false>(b, count, o);
    else o.first ? project_chain<false, true, false>(b, count, o) : project_chain<false, false, false>(b, count, o);
}
double link_error(const LinkBatch* batches, const Lane4* unit, int begin, int end, const BatchNumbers& numbers) {
    const BatchNumbers o = numbers;
    const V zero{}, soft = all_of(o.soft * o.feedback);
    V worst{};
    for (int k = begin; k < end; ++k) {
        const LinkBatch& b = batches[k];
        for (int line = 0; line < 3; ++line) __builtin_prefetch(reinterpret_cast<const char*>(&b + kAhead) + 64 * line);
        V p[kLanes], q[kLanes], d[kLanes];
        load_pairs(b, o.x, p, q, d);
        V error = size_of((root(dots(d, d)) - load(b.rest)) + load(b.alpha) * soft * load(b.lambda));
        if (unit) error *= load(unit[k]);
        worst = larger(worst, load(b.w_i) + load(b.w_j) > zero ? error : zero);
    }
    double out = 0;
    for (int l = 0; l < kLanes; ++l) out = worst[l] > out ? worst[l] : out;
    return out;
}

} // namespace
} // namespace sinew
