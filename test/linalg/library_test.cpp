// What our code owes the libraries below it and the memory around it.
#include "allocation_counter.h"
#include "linalg/library_threads.h"
#include "linalg/linear_solver.h"
#include "random_matrix.h"
#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace sinew;

TEST(library, assembly_factor_and_solve_allocate_nothing_after_the_first_time) {
    std::mt19937 rng(1);
    const BlockLayout layout = random_layout(rng, 300);
    const RandomElements r = random_elements(rng, layout, 900, true);
    BlockPattern pattern;
    GatherPlan plan;
    ASSERT_TRUE(build_pattern(layout, r.elements, {}, pattern) && build_plan(pattern, r.elements, plan));
    BlockSparse A = make_block_sparse(pattern);
    const int n = scalar_count(layout);
    const std::vector<Real> mass(n, 0.1), b = random_vector(rng, n);
    std::vector<Real> x(n);
    const auto p = make_parallel({.threads = 1});
    for (const LinearSolverEntry& e : linear_solvers()) {
        if (!e.available) continue;
        for (const NamedOption& o : preconditioners()) {
            auto solver =
                std::move(*make_linear_solver(e.name, {.preconditioner = std::string(o.name)}).value);
            ASSERT_TRUE(solver->analyse(pattern, {}).ok);
            const auto count = std::string_view(e.name) == "ldlt" ? new_count : allocation_count; // Eigen's factor: a named exception
            long before = 0;
            for (int step = 0; step < 3; ++step) {
                if (step == 1) before = count();
                const bool planned = build_plan(pattern, r.elements, plan);
                gather_elements(*p, plan, r.values, A);
                add_diagonal(*p, mass, A);
                const bool factored = solver->factor(*p, A, {}).ok;
                const bool solved = solver->solve(*p, b, x).ok;
                if (!planned || !factored || !solved) FAIL() << e.name << " " << o.name;
            }
            EXPECT_EQ(count() - before, 0) << e.name << " " << o.name;
        }
    }
}

TEST(library, blas_is_pinned_to_one_thread_before_each_factorisation) {
    const auto count = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
    const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
    if (!count || !set) GTEST_SKIP() << "BLAS is not OpenBLAS";
    std::mt19937 rng(1);
    const BlockSparse A = random_spd(rng, 20);
    auto solver = std::move(*make_linear_solver("cholesky", {}).value);
    EXPECT_EQ(count(), 1);
    ASSERT_TRUE(solver->analyse(A.pattern, {}).ok);
    set(2); // as a host program might
    ASSERT_TRUE(solver->factor(*make_parallel({.threads = 1}), A, {}).ok);
    EXPECT_EQ(count(), 1);
}

TEST(library, openmp_is_serial_only_while_asked_for) {
    const auto levels = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_active_levels"));
    if (!levels) GTEST_SKIP() << "no OpenMP in the process";
    const int before = levels();
    {
        const SerialOpenmp serial;
        EXPECT_EQ(levels(), 0);
    }
    EXPECT_EQ(levels(), before);
}
