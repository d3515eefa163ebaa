#include "solver/articulated_contact.h"
#include "model/visit.h"
#include "solver/measure.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

// a contact remembered: key and feature in halves, three impulses
constexpr std::string_view kLinkContactMemory = "articulated.contacts", kRowMemory = "articulated.rows";
constexpr int kIdSize = 4, kContactSize = kIdSize + 3;
using TouchId = std::array<double, kIdSize>;

TouchId id_of(const LinkTouch& t) {
    return {double(t.key >> 32), double(t.key & 0xffffffffu), double(t.feature >> 32), double(t.feature & 0xffffffffu)};
}

// What the rows of each element carried in the step before, where its place among all has changed (an edit): forces times dt.
void start_from_forces(const Model& m, const State& now, const ContactStage& s, RowProblem& q) {
    for (const RowGroup& g : q.groups) {
        if (g.set == RowSet::contact || s.rows.held[g.source]) continue;
        int element = g.source; // in the order of tables
        for (const Table& t : m.elements->constraints) {
            if (element >= t.count()) {
                element -= t.count();
                continue;
            }
            const auto* forces = find_memory(now, "force." + std::string(t.row->name));
            if (forces && forces->size() == std::size_t(t.count()) * t.row->rows)
                for (int r = 0; r < g.rows; ++r) q.impulse[g.row + r] = q.dt * (*forces)[std::size_t(element * t.row->rows + r)];
            break;
        }
    }
}

// impulses of the step before, for contacts and bounded rows that are still there
void warm_start(const Model& m, const State& now, const ContactStage& s, RowProblem& q) {
    const auto* contacts = find_memory(now, kLinkContactMemory);
    const auto* rows = find_memory(now, kRowMemory);
    const bool has_rows = rows && int(rows->size()) == s.constraints.row_count();
    if (!has_rows) start_from_forces(m, now, s, q);
    std::size_t at = 0;
    const std::size_t count = contacts ? contacts->size() / kContactSize : 0;
    for (const RowGroup& g : q.groups) {
        if (g.set == RowSet::contact) {
            const TouchId id = id_of(s.touches[g.source]);
            const auto remembered = [&](std::size_t i) {
                TouchId r;
                std::copy_n(contacts->data() + i * kContactSize, kIdSize, r.begin());
                return r;
            };
            while (at < count && remembered(at) < id) ++at;
            if (at < count && remembered(at) == id)
                std::copy_n(contacts->data() + at * kContactSize + kIdSize, 3, q.impulse.data() + g.row);
        } else if (has_rows) {
            std::copy_n(rows->data() + s.constraints.row_begin[g.source], g.rows, q.impulse.data() + g.row);
        }
    }
}

// contacts that are closer than `near` or come so within the step
void list_touches(const Model& m, const FrameState& frames, Real near, Real dt, ContactStage& s) {
    build_rule_table(m, s.rules);
    s.touches.clear();
    for (const PointContact& c : s.contacts.point_point) {
        LinkTouch t;
        t.n = vec(c.normal);
        t.at = vec(c.at);
        Vec3 rate = Vec3::Zero();
        bool moves = false;
        const std::array<const SurfaceVertex*, 2> side{&c.a, &c.b};
        for (int i = 0; i < 2; ++i) {
            const int f = side[i]->index;
            t.frame[i] = f;
            t.arm[i] = t.at - vec(frames.p[f]); // one place for both, so that what they exchange has no moment
            rate += (i == 0 ? 1 : -1) * (vec(frames.v[f]) + vec(frames.w[f]).cross(t.arm[i]));
            moves = moves || !(m.frame.flags[f] & kFixed);
        }
        if (!moves || (c.gap > near && c.gap + dt * t.n.dot(rate) > near)) continue;
        const ContactFrame axes = contact_frame(c.normal);
        t.t0 = vec(axes.t0), t.t1 = vec(axes.t1);
        t.key = c.key, t.feature = c.feature;
        t.gap = c.gap;
        t.rule = find_pair_rule(m, s.rules, c.object_a, c.object_b);
        t.rule.friction = c.friction;
        s.touches.push_back(t);
    }
}

// three rows n, t0, t1; with rolling or torsional friction three of relative spin as well
void add_touch(const Model& m, const LinkTouch& t, int source, const ArticulatedSettings& o, RowProblem& q) {
    const int points = point_count(m);
    const bool spins = t.rule.rolling_friction > 0 || t.rule.torsional_friction > 0;
    const std::array<int, 2> body{points + t.frame[0], points + t.frame[1]};
    RowGroup& g = add_group(q, spins ? 6 : 3, body);
    g.set = RowSet::contact;
    g.friction = t.rule.friction, g.rolling = t.rule.rolling_friction, g.torsion = t.rule.torsional_friction;
    g.restitution = t.rule.restitution;
    g.gap = t.gap;
    g.source = source;
    const std::array<Vec3, 3> direction{t.n, t.t0, t.t1};
    for (int k = 0; k < 3; ++k)
        for (int side = 0; side < 2; ++side) {
            const Vec3 d = side == 0 ? direction[k] : Vec3(-direction[k]);
            q.jacobian[g.lever + k * g.sides + side] = {d, t.arm[side].cross(d)};
            if (spins) q.jacobian[g.lever + (3 + k) * g.sides + side] = {Vec3::Zero(), d};
        }
    q.c[g.row] = t.gap;
    q.bias[g.row] = t.gap > 0 ? t.gap / q.dt : std::max(-o.push_speed, o.erp / q.dt * std::min(0.0, t.gap + o.slop));
}

void build_plain(const Model& m, const ArticulatedSettings& o, const State& now, const State& stage, Real dt, ContactStage& s) {
    RowProblem& q = s.rows.plain;
    clear_rows(q);
    q.dt = dt;
    build_bodies(m, stage, q);
    list_touches(m, stage.frame, o.slop, dt, s);
    for (std::size_t i = 0; i < s.touches.size(); ++i) add_touch(m, s.touches[i], int(i), o, q);
    if (s.constraints.group_count() > 0) {
        BiasOptions bias;
        bias.kind = BiasOptions::baumgarte;
        bias.joint_erp = o.erp;
        refresh_rows(m.elements->constraints, evaluation_of(m, stage, dt), s.constraints);
        add_constraint_groups(dofs_of(m), s.constraints, bias, q);
    }
    // loops are closed after the step, not pulled shut
    for (const RowGroup& g : q.groups) {
        if (g.set != RowSet::free || s.constraints.level[g.source] != Level::position) continue;
        for (int k = 0; k < g.rows; ++k)
            if (q.softness[g.row + k] == 0) q.bias[g.row + k] = -s.constraints.rate[s.constraints.row_begin[g.source] + k];
    }
    warm_start(m, now, s, q);
}

// what sleeps keeps the impulses of the step before; others start from them if that is wanted
void find_sleepers(const Model& m, const Input& input, const ArticulatedSettings& o, const Forest& f, const State& now, ContactStage& s) {
    RowProblem& q = s.rows.plain;
    find_resting(m, input, now, o.sleep ? o.sleep_after : 1e300, q, s.rest);
    s.rows.asleep.assign(q.groups.size(), 0);
    for (std::size_t i = 0; i < q.groups.size(); ++i) {
        const RowGroup& g = q.groups[i];
        for (int k = 0; k < g.sides; ++k) s.rows.asleep[i] = s.rows.asleep[i] || s.rest.still[q.body[g.side + k]];
        if (!s.rows.asleep[i] && !o.warm_start) std::fill_n(q.impulse.begin() + g.row, g.rows, 0.0);
    }
    s.still.resize(f.trees.size());
    for (std::size_t t = 0; t < f.trees.size(); ++t)
        s.still[t] = s.rest.still[point_count(m) + f.links[f.trees[t].begin].frame];
}

// sweeps over each island alone
SolveResult solve_islands(const Parallel& parallel, const SolveOptions& o, ContactStage& s) {
    s.results.assign(s.islands.count(), {});
    parallel_for(parallel, s.islands.count(), 1, [&](int begin, int end) {
        for (int i = begin; i < end; ++i)
            s.results[i] = solve_block(o, {{}, s.islands.view(i).groups}, s.rows.coupled);
    });
    SolveResult out;
    for (const SolveResult& r : s.results) out = {std::max(out.iterations, r.iterations), std::max(out.residual, r.residual)};
    return out;
}

// normal velocities before anything acts, for restitution
void measure_approach(const State& now, const RowProblem& q, int first_frame, std::vector<Real>& out) {
    out.assign(q.groups.size(), 0);
    for (std::size_t i = 0; i < q.groups.size(); ++i) {
        const RowGroup& g = q.groups[i];
        if (g.set != RowSet::contact || !(g.restitution > 0)) continue;
        const Lever* j = q.jacobian.data() + g.lever;
        for (int s = 0; s < g.sides; ++s) {
            const int frame = q.body[g.side + s] - first_frame;
            if (frame >= 0) out[i] += j[s].linear.dot(vec(now.frame.v[frame])) + j[s].angular.dot(vec(now.frame.w[frame]));
        }
    }
}

// biases of the pass for velocities: nothing is pushed apart, what came fast enough bounces; false if nothing changes
bool bounces(const ArticulatedSettings& o, const ContactStage& s, const RowGroup& g, std::size_t i) {
    return g.set == RowSet::contact && g.restitution > 0 && s.approach[i] < -o.restitution_threshold;
}
bool relax_bias(const ArticulatedSettings& o, ContactStage& s, RowProblem& q) {
    bool changed = false;
    s.bounce.assign(q.groups.size(), 0);
    for (std::size_t i = 0; i < q.groups.size(); ++i) {
        const RowGroup& g = q.groups[i];
        for (int k = 0; k < g.rows; ++k) {
            Real bias = q.bias[g.row + k];
            if (g.set == RowSet::contact && k == 0) {
                if (g.gap <= 0) bias = 0;
                if (bounces(o, s, g, i) && q.impulse[g.row] > 0) bias = s.bounce[i] = g.restitution * s.approach[i];
            } else if (g.set == RowSet::lower && q.c[g.row + k] < 0 && q.softness[g.row + k] == 0) {
                bias = 0;
            }
            changed = changed || bias != q.bias[g.row + k];
            q.bias[g.row + k] = bias;
        }
    }
    return changed;
}

// rates of all rows, where the impulses of the swept rows are left out if that is wanted
void measure_rates(const Forest& f, const ForestState& at, const SmoothStep& smooth, bool without, ContactStage& s, std::vector<Real>& out) {
    RowProblem& q = s.rows.coupled;
    if (without) {
        s.kept = q.impulse;
        std::fill(q.impulse.begin(), q.impulse.end(), 0.0);
        settle_rows(f, at, smooth.qd, s.rows);
    }
    out.resize(q.impulse.size());
    for (const RowGroup& g : q.groups)
        for (int k = 0; k < g.rows; ++k) out[g.row + k] = row_rate(q, g, k);
    if (without) {
        q.impulse = s.kept;
        settle_rows(f, at, smooth.qd, s.rows);
    }
}

// Impulses that add energy without any restitution are no solution: sweeps did not get there (much friction against an arm that jams).
// Along them the work is s p . u + s^2/2 p . A p: they are shortened to where it is zero, and the next step goes on from there.
bool shorten_impulses(Real gain, ContactStage& s) {
    RowProblem& q = s.rows.coupled;
    bool any = false;
    for (int i = 0; i < s.islands.count(); ++i) {
        Real push = 0, answer = 0, size = 0;
        for (int g : s.islands.view(i).groups)
            for (int k = q.groups[g].row; k < q.groups[g].row + q.groups[g].rows && q.groups[g].set != RowSet::box; ++k) {
                push += q.impulse[k] * s.free_rate[k];
                answer += q.impulse[k] * (s.rate[k] - s.free_rate[k]);
                size += 0.5 * std::abs(q.impulse[k]) * (std::abs(s.free_rate[k]) + std::abs(s.rate[k]));
            }
        if (s.factor[i].now > 0 || push + 0.5 * answer <= gain * size) continue;
        const Real part = push < 0 && answer > 0 ? -2 * push / answer : 0;
        for (int g : s.islands.view(i).groups)
            for (int k = q.groups[g].row; k < q.groups[g].row + q.groups[g].rows; ++k) q.impulse[k] *= part;
        any = true;
    }
    return any;
}

// Work of contacts and limits on an island, 1/2 p . (u + u') of each row, is never above zero without restitution: p . u' <= 0 then, and
// u' - u = A p. Newton's law with friction or several contacts can add energy (Kane's double pendulum): restitution of such an
// island is lowered, all of it by one factor, until it does not. The work goes with the factor steadily, so it is halved.
void guard_energy(const Parallel& parallel, const SolveOptions& o, const Forest& f, const ForestState& at, const SmoothStep& smooth, ContactStage& s) {
    constexpr int kHalvings = 10;
    constexpr Real kGain = 1e-6; // part of the work of the impulses: what sweeps leave undone
    RowProblem& q = s.rows.coupled;
    measure_rates(f, at, smooth, true, s, s.free_rate);
    s.factor.assign(s.islands.count(), {0, 1, 1});
    for (int round = 0; round <= kHalvings; ++round) {
        measure_rates(f, at, smooth, false, s, s.rate);
        bool again = false;
        for (int i = 0; i < s.islands.count(); ++i) {
            Real work = 0, size = 0;
            for (int g : s.islands.view(i).groups)
                for (int k = q.groups[g].row; k < q.groups[g].row + q.groups[g].rows && q.groups[g].set != RowSet::box; ++k) {
                    work += 0.5 * q.impulse[k] * (s.free_rate[k] + s.rate[k]);
                    size += 0.5 * std::abs(q.impulse[k]) * (std::abs(s.free_rate[k]) + std::abs(s.rate[k]));
                }
            ContactStage::Factor& t = s.factor[i];
            (work > kGain * size ? t.high : t.low) = t.now;
            if (t.low == 1) continue;
            const Real next = round + 1 < kHalvings ? 0.5 * (t.low + t.high) : t.low;
            again = again || next != t.now;
            t.now = next;
            for (int g : s.islands.view(i).groups)
                if (s.bounce[g] != 0) q.bias[q.groups[g].row] = t.now * s.bounce[g];
        }
        if (!again) break;
        solve_islands(parallel, o, s);
        settle_rows(f, at, smooth.qd, s.rows);
    }
    if (shorten_impulses(kGain, s)) settle_rows(f, at, smooth.qd, s.rows);
}

} // namespace

void prepare_stage(const Model& m, std::vector<std::uint8_t> held, ContactStage& s) {
    build_rows(m.elements->constraints, dofs_of(m), s.constraints);
    held.resize(s.constraints.group_count(), 0);
    s.rows.held = std::move(held);
}

StageResult solve_stage(const Parallel& parallel, const Model& m, const Input& input, const ArticulatedSettings& o, const Forest& f,
                        const State& now, const State& stage, const ForestState& at, const SmoothStep& smooth, Real dt,
                        ContactStage& s) {
    StageResult out;
    constexpr Real kLinksAhead = 1.1; // each pair by its own velocities, held bodies and spins too; and what the rows change
    s.contacts.point_point.clear();
    if (!m.colliders.empty()) detect_shapes(parallel, m, stage.frame, {o.margin, kLinksAhead * dt}, s.shapes, s.contacts);
    build_plain(m, o, now, stage, dt, s);
    find_sleepers(m, input, o, f, now, s);
    couple_rows(f, at, s.constraints, dofs_of(m), s.rows);
    RowProblem& q = s.rows.coupled;
    measure_approach(now, q, s.rows.first_frame, s.approach);
    build_islands(q, s.islands);
    SolveOptions options;
    options.iterations = o.iterations;
    options.tolerance = o.tolerance;

    // for positions
    settle_rows(f, at, smooth.qd, s.rows);
    SolveResult solved;
    if (!q.groups.empty()) {
        solved = solve_islands(parallel, options, s);
        settle_rows(f, at, smooth.qd, s.rows);
    }
    out.iterations = solved.iterations;
    s.pushing = s.rows.impulse;
    s.way = smooth.way;
    for (int i = 0; i < f.v_count; ++i) s.way[i] += dt * (s.rows.qd[i] - smooth.qd[i]);
    // for velocities
    if (!q.groups.empty() && relax_bias(o, s, q)) {
        solved = solve_islands(parallel, options, s);
        settle_rows(f, at, smooth.qd, s.rows);
        out.iterations += solved.iterations;
        const auto bounced = [](Real bias) { return bias != 0; };
        if (std::any_of(s.bounce.begin(), s.bounce.end(), bounced)) guard_energy(parallel, options, f, at, smooth, s);
    }
    s.impulse = s.rows.impulse;
    s.qd = s.rows.qd;
    for (std::size_t t = 0; t < f.trees.size(); ++t)
        for (int i = f.tree_speeds[t].begin; s.still[t] && i < f.tree_speeds[t].end; ++i) s.qd[i] = s.way[i] = 0;
    for (std::size_t i = 0; i < q.groups.size(); ++i)
        std::copy_n(q.impulse.data() + q.groups[i].row, q.groups[i].rows,
                    s.rows.plain.impulse.data() + s.rows.plain.groups[s.rows.group_of[i]].row);
    for (int i = 0; i < s.rest.islands.count(); ++i) out.islands += !s.rest.still[s.rest.islands.view(i).bodies[0]];
    out.residual = solved.residual;
    out.contacts = int(s.touches.size());
    return out;
}

Real close_loops(const Model& m, const Forest& f, const ForestState& at, std::span<const BaseMotion> bases, Real dt,
                 State& stage, ContactStage& s, std::vector<LinkMotion>& motion, std::vector<Real>& q) {
    constexpr int kMost = 10;
    constexpr Real kClosed = 1e-13; // [m, rad] rounding of the values themselves
    Real error = 0;
    for (int iteration = 0; iteration <= kMost; ++iteration) {
        for (const Range links : f.trees) write_frames(f, links, motion.data(), stage.frame);
        refresh_rows(m.elements->constraints, evaluation_of(m, stage, dt), s.constraints);
        error = 0;
        for (int c = 0; c < s.rows.cluster_count; ++c)
            for (int i : s.rows.clusters[c].hard_rows) {
                const DirectRow& row = s.rows.clusters[c].rows[i];
                const RowGroup& g = s.rows.plain.groups[row.group];
                const Real value = s.constraints.c[s.constraints.row_begin[g.source] + row.row];
                s.rows.plain.c[g.row + row.row] = value;
                error = std::max(error, std::abs(value));
            }
        if (error <= kClosed || iteration == kMost) break;
        std::fill(s.way.begin(), s.way.end(), 0.0);
        add_position_step(f, at, s.rows, s.way);
        for (const Range links : f.trees) {
            retract_links(f, links, q.data(), s.way.data(), q.data());
            compute_positions(f, links, bases, q.data(), motion.data());
        }
    }
    return error;
}

void register_impulses(const ContactStage& s, State& state) {
    memory_array(state, kRowMemory, s.constraints.row_count());
    memory_array(state, kLinkContactMemory, 0);
}

void remember_impulses(const ContactStage& s, State& next) {
    const RowProblem& q = s.rows.plain;
    auto& rows = memory_array(next, kRowMemory, s.constraints.row_count());
    std::fill(rows.begin(), rows.end(), 0.0);
    std::size_t count = 0;
    for (const RowGroup& g : q.groups) {
        if (g.set == RowSet::contact) ++count;
        else if (!s.rows.held[g.source]) std::copy_n(q.impulse.data() + g.row, g.rows, rows.data() + s.constraints.row_begin[g.source]);
    }
    auto& contacts = memory_array(next, kLinkContactMemory, count * kContactSize);
    double* to = contacts.data();
    for (const RowGroup& g : q.groups) {
        if (g.set != RowSet::contact) continue;
        const TouchId id = id_of(s.touches[g.source]);
        to = std::copy(id.begin(), id.end(), to);
        to = std::copy_n(q.impulse.data() + g.row, 3, to);
    }
}

} // namespace sinew
