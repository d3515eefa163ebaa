// Report: what one step did, in numbers. It goes to report.csv, to plots, to `expect` and to the viewer.
#pragma once
#include "sinew/types.h"

namespace sinew {

struct StageTime {
    const char* name = ""; // of the stage, a literal
    double seconds = 0;
};
// Wall time per stage; room for twelve, so that a step allocates nothing for them.
struct StageTimes {
    std::array<StageTime, 12> entries;
    int count = 0;
    const StageTime* begin() const { return entries.data(); }
    const StageTime* end() const { return entries.data() + count; }
};
// adds to the stage of that name; what does not fit goes to the last one
inline void add_time(StageTimes& times, const char* name, double seconds) {
    int i = 0;
    while (i < times.count && std::string_view(times.entries[i].name) != name) ++i;
    if (i == int(times.entries.size())) --i;
    else if (i == times.count) times.entries[times.count++].name = name;
    times.entries[i].seconds += seconds;
}
// Two objects began or ceased to touch.
struct TouchEvent {
    int object_a = -1, object_b = -1; // a < b
    bool began = false;
    double impulse = 0;               // [N s] along the normals, of all contacts of the pair in the step (or sub-step of the solver)
                                      // in which they began to touch; 0 where they ceased
    bool operator==(const TouchEvent&) const = default;
};
struct Report {
    Status status = Status::ok;
    std::string message;          // why it failed, empty if ok
    std::string failed_object;    // named on failure
    int failed_index = -1;        // point or frame of that object
    double time = 0;              // [s] at the end of the step
    double dt = 0;                // [s]
    int iterations = 0;           // outer iterations of the solver
    int linear_iterations = 0;    // of iterative linear solvers
    int evaluations = 0;          // force or energy evaluations
    int retries = 0;              // times the step was shortened
    double residual = 0;          // solver's own measure at the end, unit by solver
    double step_length = 1;       // last accepted line search factor
    double energy_kinetic = 0;    // [J]
    double energy_elastic = 0;    // [J]
    double energy_gravity = 0;    // [J]
    double energy_contact = 0;    // [J]
    double energy_field = 0;      // [J] attractors and other external potentials
    double work_damping = 0;      // [J] taken out by damping and drag in this step, sign as energy change
    bool has_work_damping = false; // the solver gave work_damping; otherwise the main loop takes the mean power of both ends
    double work_plastic = 0;      // [J] taken out by plastic flow in this step, sign as energy change
    double work_friction = 0;     // [J]
    double work_external = 0;     // [J] by input forces, moving targets and moving obstacles
    Real3 momentum;               // [kg m/s]
    Real3 angular_momentum;       // [kg m^2/s] about the origin
    Real3 center;                 // [m] centre of mass
    double mass = 0;              // [kg]
    int contact_count = 0;
    double penetration = 0;       // [m] deepest, 0 if none
    double gap = 0;               // [m] smallest, valid when contact_count > 0
    double cone_violation = 0;    // friction cone
    double constraint_error = 0;  // largest |C|
    int inverted = 0;             // elements
    int alive = 0;                // points
    int islands = 0;              // groups of bodies that act on each other, those at rest not counted
    int islands_direct = 0;       // of these solved directly
    int asleep = 0;               // bodies and particles that are left alone until something moves them
    double seconds = 0;           // wall time of the step
    StageTimes stages;            // wall time per stage
    const char* path = "";        // which special inner loop did the work, a literal; empty = the general one
    std::vector<TouchEvent> touches; // of the step, sorted by objects
    std::vector<std::string> warnings;
};

inline double energy_total(const Report& r) {
    return r.energy_kinetic + r.energy_elastic + r.energy_gravity + r.energy_contact + r.energy_field;
}

// Names every member once.
template <class R, class F> void visit(R& r, F&& f)
    requires std::is_same_v<std::remove_const_t<R>, Report>
{
    f("status", r.status);
    f("message", r.message);
    f("failed_object", r.failed_object);
    f("failed_index", r.failed_index);
    f("time", r.time);
    f("dt", r.dt);
    f("iterations", r.iterations);
    f("linear_iterations", r.linear_iterations);
    f("evaluations", r.evaluations);
    f("retries", r.retries);
    f("residual", r.residual);
    f("step_length", r.step_length);
    f("energy_kinetic", r.energy_kinetic);
    f("energy_elastic", r.energy_elastic);
    f("energy_gravity", r.energy_gravity);
    f("energy_contact", r.energy_contact);
    f("energy_field", r.energy_field);
    f("work_damping", r.work_damping);
    f("has_work_damping", r.has_work_damping);
    f("work_plastic", r.work_plastic);
    f("work_friction", r.work_friction);
    f("work_external", r.work_external);
    f("momentum", r.momentum);
    f("angular_momentum", r.angular_momentum);
    f("center", r.center);
    f("mass", r.mass);
    f("contact_count", r.contact_count);
    f("penetration", r.penetration);
    f("gap", r.gap);
    f("cone_violation", r.cone_violation);
    f("constraint_error", r.constraint_error);
    f("inverted", r.inverted);
    f("alive", r.alive);
    f("islands", r.islands);
    f("islands_direct", r.islands_direct);
    f("asleep", r.asleep);
    f("seconds", r.seconds);
    f("stages", r.stages);
    f("path", r.path);
    f("touches", r.touches);
    f("warnings", r.warnings);
}

// f(name, unit, value as double): the numbers of a report, which are columns of report.csv (beside times of stages) and the names
// usable in `expect`.
template <class F> void visit_numbers(const Report& r, F&& f) {
    f("time", "s", r.time);
    f("dt", "s", r.dt);
    f("iterations", "", double(r.iterations));
    f("linear_iterations", "", double(r.linear_iterations));
    f("evaluations", "", double(r.evaluations));
    f("retries", "", double(r.retries));
    f("residual", "", r.residual);
    f("step_length", "", r.step_length);
    f("energy.total", "J", energy_total(r));
    f("energy.kinetic", "J", r.energy_kinetic);
    f("energy.elastic", "J", r.energy_elastic);
    f("energy.gravity", "J", r.energy_gravity);
    f("energy.contact", "J", r.energy_contact);
    f("energy.field", "J", r.energy_field);
    f("work.damping", "J", r.work_damping);
    f("work.plastic", "J", r.work_plastic);
    f("work.friction", "J", r.work_friction);
    f("work.external", "J", r.work_external);
    f("momentum.x", "kg m/s", r.momentum.x);
    f("momentum.y", "kg m/s", r.momentum.y);
    f("momentum.z", "kg m/s", r.momentum.z);
    f("angular_momentum.x", "kg m^2/s", r.angular_momentum.x);
    f("angular_momentum.y", "kg m^2/s", r.angular_momentum.y);
    f("angular_momentum.z", "kg m^2/s", r.angular_momentum.z);
    f("center.x", "m", r.center.x);
    f("center.y", "m", r.center.y);
    f("center.z", "m", r.center.z);
    f("mass", "kg", r.mass);
    f("contacts", "", double(r.contact_count));
    f("penetration", "m", r.penetration);
    f("gap", "m", r.gap);
    f("cone_violation", "", r.cone_violation);
    f("constraint_error", "", r.constraint_error);
    f("inverted", "", double(r.inverted));
    f("alive", "", double(r.alive));
    f("islands", "", double(r.islands));
    f("islands.direct", "", double(r.islands_direct));
    f("asleep", "", double(r.asleep));
    f("warnings", "", double(r.warnings.size()));
    f("seconds", "s", r.seconds);
}

} // namespace sinew
