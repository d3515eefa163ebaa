#include "solver/linear_step.h"
#include <algorithm>
#include <fmt/format.h>

namespace sinew {

namespace {

constexpr Real kFirstLambda = 1e-8, kLargestLambda = 1e8, kLeastLambda = 1e-12;

// mean of the diagonal over the unknowns, a fixed-order sum
Real mean_diagonal(const Objective& o) {
    const BlockPattern& pattern = o.matrix.pattern;
    Real sum = 0;
    int count = 0;
    for (int b = 0; b < block_count(pattern.layout); ++b) {
        if (o.fixed[b] || block_size(pattern.layout, b) != 3) continue;
        const Real* v = block_values(o.matrix, diagonal_slot(pattern, b));
        sum += v[0] + v[4] + v[8];
        count += 3;
    }
    return count > 0 && sum > 0 ? sum / count : 1;
}

void warn_once(const std::string& text, Report& report) {
    if (std::find(report.warnings.begin(), report.warnings.end(), text) == report.warnings.end())
        report.warnings.push_back(text);
}

} // namespace

LinearOutcome fail_linear(const std::string& message, Report& report) {
    report.status = Status::failed;
    report.message = "linear solver: " + message;
    return LinearOutcome::failed;
}

LinearOutcome solve_linear(const StepProblem& p, Objective& o, std::span<const Real> b, bool regularise,
                           LinearStep& l, std::span<Real> x, Report& report) {
    if (!l.solver) return fail_linear(l.trouble, report);
    if (!o.is_analysed) {
        if (LinearInfo info = l.solver->analyse(o.matrix.pattern, o.fixed); !info.ok)
            return fail_linear(info.message, report);
        o.is_analysed = true;
    }
    add_diagonal(p.parallel, o.mass, o.matrix);
    const Real size = mean_diagonal(o);
    Real added = 0;
    for (;;) {
        if (l.lambda > added) {
            l.diagonal.assign(o.mass.size(), (l.lambda - added) * size);
            // a scalar's part weighs as much as a point's
            for (std::size_t i = 0, first = l.diagonal.size() - o.arm.size(); i < o.arm.size(); ++i)
                l.diagonal[first + i] *= o.arm[i] * o.arm[i];
            add_diagonal(p.parallel, l.diagonal, o.matrix);
            added = l.lambda;
        }
        LinearInfo info = l.solver->factor(p.parallel, o.matrix, {});
        if (info.ok) {
            info = solve_low_rank(p.parallel, *l.solver, o.gas, b, l.low_rank, x);
            report.linear_iterations += info.iterations;
            if (info.ok) return LinearOutcome::solved;
            if (!info.not_positive_definite && info.iterations > 0) {
                // conjugate gradients ran out of iterations: what they have goes down already
                warn_once(info.message, report);
                return LinearOutcome::solved;
            }
        }
        if (info.not_positive_definite && !regularise) return LinearOutcome::indefinite;
        if (!info.not_positive_definite || l.lambda >= kLargestLambda) return fail_linear(info.message, report);
        l.lambda = std::max(kFirstLambda, 10 * l.lambda);
        warn_once("the matrix was not positive definite and was regularised", report);
    }
}

void adapt_lambda(bool has_inertia, Real length, LinearStep& l) {
    if (length >= 0.5) {
        l.lambda *= 0.1;
        if (l.lambda < kLeastLambda) l.lambda = has_inertia ? 0 : kLeastLambda;
    } else if (length == 0 || (!has_inertia && length < 0.1)) {
        l.lambda = std::max(kFirstLambda, 10 * l.lambda);
    }
}

} // namespace sinew
