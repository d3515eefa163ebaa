// Objects that come while a scene runs, by `spawn` of a program (sinew/sinew.h) or of an event:
//
//   "events": [ { "at": "1 s", "every": "0.5 s", "spawn": { "ball": { "kind": "sphere", "mass": 1, "at": [0, 5, 0] } } } ]
//
// They are compiled on their own, within the surroundings of the scene: its gravity, flows and force fields, the contact rules
// that name them, its solver.
#pragma once
#include "scene/attach.h"
#include "scene/compile.h"

namespace sinew {

// What spawned objects take from the scene.
struct SpawnContext {
    Scene scene;                    // fields, time, seed and vars; no objects, no documents
    std::vector<RulePattern> rules; // of "contact"
    std::string solver;             // empty = not chosen yet
    std::shared_ptr<void> settings; // of it
};
std::shared_ptr<SpawnContext> make_spawn_context(const Scene&, const Scope& scene_scope);

// What a scene of its own is, to be put into a running model any number of times.
struct Spawned {
    Model model;
    State state;
};
// Errors name what cannot be spawned (motions, events, fields, attachments, emitters, animated objects, another gravity). The
// solver is not asked: find_spawn_problems.
Result<Spawned> compile_spawn(const Scene& what, const SpawnContext&, const Real3& gravity, const std::string& name = {});
// what the solver of the surroundings does not take
std::vector<Error> find_spawn_problems(const Spawned&, const Model& running);
// Objects by name that come with an event, as a scene of its own within the document. Errors are about `objects`.
Result<Spawned> compile_spawn_event(const Value& objects, std::string_view path, const Value& document, const SpawnContext&, const Real3& gravity);

// Puts it in: edits model and state; the ids of its objects in order. An error where a name is taken; without `numbered` names
// are those it has, with it the number of the spawn is added where one of them is taken.
Result<std::vector<Id>> put_spawned(const Spawned&, const Pose& at, bool numbered, Model&, State&);

// gravity of what was spawned: that of scene objects is in the elements of the scene
void change_spawned_gravity(const Real3& from, const Real3& to, const Model&, std::vector<Table>& energies);

} // namespace sinew
