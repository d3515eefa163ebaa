#include "solver/trust_region.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

constexpr Real kRadiusSlack = 0.1;  // of the length against the radius
constexpr Real kLeastRho = 1e-4;    // agreement of a step that is taken
constexpr int kMostMultipliers = 60;
constexpr Real kFirstShare = 1e-6;  // first lambda after an indefinite matrix, of its diagonal by that of D

Real dot(const StepProblem& p, Objective& o, std::span<const Real> a, std::span<const Real> b) {
    return ordered_sum(p.parallel, int(a.size()), 4 * kGrain, o.partial, [&](int begin, int end) {
        Real sum = 0;
        for (int i = begin; i < end; ++i) sum += a[i] * b[i];
        return sum;
    });
}

// out = D a, returns |a|_D
Real weigh(const StepProblem& p, Objective& o, const TrustRegion& r, std::span<const Real> a, std::vector<Real>& out) {
    out.resize(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = r.weight[i] * a[i];
    return std::sqrt(dot(p, o, a, out));
}

// a lambda that is surely of the order of the matrix: mean of its diagonal by that of D
Real matrix_scale(const Objective& o, const TrustRegion& r) {
    Real sum = 0, weights = 0;
    for (int b = 0; b < block_count(o.matrix.pattern.layout); ++b) {
        if (o.fixed[b]) continue;
        const Real* v = block_values(o.matrix, diagonal_slot(o.matrix.pattern, b));
        const int n = block_size(o.matrix.pattern.layout, b), first = o.matrix.pattern.layout.begin[b];
        for (int k = 0; k < n; ++k) {
            sum += std::abs(v[k * n + k]);
            weights += r.weight[first + k];
        }
    }
    return sum > 0 && weights > 0 ? sum / weights : 1;
}

void shift_matrix(const StepProblem& p, Objective& o, Real by, TrustRegion& r) {
    if (by == 0) return;
    r.diagonal.resize(r.weight.size());
    for (std::size_t i = 0; i < r.weight.size(); ++i) r.diagonal[i] = by * r.weight[i];
    add_diagonal(p.parallel, r.diagonal, o.matrix);
}

// one solve with the matrix as it stands
LinearOutcome try_solve(const StepProblem& p, Objective& o, std::span<const Real> b, LinearStep& l,
                        std::span<Real> x, Report& report) {
    LinearInfo info = l.solver->factor(p.parallel, o.matrix, {});
    if (info.ok) {
        info = l.solver->solve(p.parallel, b, x);
        report.linear_iterations += info.iterations;
    }
    if (info.ok || (!info.not_positive_definite && info.iterations > 0)) return LinearOutcome::solved;
    return info.not_positive_definite ? LinearOutcome::indefinite : fail_linear(info.message, report);
}

} // namespace

void begin_trust_region(const StepProblem& p, TrustRegion& r) {
    r.radius = r.lambda = 0;
    r.weight.assign(dofs_of(p.model).size(), 0.0);
    Real total = 0;
    for (int i = 0; i < point_count(p.model); ++i)
        if (is_unknown(p.model, p.now, i)) total += p.model.point.mass[i];
    for (int i = 0; i < point_count(p.model); ++i)
        if (is_unknown(p.model, p.now, i))
            for (int k = 0; k < 3; ++k) r.weight[3 * i + k] = p.model.point.mass[i] / total;
    for (int i = 0, first = dofs_of(p.model).scalar_offset(0); i < scalar_count(p.model); ++i)
        if (is_unknown_scalar(p.model, i)) r.weight[first + i] = p.model.scalar.mass[i] / total;
}

LinearOutcome solve_trust_region(const StepProblem& p, Objective& o, std::span<const Real> b, LinearStep& l,
                                 TrustRegion& r, std::span<Real> x, Report& report) {
    if (!l.solver) return fail_linear(l.trouble, report);
    if (!o.is_analysed) {
        if (LinearInfo info = l.solver->analyse(o.matrix.pattern, o.fixed); !info.ok) return fail_linear(info.message, report);
        o.is_analysed = true;
    }
    add_diagonal(p.parallel, o.mass, o.matrix);
    const Real first = kFirstShare * matrix_scale(o, r);
    Real low = 0, high = std::numeric_limits<Real>::infinity(), lambda = 0, added = 0;
    bool is_definite_at_low = true; // low is too small because of the length, not because of the matrix
    for (int k = 0;; ++k) {
        shift_matrix(p, o, lambda - added, r);
        added = lambda;
        const LinearOutcome outcome = try_solve(p, o, b, l, x, report);
        if (outcome == LinearOutcome::failed) return outcome;
        if (outcome == LinearOutcome::indefinite) {
            if (k >= kMostMultipliers) return fail_linear("no multiplier makes the matrix positive definite", report);
            low = lambda;
            is_definite_at_low = false;
            lambda = std::isfinite(high) ? std::sqrt(std::max(low, 1e-3 * high) * high) : std::max(first, 10 * lambda);
            continue;
        }
        r.length = weigh(p, o, r, x, r.scaled);
        const bool fits = r.radius == 0 || r.length <= (1 + kRadiusSlack) * r.radius;
        const bool is_short = lambda > 0 && r.radius > 0 && r.length < (1 - kRadiusSlack) * r.radius;
        if ((fits && !is_short) || k >= kMostMultipliers) break;
        (fits ? high : low) = lambda;
        if (!fits) is_definite_at_low = true;
        if (high - low <= 1e-3 * high) {
            // the hard case, nearly: no lambda gives the length; a shorter step from the definite side will do
            if (fits || !is_definite_at_low) break;
        }
        r.derivative.resize(x.size());
        l.solver->solve(p.parallel, r.scaled, r.derivative);
        const Real next = lambda + (r.length / r.radius - 1) * r.length * r.length / dot(p, o, r.scaled, r.derivative);
        const bool inside = next > low && next < high;
        lambda = inside ? next : std::isfinite(high) ? std::sqrt(std::max(low, 1e-3 * high) * high) : std::max(first, 10 * low);
    }
    r.lambda = lambda;
    // model: -(r.p + 1/2 p.A p) with A p = -r - lambda D p
    r.predicted = 0.5 * (dot(p, o, b, x) + lambda * r.length * r.length);
    return LinearOutcome::solved;
}

bool judge_step(const Merit& start, const Merit& trial, TrustRegion& r) {
    const Real rounding = kMeritRounding * std::max(start.size, trial.size);
    const Real decrease = start.value - trial.value;
    if (!std::isfinite(trial.value)) {
        r.rho = -1;
    } else {
        // a decrease below the last digits of Phi says nothing about the model
        r.rho = std::abs(decrease) <= rounding && r.predicted <= rounding ? 1 : decrease / r.predicted;
    }
    const bool at_border = r.radius > 0 && r.lambda > 0;
    if (!(r.rho >= 0.25))
        r.radius = (r.rho < 0 ? 0.1 : 0.25) * r.length;
    else if (r.rho > 0.75 && at_border)
        r.radius *= 2;
    return r.rho > kLeastRho;
}

} // namespace sinew
