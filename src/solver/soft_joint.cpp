#include "solver/soft_joint.h"
#include <algorithm>

namespace sinew {

namespace {

void set_springs(const SoftJointOptions& o, const Rows& rows, const RowGroup& g, int k, Real diagonal, SoftJointRow& r) {
    const int row = rows.row_begin[g.source] + k;
    const Real alpha = rows.compliance[row], damping = rows.damping[row], h = o.h;
    const bool position = rows.level[g.source] == Level::position;
    r.c = position ? rows.c[row] : 0;
    r.rate = rows.rate[row];
    if (position && alpha == 0) {
        const Real w = 2 * kPi * std::min(o.hertz, 0.25 / h), a = 2 * o.damping + h * w, b = h * w * a;
        r.solve = {w / a, b / (1 + b), 1 / (1 + b)};
        r.relax = {0, 1, 0};
        return;
    }
    const Real soft = position ? alpha / (h * (alpha * damping + h)) : damping > 0 ? 1 / (h * damping) : 0;
    const Real sum = diagonal + soft;
    r.solve = {position ? 1 / (alpha * damping + h) : 0, sum > 0 ? diagonal / sum : 0, sum > 0 ? soft / sum : 0};
    r.relax = r.solve;
}

template <class S> Real rate_of(const SoftJointRow& r, const std::vector<SoftBody<S>>& bodies, bool moved) {
    Real sum = 0;
    const auto add = [&](const Lever& j, int b) {
        const S* u = moved ? bodies[b].d : bodies[b].v;
        for (int k = 0; k < 3; ++k) sum += j.linear[k] * u[k] + j.angular[k] * u[3 + k];
    };
    add(r.ja, r.a);
    if (r.b >= 0) add(r.jb, r.b);
    return sum;
}
template <class S> void push(const SoftJointRow& r, Real p, std::vector<SoftBody<S>>& bodies) {
    const auto add = [&](const Lever& w, int b) {
        S* u = bodies[b].v;
        for (int k = 0; k < 3; ++k) u[k] += S(w.linear[k] * p), u[3 + k] += S(w.angular[k] * p);
    };
    add(r.da, r.a);
    if (r.b >= 0) add(r.db, r.b);
}

} // namespace

void build_joints(const SoftJointOptions& o, const std::vector<int>& groups, const Rows* constraints,
                  const std::vector<int>& place, const RowProblem& q, SoftJoints& out) {
    out.rows.clear();
    const Lever none{Vec3::Zero(), Vec3::Zero()};
    for (int i : groups) {
        const RowGroup& g = q.groups[i];
        const int a = place[q.body[g.side]], b = g.sides > 1 ? place[q.body[g.side + 1]] : -1;
        for (int k = 0; k < g.rows; ++k) {
            SoftJointRow r;
            r.a = a, r.b = b;
            r.row = g.row + k;
            const int at = g.lever + k * g.sides;
            r.ja = q.jacobian[at], r.da = q.response[at];
            r.jb = b < 0 ? none : q.jacobian[at + 1], r.db = b < 0 ? none : q.response[at + 1];
            const Real diagonal = q.block[g.block + k * g.rows + k];
            r.mass = diagonal > 0 ? 1 / diagonal : 0;
            r.low = g.set == RowSet::lower ? 0 : g.set == RowSet::box ? -g.limit / o.substeps : -1e300;
            r.high = g.set == RowSet::box ? g.limit / o.substeps : 1e300;
            r.one_sided = g.set == RowSet::lower;
            r.impulse = std::clamp(q.impulse[g.row + k] / o.substeps, r.low, r.high);
            set_springs(o, *constraints, g, k, diagonal, r);
            out.rows.push_back(r);
        }
    }
}

template <class S> void warm_start_joints(const SoftJoints& joints, std::vector<SoftBody<S>>& bodies) {
    for (const SoftJointRow& r : joints.rows) push(r, r.impulse, bodies);
}

template <class S> void solve_joints(Real h, bool spring, SoftJoints& joints, std::vector<SoftBody<S>>& bodies) {
    for (SoftJointRow& r : joints.rows) {
        const Real s = r.c + rate_of(r, bodies, true);
        std::array<Real, 3> f = spring ? r.solve : r.relax;
        if (r.one_sided && s > 0) f = {1 / h, 1, 0};
        const Real p = std::clamp(r.impulse - r.mass * f[1] * (rate_of(r, bodies, false) - r.rate + f[0] * s) - f[2] * r.impulse,
                                  r.low, r.high);
        push(r, p - r.impulse, bodies);
        r.impulse = p;
    }
}

void read_joints(int substeps, const SoftJoints& joints, RowProblem& q) {
    for (const SoftJointRow& r : joints.rows) q.impulse[r.row] = r.impulse * substeps;
}

template void warm_start_joints(const SoftJoints&, std::vector<SoftBody<float>>&);
template void warm_start_joints(const SoftJoints&, std::vector<SoftBody<double>>&);
template void solve_joints(Real, bool, SoftJoints&, std::vector<SoftBody<float>>&);
template void solve_joints(Real, bool, SoftJoints&, std::vector<SoftBody<double>>&);

} // namespace sinew
