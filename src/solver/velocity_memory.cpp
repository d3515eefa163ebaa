#include "solver/velocity_memory.h"
#include "model/visit.h"
#include "solver/field_loads.h"
#include "solver/rest.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

namespace sinew {

namespace {

constexpr int kTouchNumbers = 15;
constexpr std::string_view kTouchPoints = "velocity.touching.points", kTouchFrames = "velocity.touching.frames";
constexpr double kObjects = 67108864.0;  // 2^26: two objects fit a double

struct Key {
    double kind, high, low, feature;
    auto order() const { return std::tie(kind, high, low); }
};
Key key_of(const Touch& t) {
    return {double(t.kind), double(t.key >> 32), double(std::uint32_t(t.key)), double(t.feature & ((1ull << 52) - 1))};
}
Key key_of(const double* x) { return {x[0], x[1], x[2], x[3]}; }

} // namespace

void register_velocity_memory(const Model& m, State& s) {
    memory_array(s, kContactMemory, 0);
    for (const Table& t : m.elements->constraints)
        memory_array(s, "force." + std::string(t.row->name), std::size_t(t.count()) * t.row->rows);
    memory_array(s, kRestPoints, point_count(m));
    memory_array(s, kRestFrames, frame_count(m));
    memory_array(s, kTouchPoints, point_count(m));
    memory_array(s, kTouchFrames, frame_count(m));
}

namespace {

void recall(const double* x, Real h, Touch& t) {
    Vec3 friction(x[6], x[7], x[8]);
    friction -= t.n.dot(friction) * t.n; // the normal may have turned
    t.impulse = h * (x[5] * t.n + friction);
    t.torque = h * Vec3(x[9], x[10], x[11]);
    t.known = true;
}

// Where corners and edges of two bodies lie over each other, as with boxes in line, round-off decides from step to step
// which of them names a point: what no feature matches takes the nearest point of the pair that is left over, within a
// quarter of the contact's size.
void recall_nearest(const double* old, int old_count, std::uint64_t used, Real h, std::span<Touch> touches) {
    Real size = 0;
    for (const Touch& t : touches) size = std::max(size, (t.at - touches[0].at).squaredNorm());
    for (Touch& t : touches) {
        if (t.known) continue;
        int best = -1;
        Real least = size / 16;
        for (int k = 0; k < old_count; ++k) {
            if (used >> k & 1) continue;
            const double* x = old + k * kTouchNumbers;
            const Real distance = (t.at - Vec3(x[12], x[13], x[14])).squaredNorm();
            if (distance < least) least = distance, best = k;
        }
        if (best < 0) continue;
        used |= std::uint64_t(1) << best;
        recall(old + best * kTouchNumbers, h, t);
    }
}

// points of one pair, now and before: by feature, then by place
void recall_pair(const double* old, int old_count, Real h, std::span<Touch> touches) {
    std::uint64_t used = 0; // the first 64 of the old ones; more have their features only
    std::size_t known = 0;
    for (Touch& t : touches) {
        const double feature = key_of(t).feature;
        for (int k = 0; k < old_count; ++k) {
            if (key_of(old + k * kTouchNumbers).feature != feature) continue;
            if (k < 64) used |= std::uint64_t(1) << k;
            recall(old + k * kTouchNumbers, h, t);
            ++known;
            break;
        }
    }
    if (known < touches.size()) recall_nearest(old, std::min(old_count, 64), used, h, touches);
}

} // namespace

// both lists are sorted by kind and key; pieces of the new one find their place in the old one
void recall_touches(const Parallel& parallel, const State& s, Real h, TouchList& list) {
    const std::vector<double>* memory = find_memory(s, kContactMemory);
    if (!memory) return;
    const std::vector<double>& old = *memory;
    const int count = int(old.size() / kTouchNumbers), n = int(list.touches.size());
    const auto old_key = [&](int k) { return key_of(old.data() + std::size_t(k) * kTouchNumbers); };
    const auto same = [&](int i, int j) { return list.touches[i].key == list.touches[j].key && list.touches[i].kind == list.touches[j].kind; };
    parallel_for(parallel, n, kTouchGrain, [&](int begin, int stop) {
        int first = begin; // pairs that begin in this piece
        while (first > 0 && first < stop && same(first, first - 1)) ++first;
        if (first == stop) return;
        int at = 0;
        for (int step = count; step > 0;) { // the first old one that is not before it
            const int half = step / 2;
            if (old_key(at + half).order() < key_of(list.touches[first]).order()) at += half + 1, step -= half + 1;
            else step = half;
        }
        for (int last = first, end = at; first < stop; first = last, at = end) {
            const Key key = key_of(list.touches[first]);
            for (last = first + 1; last < n && same(last, first);) ++last;
            while (at < count && old_key(at).order() < key.order()) ++at;
            for (end = at; end < count && old_key(end).order() == key.order();) ++end;
            recall_pair(old.data() + std::size_t(at) * kTouchNumbers, end - at, h, {list.touches.data() + first, std::size_t(last - first)});
        }
    });
}

static const std::vector<std::string>& force_names(const Model& m, TouchScratch& scratch) {
    constexpr std::string_view start = "force.";
    const std::vector<Table>& tables = m.elements->constraints;
    scratch.names.resize(tables.size());
    for (std::size_t k = 0; k < tables.size(); ++k)
        if (std::string& name = scratch.names[k]; name.empty() || std::string_view(name).substr(start.size()) != tables[k].row->name)
            name = std::string(start) + std::string(tables[k].row->name);
    return scratch.names;
}

// groups of constraints come first, in the order of the tables
void recall_constraints(const Model& m, const State& s, TouchScratch& scratch, RowProblem& q) {
    std::size_t at = 0;
    int first = 0;
    const std::string* name = force_names(m, scratch).data();
    for (const Table& t : m.elements->constraints) {
        const auto* force = find_memory(s, *name++);
        for (; at < q.groups.size() && q.groups[at].set != RowSet::contact && q.groups[at].source < first + t.count(); ++at) {
            const RowGroup& g = q.groups[at];
            const std::size_t from = std::size_t(g.source - first) * t.row->rows;
            if (!force || force->size() < from + t.row->rows) continue;
            for (int k = 0; k < g.rows; ++k) {
                Real& p = q.impulse[g.row + k];
                p = (*force)[from + k] * q.dt;
                if (g.set == RowSet::box) p = std::clamp(p, -g.limit, g.limit);
                if (g.set == RowSet::lower) p = std::max(0.0, p);
            }
        }
        first += t.count();
    }
}

// pairs of objects that push each other, sorted. Every piece writes its own to where its contacts begin; these are then put together.
static void add_pairs(const Parallel& parallel, const std::vector<double>& contacts, std::vector<int>& piece, std::vector<std::uint64_t>& out) {
    const int count = int(contacts.size() / kTouchNumbers);
    out.resize(count);
    piece.resize(chunk_count(count, kTouchGrain));
    parallel_for(parallel, count, kTouchGrain, [&](int begin, int end) {
        double last = -1;
        int at = begin;
        for (int i = begin; i < end; ++i) {
            const double* c = contacts.data() + std::size_t(i) * kTouchNumbers;
            if (!(c[5] > 0) || c[4] == last) continue;
            last = c[4];
            const double high = std::floor(last / kObjects);
            out[at++] = std::uint64_t(high) << 32 | std::uint64_t(last - high * kObjects);
        }
        piece[begin / kTouchGrain] = at - begin;
    });
    auto to = out.begin();
    for (std::size_t k = 0; k < piece.size(); ++k) to = std::copy_n(out.begin() + std::ptrdiff_t(k) * kTouchGrain, piece[k], to);
    out.erase(to, out.end());
    if (std::adjacent_find(out.begin(), out.end(), std::greater_equal<>()) == out.end()) return; // each once, and in order
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
}

// both lists are sorted, so are the events
static void add_events(const std::vector<std::uint64_t>& before, const std::vector<std::uint64_t>& after, std::vector<TouchEvent>& events) {
    const auto add = [&](std::uint64_t p, bool began) { events.push_back({int(p >> 32), int(std::uint32_t(p)), began, 0}); };
    std::size_t i = 0, j = 0;
    while (i < before.size() || j < after.size()) {
        if (j == after.size() || (i < before.size() && before[i] < after[j])) add(before[i++], false);
        else if (i == before.size() || after[j] < before[i]) add(after[j++], true);
        else ++i, ++j;
    }
}

// what the pairs that begin push with, of all of their contacts in order
static void add_strengths(const TouchList& list, std::span<TouchEvent> events) {
    if (std::none_of(events.begin(), events.end(), [](const TouchEvent& e) { return e.began; })) return;
    for (const Touch& t : list.touches) {
        const std::pair pair(std::min(t.object_a, t.object_b), std::max(t.object_a, t.object_b));
        const auto at = std::lower_bound(events.begin(), events.end(), pair,
                                         [](const TouchEvent& e, const auto& p) { return std::pair(e.object_a, e.object_b) < p; });
        if (at != events.end() && at->began && pair == std::pair(at->object_a, at->object_b)) at->impulse += std::max(0.0, t.n.dot(t.impulse + t.bounce));
    }
}

void store_forces(const Parallel& parallel, const Model& m, const TouchList& list, const RowProblem& q, TouchScratch& scratch,
                  const State& before, State& s, std::vector<TouchEvent>& events) {
    scratch.before.clear();
    if (const auto* old = find_memory(before, kContactMemory)) add_pairs(parallel, *old, scratch.piece, scratch.before);
    const auto* mine = find_memory(s, kContactMemory);
    std::vector<double>& out = memory_array(s, kContactMemory, mine ? mine->size() : 0);
    const std::size_t needed = list.touches.size() * kTouchNumbers;
    if (out.capacity() < needed) out.reserve(needed + needed / 2); // their number goes up and down a little from step to step
    out.resize(needed);
    parallel_for(parallel, int(list.touches.size()), kTouchGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const Touch& t = list.touches[i];
            const Key key = key_of(t);
            const Real pushed = t.n.dot(t.impulse);
            // an impact alone: they touched, and the next step begins without a force
            const Real normal = pushed > 0 || !(t.n.dot(t.bounce) > 0) ? pushed : std::numeric_limits<Real>::min();
            const Vec3 friction = (t.impulse - pushed * t.n) / q.dt;
            const int a = std::min(t.object_a, t.object_b), b = std::max(t.object_a, t.object_b);
            const Vec3 torque = t.torque / q.dt;
            const double numbers[kTouchNumbers] = {key.kind,      key.high,     key.low,      key.feature,  a * kObjects + b,
                                                   normal / q.dt, friction.x(), friction.y(), friction.z(), torque.x(),
                                                   torque.y(),    torque.z(),   t.at.x(),     t.at.y(),     t.at.z()};
            std::copy_n(numbers, kTouchNumbers, out.begin() + std::ptrdiff_t(i) * kTouchNumbers);
        }
    });
    add_pairs(parallel, out, scratch.piece, scratch.after);
    const std::size_t earlier = events.size();
    if (scratch.before != scratch.after) add_events(scratch.before, scratch.after, events);
    add_strengths(list, std::span(events).subspan(earlier));
    if (earlier > 0) // of the sub-steps before
        std::sort(events.begin(), events.end(), [](const TouchEvent& x, const TouchEvent& y) {
            return std::tie(x.object_a, x.object_b, x.began) < std::tie(y.object_a, y.object_b, y.began);
        });
    std::size_t at = 0;
    int first = 0;
    const std::string* name = force_names(m, scratch).data();
    for (const Table& t : m.elements->constraints) {
        auto& force = memory_array(s, *name++, std::size_t(t.count()) * t.row->rows);
        std::fill(force.begin(), force.end(), 0.0);
        for (; at < q.groups.size() && q.groups[at].set != RowSet::contact && q.groups[at].source < first + t.count(); ++at) {
            const RowGroup& g = q.groups[at];
            for (int k = 0; k < g.rows; ++k)
                force[std::size_t(g.source - first) * t.row->rows + k] = q.impulse[g.row + k] / q.dt;
        }
        first += t.count();
    }
}

// what pushes, in the order of the touches: every piece counts its own, then writes them to their place
void list_forces(const Parallel& parallel, const TouchList& list, Real h, std::vector<ForcePiece>& pieces, Report& report,
                 std::vector<ContactForce>& forces) {
    const int count = int(list.touches.size());
    report.contact_count = count;
    pieces.assign(chunk_count(count, kTouchGrain) + 1, {});
    const auto pushes = [](const Touch& t) { return t.n.dot(t.impulse + t.bounce) > 0; };
    parallel_for(parallel, count, kTouchGrain, [&](int begin, int end) {
        ForcePiece piece{.gap = list.touches[begin].gap};
        for (int i = begin; i < end; ++i) {
            const Touch& t = list.touches[i];
            piece.gap = std::min(piece.gap, t.gap);
            if (!pushes(t)) continue;
            ++piece.forces;
            const Real normal = t.n.dot(t.impulse);
            if (normal > 0) piece.cone_violation = std::max(piece.cone_violation, (t.impulse - normal * t.n).norm() / normal - t.rule.friction);
        }
        pieces[begin / kTouchGrain + 1] = piece;
    });
    report.gap = count ? pieces[1].gap : 0;
    report.cone_violation = 0;
    for (std::size_t k = 1; k < pieces.size(); ++k) {
        report.gap = std::min(report.gap, pieces[k].gap);
        report.cone_violation = std::max(report.cone_violation, pieces[k].cone_violation);
        pieces[k].forces += pieces[k - 1].forces;
    }
    report.penetration = std::max(0.0, -report.gap);
    forces.resize(pieces.back().forces);
    parallel_for(parallel, count, kTouchGrain, [&](int begin, int end) {
        int at = pieces[begin / kTouchGrain].forces;
        for (int i = begin; i < end; ++i)
            if (const Touch& t = list.touches[i]; pushes(t))
                forces[at++] = {t.object_a, t.object_b, real3(t.at), real3(t.n), real3((t.impulse + t.bounce) / h), real3(t.torque / h)};
    });
}

// touches and joints of each body: sleeping islands wake when one of them is gone; a motor that is switched off is gone
static void count_rows(const Parallel& parallel, const TouchList& list, const RowProblem& q, std::vector<int>& part, std::vector<int>& count) {
    const int bodies = q.body_count(), touches = int(list.touches.size());
    const int parts = std::clamp(touches / 2048, 1, 8), grain = std::max(1, (touches + parts - 1) / parts);
    part.assign(std::size_t(parts) * bodies, 0); // each part of the touches counts on its own
    parallel_for(parallel, touches, grain, [&](int begin, int end) {
        int* mine = part.data() + std::size_t(begin / grain) * bodies;
        for (int i = begin; i < end; ++i)
            for (int b : {list.touches[i].body_a, list.touches[i].body_b})
                if (b >= 0) ++mine[b];
    });
    count.assign(part.begin(), part.begin() + bodies);
    for (int k = 1; k < parts; ++k)
        for (int b = 0; b < bodies; ++b) count[b] += part[std::size_t(k) * bodies + b];
    for (const RowGroup& g : q.groups)
        if (g.set != RowSet::contact && !(g.set == RowSet::box && g.limit == 0))
            for (int s = 0; s < g.sides; ++s) ++count[q.body[g.side + s]];
}

// what disturbs a body from outside: it touches what is held and moves, or its joint is driven
static void find_driven(const TouchList& list, const RowProblem& q, std::vector<int>& driven) {
    const auto moves = [&](int b) {
        return b >= 0 && !(q.inverse_mass[b] > 0) && (q.v[b] != Vec3::Zero() || q.w[b] != Vec3::Zero());
    };
    driven.assign(q.body_count(), 0);
    for (const Touch& t : list.touches)
        if (moves(t.body_a) || moves(t.body_b) || t.drive != Vec3::Zero() || !t.pair)
            for (int b : {t.body_a, t.body_b})
                if (b >= 0) driven[b] = 1;
    for (const RowGroup& g : q.groups) {
        if (g.set == RowSet::contact) continue;
        bool any = false; // a motor that is wanted to move; friction of joints is none
        for (int k = 0; k < g.rows; ++k) any = any || (g.set == RowSet::box && q.bias[g.row + k] != 0);
        for (int s = 0; s < g.sides; ++s) any = any || moves(q.body[g.side + s]);
        if (any)
            for (int s = 0; s < g.sides; ++s) driven[q.body[g.side + s]] = 1;
    }
}

void find_still(const Parallel& parallel, const Model& m, const Input& input, const State& s, Real after, const TouchList& list, const RowProblem& q,
                const Islands& islands, TouchScratch& scratch, std::vector<std::uint8_t>& still) {
    still.assign(q.body_count(), 0);
    const auto *points = find_memory(s, kRestPoints), *frames = find_memory(s, kRestFrames),
               *touch_points = find_memory(s, kTouchPoints), *touch_frames = find_memory(s, kTouchFrames);
    if (after >= 1e300 || !points || !frames || !touch_points || !touch_frames) return;
    const int n = point_count(m);
    const auto read = [&](const std::vector<double>* a, const std::vector<double>* b, int body) {
        const std::vector<double>& from = body < n ? *a : *b;
        const std::size_t i = body < n ? body : body - n;
        return i < from.size() ? from[i] : 0;
    };
    bool any = false;
    for (int b = 0; b < q.body_count(); ++b) any = any || read(points, frames, b) >= after;
    if (!any) return;
    std::vector<int>&count = scratch.count, &driven = scratch.driven;
    count_rows(parallel, list, q, scratch.part, count);
    find_driven(list, q, driven);
    mark_driven_by_fields(m, driven);
    const Real slow = rest_speed(m, q.dt);
    const auto moves = [&](int b) { // a program may have given it a velocity
        return !((b < n ? vec(s.point.v[b]).norm() : frame_speed(m, b - n, vec(s.frame.v[b - n]), vec(s.frame.w[b - n]))) < slow);
    };
    for (int i = 0; i < islands.count(); ++i) {
        const IslandView island = islands.view(i);
        bool rests = islands.facts[i].pairs;
        for (int b : island.bodies)
            rests = rests && !driven[b] && read(points, frames, b) > 0 && read(points, frames, b) >= after && read(touch_points, touch_frames, b) == count[b] && !moves(b);
        if (rests)
            for (int b : island.bodies) still[b] = 1;
    }
    // whoever is pushed wakes, with all of its island
    const auto wake = [&](int b) {
        if (b < 0 || b >= q.body_count() || !still[b]) return;
        for (int other : islands.view(islands.number[b]).bodies) still[other] = 0;
    };
    for (const PointForce& f : input.point_forces) wake(f.point);
    for (const Grab& g : input.grabs) wake(g.point);
    for (const BodyForce& f : input.body_forces)
        if (const Object* o = object_of(m, f.object))
            for (int k = o->frames.begin; k < o->frames.end; ++k) wake(n + k);
}

void store_rest(const Parallel& parallel, const Model& m, const TouchList& list, const RowProblem& q, const std::vector<std::uint8_t>& still, Real h,
                TouchScratch& scratch, State& s) {
    const int n = point_count(m);
    for (const std::string_view name : {kRestPoints, kTouchPoints}) memory_array(s, name, n);
    for (const std::string_view name : {kRestFrames, kTouchFrames}) memory_array(s, name, frame_count(m));
    auto &points = memory_array(s, kRestPoints, n), &frames = memory_array(s, kRestFrames, frame_count(m));
    auto &touch_points = memory_array(s, kTouchPoints, n), &touch_frames = memory_array(s, kTouchFrames, frame_count(m));
    std::vector<int>& count = scratch.count;
    count_rows(parallel, list, q, scratch.part, count);
    const Real slow = rest_speed(m, h);
    parallel_for(parallel, q.body_count(), kGrain, [&](int begin, int end) {
        for (int b = begin; b < end; ++b) {
            double& rest = b < n ? points[b] : frames[b - n];
            double& touching = b < n ? touch_points[b] : touch_frames[b - n];
            if (!still[b]) touching = count[b];
            if (!(q.inverse_mass[b] > 0)) {
                rest = 0;
                continue;
            }
            if ((b < n ? q.v[b].norm() : frame_speed(m, b - n, q.v[b], q.w[b])) < slow) rest += h;
            else rest = 0;
        }
    });
}

} // namespace sinew
