#include "solver/explicit_work.h"
#include "model/dofs.h"

namespace sinew {

Real external_work(const Model& m, const Input& input, const Prescribed& prescribed, const std::vector<Real>& f,
                   const State& now, const State& next, Real dt) {
    Real work = 0;
    const auto moved = [&](int i) { return Vec3(vec(next.point.x[i]) - vec(now.point.x[i])); };
    const auto is_held = [&](int i) { return (m.point.flags[i] & kFixed) != 0; };
    for (const PointForce& p : input.point_forces)
        if (p.point >= 0 && p.point < point_count(m) && !is_held(p.point)) work += vec(p.force).dot(moved(p.point));
    for (const Grab& g : input.grabs)
        if (g.point >= 0 && g.point < point_count(m) && !is_held(g.point)) {
            const Vec3 middle = 0.5 * (vec(now.point.x[g.point]) + vec(next.point.x[g.point]));
            work += g.stiffness * (vec(g.target) - middle).dot(moved(g.point));
        }
    for (const int i : prescribed.points) work -= Eigen::Map<const Vec3>(f.data() + 3 * i).dot(moved(i));
    const Dofs dofs = dofs_of(m);
    for (int i = 0; i < scalar_count(m); ++i)
        if (m.scalar.flags[i] & kFixed) work -= f[dofs.scalar_offset(i)] * (next.scalar.s[i] - now.scalar.s[i]);
    for (const BodyForce& b : input.body_forces) {
        const Object* o = object_of(m, b.object);
        if (!o) continue;
        const Range frames = o->frames;
        if (frames.count() == 0 || (m.frame.flags[frames.begin] & kFixed)) continue;
        const int i = frames.begin;
        const Vec3 torque = vec(b.torque) + (vec(b.at) - vec(now.frame.p[i])).cross(vec(b.force));
        work += vec(b.force).dot(vec(next.frame.p[i]) - vec(now.frame.p[i])) +
                0.5 * dt * torque.dot(vec(now.frame.w[i]) + vec(next.frame.w[i]));
    }
    return work;
}

} // namespace sinew
