#include "model/motion.h"
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

// index of the segment that holds t, with t moved into the range of the keys
std::size_t find_segment(const std::vector<Real>& times, bool repeat, Real& t) {
    const Real first = times.front(), last = times.back();
    if (repeat && last > first)
        t = first + (t - first) - (last - first) * std::floor((t - first) / (last - first));
    t = std::clamp(t, first, last);
    const std::size_t i = std::size_t(std::upper_bound(times.begin(), times.end(), t) - times.begin());
    return std::min(i > 0 ? i - 1 : 0, times.size() - (times.size() > 1 ? 2 : 1));
}

// parameter 0..1 inside the segment for the ways that blend two keys
Real blend(MotionBetween between, Real u) {
    if (between == MotionBetween::ease) return u * u * (3 - 2 * u);
    if (between == MotionBetween::hold) return u >= 1 ? 1 : 0;
    return u;
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

Pose evaluate_motion(const Motion& m, double t, std::span<const double> gauges) {
    if (!m.moves) return compose(m.container, m.rest);
    const double slots[] = {t, m.first_frame + t * m.fps};
    Vec3 x = vec(m.rest.position);
    if (m.has_at) x = vec(evaluate(m.at, slots, gauges));
    if (!m.at_keys.empty()) x = key_position(m, t);
    if (m.has_move) x += Vec3(vec(evaluate(m.move, slots, gauges)));
    if (m.has_slide) x += Vec3(vec(m.slide.velocity)) * ramp_integral(m.slide.ramp, t);

    Quat q = quat(m.rest.rotation);
    if (!m.rotate_keys.empty()) q = key_rotation(m, t) * q;
    if (m.has_rotate) q = exp_rotation(Vec3(vec(m.rotate_axis)) * evaluate(m.rotate_angle, slots, gauges)) * q;
    if (m.has_spin) {
        const Quat turn =
            exp_rotation(Vec3(vec(m.spin.axis)) * (m.spin.rate * ramp_integral(m.spin.ramp, t)));
        q = turn * q;
        if (m.spin.has_center) {
            const Vec3 c = vec(m.spin.center);
            x = c + turn * (x - c);
        }
    }
    return compose(m.container, {real3(x), real4(q.normalized())});
}

} // namespace sinew
