// Named fields of a scene: what acts on objects from outside.
//   wind, velocity                              flows u(x, t): wind blows on all that has drag, velocity carries passive points
//   attractor_point, _line, _plane, drag        forces on the objects they name: on points, and on free bodies as on particles of
//                                               their mass at their centres
#pragma once
#include "scene/gauge.h"
#include "scene/object.h"

namespace sinew {

struct FieldKind {
    std::string_view name, doc;
    std::shared_ptr<void> (*make_params)();
    void (*describe)(void* params, FieldList&);
    // forces: adds them to what of an object forces can move, true if there is anything; null = a flow
    bool (*add)(const void* params, const Object&, ModelBuilder&);
    // of forces whose strength may be an expression: it becomes the last of the strengths; null = others
    void (*set_strength)(void* params, const SceneTime&, NamedFields&);
};
std::span<const FieldKind> field_kinds();
const FieldKind* find_field_kind(std::string_view name);

// Before the objects: flows, which objects refer to.
void add_flows(const Scene&, const Scope& field_scope, GaugeRequests&, ModelBuilder&, std::vector<Error>&);
// After the objects: forces, on the points and free bodies of the objects that match.
void add_force_fields(const Scene&, const Scope& scene_scope, GaugeRequests&, ModelBuilder&, std::vector<Error>&);

} // namespace sinew
