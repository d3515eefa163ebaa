// Positions after a step of `velocity`: errors taken back by Newton steps, and rounds that make the step fully implicit.
#include "model/visit.h"
#include "solver/measure.h"
#include "solver/velocity_implicit.h"
#include "solver/velocity_step.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr Real kPostErp = 0.5;       // of penetration; joints are taken back in full
constexpr int kPostRounds = 2;       // Newton steps of the positions
constexpr Real kSmallError = 1e-5;   // [m, rad]
constexpr Real kNoError = 1e-12;     // [m, rad]

} // namespace

// largest error of positions in islands that have them taken back [m, rad]; which groups these have goes into `wanted`
Real VelocitySolver::find_errors(const Model& m, const State& at, const BiasOptions& o) {
    wanted.assign(q.groups.size(), 0);
    Real worst = 0;
    for (std::size_t i = 0; i < q.groups.size(); ++i) {
        const RowGroup& g = q.groups[i];
        const VelocityWay w = way_of(g);
        wanted[i] = w == VelocityWay::direct || w == VelocityWay::iterative;
        if (!wanted[i] || g.link) continue;
        if (g.set == RowSet::contact) {
            worst = std::max(worst, -position_bias(o, contact_gap(m, at, found, list, g)));
            continue;
        }
        for (int r = rows.row_begin[g.source]; r < rows.row_begin[g.source + 1]; ++r)
            if (rows.level[g.source] == Level::position && rows.compliance[r] == 0)
                worst = std::max(worst, g.set == RowSet::lower ? -rows.c[r] : std::abs(rows.c[r]));
    }
    return worst;
}

// one Newton step of the positions of `to`, by the errors at `at`; returns the largest of them [m, rad]
Real VelocitySolver::take_back(const Model& m, const State& at, State& to) {
    BiasOptions o = bias_options();
    o.erp = kPostErp;
    o.joint_erp = 1;
    const bool joints = std::any_of(q.groups.begin(), q.groups.end(), [&](const RowGroup& g) {
        return g.set != RowSet::contact && !g.link && (way_of(g) == VelocityWay::direct || way_of(g) == VelocityWay::iterative);
    });
    if (joints) refresh_rows(*parallel, m.elements->constraints, evaluation_of(m, at, q.dt), rows);
    if (!(find_errors(m, at, o) >= kNoError)) return 0;
    build_position_problem(m, at, found, list, m.elements->constraints.empty() ? nullptr : &rows, o, q, wanted, positions);
    SolveOptions options = solve_options();
    options.sets = {};
    options.tolerance = 1e-12; // [m]
    options.trace = nullptr;
    for (SolveResult& r : results) r.residual = 0;
    parallel_for_workers(*parallel, islands.count(), 1, [&](int worker, int begin, int end) {
        for (int i = begin; i < end; ++i) {
            if (way[i] != VelocityWay::direct && way[i] != VelocityWay::iterative) continue;
            Real worst = 0, sum = 0;
            for (int g : islands.view(i).groups) {
                const RowGroup& group = positions.groups[g];
                for (int k = 0; k < group.rows; ++k) {
                    if (positions.softness[group.row + k] != 0) continue;
                    const Real bias = positions.bias[group.row + k];
                    const Real error = group.set == RowSet::lower ? std::max(0.0, -bias) : std::abs(bias);
                    worst = std::max(worst, error), sum += error;
                }
            }
            results[i].residual = worst;
            if (worst < kNoError) continue;
            SolveOptions mine = options;
            if (islands.facts[i].springs) {
                mine.tolerance = 1e-6;
                for (int g : islands.view(i).groups)
                    if (q.groups[g].set == RowSet::contact)
                        positions.softness[positions.groups[g].row] = kSpringPush * positions.block[positions.groups[g].block];
            }
            if (way[i] != VelocityWay::iterative) solve_direct(mine, islands.view(i), *workers[worker], positions);
            else solve_block(options, islands.view(i), positions);
            // contacts that contradict each other have no solution nearby: what goes further than all errors together is none
            const auto far = [&](int b) { return !(positions.v[b].norm() <= 2 * sum) || !(positions.w[b].norm() <= 1); };
            const IslandView island = islands.view(i);
            if (islands.touch_begin[i] < islands.touch_begin[i + 1] && std::any_of(island.bodies.begin(), island.bodies.end(), far))
                for (int b : island.bodies) positions.v[b] = positions.w[b] = Vec3::Zero();
        }
    });
    const int n = point_count(m);
    for (int b = 0; b < q.body_count(); ++b) {
        if (islands.number[b] < 0 || still[b]) continue;
        if (b < n) to.point.x[b] = real3(vec(to.point.x[b]) + positions.v[b]);
        else {
            to.frame.p[b - n] = real3(vec(to.frame.p[b - n]) + positions.v[b]);
            if (positions.w[b] != Vec3::Zero())
                to.frame.q[b - n] = real4((exp_rotation(positions.w[b]) * quat(to.frame.q[b - n])).normalized());
        }
    }
    Real worst = 0;
    for (const SolveResult& r : results) worst = std::max(worst, r.residual);
    return worst;
}

void VelocitySolver::stabilise(const Model& m, Real, State& s) {
    const bool any = std::any_of(way.begin(), way.end(), [](VelocityWay w) { return w == VelocityWay::direct || w == VelocityWay::iterative; });
    if (any && stabilisation() == "post")
        for (int k = 0; k < kPostRounds; ++k)
            if (take_back(m, s, s) < kSmallError) break; // the next one would find its square
}

// rounds after the first: rows where the step has got to, until velocities do not change
void VelocitySolver::go_to_end(const Model& m, const Input& input, Real h, const State& start, State& s) {
    at_end = true;
    for (int round = 1; round < settings.rounds && report.status == Status::ok; ++round) {
        end_v = q.v, end_w = q.w;
        for (int b = 0; b < q.body_count(); ++b) q.x[b] = b < point_count(m) ? vec(s.point.x[b]) : vec(s.frame.p[b - point_count(m)]);
        if (!detect(m, s, h)) {
            report.status = Status::failed;
            report.message = "contacts cannot be found: a position is not a number";
            break;
        }
        // what may touch is judged from here by the velocities without impulses
        for (int b = 0; b < q.body_count(); ++b)
            if (q.inverse_mass[b] > 0) q.v[b] = free_v[b] - end_v[b], q.w[b] = free_w[b] - end_w[b];
        build_rows_of(m, s, h);
        divide(m, input, s);
        fill_rows(m, s, h);
        add_groups(m, s);
        set_end_bias(rows, end_v, end_w, q);
        q.v = free_v, q.w = free_w;
        if (settings.impact == "newton") impact();
        solve(m, h, s);
        s.point = start.point, s.frame = start.frame;
        move(m, h, s);
        ++report.evaluations;
        Real change = 0;
        for (int b = 0; b < q.body_count(); ++b)
            change = std::max({change, (q.v[b] - end_v[b]).lpNorm<Eigen::Infinity>(), (q.w[b] - end_w[b]).lpNorm<Eigen::Infinity>()});
        if (trace) trace->iterations.push_back({round, 0, change, 1});
        if (change <= settings.tolerance) break;
    }
    at_end = false;
}

} // namespace sinew
