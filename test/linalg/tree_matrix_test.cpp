// Linear-time elimination on trees against the dense matrix.
#include "core/random.h"
#include "dense.h"
#include "linalg/tree_matrix.h"
#include <gtest/gtest.h>

namespace sinew {
namespace {

// bodies and joints of a random tree as nodes: positive blocks and zero blocks in turn
TreeMatrix random_saddle(Rng& rng, int bodies) {
    TreeMatrix m;
    const auto add = [&](int parent, int size) {
        m.parent.push_back(parent), m.size.push_back(size);
        m.diagonal.push_back(Mat6::Zero()), m.coupling.push_back(Mat6::Zero());
        for (int i = 0; parent >= 0 && i < size; ++i)
            for (int j = 0; j < m.size[parent]; ++j) m.coupling.back()(i, j) = draw_uniform(rng, -1, 1);
        return m.node_count() - 1;
    };
    for (int b = 0; b < bodies; ++b) {
        // a root body, or a joint on an earlier body (odd nodes are joints)
        const int joint = b == 0 ? -1 : add(2 * draw_int(rng, b), 1 + draw_int(rng, 6));
        const int body = add(joint, 6);
        Mat6 a;
        for (int i = 0; i < 36; ++i) a(i) = draw_uniform(rng, -1, 1);
        m.diagonal[body] = a * a.transpose() + Mat6::Identity();
    }
    return m;
}

MatX dense_of(const TreeMatrix& m, std::vector<int>& offset) {
    offset.assign(1, 0);
    for (int s : m.size) offset.push_back(offset.back() + s);
    MatX a = MatX::Zero(offset.back(), offset.back());
    for (int i = 0; i < m.node_count(); ++i) {
        a.block(offset[i], offset[i], m.size[i], m.size[i]) = m.diagonal[i].topLeftCorner(m.size[i], m.size[i]);
        const int p = m.parent[i];
        if (p < 0) continue;
        a.block(offset[i], offset[p], m.size[i], m.size[p]) = m.coupling[i].topLeftCorner(m.size[i], m.size[p]);
        a.block(offset[p], offset[i], m.size[p], m.size[i]) =
            m.coupling[i].topLeftCorner(m.size[i], m.size[p]).transpose();
    }
    return a;
}

TEST(tree_matrix, solves_a_saddle_point_problem_as_the_dense_matrix_does) {
    Rng rng{5, 0, 0};
    for (int trial = 0; trial < 20; ++trial) {
        TreeMatrix m = random_saddle(rng, 1 + trial);
        std::vector<int> offset;
        const MatX a = dense_of(m, offset);
        std::vector<Vec6> x(m.node_count(), Vec6::Zero());
        VecX b(a.rows());
        for (int i = 0; i < m.node_count(); ++i)
            for (int k = 0; k < m.size[i]; ++k) b[offset[i] + k] = x[i][k] = draw_uniform(rng, -1, 1);
        ASSERT_EQ(factor_tree(m), -1);
        solve_tree(m, x);
        VecX y(a.rows());
        for (int i = 0; i < m.node_count(); ++i) y.segment(offset[i], m.size[i]) = x[i].head(m.size[i]);
        // residual: rounding times the growth in the chain of Schur complements
        EXPECT_LT((a * y - b).norm(), 1e-9 * (b.norm() + a.norm() * y.norm()));
        const VecX z = solve_dense(a, b);
        EXPECT_LT((y - z).norm(), 1e-7 * (1 + z.norm()));
    }
}

TEST(tree_matrix, names_the_joint_that_says_the_same_twice) {
    Rng rng{6, 0, 0};
    TreeMatrix m = random_saddle(rng, 2); // body 0, joint 1, body 2
    m.size[1] = 2;
    m.coupling[2].col(1) = m.coupling[2].col(0);
    EXPECT_EQ(factor_tree(m), 1);
}

} // namespace
} // namespace sinew
