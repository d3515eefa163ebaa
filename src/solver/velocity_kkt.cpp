#include "solver/velocity_kkt.h"
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr Real kSolvedPart = 1e-3;  // of the residual that the first solve may leave
constexpr int kMostCorrections = 3; // solves with what is left

int speeds_of(const RowProblem& q, int b) { return q.inverse_inertia[b] != Mat3::Zero() ? 6 : 3; }
Mat3 inertia_of(const RowProblem& q, int b) { return q.inverse_inertia[b].inverse(); }

void place_island(const IslandView& view, const RowProblem& q, KktScratch& s) {
    if (int(s.place.size()) != q.body_count()) s.place.assign(q.body_count(), -1);
    for (std::size_t k = 0; k < view.bodies.size(); ++k) s.place[view.bodies[k]] = int(k);
}
void remove_places(const IslandView& view, KktScratch& s) {
    for (int b : view.bodies) s.place[b] = -1;
}

// groups at each body; the number of sides that move, or -1 where a group has no place in a tree
int list_sides(const IslandView& view, const RowProblem& q, KktScratch& s) {
    s.begin.assign(view.bodies.size() + 1, 0);
    int sides = 0;
    const auto each_side = [&](auto&& f) {
        for (std::size_t n = 0; n < view.groups.size(); ++n) {
            const RowGroup& g = q.groups[view.groups[n]];
            for (int a = 0; a < g.sides; ++a)
                if (const int p = s.place[q.body[g.side + a]]; p >= 0) f(int(n), p);
        }
    };
    each_side([&](int, int p) { ++s.begin[p + 1], ++sides; });
    for (std::size_t k = 0; k + 1 < s.begin.size(); ++k) s.begin[k + 1] += s.begin[k];
    s.group.resize(sides);
    s.node.assign(s.begin.begin(), s.begin.end() - 1);
    each_side([&](int n, int p) { s.group[s.node[p]++] = n; });
    return sides;
}

// the one group that holds its body to something held; -1 none, -2 several, or rows that are too many
int find_root_group(const IslandView& view, const RowProblem& q, const KktScratch& s) {
    int root = -1;
    for (std::size_t n = 0; n < view.groups.size(); ++n) {
        const RowGroup& g = q.groups[view.groups[n]];
        int moving = 0;
        for (int a = 0; a < g.sides; ++a) moving += s.place[q.body[g.side + a]] >= 0;
        if (g.rows > 6 || moving == 0 || (moving == 1 && root >= 0)) return -2;
        if (moving == 1) root = int(n);
    }
    return root;
}

// -J of group n at the body of place p
void fill_coupling(const IslandView& view, const RowProblem& q, const KktScratch& s, int n, int p, Mat6& out) {
    const RowGroup& g = q.groups[view.groups[n]];
    out.setZero();
    for (int a = 0; a < g.sides; ++a) {
        if (s.place[q.body[g.side + a]] != p) continue;
        for (int k = 0; k < g.rows; ++k) {
            const Lever& j = q.jacobian[g.lever + k * g.sides + a];
            out.row(k).head<3>() = -j.linear.transpose(), out.row(k).tail<3>() = -j.angular.transpose();
        }
    }
}

// a node more, below `parent`; i: place of a body, or bodies + number of a group
void add_node(const IslandView& view, const RowProblem& q, int i, int parent, KktScratch& s) {
    TreeMatrix& t = s.tree;
    const int bodies = int(view.bodies.size());
    s.node[i] = t.node_count();
    s.member.push_back(i);
    t.parent.push_back(parent);
    Mat6 diagonal = Mat6::Zero(), coupling = Mat6::Zero();
    if (i < bodies) {
        const int b = view.bodies[i];
        t.size.push_back(speeds_of(q, b));
        diagonal.topLeftCorner<3, 3>().diagonal().setConstant(1 / q.inverse_mass[b]);
        if (t.size.back() == 6) diagonal.bottomRightCorner<3, 3>() = inertia_of(q, b);
        if (parent >= 0) {
            fill_coupling(view, q, s, s.member[parent] - bodies, i, coupling);
            coupling.transposeInPlace();
        }
    } else {
        const RowGroup& g = q.groups[view.groups[i - bodies]];
        t.size.push_back(g.rows);
        for (int k = 0; k < g.rows; ++k) diagonal(k, k) = -q.softness[g.row + k];
        if (parent >= 0) fill_coupling(view, q, s, i - bodies, s.member[parent], coupling);
    }
    t.diagonal.push_back(diagonal), t.coupling.push_back(coupling);
}

// right-hand sides are the residuals at hand, the largest of which is returned
Real find_residuals(const IslandView& view, const RowProblem& q, std::vector<Real>& right) {
    Real worst = 0;
    right.clear();
    for (int i : view.groups)
        for (int k = 0; k < q.groups[i].rows; ++k) {
            right.push_back(row_residual(q, q.groups[i], k));
            worst = std::max(worst, std::abs(right.back()));
            if (!std::isfinite(right.back())) worst = HUGE_VAL;
        }
    return worst;
}

void add_impulses(const IslandView& view, const std::vector<Real>& dp, Real sign, RowProblem& q) {
    int at = 0;
    for (int i : view.groups) {
        const RowGroup& g = q.groups[i];
        for (int k = 0; k < g.rows; ++k, ++at) {
            q.impulse[g.row + k] += sign * dp[at];
            add_impulse(q, g, k, sign * dp[at]);
        }
    }
}

void solve_tree_rows(const IslandView& view, const RowProblem& q, KktScratch& s) {
    const int bodies = int(view.bodies.size());
    s.x.assign(s.tree.node_count(), Vec6::Zero());
    s.dp.resize(s.right.size());
    const auto each_row = [&](auto&& f) {
        int at = 0;
        for (std::size_t n = 0; n < view.groups.size(); ++n)
            for (int k = 0; k < q.groups[view.groups[n]].rows; ++k, ++at) f(s.x[s.node[bodies + n]][k], at);
    };
    each_row([&](Real& x, int at) { x = s.right[at]; });
    solve_tree(s.tree, s.x);
    each_row([&](Real& x, int at) { s.dp[at] = x; });
}

// mass and rows of the whole island, for the sparse factorisation
void build_saddle(const IslandView& view, const RowProblem& q, KktScratch& s) {
    std::vector<int> sizes, offset;
    for (int b : view.bodies) {
        offset.push_back(3 * int(sizes.size()));
        sizes.insert(sizes.end(), speeds_of(q, b) / 3, 3);
    }
    BlockPattern pattern;
    build_pattern(make_block_layout(sizes), {}, {}, pattern);
    s.mass = make_block_sparse(std::move(pattern));
    for (std::size_t k = 0; k < view.bodies.size(); ++k) {
        const int b = view.bodies[k], block = offset[k] / 3;
        Eigen::Map<Mat3>(block_values(s.mass, diagonal_slot(s.mass.pattern, block))) = Mat3::Identity() / q.inverse_mass[b];
        if (speeds_of(q, b) == 6) Eigen::Map<Mat3>(block_values(s.mass, diagonal_slot(s.mass.pattern, block + 1))) = inertia_of(q, b);
    }
    s.jacobian.begin.assign(1, 0), s.jacobian.column.clear(), s.jacobian.value.clear(), s.softness.clear();
    for (int i : view.groups) {
        const RowGroup& g = q.groups[i];
        for (int k = 0; k < g.rows; ++k) {
            for (int a = 0; a < g.sides; ++a) {
                const int b = q.body[g.side + a];
                if (s.place[b] < 0) continue;
                const Lever& j = q.jacobian[g.lever + k * g.sides + a];
                for (int c = 0; c < speeds_of(q, b); ++c) {
                    s.jacobian.column.push_back(offset[s.place[b]] + c);
                    s.jacobian.value.push_back(c < 3 ? j.linear[c] : j.angular[c - 3]);
                }
            }
            s.jacobian.begin.push_back(int(s.jacobian.column.size()));
            s.softness.push_back(q.softness[g.row + k]);
        }
    }
    s.active.assign(s.softness.size(), 1);
    s.zero.assign(scalar_count(s.mass.pattern.layout), 0.0);
    s.du.resize(s.zero.size());
}

bool solve_saddle_rows(KktScratch& s) {
    for (Real& r : s.right) r = -r; // J du + S dp = -r
    s.dp.resize(s.right.size());
    return solve_saddle({s.mass, {}, s.jacobian, s.softness, s.active}, s.zero, s.right, s.saddle, s.du, s.dp).ok;
}

} // namespace

bool build_kkt_tree(const IslandView& view, const RowProblem& q, KktScratch& s) {
    place_island(view, q, s);
    const int bodies = int(view.bodies.size()), nodes = bodies + int(view.groups.size());
    const int sides = list_sides(view, q, s), root = find_root_group(view, q, s);
    bool is_tree = root != -2 && sides == nodes - 1;
    if (is_tree) {
        TreeMatrix& t = s.tree;
        t.parent.clear(), t.size.clear(), t.diagonal.clear(), t.coupling.clear(), s.member.clear();
        s.node.assign(nodes, -1);
        add_node(view, q, root < 0 ? 0 : bodies + root, -1, s);
        for (int k = 0; k < t.node_count(); ++k) {
            const int i = s.member[k];
            if (i < bodies) {
                for (int at = s.begin[i]; at < s.begin[i + 1]; ++at)
                    if (s.node[bodies + s.group[at]] < 0) add_node(view, q, bodies + s.group[at], k, s);
                continue;
            }
            const RowGroup& g = q.groups[view.groups[i - bodies]];
            for (int a = 0; a < g.sides; ++a)
                if (const int p = s.place[q.body[g.side + a]]; p >= 0 && s.node[p] < 0) add_node(view, q, p, k, s);
        }
        is_tree = t.node_count() == nodes; // one piece
    }
    remove_places(view, s);
    return is_tree;
}

bool solve_equalities_kkt(const SolveOptions& o, const IslandView& view, KktScratch& s, RowProblem& q, SolveResult& out) {
    const bool tree = build_kkt_tree(view, q, s);
    if (tree && factor_tree(s.tree) >= 0) return false;
    if (!tree) {
        place_island(view, q, s);
        build_saddle(view, q, s);
        remove_places(view, s);
    }
    out = {};
    const Real first = find_residuals(view, q, s.right);
    out.residual = first;
    while (out.iterations <= kMostCorrections && (out.iterations == 0 || out.residual > 1e-4 * o.tolerance)) {
        if (tree) solve_tree_rows(view, q, s);
        else if (!solve_saddle_rows(s)) return out.iterations > 0;
        add_impulses(view, s.dp, 1, q);
        const Real before = out.residual;
        out.residual = find_residuals(view, q, s.right);
        // nothing gained: round-off, or no solution at all
        if (!(out.residual < before) && before > 0) {
            add_impulses(view, s.dp, -1, q);
            out.residual = before;
            return out.iterations > 0;
        }
        ++out.iterations;
        if (!(out.residual <= kSolvedPart * first + o.tolerance)) {
            add_impulses(view, s.dp, -1, q);
            return false;
        }
    }
    return true;
}

} // namespace sinew
