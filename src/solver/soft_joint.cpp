#include "solver/soft_joint.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kChunk = 4;           // components per task
constexpr int kMostSolves = 3;      // of a pass: rows that leave their bounds need another
constexpr Real kTurned = 1e-3;      // [rad] a factor holds as long as bodies have turned by less

Real dot(const Lever& x, const Lever& y) { return x.linear.dot(y.linear) + x.angular.dot(y.angular); }

// levers of one group from the Rows, which have the columns of absent points too
void read_levers(const SoftJointOptions& o, const SoftJointGroup& g, const Rows& rows, const RowProblem& q, SoftJoints& s) {
    const RowGroup& from = q.groups[g.group];
    const int body_a = q.body[from.side], body_b = from.sides > 1 ? q.body[from.side + 1] : -1;
    const Real* j = rows.jacobian.data() + rows.value_begin[g.source];
    const int blocks = rows.block_begin[g.source + 1] - rows.block_begin[g.source];
    const int* block = rows.block.data() + rows.block_begin[g.source];
    const int points = int(s.x.size());
    for (int k = 0; k < g.rows; ++k) {
        SoftJointRow& r = s.rows[g.row + k];
        r.c = g.position ? rows.c[rows.row_begin[g.source] + k] : 0;
        Lever* lever = &r.ja;
        for (int i = 0; i < blocks; ++i, j += 3) {
            if (block[i] < 0) continue;
            lever->linear = Eigen::Map<const Vec3>(j);
            if (block[i] >= points) j += 3, ++i, lever->angular = Eigen::Map<const Vec3>(j);
            lever = &r.jb;
        }
        r.da = {q.inverse_mass[body_a] * r.ja.linear, q.inverse_inertia[body_a] * r.ja.angular};
        if (body_b >= 0) r.db = {q.inverse_mass[body_b] * r.jb.linear, q.inverse_inertia[body_b] * r.jb.angular};
        if (!r.is_soft) r.softness = o.trace * (dot(r.ja, r.da) + dot(r.jb, r.db));
    }
}

template <class S> void set_bend(const SoftJointGroup& g, Real h, const std::vector<SoftBody<S>>& bodies, SoftJoints& s) {
    SoftJointRow* r = s.rows.data() + g.row;
    const auto spin = [&](int b) { return Vec3(bodies[b].v[3], bodies[b].v[4], bodies[b].v[5]); };
    // signs of the rows are in the levers
    const Vec3 ra = lever_arm(r[0].ja.angular, r[1].ja.angular, r[2].ja.angular), wa = spin(g.a);
    Vec3 k = wa.cross(wa.cross(ra));
    if (g.b >= 0) {
        const Vec3 rb = lever_arm(r[0].jb.angular, r[1].jb.angular, r[2].jb.angular), wb = spin(g.b);
        k += wb.cross(wb.cross(rb));
    }
    for (int i = 0; i < 3; ++i) r[i].bend = 0.5 * h * k[i];
}

template <class S> Real rate_of(const SoftJointRow& r, const SoftJointGroup& g, const std::vector<SoftBody<S>>& bodies) {
    Real sum = 0;
    const auto add = [&](const Lever& j, int b) {
        const S* u = bodies[b].v;
        for (int k = 0; k < 3; ++k) sum += j.linear[k] * u[k] + j.angular[k] * u[3 + k];
    };
    add(r.ja, g.a);
    if (g.b >= 0) add(r.jb, g.b);
    return sum;
}
template <class S> void push(const SoftJointRow& r, const SoftJointGroup& g, Real p, std::vector<SoftBody<S>>& bodies) {
    const auto add = [&](const Lever& w, int b) {
        S* u = bodies[b].v;
        for (int k = 0; k < 3; ++k) u[k] += S(w.linear[k] * p), u[3 + k] += S(w.angular[k] * p);
    };
    if (g.moves_a) add(r.da, g.a);
    if (g.moves_b) add(r.db, g.b);
}

// what an active row makes zero
template <class S>
Real residual(const SoftJointRow& r, const SoftJointGroup& g, Real h, bool spring, const std::vector<SoftBody<S>>& bodies) {
    Real gain = spring || r.is_soft ? r.gain : 0;
    if (g.one_sided && r.c > 0 && !r.is_soft) gain = 1 / h; // no more than closes the gap
    return rate_of(r, g, bodies) - r.rate + r.bend + gain * r.c + r.softness * r.impulse;
}

// bounded rows that take part: those within their bounds, and those at a bound that are drawn inwards
template <class S> void choose_active(Real h, JointCluster& c, SoftJoints& s, const std::vector<SoftBody<S>>& bodies) {
    for (int n : c.bounded) {
        const SoftJointGroup& g = s.groups[n];
        for (int k = 0; k < g.rows; ++k) {
            SoftJointRow& r = s.rows[g.row + k];
            bool active = r.impulse > r.low && r.impulse < r.high;
            if (!active) {
                const Real error = residual(r, g, h, true, bodies);
                active = r.low < r.high && (r.impulse <= r.low ? error < 0 : error > 0);
            }
            if (active != r.active) c.ready = false;
            r.active = active;
        }
    }
}

// active rows, numbered along the walk, and the envelope they make
void number_rows(SoftJoints& s, JointCluster& c) {
    c.active.clear();
    const int n = int(c.groups.size());
    for (int k = 0; k < n; ++k) {
        const SoftJointGroup& g = s.groups[c.groups[k]];
        c.offset[k] = int(c.active.size());
        for (int i = 0; i < g.rows; ++i) {
            SoftJointRow& r = s.rows[g.row + i];
            r.at = r.active ? int(c.active.size()) : -1;
            if (r.active) c.active.push_back({c.groups[k], g.row + i});
        }
    }
    c.offset[n] = int(c.active.size());
    c.first.resize(c.active.size());
    c.right.resize(c.active.size());
    for (int k = 0; k < n; ++k)
        std::fill(c.first.begin() + c.offset[k], c.first.begin() + c.offset[k + 1], c.offset[c.lowest[k]]);
    build_envelope(c.first, c.matrix);
}

void factor_cluster(SoftJoints& s, JointCluster& c) {
    number_rows(s, c);
    for (const JointCoupling& k : c.couplings) {
        if (c.offset[k.g] == c.offset[k.g + 1] || c.offset[k.h] == c.offset[k.h + 1]) continue;
        const SoftJointGroup &g = s.groups[c.groups[k.g]], &h = s.groups[c.groups[k.h]];
        for (int i = 0; i < g.rows; ++i) {
            const SoftJointRow& r = s.rows[g.row + i];
            if (!r.active) continue;
            const Lever& x = k.side_g ? r.jb : r.ja;
            const int columns = k.g == k.h ? i + 1 : h.rows;
            Real* to = c.matrix.value.data() + c.matrix.begin[r.at] - c.matrix.first[r.at]; // to[j]: column j
            for (int j = 0; j < columns; ++j) {
                const SoftJointRow& other = s.rows[h.row + j];
                if (other.active) to[other.at] += dot(x, k.side_h ? other.db : other.da);
            }
        }
    }
    for (std::size_t n = 0; n < c.active.size(); ++n) {
        const SoftJointRow& r = s.rows[c.active[n][1]];
        entry(c.matrix, int(n), int(n)) += r.softness + 1e-300;
    }
    c.ready = true;
    c.solvable = factor_envelope(c.matrix);
}

template <class S> Vec3 turn_of(const SoftBody<S>& b) { return Vec3(b.d[3], b.d[4], b.d[5]); }

// impulses of all active rows at once; false if some would leave their bounds: these are then put there and are not
// active any more, the others are as before. `last`: the others go on too, and the next pass finds what that leaves over
template <class S>
bool try_solve(Real h, bool spring, bool last, JointCluster& c, SoftJoints& s, std::vector<SoftBody<S>>& bodies) {
    if (!c.ready) factor_cluster(s, c);
    if (!c.solvable) return true;
    for (std::size_t n = 0; n < c.active.size(); ++n) {
        const SoftJointRow& r = s.rows[c.active[n][1]];
        c.right[n] = -residual(r, s.groups[c.active[n][0]], h, spring, bodies);
        if (!r.is_soft && !s.groups[c.active[n][0]].bounded) c.error = std::max(c.error, std::abs(c.right[n]));
    }
    solve_envelope(c.matrix, c.right);
    bool inside = true;
    if (!c.bounded.empty())
        for (std::size_t n = 0; n < c.active.size(); ++n) {
            SoftJointRow& r = s.rows[c.active[n][1]];
            const Real p = std::clamp(r.impulse + c.right[n], r.low, r.high);
            if (p == r.impulse + c.right[n]) continue;
            push(r, s.groups[c.active[n][0]], p - r.impulse, bodies);
            r.impulse = p;
            r.active = c.ready = inside = false;
        }
    if (!inside && !last) return false;
    for (std::size_t n = 0; n < c.active.size(); ++n) {
        SoftJointRow& r = s.rows[c.active[n][1]];
        if (!r.active) continue;
        r.impulse += c.right[n];
        push(r, s.groups[c.active[n][0]], c.right[n], bodies);
    }
    return true;
}

// where the bodies of the joints are
template <class S>
void place_bodies(const JointSource& source, const std::vector<int>& place, const RowProblem& q,
                  const std::vector<SoftBody<S>>& bodies, SoftJoints& s) {
    const int points = source.dofs.points;
    for (const SoftJointGroup& g : s.groups) {
        if (g.packed) continue;
        const RowGroup& from = q.groups[g.group];
        for (int k = 0; k < from.sides; ++k) {
            const int b = q.body[from.side + k];
            const S* d = bodies[place[b]].d;
            const Vec3 shift(d[0], d[1], d[2]), turn(d[3], d[4], d[5]);
            if (b < points) s.x[b] = real3(vec(source.at.x[b]) + shift);
            else {
                s.p[b - points] = real3(vec(source.at.p[b - points]) + shift);
                s.q[b - points] = real4(exp_rotation(turn) * quat(source.at.q[b - points]));
            }
        }
    }
}

} // namespace

template <class S>
void refresh_joints(const Parallel& parallel, const SoftJointOptions& o, const JointSource& source, bool moved,
                    const std::vector<int>& place, const RowProblem& q, const std::vector<SoftBody<S>>& bodies, SoftJoints& s) {
    if constexpr (std::is_same_v<S, float>) refresh_soft_trees(parallel, o, bodies, s.trees), refresh_soft_rigs(parallel, o, moved, bodies, s.rigs);
    if (s.runs.empty()) return;
    Rows& rows = *source.rows;
    if (moved) place_bodies(source, place, q, bodies, s);
    Evaluation ev = source.at;
    ev.x = s.x.data(), ev.p = s.p.data(), ev.q = s.q.data();
    parallel_for(parallel, int(s.runs.size()), 1, [&](int begin, int end) {
        for (int n = begin; n < end; ++n) {
            const int first = s.groups[s.runs[n][0]].source, count = s.runs[n][1] - s.runs[n][0];
            const Table& t = (*source.constraints)[rows.key[first] >> 40];
            const int e = int(rows.key[first] & ((std::uint64_t(1) << 40) - 1));
            if (moved)
                t.row->constraint(t, ev, e, e + count, rows.c.data() + rows.row_begin[first],
                                  rows.jacobian.data() + rows.value_begin[first]);
            for (int i = s.runs[n][0]; i < s.runs[n][1]; ++i) {
                read_levers(o, s.groups[i], rows, q, s);
                if (s.groups[i].bends) set_bend(s.groups[i], o.h, bodies, s);
            }
        }
    });
    for (int i = 0; i < s.cluster_count; ++i) { // a factor holds while nothing has turned
        JointCluster& c = s.clusters[i];
        if (c.packed) continue;
        c.ready = c.ready && moved;
        for (std::size_t k = 0; k < c.bodies.size() && c.ready; ++k)
            c.ready = (turn_of(bodies[c.places[k]]) - c.turned[k]).squaredNorm() < kTurned * kTurned;
        // of the place of the levers: when a factor is made, bodies may have moved on
        for (std::size_t k = 0; k < c.bodies.size() && !c.ready; ++k) c.turned[k] = turn_of(bodies[c.places[k]]);
    }
}

template <class S> void warm_start_joints(const Parallel& parallel, SoftJoints& s, std::vector<SoftBody<S>>& bodies) {
    if constexpr (std::is_same_v<S, float>) warm_start_soft_trees(parallel, s.trees, bodies), warm_start_soft_rigs(parallel, s.rigs, bodies);
    parallel_for(parallel, int(s.components.size()), kChunk, [&](int begin, int end) {
        for (int n = begin; n < end; ++n)
            for (int c = s.components[n][0]; c < s.components[n][1]; ++c)
                for (int i : s.clusters[c].groups)
                    for (int k = 0; k < s.groups[i].rows; ++k) {
                        const SoftJointRow& r = s.rows[s.groups[i].row + k];
                        if (r.impulse != 0) push(r, s.groups[i], r.impulse, bodies);
                    }
    });
}

template <class S>
Real solve_joints(const Parallel& parallel, const SoftJointOptions& o, JointPass pass, SoftJoints& s, std::vector<SoftBody<S>>& bodies) {
    Real worst = 0;
    if constexpr (std::is_same_v<S, float>) {
        const SoftRigPass how = pass == JointPass::first ? SoftRigPass::first : pass == JointPass::again ? SoftRigPass::again : SoftRigPass::relax;
        worst = solve_soft_trees(parallel, pass == JointPass::relax ? 0 : o.pull / o.h, s.trees, bodies);
        worst = std::max(worst, solve_soft_rigs(parallel, o, how, s.rigs, bodies));
    }
    parallel_for(parallel, int(s.components.size()), kChunk, [&](int begin, int end) {
        for (int n = begin; n < end; ++n)
            for (int i = s.components[n][0]; i < s.components[n][1]; ++i) {
                JointCluster& c = s.clusters[i];
                c.error = 0;
                if (pass == JointPass::first) choose_active(o.h, c, s, bodies);
                for (int round = 1; !try_solve(o.h, pass != JointPass::relax, round >= kMostSolves, c, s, bodies);) ++round;
            }
    });
    for (int i = 0; i < s.cluster_count; ++i)
        if (!s.clusters[i].packed) worst = std::max(worst, s.clusters[i].error);
    return worst;
}

void read_joints(int substeps, const SoftJoints& s, RowProblem& q) {
    read_soft_trees(substeps, s.groups, s.trees, q);
    read_soft_rigs(substeps, s.groups, s.rigs, q);
    for (const SoftJointGroup& g : s.groups)
        for (int k = 0; k < g.rows && !g.packed; ++k) q.impulse[q.groups[g.group].row + k] = s.rows[g.row + k].impulse * substeps;
}

template void warm_start_joints(const Parallel&, SoftJoints&, std::vector<SoftBody<float>>&);
template void warm_start_joints(const Parallel&, SoftJoints&, std::vector<SoftBody<double>>&);
template Real solve_joints(const Parallel&, const SoftJointOptions&, JointPass, SoftJoints&, std::vector<SoftBody<float>>&);
template Real solve_joints(const Parallel&, const SoftJointOptions&, JointPass, SoftJoints&, std::vector<SoftBody<double>>&);
template void refresh_joints(const Parallel&, const SoftJointOptions&, const JointSource&, bool, const std::vector<int>&,
                             const RowProblem&, const std::vector<SoftBody<float>>&, SoftJoints&);
template void refresh_joints(const Parallel&, const SoftJointOptions&, const JointSource&, bool, const std::vector<int>&,
                             const RowProblem&, const std::vector<SoftBody<double>>&, SoftJoints&);

} // namespace sinew
