#include "model/motion.h"
#include "model/motion_rate.h"
#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

// integral of the ramp from its beginning to t: the time for which full rate would give the same way
Real ramp_integral(const MotionRamp& r, Real t) {
    const auto rise = [&](Real s) { // s seconds after the beginning of a rise that takes r.ease
        const Real u = s / r.ease;
        return r.ease * (u * u * u - 0.5 * u * u * u * u);
    };
    const Real end = r.to;
    t = std::min(t, end);
    if (t <= r.from) return 0;
    const Real s = t - r.from;
    if (s < r.ease) return rise(s);
    const Real falling = r.ease > 0 ? std::max(Real(0), t - (end - r.ease)) : 0; // 0 if there is no end
    // full rate up to the fall, then what is left of a rise run backwards
    if (falling > 0) return (end - r.from - r.ease) - rise(r.ease - falling);
    return s - 0.5 * r.ease;
}

// d/dt of it: the part of the full rate
Real ramp_rate(const MotionRamp& r, Real t) {
    const Real s = t - r.from, left = r.to - t;
    if (s < 0 || left <= 0) return 0;
    const Real u = s < r.ease ? s / r.ease : left < r.ease ? left / r.ease : 1;
    return u * u * (3 - 2 * u);
}

// t moved into the range of the keys
Real find_local(const std::vector<Real>& times, bool repeat, Real t) {
    const Real first = times.front(), last = times.back();
    if (repeat && last > first)
        t = first + (t - first) - (last - first) * std::floor((t - first) / (last - first));
    return std::clamp(t, first, last);
}

// index of the segment that holds t, with t moved into the range of the keys
std::size_t find_segment(const std::vector<Real>& times, bool repeat, Real& t) {
    t = find_local(times, repeat, t);
    const std::size_t i = std::size_t(std::upper_bound(times.begin(), times.end(), t) - times.begin());
    return std::min(i > 0 ? i - 1 : 0, times.size() - (times.size() > 1 ? 2 : 1));
}

// parameter 0..1 inside the segment for the ways that blend two keys
Real blend(MotionBetween between, Real u) {
    if (between == MotionBetween::ease) return u * u * (3 - 2 * u);
    if (between == MotionBetween::hold) return u >= 1 ? 1 : 0;
    return u;
}

Real blend_rate(MotionBetween between, Real u) {
    if (between == MotionBetween::ease) return 6 * u * (1 - u);
    return between == MotionBetween::linear ? 1 : 0;
}
bool rests_at(const std::vector<Real>& times, bool repeat, Real t) { // before the first key and from the last one on
    return times.size() < 2 || (!repeat && (t < times.front() || t >= times.back()));
}

Vec3 key_tangent(const Motion& m, std::size_t i) { // [m/s]; at rest at both ends
    if (i == 0 || i + 1 == m.at_keys.size()) return Vec3::Zero();
    return (vec(m.at_keys[i + 1]) - vec(m.at_keys[i - 1])) / (m.at_times[i + 1] - m.at_times[i - 1]);
}

Vec3 key_position(const Motion& m, Real t) {
    const std::size_t i = find_segment(m.at_times, m.repeat, t);
    if (m.at_keys.size() == 1) return vec(m.at_keys[0]);
    const Vec3 a = vec(m.at_keys[i]), b = vec(m.at_keys[i + 1]);
    const Real h = m.at_times[i + 1] - m.at_times[i], u = (t - m.at_times[i]) / h;
    if (m.between != MotionBetween::smooth) return a + (b - a) * blend(m.between, u);
    const Real u2 = u * u, u3 = u2 * u;
    return (2 * u3 - 3 * u2 + 1) * a + (u3 - 2 * u2 + u) * h * key_tangent(m, i) + (3 * u2 - 2 * u3) * b +
           (u3 - u2) * h * key_tangent(m, i + 1);
}

Vec3 key_velocity(const Motion& m, Real t) {
    if (rests_at(m.at_times, m.repeat, t)) return Vec3::Zero();
    const std::size_t i = find_segment(m.at_times, m.repeat, t);
    const Real h = m.at_times[i + 1] - m.at_times[i], u = (t - m.at_times[i]) / h;
    const Vec3 way = vec(m.at_keys[i + 1]) - vec(m.at_keys[i]);
    if (m.between != MotionBetween::smooth) return way * (blend_rate(m.between, u) / h);
    return 6 * u * (1 - u) / h * way + (3 * u * u - 4 * u + 1) * key_tangent(m, i) + (3 * u * u - 2 * u) * key_tangent(m, i + 1);
}

Quat between_quats(const Quat& a, const Quat& b, Real u) {
    return a * exp_rotation(u * log_rotation(a.conjugate() * b));
}

Vec3 key_spin(const Motion& m, std::size_t i) { // [rad/s] in the key's own axes
    if (i == 0 || i + 1 == m.rotate_keys.size()) return Vec3::Zero();
    const Quat before = quat(m.rotate_keys[i - 1]), here = quat(m.rotate_keys[i]),
               after = quat(m.rotate_keys[i + 1]);
    return (log_rotation(before.conjugate() * here) + log_rotation(here.conjugate() * after)) /
           (m.rotate_times[i + 1] - m.rotate_times[i - 1]);
}

Quat key_rotation(const Motion& m, Real t) {
    const std::size_t i = find_segment(m.rotate_times, m.repeat, t);
    if (m.rotate_keys.size() == 1) return quat(m.rotate_keys[0]);
    const Quat a = quat(m.rotate_keys[i]), b = quat(m.rotate_keys[i + 1]);
    const Real h = m.rotate_times[i + 1] - m.rotate_times[i], u = (t - m.rotate_times[i]) / h;
    if (m.between != MotionBetween::smooth) return between_quats(a, b, blend(m.between, u));
    // de Casteljau on four rotations; the inner two give the end velocities
    const Quat a1 = a * exp_rotation(key_spin(m, i) * (h / 3)),
               b1 = b * exp_rotation(-key_spin(m, i + 1) * (h / 3));
    const Quat p = between_quats(a, a1, u), q = between_quats(a1, b1, u), r = between_quats(b1, b, u);
    return between_quats(between_quats(p, q, u), between_quats(q, r, u), u);
}

// A rotation that turns at w, in the axes that it turns from.
struct Turning {
    Quat q;
    Vec3 w = Vec3::Zero();
};

// d/dt exp(r) = J(r) r' x exp(r), and back: left Jacobians of rotations
Vec3 exp_rate(const Vec3& r, const Vec3& rate) {
    const Real a = r.norm(), half = a < 1e-4 ? 0.5 : 2 * std::pow(std::sin(a / 2) / a, 2), sixth = a < 1e-4 ? Real(1) / 6 : (a - std::sin(a)) / (a * a * a);
    const Vec3 across = r.cross(rate);
    return rate + half * across + sixth * r.cross(across);
}
Vec3 log_rate(const Vec3& r, const Vec3& w) {
    const Real a = r.norm(), twelfth = a < 1e-4 ? Real(1) / 12 : (1 - a / 2 * std::cos(a / 2) / std::sin(a / 2)) / (a * a);
    const Vec3 across = r.cross(w);
    return w - 0.5 * across + twelfth * r.cross(across);
}

// between_quats, where both ends turn and u changes at `rate`
Turning between_turning(const Turning& a, const Turning& b, Real u, Real rate) {
    const Vec3 r = log_rotation(a.q.conjugate() * b.q), change = log_rate(r, a.q.conjugate() * (b.w - a.w));
    return {a.q * exp_rotation(u * r), a.w + a.q * exp_rate(u * r, rate * r + u * change)};
}

Vec3 key_turning(const Motion& m, Real t) {
    if (rests_at(m.rotate_times, m.repeat, t)) return Vec3::Zero();
    const std::size_t i = find_segment(m.rotate_times, m.repeat, t);
    const Turning a{quat(m.rotate_keys[i])}, b{quat(m.rotate_keys[i + 1])};
    const Real h = m.rotate_times[i + 1] - m.rotate_times[i], u = (t - m.rotate_times[i]) / h, rate = 1 / h;
    if (m.between != MotionBetween::smooth) return between_turning(a, b, blend(m.between, u), rate * blend_rate(m.between, u)).w;
    const Turning a1{a.q * exp_rotation(key_spin(m, i) * (h / 3))}, b1{b.q * exp_rotation(-key_spin(m, i + 1) * (h / 3))};
    const Turning p = between_turning(a, a1, u, rate), q = between_turning(a1, b1, u, rate), r = between_turning(b1, b, u, rate);
    return between_turning(between_turning(p, q, u, rate), between_turning(q, r, u, rate), u, rate).w;
}

// slots: t and frame
Real rate_of(const Signal& s, const Motion& m, std::span<const double> slots, std::span<const double> gauges) {
    constexpr int kBoth[] = {0, 1};
    if (is_constant(s)) return 0;
    const ValueGradient g = evaluate_gradient(s.expression, slots, kBoth, gauges);
    return g.gradient[0] + m.fps * g.gradient[1];
}
Vec3 rate_of(const Signal3& s, const Motion& m, std::span<const double> slots, std::span<const double> gauges) {
    return {rate_of(s.x, m, slots, gauges), rate_of(s.y, m, slots, gauges), rate_of(s.z, m, slots, gauges)};
}

// rate may be null
Pose evaluate_all(const Motion& m, double t, std::span<const double> gauges, MotionRate* rate) {
    if (!m.moves) return compose(m.container, m.rest);
    const double slots[] = {t, m.first_frame + t * m.fps};
    Vec3 x = vec(m.rest.position), v = Vec3::Zero(), w = Vec3::Zero();
    if (m.has_at) x = vec(evaluate(m.at, slots, gauges));
    if (!m.at_keys.empty()) x = key_position(m, t);
    if (m.has_move) x += Vec3(vec(evaluate(m.move, slots, gauges)));
    if (m.has_slide) x += Vec3(vec(m.slide.velocity)) * ramp_integral(m.slide.ramp, t);
    if (rate) {
        if (m.has_at) v = rate_of(m.at, m, slots, gauges);
        if (!m.at_keys.empty()) v = key_velocity(m, t);
        if (m.has_move) v += rate_of(m.move, m, slots, gauges);
        if (m.has_slide) v += Vec3(vec(m.slide.velocity)) * ramp_rate(m.slide.ramp, t);
        if (!m.rotate_keys.empty()) w = key_turning(m, t);
    }

    Quat q = quat(m.rest.rotation);
    if (!m.rotate_keys.empty()) q = key_rotation(m, t) * q;
    if (m.has_rotate) {
        const Vec3 axis = vec(m.rotate_axis);
        const Quat turn = exp_rotation(axis * evaluate(m.rotate_angle, slots, gauges));
        q = turn * q;
        if (rate) w = axis * rate_of(m.rotate_angle, m, slots, gauges) + turn * w;
    }
    if (m.has_spin) {
        const Vec3 axis = vec(m.spin.axis), spin = axis * (rate ? m.spin.rate * ramp_rate(m.spin.ramp, t) : 0);
        const Quat turn = exp_rotation(axis * (m.spin.rate * ramp_integral(m.spin.ramp, t)));
        q = turn * q;
        w = spin + turn * w;
        if (m.spin.has_center) {
            const Vec3 c = vec(m.spin.center), arm = turn * (x - c);
            x = c + arm;
            v = spin.cross(arm) + turn * v;
        }
    }
    if (rate) {
        const Quat outer = quat(m.container.rotation);
        if (v.allFinite()) rate->velocity = outer * v;
        if (w.allFinite()) rate->spin = outer * w;
    }
    return compose(m.container, {real3(x), real4(q.normalized())});
}

} // namespace

Pose compose(const Pose& outer, const Pose& inner) {
    const Quat q = quat(outer.rotation);
    return {real3(vec(outer.position) + q * Vec3(vec(inner.position))), real4(q * quat(inner.rotation))};
}

Pose invert(const Pose& p) {
    const Quat q = quat(p.rotation).conjugate();
    return {real3(-(q * Vec3(vec(p.position)))), real4(q)};
}

bool uses_gauges(const Motion& m) {
    return (m.has_at && uses_gauges(m.at)) || (m.has_move && uses_gauges(m.move)) || (m.has_rotate && uses_gauges(m.rotate_angle));
}

// Whether keys end where they began, to rounding: "360 deg" and "2*pi" are 0 but for their last bits, and q and -q are one turn.
static bool same_place(const std::vector<Real3>& keys) {
    if (keys.empty()) return true;
    const Vec3 a = vec(keys.front()), b = vec(keys.back());
    return (b - a).norm() <= 1e-9 * (1 + a.norm());
}
static bool same_turn(const std::vector<Real4>& keys) {
    return keys.empty() || std::abs(quat(keys.front()).dot(quat(keys.back()))) > 1 - 1e-12;
}

bool jumps_between(const Motion& m, double from, double to) {
    const auto differ = [&](const std::vector<double>& times, bool closed) {
        if (times.size() < 2) return false;
        const Real first = times.front(), round = times.back() - first;
        const auto turn = [&](Real t) { return m.repeat ? std::floor((t - first) / round) : 0; };
        if (turn(from) != turn(to) && !closed) return true;
        const auto key = [&](Real t) { // the last that has come, and the first before it
            t = find_local(times, m.repeat, t);
            return std::max<std::ptrdiff_t>(std::upper_bound(times.begin(), times.end(), t) - times.begin(), 1);
        };
        return m.between == MotionBetween::hold && (turn(from) != turn(to) || key(from) != key(to));
    };
    return differ(m.at_times, same_place(m.at_keys)) || differ(m.rotate_times, same_turn(m.rotate_keys));
}

Pose evaluate_motion(const Motion& m, double t, std::span<const double> gauges) { return evaluate_all(m, t, gauges, nullptr); }

Pose evaluate_motion(const Motion& m, double t, std::span<const double> gauges, MotionRate& rate) {
    rate = {};
    return evaluate_all(m, t, gauges, &rate);
}

} // namespace sinew
