// Prefabs, replicas and overrides: from the sections of a document to flat lists of objects and entries.
//
// "prefabs": { "ragdoll": { "params": { "height": 1.8 }, "vars": {}, "objects": {}, "joints": {}, "attach":
// [],
//                           "contact": [] } }
//   Inside, expressions see the scene's vars, the params and the prefab's own vars; a text "$name" is
//   replaced by the param of that name, whatever it is (a param that is no number, such as a material, is
//   used this way). A param whose default is null must be given. Names are local; "/floor" is global.
// "hero": { "use": "ragdoll", "height": 2, "at": .., "rotate": .., "velocity": .., "angular_velocity": .. }
// "replicate": { "count": 14, "index": "i", "at": [..], "rotate": .. }   replicas "step/0" ... ; count and
// index may be
//   lists of up to three: "grid/2/5". at and rotate are added in front of the object's own. Joints, attachments and
//   contact rules are replicated in the same way, and name objects by "link/{i + 1}" (scene/replicate.h).
// "override": { "chest": { "density": 900 }, "*": { "friction": 0.2 } }   changes parts of an instance or
// replicas;
//   patterns change objects only, names also joints and the params of instances inside; later ones win, and
//   an outer override wins over an inner one. Keys may be paths ("air.drag").
// "parent": "hero/chest"   at and rotate refer to the parent's initial pose, and it shares its initial
// velocity.
#pragma once
#include "core/read.h"
#include "sinew/scene.h"

namespace sinew {

inline constexpr int kMaxObjects = 100000;         // of one scene
inline constexpr long long kMaxValues = 2'000'000; // copied by prefabs and replicas

// Fills scene.objects, joints, attach, contact; `globals` holds the scene's vars. False: a limit was reached,
// and the scene is not complete.
bool expand_objects(const Value& document, const Scope& globals, Scene& scene, std::vector<Error>&);

} // namespace sinew
