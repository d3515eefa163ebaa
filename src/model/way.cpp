#include "model/way.h"
#include "core/math.h"
#include "model/field.h"
#include "model/motion_rate.h"
#include "model/visit.h"

namespace sinew {

namespace {

constexpr std::string_view kWayMemory = "ways"; // position and rotation of each
constexpr std::size_t kWayNumbers = 7;

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

Moved moved_by(const Way& w, Real t, Gauges gauges, bool rates) {
    MotionRate rate;
    const Pose pose = rates ? evaluate_motion(w.motion, t, gauges, rate) : evaluate_motion(w.motion, t, gauges);
    return moved_to(w.rest, vec(pose.position), quat(pose.rotation), rate.velocity, rate.spin);
}

// rotation vector from one pose to another, the short way
Vec3 turn_between(const Pose& from, const Pose& to) { return log_rotation(quat(to.rotation) * quat(from.rotation).conjugate()); }

// the same end, with the whole turns of what turns by about `expected` meanwhile
Vec3 with_whole_turns(const Vec3& turn, const Vec3& expected) {
    constexpr Real kRound = 2 * kPi;
    const Real angle = turn.norm();
    const Vec3 axis = angle > 1e-6 ? Vec3(turn / angle) : Vec3(expected.normalized());
    return turn + kRound * std::round((expected.dot(axis) - angle) / kRound) * axis;
}

// from one pose to another, evenly
Moved moved_between(const Pose& rest, const Pose& from, const Pose& to, const Vec3& turn, Real t, const WayStep& step) {
    const Real h = step.after.time - step.before.time;
    const Real part = h > 0 ? std::clamp((t - step.before.time) / h, Real(0), Real(1)) : 1;
    const Vec3 way = vec(to.position) - vec(from.position);
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
    Vec3 turn = turn_between(from, to);
    if (held) return moved_between(w.rest, from, to, turn, t, step);
    const Real h = step.after.time - step.before.time, s = std::clamp(t - step.before.time, Real(0), h), part = h > 0 ? s / h : 1;
    turn = with_whole_turns(turn, 0.5 * h * (vec(a.w[i]) + vec(b.w[i])));
    const Vec3 faster = vec(b.v[i]) - vec(a.v[i]);
    const Vec3 p = vec(from.position) + part * (vec(to.position) - vec(from.position)) - 0.5 * s * (1 - part) * faster;
    const Quat q = exp_rotation(part * turn) * quat(from.rotation);
    return moved_to(w.rest, p, q, vec(a.v[i]) + part * faster, vec(a.w[i]) + part * (vec(b.w[i]) - vec(a.w[i])));
}

// where the script alone has it: its own motion, carried by that of its parents
Moved scripted(const Ways& ways, int way, Real t, const WayStep& step, bool rates) {
    const Way& w = ways.all[std::size_t(way)];
    const Moved own = w.has_motion ? moved_by(w, t, gauges_of(step.after), rates) : Moved{};
    return w.parent < 0 ? own : carry(scripted(ways, w.parent, t, step, rates), own);
}

// whether the body was where the scene would have it
bool is_there(const Ways& ways, int way, const State& s, const WayStep& step) {
    const Way& w = ways.all[std::size_t(way)];
    const Moved moved = scripted(ways, way, s.time, step, false);
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
    if (!memory || memory->size() != kWayNumbers * ways.all.size()) return moved_between(w.rest, to, to, Vec3::Zero(), t, step);
    const double* n = memory->data() + kWayNumbers * std::size_t(way);
    const Pose from{{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}};
    return moved_between(w.rest, from, to, turn_between(from, to), t, step);
}

} // namespace

Moved moved_at(const Model& m, int way, Real t, const WayStep& step, bool rates) {
    if (way < 0 || !m.ways) return {};
    const Ways& ways = *m.ways;
    const Way& w = ways.all[std::size_t(way)];
    if (w.frame >= 0) {
        const bool led = (w.has_motion || w.parent >= 0) && is_there(ways, way, step.before, step) && is_there(ways, way, step.after, step);
        return led ? scripted(ways, way, t, step, rates) : moved_with(m, w, t, step);
    }
    const Moved own = remembers(w) ? moved_from_memory(ways, way, t, step) : w.has_motion ? moved_by(w, t, gauges_of(step.after), rates) : Moved{};
    return w.parent < 0 ? own : carry(moved_at(m, w.parent, t, step, rates), own);
}

bool jumps_between(const Model& m, int way, Real from, Real to) {
    for (; way >= 0 && m.ways; way = m.ways->all[std::size_t(way)].parent) {
        const Way& w = m.ways->all[std::size_t(way)];
        if (w.has_motion && jumps_between(w.motion, from, to)) return true;
    }
    return false;
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
