// Rigid bodies in generalised coordinates (spec P 3.17, P124-P129): trees of links by the articulated-body algorithm.
//
// One step:
//   read       coordinates from State.memory, or from the frames where those were edited (articulated_state.h)
//   smooth     speeds from forces and joint springs, linear time (articulated_smooth.h)
//   advance    coordinates along the speeds
//   momentum   floating trees keep theirs to rounding
//   write      frames and memory
#include "solver/articulated.h"
#include "model/visit.h"
#include "solver/articulated_smooth.h"
#include "solver/forces.h"
#include "solver/measure.h"
#include "solver/stage_clock.h"
#include <fmt/format.h>

namespace sinew {

namespace {

struct ArticulatedSolver final : Solver {
    ArticulatedSettings settings;
    ParallelPtr parallel;
    bool is_given = false;             // the forest comes from the caller
    Forest forest;
    int topology = -1, values = -1;
    ForestState at;
    SmoothStep smooth;
    ForceScratch forces;
    Prescribed prescribed;
    std::vector<Real> f;               // tangent layout
    std::vector<MomentumTarget> targets;
    StageClock clock;

    Report step(const Model&, const Input&, const State& now, State& next, double dt, Trace*) override;
    void drop_caches() override {
        forces = {};
        forces.energies_only = true;
        prescribed = {};
        topology = values = -1;
    }
    void refresh(const Model&);
    void advance(Real dt);
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
        read_bases(solver.forest, stage.frame, s);
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

void ArticulatedSolver::refresh(const Model& m) {
    if (topology == m.topology_revision && values == m.values_revision) return;
    topology = m.topology_revision;
    values = m.values_revision;
    for (Link& l : forest.links) {
        l.mass = m.frame.mass[l.frame];
        l.inertia = mat(m.frame.inertia[l.frame]);
    }
    resize_state(forest, at);
    f.resize(dofs_of(m).size());
    targets.resize(forest.trees.size());
}

// coordinates along the way, then what is left of momentum
void ArticulatedSolver::advance(Real dt) {
    const bool corrected = settings.scheme == "symplectic_euler"; // rk4 is of order 4 in momentum as in all else
    parallel_for(*parallel, int(forest.trees.size()), 16, [&](int begin, int end) {
        for (int t = begin; t < end; ++t) {
            const Range links = forest.trees[t];
            const bool floating = corrected && is_floating(forest, t);
            if (floating)
                targets[t] = momentum_target(forest, links, at, smooth.impulse.data(), smooth.impulse.data(), dt);
            retract_links(forest, links, at.q.data(), smooth.way.data(), at.q.data());
            const Range speeds = forest.tree_speeds[t];
            std::copy(smooth.qd.begin() + speeds.begin, smooth.qd.begin() + speeds.end, at.qd.begin() + speeds.begin);
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
    if (bad >= 0) {
        const int object = m.frame.object[forest.links[bad].frame];
        report.status = Status::failed;
        report.failed_object = m.objects[object].name;
        report.message = fmt::format("the joint of '{}' has no inertia to act on", report.failed_object);
        return report;
    }
    lap(clock, "smooth", report);
    advance(dt);
    place_fixed(m, prescribed, now, dt, next.point, next.frame);
    place_animated(m, input, now, dt, dt, next.animated);
    read_bases(forest, next.frame, at);
    for (std::size_t t = 0; t < forest.trees.size(); ++t) {
        const Range links = forest.trees[t];
        compute_positions(forest, links, at.bases, at.q.data(), at.motion.data());
        if (settings.scheme == "symplectic_euler" && is_floating(forest, int(t))) {
            correct_center(forest, links, targets[t], at);
            compute_velocities(forest, links, at.bases, at.q.data(), at.qd.data(), at.motion.data());
            correct_momentum(forest, links, targets[t], at);
        }
        compute_velocities(forest, links, at.bases, at.q.data(), at.qd.data(), at.motion.data());
        write_frames(forest, links, at.motion.data(), next.frame);
    }
    write_coordinates(forest, at, next);
    advect_passive(*parallel, m, now, dt, next.point);
    next.time = now.time + dt;
    next.step = now.step + 1;
    finish_elements(*parallel, m, now, dt, next);
    lap(clock, "advance", report);
    return report;
}

} // namespace

Needs articulated_needs() {
    return {.points = false, .frames = true, .scalars = false, .passive = true};
}

std::unique_ptr<Solver> make_articulated_forest(const Context& context, const Model& m, State& state,
                                                const ArticulatedSettings& settings, Forest forest) {
    auto solver = std::make_unique<ArticulatedSolver>();
    solver->settings = settings;
    solver->parallel = make_parallel(context);
    solver->forces.energies_only = true;
    solver->forest = std::move(forest);
    solver->is_given = true;
    solver->refresh(m);
    write_coordinates(solver->forest, solver->at, state);
    return solver;
}

} // namespace sinew
