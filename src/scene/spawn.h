// Objects that come while a scene runs, by `spawn` of a program (sinew/sinew.h) or of an event:
//
//   "events": [ { "at": "1 s", "every": "0.5 s", "spawn": { "ball": { "kind": "sphere", "mass": 1, "at": [0, 5, 0] } } } ]
//
// They are compiled on their own, within the surroundings of the scene: its gravity, flows and force fields, the contact rules
// that name them, its solver.
#pragma once
#include "core/shared_slot.h"
#include "scene/attach.h"
#include "scene/compile.h"

namespace sinew {

// What a scene of its own is, to be put into a running model any number of times.
struct Spawned {
    Model model;
    State state;
};
struct KeptSpawn { // what was compiled, of which scene, in which gravity
    std::shared_ptr<const Scene> scene;
    Real3 gravity;
    std::string name; // where the surroundings act on objects by name
    std::shared_ptr<const Spawned> made;
};

// What spawned objects take from the scene.
struct SpawnContext {
    Scene scene;                    // fields, time, seed and vars; no objects, no documents
    std::vector<RulePattern> rules; // of "contact"
    std::string solver;             // empty = not chosen yet
    std::shared_ptr<void> settings; // of it
    mutable SharedSlot<std::vector<KeptSpawn>> kept; // what was spawned lately: copies of a model share it
};
std::shared_ptr<SpawnContext> make_spawn_context(const Scene&, const Scope& scene_scope);

// Errors name what cannot be spawned (motions, events, fields, attachments, emitters, animated objects, another gravity). The
// solver is not asked: find_spawn_problems.
Result<Spawned> compile_spawn(const Scene& what, const SpawnContext&, const Real3& gravity, const std::string& name = {},
                              bool* has_files = nullptr);
// The same, from what is kept where it was compiled before; still to be called `name` when it is put in.
struct NamedSpawn {
    std::shared_ptr<const Spawned> what;
    std::string name;
};
Result<NamedSpawn> recall_spawn(const Scene& what, const SpawnContext&, const Real3& gravity, const std::string& name);
// what the solver of the surroundings does not take
std::vector<Error> find_spawn_problems(const Spawned&, const Model& running);
// Objects by name that come with an event, as a scene of its own within the document. Errors are about `objects`.
Result<Spawned> compile_spawn_event(const Value& objects, std::string_view path, const Value& document, const SpawnContext&, const Real3& gravity);

// Where the solver of the surroundings leaves the forces of rows, those of new ones begin at zero: nothing was there yet, and what follows
// from the state alone (joint_object.h) is not what they have carried.
void begin_row_forces(const Model&, State&);

// Puts it in: edits model and state; the ids of its objects in order. An error where a name is taken; without `numbered` names
// are those it has, with it the number of the spawn is added where one of them is taken. With a `name` a single object has that,
// several are name/theirs.
Result<std::vector<Id>> put_spawned(const Spawned&, const Pose& at, bool numbered, Model&, State&, const std::string& name = {});

// the first n >= 2 for which no object is called "<one of the names>/n"
int find_free_number(const std::vector<std::string>& names, const Model&);

// gravity of what was spawned: that of scene objects is in the elements of the scene
void change_spawned_gravity(const Real3& from, const Real3& to, const Model&, std::vector<Table>& energies);

} // namespace sinew
