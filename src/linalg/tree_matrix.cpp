#include "linalg/tree_matrix.h"
#include "linalg/block6.h"

namespace sinew {

int factor_tree(TreeMatrix& m) {
    for (int i = m.node_count() - 1; i >= 0; --i) {
        const int n = m.size[i], p = m.parent[i];
        if (!invert_definite(m.diagonal[i], n)) return i;
        if (p < 0 || n == 0) continue;
        const int np = m.size[p];
        const SmallBlock edge = m.coupling[i].topLeftCorner(n, np);
        const SmallBlock l = m.diagonal[i].topLeftCorner(n, n) * edge;
        m.diagonal[p].topLeftCorner(np, np).noalias() -= edge.transpose() * l;
        m.coupling[i].topLeftCorner(n, np) = l;
    }
    return -1;
}

void solve_tree(const TreeMatrix& m, std::span<Vec6> x) {
    for (int i = m.node_count() - 1; i >= 0; --i) {
        const int n = m.size[i], p = m.parent[i];
        if (p >= 0) x[p].head(m.size[p]).noalias() -= m.coupling[i].topLeftCorner(n, m.size[p]).transpose() * x[i].head(n);
    }
    for (int i = 0; i < m.node_count(); ++i) {
        const int n = m.size[i], p = m.parent[i];
        Vec6 y = Vec6::Zero();
        y.head(n).noalias() = m.diagonal[i].topLeftCorner(n, n) * x[i].head(n);
        if (p >= 0) y.head(n).noalias() -= m.coupling[i].topLeftCorner(n, m.size[p]) * x[p].head(m.size[p]);
        x[i].head(n) = y.head(n);
    }
}

} // namespace sinew
