// No body gets through another within a step, however fast it turns (collision/passage.h). Rows of contacts hold what they know:
// points and directions of the start. What turns too far for them, or goes where its velocity did not lead, is followed from its first pose to its last; if its
// core meets something on the way, it stops where it touches for the first time and goes on from there in the next step, which finds
// the contact as it is then. Velocities stay; the rest of that body's step is lost, but that it goes along with what it met if that moves on.
// Bodies that are joined stop together, so that joints stay closed. Bodies that stop are in the way of others: in rounds, until
// nothing changes.
#include "collision/passage.h"
#include "geometry/shape_bounds.h"
#include "solver/velocity_step.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr Real kNear = 0.05;   // part of the half thickness that is left between
constexpr Real kBend = 0.5;    // part of that depth which rows may miss
constexpr int kRounds = 8;
constexpr int kPassageGrain = 4; // pairs per task

// The rotation vector nearest to the expected one that ends at the rotation: more than half a turn too.
Vec3 turn_to(const Quat& from, const Quat& to, const Vec3& expected) {
    const Vec3 shortest = log_rotation(to * from.conjugate());
    const Real angle = shortest.norm(), most = expected.norm();
    if (!(most > 0)) return shortest;
    const Vec3 u = angle > 1e-6 ? Vec3(shortest / angle) : Vec3(expected / most);
    return shortest + 2 * kPi * std::round((expected - shortest).dot(u) / (2 * kPi)) * u;
}

// of all points within the lever of a centre that goes straight
Aabb box_of_way(const Vec3& from, const Vec3& to, Real lever) {
    return {from.cwiseMin(to) - Vec3::Constant(lever), from.cwiseMax(to) + Vec3::Constant(lever)};
}

} // namespace

// motion of the leaf's body over the step
RigidMotion VelocitySolver::motion_of(const Model& m, const ShapeLeaf& leaf, Real h, const State& s) const {
    const int b = point_count(m) + leaf.frame;
    const Placement& start = shapes.body[leaf.collider];
    RigidMotion out{leaf.place, from(leaf.place, start.p)};
    if (still[b]) return out;
    const bool held = !(q.inverse_mass[b] > 0);
    out.shift = held ? Vec3(h * q.v[b]) : Vec3(vec(s.frame.p[leaf.frame]) - start.p);
    out.turn = held ? Vec3(h * q.w[b]) : turn_to(Quat(start.R), quat(s.frame.q[leaf.frame]), turned_by[b]);
    return out;
}

// Whether detection has seen its end, and with it its way: boxes were grown by what velocities and spins lead to.
bool VelocitySolver::stays_in_box(int leaf, const RigidMotion& motion) const {
    const Aabb end = shape_bounds(*shapes.leaves[leaf].convex, place_at(motion, 1)), &known = shapes.boxes[leaf];
    return (end.lo.array() >= known.lo.array() - settings.margin).all() && (end.hi.array() <= known.hi.array() + settings.margin).all();
}

// Leaves that go further than a part of their thickness, on a way that the rows of contacts do not know.
bool VelocitySolver::find_fast(const Model& m, Real h, const State& s) {
    passage.fast.assign(shapes.leaves.size(), 0);
    passage.motion.resize(shapes.leaves.size());
    bool any = false;
    for (std::size_t k = 0; k < shapes.leaves.size(); ++k) {
        const ShapeLeaf& leaf = shapes.leaves[k];
        const int b = point_count(m) + leaf.frame;
        if (shapes.tags[k].held || !shapes.tags[k].alive || !(q.inverse_mass[b] > 0) || still[b]) continue;
        const Vec3 p0 = shapes.body[leaf.collider].p;
        const Real shift = (vec(s.frame.p[leaf.frame]) - p0).norm(), turn = std::min(Real(2), turned_by[b].norm());
        const Real most = kCoreDepth * half_thickness(shapes.cache, leaf.shape, leaf.convex);
        if (!(most > 0)) continue;
        // first by the box, which holds the shape: no look at the vertices of a hull
        const Vec3 reach = (shapes.boxes[k].hi - p0).cwiseAbs().cwiseMax((shapes.boxes[k].lo - p0).cwiseAbs());
        if (shift + turn * reach.norm() <= most) continue;
        const Real lever = radius_about(*leaf.convex, from(leaf.place, p0));
        if (shift + turn * lever <= most) continue;
        // rows see its way as straight, from where it starts: what that misses, what goes further than its size, and where its velocity did not lead
        const bool bends = lever * (1 - std::cos(std::min(kPi, turned_by[b].norm()))) > kBend * most;
        passage.motion[k] = motion_of(m, leaf, h, s);
        if (!bends && shift < lever && stays_in_box(int(k), passage.motion[k])) continue;
        passage.fast[k] = 1;
        any = true;
    }
    return any;
}

// pairs of a fast leaf and what is in its way
void VelocitySolver::list_passages(const Model& m, Real h, const State& s) {
    passage.pairs.clear();
    const auto add = [&](int a, int b) {
        const LeafTag &ta = shapes.tags[a], &tb = shapes.tags[b];
        if (ta.frame == tb.frame || ta.object == tb.object || !ta.alive || !tb.alive) return;
        if (!passage.fast[b]) passage.motion[b] = motion_of(m, shapes.leaves[b], h, s);
        if (find_pair_rule(m, shapes.rules, ta.object, tb.object).touches) passage.pairs.push_back({a, b, 1});
    };
    // those that detection found are all there are, unless something went where its velocity did not lead
    for (const Pair& p : shapes.pairs) {
        if (passage.fast[p[0]]) add(p[0], p[1]);
        if (passage.fast[p[1]]) add(p[1], p[0]);
    }
    for (int k = 0; k < int(shapes.leaves.size()); ++k) {
        if (!passage.fast[k]) continue;
        const Vec3 p0 = shapes.body[shapes.leaves[k].collider].p, p1 = p0 + passage.motion[k].shift;
        const ShapeLeaf& leaf = shapes.leaves[k];
        const Real lever = radius_about(*leaf.convex, from(leaf.place, p0));
        if (stays_in_box(k, passage.motion[k])) continue;
        const Aabb way = box_of_way(p0, p1, lever);
        for (int i = 0; i < int(shapes.leaves.size()); ++i)
            if (overlap(shapes.boxes[i], way) && !overlap(shapes.boxes[i], shapes.boxes[k])) add(k, i);
    }
}

// bodies that move and are held together by joints, whatever they touch
void VelocitySolver::find_joined() {
    std::vector<int>& to = passage.joined;
    to.resize(q.body_count());
    for (int b = 0; b < q.body_count(); ++b) to[b] = b;
    const auto first_of = [&](int b) {
        for (; to[b] != b; b = to[b]) to[b] = to[to[b]];
        return b;
    };
    for (const RowGroup& g : q.groups) {
        if (g.set == RowSet::contact) continue;
        int first = first_of(first_free(g));
        for (int k = 0; k < g.sides; ++k) {
            const int b = q.body[g.side + k];
            if (!(q.inverse_mass[b] > 0)) continue;
            const int other = first_of(b);
            to[std::max(first, other)] = std::min(first, other);
            first = std::min(first, other);
        }
    }
    for (int b = 0; b < q.body_count(); ++b) to[b] = to[to[b]]; // those before have theirs
}

// The body stops no later than that, at the leaf of another; joined ones together. True if it went on before.
bool VelocitySolver::stop_at(int body, Real time, int leaf) {
    const int k = passage.joined[body];
    if (!(time < passage.until[k])) return false;
    passage.until[k] = time, passage.stopped_by[k] = leaf;
    return true;
}

void VelocitySolver::stop_passages(const Model& m, Real h, State& s) {
    if (shapes.leaves.empty() || !find_fast(m, h, s)) return;
    list_passages(m, h, s);
    if (passage.pairs.empty()) return;
    find_joined();
    passage.until.assign(q.body_count(), 1);
    passage.stopped_by.assign(q.body_count(), -1);
    const auto first_of = [&](int leaf) { return passage.joined[point_count(m) + shapes.leaves[leaf].frame]; };
    if (int(passage.workers.size()) < thread_count(*parallel)) passage.workers.resize(thread_count(*parallel));
    bool changed = true, any = false;
    for (int round = 0; changed && round < kRounds; ++round) {
        parallel_for_workers(*parallel, int(passage.pairs.size()), kPassageGrain, [&](int worker, int begin, int end) {
            for (int k = begin; k < end; ++k) {
                PassagePair& p = passage.pairs[k];
                const ShapeLeaf &a = shapes.leaves[p.a], &b = shapes.leaves[p.b];
                const Real ua = passage.until[first_of(p.a)], ub = passage.until[first_of(p.b)];
                if (round > 0 && ua == p.until_a && ub == p.until_b) {
                    p.time = 1;
                    continue;
                }
                p.until_a = ua, p.until_b = ub;
                const Followed followed = followed_of(shapes.cache, a.shape, a.convex);
                p.time = find_passage(shapes.cache, followed, passage.motion[p.a], ua, {b.shape, b.convex, passage.motion[p.b], ub},
                                      std::min(kNear * followed.inner, settings.margin / 4), passage.workers[worker]);
            }
        });
        changed = false;
        for (const PassagePair& p : passage.pairs) {
            changed = stop_at(first_of(p.a), p.time, p.b) || changed;
            changed = (passage.fast[p.b] && stop_at(first_of(p.b), p.time, p.a)) || changed;
        }
        any = any || changed;
    }
    if (!any) return;
    for (int f = 0; f < frame_count(m); ++f)
        if (passage.until[passage.joined[point_count(m) + f]] < 1) move_until(m, f, s);
}

void VelocitySolver::move_until(const Model& m, int f, State& s) {
    const int b = point_count(m) + f, first = passage.joined[b];
    if (!(q.inverse_mass[b] > 0) || still[b]) return;
    const Real t = passage.until[first];
    const Quat start = quat(before != &s ? before->frame.q[f] : passage.start[f]); // several sub-steps share a state
    const Vec3 turn = turn_to(start, quat(s.frame.q[f]), turned_by[b]);
    Vec3 p = q.x[b] + t * (vec(s.frame.p[f]) - q.x[b]);
    Quat r = exp_rotation(t * turn) * start;
    // what stopped it goes on and takes it along
    const int leaf = passage.stopped_by[first];
    if (const Real end = passage.until[passage.joined[point_count(m) + shapes.leaves[leaf].frame]]; end > t) {
        const Placement from = place_at(passage.motion[leaf], t), to = place_at(passage.motion[leaf], end);
        const Mat3 way = to.R * from.R.transpose();
        p = to.p + way * (p - from.p);
        r = Quat(way) * r;
    }
    s.frame.p[f] = real3(p);
    s.frame.q[f] = real4(r.normalized());
    // Rows have not seen what it runs into, step after step: it turns too far for them. Half of it, and half a radian per step at most.
    if (!(t > 0)) s.frame.w[f] = real3(0.5 / std::max(1.0, turn.norm()) * vec(s.frame.w[f]));
}

} // namespace sinew
