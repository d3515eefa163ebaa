#include "solver/velocity_islands.h"
#include "geometry/topology.h"
#include "model/contact_rows.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

struct Joiner {
    const RowProblem& q;
    Islands& out;
    void join_two(int a, int b) { // that move
        out.number[a] = out.number[b] = 0;
        const int r = find_root(out.root, a), s = find_root(out.root, b);
        if (r != s) out.root[std::max(r, s)] = std::min(r, s);
    }
    void operator()(std::span<const int> bodies) {
        int first = -1;
        for (int b : bodies) {
            if (b < 0 || !(q.inverse_mass[b] > 0)) continue;
            out.number[b] = 0; // touched
            const int r = find_root(out.root, b);
            if (first < 0) first = r;
            else if (r != first) {
                const int low = std::min(r, first); // the first body of an island is its root
                out.root[std::max(r, first)] = low;
                first = low;
            }
        }
    }
};

std::span<const int> bodies_of(const RowProblem& q, const RowGroup& g) { return std::span(q.body).subspan(g.side, g.sides); }

// bodies behind a touch; `store` holds those of a stencil
std::span<const int> bodies_of(const Model& m, const Contacts& contacts, const Touch& t, std::array<int, 16>& store) {
    if (t.pair) {
        store[0] = t.body_a, store[1] = t.body_b;
        return std::span(store).first(2);
    }
    int count = 0;
    const ContactStencil s = stencil_of(m, contacts, t);
    for (int k = 0; k < s.count; ++k) {
        const SurfaceVertex& v = s.vertex[k];
        if (v.kind == SurfaceVertex::point) store[count++] = v.index;
        if (v.kind == SurfaceVertex::frame) store[count++] = point_count(m) + v.index;
        if (v.kind == SurfaceVertex::embedded)
            for (int p : m.surface.embeddings[v.index].point)
                if (p >= 0) store[count++] = p;
    }
    return std::span(store).first(count);
}

// whether the touch before is another one of the same pair: of the same two bodies
bool is_again_key(const TouchList& list, std::size_t i) {
    return i > 0 && list.touches[i - 1].kind == list.touches[i].kind && list.touches[i - 1].key == list.touches[i].key;
}
bool is_again(const TouchList& list, std::size_t i) {
    if (!is_again_key(list, i)) return false;
    const Touch &a = list.touches[i - 1], &b = list.touches[i];
    return a.pair && b.pair && a.body_a == b.body_a && a.body_b == b.body_b;
}

int island_of(const Islands& islands, std::span<const int> bodies) {
    for (int b : bodies)
        if (b >= 0 && islands.number[b] >= 0) return islands.number[b];
    return -1;
}

void begin_islands(const RowProblem& q, Islands& out) {
    const int n = q.body_count();
    out.root.resize(n);
    for (int b = 0; b < n; ++b) out.root[b] = b;
    out.number.assign(n, -1);
}

// numbers the roots in order, and lists the bodies
void number_islands(const RowProblem& q, Islands& out) {
    const int n = q.body_count();
    int count = 0;
    for (int b = 0; b < n; ++b)
        if (out.number[b] == 0) {
            const int r = find_root(out.root, b);
            out.number[b] = r == b ? count++ : out.number[r];
        }
    out.body_begin.assign(count + 1, 0);
    for (int b = 0; b < n; ++b)
        if (out.number[b] >= 0) ++out.body_begin[out.number[b] + 1];
    for (int i = 0; i < count; ++i) out.body_begin[i + 1] += out.body_begin[i];
    out.body.resize(out.body_begin[count]);
    out.root.assign(out.body_begin.begin(), out.body_begin.end()); // free again: where the next one goes
    for (int b = 0; b < n; ++b)
        if (out.number[b] >= 0) out.body[out.root[out.number[b]]++] = b;
    out.facts.assign(count, {});
    out.group_begin.assign(count + 1, 0);
    out.touch_begin.assign(count + 1, 0);
    out.group.clear();
    out.touch.clear();
}

int moving(const RowProblem& q, std::span<const int> bodies) {
    int count = 0;
    for (int b : bodies) count += b >= 0 && q.inverse_mass[b] > 0;
    return count;
}

void add_ratio(const RowProblem& q, std::span<const int> bodies, Islands::Facts& facts) {
    Real least = 1e300, most = 0;
    for (int b : bodies) {
        const Real w = b < 0 ? 0 : q.inverse_mass[b];
        if (w > 0) least = std::min(least, w), most = std::max(most, w);
    }
    if (most > 0) facts.mass_ratio = std::max(facts.mass_ratio, most / least);
}

// items by island: f(i) gives the island of item i, -1 = none
template <class F> void sort_by_island(int items, F&& f, std::vector<int>& at, std::vector<int>& begin, std::vector<int>& list) {
    std::fill(begin.begin(), begin.end(), 0);
    for (int i = 0; i < items; ++i)
        if (const int k = f(i); k >= 0) ++begin[k + 1];
    for (std::size_t k = 0; k + 1 < begin.size(); ++k) begin[k + 1] += begin[k];
    list.resize(begin.back());
    at.assign(begin.begin(), begin.end());
    for (int i = 0; i < items; ++i)
        if (const int k = f(i); k >= 0) list[at[k]++] = i;
}

// whether the bodies of a group are joined already; held ones are the ground. Joins them.
bool closes_loop(const RowProblem& q, const RowGroup& g, std::vector<int>& root) {
    const int ground = q.body_count();
    int first = g.sides == 1 ? find_root(root, ground) : -1;
    for (int b : bodies_of(q, g)) {
        const int r = find_root(root, q.inverse_mass[b] > 0 ? b : ground);
        if (r == first) return true;
        if (first >= 0) root[r] = first;
        first = first < 0 ? r : first;
    }
    return false;
}

constexpr int kManyBodies = -2; // in the edge of a touch with a stencil

// what each touch joins, by all threads: joining itself goes in order, and then reads little
void find_edges(const Parallel& parallel, const TouchList& list, const RowProblem& q, Islands& out) {
    const int count = int(list.touches.size());
    out.again.resize(count);
    out.edge.resize(count);
    const auto moving = [&](int b) { return b >= 0 && q.inverse_mass[b] > 0 ? b : -1; };
    parallel_for(parallel, count, kTouchGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const Touch& t = list.touches[i];
            out.again[i] = is_again(list, i);
            out.edge[i] = out.again[i] ? std::array{-1, -1} : t.pair ? std::array{moving(t.body_a), moving(t.body_b)} : std::array{kManyBodies, -1};
        }
    });
}

struct TouchFacts {
    const Model& m;
    const Contacts& contacts;
    const TouchList& list;
    const RowProblem& q;
    const Islands& islands;

    void add(int i, Islands::Facts& facts) const {
        if (islands.again[i]) return;
        std::array<int, 16> store;
        const auto bodies = bodies_of(m, contacts, list.touches[i], store);
        add_ratio(q, bodies, facts);
        facts.pairs = facts.pairs && list.touches[i].pair;
        facts.bounces = facts.bounces || list.touches[i].rule.restitution > 0;
        if (!is_again_key(list, i)) ++(moving(q, bodies) > 1 ? facts.links : facts.held);
    }
};
void add_facts(const Islands::Facts& from, Islands::Facts& to) {
    to.mass_ratio = std::max(to.mass_ratio, from.mass_ratio);
    to.pairs = to.pairs && from.pairs;
    to.bounces = to.bounces || from.bounces;
    to.links += from.links;
    to.held += from.held;
}

// Touches of each island in order, and what is to be known of them. Pieces find their own part of every island, and write it behind those
// of the pieces before; with so many islands that these parts would be more than the touches, one after another.
void sort_touches(const Parallel& parallel, const TouchFacts& f, Islands& out) {
    const int count = int(f.list.touches.size()), pieces = chunk_count(count, kTouchGrain), islands = out.count();
    if (std::size_t(pieces) * islands > std::size_t(count)) {
        for (int i = 0; i < count; ++i)
            if (const int k = out.touch_island[i]; k >= 0) f.add(i, out.facts[k]);
        return sort_by_island(
            count, [&](int i) { return out.touch_island[i]; }, out.root, out.touch_begin, out.touch);
    }
    out.parts.assign(std::size_t(pieces) * islands, {});
    parallel_for(parallel, count, kTouchGrain, [&](int begin, int end) {
        Islands::Part* mine = out.parts.data() + std::size_t(begin / kTouchGrain) * islands;
        for (int i = begin; i < end; ++i)
            if (const int k = out.touch_island[i]; k >= 0) f.add(i, mine[k].facts), ++mine[k].touches;
    });
    int total = 0;
    for (int k = 0; k < islands; ++k) {
        out.touch_begin[k] = total;
        for (int p = 0; p < pieces; ++p) {
            Islands::Part& part = out.parts[std::size_t(p) * islands + k];
            add_facts(part.facts, out.facts[k]);
            total += part.touches;
            part.touches = total - part.touches; // where its own begin
        }
    }
    out.touch_begin[islands] = total;
    out.touch.resize(total);
    parallel_for(parallel, count, kTouchGrain, [&](int begin, int end) {
        Islands::Part* mine = out.parts.data() + std::size_t(begin / kTouchGrain) * islands;
        for (int i = begin; i < end; ++i)
            if (const int k = out.touch_island[i]; k >= 0) out.touch[mine[k].touches++] = i;
    });
}

} // namespace

void build_islands(const Parallel& parallel, const Model& m, const Contacts& contacts, const TouchList& touches, const RowProblem& q, Islands& out) {
    begin_islands(q, out);
    Joiner join{q, out};
    std::array<int, 16> store;
    const int count = int(touches.touches.size());
    find_edges(parallel, touches, q, out);
    for (int i = 0; i < count; ++i) {
        const auto [a, b] = out.edge[i];
        if (a >= 0 || b >= 0) join.join_two(a < 0 ? b : a, b < 0 ? a : b);
        else if (a == kManyBodies) join(bodies_of(m, contacts, touches.touches[i], store));
    }
    for (const RowGroup& g : q.groups) join(bodies_of(q, g));
    number_islands(q, out);
    out.touch_island.resize(count);
    parallel_for(parallel, count, kTouchGrain, [&](int begin, int end) {
        std::array<int, 16> room;
        for (int i = begin; i < end; ++i) {
            if (out.again[i] && i > begin) out.touch_island[i] = out.touch_island[i - 1];
            else out.touch_island[i] = island_of(out, bodies_of(m, contacts, touches.touches[i], room));
        }
    });
    sort_touches(parallel, {m, contacts, touches, q, out}, out);
    const int ground = q.body_count();
    out.loop_root.resize(ground + 1);
    for (int b = 0; b <= ground; ++b) out.loop_root[b] = b;
    if (!q.groups.empty()) out.joints.assign(ground, 0);
    for (const RowGroup& g : q.groups) {
        const int k = island_of(out, bodies_of(q, g));
        if (k < 0) continue;
        out.facts[k].springs = out.facts[k].springs || g.link;
        if (g.set == RowSet::free && !g.link && closes_loop(q, g, out.loop_root)) out.facts[k].tree = false;
        add_ratio(q, bodies_of(q, g), out.facts[k]);
        out.facts[k].joints = true;
        for (int b : bodies_of(q, g))
            if (q.inverse_mass[b] > 0) out.facts[k].branches = std::max(out.facts[k].branches, ++out.joints[b]);
        out.facts[k].bounded = out.facts[k].bounded || g.set != RowSet::free;
        out.facts[k].pairs = out.facts[k].pairs && g.sides <= 2;
        if (moving(q, bodies_of(q, g)) > 1) ++out.facts[k].links;
    }
}

void list_groups(const RowProblem& q, Islands& out) {
    sort_by_island(
        int(q.groups.size()), [&](int i) { return island_of(out, bodies_of(q, q.groups[i])); }, out.root, out.group_begin, out.group);
}

Pile find_pile(const Model& m, const RowProblem& q, const IslandView& island, const std::vector<Vec3>& acceleration) {
    Vec3 sum = Vec3::Zero();
    for (int b : island.bodies) sum += acceleration[b];
    const Real pull = sum.norm() / Real(island.bodies.size());
    if (!(pull > 0)) return {};
    const Vec3 down = sum.normalized();
    Real low = 1e300, high = -1e300, size = 0;
    int frames = 0;
    for (int b : island.bodies) {
        const Real height = -down.dot(q.x[b]);
        low = std::min(low, height), high = std::max(high, height);
        if (const int f = b - point_count(m); f >= 0) size += std::sqrt(2 * mat(m.frame.inertia[f]).trace() / m.frame.mass[f]), ++frames;
    }
    if (!(size > 0)) return {};
    size /= frames;
    return {(high - low) / size, size, pull};
}

void build_islands(const RowProblem& q, Islands& out) {
    begin_islands(q, out);
    Joiner join{q, out};
    for (const RowGroup& g : q.groups) join(bodies_of(q, g));
    number_islands(q, out);
    list_groups(q, out);
}

} // namespace sinew
