// Motors of joints that follow expressions, keys and rotations of time and of measurements.
#include "scene/joint.h"
#include <algorithm>

namespace sinew {

namespace {

// the speed is that of the target over the step, unless the track says one of its own
void follow_position(const MotorTrack& track, Id joint, double t, double dt, std::span<const double> before, Input& input) {
    const Motion& motion = track.motion;
    const auto slots = [&](double time) { return std::array<double, 2>{time, motion.first_frame + time * motion.fps}; };
    const auto position = [&](double time, std::span<const double> gauges) {
        return motion.moves ? evaluate_motion(motion, time).position.x : evaluate(track.position, slots(time), gauges);
    };
    const double there = position(t + dt, input.gauges);
    const bool moves = motion.moves || !is_constant(track.position);
    const double speed = evaluate(track.speed, slots(t + dt), input.gauges);
    input.motors.push_back({joint, there, speed + (moves && dt > 0 ? (there - position(t, before)) / dt : 0)});
}

void follow_rotation(const MotorTrack& track, Id joint, double t, double dt, std::span<const double> before, Input& input) {
    const Motion& motion = track.motion;
    const Quat to_body = quat(track.to_body);
    const std::array<double, 2> slots{t + dt, motion.first_frame + (t + dt) * motion.fps};
    Vec3 angle = Vec3::Zero(), spin = vec(evaluate(track.spin, slots, input.gauges));
    if (motion.moves) {
        const Quat there = quat(evaluate_motion(motion, t + dt, input.gauges).rotation), here = quat(evaluate_motion(motion, t, before).rotation);
        angle = log_rotation(there);
        if (dt > 0) spin += log_rotation(there * here.conjugate()) / dt;
    }
    angle = to_body * angle, spin = to_body * spin;
    for (int k = 0; k < 3; ++k) input.motors.push_back({joint, angle[k], spin[k]});
}

} // namespace

void fill_motors(const std::vector<MotorTrack>& tracks, const Model& m, double t, double dt, std::span<const double> before, Input& input) {
    for (const MotorTrack& track : tracks) {
        if (!m.objects[track.object].alive) continue;
        const Id joint{track.object, m.objects[track.object].generation};
        if (track.order == 0) std::erase_if(input.motors, [&](const MotorTarget& target) { return target.joint == joint; });
        if (track.all_rotation) follow_rotation(track, joint, t, dt, before, input);
        else follow_position(track, joint, t, dt, before, input);
    }
}

} // namespace sinew
