// Direct solution of one island (spec U 3.3 f, P 3.16, P134).
// Equalities only: the Schur complement (J W J^T + softness) p = -(J u_free + bias), factored in the order of a walk along
// the island, so that chains and trees take time in proportion to their length (P122, U049); or, if asked for, the sparse
// saddle-point matrix of velocities and impulses (velocity_kkt.h; P123, P124).
// Otherwise: the method of multipliers on
//   min over u of  1/2 |u - u_free|^2_M + sum over groups of  (s + rho) (z . p - 1/2 |p|^2)
//   z = (rho p_hat - y)/(s + rho),  p = P_K(z)
//   y = J u + drive + bias + correction,  s softness,  rho = eps times the group's diagonal of J W J^T
// by Newton's method on the velocities, whose matrix M + J^T G J exists however many contacts are redundant; then
// p_hat <- p. The fixed point solves the rigid problem whatever rho is. P_K: projection on the set; with friction cones the
// problem is convex and the line search makes every start converge (Anitescu 2006, Castro et al. 2022). Other models of
// friction take the normal impulse of the last round as radius. De Saxce's correction is set anew in each round.
#include "solver/velocity_scratch.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr Real kSoft = 1e-5;      // eps: rounds then gain five digits each, and round-off stays far below
// the same for cones, bounds and one-sided rows of islands with springs (velocity_links.h): a hundred contacts of cloth have as many
// kinks, which Newton's method passes one by one when they are sharp; rounds then gain a digit or two each
constexpr Real kSoftSets = 0.02;
constexpr Real kFails = 1e-3;     // [m/s] residual from which a direct solution is none
constexpr Real kBetter = 1e-2;    // part of the tolerance that is solved for: the next step then begins within it if nothing changes
constexpr Real kSlow = 1e-6;      // [m/s] residual from which rounds that gain little are sped up
constexpr int kMostRounds = 40;
constexpr int kMostNewton = 30;   // per round
constexpr int kMostInAll = 400;

struct Island {
    const SolveOptions& o;
    const IslandView& view;
    SolveScratch& s;
    RowProblem& q;
    int unknowns = 0;
};

bool turns(const RowProblem& q, int b) { return q.inverse_inertia[b] != Mat3::Zero(); }

// neighbours by groups, and the order of a walk
void build_order(Island& d) {
    SolveScratch& s = d.s;
    if (int(s.place.size()) != d.q.body_count()) s.place.assign(d.q.body_count(), -1); // all -1 between calls
    for (std::size_t k = 0; k < d.view.bodies.size(); ++k) s.place[d.view.bodies[k]] = int(k);
    const int n = int(d.view.bodies.size());
    s.begin.assign(n + 1, 0);
    const auto each_pair = [&](auto&& f) {
        for (int i : d.view.groups) {
            const RowGroup& g = d.q.groups[i];
            for (int a = 0; a < g.sides; ++a)
                for (int b = 0; b < g.sides; ++b) {
                    const int pa = s.place[d.q.body[g.side + a]], pb = s.place[d.q.body[g.side + b]];
                    if (pa >= 0 && pb >= 0 && pa != pb) f(pa, pb);
                }
        }
    };
    each_pair([&](int a, int) { ++s.begin[a + 1]; });
    for (int k = 0; k < n; ++k) s.begin[k + 1] += s.begin[k];
    s.neighbor.resize(s.begin[n]);
    s.first.assign(s.begin.begin(), s.begin.end() - 1);
    each_pair([&](int a, int b) { s.neighbor[s.first[a]++] = b; });
    order_breadth_first(s.begin, s.neighbor, s.order);
    s.offset.assign(n + 1, 0);
    for (int k = 0; k < n; ++k) {
        const int b = d.view.bodies[s.order[k]];
        s.place[b] = k;
        s.offset[k + 1] = s.offset[k] + (turns(d.q, b) ? 6 : 3);
    }
    d.unknowns = s.offset[n];
}

// ---- equalities: Schur complement ----

bool all_equalities(const Island& d) {
    return std::all_of(d.view.groups.begin(), d.view.groups.end(), [&](int i) { return d.q.groups[i].set == RowSet::free; });
}

// groups along the walk; rows of each in s.row, by place in the sorted list s.order
void sort_groups(Island& d) {
    SolveScratch& s = d.s;
    std::vector<int>& key = s.first;
    key.clear();
    for (int i : d.view.groups) {
        const RowGroup& g = d.q.groups[i];
        int least = d.q.body_count();
        for (int k = 0; k < g.sides; ++k)
            if (const int p = s.place[d.q.body[g.side + k]]; p >= 0) least = std::min(least, p);
        key.push_back(least);
    }
    s.order.resize(d.view.groups.size());
    for (std::size_t k = 0; k < s.order.size(); ++k) s.order[k] = int(k);
    std::sort(s.order.begin(), s.order.end(), [&](int a, int b) { return key[a] != key[b] ? key[a] < key[b] : a < b; });
}

SolveResult solve_schur(Island& d) {
    SolveScratch& s = d.s;
    RowProblem& q = d.q;
    sort_groups(d);
    const int n = int(s.order.size());
    s.row.assign(n + 1, 0);
    for (int k = 0; k < n; ++k) s.row[k + 1] = s.row[k] + q.groups[d.view.groups[s.order[k]]].rows;
    // the groups of each body, ascending: who couples with whom
    s.begin.assign(d.view.bodies.size() + 1, 0);
    const auto each_side = [&](auto&& f) {
        for (int k = 0; k < n; ++k) {
            const RowGroup& g = q.groups[d.view.groups[s.order[k]]];
            for (int a = 0; a < g.sides; ++a)
                if (const int p = s.place[q.body[g.side + a]]; p >= 0) f(k, a, p);
        }
    };
    each_side([&](int, int, int p) { ++s.begin[p + 1]; });
    for (std::size_t k = 0; k + 1 < s.begin.size(); ++k) s.begin[k + 1] += s.begin[k];
    s.neighbor.resize(s.begin.back());
    s.count.assign(s.begin.begin(), s.begin.end() - 1);
    each_side([&](int k, int, int p) { s.neighbor[s.count[p]++] = k; });
    s.first.resize(s.row[n]);
    for (int k = 0; k < n; ++k) std::fill(s.first.begin() + s.row[k], s.first.begin() + s.row[k + 1], s.row[k]);
    each_side([&](int k, int, int p) {
        const int lowest = s.row[s.neighbor[s.begin[p]]];
        for (int r = s.row[k]; r < s.row[k + 1]; ++r) s.first[r] = std::min(s.first[r], lowest);
    });
    build_envelope(s.first, s.matrix);
    each_side([&](int k, int a, int p) {
        const RowGroup& g = q.groups[d.view.groups[s.order[k]]];
        for (int at = s.begin[p]; at < s.begin[p + 1] && s.neighbor[at] <= k; ++at) {
            const int l = s.neighbor[at];
            const RowGroup& h = q.groups[d.view.groups[s.order[l]]];
            for (int b = 0; b < h.sides; ++b) {
                if (s.place[q.body[h.side + b]] != p) continue;
                for (int i = 0; i < g.rows; ++i)
                    for (int j = 0; j < h.rows; ++j) {
                        if (s.row[l] + j > s.row[k] + i) continue;
                        const Lever &x = q.jacobian[g.lever + i * g.sides + a], &y = q.response[h.lever + j * h.sides + b];
                        entry(s.matrix, s.row[k] + i, s.row[l] + j) += x.linear.dot(y.linear) + x.angular.dot(y.angular);
                    }
            }
        }
    });
    // softness, and a trace of it where rows are redundant; what that leaves undone the next round does
    s.right.resize(s.row[n]);
    for (int k = 0; k < n; ++k) {
        const RowGroup& g = q.groups[d.view.groups[s.order[k]]];
        for (int i = 0; i < g.rows; ++i) {
            Real& diagonal = entry(s.matrix, s.row[k] + i, s.row[k] + i);
            diagonal = diagonal * (1 + 1e-10) + q.softness[g.row + i] + 1e-300;
        }
    }
    SolveResult out;
    if (!factor_envelope(s.matrix)) {
        out = solve_block(d.o, d.view, q);
        return out;
    }
    for (int round = 0; round < 4; ++round) {
        out.residual = 0;
        for (int k = 0; k < n; ++k) {
            const RowGroup& g = q.groups[d.view.groups[s.order[k]]];
            for (int i = 0; i < g.rows; ++i) {
                s.right[s.row[k] + i] = -row_residual(q, g, i);
                out.residual = std::max(out.residual, std::abs(s.right[s.row[k] + i]));
            }
        }
        if (round > 0 && out.residual <= 1e-4 * d.o.tolerance) break;
        solve_envelope(s.matrix, s.right);
        ++out.iterations;
        for (int k = 0; k < n; ++k) {
            const RowGroup& g = q.groups[d.view.groups[s.order[k]]];
            for (int i = 0; i < g.rows; ++i) {
                q.impulse[g.row + i] += s.right[s.row[k] + i];
                add_impulse(q, g, i, s.right[s.row[k] + i]);
            }
        }
    }
    return out;
}

// ---- inequalities and friction: Newton's method on the velocities ----

// P_K and its derivative (6 x 6 at most, row major) for one group; radius: of friction models other than the cone
void project_with_derivative(const SetOptions& o, const RowGroup& g, Real radius, Real* p, Real* derivative) {
    const int n = g.rows;
    std::fill(derivative, derivative + n * n, 0.0);
    const auto diagonal = [&](int k) -> Real& { return derivative[k * n + k]; };
    if (g.set != RowSet::contact) {
        for (int k = 0; k < n; ++k) {
            const Real before = p[k];
            if (g.set == RowSet::lower) p[k] = std::max(0.0, p[k]);
            if (g.set == RowSet::box) p[k] = std::clamp(p[k], -g.limit, g.limit);
            diagonal(k) = p[k] == before ? 1 : 0;
        }
        return;
    }
    const auto disc = [&](int k, Real r) { // rows k, k + 1
        const Real length = std::hypot(p[k], p[k + 1]);
        if (length <= r) return void(diagonal(k) = diagonal(k + 1) = 1);
        if (!(r > 0)) return void(p[k] = p[k + 1] = 0);
        const Real x = p[k] / length, y = p[k + 1] / length, f = r / length;
        derivative[k * n + k] = f * y * y, derivative[(k + 1) * n + k + 1] = f * x * x;
        derivative[k * n + k + 1] = derivative[(k + 1) * n + k] = -f * x * y;
        p[k] = r * x, p[k + 1] = r * y;
    };
    if (n >= 6) {
        const Real twist = g.torsion * radius;
        diagonal(3) = std::abs(p[3]) <= twist ? 1 : 0;
        p[3] = std::clamp(p[3], -twist, twist);
        disc(4, g.rolling * radius);
    }
    if (n < 3 || g.friction == 0) {
        diagonal(0) = p[0] > 0 ? 1 : 0;
        p[0] = std::max(0.0, p[0]);
        if (n >= 3) p[1] = p[2] = 0;
        return;
    }
    if (o.friction != Friction::cone) {
        diagonal(0) = p[0] > 0 ? 1 : 0;
        p[0] = std::max(0.0, p[0]);
        if (o.friction == Friction::cylinder) return disc(1, g.friction * radius);
        const Vec2 before(p[1], p[2]);
        std::array<Real, 6> at{radius, p[1], p[2]};
        RowGroup three = g;
        three.rows = 3;
        clamp_friction(o, three, at.data());
        for (int k = 1; k < 3; ++k) p[k] = at[k];
        if (before == Vec2(p[1], p[2])) diagonal(1) = diagonal(2) = 1;
        else if (o.friction == Friction::box)
            for (int k = 1; k < 3; ++k) diagonal(k) = p[k] == before[k - 1] ? 1 : 0;
        else { // along its side of the polygon the nearest point goes with p, at a corner it stays
            const Real sector = 2 * kPi / o.facets, middle = (std::floor(std::atan2(before.y(), before.x()) / sector) + 0.5) * sector;
            const Vec2 t(-std::sin(middle), std::cos(middle));
            if (std::abs(t.dot(Vec2(p[1], p[2]))) < (1 - 1e-12) * g.friction * radius * std::sin(sector / 2))
                for (int k = 1; k < 3; ++k)
                    for (int l = 1; l < 3; ++l) derivative[k * n + l] = t[k - 1] * t[l - 1];
        }
        return;
    }
    // cone |t| <= mu n
    const Real mu = g.friction, t = std::hypot(p[1], p[2]), normal = p[0];
    if (t <= mu * normal) return void(diagonal(0) = diagonal(1) = diagonal(2) = 1);
    if (mu * t <= -normal) return void(p[0] = p[1] = p[2] = 0);
    const Real on = (normal + mu * t) / (1 + mu * mu), x = p[1] / t, y = p[2] / t, c = 1 / (1 + mu * mu), f = mu * on / t;
    const std::array<Real, 3> side{1, mu * x, mu * y}; // P = on (1, mu x, mu y), d on = c side . d
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) derivative[k * n + l] = c * side[k] * side[l];
    derivative[1 * n + 1] += f * y * y, derivative[2 * n + 2] += f * x * x;
    derivative[1 * n + 2] -= f * x * y, derivative[2 * n + 1] -= f * x * y;
    p[0] = on, p[1] = mu * on * x, p[2] = mu * on * y;
}

// velocities of the problem from the unknowns
void place_velocities(const Island& d, const std::vector<Real>& u) {
    for (int b : d.view.bodies) {
        const Real* at = u.data() + d.s.offset[d.s.place[b]];
        d.q.v[b] = Eigen::Map<const Vec3>(at);
        if (turns(d.q, b)) d.q.w[b] = Eigen::Map<const Vec3>(at + 3);
    }
}

// impulses of the velocities at hand into s.p, derivatives into s.dp; returns the sum of the groups' potentials
Real compute_impulses(const Island& d) {
    Real sum = 0;
    std::size_t at = 0;
    for (std::size_t n = 0; n < d.view.groups.size(); ++n) {
        const RowGroup& g = d.q.groups[d.view.groups[n]];
        Real* p = d.s.p.data() + d.s.row[n];
        const Real* hat = d.s.p_hat.data() + d.s.row[n];
        const Real* rho = d.s.rho.data() + d.s.row[n];
        for (int k = 0; k < g.rows; ++k) {
            const Real y = row_rate(d.q, g, k) + d.q.bias[g.row + k] + d.q.correction[g.row + k];
            p[k] = (rho[k] * hat[k] - y) / (d.q.softness[g.row + k] + rho[k]);
        }
        std::array<Real, 6> z;
        std::copy_n(p, g.rows, z.data());
        project_with_derivative(d.o.sets, g, std::max(0.0, hat[0]), p, d.s.dp.data() + at);
        // potential whose gradient is -p: weight times (z . p - 1/2 |p|^2), for cones 1/2 |p|^2
        for (int k = 0; k < g.rows; ++k) sum += (d.q.softness[g.row + k] + rho[k]) * (z[k] * p[k] - 0.5 * p[k] * p[k]);
        at += std::size_t(g.rows) * g.rows;
    }
    return sum;
}

// M (u - u_free) - J^T p into s.right; returns the kinetic part of the objective
Real compute_gradient(const Island& d) {
    SolveScratch& s = d.s;
    Real sum = 0;
    for (int i = 0; i < d.unknowns; ++i) s.right[i] = 0;
    for (int b : d.view.bodies) {
        const int at = s.offset[s.place[b]];
        const int n = turns(d.q, b) ? 6 : 3;
        Eigen::Map<const Vec3> u(s.u.data() + at), free(s.u_free.data() + at);
        Eigen::Map<Vec3> g(s.right.data() + at);
        g = (u - free) / d.q.inverse_mass[b];
        sum += 0.5 * g.dot(u - free);
        if (n == 3) continue;
        const Eigen::Map<const Mat3> inertia(s.mass.data() + 9 * s.place[b]);
        const Vec3 spin = Eigen::Map<const Vec3>(s.u.data() + at + 3) - Eigen::Map<const Vec3>(s.u_free.data() + at + 3);
        const Vec3 momentum = inertia * spin;
        Eigen::Map<Vec3>(s.right.data() + at + 3) = momentum;
        sum += 0.5 * momentum.dot(spin);
    }
    for (std::size_t n = 0; n < d.view.groups.size(); ++n) {
        const RowGroup& g = d.q.groups[d.view.groups[n]];
        for (int k = 0; k < g.rows; ++k) {
            const Real p = s.p[s.row[n] + k];
            if (p == 0) continue;
            for (int a = 0; a < g.sides; ++a) {
                const int b = d.q.body[g.side + a];
                if (s.place[b] < 0) continue;
                const Lever& j = d.q.jacobian[g.lever + k * g.sides + a];
                Real* to = s.right.data() + s.offset[s.place[b]];
                Eigen::Map<Vec3>(to) -= p * j.linear;
                if (turns(d.q, b)) Eigen::Map<Vec3>(to + 3) -= p * j.angular;
            }
        }
    }
    return sum;
}

// envelope of M + J^T G J, the same for all rounds
void build_pattern(Island& d) {
    SolveScratch& s = d.s;
    std::vector<int>& lowest = s.count;
    lowest.resize(d.view.bodies.size());
    for (std::size_t k = 0; k < lowest.size(); ++k) lowest[k] = int(k);
    for (int i : d.view.groups) {
        const RowGroup& g = d.q.groups[i];
        int least = d.q.body_count();
        for (int a = 0; a < g.sides; ++a)
            if (const int p = s.place[d.q.body[g.side + a]]; p >= 0) least = std::min(least, p);
        for (int a = 0; a < g.sides; ++a)
            if (const int p = s.place[d.q.body[g.side + a]]; p >= 0) lowest[p] = std::min(lowest[p], least);
    }
    s.first.resize(d.unknowns);
    for (std::size_t k = 0; k < lowest.size(); ++k)
        std::fill(s.first.begin() + s.offset[k], s.first.begin() + s.offset[k + 1], s.offset[lowest[k]]);
    build_envelope(s.first, s.matrix);
}

void add_group_matrix(const Island& d, const RowGroup& g, int row, const Real* derivative) {
    SolveScratch& s = d.s;
    std::array<std::array<Real, 6>, 6> gj; // G J of one side
    for (int b = 0; b < g.sides; ++b) {
        const int body_b = d.q.body[g.side + b], pb = s.place[body_b];
        if (pb < 0) continue;
        const int size_b = turns(d.q, body_b) ? 6 : 3;
        for (int k = 0; k < g.rows; ++k) {
            gj[k].fill(0);
            for (int l = 0; l < g.rows; ++l) {
                const Real w = derivative[k * g.rows + l] / (d.q.softness[g.row + l] + s.rho[row + l]);
                if (w == 0) continue;
                const Lever& j = d.q.jacobian[g.lever + l * g.sides + b];
                for (int c = 0; c < 3; ++c) gj[k][c] += w * j.linear[c], gj[k][3 + c] += w * j.angular[c];
            }
        }
        for (int a = 0; a < g.sides; ++a) {
            const int body_a = d.q.body[g.side + a], pa = s.place[body_a];
            if (pa < pb) continue;
            const int size_a = turns(d.q, body_a) ? 6 : 3;
            for (int i = 0; i < size_a; ++i)
                for (int j = 0; j < size_b; ++j) {
                    if (pa == pb && j > i) continue;
                    Real sum = 0;
                    for (int k = 0; k < g.rows; ++k) {
                        const Lever& lever = d.q.jacobian[g.lever + k * g.sides + a];
                        sum += (i < 3 ? lever.linear[i] : lever.angular[i - 3]) * gj[k][j];
                    }
                    entry(s.matrix, s.offset[pa] + i, s.offset[pb] + j) += sum;
                }
        }
    }
}

bool factor_newton(const Island& d) {
    SolveScratch& s = d.s;
    std::fill(s.matrix.value.begin(), s.matrix.value.end(), 0.0);
    for (int b : d.view.bodies) {
        const int at = s.offset[s.place[b]];
        for (int i = 0; i < 3; ++i) entry(s.matrix, at + i, at + i) = 1 / d.q.inverse_mass[b];
        if (!turns(d.q, b)) continue;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j <= i; ++j) entry(s.matrix, at + 3 + i, at + 3 + j) = s.mass[9 * s.place[b] + 3 * j + i];
    }
    std::size_t at = 0;
    for (std::size_t n = 0; n < d.view.groups.size(); ++n) {
        const RowGroup& g = d.q.groups[d.view.groups[n]];
        add_group_matrix(d, g, s.row[n], s.dp.data() + at);
        at += std::size_t(g.rows) * g.rows;
    }
    return factor_envelope(s.matrix);
}

Real dot(const std::vector<Real>& a, const std::vector<Real>& b, int n) {
    Real sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// Newton's method for fixed p_hat; s.u, s.p at the minimum. Returns iterations.
int minimise(const Island& d) {
    SolveScratch& s = d.s;
    place_velocities(d, s.u);
    Real objective = compute_impulses(d);
    objective += compute_gradient(d);
    Real weight = 0; // |u| in the norm of M, for the end
    for (int k = 0; k < kMostNewton; ++k) {
        if (!factor_newton(d)) return k;
        for (int i = 0; i < d.unknowns; ++i) s.du[i] = -s.right[i];
        solve_envelope(s.matrix, s.du);
        const Real slope = dot(s.right, s.du, d.unknowns);
        if (!(slope < 0)) return k;
        weight = std::max(weight, std::abs(objective));
        // the longest of 1, 1/2, ... that goes down enough
        Real step = 1;
        s.weight = s.u;
        const Real before = objective;
        for (int tries = 0;; ++tries) {
            for (int i = 0; i < d.unknowns; ++i) s.u[i] = s.weight[i] + step * s.du[i];
            place_velocities(d, s.u);
            objective = compute_impulses(d);
            objective += compute_gradient(d);
            if (objective <= before + 1e-4 * step * slope + 1e-14 * weight || tries > 30) break;
            step *= 0.5;
        }
        if (-slope <= 1e-22 * weight + 1e-300) return k + 1;
        Real largest = 0;
        for (int i = 0; i < d.unknowns; ++i) largest = std::max(largest, std::abs(step * s.du[i]));
        if (largest <= 1e-2 * d.o.tolerance) return k + 1;
    }
    return kMostNewton;
}

void begin_newton(Island& d) {
    SolveScratch& s = d.s;
    RowProblem& q = d.q;
    const int n = int(d.view.groups.size());
    s.row.assign(n + 1, 0);
    std::size_t derivatives = 0;
    for (int k = 0; k < n; ++k) {
        const RowGroup& g = q.groups[d.view.groups[k]];
        s.row[k + 1] = s.row[k] + g.rows;
        derivatives += std::size_t(g.rows) * g.rows;
    }
    for (auto* a : {&s.p, &s.p_hat, &s.rho}) a->assign(s.row[n], 0.0);
    s.dp.assign(derivatives, 0.0);
    for (auto* a : {&s.u, &s.u_free, &s.du, &s.right, &s.weight}) a->assign(d.unknowns, 0.0);
    s.mass.assign(9 * d.view.bodies.size(), 0.0);
    for (int k = 0; k < n; ++k) {
        const RowGroup& g = q.groups[d.view.groups[k]];
        const Real* a = q.block.data() + g.block;
        Real top = 0; // one for normal and tangents, so that the cone stays one
        for (int i = 0; i < std::min(3, g.rows); ++i) top = std::max(top, a[i * g.rows + i]);
        for (int i = 0; i < g.rows; ++i) {
            const bool own = g.set != RowSet::contact || i >= 3;
            s.rho[s.row[k] + i] = kSoft * (own ? a[i * g.rows + i] : top) + 1e-300;
            s.p_hat[s.row[k] + i] = q.impulse[g.row + i];
        }
    }
    const bool springs = std::any_of(d.view.groups.begin(), d.view.groups.end(), [&](int i) { return q.groups[i].link; });
    for (int k = 0; k < n && springs; ++k) {
        const RowGroup& g = q.groups[d.view.groups[k]];
        for (int i = 0; i < g.rows; ++i) {
            Real& rho = s.rho[s.row[k] + i];
            if (g.set != RowSet::free) rho *= kSoftSets / kSoft;
            else if (q.softness[g.row + i] > rho) rho = 0; // soft by itself
        }
    }
    const auto store = [&](std::vector<Real>& to) {
        for (int b : d.view.bodies) {
            Real* at = to.data() + s.offset[s.place[b]];
            std::copy_n(q.v[b].data(), 3, at);
            if (turns(q, b)) std::copy_n(q.w[b].data(), 3, at + 3);
        }
    };
    store(s.u);
    for (int i : d.view.groups) {
        const RowGroup& g = q.groups[i];
        for (int k = 0; k < g.rows; ++k)
            if (q.impulse[g.row + k] != 0) add_impulse(q, g, k, -q.impulse[g.row + k]);
    }
    store(s.u_free);
    for (int b : d.view.bodies)
        if (turns(q, b)) Eigen::Map<Mat3>(s.mass.data() + 9 * s.place[b]) = q.inverse_inertia[b].inverse();
}

// impulses of the last round to the problem, with exactly the velocities that belong to them
void store_impulses(const Island& d) {
    place_velocities(d, d.s.u_free);
    for (std::size_t n = 0; n < d.view.groups.size(); ++n) {
        const RowGroup& g = d.q.groups[d.view.groups[n]];
        for (int k = 0; k < g.rows; ++k) {
            d.q.impulse[g.row + k] = d.s.p[d.s.row[n] + k];
            if (d.q.impulse[g.row + k] != 0) add_impulse(d.q, g, k, d.q.impulse[g.row + k]);
        }
    }
}

// De Saxce's correction for the next round, from the last one in s.z_old and mu |u_t| as it is now. Where friction moves the normal row,
// their difference falls by a constant part per round, which may be near 1, or grows with changing sign: by Aitken's rule so much of it is
// taken that nothing would be left if it went on as since the round before (s.gradient_old). Returns that part.
Real take_correction(const Island& d, bool slow, Real part) {
    const auto correction = [&](std::size_t n) -> Real& { return d.q.correction[d.q.groups[d.view.groups[n]].row]; };
    Real top = 0, bottom = 0;
    for (std::size_t n = 0; n < d.view.groups.size(); ++n) {
        Real& last = d.s.gradient_old[n];
        const Real change = correction(n) - d.s.z_old[n];
        top += last * (change - last), bottom += (change - last) * (change - last);
        last = change;
    }
    if (!slow) return 1;
    if (bottom > 0) part = top < 0 ? std::clamp(-part * top / bottom, 0.1, 100.0) : 1; // where it would turn round: the whole, as before
    for (std::size_t n = 0; n < d.view.groups.size(); ++n)
        correction(n) = std::max(0.0, d.s.z_old[n] + part * d.s.gradient_old[n]);
    return part;
}

SolveResult solve_newton(Island& d) {
    begin_newton(d);
    build_pattern(d);
    SolveResult out;
    Real last = 1e300, least = 1e300, part = 1;
    int stalled = 0;
    bool slow = false;
    for (auto* a : {&d.s.z_old, &d.s.gradient_old}) a->assign(d.view.groups.size(), 0.0);
    for (int round = 0; round < kMostRounds; ++round) {
        out.iterations += minimise(d);
        d.s.p_hat = d.s.p;
        store_impulses(d);
        for (std::size_t n = 0; n < d.view.groups.size(); ++n) d.s.z_old[n] = d.q.correction[d.q.groups[d.view.groups[n]].row];
        set_correction(d.o.sets, d.view.groups, d.q);
        out.residual = natural_residual(d.o.sets, d.view.groups, d.q);
        if (d.o.trace) add_trace(d.o, d.view, d.q, round + 1);
        if (out.residual < least) least = out.residual, d.s.p_best = d.s.p;
        if (out.residual <= kBetter * d.o.tolerance) break;
        if (out.residual <= d.o.tolerance && out.residual > 0.1 * last) break; // round-off
        stalled = out.residual > 0.7 * last ? stalled + 1 : 0;
        const bool slides = std::any_of(d.s.gradient_old.begin(), d.s.gradient_old.end(), [](Real change) { return change != 0; });
        if (!slow && slides && stalled == 2 && out.residual > kSlow) slow = true, stalled = 0;
        part = take_correction(d, slow, part);
        if (stalled >= (slow ? 8 : 4) || out.iterations >= kMostInAll) break; // round-off, or a friction problem without solution nearby
        last = out.residual;
    }
    if (least < out.residual) {
        d.s.p = d.s.p_best;
        store_impulses(d);
        out.residual = least;
    }
    return out;
}

} // namespace

SolveResult solve_direct(const SolveOptions& o, const IslandView& view, SolveScratch& s, RowProblem& q) {
    Island d{o, view, s, q};
    if (view.groups.empty()) return {};
    // what rests, or goes on as before, is solved by the impulses of the step before
    set_correction(o.sets, view.groups, q);
    if (const Real residual = natural_residual(o.sets, view.groups, q); residual <= (o.accepts ? 1 : kBetter) * o.tolerance)
        return {0, residual};
    for (int g : view.groups) q.correction[q.groups[g].row] = 0; // begins convex: that of a guess may lead nowhere
    if (SolveResult out; o.kkt && all_equalities(d) && solve_equalities_kkt(o, view, s.kkt, q, out)) return out;
    build_order(d);
    const SolveResult out = all_equalities(d) ? solve_schur(d) : solve_newton(d);
    for (int b : view.bodies) s.place[b] = -1;
    return out;
}

SolveResult solve_direct_or_sweep(const SolveOptions& o, const IslandView& view, SolveScratch& s, RowProblem& q) {
    const SolveResult direct = solve_direct(o, view, s, q);
    if (direct.residual <= kFails) return direct;
    for (int g : view.groups)
        for (int k = 0; k < q.groups[g].rows; ++k) {
            Real& p = q.impulse[q.groups[g].row + k];
            if (p != 0) add_impulse(q, q.groups[g], k, -p);
            p = 0;
        }
    return solve_sequential(o, view, q);
}

} // namespace sinew
