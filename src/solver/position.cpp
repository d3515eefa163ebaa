// Position projection (spec U 3.3 d-e, 3.9): the smallest displacement, weighted by mass, from where all would go without
// constraints to where they hold.
//   v~ = v + h W f,  x~ = x + h v~                       f: everything that has no rows
//   x  = x~ + h^2 W J^T l,  v = v~ + h W J^T l           C(x) + rho dC/dt + alpha l = 0, contacts and friction in their sets
// The step as a list: place what is prescribed, detect, and per sub-step: predict, iterate, settle. Rows of energies, joints
// and attachments come first in an iteration, contacts last.
// Points, frames and scalars are moved by the same loop: coupling of all kinds of bodies both ways comes by itself.
// Deviations from the source: compliance is fed back (its printed form is `softness: printed`), contacts are found at the
// start of the step with the way ahead, rotations keep their angular momentum (gyroscopic terms are in).
#include "solver/position.h"
#include "collision/detect.h"
#include "collision/detect_shapes.h"
#include "model/visit.h"
#include "solver/forces.h"
#include "solver/kinematics.h"
#include "solver/measure.h"
#include "solver/position_contact.h"
#include "solver/position_contact_batch.h"
#include "solver/position_damping.h"
#include "solver/position_dual.h"
#include "solver/position_problem.h"
#include "solver/position_trace.h"
#include "solver/stage_clock.h"
#include "solver/velocity_memory.h"
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kElementsPerTask = 256;

struct PositionSolver final : Solver {
    PositionSettings settings;
    ParallelPtr parallel;
    PositionProblem problem;
    PositionContacts contacts_now;
    ContactPack contact_pack;
    DualScratch dual;
    RigidMotionScratch rigid;
    Prescribed prescribed;
    Contacts found;
    DetectScratch obstacles;
    ShapeScratch shapes;
    SurfaceScratch surface_scratch;
    std::vector<Real3> surface;
    RowProblem bodies;                     // for the list of touches
    TouchList list;
    TouchScratch pairs;
    std::vector<Real3> x_start, p_start;   // unknowns at the start of a sub-step
    std::vector<Real4> q_start;
    std::vector<Real3> v_start;            // of points
    std::vector<Real3> acceleration;       // of points at the start of a sub-step (newmark)
    bool starting = false;                 // finding the first of them
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
    std::string find_trouble() const;
    void predict(const Model&, const Input&, Real h, State&);
    void predict_points(const Model&, Real h, State&);
    void predict_frames(const Model&, Real h, State&);
    bool is_newmark() const { return settings.scheme == "newmark" && !starting; }
    void begin_acceleration(const Model&, const Input&, const State& now, Real h, const State&);
    void keep_acceleration(Real h, const State&);
    bool is_rattle() const { return settings.scheme == "rattle" && !starting; }
    void begin_backward(const Model&, const Input&, const State& now, Real h, State&);
    void end_backward(const Model&, State&);
    void finish_rattle(const Model&, const Input&, const State& now, Real h, State&);
    void iterate(const Model&, const State& now, Real h, bool last, State&); // last: of the step
    void start_multipliers(const Model&, const Sweep&);
    bool sweeps() const { return settings.method == "gauss_seidel" && settings.directions == "current" && !is_rattle() && !starting; }
    void sweep_tables(const Model&, const Evaluation&, const Sweep&, bool first);
    bool velocities_may_wait(const Sweep&) const;
    void add_trace(const Model&, const TracedStep&, int k, State&);
    void make_velocities(Real h, State&) const;
    void settle(const Model&, const State& now, Real h, State&);
    void remember(const Model&, Real dt, State&);
    void list_forces(Real dt);
};

void PositionSolver::drop_caches() {
    problem = {};
    force_name.clear();
    shapes = {};
    surface_scratch = {};
    dual = {};
}

Real fastest_part(const Model& m, const State& s) {
    Real v = 0;
    for (int i = 0; i < point_count(m); ++i)
        if (s.point.alive.empty() || s.point.alive[i]) v = std::max(v, vec(s.point.v[i]).norm());
    for (int i = 0; i < frame_count(m); ++i) v = std::max(v, vec(s.frame.v[i]).norm());
    for (const Real3& a : s.animated.v) v = std::max(v, vec(a).norm());
    // surfaces of bodies turn with them
    for (const SurfaceVertex& at : m.surface.vertices)
        if (at.kind == SurfaceVertex::frame)
            v = std::max(v, vec(s.frame.v[at.index]).norm() + vec(s.frame.w[at.index]).norm() * vec(at.local).norm());
    return v;
}

// contacts within reach of the step; false if a position is not a number
bool PositionSolver::detect(const Model& m, const State& s, Real dt) {
    constexpr Real kAhead = 2.2, kShapesAhead = 1.1; // both sides move, and gravity
    if (!detect_shapes(*parallel, m, s.frame, {settings.margin, kShapesAhead * dt}, shapes, found)) return false;
    found.vertex_triangle.clear(), found.edge_edge.clear(), found.vertex_edge.clear(), found.vertex_vertex.clear();
    if (point_count(m) == 0) return true;
    const Real margin = std::max(settings.margin, kAhead * dt * fastest_part(m, s));
    surface.resize(m.surface.vertices.size());
    surface_positions(*parallel, m, surface_state(s), surface);
    if (!detect_obstacles(*parallel, m, surface, s.point.alive, s.frame, margin, obstacles, found)) return false;
    return detect_surface(*parallel, m, surface, s.point.alive, {.margin = margin}, surface_scratch, found);
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
    o.friction = settings.friction == "cone"     ? ContactFriction::cone
                 : settings.friction == "box"    ? ContactFriction::box
                 : settings.friction == "single" ? ContactFriction::single
                 : settings.friction == "post"   ? ContactFriction::post
                 : settings.friction == "none"   ? ContactFriction::none
                                                 : ContactFriction::cylinder;
    o.de_saxce = settings.de_saxce;
    o.compliance = settings.contact_compliance;
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
    o.relaxation = settings.relaxation > 0 ? settings.relaxation : direct ? 1 : 0.5;
    o.momentum_factor = settings.momentum_factor;
    o.momentum_power = settings.momentum_power;
    o.largest_step = settings.largest_step;
    o.damping_time = settings.damping == "rows" ? settings.damping_time : 0;
    o.frozen = settings.directions == "start" || is_rattle(); // RATTLE pushes along the rows of the start
    o.contact = contact_options(h);
    return o;
}

// settings that do not go together, or with the model; empty = none
std::string PositionSolver::find_trouble() const {
    if (settings.scheme == "newmark") {
        for (Real w : problem.frame_inverse)
            if (w > 0) return "solvers.position.scheme: newmark is for points; the scene has bodies that move (allowed: symplectic, verlet, rattle)";
        for (Real w : problem.scalar_inverse)
            if (w > 0) return "solvers.position.scheme: newmark is for points; the scene has rods that twist (allowed: symplectic, verlet, rattle)";
    }
    if (settings.sequential && settings.method != "gauss_seidel")
        return "solvers.position.sequential: only with method gauss_seidel, not " + settings.method;
    if (settings.softness != "factor") return {};
    for (const DualTable& t : problem.tables)
        if (t.table->row->name.starts_with("tet_stable_neohookean"))
            return "solvers.position.softness: factor ignores compliance, and " + std::string(t.table->row->name) +
                   " rests where its rows balance (allowed: feedback, printed; or another solid model)";
    return {};
}

void PositionSolver::predict_frames(const Model& m, Real h, State& s) {
    const Dofs dofs = dofs_of(m);
    for (int f = 0; f < dofs.frames; ++f) {
        if (!(problem.frame_inverse[f] > 0)) continue;
        const Real* load = problem.f.data() + dofs.frame_offset(f);
        vec(s.frame.v[f]) += h * problem.frame_inverse[f] * Eigen::Map<const Vec3>(load);
        vec(s.frame.p[f]) += h * vec(s.frame.v[f]);
        // angular momentum goes on, rotation by the midpoint
        const Mat3 I = mat(m.frame.inertia[f]), inverse = I.inverse();
        const Quat before = quat(s.frame.q[f]);
        const Vec3 w = vec(s.frame.w[f]) + h * problem.frame_inverse_inertia[f] * Eigen::Map<const Vec3>(load + 3);
        const Vec3 L = before * (I * (before.conjugate() * w));
        const auto spin = [&](const Quat& r) { return Vec3(r * (inverse * (r.conjugate() * L))); };
        const Quat after = (exp_rotation(h * spin(exp_rotation(0.5 * h * w) * before)) * before).normalized();
        s.frame.q[f] = real4(after);
        s.frame.w[f] = real3(spin(after));
    }
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
        s.scalar.ds[i] += h * problem.scalar_inverse[i] * problem.f[dofs.scalar_offset(i)];
        s.scalar.s[i] += h * s.scalar.ds[i];
    }
}

void PositionSolver::predict(const Model& m, const Input& input, Real h, State& s) {
    Evaluation ev = evaluation_of(m, s, h);
    ev.x_now = s.point.x.data();
    ev.elapsed = h; // viscous parts that are in the rows are not forces as well
    compute_loads(*parallel, m, input, ev, problem);
    ++report.evaluations;
    if (settings.scheme != "symplectic") v_start = s.point.v;
    p_start = s.frame.p;
    q_start = s.frame.q;
    refresh_inertias(m, s.frame, problem);
    predict_points(m, h, s);
    predict_frames(m, h, s);
    refresh_inertias(m, s.frame, problem);
}

constexpr const char* kAcceleration = "position.acceleration"; // [m/s^2] of points, newmark; the last entry: 1 = it is there

// Accelerations at the start that agree with the constraints: from a step so small that nothing moves.
void PositionSolver::begin_acceleration(const Model& m, const Input& input, const State& now, Real h, const State& s) {
    constexpr Real kTiny = 1e-4;
    const auto* kept = find_memory(now, kAcceleration);
    const int n = point_count(m);
    acceleration.assign(n, {});
    if (kept && kept->size() == std::size_t(3 * n + 1) && kept->back() == 1) {
        for (int i = 0; i < n; ++i) acceleration[i] = {(*kept)[3 * i], (*kept)[3 * i + 1], (*kept)[3 * i + 2]};
        return;
    }
    State trial = s;
    starting = true;
    const Real tiny = kTiny * h;
    predict(m, input, tiny, trial);
    iterate(m, now, tiny, false, trial);
    starting = false;
    for (int i = 0; i < n; ++i)
        if (problem.point_inverse[i] > 0) acceleration[i] = real3((vec(trial.point.v[i]) - vec(s.point.v[i])) / tiny);
    report.iterations = 0;
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

constexpr const char* kBackward = "position.backward"; // [m/s] (x - x before)/h of points, verlet; the last entry: 1 = it is there

// Verlet's x~ = 2 x - x_before + h^2 W f is the symplectic step from the backward difference of positions
void PositionSolver::begin_backward(const Model& m, const Input& input, const State& now, Real h, State& s) {
    const auto* kept = find_memory(now, kBackward);
    const int n = point_count(m);
    if (!kept || kept->size() != std::size_t(3 * n + 1) || kept->back() != 1) { // half a step before the first
        begin_acceleration(m, input, now, h, s);
        for (int i = 0; i < n; ++i) vec(s.point.v[i]) -= 0.5 * h * vec(acceleration[i]);
        return;
    }
    for (int i = 0; i < n; ++i)
        if (problem.point_inverse[i] > 0) s.point.v[i] = {(*kept)[3 * i], (*kept)[3 * i + 1], (*kept)[3 * i + 2]};
}

// velocities are central differences, (x' - x_before)/(2 h)
void PositionSolver::end_backward(const Model& m, State& s) {
    const int n = point_count(m);
    auto& kept = memory_array(s, kBackward, 3 * std::size_t(n) + 1);
    for (int i = 0; i < n; ++i) { // v_start: the backward difference before the last sub-step
        const Vec3 before = vec(v_start[i]), after = vec(s.point.v[i]);
        for (int k = 0; k < 3; ++k) kept[3 * i + k] = after[k];
        if (problem.point_inverse[i] > 0) s.point.v[i] = real3(0.5 * (before + after));
    }
    kept.back() = 1;
}

// The second half of the kick, and velocities along the rigid rows at the new place (spec U 3.3 c). Soft rows push with
// the force of the new place.
void PositionSolver::finish_rattle(const Model& m, const Input& input, const State& now, Real h, State& s) {
    const Dofs dofs = dofs_of(m);
    compute_loads(*parallel, m, input, evaluation_of(m, s, h), problem);
    for (int i = 0; i < dofs.points; ++i)
        if (problem.point_inverse[i] > 0)
            vec(s.point.v[i]) += 0.5 * h * problem.point_inverse[i] * Eigen::Map<const Vec3>(problem.f.data() + dofs.point_offset(i));
    project_velocities(*parallel, m, evaluation_in(m, now, s, h), settings.iterations, 0.5 * h, dual_state(s), dual, problem);
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

// zero, or of contacts the forces of the sub-step before, which move the unknowns at once
void PositionSolver::start_multipliers(const Model& m, const Sweep& w) {
    clear_multipliers(sweeps(), problem);
    const bool warm = settings.warm_start && sweeps();
    for (PositionContact& c : contacts_now.contacts) {
        if (!warm || !(c.normal > 0)) c.normal = 0, c.tangential.setZero();
        else move_contact(contacts_now, c, w.to, point_count(m), c.normal * c.n + c.tangential, w.h * w.h, w.h);
    }
}

// nobody asks for velocities during the iterations: they follow from the positions at the end
bool PositionSolver::velocities_may_wait(const Sweep& w) const {
    return contacts_now.contacts.empty() && w.damping_time == 0 && (settings.scheme == "symplectic" || settings.scheme == "verlet") &&
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

void PositionSolver::iterate(const Model& m, const State& now, Real h, bool last, State& s) {
    const Evaluation ev = evaluation_in(m, now, s, h);
    const int points = point_count(m);
    Sweep w = sweep_of(s, h);
    start_multipliers(m, w);
    if (!sweeps()) {
        DualOptions o = dual_options(h);
        o.gauss_seidel = settings.method == "gauss_seidel";
        if (o.gauss_seidel && !(settings.relaxation > 0)) o.relaxation = 1;
        const DualResult r = solve_dual(*parallel, m, o, w, ev, s.frame, trace, dual, problem, contacts_now);
        report.iterations += r.iterations;
        report.residual = std::max(report.residual, r.violation);
        if (!r.ok) {
            report.status = Status::failed;
            report.message = r.message;
        }
        return;
    }
    const PositionContactOptions o = contact_options(h);
    lazy = velocities_may_wait(w);
    const bool packed = settings.iterations > 1 && pack_contacts(o, w.to, points, contacts_now, contact_pack);
    if (trace) add_trace(m, {o, w, ev}, 0, s);
    for (int k = 0; k < settings.iterations; ++k) {
        if (k > 0) refresh_inertias(m, s.frame, problem);
        sweep_tables(m, ev, w, k == 0);
        if (packed) project_contacts(*parallel, o, w.to, points, contacts_now, contact_pack);
        else project_contacts(*parallel, o, w.to, points, contacts_now);
        ++report.iterations;
        if (!trace && !(settings.tolerance > 0) && !(last && k + 1 == settings.iterations)) continue;
        if (packed) store_forces(contact_pack, contacts_now);
        const Real error = largest_violation(*parallel, m, ev, w, o, dual, problem, contacts_now);
        if (trace) add_trace(m, {o, w, ev}, k + 1, s);
        report.residual = error;
        if (error <= settings.tolerance) break;
    }
    if (packed) store_forces(contact_pack, contacts_now);
    take_multipliers_of_constraints(); // for their mean force
    if (lazy) make_velocities(h, s);
}

// what is left to do once the positions are found
void PositionSolver::settle(const Model& m, const State& now, Real h, State& s) {
    const DualState to = dual_state(s);
    const int points = point_count(m);
    const PositionContactOptions o = contact_options(h);
    refresh_inertias(m, s.frame, problem);
    if (is_newmark()) keep_acceleration(h, s);
    if (o.friction == ContactFriction::post) add_post_friction(o, to, points, contacts_now);
    if (settings.limit_restitution) limit_separation(o, settings.restitution_threshold, to, points, contacts_now);
    if (settings.damping == "velocity" && settings.damping_part > 0)
        damp_along_rows(*parallel, m, evaluation_in(m, now, s, h), settings.damping_part, to, dual, problem);
    if (settings.damping == "rigid" && settings.damping_part > 0) damp_to_rigid_motion(m, settings.damping_part, s, rigid);
    for (const PositionContact& c : contacts_now.contacts)
        list.touches[c.touch].impulse += h * (c.normal * c.n + c.tangential);
    std::size_t k = 0;
    for (const DualTable& t : problem.tables) {
        if (!t.is_constraint) continue;
        for (std::size_t i = 0; i < t.lambda.size(); ++i) force[k][i] += t.lambda[i];
        ++k;
    }
}

void PositionSolver::list_forces(Real dt) {
    contact_forces.clear();
    report.contact_count = int(list.touches.size());
    report.gap = report.penetration = report.cone_violation = 0;
    for (std::size_t i = 0; i < list.touches.size(); ++i) {
        const Touch& t = list.touches[i];
        report.gap = i ? std::min(report.gap, t.gap) : t.gap;
        const Real normal = t.n.dot(t.impulse);
        if (!(normal > 0)) continue;
        if (settings.friction != "box")
            report.cone_violation = std::max(report.cone_violation, (t.impulse - normal * t.n).norm() / normal - t.rule.friction);
        contact_forces.push_back({t.object_a, t.object_b, real3(t.at), real3(t.n), real3(t.impulse / dt)});
    }
    report.penetration = std::max(0.0, -report.gap);
}

// forces of contacts and constraints, means over the step
void PositionSolver::remember(const Model& m, Real dt, State& s) {
    store_forces(*parallel, m, list, bodies, pairs, s, report.touches);
    for (std::size_t k = 0; k < force.size(); ++k) {
        auto& to = memory_array(s, force_name[k], force[k].size());
        for (std::size_t i = 0; i < force[k].size(); ++i) to[i] = force[k][i] / settings.substeps;
    }
    list_forces(dt);
}

Report PositionSolver::step(const Model& m, const Input& input, const State& now, State& next, double dt, Trace* wanted) {
    begin_clock(clock, report);
    trace = wanted;
    next = now;
    build_prescribed(m, input, now, dt, prescribed);
    stop_fixed(*parallel, m, next.point);
    place_fixed(m, prescribed, now, 0, next.point, next.frame);
    place_animated(m, input, now, 0, dt, next.animated);
    refresh_masses(m, now, problem);
    problem.weight_is_known = false;
    const bool renewed = refresh_tables(m, problem);
    if (const std::string problem_found = find_trouble(); !problem_found.empty()) {
        report.status = Status::failed;
        report.message = problem_found;
        return report;
    }
    force.resize(m.elements->constraints.size());
    if (renewed || force_name.size() != force.size()) {
        force_name.clear();
        for (const Table& t : m.elements->constraints) force_name.push_back("force." + std::string(t.row->name));
    }
    for (std::size_t k = 0; k < force.size(); ++k) {
        const Table& t = m.elements->constraints[k];
        force[k].assign(std::size_t(t.count()) * t.row->rows, 0);
    }
    if (!detect(m, next, dt)) {
        report.status = Status::failed;
        report.message = "contacts cannot be found: a position is not a number";
        return report;
    }
    list_contacts(m, next, dt);
    lap(clock, "detect", report);
    const Real h = dt / settings.substeps;
    if (settings.scheme == "newmark") begin_acceleration(m, input, now, h, next);
    if (settings.scheme == "verlet") begin_backward(m, input, now, h, next);
    for (int k = 0; k < settings.substeps; ++k) {
        problem.since_start = (k + 1) * h;
        predict(m, input, h, next);
        place_fixed(m, prescribed, now, (k + 1) * h, next.point, next.frame);
        place_animated(m, input, now, (k + 1) * h, dt, next.animated);
        place_contacts(m, next, found, list, contacts_now);
        next.time = now.time + (k + 1) * h;
        lap(clock, "predict", report);
        iterate(m, now, h, k + 1 == settings.substeps, next);
        lap(clock, "solve", report);
        if (is_rattle()) finish_rattle(m, input, now, h, next);
        settle(m, now, h, next);
        lap(clock, "settle", report);
    }
    remember(m, dt, next);
    if (settings.scheme == "verlet") end_backward(m, next);
    if (settings.scheme == "newmark") {
        auto& kept = memory_array(next, kAcceleration, 3 * acceleration.size() + 1);
        for (std::size_t i = 0; i < acceleration.size(); ++i)
            kept[3 * i] = acceleration[i].x, kept[3 * i + 1] = acceleration[i].y, kept[3 * i + 2] = acceleration[i].z;
        kept.back() = 1;
    }
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
    return {.points = true, .frames = true, .scalars = true, .passive = true, .energy_views = kValue | kForce};
}

std::unique_ptr<Solver> make_position(const Context& context, const Model& m, State& state, const void* settings) {
    auto solver = std::make_unique<PositionSolver>();
    solver->settings = *static_cast<const PositionSettings*>(settings);
    solver->parallel = make_parallel(context);
    register_velocity_memory(m, state);
    if (solver->settings.scheme == "newmark") memory_array(state, kAcceleration, 3 * std::size_t(point_count(m)) + 1);
    if (solver->settings.scheme == "verlet") memory_array(state, kBackward, 3 * std::size_t(point_count(m)) + 1);
    return solver;
}

// Mueller et al. 2007: no compliance, friction and restitution as they come
std::shared_ptr<void> make_pbd_settings() {
    auto s = std::make_shared<PositionSettings>();
    s->iterations = 20, s->substeps = 1;
    s->softness = "factor";
    s->friction = "post";
    s->limit_restitution = false;
    return s;
}
// Macklin et al. 2016 and 2019: one iteration in each of many small steps
std::shared_ptr<void> make_xpbd_settings() {
    auto s = std::make_shared<PositionSettings>();
    s->iterations = 1;
    s->substeps = 20;
    return s;
}
std::shared_ptr<void> make_sequential_positions_settings() {
    auto s = std::make_shared<PositionSettings>();
    s->sequential = true;
    return s;
}

} // namespace sinew
