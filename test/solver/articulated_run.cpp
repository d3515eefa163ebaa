#include "solver/articulated_run.h"
#include "core/math.h"

namespace sinew {

ArticulatedRun::ArticulatedRun(Forest f, const std::vector<Real>& q, const std::vector<Real>& qd,
                               const ArticulatedSettings& settings, bool gravity, int threads)
    : forest(std::move(f)) {
    std::vector<LinkMotion> motion(forest.links.size());
    const Range all{0, int(forest.links.size())};
    std::vector<BaseMotion> bases(forest.base_frames.size());
    for (std::size_t i = 0; i < bases.size(); ++i) {
        begin_object(b, "base" + std::to_string(i), "box");
        forest.base_frames[i] = add_frame(b, {}, 1, {1, 0, 0, 0, 1, 0, 0, 0, 1}, kFixed);
    }
    compute_positions(forest, all, bases, q.data(), motion.data());
    compute_velocities(forest, all, bases, q.data(), qd.data(), motion.data());
    for (int i = 0; i < all.end; ++i) {
        begin_object(b, "link" + std::to_string(i), "box");
        const Pose pose{real3(motion[i].p), real4(motion[i].q)};
        Link& l = forest.links[i];
        l.frame = add_frame(b, pose, l.mass, real33(l.inertia), kFree, real3(motion[i].v.head<3>()),
                            real3(motion[i].v.tail<3>()));
        const ElementRow& row = *find_energy("gravity_frame");
        if (gravity) add_energy(b, row, row.make_params().get(), std::array<int, 1>{l.frame});
    }
    finish_model(b);
    now = b.state;
    solver = make_articulated_forest({.threads = threads}, b.model, now, settings, forest);
}
void ArticulatedRun::step(Real dt) {
    if (drop) solver->drop_caches();
    report = solver->step(b.model, input, now, spare, dt);
    ASSERT_EQ(report.status, Status::ok) << report.message;
    std::swap(now, spare);
}
void ArticulatedRun::steps(int count, Real dt) {
    for (int i = 0; i < count; ++i) step(dt);
}
Real ArticulatedRun::energy() const {
    Real e = 0;
    for (const Link& l : forest.links) {
        const Quat q = quat(now.frame.q[l.frame]);
        const Vec3 w = q.conjugate() * vec(now.frame.w[l.frame]), v = vec(now.frame.v[l.frame]);
        e += 0.5 * l.mass * v.squaredNorm() + 0.5 * w.dot(l.inertia * w) + 9.81 * l.mass * now.frame.p[l.frame].y;
    }
    return e;
}
Vec3 ArticulatedRun::momentum() const {
    Vec3 sum = Vec3::Zero();
    for (const Link& l : forest.links) sum += l.mass * vec(now.frame.v[l.frame]);
    return sum;
}
Vec3 ArticulatedRun::angular_momentum() const {
    Vec3 sum = Vec3::Zero();
    for (const Link& l : forest.links) {
        const Quat q = quat(now.frame.q[l.frame]);
        const Vec3 spin = q * (l.inertia * (q.conjugate() * vec(now.frame.w[l.frame])));
        sum += l.mass * vec(now.frame.p[l.frame]).cross(vec(now.frame.v[l.frame])) + spin;
    }
    return sum;
}

ArticulatedSettings scheme(const char* name) {
    ArticulatedSettings s;
    s.scheme = name;
    return s;
}
Forest hanging_chain(int count, JointType kind, Real inertia) {
    Forest f;
    for (int i = 0; i < count; ++i) {
        Link l;
        l.parent = i - 1;
        l.kind = kind;
        const Quat axis = rotation_between(Vec3::UnitX(), Vec3::UnitZ());
        l.a = {Vec3::Zero(), axis};
        l.b = {Vec3(0, 1, 0), axis};
        l.inertia = inertia * Mat3::Identity();
        f.links.push_back(l);
    }
    finish_forest(f);
    return f;
}

} // namespace sinew
