#include "solver/articulated_fixture.h"

namespace sinew {

TreeSample::TreeSample(Forest f, std::uint64_t seed) : forest(std::move(f)) {
    Rng rng{seed, 7, 0};
    for (const Link& l : forest.links) {
        q.resize(l.q_begin + l.q_count);
        set_zero(l.kind, q.data() + l.q_begin);
        Real d[6];
        for (Real& x : d) x = draw_uniform(rng, -1.5, 1.5);
        std::vector<Real> from(q.begin() + l.q_begin, q.end());
        retract_joint(l.kind, from.data(), d, q.data() + l.q_begin);
        Vec6 a;
        for (int k = 0; k < 6; ++k) a[k] = draw_uniform(rng, -5, 5);
        force.push_back(a);
    }
    for (int i = 0; i < forest.v_count; ++i) {
        qd.push_back(draw_uniform(rng, -2, 2));
        tau.push_back(draw_uniform(rng, -2, 2));
    }
    motion.resize(forest.links.size());
    factor.resize(forest.links.size());
    for (int i = 0; i < int(forest.base_frames.size()); ++i) {
        BaseMotion b;
        b.p = random_vec(rng, 1), b.q = quat(draw_rotation(rng));
        for (int k = 0; k < 6; ++k) b.v[k] = draw_uniform(rng, -1, 1), b.a[k] = draw_uniform(rng, -1, 1);
        bases.push_back(b);
    }
    refresh();
}
void TreeSample::refresh() {
    compute_positions(forest, links(), bases, q.data(), motion.data());
    compute_velocities(forest, links(), bases, q.data(), qd.data(), motion.data());
}
std::vector<Real> TreeSample::moved(const std::vector<Real>& d, Real h) const {
    std::vector<Real> out(q.size()), step(d.size());
    for (std::size_t i = 0; i < d.size(); ++i) step[i] = h * d[i];
    for (const Link& l : forest.links)
        retract_joint(l.kind, q.data() + l.q_begin, step.data() + l.v_begin, out.data() + l.q_begin);
    return out;
}

Vec3 random_vec(Rng& rng, Real size) { return size * vec(draw_in_ball(rng)); }
Mat3 random_inertia(Rng& rng) {
    // principal moments of a box, turned
    const Vec3 e(draw_uniform(rng, 0.1, 1), draw_uniform(rng, 0.1, 1), draw_uniform(rng, 0.1, 1));
    const Mat3 r = quat(draw_rotation(rng)).toRotationMatrix();
    const Vec3 d(e.y() + e.z(), e.z() + e.x(), e.x() + e.y());
    return r * d.asDiagonal() * r.transpose() * 0.1;
}
Forest random_tree(Rng& rng, int count, JointType root, int tree) {
    Forest f;
    for (int i = 0; i < count; ++i) {
        Link l;
        l.tree = tree;
        l.parent = i == 0 ? -1 : i - 1 - draw_int(rng, std::min(i, 3));
        l.kind = i == 0 ? root : JointType(draw_int(rng, 8));
        l.a = {random_vec(rng, 0.5), quat(draw_rotation(rng))};
        l.b = {random_vec(rng, 0.5), quat(draw_rotation(rng))};
        l.mass = draw_uniform(rng, 0.2, 3);
        l.inertia = random_inertia(rng);
        f.links.push_back(l);
    }
    finish_forest(f);
    return f;
}
TreeSample make_sample(std::uint64_t seed, int count, JointType root, bool moving_base) {
    Rng rng{seed, 1, 0};
    Forest f = random_tree(rng, count, root);
    if (moving_base) f.base_frames = {0}, f.links[0].base = 0;
    return TreeSample(std::move(f), seed);
}

} // namespace sinew
