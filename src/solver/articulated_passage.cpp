#include "solver/articulated_passage.h"
#include "geometry/shape_bounds.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr Real kLinkNear = 0.05; // part of the half thickness that is left between
constexpr int kLinkPassageGrain = 4; // pairs per task

struct PassageSearch {
    const Model& m;
    const Forest& f;
    const ContactStage& stage;
    std::span<const LinkMotion> motion;
    const FrameState& frames;
    Real margin, dt;
    LinkPassage& p;
    const ShapeScratch& shapes = stage.shapes;

    int link_of(int leaf) const { return stage.rows.link_of_body[stage.rows.first_frame + shapes.leaves[leaf].frame]; }
    int tree_of(int leaf) const { return link_of(leaf) < 0 ? -1 : f.links[link_of(leaf)].tree; }
    Real part_of(int leaf) const { return tree_of(leaf) < 0 ? 1 : p.part[tree_of(leaf)]; }
    RigidMotion motion_of(int leaf) const;
    bool stays(int leaf) const;
    bool find_fast();
    void list_pairs();
};

// over all of the step, of which it goes a part
RigidMotion PassageSearch::motion_of(int leaf) const {
    const ShapeLeaf& l = shapes.leaves[leaf];
    const Placement& start = shapes.body[l.collider];
    const int link = link_of(leaf);
    RigidMotion out{l.place, from(l.place, start.p)};
    if (link < 0) {
        out.shift = dt * vec(frames.v[l.frame]), out.turn = dt * vec(frames.w[l.frame]);
        return out;
    }
    const Real part = part_of(leaf);
    if (!(part > 0)) return out;
    out.shift = (motion[link].p - start.p) / part;
    // the rotation nearest to that of its spin: more than half a turn too
    const Vec3 shortest = log_rotation(motion[link].q * Quat(start.R).conjugate()), expected = part * p.turned[link];
    const Real angle = shortest.norm(), most = expected.norm();
    Vec3 turn = shortest;
    if (most > 0) {
        const Vec3 u = angle > 1e-6 ? Vec3(shortest / angle) : Vec3(expected / most);
        turn += 2 * kPi * std::round((expected - shortest).dot(u) / (2 * kPi)) * u;
    }
    out.turn = turn / part;
    return out;
}

// whether detection has seen its end
bool PassageSearch::stays(int leaf) const {
    const Aabb end = shape_bounds(*shapes.leaves[leaf].convex, place_at(p.motion[leaf], part_of(leaf))), &known = shapes.boxes[leaf];
    return (end.lo.array() >= known.lo.array() - margin).all() && (end.hi.array() <= known.hi.array() + margin).all();
}

bool PassageSearch::find_fast() {
    p.fast.assign(shapes.leaves.size(), 0);
    p.motion.resize(shapes.leaves.size());
    bool any = false;
    for (int k = 0; k < int(shapes.leaves.size()); ++k) {
        const ShapeLeaf& leaf = shapes.leaves[k];
        const int link = link_of(k);
        if (link < 0 || stage.still[f.links[link].tree] || !shapes.tags[k].alive) continue;
        const Vec3 p0 = shapes.body[leaf.collider].p;
        const Real shift = (motion[link].p - p0).norm(), turn = std::min(Real(2), p.turned[link].norm());
        const Real most = kCoreDepth * half_thickness(shapes.cache, leaf.shape, leaf.convex);
        if (!(most > 0)) continue;
        // first by the box, which holds the shape: no look at the vertices of a hull
        const Vec3 reach = (shapes.boxes[k].hi - p0).cwiseAbs().cwiseMax((shapes.boxes[k].lo - p0).cwiseAbs());
        if (shift + turn * reach.norm() <= most) continue;
        const Real lever = radius_about(*leaf.convex, from(leaf.place, p0));
        if (shift + turn * lever <= most) continue;
        p.motion[k] = motion_of(k);
        p.fast[k] = 1;
        any = true;
    }
    return any;
}

// of a fast leaf and what may be in its way
void PassageSearch::list_pairs() {
    p.pairs.clear();
    const auto add = [&](int a, int b) {
        const LeafTag &ta = shapes.tags[a], &tb = shapes.tags[b];
        if (ta.frame == tb.frame || ta.object == tb.object || !ta.alive || !tb.alive || tree_of(a) == tree_of(b)) return;
        if (!find_pair_rule(m, shapes.rules, ta.object, tb.object).touches) return;
        if (!p.fast[b]) p.motion[b] = motion_of(b);
        p.pairs.push_back({a, b, 1});
    };
    for (const Pair& q : shapes.pairs) {
        if (p.fast[q[0]]) add(q[0], q[1]);
        if (p.fast[q[1]]) add(q[1], q[0]);
    }
    // those that detection found are all there are, unless something went where its velocity did not lead
    for (int k = 0; k < int(shapes.leaves.size()); ++k) {
        if (!p.fast[k] || stays(k)) continue;
        const Vec3 p0 = shapes.body[shapes.leaves[k].collider].p, p1 = p0 + part_of(k) * p.motion[k].shift;
        const ShapeLeaf& leaf = shapes.leaves[k];
        const Vec3 lever = Vec3::Constant(radius_about(*leaf.convex, from(leaf.place, p0)));
        const Aabb way{p0.cwiseMin(p1) - lever, p0.cwiseMax(p1) + lever};
        for (int i = 0; i < int(shapes.leaves.size()); ++i)
            if (i != k && overlap(shapes.boxes[i], way) && !overlap(shapes.boxes[i], shapes.boxes[k])) add(k, i);
    }
}

} // namespace

void begin_passage(const Forest& f, const LinkRows& rows, LinkPassage& p) {
    p.part.assign(f.trees.size(), 1);
    p.changed.assign(f.trees.size(), 0);
    p.turned.resize(f.links.size());
    p.joined.resize(f.trees.size());
    for (std::size_t t = 0; t < f.trees.size(); ++t)
        p.joined[t] = f.links[rows.clusters[rows.cluster_of[f.trees[t].begin]].links[0]].tree;
}

bool find_stops(const Parallel& parallel, const Model& m, const ArticulatedSettings& o, const Forest& f, const ContactStage& stage,
                std::span<const LinkMotion> motion, const FrameState& frames, Real dt, bool last, LinkPassage& p) {
    std::fill(p.changed.begin(), p.changed.end(), 0);
    const ShapeScratch& shapes = stage.shapes;
    if (m.colliders.empty() || shapes.leaves.empty()) return false;
    PassageSearch search{m, f, stage, motion, frames, o.margin, dt, p};
    if (!search.find_fast()) return false;
    search.list_pairs();
    if (int(p.workers.size()) < thread_count(parallel)) p.workers.resize(thread_count(parallel));
    parallel_for_workers(parallel, int(p.pairs.size()), kLinkPassageGrain, [&](int worker, int begin, int end) {
        for (int k = begin; k < end; ++k) {
            LinkPassage::Pair& pair = p.pairs[k];
            const ShapeLeaf &a = shapes.leaves[pair.a], &b = shapes.leaves[pair.b];
            const Followed followed = followed_of(shapes.cache, a.shape, a.convex);
            const MovingShape other{b.shape, b.convex, p.motion[pair.b], search.part_of(pair.b)};
            pair.time = find_passage(shapes.cache, followed, p.motion[pair.a], search.part_of(pair.a), other, std::min(kLinkNear * followed.inner, o.margin / 4),
                                     p.workers[worker]);
        }
    });
    bool any = false;
    const auto stop = [&](int tree, Real time) {
        if (tree < 0) return;
        const int first = p.joined[tree];
        if (!(time < p.part[first])) return;
        p.part[first] = last ? 0 : time;
        p.changed[first] = 1;
        any = true;
    };
    for (const LinkPassage::Pair& pair : p.pairs) {
        if (pair.time > 1) continue;
        stop(search.tree_of(pair.a), pair.time);
        if (p.fast[pair.b]) stop(search.tree_of(pair.b), pair.time);
    }
    for (std::size_t t = 0; t < f.trees.size(); ++t) p.part[t] = p.part[p.joined[t]], p.changed[t] = p.changed[p.joined[t]];
    return any;
}

} // namespace sinew
