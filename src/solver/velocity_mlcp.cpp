// The reference: polyhedral friction as a mixed linear complementarity problem (spec U 3.8.2; Stewart and Trinkle 1996),
// solved by pivoting (linalg/lcp.h). Per contact with k directions d_j:
//   0 <= r_n                  _|_ p_n  >= 0
//   0 <= sigma + d_j . u_t    _|_ b_j  >= 0        p_t = sum_j b_j d_j
//   0 <= mu p_n - sum_j b_j   _|_ sigma >= 0
// One-sided rows are complementary as they are; of a box |p| <= L, with z = p + L:
//   0 <= r + s _|_ z >= 0,  0 <= 2 L - z _|_ s >= 0.
// Torsional and rolling friction are the same over the rows of relative spin: two directions along the normal, k across it, each set with
// a sigma and a coefficient of its own. Equalities are eliminated first. Dense, for small islands.
#include "linalg/dense_solve.h"
#include "linalg/lcp.h"
#include "solver/velocity_solve.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

struct Variables {
    int row = -1;    // of the island's rows, -1 = a slack
    Vec2 direction = Vec2::Zero();  // of friction: row is the first tangential one
    enum Kind { normal, friction, sigma, lower, box, slack } kind = normal;
    int group = -1;
    int head = -1;   // variable of the contact's normal impulse, or of the box
    int begin = -1;  // of a sigma: the first of its directions
    Real bound = 0;  // and its coefficient
};

struct Mlcp {
    const SolveOptions& o;
    const IslandView& island;
    RowProblem& q;
    std::vector<int> first;      // rows of each group of the island
    std::vector<int> place;      // of bodies among those that move
    MatX j;                      // rows x 6 bodies
    MatX a;                      // J W J^T + softness
    VecX b;                      // r without impulses
};

void build_dense(Mlcp& d) {
    d.place.assign(d.q.body_count(), -1);
    for (std::size_t k = 0; k < d.island.bodies.size(); ++k) d.place[d.island.bodies[k]] = int(k);
    int rows = 0;
    for (int i : d.island.groups) d.first.push_back(rows), rows += d.q.groups[i].rows;
    d.j.setZero(rows, 6 * int(d.island.bodies.size()));
    MatX w = MatX::Zero(6 * int(d.island.bodies.size()), rows);
    d.b.resize(rows);
    for (std::size_t n = 0; n < d.island.groups.size(); ++n) {
        const RowGroup& g = d.q.groups[d.island.groups[n]];
        for (int k = 0; k < g.rows; ++k) {
            d.b[d.first[n] + k] = row_rate(d.q, g, k) + d.q.bias[g.row + k];
            for (int s = 0; s < g.sides; ++s) {
                const int p = d.place[d.q.body[g.side + s]];
                if (p < 0) continue;
                const Lever &l = d.q.jacobian[g.lever + k * g.sides + s], &r = d.q.response[g.lever + k * g.sides + s];
                d.j.row(d.first[n] + k).segment<3>(6 * p) += l.linear.transpose();
                d.j.row(d.first[n] + k).segment<3>(6 * p + 3) += l.angular.transpose();
                w.col(d.first[n] + k).segment<3>(6 * p) += r.linear;
                w.col(d.first[n] + k).segment<3>(6 * p + 3) += r.angular;
            }
        }
    }
    d.a = d.j * w;
    for (std::size_t n = 0; n < d.island.groups.size(); ++n) {
        const RowGroup& g = d.q.groups[d.island.groups[n]];
        for (int k = 0; k < g.rows; ++k) d.a(d.first[n] + k, d.first[n] + k) += d.q.softness[g.row + k];
    }
}

std::vector<Variables> list_variables(const Mlcp& d) {
    std::vector<Variables> out;
    for (std::size_t n = 0; n < d.island.groups.size(); ++n) {
        const RowGroup& g = d.q.groups[d.island.groups[n]];
        const int row = d.first[n];
        if (g.set == RowSet::lower)
            for (int k = 0; k < g.rows; ++k) out.push_back({row + k, Vec2::Zero(), Variables::lower, int(n), -1});
        if (g.set == RowSet::box)
            for (int k = 0; k < g.rows; ++k) {
                out.push_back({row + k, Vec2::Zero(), Variables::box, int(n), -1});
                out.push_back({-1, Vec2::Zero(), Variables::slack, int(n), int(out.size()) - 1});
            }
        if (g.set != RowSet::contact) continue;
        const int head = int(out.size());
        out.push_back({row, Vec2::Zero(), Variables::normal, int(n), -1});
        const auto add = [&](int first, int directions, Real coefficient) {
            if (!(coefficient > 0)) return;
            const int begin = int(out.size());
            for (int k = 0; k < directions; ++k) {
                const Real angle = 2 * kPi * k / directions;
                const Vec2 way = directions == 2 ? Vec2(k == 0 ? 1 : -1, 0) : Vec2(std::cos(angle), std::sin(angle));
                out.push_back({row + first, way, Variables::friction, int(n), head});
            }
            out.push_back({-1, Vec2::Zero(), Variables::sigma, int(n), head, begin, coefficient});
        };
        if (g.rows >= 3) add(1, d.o.sets.facets, g.friction);
        if (g.rows < 6) continue;
        add(3, 2, g.torsion);
        add(4, d.o.sets.facets, g.rolling);
    }
    return out;
}

// rows of impulses per variable: p = E z + shift
void build_map(const Mlcp& d, const std::vector<Variables>& vars, MatX& e, VecX& shift) {
    e.setZero(d.a.rows(), int(vars.size()));
    shift.setZero(d.a.rows());
    for (std::size_t k = 0; k < vars.size(); ++k) {
        const Variables& v = vars[k];
        if (v.row < 0) continue;
        if (v.kind == Variables::friction) {
            e(v.row, k) = v.direction.x();
            if (v.direction.y() != 0) e(v.row + 1, k) = v.direction.y();
        }
        else e(v.row, k) = 1;
        if (v.kind == Variables::box) shift[v.row] = -d.q.groups[d.island.groups[v.group]].limit;
    }
}

// parts of the complementarity that are not E^T A E
void add_couplings(const Mlcp& d, const std::vector<Variables>& vars, MatX& m, VecX& q) {
    for (std::size_t k = 0; k < vars.size(); ++k) {
        const Variables& v = vars[k];
        const RowGroup& g = d.q.groups[d.island.groups[v.group]];
        if (v.kind == Variables::sigma) {
            m.row(k).setZero();
            m(k, v.head) = v.bound;
            for (std::size_t i = v.begin; i < k; ++i) m(i, k) = 1, m(k, i) = -1;
            q[k] = 0;
        }
        if (v.kind == Variables::slack) {
            m.row(k).setZero();
            m(k, v.head) = -1, m(v.head, k) = 1;
            q[k] = 2 * g.limit;
        }
    }
}

} // namespace

SolveResult solve_mlcp(const SolveOptions& o, const IslandView& island, RowProblem& problem) {
    SolveOptions with = o;
    with.sets.friction = Friction::polyhedral;
    for (int i : island.groups) { // start from none: pivoting has no use for a guess
        const RowGroup& g = problem.groups[i];
        for (int k = 0; k < g.rows; ++k) {
            if (problem.impulse[g.row + k] != 0) add_impulse(problem, g, k, -problem.impulse[g.row + k]);
            problem.impulse[g.row + k] = problem.correction[g.row + k] = 0;
        }
    }
    Mlcp d{with, island, problem, {}, {}, {}, {}, {}};
    build_dense(d);
    const std::vector<Variables> vars = list_variables(d);
    MatX e;
    VecX shift;
    build_map(d, vars, e, shift);
    // equalities f:  p_f = -A_ff^-1 (A_fc p_c + b_f)
    std::vector<int> equal;
    for (std::size_t n = 0; n < island.groups.size(); ++n) {
        const RowGroup& g = problem.groups[island.groups[n]];
        if (g.set == RowSet::free)
            for (int k = 0; k < g.rows; ++k) equal.push_back(d.first[n] + k);
    }
    const int f = int(equal.size()), rows = int(d.b.size());
    MatX aff(f, f), af(f, rows);
    VecX bf(f);
    for (int i = 0; i < f; ++i) {
        bf[i] = d.b[equal[i]];
        af.row(i) = d.a.row(equal[i]);
        for (int k = 0; k < f; ++k) aff(i, k) = d.a(equal[i], equal[k]);
    }
    const MatX exact = aff;
    if (f > 0) aff.diagonal() *= 1 + 1e-10; // redundant equalities
    const auto solve_equal = [&](MatX& x) { // of the matrix itself: what the change of the diagonal has cost is taken back
        const MatX right = x;
        solve_symmetric(aff, x);
        for (int n = 0; n < 4; ++n) {
            MatX rest = right - exact * x;
            solve_symmetric(aff, rest);
            x += rest;
        }
    };
    MatX a = d.a;
    VecX b = d.b;
    if (f > 0) {
        MatX back = af, own = bf;
        solve_equal(back);
        solve_equal(own);
        a -= af.transpose() * back;
        b -= af.transpose() * own;
    }
    MatX m = e.transpose() * a * e;
    VecX q = e.transpose() * (a * shift + b), z;
    add_couplings(d, vars, m, q);
    const LcpResult solved = solve_lcp(m, q, z);
    // complementary variables and equalities together, nothing eliminated
    const int n = int(vars.size());
    MatX own = -(af * (e * z + shift) + bf);
    if (f > 0) solve_equal(own);
    MatX all(n + f, n + f);
    VecX right(n + f), x(n + f);
    m = e.transpose() * d.a * e;
    q = e.transpose() * (d.a * shift + d.b);
    add_couplings(d, vars, m, q);
    all.topLeftCorner(n, n) = m;
    all.topRightCorner(n, f) = e.transpose() * af.transpose();
    all.bottomLeftCorner(f, n) = af * e;
    all.bottomRightCorner(f, f) = exact;
    right.head(n) = q;
    right.tail(f) = af * shift + bf;
    for (int k = 0; k < n; ++k)
        if (vars[k].row < 0) all.row(k).tail(f).setZero(); // slacks and sigmas have no row of impulses
    x.head(n) = z;
    x.tail(f) = own.col(0);
    polish_mixed(all, right, n, x);
    const Real residual = mixed_residual(all, right, n, x);
    VecX p = e * x.head(n) + shift;
    for (int i = 0; i < f; ++i) p[equal[i]] = x[n + i];
    for (std::size_t i = 0; i < island.groups.size(); ++i) {
        const RowGroup& g = problem.groups[island.groups[i]];
        for (int k = 0; k < g.rows; ++k) {
            problem.impulse[g.row + k] = p[d.first[i] + k];
            add_impulse(problem, g, k, p[d.first[i] + k]);
        }
    }
    // of the same complementarity that the other methods report, for the polyhedral cone; rolling has a disc there
    for (int i : island.groups)
        if (problem.groups[i].rolling > 0) return {solved.pivots, residual};
    return {solved.pivots, std::max(residual, natural_residual(with.sets, island.groups, problem))};
}

} // namespace sinew
