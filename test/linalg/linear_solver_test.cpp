// Every entry of the list, with each ordering and preconditioner it takes, against a dense Cholesky.
#include "dense.h"
#include "linalg/linear_solver.h"
#include "random_matrix.h"
#include <gtest/gtest.h>

using namespace sinew;

struct Case {
    std::string name;
    LinearSettings settings;
};

static std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const LinearSolverEntry& e : linear_solvers()) {
        if (!e.available) continue;
        LinearSettings s;
        s.tolerance = 1e-13, s.max_iterations = 20000;
        const std::string name(e.name);
        if (name == "cg")
            for (const NamedOption& o : preconditioners()) {
                s.preconditioner = o.name;
                cases.push_back({name, s});
            }
        else
            for (const NamedOption& o : orderings()) {
                s.ordering = o.name;
                if ((name != "ldlt" && name != "banded_lu") || o.name == "amd") cases.push_back({name, s});
            }
    }
    return cases;
}

static std::unique_ptr<LinearSolver> make(const Case& c) {
    auto result = make_linear_solver(c.name, c.settings);
    return result ? std::move(*result.value) : nullptr;
}

static std::string case_name(const Case& c) {
    return c.name + "_" + (c.name == "cg" ? c.settings.preconditioner : c.settings.ordering);
}

struct Solved {
    LinearInfo analysed, factored, solved;
    std::vector<Real> x;
};

static Solved run(LinearSolver& solver, const BlockSparse& A, const std::vector<Real>& b,
                  FixedMask fixed = {}, std::span<const BlockProjector> projectors = {}, int threads = 1) {
    const auto p = make_parallel({.threads = threads});
    Solved s;
    s.x.assign(b.size(), 7.0); // x is output only
    s.analysed = solver.analyse(A.pattern, fixed);
    s.factored = solver.factor(*p, A, projectors);
    s.solved = solver.solve(*p, b, s.x);
    return s;
}

class linear_solver : public testing::TestWithParam<Case> {};

TEST_P(linear_solver, agrees_with_dense_cholesky) {
    for (int seed = 0; seed < 12; ++seed) {
        std::mt19937 rng(seed);
        const BlockSparse A = random_spd(rng, 1 + 15 * seed);
        const std::vector<Real> b = random_vector(rng, scalar_count(A.pattern.layout));
        const auto solver = make(GetParam());
        const Solved s = run(*solver, A, b);
        ASSERT_TRUE(s.analysed.ok && s.factored.ok && s.solved.ok) << s.factored.message << s.solved.message;
        const VecX expected = solve_definite(dense_matrix(A), as_eigen(b));
        // condition numbers up to about 1e4; direct: cond * eps * n, cg: cond * tolerance
        EXPECT_LE((as_eigen(s.x) - expected).norm(), 1e-9 * expected.norm()) << seed;
        EXPECT_LE(s.solved.residual, 1e-11) << seed;
        EXPECT_GE(s.solved.residual, 0);
        const VecX r = as_eigen(b) - dense_matrix(A) * as_eigen(s.x);
        // the reported residual is the true one up to the rounding of A x
        EXPECT_NEAR(s.solved.residual, r.norm() / as_eigen(b).norm(), 1e-12);
    }
}

TEST_P(linear_solver, any_number_of_threads_gives_the_same_bits) {
    std::mt19937 rng(3);
    // several chunks of every loop; these matrices have no band to speak of, which costs banded_lu the cube of their size
    const BlockSparse A = random_spd(rng, GetParam().name == "banded_lu" ? 120 : 500);
    const std::vector<Real> b = random_vector(rng, scalar_count(A.pattern.layout));
    std::vector<Real> first;
    for (int threads : {1, 2, 3, 8}) {
        const auto solver = make(GetParam());
        const Solved s = run(*solver, A, b, {}, {}, threads);
        ASSERT_TRUE(s.solved.ok) << s.solved.message;
        if (threads == 1) first = s.x;
        EXPECT_TRUE(same_bits(s.x, first)) << threads;
    }
}

TEST_P(linear_solver, a_kept_solver_and_a_new_one_give_the_same_bits) {
    std::mt19937 rng(4);
    for (int count : {5, GetParam().name == "banded_lu" ? 100 : 400}) { // CHOLMOD is simplicial for the first and supernodal for the second
        BlockSparse A = random_spd(rng, count);
        const int n = scalar_count(A.pattern.layout);
        const auto p = make_parallel({.threads = 2});
        const auto kept = make(GetParam());
        ASSERT_TRUE(kept->analyse(A.pattern, {}).ok);
        for (int step = 0; step < 4; ++step) {
            const std::vector<Real> b = random_vector(rng, n);
            // in between, a matrix that cannot be factored
            BlockSparse bad = A;
            block_values(bad, diagonal_slot(bad.pattern, n % 3))[0] = -1e3;
            if (step == 2) kept->factor(*p, bad, {});
            std::vector<Real> x(n);
            ASSERT_TRUE(kept->factor(*p, A, {}).ok);
            ASSERT_TRUE(kept->solve(*p, b, x).ok);
            const auto fresh = make(GetParam());
            EXPECT_TRUE(same_bits(run(*fresh, A, b, {}, {}, 2).x, x)) << count << " step " << step;
            // analysed again, after another pattern
            ASSERT_TRUE(fresh->analyse(random_spd(rng, 9).pattern, {}).ok);
            EXPECT_TRUE(same_bits(run(*fresh, A, b, {}, {}, 2).x, x)) << count << " step " << step;
            for (Real& v : A.values) v *= 1.25;
        }
    }
}

TEST_P(linear_solver, fixed_blocks_make_a_singular_matrix_solvable) {
    // a chain of unit springs in 3D along no particular direction: singular by translation until one end is
    // fixed
    const int n = 50;
    const BlockLayout layout = make_block_layout(n, 0, 0);
    std::vector<std::array<int, 2>> stencil;
    for (int i = 0; i + 1 < n; ++i) stencil.push_back({i, i + 1});
    std::vector<ElementBlocks> elements;
    for (const auto& s : stencil) elements.push_back({s, 0, 6});
    MatX k(6, 6);
    k << Mat3::Identity(), -Mat3::Identity(), -Mat3::Identity(), Mat3::Identity();
    BlockPattern pattern;
    GatherPlan plan;
    ASSERT_TRUE(build_pattern(layout, elements, {}, pattern) && build_plan(pattern, elements, plan));
    BlockSparse A = make_block_sparse(pattern);
    gather_elements(*make_parallel({.threads = 1}), plan, std::span(k.data(), 36), A);

    std::vector<unsigned char> fixed(n, 0);
    fixed[0] = 1;
    const std::vector<Real> b(3 * n, 1.0); // on the fixed block too: it is ignored
    const auto solver = make(GetParam());
    const Solved s = run(*solver, A, b, fixed);
    ASSERT_TRUE(s.solved.ok) << s.factored.message << s.solved.message;
    // force 1 on each of the n - 1 free points: x_i - x_{i-1} = n - i, so x_i = i n - i (i + 1) / 2
    for (int i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) {
            EXPECT_TRUE(i > 0 || s.x[c] == 0);
            EXPECT_NEAR(s.x[3 * i + c], i * n - i * (i + 1) / 2., 1e-8); // cond about 4 n^2 = 1e4, values 1e3
        }
}

TEST_P(linear_solver, fixed_and_projected_blocks_agree_with_the_dense_reduced_system) {
    for (int seed = 0; seed < 6; ++seed) {
        std::mt19937 rng(seed);
        BlockSparse A = random_spd(rng, 40);
        for (Real& v : A.values) v *= 1e6; // the complement of the projectors must not spoil it
        const BlockLayout& l = A.pattern.layout;
        const int n = scalar_count(l);
        std::vector<unsigned char> fixed(block_count(l), 0);
        std::vector<BlockProjector> projectors;
        MatX basis = MatX::Zero(n, n); // columns span the free directions
        int columns = 0;
        for (int b = 0; b < block_count(l); ++b) {
            const int kind = random_int(rng, 4), first = l.begin[b];
            fixed[b] = kind == 0;
            if (kind <= 1 && block_size(l, b) == 3) {
                const Vec3 normal(random_real(rng), random_real(rng), random_real(rng));
                projectors.push_back(make_plane_projector(b, real3(normal)));
                const Vec3 u = normal.unitOrthogonal();
                if (fixed[b]) continue;
                basis.col(columns++).segment<3>(first) = u;
                basis.col(columns++).segment<3>(first) = normal.normalized().cross(u);
            } else if (!fixed[b]) {
                for (int i = 0; i < block_size(l, b); ++i) basis(first + i, columns++) = 1;
            }
        }
        basis.conservativeResize(n, columns);
        const std::vector<Real> b = random_vector(rng, n);
        const auto solver = make(GetParam());
        const Solved s = run(*solver, A, b, fixed, projectors);
        ASSERT_TRUE(s.solved.ok) << s.factored.message << s.solved.message;
        const MatX reduced = basis.transpose() * dense_matrix(A) * basis;
        const VecX expected = basis * solve_definite(reduced, basis.transpose() * as_eigen(b));
        EXPECT_LE((as_eigen(s.x) - expected).norm(), 1e-9 * expected.norm()) << seed;
    }
}

TEST_P(linear_solver, reports_matrices_that_are_not_positive_definite) {
    if (GetParam().name == "banded_lu") return; // takes them: below
    for (int seed = 0; seed < 10; ++seed) {
        std::mt19937 rng(seed);
        BlockSparse A = random_spd(rng, 5 + 9 * seed);
        const int n = scalar_count(A.pattern.layout);
        // move the spectrum: half of it becomes negative while some diagonal entries may stay positive
        const VecX spectrum = eigenvalues_of(dense_matrix(A));
        add_diagonal(*make_parallel({.threads = 1}), std::vector<Real>(n, -spectrum[n / 2]), A);
        const std::vector<Real> b = random_vector(rng, n);
        const auto solver = make(GetParam());
        const Solved s = run(*solver, A, b);
        // direct solvers notice in factor, cg at the latest in its loop
        EXPECT_TRUE(s.factored.not_positive_definite || s.solved.not_positive_definite) << seed;
        EXPECT_FALSE(s.factored.ok && s.solved.ok);
        EXPECT_FALSE((s.factored.message + s.solved.message).empty());
        EXPECT_TRUE(as_eigen(s.x).allFinite());
        EXPECT_TRUE(GetParam().name == "cg" || !s.factored.ok);
        // x is a last iterate or zero, and the solver still works
        const BlockSparse good = random_spd(rng, 8);
        const std::vector<Real> c = random_vector(rng, scalar_count(good.pattern.layout));
        EXPECT_TRUE(run(*solver, good, c).solved.ok);
    }
}

TEST_P(linear_solver, takes_the_empty_matrix_and_one_with_everything_fixed) {
    const auto solver = make(GetParam());
    BlockPattern pattern;
    ASSERT_TRUE(build_pattern(make_block_layout(0, 0, 0), {}, {}, pattern));
    Solved s = run(*solver, make_block_sparse(pattern), {});
    EXPECT_TRUE(s.analysed.ok && s.factored.ok && s.solved.ok);

    std::mt19937 rng(2);
    const BlockSparse A = random_spd(rng, 20);
    const std::vector<unsigned char> fixed(block_count(A.pattern.layout), 1);
    const std::vector<Real> b = random_vector(rng, scalar_count(A.pattern.layout));
    s = run(*solver, A, b, fixed);
    EXPECT_TRUE(s.analysed.ok && s.factored.ok && s.solved.ok);
    EXPECT_TRUE(as_eigen(s.x).isZero(0));
    EXPECT_EQ(s.solved.residual, 0);
}

TEST_P(linear_solver, refuses_bad_input_without_crashing) {
    std::mt19937 rng(2);
    const auto p = make_parallel({.threads = 2});
    BlockSparse A = random_spd(rng, 20);
    const int n = scalar_count(A.pattern.layout);
    std::vector<Real> b = random_vector(rng, n), x(n);
    const auto solver = make(GetParam());
    EXPECT_FALSE(solver->factor(*p, A, {}).ok);
    EXPECT_FALSE(solver->solve(*p, b, x).ok);
    EXPECT_FALSE(solver->analyse(A.pattern, std::vector<unsigned char>(3, 0)).ok);
    EXPECT_FALSE(solver->factor(*p, A, {}).ok);
    ASSERT_TRUE(solver->analyse(A.pattern, {}).ok);
    EXPECT_FALSE(solver->solve(*p, b, x).ok);
    EXPECT_FALSE(solver->factor(*p, random_spd(rng, 25), {}).ok);
    const std::vector<BlockProjector> outside{{.block = 1000}};
    EXPECT_FALSE(solver->factor(*p, A, outside).ok);
    // not finite
    for (const Real wrong : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
        BlockSparse bad = A;
        bad.values[bad.values.size() / 2] = wrong;
        EXPECT_FALSE(solver->factor(*p, bad, {}).ok);
        ASSERT_TRUE(solver->factor(*p, A, {}).ok);
        std::vector<Real> c = b;
        c[n / 2] = wrong;
        EXPECT_FALSE(solver->solve(*p, c, x).ok);
        EXPECT_TRUE(as_eigen(x).isZero(0));
        EXPECT_TRUE(solver->solve(*p, b, x).ok);
    }
    // a zero right-hand side
    std::fill(b.begin(), b.end(), 0.0);
    const LinearInfo info = solver->solve(*p, b, x);
    EXPECT_TRUE(info.ok);
    EXPECT_TRUE(as_eigen(x).isZero(0));
}

// Half of the spectrum negative, and chains whose first pivots are zero: without row exchanges there is no factorisation.
TEST(banded_lu, agrees_with_dense_lu_on_indefinite_matrices) {
    for (int seed = 0; seed < 10; ++seed) {
        std::mt19937 rng(seed);
        BlockSparse A = random_spd(rng, 4 + 4 * seed);
        const int n = scalar_count(A.pattern.layout);
        const VecX spectrum = eigenvalues_of(dense_matrix(A));
        // between two eigenvalues: regular, with a condition number of the gaps
        add_diagonal(*make_parallel({.threads = 1}), std::vector<Real>(n, -0.5 * (spectrum[n / 2] + spectrum[n / 2 - 1])), A);
        if (seed % 2) block_values(A, diagonal_slot(A.pattern, 0))[0] = 0;
        const MatX dense = dense_matrix(A).selfadjointView<Eigen::Lower>();
        const VecX sizes = eigenvalues_of(dense).cwiseAbs();
        const Real condition = sizes.maxCoeff() / sizes.minCoeff();
        const std::vector<Real> b = random_vector(rng, n);
        auto solver = make_linear_solver("banded_lu", {});
        ASSERT_TRUE(bool(solver));
        std::vector<Real> first;
        const VecX expected = solve_dense(dense, as_eigen(b));
        for (int threads : {1, 3}) {
            const Solved s = run(**solver.value, A, b, {}, {}, threads);
            ASSERT_TRUE(s.factored.ok && s.solved.ok) << s.factored.message << s.solved.message;
            // backward stable: the error is the condition number times n eps, with room for the growth of pivots
            EXPECT_LE((as_eigen(s.x) - expected).norm(), 1e2 * n * 2.2e-16 * condition * expected.norm()) << seed;
            if (threads == 1) first = s.x;
            EXPECT_TRUE(same_bits(s.x, first));
        }
    }
}

TEST(banded_lu, says_where_a_matrix_is_singular) {
    std::mt19937 rng(1);
    BlockSparse A = random_spd(rng, 12);
    const std::vector<Real> b = random_vector(rng, scalar_count(A.pattern.layout));
    std::fill(A.values.begin(), A.values.end(), 0.0);
    auto solver = make_linear_solver("banded_lu", {});
    ASSERT_TRUE(bool(solver));
    EXPECT_EQ(run(**solver.value, A, b).factored.message, "the matrix is singular");
}

INSTANTIATE_TEST_SUITE_P(all, linear_solver, testing::ValuesIn(all_cases()),
                         [](const testing::TestParamInfo<Case>& c) { return case_name(c.param); });

TEST(linear_solver_list, default_is_available_and_unknown_names_are_refused_with_the_nearest) {
    EXPECT_TRUE(make_linear_solver("default", {}));
    auto r =
        make_linear_solver("cholesk", {.preconditioner = "jacoby", .tolerance = -1, .max_iterations = 0});
    EXPECT_FALSE(r);
    ASSERT_EQ(r.errors.size(), 4u);
    EXPECT_EQ(r.errors[0].nearest, "jacobi");
    EXPECT_EQ(r.errors[3].nearest, "cholesky");
    EXPECT_FALSE(make_linear_solver("ldlt", {.ordering = "metis"}));
    EXPECT_FALSE(make_linear_solver("", {}));
    for (const LinearSolverEntry& e : linear_solvers()) {
        EXPECT_EQ(bool(make_linear_solver(e.name, {})), e.available) << e.name;
        EXPECT_FALSE(e.doc.empty() || e.needs.empty());
    }
}
