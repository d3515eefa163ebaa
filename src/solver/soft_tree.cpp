#include "solver/soft_tree.h"
#include "core/simd.h"
#include "solver/soft_joint.h"
#include "solver/soft_order.h"
#include <algorithm>

namespace sinew {

namespace {

constexpr int kSoftTreeGrain = 2; // batches per task

static_assert(kSoftTreeJoints <= kSoftOrderBlocks);

bool at_body(const SoftTreePlan& p, int joint, int body) { return p.a[joint] == body || p.b[joint] == body; }

// the body that moves and that two joints have in common, -1 = none
int common_body(const SoftTreePlan& p, int g, int h) {
    for (int body : {p.a[g], p.b[g]})
        if (p.moves[body] && at_body(p, h, body)) return body;
    return -1;
}

void finish_plan(SoftTreePlan& p) {
    const int n = int(p.a.size());
    std::array<std::uint64_t, kSoftTreeJoints> near{};
    for (int g = 0; g < n; ++g)
        for (int h = 0; h < n; ++h)
            if (g != h && common_body(p, g, h) >= 0) near[g] |= std::uint64_t(1) << h;
    SoftOrder order = build_soft_order(std::span(near).first(n));
    std::vector<int> a(n), b(n);
    for (int k = 0; k < n; ++k) a[k] = p.a[order.order[k]], b[k] = p.b[order.order[k]];
    p.a = a, p.b = b;
    for (int column = 0; column < n; ++column)
        for (int e = order.begin[column]; e < order.begin[column + 1]; ++e) {
            const int row = order.row[e], body = common_body(p, row, column);
            if (body >= 0) p.coupling.push_back({e, body, row, column, p.b[row] == body, p.b[column] == body});
        }
    p.joint = std::move(order.order), p.begin = std::move(order.begin), p.row = std::move(order.row), p.update = std::move(order.update);
}

// bodies of a tree in the order of their numbers, and its shape by their places there
void describe(std::span<const SoftJointGroup> groups, std::span<const int> tree, std::vector<int>& bodies, std::vector<int>& shape) {
    bodies.clear();
    shape.clear();
    for (int g : tree) bodies.push_back(groups[g].body_a), bodies.push_back(groups[g].body_b);
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
    const auto at = [&](int b) { return int(std::lower_bound(bodies.begin(), bodies.end(), b) - bodies.begin()); };
    for (int g : tree) {
        shape.push_back(at(groups[g].body_a)), shape.push_back(at(groups[g].body_b));
        shape.push_back(int(groups[g].moves_a) + 2 * int(groups[g].moves_b) + 4 * int(groups[g].a_is_plus));
    }
}

SoftTreePlan make_plan(const std::vector<int>& shape, int bodies) {
    SoftTreePlan p;
    p.shape = shape;
    p.moves.assign(bodies, 0);
    for (std::size_t k = 0; k < shape.size(); k += 3) {
        const bool swapped = shape[k + 2] & 4; // b is the side with +
        p.a.push_back(shape[k + swapped]), p.b.push_back(shape[k + 1 - swapped]);
        p.moves[shape[k]] = shape[k + 2] & 1, p.moves[shape[k + 1]] = shape[k + 2] >> 1 & 1;
    }
    finish_plan(p);
    return p;
}

SoftTreeView view_of(SoftTrees& t, int batch) {
    SoftTreeBatch& b = t.batches[batch];
    const SoftTreePlan& p = t.plans[b.plan];
    SoftTreeView v;
    v.order = {int(p.moves.size()), int(p.a.size()), int(p.row.size()), int(p.coupling.size()), p.a.data(), p.b.data(),
               p.begin.data(), p.row.data(), p.update.data(), p.coupling.data()};
    v.body = t.bodies.data() + b.body;
    v.joint = t.joints.data() + b.joint;
    v.factor = t.factors.data() + b.factor;
    v.ready = &b.ready;
    return v;
}

template <class F> void for_each_batch(const Parallel& parallel, SoftTrees& t, F&& f) {
    parallel_for(parallel, int(t.batches.size()), kSoftTreeGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            SoftTreeView view = view_of(t, i);
            f(t.avx2 ? kSoftTreeLoopsAvx2 : kSoftTreeLoopsPlain, view);
            t.error[i] = view.error;
        }
    });
}

void pack_body(const std::vector<int>& place, const RowProblem& q, const std::array<int, kSoftTreeLanes>& number, SoftTreeBody& out) {
    out.moves = false;
    for (int l = 0; l < kSoftTreeLanes; ++l) out.moves = out.moves || (number[l] >= 0 && q.inverse_mass[number[l]] > 0);
    for (int l = 0; l < kSoftTreeLanes; ++l) {
        const int b = number[l];
        out.place[l] = b < 0 ? -1 : place[b];
        out.mass.v[l] = b < 0 ? Real(out.moves) : q.inverse_mass[b];
        const Mat3 i = b < 0 ? Mat3(Mat3::Zero()) : q.inverse_inertia[b];
        const Real six[6] = {i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2)};
        for (int k = 0; k < 6; ++k) out.inertia[k].v[l] = six[k];
        put3(out.turned, l, Vec3::Zero());
    }
}

void pack_joint(int substeps, const Rows& rows, std::span<const SoftJointGroup> groups, const RowProblem& q,
                const std::array<int, kSoftTreeLanes>& group, SoftTreeJoint& out) {
    out = {};
    for (int l = 0; l < kSoftTreeLanes; ++l) {
        if (group[l] < 0) continue;
        const SoftJointGroup& g = groups[group[l]];
        const RowGroup& from = q.groups[g.group];
        const auto arm = [&](int side) {
            const Lever* j = q.jacobian.data() + from.lever + side;
            return lever_arm(j[0].angular, j[2].angular, j[4].angular);
        };
        // levers have the signs of the rows; the side with - is a
        put3(out.start_a, l, -arm(g.a_is_plus ? 1 : 0));
        put3(out.start_b, l, arm(g.a_is_plus ? 0 : 1));
        put3(out.start_c, l, Eigen::Map<const Vec3>(rows.c.data() + rows.row_begin[g.source]));
        put3(out.impulse, l, Eigen::Map<const Vec3>(q.impulse.data() + from.row) / substeps);
    }
}

} // namespace

void plan_soft_trees(std::span<const SoftJointGroup> groups, std::span<const int> begin, std::span<const int> tree, SoftTrees& t) {
    t.plans.clear();
    t.batches.clear();
    t.number.clear();
    t.group.clear();
    const int count = int(begin.size()) - 1;
    std::vector<int> bodies, shape, plan_of;
    for (int i = 0; i < count; ++i) {
        describe(groups, tree.subspan(begin[i], begin[i + 1] - begin[i]), bodies, shape);
        const auto known = std::find_if(t.plans.begin(), t.plans.end(), [&](const SoftTreePlan& p) { return p.shape == shape; });
        plan_of.push_back(int(known - t.plans.begin()));
        if (known == t.plans.end()) t.plans.push_back(make_plan(shape, int(bodies.size())));
    }
    int factors = 0;
    for (int n = 0; n < int(t.plans.size()); ++n) {
        const SoftTreePlan& p = t.plans[n];
        int lane = kSoftTreeLanes;
        for (int i = 0; i < count; ++i) {
            if (plan_of[i] != n) continue;
            if (lane == kSoftTreeLanes) {
                t.batches.push_back({n, int(t.number.size()), int(t.group.size()), factors});
                std::array<int, kSoftTreeLanes> none;
                none.fill(-1);
                t.number.resize(t.number.size() + p.moves.size(), none);
                t.group.resize(t.group.size() + p.a.size(), none);
                factors += int(p.row.size());
                lane = 0;
            }
            const auto mine = tree.subspan(begin[i], begin[i + 1] - begin[i]);
            describe(groups, mine, bodies, shape);
            for (std::size_t k = 0; k < bodies.size(); ++k) t.number[t.batches.back().body + k][lane] = bodies[k];
            for (std::size_t k = 0; k < p.joint.size(); ++k) t.group[t.batches.back().joint + k][lane] = mine[p.joint[k]];
            ++lane;
        }
    }
    t.bodies.resize(t.number.size());
    t.joints.resize(t.group.size());
    t.factors.resize(factors);
    t.error.assign(t.batches.size(), 0);
}

void pack_soft_trees(const Parallel& parallel, const SoftJointOptions& o, const Rows& rows, std::span<const SoftJointGroup> groups,
                const std::vector<int>& place, const RowProblem& q, SoftTrees& t) {
    t.avx2 = has_avx2();
    parallel_for(parallel, int(t.batches.size()), kSoftTreeGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            SoftTreeBatch& b = t.batches[i];
            const SoftTreePlan& p = t.plans[b.plan];
            b.ready = false;
            for (int k = b.body; k < b.body + int(p.moves.size()); ++k) pack_body(place, q, t.number[k], t.bodies[k]);
            for (int k = b.joint; k < b.joint + int(p.a.size()); ++k) pack_joint(o.substeps, rows, groups, q, t.group[k], t.joints[k]);
        }
    });
}

void refresh_soft_trees(const Parallel& parallel, const SoftJointOptions& o, const std::vector<SoftBody<float>>& bodies, SoftTrees& t) {
    const SoftTreeNumbers n{o.h, o.trace};
    for_each_batch(parallel, t, [&](const SoftTreeLoops& loops, SoftTreeView& v) { loops.refresh(v, n, bodies.data()); });
}

void warm_start_soft_trees(const Parallel& parallel, SoftTrees& t, std::vector<SoftBody<float>>& bodies) {
    for_each_batch(parallel, t, [&](const SoftTreeLoops& loops, SoftTreeView& v) { loops.warm_start(v, bodies.data()); });
}

Real solve_soft_trees(const Parallel& parallel, Real gain, SoftTrees& t, std::vector<SoftBody<float>>& bodies) {
    for_each_batch(parallel, t, [&](const SoftTreeLoops& loops, SoftTreeView& v) { loops.solve(v, gain, bodies.data()); });
    Real worst = 0;
    for (Real e : t.error) worst = std::max(worst, e);
    return worst;
}

void read_soft_trees(int substeps, std::span<const SoftJointGroup> groups, const SoftTrees& t, RowProblem& q) {
    for (std::size_t k = 0; k < t.group.size(); ++k)
        for (int l = 0; l < kSoftTreeLanes; ++l)
            if (const int g = t.group[k][l]; g >= 0)
                for (int c = 0; c < 3; ++c) q.impulse[q.groups[groups[g].group].row + c] = t.joints[k].impulse[c].v[l] * substeps;
}

} // namespace sinew
