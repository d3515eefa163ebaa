// Conjugate gradients with inertia control: exact in n iterations, going down where the matrix is indefinite, and the loss of
// conjugacy on ill-conditioned matrices that made the source give the method up (spec T 6.7).
#include "linalg/modified_cg.h"
#include "core/random.h"
#include "dense.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

// symmetric with the given eigenvalues in random directions
Eigen::MatrixXd make_matrix(const Eigen::VectorXd& eigenvalues, std::uint64_t seed) {
    Rng rng{seed, 0, 0};
    const int n = int(eigenvalues.size());
    Eigen::MatrixXd a(n, n);
    for (int i = 0; i < n * n; ++i) a.data()[i] = draw_uniform(rng, -1, 1);
    const Eigen::MatrixXd Q = orthonormal_columns(a);
    return Q * eigenvalues.asDiagonal() * Q.transpose();
}
LinearMap map_of(const Eigen::MatrixXd& A) {
    return [A](std::span<const Real> x, std::span<Real> out) {
        Eigen::Map<Eigen::VectorXd>(out.data(), A.rows()) = A * Eigen::Map<const Eigen::VectorXd>(x.data(), A.rows());
    };
}
const LinearMap kNothing = [](std::span<const Real> x, std::span<Real> out) { std::copy(x.begin(), x.end(), out.begin()); };

Eigen::VectorXd geometric(int n, Real condition) {
    Eigen::VectorXd v(n);
    for (int i = 0; i < n; ++i) v[i] = std::pow(condition, -Real(i) / (n - 1));
    return v;
}

struct Outcome {
    ModifiedCgInfo info;
    Eigen::VectorXd x;
    std::vector<Real> conjugacy;
};
Outcome solve(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, Real tolerance, int iterations) {
    Outcome r;
    r.x.resize(b.size());
    r.info = solve_modified_cg(map_of(A), kNothing, tolerance, iterations, {b.data(), std::size_t(b.size())},
                               {r.x.data(), std::size_t(b.size())}, &r.conjugacy);
    return r;
}

} // namespace

TEST(modified_cg, solves_a_well_conditioned_system_in_as_many_iterations_as_unknowns) {
    const int n = 40;
    const Eigen::MatrixXd A = make_matrix(geometric(n, 4), 1);
    const Eigen::VectorXd b = Eigen::VectorXd::Ones(n);
    const Outcome r = solve(A, b, 1e-10, n);
    EXPECT_TRUE(r.info.converged);
    EXPECT_EQ(r.info.modified, 0);
    EXPECT_LT((A * r.x - b).norm(), 1e-9 * b.norm());
    // it ends after some twenty iterations, before rounding has grown
    EXPECT_LT(*std::max_element(r.conjugacy.begin(), r.conjugacy.end()), 1e-10);
}

TEST(modified_cg, goes_down_the_function_where_the_matrix_is_indefinite) {
    const int n = 40;
    Eigen::VectorXd eigenvalues = geometric(n, 100);
    for (int i = 0; i < n; i += 7) eigenvalues[i] *= -1;
    const Eigen::MatrixXd A = make_matrix(eigenvalues, 2);
    const Eigen::VectorXd b = Eigen::VectorXd::Ones(n);
    const Outcome r = solve(A, b, 1e-8, 4 * n);
    EXPECT_GT(r.info.modified, 0);
    EXPECT_LE(r.info.modified, 6 + 3); // about one for each negative eigenvalue
    EXPECT_GT(r.x.dot(b), 0); // a step along x lowers the function whose negative gradient is b
    // plain conjugate gradients divide by a negative number there: the quotient of the first such direction
    EXPECT_TRUE(r.x.allFinite());
}

TEST(modified_cg, loses_conjugacy_on_ill_conditioned_matrices_although_they_are_positive_definite) {
    const int n = 60;
    const Eigen::VectorXd b = Eigen::VectorXd::Ones(n);
    Real before = 1e-16;
    Real last = 0;
    int iterations = 0;
    for (const Real condition : {1e2, 1e4, 1e6, 1e10}) {
        const Outcome r = solve(make_matrix(geometric(n, condition), 3), b, 1e-10, 40 * n);
        const Real worst = *std::max_element(r.conjugacy.begin(), r.conjugacy.begin() + 15); // of the first directions
        EXPECT_GT(worst, 10 * before) << condition;
        EXPECT_GT(r.info.iterations, iterations) << condition;
        EXPECT_EQ(r.info.modified, 0) << condition;
        before = worst, iterations = r.info.iterations;
        last = *std::max_element(r.conjugacy.begin(), r.conjugacy.end());
    }
    EXPECT_GT(last, 0.5);          // nothing is left of it
    EXPECT_GT(iterations, 10 * n); // and n iterations, the end of the method on paper, are no end
}
