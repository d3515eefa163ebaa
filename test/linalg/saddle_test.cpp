// Systems with constraints against a dense solve, while values and structure change.
#include "linalg/saddle.h"
#include "allocation_counter.h"
#include "dense.h"
#include "random_matrix.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

struct Saddle {
    BlockSparse A;
    std::vector<unsigned char> fixed, active;
    SparseRows J;
    std::vector<Real> d, f, g, x, y;

    SaddleSystem system() const { return {A, fixed, J, d, active}; }
    // what stays as it is gets the solution zero
    VecX dense_solution() const {
        const int n = int(x.size()), rows = int(y.size());
        const std::vector<Real> values = to_dense(A);
        MatX m = MatX::Zero(n + rows, n + rows);
        m.topLeftCorner(n, n) = Eigen::Map<const MatX>(values.data(), n, n);
        VecX b(n + rows);
        b << Eigen::Map<const VecX>(f.data(), n), Eigen::Map<const VecX>(g.data(), rows);
        for (int r = 0; r < rows; ++r) {
            m(n + r, n + r) = d[r];
            for (int k = J.begin[r]; k < J.begin[r + 1]; ++k) m(n + r, J.column[k]) += J.value[k], m(J.column[k], n + r) -= J.value[k];
        }
        const auto leave_out = [&](int i) { m.row(i).setZero(), m.col(i).setZero(), m(i, i) = 1, b[i] = 0; };
        const BlockLayout& l = A.pattern.layout;
        for (int k = 0; k < block_count(l); ++k)
            for (int i = l.begin[k]; fixed[k] && i < l.begin[k + 1]; ++i) leave_out(i);
        for (int r = 0; r < rows; ++r)
            if (!active[r]) leave_out(n + r);
        return solve_dense(m, b);
    }
};

// rows of three numbers each, of which two may meet in one column
Saddle make_saddle(std::mt19937& rng, int rows) {
    Saddle s;
    s.A = random_spd(rng, 12, 1);
    const BlockLayout& layout = s.A.pattern.layout;
    const int n = scalar_count(layout);
    s.fixed.assign(block_count(layout), 0);
    s.active.assign(rows, 1);
    for (int r = 0; r < rows; ++r) {
        for (int k = 0; k < 3; ++k) s.J.column.push_back((5 * r + (k == 2 && r % 4 == 0 ? 0 : 3 * k)) % n), s.J.value.push_back(random_real(rng));
        s.J.begin.push_back(int(s.J.column.size()));
        s.d.push_back(r % 2 ? 0.5 : 0.1);
    }
    s.f = random_vector(rng, n), s.g = random_vector(rng, rows);
    s.x.resize(n), s.y.resize(rows);
    return s;
}

void expect_solved(Saddle& s, SaddleSolver& solver) {
    const LinearInfo info = solve_saddle(s.system(), s.f, s.g, solver, s.x, s.y);
    ASSERT_TRUE(info.ok) << info.message;
    const VecX z = s.dense_solution();
    const int n = int(s.x.size());
    for (int i = 0; i < int(z.size()); ++i) // two factorisations of some 40 unknowns, conditions below 1e5
        EXPECT_NEAR(i < n ? s.x[i] : s.y[i - n], z[i], 1e-9 * (1 + z.cwiseAbs().maxCoeff())) << i;
}

} // namespace

TEST(saddle, solutions_are_those_of_the_dense_matrix_while_values_and_structure_change) {
    for (int seed = 0; seed < 10; ++seed) {
        std::mt19937 rng(seed);
        Saddle s = make_saddle(rng, 6);
        SaddleSolver solver; // one for all: it remembers where entries go
        expect_solved(s, solver);
        for (Real& v : s.J.value) v = 1.5 * v - 0.1;
        for (Real& v : s.A.values) v *= 0.75;
        expect_solved(s, solver);
        s.active[1] = 0;
        expect_solved(s, solver);
        s.fixed[2] = 1, s.active[1] = 1;
        expect_solved(s, solver);
        s.fixed[2] = 0;
        s.J.column[4] = (s.J.column[4] + 1) % int(s.x.size()); // as many entries, elsewhere
        expect_solved(s, solver);
        Saddle other = make_saddle(rng, 4);
        expect_solved(other, solver);
    }
}

TEST(saddle, rows_that_depend_on_each_other_are_told) {
    std::mt19937 rng(3);
    Saddle s = make_saddle(rng, 6);
    std::copy_n(s.J.column.begin(), 3, s.J.column.begin() + 3);
    std::copy_n(s.J.value.begin(), 3, s.J.value.begin() + 3);
    s.d[0] = s.d[1] = 0;
    SaddleSolver solver;
    const LinearInfo info = solve_saddle(s.system(), s.f, s.g, solver, s.x, s.y);
    EXPECT_FALSE(info.ok);
    EXPECT_NE(info.message.find("redundant"), std::string::npos) << info.message;
    s.d[0] = 0.1;
    expect_solved(s, solver); // and it goes on after that
}

TEST(saddle, the_same_structure_again_allocates_nothing) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    std::mt19937 rng(5);
    Saddle s = make_saddle(rng, 6);
    SaddleSolver solver;
    ASSERT_TRUE(solve_saddle(s.system(), s.f, s.g, solver, s.x, s.y).ok);
    for (Real& v : s.J.value) v *= 1.1;
    const long before = new_count(); // what Eigen takes for its sparse factors by malloc is a named exception
    const bool ok = solve_saddle(s.system(), s.f, s.g, solver, s.x, s.y).ok;
    EXPECT_EQ(new_count(), before);
    EXPECT_TRUE(ok);
}
