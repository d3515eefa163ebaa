// What a scene does to its model from outside while it runs: motions of held bodies and points, events, expectations.
#pragma once
#include "scene/event.h"
#include "scene/expect.h"
#include "scene/gauge.h"
#include "scene/joint.h"
#include "scene/live.h"
#include "scene/measurement.h"
#include "scene/motion.h"
#include "core/file.h"
#include "scene/object.h"
#include "sinew/input.h"

namespace sinew {

struct Spawned; // scene/spawn.h

// A held object that moves: by its own motion, carried by its parent's, or both.
struct Mover {
    int object = -1;
    int parent = -1;         // mover index, -1 = none
    bool has_motion = false;
    Motion motion;
    Pose rest;               // initial pose in the world
};
struct MeasuredNumber {      // in a value that an event sets
    int set = 0;             // of the event
    std::vector<int> where;  // items and members down to it
    Condition value;
};
struct ScriptEvent {
    Event event;
    Condition condition;     // if event.when
    std::vector<MeasuredNumber> measured; // taken when it happens (scene/measured_set.h)
    std::shared_ptr<const Spawned> spawned; // if event.spawn
};
struct ScriptExpectation {
    Expectation expectation;
    std::vector<Measurement> measurements;
    int looked = 0;          // times it was checked
};
struct Script {
    std::vector<Mover> movers;      // parents before children
    std::vector<Handle> handles;
    std::vector<MotorTrack> motors;
    std::vector<Gauge> gauges;      // that expressions use
    std::vector<std::shared_ptr<AnimationTrack>> animations; // their samples are read as time goes
    std::vector<ScriptEvent> events;
    std::vector<ScriptExpectation> expectations;
    SceneTime time;
    Vars vars;
    LiveScene live;                 // what events have set
};

// sets a live parameter (scene/direct_set.h, scene/live.h) from outside of the events
std::vector<Error> set_by_script(Script&, Model&, State&, std::string_view key, const Value&);
// pose of a mover at time t
Pose mover_pose(const Script&, int mover, double t, std::span<const double> gauges);
// vertices of an animated object in the world at time t, from those in its own axes
void place_animation(const Script&, const AnimationTrack&, double t, std::span<const double> gauges, std::span<const Real3> local,
                     std::span<Real3> out);
// targets at the end of the step [t, t + dt]; events that were released no longer hold; errors: files of animations that
// cannot be read any more
Errors fill_input(const Script&, const Model&, const State& now, double dt, Input&);

// Events between steps: fires those that are due, edits model and state, remembers it in State.memory ("script.events").
// Returns what happened, one sentence each.
std::vector<std::string> run_events(Script&, Model&, State&, const Report&, double frame);
// After a restart: applies again what State.memory says was fired.
void apply_past_events(Script&, Model&, State&);
// Whether events spawn or remove; what they did is in State.memory ("script.edits") in its order.
inline constexpr const char* kScriptEdits = "script.edits";
bool has_edits(const Script&);
// The edits that a state remembers, on the model of its start: the model that belongs to the state.
void replay_edits(const Script&, Model&, const State&);
void register_events(const Script&, const Model&, State&); // what they remember

// [s] between a moment and the end of a step that is it
inline double moment_slack(double dt) { return 1e-9 + 1e-6 * dt; }
// Errors for moments of expectations at which no step of dt ends, nor the run: they would never be looked at.
std::vector<Error> find_missed_moments(const Script&, double dt);
// Repeated events that happen less often than they say: faster than steps, or due between two steps of which the later is after `until`.
std::vector<std::string> note_repeated_events(const Script&, double dt);
// Checks the expectations due now; sentences for those not met. `last` = end of the run, `frame_end` = a frame is complete.
std::vector<std::string> check_expectations(Script&, const Model&, const State&, const Report&, double frame, bool frame_end,
                                            bool last);
// those that never became due although they should have
std::vector<std::string> unmet_expectations(const Script&);

} // namespace sinew
