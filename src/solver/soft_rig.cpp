#include "solver/soft_rig.h"
#include "constraint/joint_object.h"
#include "core/simd.h"
#include "solver/soft_joint.h"
#include <Eigen/LU>
#include <algorithm>

namespace sinew {

namespace {

constexpr int kSoftRigGrain = 1; // batches per task

SoftRigView view_of(SoftRigs& t, int batch) {
    SoftRigBatch& b = t.batches[batch];
    const SoftRigPlan& p = t.plans[b.plan];
    SoftRigView v;
    v.order = {int(p.body.size()), p.moving, int(p.joints.size()), int(p.rows.size()), int(p.row.size()), p.joints.data(), p.rows.data(),
               p.begin.data(), p.row.data(), p.update.data()};
    v.body = t.bodies.data() + b.body;
    v.joint = t.joints.data() + b.joint;
    v.row = t.rows.data() + b.row;
    v.slide = t.slides.data() + b.slide;
    v.diagonal = t.diagonals.data() + b.diagonal;
    v.factor = t.factors.data() + b.factor;
    v.ready = &b.ready;
    return v;
}

template <class F> void for_each_batch(const Parallel& parallel, SoftRigs& t, F&& f) {
    parallel_for(parallel, int(t.batches.size()), kSoftRigGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            SoftRigView view = view_of(t, i);
            f(t.avx2 ? kSoftRigLoopsAvx2 : kSoftRigLoopsPlain, view);
            t.error[i] = view.error;
        }
    });
}

void put4(SoftRigLane* lane, int l, const Quat& q) {
    lane[0].v[l] = q.w();
    put3(lane + 1, l, q.vec());
}
void put6(SoftRigLane* lane, int l, const Mat3& m) {
    const Real six[6] = {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)};
    for (int k = 0; k < 6; ++k) lane[k].v[l] = six[k];
}

// lanes that are not used have unit masses where the others move
void pack_body(const std::vector<int>& place, const RowProblem& q, const std::array<int, kSoftRigLanes>& number, bool moves, SoftRigBody& out) {
    for (int l = 0; l < kSoftRigLanes; ++l) {
        const int b = number[l];
        out.place[l] = b < 0 ? -1 : place[b];
        const Mat3 w = b >= 0 ? q.inverse_inertia[b] : Mat3(Real(moves) * Mat3::Identity());
        out.inverse_mass.v[l] = b >= 0 ? q.inverse_mass[b] : Real(moves);
        out.mass.v[l] = moves ? 1 / out.inverse_mass.v[l] : 0;
        put6(out.inverse_inertia, l, w);
        put6(out.inertia, l, moves ? Mat3(w.inverse()) : Mat3(Mat3::Zero()));
        put3(out.turned, l, Vec3::Zero());
    }
}

// what a row does beside its lever; rigid ones take back a part of their error
RowSpring find_spring(const SoftJointOptions& o, const Rows& rows, const SoftJointGroup& g, int k) {
    const int row = rows.row_begin[g.source] + k;
    RowSpring spring = find_row_spring(rows, row, g.position, o.h);
    if (g.position && !(rows.compliance[row] > 0)) spring.gain = o.pull / o.h;
    return spring;
}

struct Pack {
    const SoftJointOptions& o;
    const JointSource& source;
    std::span<const SoftJointGroup> groups;
    const RowProblem& q;
};

void pack_joint(const Pack& p, const SoftRigJointKind& kind, const std::array<int, kSoftRigLanes>& anchor,
                const std::array<int, kSoftRigLanes>& place, SoftRigJoint& out) {
    out = {};
    for (int l = 0; l < kSoftRigLanes; ++l) {
        for (SoftRigLane& s : out.softness) s.v[l] = 1; // where the lane is not used
        out.axes_a[0].v[l] = out.axes_b[0].v[l] = 1;
        if (anchor[l] < 0) continue;
        const SoftJointGroup& g = p.groups[anchor[l]];
        const Table& t = (*p.source.constraints)[p.source.rows->key[g.source] >> 40];
        const JointAnchor& at = joint_anchor(t, int(p.source.rows->key[g.source] & ((std::uint64_t(1) << 40) - 1)));
        const int a = g.body_a - p.source.dofs.points, b = g.body_b - p.source.dofs.points;
        const Quat qa = quat(p.source.at.q[a]), qb = quat(p.source.at.q[b]);
        const Vec3 ra = qa * vec(at.local[0]), rb = qb * vec(at.local[1]);
        put4(out.axes_a, l, qa * quat(at.axes[0]));
        put4(out.axes_b, l, qb * quat(at.axes[1]));
        put3(out.start_a, l, ra);
        put3(out.start_b, l, rb);
        put3(out.start_d, l, (vec(p.source.at.p[b]) + rb) - (vec(p.source.at.p[a]) + ra));
        if (!kind.place) continue;
        const SoftJointGroup& holds = p.groups[place[l]];
        const RowSpring s = find_spring(p.o, *p.source.rows, holds, 0);
        out.gain.v[l] = s.gain;
        for (int k = 0; k < 3 && kind.soft; ++k) out.softness[k].v[l] = s.softness;
        put3(out.impulse, l, Eigen::Map<const Vec3>(p.q.impulse.data() + p.q.groups[holds.group].row) / p.o.substeps);
    }
}

void pack_row(const Pack& p, const SoftRigRowKind& kind, const std::array<SoftRigSource, kSoftRigLanes>& source, SoftRigRow& out) {
    out = {};
    for (int l = 0; l < kSoftRigLanes; ++l) {
        out.low.v[l] = -1e300, out.high.v[l] = 1e300;
        out.softness.v[l] = 1;
        if (source[l].group < 0) continue;
        const SoftJointGroup& g = p.groups[source[l].group];
        const RowGroup& from = p.q.groups[g.group];
        const Rows& rows = *p.source.rows;
        const int row = rows.row_begin[g.source] + source[l].row;
        const RowSpring s = find_spring(p.o, rows, g, source[l].row);
        if (kind.soft) out.softness.v[l] = s.softness;
        out.gain.v[l] = s.gain;
        out.c.v[l] = g.position ? rows.c[row] : 0;
        out.rate.v[l] = s.rate;
        if (from.set == RowSet::lower) out.low.v[l] = 0;
        if (from.set == RowSet::box) out.low.v[l] = -from.limit / p.o.substeps, out.high.v[l] = from.limit / p.o.substeps;
        out.impulse.v[l] = std::clamp(p.q.impulse[from.row + source[l].row] / p.o.substeps, out.low.v[l], out.high.v[l]);
        out.active.v[l] = !kind.bounded;
    }
}

SoftRigNumbers numbers_of(const SoftJointOptions& o) { return {o.h, o.trace, false, SoftRigPass::first}; }

} // namespace

void pack_soft_rigs(const Parallel& parallel, const SoftJointOptions& o, const JointSource& source, std::span<const SoftJointGroup> groups,
                    const std::vector<int>& place, const RowProblem& q, SoftRigs& t) {
    t.avx2 = has_avx2();
    const Pack pack{o, source, groups, q};
    parallel_for(parallel, int(t.batches.size()), kSoftRigGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            SoftRigBatch& b = t.batches[i];
            const SoftRigPlan& p = t.plans[b.plan];
            b.ready = false;
            for (int k = 0; k < int(p.body.size()); ++k) pack_body(place, q, t.number[b.body + k], k < p.moving, t.bodies[b.body + k]);
            for (int k = 0; k < int(p.joints.size()); ++k)
                pack_joint(pack, p.joints[k], t.anchor[b.joint + k], t.place[b.joint + k], t.joints[b.joint + k]);
            for (int k = 0; k < int(p.rows.size()); ++k) pack_row(pack, p.rows[k], t.source[b.row + k], t.rows[b.row + k]);
        }
    });
}

void refresh_soft_rigs(const Parallel& parallel, const SoftJointOptions& o, bool moved, const std::vector<SoftBody<float>>& bodies, SoftRigs& t) {
    SoftRigNumbers n = numbers_of(o);
    n.begins = !moved;
    for_each_batch(parallel, t, [&](const SoftRigLoops& loops, SoftRigView& v) { loops.refresh(v, n, bodies.data()); });
}

void warm_start_soft_rigs(const Parallel& parallel, SoftRigs& t, std::vector<SoftBody<float>>& bodies) {
    for_each_batch(parallel, t, [&](const SoftRigLoops& loops, SoftRigView& v) { loops.warm_start(v, bodies.data()); });
}

Real solve_soft_rigs(const Parallel& parallel, const SoftJointOptions& o, SoftRigPass pass, SoftRigs& t, std::vector<SoftBody<float>>& bodies) {
    SoftRigNumbers n = numbers_of(o);
    n.pass = pass;
    for_each_batch(parallel, t, [&](const SoftRigLoops& loops, SoftRigView& v) { loops.solve(v, n, bodies.data()); });
    Real worst = 0;
    for (Real e : t.error) worst = std::max(worst, e);
    return worst;
}

void read_soft_rigs(int substeps, std::span<const SoftJointGroup> groups, const SoftRigs& t, RowProblem& q) {
    for (std::size_t k = 0; k < t.place.size(); ++k)
        for (int l = 0; l < kSoftRigLanes; ++l)
            if (const int g = t.place[k][l]; g >= 0)
                for (int c = 0; c < 3; ++c) q.impulse[q.groups[groups[g].group].row + c] = t.joints[k].impulse[c].v[l] * substeps;
    for (std::size_t k = 0; k < t.source.size(); ++k)
        for (int l = 0; l < kSoftRigLanes; ++l)
            if (const SoftRigSource from = t.source[k][l]; from.group >= 0)
                q.impulse[q.groups[groups[from.group].group].row + from.row] = t.rows[k].impulse.v[l] * substeps;
}

} // namespace sinew
