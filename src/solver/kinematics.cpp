#include "solver/kinematics.h"
#include "model/field.h"

namespace sinew {

void build_prescribed(const Model& m, const Input& input, const State& now, Real dt, Prescribed& out) {
    out.points.clear();
    out.frame_velocity.assign(frame_count(m), {});
    out.frame_spin.assign(frame_count(m), {});
    if (!input.points.empty() && int(out.point_velocity.size()) != point_count(m)) out.point_velocity.resize(point_count(m));
    for (const PointTarget& t : input.points) {
        if (t.point < 0 || t.point >= point_count(m) || !(m.point.flags[t.point] & kFixed)) continue;
        out.points.push_back(t.point);
        out.point_velocity[t.point] = real3((vec(t.x) - vec(now.point.x[t.point])) / dt);
    }
    for (const Target& t : input.targets) {
        const Object* o = object_of(m, t.object);
        if (!o) continue;
        const Range frames = o->frames;
        for (int i = frames.begin; i < frames.end; ++i) {
            if (!(m.frame.flags[i] & kFixed)) continue;
            const Quat turn = quat(t.pose.rotation) * quat(now.frame.q[i]).conjugate();
            out.frame_velocity[i] = real3((vec(t.pose.position) - vec(now.frame.p[i])) / dt);
            out.frame_spin[i] = real3(log_rotation(turn) / dt);
        }
    }
}

void stop_fixed(const Parallel& parallel, const Model& m, PointState& points) {
    parallel_for(parallel, point_count(m), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i)
            if (m.point.flags[i] & kFixed) points.v[i] = {};
    });
}

void place_fixed(const Model& m, const Prescribed& given, const State& now, Real elapsed, PointState& points,
                 FrameState& frames) {
    for (int i : given.points) {
        points.x[i] = real3(vec(now.point.x[i]) + elapsed * vec(given.point_velocity[i]));
        points.v[i] = given.point_velocity[i];
    }
    for (int i = 0; i < frame_count(m); ++i) {
        if (!(m.frame.flags[i] & kFixed)) continue;
        frames.v[i] = given.frame_velocity[i];
        frames.w[i] = given.frame_spin[i];
        frames.p[i] = real3(vec(now.frame.p[i]) + elapsed * vec(given.frame_velocity[i]));
        const Vec3 turn = elapsed * vec(given.frame_spin[i]);
        frames.q[i] = turn.squaredNorm() == 0 ? now.frame.q[i]
                                              : real4((exp_rotation(turn) * quat(now.frame.q[i])).normalized());
    }
}

void place_fixed_scalars(const Model& m, const Input& input, const State& now, Real dt, Real elapsed, ScalarState& scalars) {
    const auto place = [&](int i, Real rate) {
        scalars.s[i] = now.scalar.s[i] + elapsed * rate;
        scalars.ds[i] = rate;
    };
    for (int i = 0; i < scalar_count(m); ++i)
        if (m.scalar.flags[i] & kFixed) place(i, now.scalar.ds[i]);
    for (const ScalarTarget& t : input.scalars)
        if (t.scalar >= 0 && t.scalar < scalar_count(m) && (m.scalar.flags[t.scalar] & kFixed))
            place(t.scalar, (t.s - now.scalar.s[t.scalar]) / dt);
}

void set_passive_velocity(const Parallel& parallel, const Model& m, const State& now, Real t, PointState& points) {
    if (m.point.field.empty()) return;
    const Gauges gauges = find_gauges(m.fields.get(), now.memory);
    parallel_for(parallel, point_count(m), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            if (!(m.point.flags[i] & kPassive)) continue;
            if (!points.alive.empty() && !points.alive[i]) continue;
            const int f = m.point.field[i];
            points.v[i] = f < 0 ? Real3{} : real3(velocity_at(m.fields->velocity[f], vec(points.x[i]), t, nullptr, gauges));
        }
    });
}

void advect_passive(const Parallel& parallel, const Model& m, const State& now, Real dt, PointState& next) {
    if (m.point.field.empty()) return;
    const Gauges gauges = find_gauges(m.fields.get(), now.memory);
    parallel_for(parallel, point_count(m), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            if (!(m.point.flags[i] & kPassive) || (!next.alive.empty() && !next.alive[i])) continue;
            const int f = m.point.field[i];
            if (f < 0) continue;
            const VelocityField& field = m.fields->velocity[f];
            const Vec3 x = vec(now.point.x[i]);
            const Vec3 half = x + 0.5 * dt * velocity_at(field, x, now.time, nullptr, gauges);
            next.x[i] = real3(x + dt * velocity_at(field, half, now.time + 0.5 * dt, nullptr, gauges));
            next.v[i] = real3(velocity_at(field, vec(next.x[i]), now.time + dt, nullptr, gauges));
        }
    });
}

} // namespace sinew
