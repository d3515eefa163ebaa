#include "linalg/modes.h"
#include "core/random.h"
#include <Eigen/Dense>
#include <algorithm>
#include <limits>

namespace sinew {

namespace {

struct Problem {
    const Parallel& parallel;
    const BlockSparse& K;
    Eigen::VectorXd mass; // 0 where fixed
    LinearSolver& solver;
    Eigen::MatrixXd times_K(const Eigen::MatrixXd& X) const {
        Eigen::MatrixXd out(X.rows(), X.cols());
        for (Eigen::Index c = 0; c < X.cols(); ++c)
            multiply(parallel, K, {X.col(c).data(), std::size_t(X.rows())}, {out.col(c).data(), std::size_t(X.rows())});
        for (Eigen::Index i = 0; i < X.rows(); ++i)
            if (mass[i] == 0) out.row(i).setZero();
        return out;
    }
};

// M-orthonormal columns by Gram-Schmidt, twice; columns that vanish are drawn anew
void orthonormalise(const Eigen::VectorXd& mass, Rng& rng, Eigen::MatrixXd& Y) {
    for (Eigen::Index c = 0; c < Y.cols(); ++c)
        for (int pass = 0; pass < 3; ++pass) {
            auto y = Y.col(c);
            const Real before = std::sqrt(y.dot(mass.cwiseProduct(y)));
            if (c > 0) y -= Y.leftCols(c) * (Y.leftCols(c).transpose() * mass.cwiseProduct(y)).eval();
            Real norm = std::sqrt(y.dot(mass.cwiseProduct(y)));
            if (!(norm > 1e-12 * before)) {
                for (Eigen::Index i = 0; i < y.size(); ++i) y[i] = mass[i] > 0 ? draw_uniform(rng, -1, 1) : 0;
                norm = std::sqrt(y.dot(mass.cwiseProduct(y)));
                pass = 0;
            }
            y /= norm;
        }
}

// eigenpairs in the span of Y; ascending
Eigen::VectorXd rayleigh_ritz(const Problem& p, Eigen::MatrixXd& Y, Eigen::MatrixXd& KY) {
    KY = p.times_K(Y);
    const Eigen::MatrixXd small = Y.transpose() * KY;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(0.5 * (small + small.transpose()));
    Y = (Y * eigen.eigenvectors()).eval();
    KY = (KY * eigen.eigenvectors()).eval();
    return eigen.eigenvalues();
}

// (K + s M) x = b ready to solve
LinearInfo factor_shifted(const Problem& p, Real shift, FixedMask fixed) {
    BlockSparse A = p.K;
    const Eigen::VectorXd d = shift * p.mass;
    add_diagonal(p.parallel, {d.data(), std::size_t(d.size())}, A);
    LinearInfo info = p.solver.analyse(A.pattern, fixed);
    return info.ok ? p.solver.factor(p.parallel, A, {}) : info;
}

} // namespace

ModeResult compute_modes(const Parallel& parallel, const BlockSparse& K, std::span<const Real> mass, FixedMask fixed,
                         LinearSolver& solver, const ModeSettings& settings) {
    ModeResult out;
    const int n = scalar_count(K.pattern.layout);
    Problem p{parallel, K, Eigen::Map<const Eigen::VectorXd>(mass.data(), n), solver};
    for (int b = 0; b < block_count(K.pattern.layout) && !fixed.empty(); ++b)
        if (fixed[b]) p.mass.segment(K.pattern.layout.begin[b], block_size(K.pattern.layout, b)).setZero();
    const int free = int((p.mass.array() > 0).count()), count = std::min(settings.count, free);
    if (count < 1) return out.message = "nothing is free to move", out;
    const int size = std::min(free, std::max(2 * count, count + 8));

    Rng rng{1, 0, 0};
    Eigen::MatrixXd X(n, size), KX;
    for (Real& x : X.reshaped()) x = draw_uniform(rng, -1, 1);
    for (int i = 0; i < n; ++i)
        if (p.mass[i] == 0) X.row(i).setZero();
    orthonormalise(p.mass, rng, X);

    // rounding of K u: of the size of the largest diagonal entry over its mass
    Real largest_square = 0;
    for (int b = 0; b < block_count(K.pattern.layout); ++b) {
        const int size_b = block_size(K.pattern.layout, b), first = K.pattern.layout.begin[b];
        const Real* diagonal = block_values(K, diagonal_slot(K.pattern, b));
        for (int k = 0; k < size_b; ++k)
            if (p.mass[first + k] > 0) largest_square = std::max(largest_square, diagonal[k * size_b + k] / p.mass[first + k]);
    }
    const Real rounding = 16 * std::numeric_limits<Real>::epsilon() * largest_square;

    // a first shift from the size of the matrix, a second one, nearer to the lowest modes, from what it finds
    Real shift = settings.shift;
    for (int round = 0; round < (settings.shift > 0 ? 1 : 2); ++round) {
        if (settings.shift <= 0 && round == 0) {
            Eigen::VectorXd values = rayleigh_ritz(p, X, KX);
            shift = 1e-6 * values.maxCoeff();
            if (!(shift > 0)) shift = 1;
        }
        if (const LinearInfo info = factor_shifted(p, shift, fixed); !info.ok)
            return out.message = "the stiffness is not positive: " + info.message, out;
        const int most = round == 0 && settings.shift <= 0 ? 6 : settings.max_iterations;
        Eigen::VectorXd values;
        for (int k = 0; k < most; ++k) {
            ++out.iterations;
            Eigen::MatrixXd Y(n, size);
            for (int c = 0; c < size; ++c) {
                const Eigen::VectorXd b = p.mass.cwiseProduct(X.col(c));
                solver.solve(parallel, {b.data(), std::size_t(n)}, {Y.col(c).data(), std::size_t(n)});
            }
            X = std::move(Y);
            orthonormalise(p.mass, rng, X);
            values = rayleigh_ritz(p, X, KX);
            out.residual = 0;
            bool good = true;
            for (int c = 0; c < count; ++c) {
                const Eigen::VectorXd r = KX.col(c) - values[c] * p.mass.cwiseProduct(X.col(c));
                Real square = 0;
                for (int i = 0; i < n; ++i)
                    if (p.mass[i] > 0) square += r[i] * r[i] / p.mass[i];
                const Real size_c = std::abs(values[c]) + shift;
                out.residual = std::max(out.residual, std::sqrt(square) / size_c);
                good = good && std::sqrt(square) <= settings.tolerance * size_c + rounding;
            }
            out.ok = good;
            if (out.ok) break;
        }
        out.squares.assign(values.data(), values.data() + count);
        // lowest value well above rounding of the largest found
        if (settings.shift <= 0 && round == 0) {
            const Real largest = values.maxCoeff();
            for (Real v : values)
                if (v > 1e-7 * largest) {
                    shift = std::min(shift, 1e-3 * v);
                    break;
                }
        }
    }
    if (!out.ok) out.message = "not converged";
    for (int c = 0; c < count; ++c) out.shapes.emplace_back(X.col(c).data(), X.col(c).data() + n);
    return out;
}

} // namespace sinew
