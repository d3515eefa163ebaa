// Newton's method on the incremental potential of an implicit time scheme (integrate.h, objective.h):
//   predict    displacement of the free points without forces; fixed points go to their targets, passive
//              ones with their field
//   loop
//     detect   contacts of the surface at x + d
//     residual unbalanced forces; end if small
//     assemble Hessian
//     solve    (M scale + H) p = -residual
//     search   length that lowers the potential (line_search.h, wolfe_search.h), or the step within a region in
//              which the quadratic model holds (trust_region.h); end if the correction |p|/h is small
//   finish     velocities and memory
// Constraints are springs in the potential, or rows with multipliers in the linear system (kkt_step.h), then without
// search.
//
// Projection on demand: the Hessian as it is, as long as the matrix is positive definite; if not, with its
// elements clamped, and after a failure the next 1, 2, 4, 4 ... iterations start with that (Longva et al.
// 2023). Clamping everywhere makes compressed springs too stiff sideways, and convergence linear: a 30 x 30
// cloth of springs with k h^2/m = 300, shaken and dropped, takes 882 iterations for 30 steps, 328 on demand.
//
// Linearly implicit (spec P110, U027-28): one such solve about d = 0 without search. Baraff and Witkin (1998)
// also take the forces without potential at the velocity of the start: see baraff_witkin.cpp.
//
// A step that does not reach its tolerance within max_iterations is kept with a warning, unless it is far off, or its last
// correction was small only because regularisation, a trust region, rods or a search without result held it back: then, as
// after numbers that are not finite, it fails and the caller may try a shorter one.
#include "solver/newton.h"
#include "solver/baraff_witkin.h"
#include "solver/kkt_step.h"
#include "solver/measure.h"
#include "solver/stage_clock.h"
#include "solver/trust_region.h"
#include "solver/wolfe_search.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

constexpr Real kLoosest = 0.5, kTightest = 1e-10; // forcing terms
constexpr Real kSlightLambda = 1e-6;              // regularisation that does not shorten a step
constexpr Real kStaticLambda = 1e-3;              // first regularisation without inertia, see linear_step.h

struct NewtonSolver final : Solver {
    NewtonSettings settings;
    SchemeSettings scheme;
    HessianTerms terms;
    ParallelPtr parallel;
    Objective objective;
    LinearStep linear;
    BaraffWitkinScratch baraff_witkin;
    TrustRegion region;
    KktStep kkt;
    std::vector<Real> d, trial, direction, rhs;
    Real speed = 0;         // [m/s] last correction
    bool held_back = false; // that correction was cut: by the trust region, or by rods that must not pass each other
    Real lag = 0;           // [J] curvature of lagged forces along the direction
    Real forcing = 0, last_residual = 0;
    // projection on demand: iterations to wait before the next try without, tries that failed
    int raw_pause = 0, raw_failures = 0;
    Report report;
    StageClock clock;

    Report step(const Model&, const Input&, const State& now, State& next, double dt, Trace*) override;
    void drop_caches() override;
    std::span<const ContactForce> contacts() const override { return objective.contact_forces; }
    void make_linear();

    void predict(const StepProblem&);
    void shorten_prediction(const StepProblem&);
    bool is_done(int iteration);
    bool is_stalled() const;
    bool solve(const StepProblem&);
    LinearOutcome solve_with(const StepProblem&, Projection, bool regularise);
    void choose_tolerance();
    void search(const StepProblem&, Trace*);
    void fail_between_rods(const StepProblem&);
    SearchResult search_length(const StepProblem&, const Merit& start, Real slope);
    Merit merit_at(const StepProblem&, std::span<const Real> at);
    Merit with_lag(Merit, Real length) const;
    bool trusts() const { return settings.globalisation == "trust_region" && iterates() && !has_rows(); }
    bool has_rows() const { return kkt.form != ConstraintForm::penalty; }
    void linearise(const StepProblem&);
    bool check_residual(const StepProblem&);
    // linearised about rest, friction would know no limit
    Real friction_speed() const { return iterates() ? settings.still : 0; }
    bool iterates() const { return settings.linearisation == "full"; }
};

Report NewtonSolver::step(const Model& m, const Input& input, const State& now, State& next, double dt,
                          Trace* trace) {
    const StepProblem p{*parallel, m, input, now, dt};
    begin_clock(clock, report);
    next = now;
    begin_objective(p, scheme, objective);
    terms.force_v = objective.stage.rate;
    predict(p);
    lap(clock, "predict", report);
    for (int iteration = 0;; ++iteration) {
        detect_contacts(p, d, objective);
        lap(clock, "detect", report);
        compute_residual(p, d, objective);
        if (has_rows()) add_constraint_forces(p, objective, kkt);
        ++report.evaluations;
        if (iteration == 0 && objective.not_finite >= 0) {
            shorten_prediction(p);
            if (has_rows()) add_constraint_forces(p, objective, kkt);
        }
        const bool stop = !check_residual(p) || is_done(iteration);
        lap(clock, "residual", report);
        if (stop) break;
        if (settings.linearisation == "baraff_witkin") {
            if (scalar_count(m) > 0) {
                report.status = Status::failed;
                report.message = "linearisation baraff_witkin moves points only, and the scene has scalars";
                break;
            }
            linearise(p);
            continue;
        }
        if (!solve(p)) break;
        search(p, trace);
        lap(clock, "search", report);
        if (report.status == Status::failed) break;
    }
    finish_step(p, scheme, objective, d, next, report);
    if (has_rows()) remember_multipliers(kkt, next);
    lap(clock, "finish", report);
    return std::move(report);
}

// The displacement without forces. Where that stretches stiff springs a lot (a spinning rod) it still beats
// the start of the step: from there the search would creep along the curve of constant length.
void NewtonSolver::predict(const StepProblem& p) {
    const std::size_t n = objective.mass.size();
    for (auto* a : {&d, &trial, &direction, &rhs}) a->assign(n, 0.0);
    speed = forcing = last_residual = 0;
    held_back = false;
    raw_pause = raw_failures = 0;
    linear.lambda = scheme.scheme == Scheme::quasi_static ? kStaticLambda : 0;
    if (trusts()) begin_trust_region(p, region);
    if (has_rows()) begin_kkt(p, kkt);
    if (iterates())
        start_from_travel(p, objective, d), bound_start(p, d, objective);
    else
        set_given(p, objective, d);
}

// A prediction where forces do not exist (an element that must not invert): half of it, a quarter, ..., the start.
void NewtonSolver::shorten_prediction(const StepProblem& p) {
    for (int k = 0; k < 6 && objective.not_finite >= 0; ++k) {
        for (Real& a : d) a = k < 5 ? 0.5 * a : 0;
        set_given(p, objective, d);
        compute_residual(p, d, objective);
        ++report.evaluations;
    }
}

// relative force balance into the report; false if it is not finite
bool NewtonSolver::check_residual(const StepProblem& p) {
    const Objective& o = objective;
    report.residual = o.force_scale > 0 ? o.residual_norm / o.force_scale : o.residual_norm;
    if (o.not_finite < 0) return report.status != Status::failed;
    const Object& owner = p.model.objects[p.model.point.object[o.not_finite]];
    report.status = Status::failed;
    report.failed_object = owner.name;
    report.failed_index = o.not_finite - owner.points.begin;
    report.message =
        fmt::format("forces are not finite (object '{}', index {})", owner.name, report.failed_index);
    return false;
}

// The last correction was small because something kept it small, not because little is left to correct.
bool NewtonSolver::is_stalled() const {
    return held_back || linear.lambda > kSlightLambda || (report.step_length == 0 && speed > settings.tolerance);
}

bool NewtonSolver::is_done(int iteration) {
    if (!iterates()) return iteration > 0;
    const bool violates = has_rows() && kkt.form != ConstraintForm::hard_velocity;
    const Real allowed = settings.tolerance * objective.stage.elapsed;
    // the friction of this iteration is that of its normal forces
    const bool settled = objective.friction.unsettled <= settings.tolerance;
    const bool obeys = settled && (!violates || kkt.violation <= allowed), nearly_obeys = !violates || kkt.violation <= kFarSpeed * allowed;
    if ((report.residual <= settings.force_tolerance || objective.force_scale == 0) && obeys) return true;
    // without inertia the length of the step says nothing, nor does a correction held back by regularisation
    const bool is_static = scheme.scheme == Scheme::quasi_static;
    if (iteration > 0 && speed <= settings.tolerance && !is_static && !held_back && obeys && linear.lambda <= kSlightLambda)
        return true;
    if (iteration < settings.max_iterations) return false;
    if (is_static) {
        // a shorter step would not help, and the next one goes on from here
        report.warnings.push_back(
            fmt::format("no equilibrium yet: unbalanced force {:.3g} of the largest", report.residual));
    } else if (!is_stalled() && nearly_obeys && (speed <= kFarSpeed * settings.tolerance || report.residual <= kFarForce)) {
        report.warnings.push_back("Newton's method has not reached its tolerance");
    } else {
        report.status = Status::failed;
        report.message =
            fmt::format("Newton's method has not converged in {} iterations: correction {:.3g} m/s, "
                        "unbalanced force {:.3g} of the largest{}",
                        iteration, speed, report.residual,
                        is_stalled()    ? ", and corrections are held back"
                        : !nearly_obeys ? fmt::format(", constraints are off by {:.3g} m", kkt.violation)
                                        : "");
    }
    return true;
}

// direction = -matrix^-1 residual
bool NewtonSolver::solve(const StepProblem& p) {
    for (std::size_t i = 0; i < rhs.size(); ++i) rhs[i] = -objective.residual[i];
    ++report.iterations;
    if (settings.forcing == "eisenstat_walker") choose_tolerance();
    if (trusts() || has_rows()) return solve_with(p, has_rows() ? terms.projection : Projection::none, false) == LinearOutcome::solved;
    if (settings.projection != "on_demand")
        return solve_with(p, terms.projection, true) == LinearOutcome::solved;
    // the Hessian as it is, unless that has failed lately
    if (raw_pause == 0) {
        const LinearOutcome outcome = solve_with(p, Projection::none, false);
        if (outcome != LinearOutcome::indefinite) return outcome == LinearOutcome::solved;
        raw_pause = std::min(4, 1 << raw_failures++);
    } else {
        --raw_pause;
    }
    return solve_with(p, Projection::clamp, true) == LinearOutcome::solved;
}

LinearOutcome NewtonSolver::solve_with(const StepProblem& p, Projection how, bool regularise) {
    terms.projection = how;
    objective.gas_apart = !has_rows() && !trusts();
    if (!compute_matrix(p, terms, objective)) {
        report.status = Status::failed;
        report.message = "the matrix has more than 2^31 - 1 entries";
        return LinearOutcome::failed;
    }
    lap(clock, "assemble", report);
    const LinearOutcome outcome =
        has_rows() ? solve_kkt(p, objective, rhs, kkt, direction, report)
        : trusts() ? solve_trust_region(p, objective, rhs, linear, region, direction, report)
                 : solve_linear(p, objective, rhs, regularise, linear, direction, report);
    lap(clock, "solve", report);
    return outcome;
}

// Forcing terms of Eisenstat and Walker (1996), choice 2: as exact as the last iteration was good, but never
// tightened at once where it was loose before.
void NewtonSolver::choose_tolerance() {
    const Real residual = objective.residual_norm;
    if (last_residual == 0) {
        forcing = kLoosest;
    } else {
        const Real ratio = residual / last_residual, held = 0.9 * forcing * forcing;
        forcing = 0.9 * ratio * ratio;
        if (held > 0.1) forcing = std::max(forcing, held);
        forcing = std::clamp(forcing, kTightest, kLoosest);
    }
    last_residual = residual;
    if (linear.solver) linear.solver->set_tolerance(forcing);
}

Merit NewtonSolver::merit_at(const StepProblem& p, std::span<const Real> at) {
    if (settings.merit == "energy") return compute_merit(p, at, objective);
    compute_merit_gradient(p, at, objective);
    const Real square = merit_gradient_square(p, objective);
    return {0.5 * square, square};
}

// with what lagged forces change along the direction (objective.h)
Merit NewtonSolver::with_lag(Merit m, Real length) const {
    const Real more = 0.5 * lag * length * length;
    return {m.value + more, m.size + more};
}

SearchResult NewtonSolver::search_length(const StepProblem& p, const Merit& start, Real slope) {
    struct Line {
        NewtonSolver& s;
        const StepProblem& p;
        static Merit at(void* data, Real length) {
            auto& [s, p] = *static_cast<Line*>(data);
            add_direction(p, s.d, length, s.direction, s.trial);
            return s.with_lag(s.merit_at(p, s.trial), length);
        }
        static Real slope_at(void* data, Real length) {
            auto& [s, p] = *static_cast<Line*>(data);
            add_direction(p, s.d, length, s.direction, s.trial);
            compute_merit_gradient(p, s.trial, s.objective);
            return merit_slope(p, s.direction, s.objective) + s.lag * length;
        }
    } line{*this, p};
    // an exact Newton step takes the whole residual away: d/da 1/2 |r|^2 = -|r|^2
    if (settings.merit == "residual") return search_line({&line, Line::at}, start, -2 * start.value);
    const SlopedFunction sloped{&line, Line::at, Line::slope_at};
    if (settings.line_search == "strong_wolfe") return search_strong_wolfe(sloped, start, slope);
    if (settings.line_search == "approximate_wolfe") return search_approximate_wolfe(sloped, start, slope);
    return search_line({&line, Line::at}, start, slope);
}

void NewtonSolver::search(const StepProblem& p, Trace* trace) {
    DirectionSize size = measure_direction(p, direction, objective);
    speed = size.largest / objective.stage.elapsed;
    held_back = false;
    if (const Real part = bound_direction(p, direction, objective); part < 1 && iterates()) {
        if (!(part > kLeastPart)) return fail_between_rods(p);
        for (Real& a : direction) a *= part;
        size.slope *= part;
        held_back = true;
    }
    report.step_length = 1;
    const bool searches = settings.line_search != "none" && iterates() && !trusts() && !has_rows();
    const Merit start = searches || trusts() || trace ? merit_at(p, d) : Merit{};
    lag = (searches || trusts()) && settings.merit == "energy" ? lag_curvature(p, direction, objective) : 0;
    if (searches) {
        const SearchResult found = search_length(p, start, size.slope);
        report.evaluations += found.evaluations + 1;
        report.step_length = found.length;
        adapt_lambda(objective.stage.scale > 0, found.length, linear);
    }
    if (trusts()) {
        add_direction(p, d, 1, direction, trial);
        report.evaluations += 2;
        if (!judge_step(start, with_lag(merit_at(p, trial), 1), region)) report.step_length = 0;
        held_back = held_back || report.step_length == 0 || region.lambda > 0;
    }
    add_direction(p, d, report.step_length, direction, d);
    if (trace) {
        const Merit end = merit_at(p, d);
        trace->iterations.push_back({report.iterations, start.value, report.residual, report.step_length, end.value, std::max(start.size, end.size)});
    }
}

// Rods that cross or coincide have no side on which to stay: no direction may be taken at all.
void NewtonSolver::fail_between_rods(const StepProblem& p) {
    const RodPair* nearest = nullptr;
    for (const RodPair& pair : objective.contacts.rod_pairs)
        if (!nearest || pair.distance < nearest->distance) nearest = &pair;
    report.status = Status::failed;
    report.step_length = 0;
    report.message = "rods leave each other no room";
    if (!nearest) return;
    const auto owner = [&](int corner) {
        return p.model.objects[p.model.point.object[p.model.surface.vertices[nearest->vertex[corner]].index]].name;
    };
    report.failed_object = owner(0);
    report.message += fmt::format(": centre lines of '{}' and '{}' are {:.3g} m apart, which is crossing or coinciding",
                                  owner(0), owner(2), nearest->distance);
}

void NewtonSolver::linearise(const StepProblem& p) {
    ++report.iterations;
    solve_baraff_witkin(p, terms, objective, linear, baraff_witkin, d, report);
    lap(clock, "solve", report);
}

void NewtonSolver::make_linear() {
    auto made = make_linear_solver(settings.linear_solver, {settings.ordering, settings.preconditioner,
                                                            settings.cg_tolerance, settings.cg_iterations});
    if (made)
        linear.solver = std::move(*made.value);
    else
        linear.trouble = made.errors.front().message;
}

void NewtonSolver::drop_caches() {
    objective = {};
    objective.constraints_are_rows = has_rows();
    objective.dampers_are_forces = settings.linearisation == "baraff_witkin"; // as printed
    objective.still = friction_speed();
    objective.friction.secant = true;
    kkt.solver = {};
    linear = {};
    baraff_witkin = {};
    region = {};
    make_linear();
    for (auto* a : {&d, &trial, &direction, &rhs}) *a = {};
}

// scenes of rods and obstacles: the matrix has a narrow band, unless rods touch each other
bool has_only_rods(const Model& m) {
    for (const Object& o : m.objects)
        if (o.points.count() > 0 && o.kind != "rod") return false;
    return scalar_count(m) > 0;
}

std::shared_ptr<void> preset(const char* linearisation, const char* linear_solver) {
    auto s = std::make_shared<NewtonSettings>();
    s->linearisation = linearisation;
    s->linear_solver = linear_solver;
    return s;
}

} // namespace

std::shared_ptr<void> make_linearly_implicit_settings() { return preset("linearly_implicit", "default"); }
std::shared_ptr<void> make_baraff_witkin_settings() { return preset("baraff_witkin", "cg"); }

Needs newton_needs() {
    return {.points = true, .frames = false, .scalars = true, .passive = true, .hessian = true};
}

Needs baraff_witkin_needs() {
    Needs n = newton_needs();
    n.scalars = false;
    return n;
}

std::unique_ptr<Solver> make_newton(const Context& context, const Model& m, State& state,
                                    const void* settings) {
    auto solver = std::make_unique<NewtonSolver>();
    NewtonSettings& s = solver->settings = *static_cast<const NewtonSettings*>(settings);
    solver->scheme = {find_scheme(s.scheme), s.beta, s.gamma};
    solver->terms.projection = s.projection == "none"       ? Projection::none
                               : s.projection == "absolute" ? Projection::absolute
                               : s.projection == "gauss_newton" ? Projection::gauss_newton
                                                            : Projection::clamp;
    solver->terms.eigen = s.projection == "eigen";
    solver->terms.force_x = 1;
    solver->kkt.form = s.constraints == "compliant"       ? ConstraintForm::compliant
                       : s.constraints == "hard"          ? ConstraintForm::hard
                       : s.constraints == "hard_velocity" ? ConstraintForm::hard_velocity
                                                          : ConstraintForm::penalty;
    solver->kkt.geometric_stiffness = s.geometric_stiffness;
    solver->kkt.single_solve = !solver->iterates();
    solver->objective.constraints_are_rows = solver->has_rows();
    solver->objective.dampers_are_forces = solver->settings.linearisation == "baraff_witkin";
    solver->objective.still = solver->friction_speed();
    solver->objective.friction.secant = true;
    if (s.linear_solver == "default" && has_only_rods(m) && !rods_meet(m))
        s.linear_solver = s.projection == "none" && s.merit == "residual" ? "banded_lu" : "banded";
    solver->parallel = make_parallel(context);
    solver->make_linear();
    register_memory(solver->scheme, m, state);
    return solver;
}

} // namespace sinew
