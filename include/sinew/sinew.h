// Sinew's public interface: data in plain structs (scene, model, state, input, report) and a handful of verbs.
// Errors are returned; no exception leaves the library; nothing is printed; there are no globals.
#pragma once
#include "sinew/input.h"
#include "sinew/model.h"
#include "sinew/report.h"
#include "sinew/scene.h"
#include "sinew/solver.h"
#include "sinew/state.h"
#include "sinew/types.h"
#include <memory>
#include <span>

namespace sinew {

// A scene from a file or from text. Errors name file, line, path, value, what is allowed and the nearest known word.
Result<Scene> load(const Context&, const std::string& file, std::span<const std::string> set = {});
Result<Scene> parse(const Context&, std::string_view text, const std::string& name = "scene");

struct Script; // motions, events, emitters and expectations of a scene, evaluated between steps
struct ScriptDelete {
    void operator()(Script*) const;
};
struct Built {
    Model model;
    State state;
    std::unique_ptr<Solver> solver;
    std::unique_ptr<Script, ScriptDelete> script;
    double dt = 0; // [s] step the scene asks for
    std::vector<std::string> notes; // defaults that were computed, each with its reason; "warning: ..."
};
// Model, first state and solver of a scene; `solver` overrides the scene's choice. Notes also go to Context::log, which the
// solver keeps: `advance` tells it of steps that were shortened, of warnings and of failures.
Result<Built> build(const Context&, const Scene&, std::string_view solver = {});

// One try of one step: Solver::step. `advance` is the main loop's step: shortens and repeats a failed one (at most
// `max_retries` halvings, then covers the rest of dt), checks for non-finite numbers, runs emitters, swaps now and spare. It
// counts as one step however often it was shortened; the report holds all that `sinew run` writes.
Status advance(Solver&, const Model&, const Input&, State& now, State& spare, double dt, Report&, int max_retries = 6);

// Input of the scene's script for the step from now.time to now.time + dt; errors: an animation's file cannot be read.
std::vector<Error> script_input(const Script&, const Model&, const State& now, double dt, Input&);
// Events of the scene that are due now: edits model and state, tells what happened, one sentence each. Call it before
// script_input. `replay_events` brings a fresh model to where the events of a restored state have left it.
std::vector<std::string> script_events(Script&, Model&, State& now, const Report& last);
void replay_events(Script&, Model&, State& restored);

std::vector<Error> save(const State&, const std::string& file);
Result<State> restore(const Model&, const std::string& file);

// Views of one object, valid until the next step or edit.
std::span<const Real3> points(const Model&, const State&, Id);
Pose pose(const Model&, const State&, Id);
// What a joint does to its second body, at its place there, in the world, in the last step; zero if the id is no joint.
struct JointForce {
    Real3 force;  // [N]
    Real3 torque; // [N m]
};
JointForce joint_force(const Model&, const State&, Id);
// Joints that bear more than they can, one entry each, sorted by object: the next script_events takes them away and says so.
struct JointBreak {
    Id joint;
    double force = 0, torque = 0; // [N], [N m] when it broke
};
std::vector<JointBreak> overloaded_joints(const Model&, const State& now);
// What an object looks like: triangles, and its vertices in the world, of bodies too; indices are into `vertices`. For a solid
// within a finer skin these are its own points, as in `points`.
std::vector<std::array<int, 3>> triangles(const Model&, Id);
std::vector<Real3> vertices(const Model&, const State&, Id);
// Contacts of the last step that carried a force, sorted by objects; valid until the next one.
inline std::span<const ContactForce> contacts(const Solver& solver) { return solver.contacts(); }

// Edits between steps; ids stay valid, and slots of what was spawned and removed are used again under new ids.
// `spawn` puts the objects of `what`, their joints and the contact rules between them, into a running model. Gravity, fields,
// the contact rules that name them and the solver are those of the model; what they cannot have is refused by name: motions,
// events, fields, attachments, emitters, sinks whose parent is a body, animated objects, anything the running solver does not take.
// time, solver, camera, outputs and expect are of `what` as a scene of its own and mean nothing here. An only object is called `name`, several are
// name/theirs; without a name they keep theirs, numbered (crate/2) where it is taken. The id is that of the first.
Result<Id> spawn(Model&, State&, const Scene& what, const Pose& at, const std::string& name = {});
bool remove(Model&, State&, Id);
// A joint between two bodies that are there, of the scene or spawned, as they lie now, or of one and kWorldId. It has a kind and the parameters of scene
// files but for `between`, places and axes in the world: connect(model, now, hand, cup, R"({ "kind": "weld" })"). Its id is for joint_force and
// `remove`, which lets go; `set` takes its motor by its name, without one its kind, numbered (hinge/2). A body that is removed takes its joints with it.
// Who shares a joint does not touch while it lasts, unless a contact rule names the pair.
Result<Id> connect(Model&, State&, Id a, Id b, std::string_view joint, const std::string& name = {});
// Flows, motors, and friction, restitution, rolling_friction, torsional_friction of what was spawned; others are refused by name.
std::vector<Error> set(Model&, State&, std::string_view path, double value);
// Any live parameter, by name and value as an event of the scene sets it: "gravity", "[0, -1.62, 0]"; "sheet.material.membrane.stiffness",
// "80 N/m"; "floor.friction", "0.1"; "solvers.newton.tolerance", "1 mm/s". The scene is compiled again for it. What cannot change while
// the simulation runs is refused by what it would alter. A restored state does not remember what was set this way.
std::vector<Error> set(Script&, Model&, State&, std::string_view path, std::string_view value);
// After script_events, replay_events and set: makes the solver anew where its settings were changed; true if it did.
bool renew_solver(const Context&, Script&, const Model&, State& now, std::unique_ptr<Solver>&);

const char* version();

} // namespace sinew
