// Live parameters: what may change while a scene runs, in the words of the scene file.
//
//   "events": [ { "at": "2 s", "set": { "sheet.material.membrane.stiffness": "80 N/m", "gravity": [0, -1.62, 0] } } ]
//
// The scene is compiled again with the new value, and what came out differently is taken over by the running model: data of
// elements (stiffness, damping, drag, rest lengths, gravity), friction, restitution, thickness, contact stiffness, births of
// emitters, settings of the solver. A change that alters anything else (points, links, shapes, masses, where things start) cannot be live and is
// refused by what it would alter. Only what the change itself alters is taken over: motors that were switched, joints that
// broke and objects that were spawned or removed meanwhile stay as they are.
#pragma once
#include "sinew/model.h"
#include "sinew/scene.h"
#include "sinew/state.h"

namespace sinew {

struct LiveModel { // what a document compiles to
    Model model;
    State state;                    // the first one
    std::string solver;             // that is used
    std::shared_ptr<void> settings; // of it
    std::vector<Error> errors;
};
// A scene as its live changes have left it.
struct LiveScene {
    std::shared_ptr<const Value> document; // without events, expectations and outputs; null = nothing can change
    std::string solver;                    // asked for from outside, empty = as the document says
    std::shared_ptr<const LiveModel> made; // of the document; null until needed
    bool new_settings = false;             // the solver is to be made again, with those of `made`
};
LiveScene make_live_scene(const Scene&, std::string_view solver);

// The path of "rope.material.damping", "elbow.friction", "gravity", "materials.felt.bend" in the document, as --set takes it.
std::string live_path(const Value& document, std::string_view key);

// Makes the change, in the running model too unless that is null. Errors about the value, or about what cannot change while the
// simulation runs; then nothing has changed.
std::vector<Error> change_live(LiveScene&, std::string_view key, const Value& value, Model* running);

// What differs between two models that cannot change while one of them runs; empty = nothing.
std::string find_fixed_difference(const Model&, const Model&);

} // namespace sinew
