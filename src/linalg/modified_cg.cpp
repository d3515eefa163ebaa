#include "linalg/modified_cg.h"
#include "linalg/small.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr Real kLeastCurvature = 1e-10; // of the largest seen

struct Change {
    std::vector<Real> w;
    Real s; // A + s w w^T
};

struct KeptDirection {
    std::vector<Real> Ap;
    Real curvature;
};

Real worst_conjugacy(const std::vector<KeptDirection>& kept, std::span<const Real> p, Real curvature) {
    Real worst = 0;
    for (const KeptDirection& k : kept) worst = std::max(worst, std::abs(dot_in_order(k.Ap, p)) / std::sqrt(curvature * k.curvature));
    return worst;
}

} // namespace

ModifiedCgInfo solve_modified_cg(const LinearMap& A, const LinearMap& preconditioner, Real tolerance, int max_iterations,
                                 std::span<const Real> b, std::span<Real> x, std::vector<Real>* conjugacy) {
    const std::size_t n = b.size();
    std::vector<Real> r(b.begin(), b.end()), z(n), p(n), q(n);
    std::vector<Change> changes;
    std::vector<KeptDirection> kept;
    std::fill(x.begin(), x.end(), 0.0);
    ModifiedCgInfo info;
    const Real size = std::sqrt(dot_in_order(b, b));
    if (size == 0) return info.converged = true, info;
    preconditioner(r, z);
    p = z;
    Real rz = dot_in_order(r, z), steepest = 0;
    info.residual = 1;
    while (info.iterations < max_iterations && rz > 0) {
        A(p, q);
        for (const Change& c : changes) {
            const Real part = c.s * dot_in_order(c.w, p);
            for (std::size_t i = 0; i < n; ++i) q[i] += part * c.w[i];
        }
        const Real pp = dot_in_order(p, p);
        Real curvature = dot_in_order(p, q);
        const Real least = std::max(kLeastCurvature * steepest * pp, 1e-16 * std::sqrt(dot_in_order(q, q) * pp));
        if (!std::isfinite(curvature)) break;
        if (curvature <= least) {
            const Real wanted = std::max(std::abs(curvature), least);
            if (!(wanted > 0)) break; // A p = 0 in the first iteration
            changes.push_back({r, (wanted - curvature) / (rz * rz)});
            for (std::size_t i = 0; i < n; ++i) q[i] += changes.back().s * rz * r[i];
            curvature = wanted;
            ++info.modified;
        }
        steepest = std::max(steepest, curvature / pp);
        if (conjugacy) {
            conjugacy->push_back(worst_conjugacy(kept, p, curvature));
            kept.push_back({q, curvature});
        }
        const Real length = rz / curvature;
        for (std::size_t i = 0; i < n; ++i) x[i] += length * p[i], r[i] -= length * q[i];
        ++info.iterations;
        info.residual = std::sqrt(dot_in_order(r, r)) / size;
        if (info.residual <= tolerance) return info.converged = true, info;
        preconditioner(r, z);
        const Real next = dot_in_order(r, z), beta = next / rz;
        for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + beta * p[i];
        rz = next;
    }
    return info;
}

} // namespace sinew
