// Nonlinear conjugate gradients on the incremental potential Phi of an implicit scheme (objective.h):
//   d_0 = travel; g = residual, z = P^-1 g, s_0 = -z
//   loop
//     detect contacts; residual; end if small
//     direction  s = -z + beta s
//     search     d += a s
//
// cg_descent (Hager and Zhang 2005; spec T40): with y = g - g_old, P y = P^-1 y,
//   beta = max( (y - 2 s (y.P y)/(s.y)) . z / (s.y),  -1/(|s| min(0.01, |g|)) ),  a by approximate Wolfe
// fletcher_reeves (spec U029, corrected): beta = g.z / (g.z)_old, a = -g.s / s.A s with the Gauss-Newton matrix
//   A = scale M + k J^T J taken element by element; shortened where that raises Phi.
// printed (spec U029 as the document has it): g without the inertial force, no shortening. It is the exact
//   implicit Euler step after one iteration for one spring, then c_k = c / (1 + h^2 k w)^k: ever stiffer.
//
// icmcg (spec T41): s from linalg/modified_cg.h on the Hessian as it is, solved to the forcing term of An, Mo and Liu (2007):
//   eta = 0.8 where the last step did less than 0.1 of what its model promised for |g|, the same up to 0.4, then 0.8 and from 0.7
//   on 0.5 of the last; a by sufficient decrease.
//
// P: 3 x 3 diagonal blocks of the clamped Hessian at the start of the step, with inertia; or inertia alone. Scalars (twist of rods)
// have a block of one number each.
// Restart with s = -z where s does not go down, and where contacts have changed. Where edges of rods may touch, s is shortened so
// that none passes through another (bound_direction), and the search only shortens it further.
#include "solver/nonlinear_cg.h"
#include "linalg/modified_cg.h"
#include "solver/measure.h"
#include "solver/objective.h"
#include "solver/stage_clock.h"
#include "solver/wolfe_search.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

constexpr Real kEta = 0.01;                       // of Hager and Zhang's bound on beta

struct NonlinearCgSolver final : Solver {
    NonlinearCgSettings settings;
    SchemeSettings scheme;
    HessianTerms terms;
    ParallelPtr parallel;
    Objective objective;
    std::vector<Mat3> blocks;   // P^-1
    std::vector<Real> scalar_blocks;
    std::vector<Real> d, trial, direction, g, z, y, last_g, last_z;
    Real gz = 0;                // g.z of the last iteration, 0 = restart
    std::size_t contact_count = 0;
    Real eta = 0.5;             // icmcg: forcing term
    Real norm = 0, promised = 0; // icmcg: |g| of the last iteration, and what its step would leave of it
    Real speed = 0;             // [m/s] asked for by the preconditioned residual
    Report report;
    StageClock clock;

    Report step(const Model&, const Input&, const State& now, State& next, double dt, Trace*) override;
    void drop_caches() override;
    std::span<const ContactForce> contacts() const override { return objective.contact_forces; }
    void begin(const StepProblem&);
    void build_preconditioner(const StepProblem&);
    void take_residual(const StepProblem&);
    bool is_done(const StepProblem&, int iteration);
    Real choose_direction(const StepProblem&);
    Real choose_newton_direction(const StepProblem&);
    bool is_newton() const { return settings.variant == "icmcg"; }
    void search(const StepProblem&, Real slope);
    bool stay_apart(const StepProblem&, Real& unit, Real& slope);
    void precondition(const StepProblem&, std::span<const Real> x, std::span<Real> out) const;
    Real dot(const StepProblem&, const std::vector<Real>& a, const std::vector<Real>& b);
    bool is_printed() const { return settings.variant == "printed"; }
};

Report NonlinearCgSolver::step(const Model& m, const Input& input, const State& now, State& next, double dt,
                               Trace* trace) {
    const StepProblem p{*parallel, m, input, now, dt};
    begin_clock(clock, report);
    next = now;
    begin(p);
    lap(clock, "predict", report);
    for (int iteration = 0;; ++iteration) {
        detect_contacts(p, d, objective);
        lap(clock, "detect", report);
        take_residual(p);
        lap(clock, "residual", report);
        if (is_done(p, iteration)) break;
        const Real slope = is_newton() ? choose_newton_direction(p) : choose_direction(p);
        search(p, slope);
        lap(clock, "search", report);
        ++report.iterations;
        if (trace) trace->iterations.push_back({report.iterations, 0, report.residual, report.step_length});
    }
    finish_step(p, scheme, objective, d, next, report);
    lap(clock, "finish", report);
    return std::move(report);
}

void NonlinearCgSolver::begin(const StepProblem& p) {
    begin_objective(p, scheme, objective);
    terms.force_v = objective.stage.rate;
    const std::size_t n = objective.mass.size();
    for (auto* a : {&d, &trial, &direction, &g, &z, &y, &last_g, &last_z}) a->assign(n, 0.0);
    gz = speed = norm = promised = 0;
    eta = 0.5;
    contact_count = 0;
    start_from_travel(p, objective, d);
    bound_start(p, d, objective);
    build_preconditioner(p);
}

void NonlinearCgSolver::build_preconditioner(const StepProblem& p) {
    const int n = point_count(p.model);
    const Dofs dofs = dofs_of(p.model);
    blocks.assign(n, Mat3::Identity());
    scalar_blocks.assign(dofs.scalars, 1);
    const bool with_hessian = settings.preconditioner == "jacobi";
    if (settings.preconditioner == "none") return;
    if (with_hessian) {
        // at the predicted place: that is where the iteration starts, with what it touches there
        detect_contacts(p, d, objective);
        compute_residual(p, d, objective);
        if (!compute_matrix(p, terms, objective)) return;
    }
    for (int i = 0; i < n; ++i) {
        if (!is_unknown(p.model, p.now, i)) continue;
        Mat3 a = Eigen::Map<const Vec3>(objective.mass.data() + 3 * i).asDiagonal();
        if (with_hessian)
            a += Eigen::Map<const Mat3>(block_values(objective.matrix, diagonal_slot(objective.matrix.pattern, i)));
        const Eigen::LLT<Mat3> factor(a);
        if (factor.info() == Eigen::Success) blocks[i] = factor.solve(Mat3::Identity());
    }
    for (int i = 0; i < dofs.scalars; ++i) {
        if (!is_unknown_scalar(p.model, i)) continue;
        Real a = objective.mass[dofs.scalar_offset(i)];
        if (with_hessian) a += *block_values(objective.matrix, diagonal_slot(objective.matrix.pattern, dofs.scalar_block(i)));
        if (a > 0) scalar_blocks[i] = 1 / a;
    }
}

// out = P^-1 x; what is no unknown has no residual
void NonlinearCgSolver::precondition(const StepProblem& p, std::span<const Real> x, std::span<Real> out) const {
    parallel_for(p.parallel, point_count(p.model), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i)
            Eigen::Map<Vec3>(out.data() + 3 * i) = blocks[i] * Eigen::Map<const Vec3>(x.data() + 3 * i);
    });
    const std::size_t first = dofs_of(p.model).scalar_offset(0);
    for (std::size_t i = 0; i < scalar_blocks.size(); ++i) out[first + i] = scalar_blocks[i] * x[first + i];
}

Real NonlinearCgSolver::dot(const StepProblem& p, const std::vector<Real>& a, const std::vector<Real>& b) {
    return ordered_sum(p.parallel, int(a.size()), 4 * kGrain, objective.partial, [&](int begin, int end) {
        Real sum = 0;
        for (int i = begin; i < end; ++i) sum += a[i] * b[i];
        return sum;
    });
}

// g and z at d, the old ones aside
void NonlinearCgSolver::take_residual(const StepProblem& p) {
    compute_residual(p, d, objective);
    ++report.evaluations;
    std::swap(g, last_g);
    std::swap(z, last_z);
    const Objective& o = objective;
    parallel_for(p.parallel, point_count(p.model), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            Eigen::Map<Vec3> at(g.data() + 3 * i);
            at = Eigen::Map<const Vec3>(o.residual.data() + 3 * i);
            if (is_printed() && is_unknown(p.model, p.now, i))
                at -= o.stage.scale * p.model.point.mass[i] *
                      (Eigen::Map<const Vec3>(d.data() + 3 * i) - vec(o.stage.travel[i]));
        }
    });
    const int first = dofs_of(p.model).scalar_offset(0);
    for (int i = 0; i < scalar_count(p.model); ++i) {
        g[first + i] = o.residual[first + i];
        if (is_printed() && is_unknown_scalar(p.model, i))
            g[first + i] -= o.stage.scale * p.model.scalar.mass[i] * (d[first + i] - o.stage.scalar_travel[i]);
    }
    precondition(p, g, z);
    Real largest = 0;
    for (int i = 0; i < point_count(p.model); ++i)
        largest = std::max(largest, Eigen::Map<const Vec3>(z.data() + 3 * i).norm());
    for (int i = 0; i < scalar_count(p.model); ++i) largest = std::max(largest, o.arm[i] * std::abs(z[first + i]));
    speed = largest / o.stage.elapsed;
    report.residual = o.force_scale > 0 ? o.residual_norm / o.force_scale : o.residual_norm;
}

bool NonlinearCgSolver::is_done(const StepProblem& p, int iteration) {
    const Objective& o = objective;
    if (report.status == Status::failed) return true;
    if (o.not_finite >= 0) {
        const Object& owner = p.model.objects[p.model.point.object[o.not_finite]];
        report.status = Status::failed;
        report.failed_object = owner.name;
        report.failed_index = o.not_finite - owner.points.begin;
        report.message =
            fmt::format("forces are not finite (object '{}', index {})", owner.name, report.failed_index);
        return true;
    }
    if (is_printed()) return iteration >= settings.max_iterations;
    if (report.residual <= settings.force_tolerance || o.force_scale == 0) return true;
    const bool is_static = scheme.scheme == Scheme::quasi_static;
    if (speed <= settings.tolerance && !is_static && settings.preconditioner != "none") return true;
    if (iteration < settings.max_iterations) return false;
    if (is_static || speed <= kFarSpeed * settings.tolerance || report.residual <= kFarForce) {
        report.warnings.push_back(fmt::format("conjugate gradients have not reached their tolerance: unbalanced "
                                              "force {:.3g} of the largest",
                                              report.residual));
    } else {
        report.status = Status::failed;
        report.message = fmt::format("conjugate gradients have not converged in {} iterations: unbalanced force "
                                     "{:.3g} of the largest",
                                     iteration, report.residual);
    }
    return true;
}

// direction = -z + beta direction; returns its slope
Real NonlinearCgSolver::choose_direction(const StepProblem& p) {
    Real beta = 0;
    const Real now = dot(p, g, z);
    const std::size_t contacts = objective.contacts.point_point.size() + objective.contacts.rod_pairs.size();
    const bool same_contacts = contacts == contact_count;
    contact_count = contacts;
    if (gz > 0 && same_contacts) {
        if (settings.variant == "cg_descent") {
            for (std::size_t i = 0; i < g.size(); ++i) y[i] = g[i] - last_g[i];
            const Real sy = dot(p, direction, y);
            for (std::size_t i = 0; i < g.size(); ++i) trial[i] = z[i] - last_z[i]; // P^-1 y
            const Real yPy = dot(p, y, trial), zy = dot(p, z, y), sg = dot(p, direction, g);
            if (sy > 0) {
                const Real least = -1 / (std::sqrt(dot(p, direction, direction)) *
                                         std::min(kEta, std::sqrt(dot(p, g, g))));
                beta = std::max((zy - 2 * yPy / sy * sg) / sy, least);
            }
        } else {
            beta = now / gz;
        }
    }
    gz = now;
    const auto set_direction = [&](Real b) {
        for (std::size_t i = 0; i < g.size(); ++i) direction[i] = -z[i] + b * direction[i];
    };
    set_direction(beta);
    Real slope = dot(p, direction, g);
    if (!(slope < 0)) {
        for (std::size_t i = 0; i < g.size(); ++i) direction[i] = -z[i];
        slope = -now;
    }
    return slope;
}

// direction = -A^-1 g to the forcing term, with A made positive; returns its slope
Real NonlinearCgSolver::choose_newton_direction(const StepProblem& p) {
    const Real now = std::sqrt(dot(p, g, g));
    if (norm > 0 && norm > promised) {
        const Real agreement = (norm - now) / (norm - promised);
        eta = agreement < 0.1 ? 0.8 : agreement < 0.4 ? eta : agreement < 0.7 ? 0.8 * eta : 0.5 * eta;
        eta = std::max(eta, 1e-12);
    }
    norm = now;
    int unknowns = 0;
    const int first = dofs_of(p.model).scalar_offset(0);
    for (int i = 0; i < point_count(p.model); ++i) unknowns += 3 * is_unknown(p.model, p.now, i);
    for (int i = 0; i < scalar_count(p.model); ++i) unknowns += is_unknown_scalar(p.model, i);
    // fixed points have no residual and take no part
    const auto for_free = [&](std::span<Real> out) {
        for (int i = 0; i < point_count(p.model); ++i)
            if (!is_unknown(p.model, p.now, i)) Eigen::Map<Vec3>(out.data() + 3 * i).setZero();
        for (int i = 0; i < scalar_count(p.model); ++i)
            if (!is_unknown_scalar(p.model, i)) out[first + i] = 0;
    };
    const bool has_matrix = compute_matrix(p, terms, objective);
    const LinearMap A = [&](std::span<const Real> x, std::span<Real> out) {
        if (has_matrix) multiply(p.parallel, objective.matrix, x, out);
        else std::fill(out.begin(), out.end(), 0.0);
        for (std::size_t i = 0; i < x.size(); ++i) out[i] += objective.mass[i] * x[i];
        for_free(out);
    };
    const LinearMap P = [&](std::span<const Real> x, std::span<Real> out) {
        precondition(p, x, out);
        for_free(out);
    };
    for (std::size_t i = 0; i < g.size(); ++i) y[i] = -g[i];
    const ModifiedCgInfo info = solve_modified_cg(A, P, eta, std::max(1, unknowns), y, direction);
    report.linear_iterations += info.iterations;
    promised = info.residual * norm;
    const Real slope = dot(p, direction, g);
    if (slope < 0) return slope;
    for (std::size_t i = 0; i < g.size(); ++i) direction[i] = -z[i];
    return -dot(p, g, z);
}

// the step of length `unit` cut to what edges of rods may move; it is the direction then, of the length 1
bool NonlinearCgSolver::stay_apart(const StepProblem& p, Real& unit, Real& slope) {
    for (Real& a : direction) a *= unit;
    const Real part = bound_direction(p, direction, objective);
    if (!(part > kLeastPart)) {
        report.status = Status::failed;
        report.message = "rods leave each other no room";
        return false;
    }
    for (Real& a : direction) a *= part;
    slope *= unit * part;
    unit = 1;
    if (settings.variant != "cg_descent" || part < 1) gz = 0; // its beta alone does not see the length of the direction
    return true;
}

void NonlinearCgSolver::search(const StepProblem& p, Real slope) {
    struct Line {
        NonlinearCgSolver& s;
        const StepProblem& p;
        Real unit; // length of a = 1
        Real lag;  // what the lagged forces add per a^2/2
        static Merit at(void* data, Real a) {
            auto& [s, p, unit, lag] = *static_cast<Line*>(data);
            add_direction(p, s.d, a * unit, s.direction, s.trial);
            Merit m = compute_merit(p, s.trial, s.objective);
            m.value += 0.5 * lag * a * a, m.size += 0.5 * lag * a * a;
            return m;
        }
        static Real slope_at(void* data, Real a) {
            auto& [s, p, unit, lag] = *static_cast<Line*>(data);
            add_direction(p, s.d, a * unit, s.direction, s.trial);
            compute_merit_gradient(p, s.trial, s.objective);
            return unit * merit_slope(p, s.direction, s.objective) + lag * a;
        }
    } line{*this, p, 1, 0};
    // length of the quadratic model: in cg_descent the first try
    const Real curvature = is_newton() ? 0 : merit_curvature(p, terms, direction, objective);
    if (curvature > 0) line.unit = -slope / curvature;
    const bool apart = objective.rods_meet;
    if (apart && !stay_apart(p, line.unit, slope)) return;
    report.step_length = line.unit;
    if (!is_printed()) {
        line.lag = line.unit * line.unit * lag_curvature(p, direction, objective);
        const Merit start = compute_merit(p, d, objective);
        const SearchResult found =
            settings.variant == "cg_descent" && !apart
                ? search_approximate_wolfe({&line, Line::at, Line::slope_at}, start, line.unit * slope, 0.9)
                : search_line({&line, Line::at}, start, line.unit * slope);
        report.evaluations += found.evaluations + 1;
        report.step_length = found.length * line.unit;
        if (!found.found) gz = 0, eta = 0.5, norm = 0; // from the steepest direction again
    }
    add_direction(p, d, report.step_length, direction, d);
}

void NonlinearCgSolver::drop_caches() {
    objective = {};
    objective.still = is_printed() ? 0 : settings.still;
    for (auto* a : {&d, &trial, &direction, &g, &z, &y, &last_g, &last_z}) *a = {};
    blocks = {};
    scalar_blocks = {};
}

} // namespace

Needs nonlinear_cg_needs() {
    return {.points = true, .frames = false, .scalars = true, .passive = true, .hessian = true};
}

std::unique_ptr<Solver> make_nonlinear_cg(const Context& context, const Model& m, State& state,
                                          const void* settings) {
    auto solver = std::make_unique<NonlinearCgSolver>();
    NonlinearCgSettings& s = solver->settings = *static_cast<const NonlinearCgSettings*>(settings);
    solver->scheme = {find_scheme(s.scheme), s.beta, s.gamma};
    // the model's curvature along a direction must not be negative
    solver->terms.projection = s.variant == "cg_descent" ? Projection::clamp
                               : s.variant == "icmcg"    ? Projection::none
                                                         : Projection::gauss_newton;
    solver->objective.still = s.variant == "printed" ? 0 : s.still;
    solver->terms.force_x = 1;
    solver->parallel = make_parallel(context);
    register_memory(solver->scheme, m, state);
    return solver;
}

} // namespace sinew
