// Named numbers of a run, used by `expect`, by conditions of events and by plots.
//   energy.kinetic, momentum.x, penetration, ...       of the report (visit_numbers); `energy` is energy.total
//   sheet.center.y   sheet.y                           centre of mass of an object (its place if it has no mass)
//   sheet.min.y  sheet.max.y                           bounds of its points
//   sheet.velocity.x  sheet.speed  sheet.kinetic  sheet.mass  sheet.alive
//   sheet.momentum.x  sheet.angular_momentum.x         about the origin
//   sheet.stretch                                      largest |l/L - 1| of its links and of the edges of its membrane
//   rod.writhe                                         how much a rod winds about itself (geometry/writhe.h)
//   intersections   sheet.intersections                pairs of the surface that meet, by the exact test (intersection_count.h)
//   sheet.point[12].x  sheet.point[12].velocity.y  sheet.point[12].radius  (distance from the z axis)
//   crate.spin.x  crate.body_spin.x                    angular velocity in world and in body axes [rad/s]
//   crate.rotation.w                                   quaternion
//   elbow.force  elbow.force.x  elbow.torque.y         what a joint does to its second body, at its place [N, N m]
//   elbow.angle  elbow.slide  elbow.swing  elbow.length   coordinates of a joint [rad, m]
//   elbow.joint_error  elbow.joint_angle_error         how far it is apart [m] and turned away [rad]; of "hero" all joints in it
#pragma once
#include "core/expression.h"
#include "sinew/model.h"
#include "sinew/report.h"
#include "sinew/state.h"

namespace sinew {

enum class Quantity {
    number, center, min, max, velocity, speed, kinetic, mass, alive, momentum, angular_momentum, stretch, writhe, intersections,
    point, point_velocity, point_radius, spin, body_spin, rotation,
    joint_force, joint_force_size, joint_torque, joint_torque_size, joint_angle, joint_slide, joint_swing, joint_length, joint_second_angle, joint_second_slide,
    joint_error, joint_angle_error
};
struct Measurement {
    std::string name;
    Quantity quantity = Quantity::number;
    int object = -1;
    int component = 0; // x, y, z; rotation: w, x, y, z
    int index = 0;     // of the report's numbers, or of a point within the object
};

struct MeasurementResult {
    std::vector<Measurement> found; // several for patterns
    std::string problem, allowed, nearest;
};
MeasurementResult find_measurements(const Model&, std::string_view name);
double evaluate(const Measurement&, const Model&, const State&, const Report&); // nan: places where nothing is alive
std::string measurement_unit(const Measurement&);                               // SI, "" = a plain number

std::vector<std::string> measurement_names(const Model&); // all, points without their numbers; for help and errors

// A condition over measurements, t, frame and vars.
struct Condition {
    Expression expression;
    std::vector<Measurement> slots; // slot 0 = t, 1 = frame, then these
};
inline constexpr std::size_t kMostConditionSlots = 62; // measurements
double measure_number(const Condition&, const Model&, const State&, const Report&, double frame);
bool evaluate(const Condition&, const Model&, const State&, const Report&, double frame);

} // namespace sinew
