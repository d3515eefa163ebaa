#include "solver/velocity_implicit.h"

namespace sinew {

namespace {

// part of c in the bias of a row, times h: 1 of a rigid row, less of a soft one with damping, 0 of a held velocity
Real share_of(const Rows& rows, const RowProblem& q, const RowGroup& g, int k) {
    if (g.set == RowSet::contact) return k == 0 ? 1 : 0;
    if (g.link) return k > 0 || q.c[g.row] == 0 ? 1 : q.bias[g.row] * q.dt / q.c[g.row];
    if (rows.level[g.source] == Level::velocity) return 0;
    const int row = rows.row_begin[g.source] + k;
    const Real alpha = rows.compliance[row];
    return alpha > 0 ? q.dt / (alpha * rows.damping[row] + q.dt) : 1;
}

} // namespace

void set_end_bias(const Rows& constraints, const std::vector<Vec3>& v, const std::vector<Vec3>& w, RowProblem& q) {
    for (const RowGroup& g : q.groups)
        for (int k = 0; k < g.rows; ++k) {
            const Real share = share_of(constraints, q, g, k);
            if (share == 0) continue;
            const Lever* j = q.jacobian.data() + g.lever + k * g.sides;
            Real rate = 0;
            for (int s = 0; s < g.sides; ++s) {
                const int b = q.body[g.side + s];
                if (q.inverse_mass[b] > 0) rate += j[s].linear.dot(v[b]) + j[s].angular.dot(w[b]);
            }
            q.bias[g.row + k] -= share * rate;
        }
}

} // namespace sinew
