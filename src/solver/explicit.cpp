// Explicit time stepping (spec P 3.13, U020-U022, C02-C03).  y = (x, v), a(x, v, t) = f/m
//   forward_euler     x' = x + h v,               v' = v + h a                     order 1, always gains energy
//   symplectic_euler  v' = v + h a,               x' = x + h v'                    order 1, stable for h < 2/omega
//   improved_euler    v' = v + h a,               x' = x + h (v + v')/2            slowly gains energy
//   rk2_trapezoid, rk2_midpoint, rk4              Runge-Kutta; stages at t + c h (erratum X10 of spec P)
//   leapfrog          v_half = v + h/2 a, x' = x + h v_half, v' = v_half + h/2 a'  order 2, kick-drift-kick
//   verlet            x' = x + r (x - x_prev) + a h (h + h_prev)/2, r = h/h_prev   order 2, Stoermer's position form;
//                     the weights keep order 2 when the step length changes; x_prev and h_prev are State.memory,
//                     and the recursion starts anew where they are not of this model and time
// Rigid rotations (spec P 3.5) carry the angular momentum L: L' = L + h torque, then R' = exp(h w*) R with
//   exponential            w = I(R)^-1 L_c
//   additive               q' = normalised q + h/2 (0, w) q
//   exponential_midpoint   w = I(R_half)^-1 L_c, R_half = exp(h/2 w_0*) R: order 2
// where L_c is what carries positions too: L' in symplectic Euler, L + h/2 torque in the others. With L + h/2 torque
// symplectic Euler would turn bodies as improved Euler does, and stiff torques (a bouncing plate) would gain energy.
// Scalars (angles of rods) advance as points do, their reference frames as explicit_rods.h says; under verlet, like frames, by leapfrog.
// Passive points follow x' = u(x, t) with the same scheme; fixed ones their targets.
// A model of nothing but points, springs and uniform gravity takes the Euler steps in one pass over memory
// (explicit_springs.h), with the same bits; Report.path then says so.
#include "solver/explicit.h"
#include "energy/contact_power.h"
#include "energy/contact_read.h"
#include "model/visit.h"
#include "solver/explicit_rods.h"
#include "solver/explicit_springs.h"
#include "solver/explicit_work.h"
#include "solver/fold_guard.h"
#include "solver/forces.h"
#include "solver/kinematics.h"
#include "solver/measure.h"
#include "solver/stage_clock.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

// A Runge-Kutta scheme with at most four stages, each using only the one before: c[i] = a[i][i-1].
struct Tableau {
    int stages;
    std::array<Real, 4> c, b;
};
constexpr Tableau kForwardEuler{1, {0}, {1}};
constexpr Tableau kTrapezoid{2, {0, 1}, {0.5, 0.5}};
constexpr Tableau kMidpoint{2, {0, 0.5}, {0, 1}};
constexpr Tableau kRk4{4, {0, 0.5, 0.5, 1}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};

// Rates at one stage.
struct Rates {
    std::vector<Real3> v, a;               // points
    std::vector<Real3> frame_v, frame_a, torque;
    std::vector<Real> s, ds;               // scalars: of the value, of its rate
};

struct ExplicitSolver final : Solver {
    ExplicitSettings settings;
    ParallelPtr parallel;
    ForceScratch forces;
    Prescribed prescribed;
    RodEdges rods;
    std::array<Rates, 4> rates;
    std::vector<Real> f;                   // tangent layout
    std::vector<Real> partial;             // scratch of the fold guard
    std::vector<ContactReading> readings;  // of the stages so far
    std::vector<ContactForce> contact_forces;
    Report report;
    StageClock clock;

    Report step(const Model&, const Input&, const State& now, State& next, double dt, Trace*) override;
    std::span<const ContactForce> contacts() const override { return contact_forces; }
    void drop_caches() override {
        forces = {};
        prescribed = {};
        rods = {};
        rates = {};
        f = {};
    }

    // in all of these `stage` is the state at which forces are taken, in the end the new state
    // weight: of the stage in the mean force of the step
    void evaluate(const Model&, const Input&, const State& now, Real t, Real dt, Real weight, State& stage, Rates&);
    void prepare(const Model&, const State& now, State& stage);
    void stage_at(const Model&, const State& now, Real h, Real weight_new, const Rates&, State& stage);
    void runge_kutta(const Model&, const Input&, const State& now, Real dt, const Tableau&, State& stage);
    void euler_variant(const Model&, const Input&, const State& now, Real dt, Real weight_new, Real weight, State& stage);
    void euler_springs(const Model&, const State& now, Real dt, Real weight_new, State& next);
    void leapfrog(const Model&, const Input&, const State& now, Real dt, State& stage);
    void verlet(const Model&, const Input&, const State& now, Real dt, State& stage);
    void rotate(const Model&, const State& now, const std::vector<Real3>& torque, Real h, Real weight_new, FrameState& out) const;
    void spin_up(const Model&, const State& now, const std::vector<Real3>& torque, Real h, FrameState& out) const;
};

bool is_free(std::uint8_t flags) { return !(flags & (kFixed | kPassive)); }

template <class F> void for_each_free_scalar(const Model& m, F&& f) {
    for (int i = 0; i < scalar_count(m); ++i)
        if (!(m.scalar.flags[i] & kFixed)) f(i);
}

// world angular momentum and velocity:  L = R I R^T w
Vec3 spin_momentum(const Real33& inertia, const Quat& q, const Vec3& w) {
    return q * (mat(inertia) * (q.conjugate() * w));
}
Vec3 spin_velocity(const Real33& inertia, const Quat& q, const Vec3& momentum) {
    return q * (mat(inertia).llt().solve(q.conjugate() * momentum));
}

// everything of `now` into the first stage
void ExplicitSolver::prepare(const Model& m, const State& now, State& stage) {
    stage = now;
    f.resize(dofs_of(m).size());
    for (Rates& r : rates) {
        r.v.resize(point_count(m));
        r.a.resize(point_count(m));
        r.frame_v.resize(frame_count(m));
        r.frame_a.resize(frame_count(m));
        r.torque.resize(frame_count(m));
        r.s.resize(scalar_count(m));
        r.ds.resize(scalar_count(m));
    }
}

// rates of the stage, with fixed and passive unknowns where they are at time t
void ExplicitSolver::evaluate(const Model& m, const Input& input, const State& now, Real t, Real dt, Real weight, State& stage,
                              Rates& out) {
    PointState& points = stage.point;
    FrameState& frames = stage.frame;
    stop_fixed(*parallel, m, points);
    place_fixed(m, prescribed, now, t - now.time, points, frames);
    place_animated(m, input, now, t - now.time, dt, stage.animated);
    set_passive_velocity(*parallel, m, now, t, points);
    Evaluation ev = evaluation_of(m, now, dt);
    ev.x = points.x.data();
    ev.v = points.v.data();
    ev.p = frames.p.data();
    ev.q = frames.q.data();
    ev.frame_v = frames.v.data();
    ev.frame_w = frames.w.data();
    ev.s = stage.scalar.s.data();
    ev.ds = stage.scalar.ds.data();
    ev.t = t;
    ev.animated = stage.animated.x.data();
    if (scalar_count(m) > 0) {
        place_fixed_scalars(m, input, now, dt, t - now.time, stage.scalar);
        std::copy(stage.scalar.ds.begin(), stage.scalar.ds.end(), out.s.begin());
        refresh_rod_edges(m, rods);
        subtract_frame_turn(m, ev, rods, out.s);
        carry_rod_frames(*parallel, m, ev, stage);
        ev.memory = &stage.memory; // of other elements still that of the start
    }
    if (t > now.time) refuse_closed_folds(*parallel, m, now, stage, partial, report); // forces there are not numbers
    compute_forces(*parallel, m, input, ev, surface_state(stage), forces, f);
    if (weight > 0) read_contacts(m, forces.contacts, forces.contact_tables, nullptr, ev, weight, readings);
    ++report.evaluations;
    lap(clock, "forces", report);
    parallel_for(*parallel, point_count(m), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            out.v[i] = points.v[i];
            out.a[i] = {};
            if (is_free(m.point.flags[i])) out.a[i] = real3(Eigen::Map<const Vec3>(f.data() + 3 * i) / m.point.mass[i]);
        }
    });
    const Dofs dofs = dofs_of(m);
    for (int i = 0; i < frame_count(m); ++i) {
        out.frame_v[i] = frames.v[i];
        out.frame_a[i] = out.torque[i] = {};
        if (m.frame.flags[i] & kFixed) continue;
        const Real* at = f.data() + dofs.frame_offset(i);
        out.frame_a[i] = real3(Eigen::Map<const Vec3>(at) / m.frame.mass[i]);
        out.torque[i] = real3(Eigen::Map<const Vec3>(at + 3));
    }
    for_each_free_scalar(m, [&](int i) { out.ds[i] = f[dofs.scalar_offset(i)] / m.scalar.mass[i]; });
}

// rotation of every free frame over h with constant torque, from `now`; carried by L + weight_new h torque
void ExplicitSolver::rotate(const Model& m, const State& now, const std::vector<Real3>& torque, Real h, Real weight_new,
                            FrameState& out) const {
    for (int i = 0; i < frame_count(m); ++i) {
        if (m.frame.flags[i] & kFixed) continue;
        const Quat q = quat(now.frame.q[i]);
        const Vec3 before = spin_momentum(m.frame.inertia[i], q, vec(now.frame.w[i]));
        const Vec3 carries = before + weight_new * h * vec(torque[i]);
        Quat turned = q;
        if (settings.rotation == "exponential_midpoint") {
            const Vec3 w = spin_velocity(m.frame.inertia[i], q, before);
            const Quat half = exp_rotation(0.5 * h * w) * q;
            turned = exp_rotation(h * spin_velocity(m.frame.inertia[i], half, carries)) * q;
        } else {
            const Vec3 w = spin_velocity(m.frame.inertia[i], q, carries);
            if (settings.rotation == "additive") turned.coeffs() += 0.5 * h * (Quat(0, w.x(), w.y(), w.z()) * q).coeffs();
            else turned = exp_rotation(h * w) * q;
        }
        turned.normalize();
        out.q[i] = real4(turned);
    }
    spin_up(m, now, torque, h, out);
}

// w' at the orientation of `out` from L' = L + h torque
void ExplicitSolver::spin_up(const Model& m, const State& now, const std::vector<Real3>& torque, Real h,
                             FrameState& out) const {
    for (int i = 0; i < frame_count(m); ++i) {
        if (m.frame.flags[i] & kFixed) continue;
        const Vec3 before = spin_momentum(m.frame.inertia[i], quat(now.frame.q[i]), vec(now.frame.w[i]));
        out.w[i] = real3(spin_velocity(m.frame.inertia[i], quat(out.q[i]), before + h * vec(torque[i])));
    }
}

// stage = now + h rates
void ExplicitSolver::stage_at(const Model& m, const State& now, Real h, Real weight_new, const Rates& r, State& stage) {
    PointState& points = stage.point;
    FrameState& frames = stage.frame;
    parallel_for(*parallel, point_count(m), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            if (m.point.flags[i] & kFixed) continue;
            points.x[i] = real3(vec(now.point.x[i]) + h * vec(r.v[i]));
            points.v[i] = real3(vec(now.point.v[i]) + h * vec(r.a[i]));
        }
    });
    for (int i = 0; i < frame_count(m); ++i) {
        if (m.frame.flags[i] & kFixed) continue;
        frames.p[i] = real3(vec(now.frame.p[i]) + h * vec(r.frame_v[i]));
        frames.v[i] = real3(vec(now.frame.v[i]) + h * vec(r.frame_a[i]));
    }
    rotate(m, now, r.torque, h, weight_new, frames);
    for_each_free_scalar(m, [&](int i) {
        stage.scalar.s[i] = now.scalar.s[i] + h * r.s[i];
        stage.scalar.ds[i] = now.scalar.ds[i] + h * r.ds[i];
    });
    lap(clock, "advance", report);
}

void ExplicitSolver::runge_kutta(const Model& m, const Input& input, const State& now, Real dt, const Tableau& table,
                                 State& stage) {
    prepare(m, now, stage);
    for (int s = 0; s < table.stages; ++s) {
        if (s > 0) stage_at(m, now, table.c[s] * dt, 0.5, rates[s - 1], stage);
        evaluate(m, input, now, now.time + table.c[s] * dt, dt, table.b[s], stage, rates[s]);
    }
    // mean rates into the first slot, added in stage order
    const auto mean = [&](std::vector<Real3> Rates::*member) {
        auto& out = rates[0].*member;
        parallel_for(*parallel, int(out.size()), kGrain, [&](int begin, int end) {
            for (int i = begin; i < end; ++i) {
                Vec3 sum = table.b[0] * vec(out[i]);
                for (int s = 1; s < table.stages; ++s) sum += table.b[s] * vec((rates[s].*member)[i]);
                out[i] = real3(sum);
            }
        });
    };
    if (table.stages > 1) {
        for (auto member : {&Rates::v, &Rates::a, &Rates::frame_v, &Rates::frame_a, &Rates::torque}) mean(member);
        for (auto member : {&Rates::s, &Rates::ds})
            for_each_free_scalar(m, [&](int i) {
                Real sum = table.b[0] * (rates[0].*member)[i];
                for (int s = 1; s < table.stages; ++s) sum += table.b[s] * (rates[s].*member)[i];
                (rates[0].*member)[i] = sum;
            });
    }
    stage_at(m, now, dt, 0.5, rates[0], stage);
}

// v' = v + h a,  x' = x + h ((1 - w) v + w v'):  w = 1 symplectic, 1/2 improved
void ExplicitSolver::euler_variant(const Model& m, const Input& input, const State& now, Real dt, Real w, Real weight, State& stage) {
    prepare(m, now, stage);
    evaluate(m, input, now, now.time, dt, weight, stage, rates[0]);
    Rates& r = rates[0];
    parallel_for(*parallel, point_count(m), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            if (m.point.flags[i] & kPassive) continue; // a first-order equation: forward Euler
            r.v[i] = real3(vec(now.point.v[i]) + w * dt * vec(r.a[i]));
        }
    });
    for (int i = 0; i < frame_count(m); ++i) r.frame_v[i] = real3(vec(now.frame.v[i]) + w * dt * vec(r.frame_a[i]));
    for_each_free_scalar(m, [&](int i) { r.s[i] = now.scalar.ds[i] + w * dt * r.ds[i]; }); // edges drift straight: no turn of frames
    stage_at(m, now, dt, w, r, stage);
}

// the same for points, springs and gravity alone: one pass over memory, the same bits
void ExplicitSolver::euler_springs(const Model& m, const State& now, Real dt, Real w, State& next) {
    copy_all_but_motion(now, next);
    // what holds moving points does work
    f.resize(prescribed.points.empty() ? 0 : dofs_of(m).size());
    step_springs(*parallel, m, now, dt, w, forces, f, next.point);
    ++report.evaluations;
    report.path = forces.springs.avx2 ? "springs avx2" : "springs";
    if (m.point.field.empty()) return;
    set_passive_velocity(*parallel, m, now, now.time, next.point);
    for (int i = 0; i < point_count(m); ++i)
        if (m.point.flags[i] & kPassive) vec(next.point.x[i]) += dt * vec(next.point.v[i]);
}

void ExplicitSolver::leapfrog(const Model& m, const Input& input, const State& now, Real dt, State& stage) {
    euler_variant(m, input, now, dt, 0.5, 0.5, stage); // x' = x + h (v + h/2 a)
    const Rates& first = rates[0];
    // kick with the force at the end; velocity-dependent forces see the predicted v + h a
    evaluate(m, input, now, now.time + dt, dt, 0.5, stage, rates[1]);
    PointState& points = stage.point;
    FrameState& frames = stage.frame;
    parallel_for(*parallel, point_count(m), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            if (!is_free(m.point.flags[i])) continue;
            points.v[i] = real3(vec(now.point.v[i]) + 0.5 * dt * (vec(first.a[i]) + vec(rates[1].a[i])));
        }
    });
    for (int i = 0; i < frame_count(m); ++i) {
        if (m.frame.flags[i] & kFixed) continue;
        frames.v[i] = real3(vec(now.frame.v[i]) + 0.5 * dt * (vec(first.frame_a[i]) + vec(rates[1].frame_a[i])));
        rates[1].torque[i] = real3(0.5 * (vec(first.torque[i]) + vec(rates[1].torque[i])));
    }
    spin_up(m, now, rates[1].torque, dt, frames); // the second kick turns nothing
    for_each_free_scalar(m, [&](int i) { stage.scalar.ds[i] = now.scalar.ds[i] + 0.5 * dt * (first.ds[i] + rates[1].ds[i]); });
}

constexpr std::string_view kVerletX = "explicit.x_previous",
                           kVerletStep = "explicit.step_previous"; // its length and end [s]

// length of the step before, 0 if the memory is not of this model and time (objects were added, the first step)
Real verlet_dt(const Model& m, const State& now) {
    const auto *step = find_memory(now, kVerletStep), *x = find_memory(now, kVerletX);
    if (!step || step->size() != 2 || !x || x->size() != 3 * std::size_t(point_count(m))) return 0;
    return (*step)[0] > 0 && std::abs((*step)[1] - now.time) <= 1e-6 * (*step)[0] ? (*step)[0] : 0;
}

void ExplicitSolver::verlet(const Model& m, const Input& input, const State& now, Real dt, State& stage) {
    leapfrog(m, input, now, dt, stage); // starts the recursion, moves frames, gives the velocity at the end
    const std::size_t n = point_count(m);
    const Real h_previous = verlet_dt(m, now);
    memory_array(stage, kVerletStep, 2); // both are there before either is referred to
    auto& previous = memory_array(stage, kVerletX, 3 * n);
    auto& step = memory_array(stage, kVerletStep, 2);
    PointState& points = stage.point;
    if (h_previous > 0) {
        parallel_for(*parallel, int(n), kGrain, [&](int begin, int end) {
            for (int i = begin; i < end; ++i) {
                if (!is_free(m.point.flags[i])) continue;
                if (!now.point.age.empty() && now.point.age[i] < h_previous && (m.point.flags[i] & kPooled)) continue;
                const Vec3 x = vec(now.point.x[i]), back = Eigen::Map<const Vec3>(previous.data() + 3 * i);
                points.x[i] = real3(x + dt / h_previous * (x - back) + 0.5 * dt * (dt + h_previous) * vec(rates[0].a[i]));
                points.v[i] = real3((vec(points.x[i]) - x) / dt + 0.5 * dt * vec(rates[1].a[i]));
            }
        });
    }
    if (n > 0) std::copy_n(&now.point.x.data()->x, 3 * n, previous.data());
    step[0] = dt;
    step[1] = now.time + dt;
}

Report ExplicitSolver::step(const Model& m, const Input& input, const State& now, State& next, double dt, Trace*) {
    begin_clock(clock, report);
    readings.clear();
    build_prescribed(m, input, now, dt, prescribed);
    refresh_forces(*parallel, m, forces);
    lap(clock, "prepare", report);
    const std::string& s = settings.scheme;
    const Real weight_new = s == "improved_euler" ? 0.5 : 1;
    if (s == "forward_euler") runge_kutta(m, input, now, dt, kForwardEuler, next);
    else if (s == "rk2_trapezoid") runge_kutta(m, input, now, dt, kTrapezoid, next);
    else if (s == "rk2_midpoint") runge_kutta(m, input, now, dt, kMidpoint, next);
    else if (s == "rk4") runge_kutta(m, input, now, dt, kRk4, next);
    else if (s == "leapfrog") leapfrog(m, input, now, dt, next);
    else if (s == "verlet") verlet(m, input, now, dt, next);
    else if (is_spring_step(m, input, now, forces)) euler_springs(m, now, dt, weight_new, next);
    else euler_variant(m, input, now, dt, weight_new, 1, next);
    place_fixed(m, prescribed, now, dt, next.point, next.frame);
    place_fixed_scalars(m, input, now, dt, dt, next.scalar);
    place_animated(m, input, now, dt, dt, next.animated);
    set_passive_velocity(*parallel, m, now, now.time + dt, next.point);
    next.time = now.time + dt;
    next.step = now.step + 1;
    lap(clock, "advance", report);
    report.dt = dt;
    report.work_external = external_work(m, input, prescribed, f, now, next, dt);
    if (!m.obstacles.empty()) { // with the damping of contacts counted by the velocity of what is touched, as work_damping does
        const ContactPower power = contact_power(forces.contact_tables, evaluation_of(m, next, dt));
        report.work_external += dt * (power.total - power.damping);
    }
    list_contact_forces(readings, contact_forces);
    report.work_plastic = finish_elements(*parallel, m, now, dt, next);
    refuse_closed_folds(*parallel, m, now, next, partial, report);
    lap(clock, "finish", report);
    return report;
}

} // namespace

Needs explicit_needs() { return {.points = true, .frames = true, .scalars = true, .passive = true}; }

std::unique_ptr<Solver> make_explicit(const Context& context, const Model& m, State& state, const void* settings) {
    auto solver = std::make_unique<ExplicitSolver>();
    solver->settings = *static_cast<const ExplicitSettings*>(settings);
    solver->parallel = make_parallel(context);
    if (solver->settings.scheme == "verlet") {
        memory_array(state, kVerletX, 3 * std::size_t(point_count(m)));
        memory_array(state, kVerletStep, 2);
    }
    return solver;
}

} // namespace sinew
