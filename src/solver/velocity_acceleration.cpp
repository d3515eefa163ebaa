#include "solver/velocity_acceleration.h"

namespace sinew {

namespace {

// v . H v of one row: d^2C/dt^2 of a motion with constant velocities
Real curvature(const Table& t, const Evaluation& ev, int element, int row) {
    const ElementRow& e = *t.row;
    std::vector<Real> lambda(e.rows, 0.0), h(e.matrix_size), v;
    lambda[row] = 1;
    e.constraint_hessian(t, ev, element, element + 1, lambda.data(), h.data());
    const int* id = t.stencil.data() + std::size_t(element) * e.stencil;
    const auto add = [&](const Real3& x) { v.insert(v.end(), {x.x, x.y, x.z}); };
    for (int i = 0; i < e.points; ++i) add(id[i] < 0 ? Real3{} : ev.v[id[i]]);
    for (int i = 0; i < e.frames; ++i) add(ev.frame_v[id[e.points + i]]), add(ev.frame_w[id[e.points + i]]);
    if (e.pair) // [K -K; -K K]
        for (int k = 0; k < 3; ++k) v[k] -= v[3 + k];
    const int n = e.pair ? 3 : e.dofs;
    Real sum = 0;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) sum += v[i] * h[i * n + k] * v[k];
    return sum;
}

} // namespace

void set_acceleration_bias(const std::vector<Table>& constraints, const Evaluation& ev, const Rows& rows, Real alpha, Real beta,
                           RowProblem& q) {
    constexpr std::uint64_t kElements = std::uint64_t(1) << 40; // keys of rows: table, element
    for (const RowGroup& g : q.groups) {
        if (g.set != RowSet::free || g.link || rows.level[g.source] != Level::position) continue;
        const Table& t = constraints[rows.key[g.source] / kElements];
        for (int k = 0; k < g.rows; ++k) {
            const int row = rows.row_begin[g.source] + k;
            if (rows.compliance[row] > 0) continue;
            const Real bend = curvature(t, ev, int(rows.key[g.source] % kElements), k);
            q.bias[g.row + k] = q.dt * (bend + beta * rows.c[row]) - (1 - q.dt * alpha) * row_rate(q, g, k);
        }
    }
}

} // namespace sinew
