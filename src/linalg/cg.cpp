#include "linalg/cg.h"
#include <algorithm>
#include <cmath>

namespace sinew {

static Real parallel_dot(const Parallel& p, std::span<const Real> a, std::span<const Real> b,
                         std::vector<Real>& partial) {
    return ordered_sum(p, int(a.size()), kGrain, partial, [&](int begin, int end) {
        Real sum = 0;
        for (int i = begin; i < end; ++i) sum += a[i] * b[i];
        return sum;
    });
}

// r = S (b - A x)
static void compute_residual(const Parallel& p, const BlockSparse& A,
                             std::span<const BlockProjector> projectors, std::span<const Real> b,
                             std::span<const Real> x, std::span<Real> r) {
    multiply(p, A, x, r);
    parallel_for(p, int(r.size()), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) r[i] = b[i] - r[i];
    });
    apply_filter(A.pattern.layout, {}, projectors, r);
}

LinearInfo solve_cg(const Parallel& p, const BlockSparse& A, const Preconditioner& preconditioner,
                    std::span<const BlockProjector> projectors, Real tolerance, int max_iterations,
                    std::span<const Real> b, std::span<Real> x, CgScratch& scratch) {
    auto& [r, d, q, z, partial] = scratch;
    const int n = int(b.size());
    for (auto* v : {&r, &d, &q, &z}) v->resize(n);
    const BlockLayout& layout = A.pattern.layout;
    LinearInfo info;

    compute_residual(p, A, projectors, b, x, r);
    apply_preconditioner(p, A.pattern, preconditioner, r, d);
    apply_filter(layout, {}, projectors, d);
    Real rho = parallel_dot(p, r, d, partial);
    const Real goal = tolerance * tolerance * rho;
    while (rho > goal && info.iterations < max_iterations) {
        multiply(p, A, d, q);
        apply_filter(layout, {}, projectors, q);
        const Real curvature = parallel_dot(p, d, q, partial);
        if (!(curvature > 0)) {
            info.ok = false;
            info.not_positive_definite = curvature <= 0;
            info.message = "d.A d <= 0 in iteration " + std::to_string(info.iterations + 1);
            break;
        }
        const Real a = rho / curvature;
        parallel_for(p, n, kGrain, [a, x, r = r.data(), d = d.data(), q = q.data()](int begin, int end) {
            for (int i = begin; i < end; ++i) x[i] += a * d[i], r[i] -= a * q[i];
        });
        apply_preconditioner(p, A.pattern, preconditioner, r, z);
        apply_filter(layout, {}, projectors, z);
        const Real rho_next = parallel_dot(p, r, z, partial), beta = rho_next / rho;
        parallel_for(p, n, kGrain, [beta, d = d.data(), z = z.data()](int begin, int end) {
            for (int i = begin; i < end; ++i) d[i] = z[i] + beta * d[i];
        });
        rho = rho_next;
        ++info.iterations;
    }
    if (info.ok && !(rho <= goal)) {
        info.ok = false;
        info.message = "not converged in " + std::to_string(info.iterations) + " iterations";
    }

    // what was reached, not what the recurrence believes
    compute_residual(p, A, projectors, b, x, r);
    const Real bb = parallel_dot(p, b, b, partial), rr = parallel_dot(p, r, r, partial);
    info.residual = bb > 0 ? std::sqrt(rr / bb) : std::sqrt(rr);
    return info;
}

struct Cg : LinearSolver {
    explicit Cg(const LinearSettings& s) : settings(s) {}
    LinearInfo analyse(const BlockPattern& pattern, FixedMask fixed) override;
    LinearInfo factor(const Parallel&, const BlockSparse& A, std::span<const BlockProjector>) override;
    LinearInfo solve(const Parallel&, std::span<const Real> b, std::span<Real> x) override;
    void set_tolerance(Real t) override { settings.tolerance = t; }

    LinearSettings settings;
    bool analysed = false, factored = false;
    BlockSparse A; // filtered
    std::vector<BlockProjector> projectors;
    std::vector<unsigned char> fixed;
    Preconditioner preconditioner;
    std::vector<Real> rhs;
    CgScratch scratch;
};

LinearInfo Cg::analyse(const BlockPattern& pattern, FixedMask mask) {
    analysed = factored = false;
    if (LinearInfo info = check_analyse_input(pattern, mask); !info.ok) return info;
    A = make_block_sparse(pattern);
    fixed.assign(mask.begin(), mask.end());
    const auto kind = settings.preconditioner == "jacobi" ? PreconditionerKind::jacobi
                      : settings.preconditioner == "ic0"  ? PreconditionerKind::ic0
                                                          : PreconditionerKind::none;
    reserve_preconditioner(pattern, kind, preconditioner);
    const int n = scalar_count(pattern.layout);
    rhs.assign(n, 0.0);
    for (auto* v : {&scratch.r, &scratch.d, &scratch.q, &scratch.z}) v->assign(n, 0.0);
    scratch.partial.assign(chunk_count(n, kGrain), 0.0);
    analysed = true;
    return {};
}

LinearInfo Cg::factor(const Parallel& parallel, const BlockSparse& given_matrix,
                      std::span<const BlockProjector> given) {
    factored = false;
    if (!analysed) return linear_failure("factor was called before analyse");
    if (LinearInfo info = check_factor_input(A.pattern, given_matrix, given); !info.ok) return info;
    projectors.assign(given.begin(), given.end());
    std::erase_if(projectors, [&](const BlockProjector& p) { return !fixed.empty() && fixed[p.block]; });
    filter_matrix(parallel, given_matrix, fixed, projectors, A);
    if (!std::isfinite(max_abs(A))) return linear_failure("the matrix has an entry that is not finite");
    LinearInfo info = build_preconditioner(parallel, A, preconditioner);
    factored = info.ok;
    return info;
}

LinearInfo Cg::solve(const Parallel& parallel, std::span<const Real> b, std::span<Real> x) {
    std::fill(x.begin(), x.end(), 0.0);
    if (!factored) return linear_failure("solve was called without a factorisation");
    std::copy(b.begin(), b.end(), rhs.begin());
    apply_filter(A.pattern.layout, fixed, projectors, rhs);
    LinearInfo info = solve_cg(parallel, A, preconditioner, projectors, settings.tolerance,
                               settings.max_iterations, rhs, x, scratch);
    if (std::isfinite(info.residual)) return info;
    std::fill(x.begin(), x.end(), 0.0);
    return linear_failure("the solution is not finite");
}

std::unique_ptr<LinearSolver> make_cg(const LinearSettings& s) { return std::make_unique<Cg>(s); }

} // namespace sinew
