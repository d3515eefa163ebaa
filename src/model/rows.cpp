#include "model/rows.h"
#include <algorithm>

namespace sinew {

// width of a group's dense Jacobian: the sizes of its blocks, absent ones counting 3
static int block_width(const Dofs& dofs, int block) { return block < 0 ? 3 : dofs.block_size(block); }

void apply_jacobian(const Rows& r, const Dofs& dofs, std::span<const Real> u, std::span<Real> out) {
    for (int g = 0; g < r.group_count(); ++g) {
        const int rows = r.row_begin[g + 1] - r.row_begin[g];
        const int width = rows ? (r.value_begin[g + 1] - r.value_begin[g]) / rows : 0;
        for (int k = 0; k < rows; ++k) {
            const Real* j = r.jacobian.data() + r.value_begin[g] + k * width;
            Real sum = 0;
            for (int b = r.block_begin[g]; b < r.block_begin[g + 1]; ++b) {
                const int size = block_width(dofs, r.block[b]);
                if (r.block[b] >= 0)
                    for (int i = 0; i < size; ++i) sum += j[i] * u[dofs.block_offset(r.block[b]) + i];
                j += size;
            }
            out[r.row_begin[g] + k] = sum;
        }
    }
}

void add_jacobian_transposed(const Rows& r, const Dofs& dofs, std::span<const Real> lambda, std::span<Real> u) {
    for (int g = 0; g < r.group_count(); ++g) {
        const int rows = r.row_begin[g + 1] - r.row_begin[g];
        const int width = rows ? (r.value_begin[g + 1] - r.value_begin[g]) / rows : 0;
        for (int k = 0; k < rows; ++k) {
            const Real* j = r.jacobian.data() + r.value_begin[g] + k * width;
            const Real l = lambda[r.row_begin[g] + k];
            for (int b = r.block_begin[g]; b < r.block_begin[g + 1]; ++b) {
                const int size = block_width(dofs, r.block[b]);
                if (r.block[b] >= 0)
                    for (int i = 0; i < size; ++i) u[dofs.block_offset(r.block[b]) + i] += j[i] * l;
                j += size;
            }
        }
    }
}

// nearest point of the cone |t| <= mu n (Euclidean): inside, the apex, or the side
static void project_cone(Real mu, Real* lambda, int rows) {
    Real t2 = 0;
    for (int k = 1; k < rows; ++k) t2 += lambda[k] * lambda[k];
    const Real t = std::sqrt(t2), n = lambda[0];
    if (t <= mu * n) return;
    if (mu * t <= -n) {
        std::fill(lambda, lambda + rows, 0.0);
        return;
    }
    const Real on_side = (n + mu * t) / (1 + mu * mu);
    for (int k = 1; k < rows; ++k) lambda[k] *= mu * on_side / t;
    lambda[0] = on_side;
}

void project_set(const Rows& r, std::span<Real> lambda) {
    for (int g = 0; g < r.group_count(); ++g) {
        Real* l = lambda.data() + r.row_begin[g];
        const int rows = r.row_begin[g + 1] - r.row_begin[g];
        const Real mu = r.friction.empty() ? 0 : r.friction[g];
        switch (r.bound[g]) {
        case Bound::equality: break;
        case Bound::lower:
            for (int k = 0; k < rows; ++k) l[k] = std::max(0.0, l[k]);
            break;
        case Bound::box: // |lambda| <= friction, used as the largest force of a motor
            for (int k = 0; k < rows; ++k) l[k] = std::clamp(l[k], -mu, mu);
            break;
        case Bound::cone: project_cone(mu, l, rows); break;
        case Bound::cylinder: { // tangential part limited by the normal one, which is kept
            l[0] = std::max(0.0, l[0]);
            Real t2 = 0;
            for (int k = 1; k < rows; ++k) t2 += l[k] * l[k];
            const Real limit = mu * l[0], t = std::sqrt(t2);
            if (t > limit)
                for (int k = 1; k < rows; ++k) l[k] *= limit / t;
            break;
        }
        }
    }
}

} // namespace sinew
