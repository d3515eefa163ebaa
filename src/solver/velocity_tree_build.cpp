// Structure of trees of joints: which link is eliminated when, and which couple (velocity_tree.h).
#include "solver/velocity_tree.h"
#include "constraint/joint_ball.h"
#include <algorithm>
#include <numeric>

namespace sinew {

namespace {

// neighbours and the walk from the root; depth: place of each body in the walk, -1 = held
void walk(JointTree& t, int root, int moving, JointTreeScratch& s) {
    const auto each = [&](auto&& f) {
        for (const TreeLink& l : t.links)
            if (l.body[0] >= 0 && l.body[1] >= 0 && t.bodies[l.body[0]].moves && t.bodies[l.body[1]].moves)
                f(l.body[0], l.body[1]), f(l.body[1], l.body[0]);
    };
    s.begin.assign(moving + 1, 0);
    each([&](int a, int) { ++s.begin[a + 1]; });
    for (int k = 0; k < moving; ++k) s.begin[k + 1] += s.begin[k];
    s.neighbor.resize(s.begin[moving]);
    s.order.assign(s.begin.begin(), s.begin.end() - 1);
    each([&](int a, int b) { s.neighbor[s.order[a]++] = b; });
    s.depth.assign(t.bodies.size(), -1);
    s.order.clear();
    const auto visit = [&](int from) {
        s.depth[from] = int(s.order.size());
        s.order.push_back(from);
        for (std::size_t at = s.order.size() - 1; at < s.order.size(); ++at)
            for (int k = s.begin[s.order[at]]; k < s.begin[s.order[at] + 1]; ++k)
                if (const int b = s.neighbor[k]; s.depth[b] < 0) {
                    s.depth[b] = int(s.order.size());
                    s.order.push_back(b);
                }
    };
    visit(root);
    for (int b = 0; b < moving; ++b)
        if (s.depth[b] < 0) visit(b);
}

void set_columns(const Rows& rows, int points, TreeLink& l) {
    int column = 0, side = 0;
    for (int k = rows.block_begin[l.source]; k < rows.block_begin[l.source + 1]; ++k) {
        const bool frame = rows.block[k] >= points;
        if (rows.block[k] >= 0) l.column[side++] = column;
        column += frame ? 6 : 3;
        k += frame;
    }
    l.columns = column;
}

// points have no rotation, and J no columns for it
void add_body(const Model& m, const RowProblem& q, int b, JointTree& t, JointTreeScratch& s) {
    if (s.place[b] >= 0) return;
    s.place[b] = int(t.bodies.size());
    TreeBody body;
    body.body = b;
    body.frame = b < point_count(m) ? -1 : b - point_count(m);
    body.moves = q.inverse_mass[b] > 0;
    body.inertia = body.inverse = body.W = body.K = Mat3::Zero();
    body.u.setZero();
    t.bodies.push_back(body);
}

void add_couplings(JointTree& t, JointTreeScratch& s) {
    std::vector<std::array<int, 3>> at; // body, link, side
    for (std::size_t k = 0; k < t.links.size(); ++k)
        for (int side = 0; side < 2; ++side)
            if (const int b = t.links[k].body[side]; b >= 0 && t.bodies[b].moves) at.push_back({b, int(k), side});
    std::sort(at.begin(), at.end());
    t.couplings.clear();
    s.pairs.clear();
    for (std::size_t i = 0; i < at.size(); ++i)
        for (std::size_t j = i + 1; j < at.size() && at[j][0] == at[i][0]; ++j) {
            t.couplings.push_back({at[i][1], at[j][1], 0, std::uint8_t(at[i][2]), std::uint8_t(at[j][2])});
            s.pairs.push_back({at[i][1], at[j][1]});
        }
    int most = 0;
    for (const TreeLink& l : t.links) most = std::max(most, l.rows);
    build_block_chain(most <= 3 ? 3 : 6, int(t.links.size()), s.pairs, t.matrix);
    for (TreeCoupling& c : t.couplings) c.block = find_block(t.matrix, c.k, c.l);
}

// groups of one table that follow each other are evaluated by one call
void add_runs(const Rows& rows, JointTree& t) {
    std::vector<int> sources;
    for (const TreeLink& l : t.links) sources.push_back(l.source);
    std::sort(sources.begin(), sources.end());
    t.runs.clear();
    for (int i : sources) {
        const bool goes_on = !t.runs.empty() && t.runs.back()[0] + t.runs.back()[1] == i && rows.key[i] >> 40 == rows.key[i - 1] >> 40;
        if (goes_on) ++t.runs.back()[1];
        else t.runs.push_back({i, 1});
    }
}

// a rigid ball joint between two frames
bool is_ball(const Model& m, const Rows& rows, const RowProblem& q, const RowGroup& g) {
    const int row = rows.row_begin[g.source];
    if (g.sides != 2 || std::min(q.body[g.side], q.body[g.side + 1]) < point_count(m) || rows.compliance[row] != 0) return false;
    return m.elements->constraints[rows.key[g.source] >> 40].row->name == JointBall::name;
}

void build_balls(const Model& m, const Rows& rows, const RowProblem& q, JointTree& t) {
    t.balls.clear();
    if (!std::all_of(t.links.begin(), t.links.end(), [&](const TreeLink& l) { return is_ball(m, rows, q, q.groups[l.group]); })) return;
    t.balls.resize(t.links.size());
    for (std::size_t k = 0; k < t.links.size(); ++k) t.balls[k].body = t.links[k].body;
}

void build_tree(const Model& m, const Rows& rows, const IslandView& island, const RowProblem& q, JointTree& t, JointTreeScratch& s) {
    t.bodies.clear();
    t.links.clear();
    t.held = false;
    int root = 0;
    for (int b : island.bodies) add_body(m, q, b, t, s);
    for (int g : island.groups) {
        const RowGroup& from = q.groups[g];
        TreeLink l;
        l.group = g, l.source = from.source, l.rows = from.rows;
        l.position = rows.level[l.source] == Level::position;
        bool free = true;
        for (int k = 0; k < from.sides; ++k) {
            add_body(m, q, q.body[from.side + k], t, s);
            l.body[k] = s.place[q.body[from.side + k]];
            free = free && t.bodies[l.body[k]].moves;
        }
        if (!free || from.sides == 1) t.held = true, root = t.bodies[l.body[0]].moves ? l.body[0] : l.body[1];
        set_columns(rows, point_count(m), l);
        t.links.push_back(l);
    }
    walk(t, root, int(island.bodies.size()), s);
    // a link goes with its lower body
    const auto depth = [&](const TreeLink& l) { return std::max(s.depth[l.body[0]], l.body[1] < 0 ? -1 : s.depth[l.body[1]]); };
    std::stable_sort(t.links.begin(), t.links.end(), [&](const TreeLink& a, const TreeLink& b) { return depth(a) > depth(b); });
    add_couplings(t, s);
    add_runs(rows, t);
    build_balls(m, rows, q, t);
    const std::size_t n = t.links.size() * t.matrix.width;
    t.lever.assign(4 * 6 * n, 0.0);
    for (auto* a : {&t.right, &t.impulse, &t.bias, &t.softness}) a->assign(n, 0.0);
    for (const TreeBody& b : t.bodies) s.place[b.body] = -1;
}

} // namespace

void build_trees(const Model& m, const Rows& rows, std::span<const IslandView> islands, const RowProblem& q, JointTreeScratch& s) {
    s.shape_now.clear();
    s.shape_now.push_back(int(islands.size()));
    for (const IslandView& island : islands) {
        s.shape_now.push_back(int(island.groups.size()));
        for (int g : island.groups) {
            const RowGroup& from = q.groups[g];
            for (int n : {from.source, from.rows, g, int(rows.level[from.source]), int(is_ball(m, rows, q, from))}) s.shape_now.push_back(n);
            for (int k = 0; k < from.sides; ++k)
                s.shape_now.push_back(2 * q.body[from.side + k] + (q.inverse_mass[q.body[from.side + k]] > 0));
        }
    }
    if (s.shape == s.shape_now) return;
    s.shape = s.shape_now;
    s.place.assign(q.body_count(), -1);
    s.trees.resize(islands.size());
    for (std::size_t i = 0; i < islands.size(); ++i) build_tree(m, rows, islands[i], q, s.trees[i], s);
}

} // namespace sinew
