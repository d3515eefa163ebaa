#include "dense.h"
#include "linalg/modes.h"
#include "random_matrix.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

// chain of n blocks of 3: each coordinate a chain of springs of its own stiffness between neighbours
BlockSparse make_chain(int n, const Vec3& stiffness) {
    std::vector<std::array<int, 2>> pairs;
    for (int i = 0; i + 1 < n; ++i) pairs.push_back({i, i + 1});
    std::vector<ElementBlocks> elements;
    for (std::size_t e = 0; e < pairs.size(); ++e) elements.push_back({pairs[e], int(9 * e), 6, true});
    BlockPattern pattern;
    EXPECT_TRUE(build_pattern(make_block_layout(n, 0, 0), elements, {}, pattern));
    GatherPlan plan;
    EXPECT_TRUE(build_plan(pattern, elements, plan));
    std::vector<Real> values;
    for (std::size_t e = 0; e < pairs.size(); ++e)
        for (int k = 0; k < 9; ++k) values.push_back(k % 4 ? 0 : stiffness[k / 4]);
    BlockSparse A = make_block_sparse(pattern);
    gather_elements(*make_parallel(Context{}), plan, values, A);
    return A;
}

ModeResult find(const BlockSparse& K, const std::vector<Real>& mass, FixedMask fixed, int count) {
    auto solver = make_linear_solver("default", {});
    ModeSettings settings;
    settings.count = count;
    return compute_modes(*make_parallel(Context{}), K, mass, fixed, **solver.value, settings);
}

} // namespace

TEST(modes, chain_with_free_ends_has_its_closed_form_and_rigid_modes_at_zero) {
    // w_k = 2 sqrt(k/m) sin(k pi/(2 n)); stiffness equal in y and z: every value twice
    const int n = 30;
    const BlockSparse K = make_chain(n, {4, 1, 1});
    const std::vector<Real> mass(3 * n, 2.0);
    const ModeResult r = find(K, mass, {}, 12);
    ASSERT_TRUE(r.ok) << r.message << r.residual;
    std::vector<Real> expected;
    for (int k = 0; k < n; ++k)
        for (const Real c : {4.0, 1.0, 1.0}) {
            const Real w = 2 * std::sqrt(c / 2) * std::sin(k * 3.14159265358979323846 / (2 * n));
            expected.push_back(w * w);
        }
    std::sort(expected.begin(), expected.end());
    for (int i = 0; i < 12; ++i) EXPECT_NEAR(r.squares[i], expected[i], 1e-10) << i; // tolerance times shift and w^2
}

TEST(modes, random_matrices_match_a_dense_solver_and_shapes_are_orthonormal) {
    std::mt19937 rng(3);
    const int n = 20;
    BlockSparse K = make_chain(n, {1, 2, 3});
    for (int b = 0; b < n; ++b) // couple the coordinates
        for (int k = 0; k < 3; ++k) block_values(K, diagonal_slot(K.pattern, b))[4 * k] += 0.1 + 0.1 * random_real(rng);
    for (int b = 0; b < n; ++b) {
        const Real c = 0.05 * random_real(rng);
        Real* v = block_values(K, diagonal_slot(K.pattern, b));
        v[1] += c, v[3] += c;
    }
    std::vector<Real> mass(3 * n);
    for (int i = 0; i < 3 * n; ++i) mass[i] = 1.5 + random_real(rng);
    std::vector<unsigned char> fixed(n, 0);
    fixed[0] = fixed[7] = 1;
    const ModeResult r = find(K, mass, fixed, 8);
    ASSERT_TRUE(r.ok) << r.message;

    const std::vector<Real> dense = to_dense(K);
    std::vector<int> free;
    for (int i = 0; i < 3 * n; ++i)
        if (!fixed[i / 3]) free.push_back(i);
    Eigen::MatrixXd A(free.size(), free.size());
    for (std::size_t i = 0; i < free.size(); ++i)
        for (std::size_t j = 0; j < free.size(); ++j)
            A(i, j) = dense[free[j] * 3 * n + free[i]] / std::sqrt(mass[free[i]] * mass[free[j]]);
    const VecX expected = eigenvalues_of(A);
    for (int i = 0; i < 8; ++i) {
        EXPECT_NEAR(r.squares[i], expected[i], 1e-11);
        for (int j = 0; j < 8; ++j) {
            Real dot = 0;
            for (int k = 0; k < 3 * n; ++k) dot += r.shapes[i][k] * mass[k] * r.shapes[j][k];
            EXPECT_NEAR(dot, i == j, 1e-12);
        }
        EXPECT_EQ(r.shapes[i][0], 0);
    }
}

TEST(modes, more_modes_than_unknowns_and_nothing_free) {
    const BlockSparse K = make_chain(2, {1, 1, 1});
    const std::vector<Real> mass(6, 1.0);
    const ModeResult r = find(K, mass, {}, 100);
    EXPECT_TRUE(r.ok) << r.message;
    EXPECT_EQ(r.squares.size(), 6u);
    EXPECT_NEAR(r.squares[5], 2, 1e-12);
    const std::vector<unsigned char> fixed(2, 1);
    EXPECT_FALSE(find(K, mass, fixed, 3).ok);
}
