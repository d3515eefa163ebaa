// Position projection (spec U 3.3 d-e, 3.9): the smallest displacement, weighted by mass, from where all would go without
// constraints to where they hold.
//   v~ = v + h W f,  x~ = x + h v~                       f: everything that has no rows
//   x  = x~ + h^2 W J^T l,  v = v~ + h W J^T l           C(x) + rho (dC/dt - rate) + alpha l = 0, contacts and friction in their sets
// (rattle: half of both, and the other half at the end, position_half.h)
// The step as a list: place what is prescribed, detect, and per sub-step: predict, iterate, settle. Rows of energies, joints
// and attachments come first in an iteration, contacts last.
// Points, frames and scalars are moved by the same loop: coupling of all kinds of bodies both ways comes by itself.
// Deviations from the source: compliance is fed back (its printed form is `softness: printed`), contacts are found at the
// start of the step with the way ahead, rotations keep their angular momentum (gyroscopic terms are in).
#include "solver/position.h"
#include "collision/detect.h"
#include "collision/detect_shapes.h"
#include "collision/sunk.h"
#include "model/visit.h"
#include "solver/forces.h"
#include "solver/kinematics.h"
#include "solver/measure.h"
#include "solver/position_contact_batch.h"
#include "solver/position_continuous.h"
#include "solver/position_damping.h"
#include "solver/position_dual.h"
#include "solver/position_half.h"
#include "solver/position_jacobi.h"
#include "solver/position_memory.h"
#include "solver/position_mix.h"
#include "solver/position_problem.h"
#include "solver/position_residual.h"
#include "solver/position_trace.h"
#include "solver/position_violation.h"
#include "solver/stage_clock.h"
#include "solver/velocity_memory.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kElementsPerTask = 256;

struct PositionSolver final : Solver {
    PositionSettings settings;
    ParallelPtr parallel;
    PositionProblem problem;
    std::vector<SettingTrouble> trouble;   // with the model as it is
    PositionContacts contacts_now;
    ContactPack contact_pack;
    DualScratch dual;
    PackedJacobi jacobi;
    PackedResiduals residuals;
    RigidMotionScratch rigid;
    Prescribed prescribed;
    Contacts found;
    DetectScratch obstacles;
    ShapeScratch shapes;
    SurfaceScratch surface_scratch;
    std::vector<Real3> surface;
    std::vector<Real> surface_reach;       // [m] per vertex: its way of the step
    RowProblem bodies;                     // for the list of touches
    TouchList list;
    TouchScratch pairs;
    Continuous ways;                       // of `continuous`
    std::vector<Real3> x_start, p_start;   // unknowns at the start of a sub-step
    std::vector<Real4> q_start;
    std::vector<Real3> v_start;            // of points
    std::vector<Real3> acceleration;       // of points at the start of a sub-step (newmark)
    std::vector<Real3> backward;           // [m/s] differences of positions (verlet)
    std::vector<unsigned char> strangers;  // points of which nothing is remembered; empty = none
    std::vector<Real3> mixed_v, mixed_frame_v, mixed_frame_w; // of `mix`
    bool starting = false;                 // finding their accelerations
    void take_multipliers_of_constraints() { // from packs into their tables
        for (DualTable& t : problem.tables)
            if (t.packed && t.is_constraint) store_multipliers(t.pack, t.lambda);
    }
    bool lazy = false;                     // velocities are made up at the end of the iterations
    std::vector<std::vector<Real>> force;  // per table of constraints: sum of multipliers over sub-steps
    std::vector<std::string> force_name;   // of its array in State.memory
    std::vector<ContactForce> contact_forces;
    Report report;
    StageClock clock;
    std::vector<std::string> refused;      // of the model as it is
    Trace* trace = nullptr;

    Report step(const Model&, const Input&, const State& now, State& next, double dt, Trace*) override;
    std::span<const ContactForce> contacts() const override { return contact_forces; }
    void drop_caches() override;

    bool detect(const Model&, const State&, Real dt);
    void list_contacts(const Model&, const State&, Real dt);
    DualState dual_state(State&) const;
    Evaluation evaluation_in(const Model&, const State& now, State& s, Real h) const;
    Sweep sweep_of(State&, Real h) const;
    PositionContactOptions contact_options(Real h) const;
    DualOptions dual_options(Real h) const;
    void find_loads(const Model&, const Input&, Real h, State&);
    void predict(const Model&, const Input&, Real h, State&);
    void predict_points(const Model&, Real h, State&);
    bool is_newmark() const { return settings.scheme == "newmark" && !starting; }
    void find_accelerations(const Model&, const Input&, const State& now, Real h, const State&, std::vector<Real3>&);
    void begin_acceleration(const Model&, const Input&, const State& now, Real h, const State&);
    void keep_acceleration(Real h, const State&);
    bool is_rattle() const { return settings.scheme == "rattle" && !starting; }
    void begin_backward(const Model&, const Input&, const State& now, Real h, State&);
    void end_backward(const Model&, Real h, State&);
    void finish_rattle(const Model&, const Input&, const State& now, Real h, State&);
    void finish_newmark_contacts(Real h, State&);
    bool contacts_are_rows() const { return settings.method != "gauss_seidel" && settings.method != "fast_projection" && settings.method != "newton"; }
    ContactHalf contact_half() const { return {settings.contact_compliance, is_newmark() && contacts_are_rows() ? settings.newmark_gamma : 0.5}; }
    void iterate(const Model&, const State& now, Real h, bool last, bool again, State&); // last: of the step; again: go on
    void iterate_dual(const Model&, const Evaluation&, const Sweep&, bool again, State&);
    bool renew_contacts(const Model&, Real h, State&);
    void meet_on_the_way(const Model&, Real h, State&);
    void follow_way(const Model&, const State& now, Real h, bool last, State&);
    void keep_touches(const Model&, Real h, State&);
    void judge_touches(const TouchList&);
    WayView way_view() const { return {surface, {x_start, p_start, q_start}}; }
    bool is_jointed(const PositionContact&) const;
    bool presses_soft_surface(const PositionContact&) const;
    void start_multipliers(const Model&, const Sweep&);
    bool has_mode() const; // the method asks for the largest eigenvalue
    bool sweeps() const { return settings.method == "gauss_seidel" && settings.directions == "current" && !is_rattle() && !starting; }
    void start_by_velocities(const Model&, const State& now, Real h, State&);
    void sweep_tables(const Model&, const Evaluation&, const Sweep&, bool first);
    bool velocities_may_wait(const Sweep&) const;
    void add_trace(const Model&, const TracedStep&, int k, State&);
    void make_velocities(Real h, State&) const;
    void settle(const Model&, const State& now, Real h, State&);
    void remember(const Model&, Real dt, State&);
    void begin_forces(const Model&, bool renewed);
    void place_prescribed(const Model&, const Input&, const State& now, Real time, Real dt, State&);
    void substep(const Model&, const Input&, const State& now, int k, Real dt, State&);
    void list_forces(Real dt);
};

bool PositionSolver::has_mode() const {
    constexpr std::string_view kResiduals[] = {"minres", "steepest_descent", "conjugate_residuals", "power_residuals", "conjugate_gradients"};
    const bool residuals = std::find(std::begin(kResiduals), std::end(kResiduals), settings.method) != std::end(kResiduals);
    return settings.method == "gpminres" || (residuals && settings.largest_step > 0) ||
           (settings.step == "radius" && (residuals || settings.method.ends_with("jacobi")));
}

void PositionSolver::drop_caches() {
    problem = {};
    problem.chains = settings.chains;
    force_name.clear();
    shapes = {};
    surface_scratch = {};
    dual = {};
}

// contacts within reach of the step; false if a position is not a number
bool PositionSolver::detect(const Model& m, const State& s, Real dt) {
    constexpr Real kAhead = 1.1; // each side as it moves now, and gravity
    if (!detect_shapes(*parallel, m, s.frame, {settings.margin, kAhead * dt}, shapes, found)) return false;
    found.vertex_triangle.clear(), found.edge_edge.clear(), found.vertex_edge.clear(), found.vertex_vertex.clear();
    if (point_count(m) == 0) return true;
    surface.resize(m.surface.vertices.size());
    surface_positions(*parallel, m, surface_state(s), surface);
    // each vertex as far as its own way of the step
    ways.velocities.resize(surface.size());
    surface_velocities(*parallel, m, surface_state(s), ways.velocities);
    surface_reach.resize(surface.size());
    for (std::size_t i = 0; i < surface.size(); ++i) surface_reach[i] = kAhead * dt * vec(ways.velocities[i]).norm();
    if (!detect_obstacles(*parallel, m, surface, s.point.alive, s.frame, {settings.margin, surface_reach, kAhead * dt}, obstacles, found)) return false;
    allow_sunk(s.memory, dt, found);
    if (!settings.continuous)
        return detect_surface(*parallel, m, surface, s.point.alive, {.margin = settings.margin, .reach = surface_reach}, surface_scratch, found);
    // what is further away is a contact only where it is met on the way
    ways.way.ahead.begun = false;
    return detect_surface(*parallel, m, surface, s.point.alive, {.margin = settings.margin}, surface_scratch, found);
}

void PositionSolver::list_contacts(const Model& m, const State& s, Real dt) {
    build_bodies(m, s, bodies);
    bodies.dt = dt;
    clear_rows(bodies);
    list.touches.clear();
    list_touches(*parallel, m, s, found, bodies, {.dt = dt, .near = settings.margin}, list);
    if (settings.warm_start) recall_touches(*parallel, s, dt, list);
    build_position_contacts(m, s, found, list, problem.held, contacts_now);
    for (PositionContact& c : contacts_now.contacts) {
        Touch& t = list.touches[c.touch];
        c.normal = std::max(0.0, c.n.dot(t.impulse) / dt);
        c.tangential = c.normal > 0 ? Vec3(t.impulse / dt - c.normal * c.n) : Vec3::Zero();
        t.impulse = t.torque = Vec3::Zero();
    }
    ways.blocks.assign(1, int(list.touches.size()));
}

DualState PositionSolver::dual_state(State& s) const {
    return {s.point.x.data(),        s.point.v.data(),           s.frame.p.data(),
            s.frame.q.data(),        s.frame.v.data(),           s.frame.w.data(),
            s.scalar.s.data(),       s.scalar.ds.data(),         problem.point_inverse.data(),
            problem.frame_inverse.data(), problem.frame_inverse_inertia.data(), problem.scalar_inverse.data()};
}

// rows at the unknowns of `s` as they change, viscous parts over the sub-step; the memory is that of the step's start
Evaluation PositionSolver::evaluation_in(const Model& m, const State& now, State& s, Real h) const {
    Evaluation ev = evaluation_of(m, s, h);
    ev.x_now = x_start.data();
    ev.p_now = p_start.data();
    ev.q_now = q_start.data();
    ev.memory = &now.memory;
    ev.elapsed = h;
    ev.dt = 0; // dampers of links and solids are in the rows (root_damping, damper), not in the potential (energy/viscous.h)
    return ev;
}

Softness softness_of(const std::string& name) {
    return name == "printed" ? Softness::printed : name == "factor" ? Softness::factor : Softness::feedback;
}

Sweep PositionSolver::sweep_of(State& s, Real h) const {
    Sweep w;
    w.to = dual_state(s);
    w.h = h;
    const bool newmark = is_newmark();
    w.reach = newmark ? settings.newmark_beta * h * h : is_rattle() ? 0.5 * h * h : h * h;
    w.kick = newmark ? settings.newmark_gamma * h : is_rattle() ? 0.5 * h : h;
    w.relaxation = settings.relaxation > 0 ? settings.relaxation : 1;
    // of all iterations together (Mueller et al. 2007; spec C25)
    w.stiffness = 1 - std::pow(1 - settings.stiffness, 1.0 / settings.iterations);
    w.damping_time = settings.damping == "rows" ? settings.damping_time : 0;
    w.softness = softness_of(settings.softness);
    return w;
}

PositionContactOptions PositionSolver::contact_options(Real h) const {
    PositionContactOptions o;
    o.h = h;
    o.relaxation = settings.relaxation > 0 && settings.method == "gauss_seidel" ? settings.relaxation : 1;
    o.friction = settings.friction == "cone"     ? FrictionSet::cone
                 : settings.friction == "box"    ? FrictionSet::box
                 : settings.friction == "single" ? FrictionSet::single
                 : settings.friction == "post"   ? FrictionSet::post
                 : settings.friction == "none"   ? FrictionSet::none
                                                 : FrictionSet::cylinder;
    o.de_saxce = settings.de_saxce;
    // the loop gives a part of the impulse, the compliance is that of the force
    const bool halves = is_rattle() || is_newmark();
    o.compliance = halves && !contacts_are_rows() ? settings.contact_compliance / contact_half().part : settings.contact_compliance;
    o.damping_time = settings.contact_damping_time;
    o.sequential = settings.sequential;
    o.position_gain = settings.position_gain;
    o.velocity_gain = settings.velocity_gain;
    return o;
}

DualOptions PositionSolver::dual_options(Real h) const {
    DualOptions o;
    o.method = settings.method;
    o.iterations = settings.iterations;
    o.tolerance = settings.tolerance;
    const bool direct = settings.method == "fast_projection" || settings.method == "newton";
    o.incidence = settings.incidence;
    o.by_radius = settings.step == "radius";
    o.relaxation = settings.relaxation > 0 ? settings.relaxation : direct || settings.incidence || o.by_radius ? 1 : 0.5;
    o.momentum_factor = settings.momentum_factor;
    o.momentum_power = settings.momentum_power;
    o.largest_step = settings.largest_step;
    o.damping_time = settings.damping == "rows" ? settings.damping_time : 0;
    o.frozen = settings.directions == "start" || is_rattle(); // RATTLE pushes along the rows of the start
    o.contact = contact_options(h);
    return o;
}

// x and v of points before the rows act; x_start is where they were
void PositionSolver::predict_points(const Model& m, Real h, State& s) {
    const Dofs dofs = dofs_of(m);
    const Real b = settings.newmark_beta, g = settings.newmark_gamma, kick = is_rattle() ? 0.5 * h : h;
    const bool newmark = is_newmark();
    x_start.resize(dofs.points);
    parallel_for(*parallel, dofs.points, kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            Real3 &x = s.point.x[i], &v = s.point.v[i];
            x_start[i] = x;
            const Real w = problem.point_inverse[i];
            if (!(w > 0)) continue;
            const Real* f = problem.f.data() + dofs.point_offset(i);
            if (newmark) {
                const Vec3 a = w * Eigen::Map<const Vec3>(f), before = vec(acceleration[i]);
                vec(x) += h * vec(v) + 0.5 * h * h * (1 - 2 * b) * before + b * h * h * a;
                vec(v) += h * (1 - g) * before + g * h * a;
            } else {
                v.x += kick * (w * f[0]), v.y += kick * (w * f[1]), v.z += kick * (w * f[2]);
                x.x += h * v.x, x.y += h * v.y, x.z += h * v.z;
            }
        }
    });
    for (int i = 0; i < dofs.scalars; ++i) {
        if (!(problem.scalar_inverse[i] > 0)) continue;
        s.scalar.ds[i] += kick * problem.scalar_inverse[i] * problem.f[dofs.scalar_offset(i)];
        s.scalar.s[i] += h * s.scalar.ds[i];
    }
}

// forces that are no rows, at the unknowns of `s`: viscous parts that are in the rows are not forces as well (elapsed), and dampers
// that are not are forces, no potentials (dt, energy/viscous.h)
void PositionSolver::find_loads(const Model& m, const Input& input, Real h, State& s) {
    Evaluation ev = evaluation_of(m, s, h);
    ev.elapsed = h;
    ev.dt = 0;
    compute_loads(*parallel, m, input, ev, problem);
}

void PositionSolver::predict(const Model& m, const Input& input, Real h, State& s) {
    find_loads(m, input, h, s);
    ++report.evaluations;
    if (settings.scheme != "symplectic") v_start = s.point.v;
    p_start = s.frame.p;
    q_start = s.frame.q;
    refresh_inertias(m, s.frame, problem);
    predict_points(m, h, s);
    predict_frames(m, problem, is_rattle() ? 0.5 * h : h, h, s.frame);
    refresh_inertias(m, s.frame, problem);
}

// Accelerations that agree with the constraints, from two steps so small that nothing moves: the first one takes away what the
// constraints do not allow of the velocities.
void PositionSolver::find_accelerations(const Model& m, const Input& input, const State& now, Real h, const State& s, std::vector<Real3>& out) {
    constexpr Real kTiny = 1e-4;
    State trial = s;
    starting = true;
    const Real tiny = kTiny * h;
    for (int k = 0; k < 2; ++k) {
        predict(m, input, tiny, trial);
        iterate(m, now, tiny, false, false, trial);
    }
    starting = false;
    out.assign(point_count(m), {});
    for (int i = 0; i < point_count(m); ++i) // v_start: where the second step began
        if (problem.point_inverse[i] > 0) out[i] = real3((vec(trial.point.v[i]) - vec(v_start[i])) / tiny);
    report.iterations = 0;
}

void PositionSolver::begin_acceleration(const Model& m, const Input& input, const State& now, Real h, const State& s) {
    recall_numbers(m, now, kAcceleration, problem.point_inverse, acceleration, strangers);
    if (strangers.empty()) return;
    find_accelerations(m, input, now, h, s, backward);
    for (int i = 0; i < point_count(m); ++i)
        if (strangers[i]) acceleration[i] = backward[i];
}

// a' from v' = v + h ((1 - g) a + g a'), without what contacts did: they are of first order, and would bounce
void PositionSolver::keep_acceleration(Real h, const State& s) {
    const Real g = settings.newmark_gamma;
    const int n = int(acceleration.size());
    for (int i = 0; i < n; ++i) {
        if (!(problem.point_inverse[i] > 0)) continue;
        const Vec3 before = vec(acceleration[i]);
        acceleration[i] = real3((vec(s.point.v[i]) - vec(v_start[i]) - h * (1 - g) * before) / (g * h));
    }
    for (const PositionContact& c : contacts_now.contacts)
        for (int k = 0; k < c.sides; ++k) {
            const ContactSide& side = contacts_now.sides[c.side + k];
            if (side.body < n)
                vec(acceleration[side.body]) -= side.weight * problem.point_inverse[side.body] / g * (c.normal * c.n + c.tangential);
        }
}

// Verlet's x~ = 2 x - x_before + h^2 W f is the symplectic step from the backward difference of positions
void PositionSolver::begin_backward(const Model& m, const Input& input, const State& now, Real h, State& s) {
    constexpr Real kSame = 1e-9; // steps that land on a time differ in their last digits
    const Real before = recall_numbers(m, now, kBackward, problem.point_inverse, backward, strangers);
    const bool same = std::abs(before - h) <= kSame * h;
    if (!strangers.empty() || !same) find_accelerations(m, input, now, h, s, acceleration);
    for (int i = 0; i < point_count(m); ++i) {
        if (!(problem.point_inverse[i] > 0)) continue;
        const bool stranger = !strangers.empty() && strangers[i];
        if (!stranger) s.point.v[i] = backward[i];
        // half a sub-step before now, from now or from half of the sub-steps before
        if (stranger) vec(s.point.v[i]) -= 0.5 * h * vec(acceleration[i]);
        else if (!same) vec(s.point.v[i]) += 0.5 * (before - h) * vec(acceleration[i]);
    }
}

// velocities are central differences, (x' - x_before)/(2 h)
void PositionSolver::end_backward(const Model& m, Real h, State& s) {
    backward = s.point.v;
    for (int i = 0; i < point_count(m); ++i) // v_start: the backward difference before the last sub-step
        if (problem.point_inverse[i] > 0) s.point.v[i] = real3(0.5 * (vec(v_start[i]) + vec(s.point.v[i])));
    keep_numbers(m, kBackward, backward, h, s);
}

// loads, rows and contacts push a second time, at the new place
void PositionSolver::finish_rattle(const Model& m, const Input& input, const State& now, Real h, State& s) {
    const Sweep w = sweep_of(s, h);
    const PositionContactOptions o = contact_options(h);
    refresh_inertias(m, s.frame, problem);
    begin_second_half(*parallel, m, evaluation_in(m, now, s, h), w, dual, problem);
    begin_contact_halves(contact_half(), o, w.to, point_count(m), contacts_now);
    find_loads(m, input, h, s);
    end_second_half(*parallel, m, w, settings.iterations, contact_half(), o, dual, problem, contacts_now);
}

// contacts alone: rows of Newmark's have the accelerations of both ends of the step
void PositionSolver::finish_newmark_contacts(Real h, State& s) {
    const DualState to = dual_state(s);
    const int points = int(s.point.x.size());
    begin_contact_halves(contact_half(), contact_options(h), to, points, contacts_now);
    for (int k = 0; k < settings.iterations; ++k) sweep_contact_halves(contact_half(), contact_options(h), to, points, contacts_now);
}

// by colours: elements of one colour in parallel
void PositionSolver::sweep_tables(const Model&, const Evaluation& ev, const Sweep& base, bool first) {
    for (DualTable& t : problem.tables) {
        if (t.packed) {
            project_pack(*parallel, base, !lazy, first, t.pack);
            continue;
        }
        Sweep w = base;
        w.lambda = t.lambda.data();
        w.own_damping = t.own_damping;
        const Colours& c = t.colours;
        const Evaluation at = evaluation_for(problem, *t.table, ev);
        for (int k = 0; k < c.count(); ++k) {
            const std::span<const int> all = std::span(c.order).subspan(c.begin[k], c.begin[k + 1] - c.begin[k]);
            if (c.last_is_serial && k + 1 == c.count()) {
                t.view->project(*t.table, at, all, w);
                continue;
            }
            parallel_for(*parallel, int(all.size()), kElementsPerTask,
                         [&](int begin, int end) { t.view->project(*t.table, at, all.subspan(begin, end - begin), w); });
        }
    }
}

// Joints begin at zero: a contact that began with the force of all that hangs on a body would throw the body alone.
bool PositionSolver::is_jointed(const PositionContact& c) const {
    const int points = int(x_start.size());
    for (int k = 0; k < c.sides; ++k)
        if (const int f = contacts_now.sides[c.side + k].body - points; f >= 0 && problem.jointed[f]) return true;
    return false;
}

// A triangle or an edge of points is in it: a surface that gives way and keeps what it is pressed by. With `continuous` contacts are new whenever
// vertices slide on to other triangles, and those that stay deep would be passed.
bool PositionSolver::presses_soft_surface(const PositionContact& c) const {
    int soft = 0;
    for (int k = 0; k < c.sides; ++k) soft += contacts_now.sides[c.side + k].body < int(x_start.size());
    return soft > 2 && !settings.continuous;
}

// zero, or of contacts the forces of the sub-step before, which move the unknowns at once
void PositionSolver::start_multipliers(const Model& m, const Sweep& w) {
    clear_multipliers(sweeps(), problem);
    const bool warm = settings.warm_start && sweeps();
    for (PositionContact& c : contacts_now.contacts) {
        const bool remembers = warm && c.normal > 0 && !is_jointed(c);
        if (!remembers) c.normal = 0, c.tangential.setZero();
        if (is_newmark()) c.normal *= contact_half().part, c.tangential *= contact_half().part;
        c.at_once = !remembers && !presses_soft_surface(c);
    }
    if (warm && !settings.sequential) keep_depths(contact_options(w.h), settings.recovery_time, contacts_now);
    for (PositionContact& c : contacts_now.contacts)
        if (c.normal > 0) move_contact(contacts_now, c, w.to, point_count(m), c.normal * c.n + c.tangential, w.h * w.h, w.h);
}

// nobody asks for velocities during the iterations: they follow from the positions at the end
bool PositionSolver::velocities_may_wait(const Sweep& w) const {
    return contacts_now.contacts.empty() && problem.whole.empty() && w.damping_time == 0 && (settings.scheme == "symplectic" || settings.scheme == "verlet") &&
           std::all_of(problem.tables.begin(), problem.tables.end(), [](const DualTable& t) { return t.packed && !t.pack.damped(); });
}

// the rows after k sweeps, for whoever asked for a trace
void PositionSolver::add_trace(const Model& m, const TracedStep& step, int k, State& s) {
    for (DualTable& t : problem.tables) {
        if (!t.packed) continue;
        if (k > 0) store_multipliers(t.pack, t.lambda);
        else std::fill(t.lambda.begin(), t.lambda.end(), 0.0); // packs begin at zero by themselves
    }
    const std::vector<Real3> kept = s.point.v;
    if (lazy) make_velocities(step.sweep.h, s);
    trace->iterations.push_back(trace_rows(*parallel, m, step, problem, contacts_now, dual.rows));
    trace->iterations.back().iteration = k;
    s.point.v = kept;
}

// those that nobody asked for meanwhile, from the positions
void PositionSolver::make_velocities(Real h, State& s) const {
    const Real rate = 1 / h;
    parallel_for(*parallel, int(s.point.x.size()), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            if (!(problem.point_inverse[i] > 0)) continue;
            const Real3 &from = x_start[i], &to = s.point.x[i];
            s.point.v[i] = {rate * (to.x - from.x), rate * (to.y - from.y), rate * (to.z - from.z)};
        }
    });
}

// all rows at once, or one after another along those of the start
void PositionSolver::iterate_dual(const Model& m, const Evaluation& ev, const Sweep& w, bool again, State& s) {
    const int points = point_count(m);
    DualOptions o = dual_options(w.h);
    o.go_on = again;
    o.gauss_seidel = settings.method == "gauss_seidel";
    o.start = x_start.data();
    if (o.gauss_seidel && !(settings.relaxation > 0)) o.relaxation = 1;
    const bool jacobi_rows = jacobi_is_packed(o, problem), sweep_rows = o.gauss_seidel && rows_are_packed_links(o, problem);
    lazy = !starting && !settings.continuous && (jacobi_rows || sweep_rows || residuals_are_packed(o, problem)) && velocities_may_wait(w);
    IterationWatch watch;
    if (trace && lazy)
        watch = [&](int k, Real beta) { add_trace(m, {o.contact, w, ev}, k, s), trace->iterations.back().momentum = beta; };
    const DualResult r = lazy && jacobi_rows  ? solve_packed_jacobi(*parallel, o, w, points, watch, jacobi, problem)
                         : lazy && sweep_rows ? solve_packed_sweeps(*parallel, o, w, watch, jacobi, problem)
                         : lazy               ? solve_packed_residuals(*parallel, o, w, points, watch, residuals, problem)
                                              : solve_dual(*parallel, m, o, w, ev, s.frame, trace, dual, problem, contacts_now);
    if (lazy) {
        take_multipliers_of_constraints();
        make_velocities(w.h, s);
    }
    report.iterations += r.iterations;
    report.residual = std::max(report.residual, r.violation);
    if (!r.ok) {
        report.status = Status::failed;
        report.message = r.message;
    }
}

void PositionSolver::iterate(const Model& m, const State& now, Real h, bool last, bool again, State& s) {
    const Evaluation ev = evaluation_in(m, now, s, h);
    const int points = point_count(m);
    Sweep w = sweep_of(s, h);
    if (!again) start_multipliers(m, w);
    if (!sweeps()) return iterate_dual(m, ev, w, again, s);
    const PositionContactOptions o = contact_options(h);
    lazy = velocities_may_wait(w);
    const bool apart = settings.mix == "contacts_after";
    const bool packed = settings.iterations > 1 && !apart && pack_contacts(o, w.to, points, contacts_now, contact_pack);
    if (trace && !again) add_trace(m, {o, w, ev}, 0, s);
    for (int k = 0; k < settings.iterations; ++k) {
        if (k > 0) refresh_inertias(m, s.frame, problem);
        sweep_tables(m, ev, w, k == 0 && !again);
        project_whole_rows(*parallel, w, problem.whole);
        if (packed) project_contacts(*parallel, o, w.to, points, contacts_now, contact_pack);
        else if (!apart) project_contacts(*parallel, o, w.to, points, contacts_now);
        ++report.iterations;
        if (!trace && !(settings.tolerance > 0) && !(last && k + 1 == settings.iterations)) continue;
        if (packed) store_forces(contact_pack, contacts_now);
        const Real error = largest_violation(*parallel, m, ev, w, o, problem, contacts_now, dual.partial);
        if (trace) add_trace(m, {o, w, ev}, k + 1, s);
        report.residual = error;
        if (settings.tolerance > 0 && error <= settings.tolerance) break;
    }
    if (packed) store_forces(contact_pack, contacts_now);
    for (int k = 0; apart && k < settings.iterations; ++k) project_contacts(*parallel, o, w.to, points, contacts_now);
    take_multipliers_of_constraints(); // for their mean force
    if (lazy) make_velocities(h, s);
}

// a step of velocities in place of the prediction
void PositionSolver::start_by_velocities(const Model& m, const State& now, Real h, State& s) {
    Evaluation start = evaluation_in(m, now, s, h);
    start.x = x_start.data(), start.p = p_start.data(), start.q = q_start.data();
    step_by_velocities(*parallel, m, start, sweep_of(s, h), contact_options(h), settings.iterations, dual, problem, contacts_now);
    mixed_v = s.point.v, mixed_frame_v = s.frame.v, mixed_frame_w = s.frame.w;
}

// what is left to do once the positions are found
void PositionSolver::settle(const Model& m, const State& now, Real h, State& s) {
    const DualState to = dual_state(s);
    const int points = point_count(m);
    const PositionContactOptions o = contact_options(h);
    refresh_inertias(m, s.frame, problem);
    if (is_newmark()) finish_newmark_contacts(h, s), keep_acceleration(h, s);
    restore_depths(to, points, contacts_now);
    if (o.friction == FrictionSet::post) add_post_friction(o, to, points, contacts_now);
    if (settings.limit_restitution) limit_separation(o, settings.restitution_threshold, to, points, contacts_now);
    if (settings.damping == "velocity" && settings.damping_part > 0)
        damp_along_rows(*parallel, m, evaluation_in(m, now, s, h), settings.damping_part, to, dual, problem);
    if (settings.damping == "rigid" && settings.damping_part > 0) damp_to_rigid_motion(m, settings.damping_part, s, rigid);
    for (const PositionContact& c : contacts_now.contacts) {
        Touch& t = list.touches[c.touch];
        t.impulse += h * (c.normal * c.n + c.tangential);
        t.gap = c.gap_start; // of the next sub-step: nothing moves any more in this one
    }
    renew_approaches(to, points, contacts_now);
    std::size_t k = 0;
    for (const DualTable& t : problem.tables) {
        if (!t.is_constraint) continue;
        for (std::size_t i = 0; i < t.lambda.size(); ++i) force[k][i] += t.lambda[i];
        ++k;
    }
}

void PositionSolver::judge_touches(const TouchList& touches) {
    report.contact_count = 0;
    report.gap = 0;
    for (std::size_t i = 0; i < touches.touches.size(); ++i) {
        const Touch& t = touches.touches[i];
        report.gap = i ? std::min(report.gap, t.gap) : t.gap;
        const Real normal = t.n.dot(t.impulse);
        report.contact_count += normal > 0 || t.gap < 0; // others are only near
        if (normal > 0 && settings.friction != "box")
            report.cone_violation = std::max(report.cone_violation, (t.impulse - normal * t.n).norm() / normal - t.rule.friction);
    }
    report.penetration = std::max(0.0, -report.gap);
}

void PositionSolver::list_forces(Real dt) {
    contact_forces.clear();
    for (const Touch& t : settings.continuous ? ways.total.touches : list.touches)
        if (t.n.dot(t.impulse) > 0) contact_forces.push_back({t.object_a, t.object_b, real3(t.at), real3(t.n), real3(t.impulse / dt), real3(t.torque / dt)});
}

// forces of contacts and constraints, means over the step
void PositionSolver::remember(const Model& m, Real dt, State& s) {
    if (!settings.continuous) {
        judge_touches(list);
        store_forces(*parallel, m, list, bodies, pairs, s, report.touches);
    }
    for (std::size_t k = 0; k < force.size(); ++k) {
        auto& to = memory_array(s, force_name[k], force[k].size());
        for (std::size_t i = 0; i < force[k].size(); ++i) to[i] = force[k][i] / settings.substeps;
    }
    list_forces(dt);
}

// contacts at the start of a sub-step, with the forces of the one before
bool PositionSolver::renew_contacts(const Model& m, Real h, State& s) {
    if (!detect(m, s, h)) {
        report.status = Status::failed;
        report.message = "contacts cannot be found: a position is not a number";
        return false;
    }
    list_contacts(m, s, h);
    lap(clock, "detect", report);
    return true;
}

// balls of the surfaces' radii, swept from the start to the prediction
void PositionSolver::meet_on_the_way(const Model& m, Real h, State& s) {
    if (look_ahead(*parallel, m, way_view(), s, 1, surface_scratch, ways))
        add_impact_contacts(m, s, way_view(), h, problem.held, found, list, contacts_now, ways);
    lap(clock, "sweep", report);
}

// rounds of projection while something would pass, then the cut
void PositionSolver::follow_way(const Model& m, const State& now, Real h, bool last, State& s) {
    Real safe = 1;
    for (int round = 0; round <= settings.rounds; ++round) {
        if (!look_ahead(*parallel, m, way_view(), s, kPartKept, surface_scratch, ways)) return; // not a number: seen by the caller
        safe = find_way_step(ways.way.impacts);
        lap(clock, "sweep", report);
        if (ways.way.impacts.empty() || round == settings.rounds) break;
        add_impact_contacts(m, s, way_view(), h, problem.held, found, list, contacts_now, ways);
        refresh_inertias(m, s.frame, problem);
        iterate(m, now, h, last, true, s);
        lap(clock, "solve", report);
    }
    report.step_length = std::min(report.step_length, safe);
    if (!ways.way.impacts.empty() && !cut_ways(*parallel, m, way_view(), h, dual_state(s), s, surface_scratch, ways) &&
        report.warnings.empty())
        report.warnings.push_back("what is prescribed leaves no way for the surface: it may have passed itself");
    lap(clock, "sweep", report);
}

// of a sub-step, into the memory and into the sum of the step
void PositionSolver::keep_touches(const Model& m, Real h, State& s) {
    sort_touches(list);
    judge_touches(list);
    bodies.dt = h;
    store_forces(*parallel, m, list, bodies, pairs, s, report.touches);
    add_touches(list, ways.total);
}

// sums of multipliers of the step begin at zero
void PositionSolver::begin_forces(const Model& m, bool renewed) {
    force.resize(m.elements->constraints.size());
    if (renewed || force_name.size() != force.size()) {
        force_name.clear();
        for (const Table& t : m.elements->constraints) force_name.push_back("force." + std::string(t.row->name));
    }
    for (std::size_t k = 0; k < force.size(); ++k) {
        const Table& t = m.elements->constraints[k];
        force[k].assign(std::size_t(t.count()) * t.row->rows, 0);
    }
}

// where what is prescribed is after `time` of the step
void PositionSolver::place_prescribed(const Model& m, const Input& input, const State& now, Real time, Real dt, State& s) {
    place_fixed(m, prescribed, now, time, s.point, s.frame);
    place_fixed_scalars(m, input, now, dt, time, s.scalar);
    place_animated(m, input, now, time, dt, s.animated);
}

// predict, iterate, settle
void PositionSolver::substep(const Model& m, const Input& input, const State& now, int k, Real dt, State& s) {
    const Real h = dt / settings.substeps, time = (k + 1) * h;
    const bool last = k + 1 == settings.substeps;
    problem.since_start = time;
    predict(m, input, h, s);
    place_prescribed(m, input, now, time, dt, s);
    place_contacts(m, s, found, list, contacts_now);
    s.time = now.time + time;
    lap(clock, "predict", report);
    if (settings.continuous) meet_on_the_way(m, h, s);
    if (settings.mix == "velocity_first" || settings.mix == "post_stabilize") start_by_velocities(m, now, h, s);
    iterate(m, now, h, last, false, s);
    if (settings.mix == "post_stabilize") s.point.v = mixed_v, s.frame.v = mixed_frame_v, s.frame.w = mixed_frame_w;
    lap(clock, "solve", report);
    if (settings.continuous) follow_way(m, now, h, last, s);
    if (is_rattle()) finish_rattle(m, input, now, h, s);
    settle(m, now, h, s);
    if (settings.continuous) keep_touches(m, h, s);
    lap(clock, "settle", report);
}

Report PositionSolver::step(const Model& m, const Input& input, const State& now, State& next, double dt, Trace* wanted) {
    begin_clock(clock, report);
    trace = wanted;
    next = now;
    build_prescribed(m, input, now, dt, prescribed);
    stop_fixed(*parallel, m, next.point);
    place_prescribed(m, input, now, 0, dt, next);
    refresh_masses(m, now, problem);
    problem.weight_is_known = false;
    const bool renewed = refresh_tables(m, problem);
    if (renewed) trouble = find_position_trouble(m, settings); // models may change, and need not come from scenes
    if (!trouble.empty()) {
        report.status = Status::failed;
        report.message = "solvers.position." + trouble[0].key + ": " + trouble[0].message + " (allowed: " + trouble[0].allowed + ")";
        return report;
    }
    if (renewed) refused = find_unsupported(*find_solver("position"), m);
    if (!refused.empty()) return report.status = Status::failed, report.message = refused[0], report;
    begin_forces(m, renewed);
    const Real h = dt / settings.substeps;
    report.cone_violation = 0;
    report.step_length = 1;
    ways.total.touches.clear();
    if (!renew_contacts(m, settings.continuous ? h : dt, next)) return report;
    if (has_mode()) recall_mode(now, dual.mode, dual.mode_rows);
    if (settings.scheme == "newmark") begin_acceleration(m, input, now, h, next);
    if (settings.scheme == "verlet") begin_backward(m, input, now, h, next);
    for (int k = 0; k < settings.substeps; ++k) {
        if (settings.continuous && k > 0 && !renew_contacts(m, h, next)) return report;
        substep(m, input, now, k, dt, next);
    }
    remember(m, dt, next);
    if (settings.scheme == "verlet") end_backward(m, h, next);
    if (settings.scheme == "newmark") keep_numbers(m, kAcceleration, acceleration, h, next);
    if (has_mode()) keep_mode(dual.mode, dual.mode_rows, next);
    advect_passive(*parallel, m, now, dt, next.point);
    next.time = now.time + dt;
    next.step = now.step + 1;
    report.dt = dt;
    finish_elements(*parallel, m, now, dt, next);
    lap(clock, "remember", report);
    return report;
}

} // namespace

Needs position_needs() {
    return {.points = true, .frames = true, .scalars = true, .passive = true, .energy_views = kValue | kForce, .row_forces = true};
}

std::unique_ptr<Solver> make_position(const Context& context, const Model& m, State& state, const void* settings) {
    auto solver = std::make_unique<PositionSolver>();
    solver->settings = *static_cast<const PositionSettings*>(settings);
    solver->parallel = make_parallel(context);
    solver->problem.chains = solver->settings.chains;
    register_velocity_memory(m, state);
    if (solver->settings.scheme == "newmark") memory_array(state, kAcceleration, kept_numbers(m));
    if (solver->settings.scheme == "verlet") memory_array(state, kBackward, kept_numbers(m));
    if (solver->has_mode()) memory_array(state, kMode, dofs_of(m).size() + 1);
    return solver;
}

// Mueller et al. 2007: no compliance, friction and restitution as they come
std::shared_ptr<void> make_pbd_settings() {
    auto s = std::make_shared<PositionSettings>();
    s->iterations = 20, s->substeps = 1;
    s->softness = "factor";
    s->chains = false;
    s->friction = "post";
    s->limit_restitution = false;
    return s;
}
// Macklin et al. 2016 and 2019: one iteration in each of many small steps
std::shared_ptr<void> make_xpbd_settings() {
    auto s = std::make_shared<PositionSettings>();
    s->iterations = 1;
    s->substeps = 20;
    s->chains = false;
    return s;
}
std::shared_ptr<void> make_sequential_positions_settings() {
    auto s = std::make_shared<PositionSettings>();
    s->sequential = true;
    return s;
}

} // namespace sinew
