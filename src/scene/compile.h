// Scene -> Model, first State and Script: kinds build their objects, fields and attachments are added, the solver is chosen
// and checked, motions, events and expectations are prepared. All errors at once; nothing is silently ignored.
#pragma once
#include "scene/script.h"
#include "sinew/scene.h"
#include "solver/solver.h"

namespace sinew {

struct Compiled {
    Model model;
    State state;
    Script script;
    std::string solver;              // entry chosen
    std::shared_ptr<void> settings;  // of the solver
    double dt = 0;                   // [s] step
    int substeps = 1;                // per frame
    std::vector<std::string> notes;  // defaults that were computed, each with its reason
    std::vector<std::string> files;  // meshes that were read: hash of their bytes, two spaces, full path
    std::vector<Error> future;       // things of the scene that later versions build, each with its place
};

// `solver` overrides the scene's choice. Objects of kinds not yet built are errors, unless check_only: then they are
// listed in `future` and everything else is checked.
Result<Compiled> compile_scene(const Scene&, std::string_view solver = {}, bool check_only = false);

// A scene with errors, as far as it can be compiled, for what can still be said of it.
struct CompiledParts {
    Compiled compiled;
    std::vector<Error> errors; // of compiling alone; empty = it is complete, if the scene was
    bool has_all = false;      // every object of the scene is in the model
};
CompiledParts compile_parts(const Scene&, std::string_view solver = {}, bool check_only = false);

// Largest stable step of symplectic Euler by Gershgorin's bound on the element Hessians and dampers [s]; infinite if none.
Real stable_step(const Model&, const State&);

} // namespace sinew
