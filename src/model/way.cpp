#include "model/way.h"
#include "model/field.h"
#include "model/visit.h"

namespace sinew {

namespace {

constexpr std::string_view kWayMemory = "ways"; // position and rotation of each
constexpr std::size_t kWayNumbers = 7;

// [s] between the points of a difference. A motion of 100 rad/s is right to (100 delta)^4/5 = 4e-9 of its speed, rounding is 1e-12 m/s for each
// metre from the origin.
constexpr Real kDelta = 0x1p-13;

Gauges gauges_of(const State& s) {
    const std::vector<double>* held = find_memory(s, kGaugeMemory);
    return held ? Gauges(*held) : Gauges();
}

Moved moved_to(const Pose& rest, const Vec3& p, const Quat& q, const Vec3& v, const Vec3& w) {
    Moved m;
    m.turn = q * quat(rest.rotation).conjugate();
    m.shift = p - m.turn * vec(rest.position);
    m.spin = w;
    m.velocity = v - w.cross(p);
    return m;
}

Moved carry(const Moved& parent, const Moved& own) {
    Moved m;
    m.turn = parent.turn * own.turn;
    m.shift = parent.turn * own.shift + parent.shift;
    const Vec3 spin = parent.turn * own.spin;
    m.spin = parent.spin + spin;
    m.velocity = parent.velocity + parent.turn * own.velocity + parent.shift.cross(spin);
    return m;
}

// derivative of position and rotation, by points at t + k delta; whether they change as evenly as a motion does in so short a time
Vec6 difference(const Motion& m, const Pose& here, Real t, Real delta, Gauges gauges, bool& even) {
    Vec6 f[5];
    f[0].setZero();
    for (int k = 1; k < 5; ++k) {
        const Pose there = evaluate_motion(m, t + k * delta, gauges);
        f[k].head<3>() = vec(there.position) - vec(here.position);
        f[k].tail<3>() = log_rotation(quat(there.rotation) * quat(here.rotation).conjugate());
    }
    Real largest = 0, uneven = 0;
    for (int k = 1; k < 5; ++k) {
        const Vec6 step = f[k] - f[k - 1];
        largest = std::max(largest, step.norm());
        uneven = std::max(uneven, (step - f[1]).norm());
    }
    even = uneven <= 0.5 * largest;
    return (4 * f[1] - 3 * f[2] + Real(4) / 3 * f[3] - 0.25 * f[4]) / delta;
}

Moved moved_by(const Way& w, Real t, Gauges gauges, bool rates) {
    const Pose pose = evaluate_motion(w.motion, t, gauges);
    Vec6 rate = Vec6::Zero();
    if (rates) {
        bool even = false;
        rate = difference(w.motion, pose, t, kDelta, gauges, even);
        // it turns round, begins or jumps: the smaller of both sides
        if (!even)
            if (const Vec6 behind = difference(w.motion, pose, t, -kDelta, gauges, even); behind.norm() < rate.norm()) rate = behind;
    }
    return moved_to(w.rest, vec(pose.position), quat(pose.rotation), rate.head<3>(), rate.tail<3>());
}

// from one pose to another, evenly
Moved moved_between(const Pose& rest, const Pose& from, const Pose& to, Real t, const WayStep& step) {
    const Real h = step.after.time - step.before.time;
    const Real part = h > 0 ? std::clamp((t - step.before.time) / h, Real(0), Real(1)) : 1;
    const Vec3 way = vec(to.position) - vec(from.position);
    const Vec3 turn = log_rotation(quat(to.rotation) * quat(from.rotation).conjugate());
    const Real rate = h > 0 ? 1 / h : 0;
    return moved_to(rest, vec(from.position) + part * way, exp_rotation(part * turn) * quat(from.rotation), rate * way, rate * turn);
}

Pose frame_pose(const State& s, int i) { return {s.frame.p[i], s.frame.q[i]}; }
bool same_pose(const Pose& a, const Pose& b) { return a.position == b.position && a.rotation == b.rotation; }

Moved moved_with(const Model& m, const Way& w, Real t, const WayStep& step) {
    const FrameState &a = step.before.frame, &b = step.after.frame;
    const int i = w.frame;
    const Pose from = frame_pose(step.before, i), to = frame_pose(step.after, i);
    const bool held = m.frame.flags[i] & kFixed;
    if (held && same_pose(from, to) && same_pose(to, w.rest)) return {}; // to the last bit
    Moved moved = moved_between(w.rest, from, to, t, step);
    if (held) return moved;
    const Real h = step.after.time - step.before.time, s = std::clamp(t - step.before.time, Real(0), h), part = h > 0 ? s / h : 1;
    const Vec3 faster = vec(b.v[i]) - vec(a.v[i]);
    const Vec3 p = vec(from.position) + part * (vec(to.position) - vec(from.position)) - 0.5 * s * (1 - part) * faster;
    const Quat q = moved.turn * quat(w.rest.rotation);
    return moved_to(w.rest, p, q, vec(a.v[i]) + part * faster, vec(a.w[i]) + part * (vec(b.w[i]) - vec(a.w[i])));
}

Moved script_at(const Model& m, const Way& w, Real t, const WayStep& step, bool rates) {
    const Moved own = w.has_motion ? moved_by(w, t, gauges_of(step.after), rates) : Moved{};
    return w.parent < 0 ? own : carry(moved_at(m, w.parent, t, step), own);
}

// whether the body was where the scene would have it
bool is_there(const Model& m, const Way& w, const State& s, const WayStep& step) {
    const Moved moved = script_at(m, w, s.time, step, false);
    const Pose pose = frame_pose(s, w.frame);
    const Vec3 p = vec(pose.position);
    const Vec4 q = (moved.turn * quat(w.rest.rotation)).coeffs(), there = quat(pose.rotation).coeffs();
    constexpr Real kSame = 1e-9; // rounding of solvers is less, a program means more
    return (moved.place(vec(w.rest.position)) - p).norm() <= kSame * (1 + p.norm()) && std::min((q - there).norm(), (q + there).norm()) <= kSame;
}

bool remembers(const Way& w) { return w.frame < 0 && w.has_motion && uses_gauges(w.motion); }

// of what has no frame and reads measurements
Moved moved_from_memory(const Ways& ways, int way, Real t, const WayStep& step) {
    const Way& w = ways.all[std::size_t(way)];
    const Pose to = evaluate_motion(w.motion, step.after.time, gauges_of(step.after));
    const std::vector<double>* memory = find_memory(step.before, kWayMemory);
    if (!memory || memory->size() != kWayNumbers * ways.all.size()) return moved_between(w.rest, to, to, t, step);
    const double* n = memory->data() + kWayNumbers * std::size_t(way);
    return moved_between(w.rest, {{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}}, to, t, step);
}

} // namespace

Moved moved_at(const Model& m, int way, Real t, const WayStep& step) {
    if (way < 0 || !m.ways) return {};
    const Way& w = m.ways->all[std::size_t(way)];
    if (w.frame < 0) {
        if (!remembers(w)) return script_at(m, w, t, step, true);
        const Moved own = moved_from_memory(*m.ways, way, t, step);
        return w.parent < 0 ? own : carry(moved_at(m, w.parent, t, step), own);
    }
    const bool led = (w.has_motion || w.parent >= 0) && is_there(m, w, step.before, step) && is_there(m, w, step.after, step);
    return led ? script_at(m, w, t, step, true) : moved_with(m, w, t, step);
}

void remember_ways(const Model& m, State& s) {
    if (!m.ways) return;
    const std::vector<Way>& all = m.ways->all;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (!remembers(all[k])) continue;
        const Pose pose = evaluate_motion(all[k].motion, s.time, gauges_of(s));
        double* n = memory_array(s, kWayMemory, kWayNumbers * all.size()).data() + kWayNumbers * k;
        const Real3& p = pose.position;
        const Real4& q = pose.rotation;
        std::copy_n(std::array{p.x, p.y, p.z, q.w, q.x, q.y, q.z}.data(), kWayNumbers, n);
    }
}

} // namespace sinew
