// Mode-reduced integration: K u_i = w_i^2 M u_i about the rest shape (modes.h), x = X + sum_i q_i u_i, and each mode by itself,
//   q'' + c_i q' + w_i^2 q = f_i,    f_i = u_i . f(X),   c_i = u_i . D u_i
//   q_i = u_i . M (x - X),  q_i' = u_i . M v          u_i M-orthonormal: no state beyond x and v
// with K the Hessian of all potentials and D the damping of all viscosities at rest: exact per mode for Rayleigh damping, where
// c_i = a w_i^2 + b; otherwise couplings between modes are left out. f(X) holds gravity, prestress and the input's forces.
// The step is the solution for a force that is constant in it, exact for any dt:
//   y = q - f/w^2,  e = exp(-c h/2),  w_d^2 = w^2 - c^2/4
//   y1 = e (y (C + c S/2) + y' S),  y1' = e (y' (C - c S/2) - w^2 y S),   C = cos w_d h, S = sin(w_d h)/w_d, or cosh and sinh
// Rigid modes (w = 0) fly, with or without drag. What turns far is not linear any more: rotations swell the body. Contact,
// constraints that move, fixed points that move and plasticity are not for this solver.
#include "solver/modal.h"
#include "solver/forces.h"
#include "solver/kinematics.h"
#include "solver/measure.h"
#include "solver/modes.h"
#include "solver/stage_clock.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

struct ModeState {
    Real q, dq;
};

// exact for a constant force; `rigid` is the w^2 below which a mode has no spring
ModeState advance_mode(Real square, Real c, Real f, Real h, Real rigid, ModeState s) {
    if (std::abs(square) <= rigid) {
        if (!(c * h > 1e-8)) return {s.q + h * s.dq + 0.5 * h * h * (f - c * s.dq), s.dq + h * (f - c * s.dq)};
        const Real limit = f / c, left = std::exp(-c * h);
        return {s.q + limit * h + (s.dq - limit) * (1 - left) / c, limit + (s.dq - limit) * left};
    }
    const Real a = 0.5 * c, d = square - a * a, y = s.q - f / square;
    Real eC, eS; // with the factor exp(-a h)
    if (d > 0) {
        const Real w = std::sqrt(d);
        eC = std::exp(-a * h) * std::cos(w * h);
        eS = std::exp(-a * h) * std::sin(w * h) / w;
    } else {
        const Real r = std::sqrt(-d), up = std::exp((r - a) * h), down = std::exp(-(r + a) * h);
        eC = 0.5 * (up + down);
        eS = r * h > 1e-8 ? 0.5 * (up - down) / r : h * std::exp(-a * h);
    }
    return {f / square + y * (eC + a * eS) + s.dq * eS, s.dq * (eC - a * eS) - square * y * eS};
}

struct ModalSolver final : Solver {
    ModalSettings settings;
    ParallelPtr parallel;
    int topology = -1, values = -1;
    const Tables* tables = nullptr;
    std::vector<std::uint8_t> alive; // for which the modes are
    ModeResult basis;
    std::vector<Real> damping; // [1/s] c_i
    ForceScratch forces;
    std::vector<Real> force;
    Report report;
    StageClock clock;

    Report step(const Model&, const Input&, const State& now, State& next, double dt, Trace*) override;
    void drop_caches() override { topology = values = -1, tables = nullptr, forces = {}; }
    bool refresh(const Model&, const State& now);
    bool compute_rest_force(const Model&, const Input&, const State& now, Real dt);
    void advance(const Model&, const State& now, Real dt, State& next);
    bool place_held(const Model&, const Input&, const State& now, Real dt, State& next);
};

Report ModalSolver::step(const Model& m, const Input& input, const State& now, State& next, double dt, Trace*) {
    begin_clock(clock, report);
    next = now;
    report.dt = dt;
    const bool ready = refresh(m, now);
    lap(clock, "modes", report);
    if (ready && compute_rest_force(m, input, now, dt) && place_held(m, input, now, dt, next)) {
        lap(clock, "forces", report);
        advance(m, now, dt, next);
        next.time = now.time + dt;
        next.step = now.step + 1;
        lap(clock, "advance", report);
    }
    return std::move(report);
}

// modes and their damping about the rest shape
bool ModalSolver::refresh(const Model& m, const State& now) {
    if (topology == m.topology_revision && values == m.values_revision && tables == m.elements.get() && alive == now.point.alive)
        return true;
    State rest = now;
    rest.point.x = m.point.rest;
    std::fill(rest.point.v.begin(), rest.point.v.end(), Real3{});
    ModeSettings wanted;
    wanted.count = settings.modes;
    basis = find_modes(*parallel, m, rest, wanted);
    if (!basis.ok) {
        report.status = Status::failed;
        report.message = "no modes: " + basis.message;
        return false;
    }
    damping = find_mode_damping(*parallel, m, rest, basis);
    topology = m.topology_revision;
    values = m.values_revision;
    tables = m.elements.get();
    alive = now.point.alive;
    return true;
}

// what acts at rest, without velocity
bool ModalSolver::compute_rest_force(const Model& m, const Input& input, const State& now, Real dt) {
    State rest = now;
    rest.point.x = m.point.rest;
    std::fill(rest.point.v.begin(), rest.point.v.end(), Real3{});
    rest.time = now.time + 0.5 * dt; // fields in the middle of the step
    force.assign(dofs_of(m).size(), 0);
    compute_forces(*parallel, m, input, evaluation_of(m, rest, dt), surface_state(rest), forces, force);
    ++report.evaluations;
    for (Real f : force)
        if (!std::isfinite(f)) {
            report.status = Status::failed;
            report.message = "forces at rest are not finite";
            return false;
        }
    return true;
}

bool ModalSolver::place_held(const Model& m, const Input& input, const State& now, Real dt, State& next) {
    Prescribed prescribed;
    build_prescribed(m, input, now, dt, prescribed);
    for (int i : prescribed.points)
        if (vec(prescribed.point_velocity[i]).norm() * dt > 1e-12) {
            report.status = Status::failed;
            report.message = "the solver modal takes no fixed points that move";
            return false;
        }
    place_fixed(m, prescribed, now, dt, next.point, next.frame);
    return true;
}

void ModalSolver::advance(const Model& m, const State& now, Real dt, State& next) {
    const int n = point_count(m);
    Real largest = 0;
    for (Real w : basis.squares) largest = std::max(largest, std::abs(w));
    for (int i = 0; i < n; ++i)
        if (!(m.point.flags[i] & (kFixed | kPassive))) {
            next.point.x[i] = m.point.rest[i];
            next.point.v[i] = {};
        }
    for (std::size_t k = 0; k < basis.squares.size(); ++k) {
        const std::vector<Real>& u = basis.shapes[k];
        ModeState s{0, 0};
        Real f = 0;
        for (int i = 0; i < n; ++i) {
            const Eigen::Map<const Vec3> shape(u.data() + 3 * i);
            s.q += m.point.mass[i] * shape.dot(vec(now.point.x[i]) - vec(m.point.rest[i]));
            s.dq += m.point.mass[i] * shape.dot(vec(now.point.v[i]));
            f += shape.dot(Eigen::Map<const Vec3>(force.data() + 3 * i));
        }
        // rounding of K u: 1e-10 of the stiffest mode counts as no spring
        s = advance_mode(basis.squares[k], damping[k], f, dt, 1e-10 * largest, s);
        for (int i = 0; i < n; ++i) {
            if (m.point.flags[i] & (kFixed | kPassive)) continue;
            const Eigen::Map<const Vec3> shape(u.data() + 3 * i);
            vec(next.point.x[i]) += s.q * shape;
            vec(next.point.v[i]) += s.dq * shape;
        }
    }
}

} // namespace

Needs modal_needs() {
    return {.points = true, .frames = false, .scalars = false, .passive = false, .hessian = true, .contacts = false, .memory = false};
}

std::unique_ptr<Solver> make_modal(const Context& context, const Model&, State&, const void* settings) {
    auto solver = std::make_unique<ModalSolver>();
    solver->settings = *static_cast<const ModalSettings*>(settings);
    solver->parallel = make_parallel(context);
    return solver;
}

} // namespace sinew
