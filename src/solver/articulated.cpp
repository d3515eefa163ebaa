// Rigid bodies in generalised coordinates (spec P 3.17, P124-P129): trees of links by the articulated-body algorithm.
//
// One step:
//   read       coordinates from State.memory, or from the frames where those were edited (articulated_state.h)
//   smooth     speeds from forces and joint springs, linear time (articulated_smooth.h)
//   rows       contacts, limits, motors, loops: impulses on links (articulated_contact.h)
//   follow     free motion of fast trees, from the speeds that rows have left (articulated_drift.h)
//   advance    coordinates along the way; loops closed; trees that would get through something stop (articulated_passage.h); velocity terms
//              do no work; floating trees keep their momentum to rounding
//   write      frames and memory
#include "solver/articulated.h"
#include "model/visit.h"
#include "solver/articulated_force.h"
#include "solver/articulated_passage.h"
#include "solver/forces.h"
#include "solver/measure.h"
#include "solver/stage_clock.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

// kinetic energy at the end of the step (motion_energy); below zero: whatever comes
struct EnergyTarget {
    Real energy = -1;
    bool both = false;                 // no less either
};

struct ArticulatedSolver final : Solver {
    ArticulatedSettings settings;
    ParallelPtr parallel;
    bool is_given = false;             // the forest comes from the caller
    BuiltForest built;
    Forest& forest = built.forest;
    ForceMemory joint_forces;
    int topology = -1, values = -1;
    ForestState at;
    SmoothStep smooth;
    ForceScratch forces;
    Prescribed prescribed;
    std::vector<Real> f;               // tangent layout
    ContactStage stage;
    ForestState end;                   // of the step
    std::vector<Real> whole, way;      // tangent: of the whole step, of the part that is gone
    std::vector<Real> qd_rows, apart;  // of fast trees: speeds after rows, tangent way by which things are pushed apart
    std::vector<Real> qd_straight;     // speeds that accelerations at the start lead to
    std::vector<EnergyTarget> energies; // per tree
    LinkPassage passage;
    std::vector<Vec6> impulse, pushing; // per link, of everything from outside
    std::vector<MomentumTarget> targets;
    std::vector<ContactForce> contact_forces;
    StageClock clock;

    Report step(const Model&, const Input&, const State& now, State& next, double dt, Trace*) override;
    std::span<const ContactForce> contacts() const override { return contact_forces; }
    void drop_caches() override {
        forces = {};
        forces.energies_only = true;
        prescribed = {};
        topology = values = -1;
    }
    void refresh(const Model&);
    void aim_momentum(Real dt);
    void list_forces(const Model&, Real dt, Report&);
    void follow(Real dt);
    void follow_tree(int tree, Real dt);
    void warn_of_turns(const Model&, Real dt, Report&) const;
    void move_trees(const Model&, Real dt, State& next);
    void finish_tree(int tree);
    void advance(const Model&, const Input&, const State& now, Real dt, State& next);
};

// forces of the model's energies and of the input on the links
struct ModelForces final : LinkForces {
    ArticulatedSolver& solver;
    const Model& m;
    const Input& input;
    const State& now;
    State& stage;
    Real dt;

    ModelForces(ArticulatedSolver& s, const Model& model, const Input& in, const State& n, State& st, Real h)
        : solver(s), m(model), input(in), now(n), stage(st), dt(h) {}
    void place_bases(Real elapsed, ForestState& s) override {
        place_fixed(m, solver.prescribed, now, elapsed, stage.point, stage.frame);
        place_animated(m, input, now, elapsed, dt, stage.animated);
        read_bases(solver.forest, stage.frame, s.bases);
    }
    void compute(const ForestState& s, Real elapsed, std::span<Vec6> force) override {
        const Forest& forest = solver.forest;
        for (const Range links : forest.trees) write_frames(forest, links, s.motion.data(), stage.frame);
        Evaluation ev = evaluation_of(m, now, dt);
        ev.p = stage.frame.p.data(), ev.q = stage.frame.q.data();
        ev.frame_v = stage.frame.v.data(), ev.frame_w = stage.frame.w.data();
        ev.animated = stage.animated.x.data();
        ev.t = now.time + elapsed;
        compute_forces(*solver.parallel, m, input, ev, surface_state(stage), solver.forces, solver.f);
        const Dofs dofs = dofs_of(m);
        for (std::size_t i = 0; i < forest.links.size(); ++i)
            force[i] = Eigen::Map<const Vec6>(solver.f.data() + dofs.frame_offset(forest.links[i].frame));
    }
};

Report failed(const Model& m, const Forest& forest, int link, Report report) {
    const int object = m.frame.object[forest.links[link].frame];
    report.status = Status::failed;
    report.failed_object = m.objects[object].name;
    report.message = fmt::format("the joint of '{}' has no inertia to act on, or forces on it are not finite",
                                 report.failed_object);
    return report;
}

void ArticulatedSolver::refresh(const Model& m) {
    if (topology == m.topology_revision && values == m.values_revision) return;
    topology = m.topology_revision;
    values = m.values_revision;
    if (!is_given) build_forest(m, built);
    for (Link& l : forest.links) {
        l.mass = m.frame.mass[l.frame];
        l.inertia = mat(m.frame.inertia[l.frame]);
    }
    resize_state(forest, at);
    f.resize(dofs_of(m).size());
    targets.resize(forest.trees.size());
    impulse.resize(forest.links.size());
    pushing.resize(forest.links.size());
    prepare_stage(m, built.held, stage);
    prepare_forces(m, joint_forces);
}

// what floating trees will have at the end, from their motion at the start
void ArticulatedSolver::aim_momentum(Real dt) {
    if (settings.scheme != "symplectic_euler") return; // rk4 is of order 4 in momentum as in all else
    for (std::size_t i = 0; i < forest.links.size(); ++i) {
        impulse[i] = smooth.impulse[i] + stage.impulse[i];
        pushing[i] = smooth.impulse[i] + stage.pushing[i];
    }
    for (int t = 0; t < int(forest.trees.size()); ++t) {
        if (!is_floating(forest, t) || stage.still[t]) continue;
        const Range links = forest.trees[t];
        compute_velocities(forest, links, at.bases, at.q.data(), at.qd.data(), at.motion.data());
        targets[t] = momentum_target(forest, links, at, impulse.data(), pushing.data(), dt);
    }
}

// what contacts push with, and how far they are from touching
void ArticulatedSolver::list_forces(const Model& m, Real dt, Report& report) {
    const RowProblem& q = stage.rows.plain;
    contact_forces.clear();
    stage.rest.pairs.clear();
    report.cone_violation = 0;
    report.gap = stage.touches.empty() ? 0 : stage.touches[0].gap;
    for (const LinkTouch& t : stage.touches) report.gap = std::min(report.gap, t.gap);
    report.penetration = std::max(0.0, -report.gap);
    for (const RowGroup& g : q.groups) {
        if (g.set != RowSet::contact || !(q.impulse[g.row] > 0)) continue;
        const LinkTouch& t = stage.touches[g.source];
        const Real *p = q.impulse.data() + g.row, slide = std::hypot(p[1], p[2]);
        report.cone_violation = std::max(report.cone_violation, slide / p[0] - t.rule.friction);
        stage.rest.pairs.push_back({pair_code(m.frame.object[t.frame[0]], m.frame.object[t.frame[1]]), p[0]});
        const auto vector_of = [&](const Real* c) { return Vec3(c[0] * t.n + c[1] * t.t0 + c[2] * t.t1); };
        const Vec3 force = vector_of(p) / dt, torque = g.rows == 6 ? Vec3(vector_of(p + 3) / dt) : Vec3::Zero();
        contact_forces.push_back({m.frame.object[t.frame[0]], m.frame.object[t.frame[1]], real3(t.at), real3(t.n), real3(force), real3(torque)});
    }
}

// Rows have acted: at.motion holds velocities before them, stage.rows.change what they changed. Free motion of what is fast then, and the
// energy that every tree is to have at the end, since velocity terms do no work.
void ArticulatedSolver::follow(Real dt) {
    whole = stage.way;
    qd_rows = qd_straight = stage.qd;
    apart.resize(forest.v_count);
    energies.assign(forest.trees.size(), {});
    begin_passage(forest, stage.rows, passage);
    parallel_for(*parallel, int(forest.trees.size()), 16, [&](int begin, int last) {
        for (int t = begin; t < last; ++t) follow_tree(t, dt);
    });
}

void ArticulatedSolver::follow_tree(int t, Real dt) {
    const Range links = forest.trees[t], speeds = forest.tree_speeds[t];
    TreePace& pace = smooth.pace[t];
    const Real before = pace == TreePace::brisk ? motion_energy(forest, t, at.motion.data(), smooth.qd.data()) : 0;
    for (int i = links.begin; i < links.end; ++i) {
        at.motion[i].v += stage.rows.change[i];
        passage.turned[i] = dt * at.motion[i].v.tail<3>();
    }
    if (settings.scheme != "symplectic_euler" || stage.still[t]) return;
    bool acted = false;
    for (int i = speeds.begin; i < speeds.end; ++i) acted = acted || stage.qd[i] != smooth.qd[i];
    const bool hit = acted && dt * largest_spin(links, at.motion.data()) > kFastTurn;
    if (pace == TreePace::brisk) { // forces, rows, and velocity terms of the start
        for (int i = speeds.begin; i < speeds.end; ++i) {
            qd_rows[i] = at.qd[i] + dt * smooth.qdd[i] + stage.qd[i] - smooth.qd[i];
            qd_straight[i] = qd_rows[i] + dt * smooth.drift.first[i];
        }
        // the start of the free motion, with what rows have changed
        if (hit) compute_velocities(forest, links, at.bases, at.q.data(), qd_rows.data(), at.motion.data());
    }
    if (hit) pace = TreePace::fast;
    if (pace == TreePace::slow) return;
    const bool carried = on_moving_base(forest, t, at.bases);
    const Real after = motion_energy(forest, t, at.motion.data(), pace == TreePace::fast ? qd_rows.data() : stage.qd.data());
    if (pace == TreePace::brisk) {
        const bool loops = !stage.rows.clusters[stage.rows.cluster_of[links.begin]].rows.empty(); // rows that lose energy by themselves
        const Real start = smooth.energy[t];
        if (carried || loops) return;
        if (!acted) energies[t] = {start, true};
        else energies[t] = {after < before ? start * after / before : start + after - before, false};
        return;
    }
    for (int i = speeds.begin; i < speeds.end; ++i) apart[i] = whole[i] - smooth.way[i] + dt * (smooth.qd[i] - stage.qd[i]);
    // a joint without inertia but for its springs: the way stays as the rows have it
    if (drift_tree(forest, t, at, dt, qd_rows, smooth.drift, stage.qd, whole) >= 0) return;
    for (int i = speeds.begin; i < speeds.end; ++i) {
        whole[i] += apart[i];
        qd_straight[i] = qd_rows[i] + dt * smooth.drift.first[i];
    }
    if (!carried) energies[t] = {after, true};
}

// what turns further than the parts of a step can follow
void ArticulatedSolver::warn_of_turns(const Model& m, Real dt, Report& report) const {
    Real most = kPartTurn * kMostParts;
    int worst = -1;
    for (int i = 0; i < int(forest.links.size()); ++i)
        if (const Real turn = passage.turned[i].norm(); !stage.still[forest.links[i].tree] && turn > most) most = turn, worst = i;
    if (worst < 0) return;
    const bool carried = on_moving_base(forest, forest.links[worst].tree, at.bases);
    report.warnings.push_back(fmt::format("'{}' turns by {:.0f} rad in a step of {:.3g} s, too far to be followed{}: shorter steps",
                                          m.objects[m.frame.object[forest.links[worst].frame]].name, most, dt,
                                          carried ? ", and may gain energy from its base" : ""));
}

// trees that are to be moved (again), each by its part of the step
void ArticulatedSolver::move_trees(const Model& m, Real dt, State& next) {
    const bool keeps = settings.scheme == "symplectic_euler";
    for (int t = 0; t < int(forest.trees.size()); ++t) {
        if (!passage.changed[t]) continue;
        const Range links = forest.trees[t], speeds = forest.tree_speeds[t];
        const Real part = passage.part[t];
        const bool again = smooth.pace[t] == TreePace::fast && part > 0 && part < 1 &&
                           drift_tree(forest, t, at, part * dt, qd_rows, smooth.drift, stage.qd, way) < 0;
        for (int i = speeds.begin; i < speeds.end; ++i) way[i] = again ? way[i] + part * apart[i] : part * whole[i];
        retract_links(forest, links, at.q.data(), way.data(), end.q.data());
        compute_positions(forest, links, end.bases, end.q.data(), end.motion.data());
    }
    close_loops(m, forest, at, end.bases, dt, next, stage, end.motion, end.q);
    for (int t = 0; t < int(forest.trees.size()); ++t)
        if (passage.changed[t] && keeps && is_floating(forest, t) && !stage.still[t])
            correct_center(forest, forest.trees[t], targets[t], passage.part[t], end);
}

// speeds with momenta and energy kept
void ArticulatedSolver::finish_tree(int t) {
    const Range links = forest.trees[t], speeds = forest.tree_speeds[t];
    const bool keeps = settings.scheme == "symplectic_euler" && is_floating(forest, t) && !stage.still[t];
    for (int i = speeds.begin; i < speeds.end; ++i) end.qd[i] = stage.qd[i];
    // rows have not seen what it runs into, step after step: it turns too far for them
    if (!(passage.part[t] > 0)) {
        energies[t] = {};
        targets[t].angular *= 0.5;
        for (int i = speeds.begin + (is_floating(forest, t) ? 3 : 0); i < speeds.end; ++i) end.qd[i] *= 0.5;
    }
    compute_velocities(forest, links, end.bases, end.q.data(), end.qd.data(), end.motion.data());
    if (keeps) {
        correct_momentum(forest, links, targets[t], end);
        compute_velocities(forest, links, end.bases, end.q.data(), end.qd.data(), end.motion.data());
    }
    if (energies[t].energy >= 0) keep_energy(forest, t, energies[t].energy, energies[t].both, end);
}

// coordinates along the way, loops closed, momenta kept, frames written
void ArticulatedSolver::advance(const Model& m, const Input& input, const State& now, Real dt, State& next) {
    constexpr int kStopRounds = 8;
    place_fixed(m, prescribed, now, dt, next.point, next.frame);
    place_animated(m, input, now, dt, dt, next.animated);
    way.resize(forest.v_count);
    end.q = at.q, end.qd = at.qd;
    end.motion = at.motion;
    end.bases.resize(at.bases.size());
    read_bases(forest, next.frame, end.bases);
    std::fill(passage.changed.begin(), passage.changed.end(), 1);
    move_trees(m, dt, next);
    for (int round = 0; round <= kStopRounds; ++round) {
        if (!find_stops(*parallel, m, settings, forest, stage, end.motion, next.frame, dt, round == kStopRounds, passage)) break;
        move_trees(m, dt, next);
    }
    parallel_for(*parallel, int(forest.trees.size()), 16, [&](int begin, int last) {
        for (int t = begin; t < last; ++t) {
            finish_tree(t);
            write_frames(forest, forest.trees[t], end.motion.data(), next.frame);
        }
    });
}

Report ArticulatedSolver::step(const Model& m, const Input& input, const State& now, State& next, double dt, Trace*) {
    Report report;
    begin_clock(clock, report);
    report.dt = dt;
    refresh(m);
    next = now;
    build_prescribed(m, input, now, dt, prescribed);
    read_coordinates(*parallel, forest, now, at);
    place_fixed(m, prescribed, now, 0, next.point, next.frame);
    kick_bases(forest, next.frame, at);
    lap(clock, "read", report);

    ModelForces on_links(*this, m, input, now, next, dt);
    const int bad = settings.scheme == "rk4" ? step_rk4(*parallel, forest, dt, on_links, at, smooth)
                                             : step_symplectic(*parallel, forest, dt, on_links, at, smooth);
    if (bad >= 0) return failed(m, forest, bad, report);
    lap(clock, "smooth", report);

    // positions at the start, velocities at the end of the smooth part
    for (const Range links : forest.trees) {
        compute_velocities(forest, links, at.bases, at.q.data(), smooth.qd.data(), at.motion.data());
        write_frames(forest, links, at.motion.data(), next.frame);
    }
    const StageResult solved = solve_stage(*parallel, m, input, settings, forest, now, next, at, smooth, dt, stage);
    report.iterations = solved.iterations;
    report.residual = solved.residual;
    report.contact_count = solved.contacts;
    report.islands = solved.islands;
    for (std::uint8_t b : stage.rest.still) report.asleep += b;
    list_forces(m, dt, report);
    lap(clock, "rows", report);

    follow(dt);
    warn_of_turns(m, dt, report);
    aim_momentum(dt);
    remember_forces(m, built, at, smooth, stage, qd_straight, dt, joint_forces, next);
    advance(m, input, now, dt, next);
    write_coordinates(forest, end, next);
    remember_impulses(stage, next);
    store_touching(stage.rest, next, report.touches);
    store_resting(m, dt, stage.rest, next);
    advect_passive(*parallel, m, now, dt, next.point);
    next.time = now.time + dt;
    next.step = now.step + 1;
    finish_elements(*parallel, m, now, dt, next);
    lap(clock, "advance", report);
    return report;
}

} // namespace

Needs articulated_needs() {
    return {.points = false, .frames = true, .scalars = false, .passive = true, .row_forces = true};
}

std::unique_ptr<Solver> make_articulated_forest(const Context& context, const Model& m, State& state,
                                                const ArticulatedSettings& settings, Forest forest) {
    auto solver = std::make_unique<ArticulatedSolver>();
    solver->settings = settings;
    solver->parallel = make_parallel(context);
    solver->forces.energies_only = true;
    solver->is_given = !forest.links.empty();
    solver->forest = std::move(forest);
    solver->refresh(m);
    write_coordinates(solver->forest, solver->at, state);
    register_forces(m, solver->joint_forces, state);
    register_impulses(solver->stage, state);
    register_rest(m, state);
    return solver;
}

std::unique_ptr<Solver> make_articulated(const Context& context, const Model& m, State& state, const void* settings) {
    return make_articulated_forest(context, m, state, *static_cast<const ArticulatedSettings*>(settings), {});
}

} // namespace sinew
