// The contract of a kind of scene object: parameters with `fields`, and `build`, which adds points, frames, elements and
// geometry to the model. One file per family of kinds, one row in list.cpp.
#pragma once
#include "core/fields.h"
#include "geometry/mesh.h"
#include "model/builder.h"
#include "scene/material.h"
#include "sinew/scene.h"
#include <unordered_map>

namespace sinew {

// Points that follow a motion or another object: filled by kinds, used by the script.
struct Handle {
    int object = -1;                 // whose points
    std::vector<int> points;         // of the model
    std::vector<Real3> local;        // [m] in the axes of what moves them
    std::vector<int> scalars;        // of the model: angles of rods; the edge of each is that of points 0 and 1
    double rate = 0;                 // [rad/s] at which these turn by themselves
    int follows = -1;                // object that moves them, -1 = their own object's motion
    std::string released_by;         // "cape.collar": the name an event releases
    int pins = 0;                    // instead of fixed points: group of the constraints attach_point
};

// of points, by object of the model; while a scene is compiled
using PointAttributes = std::unordered_map<int, std::vector<VertexAttribute>>;

struct AnimationTrack; // scene/animation.h

struct BuildContext {
    const Scene& scene;
    const SceneObject& object;       // name, pose, velocity, motion
    const Scope& scope;              // of its expressions
    const std::vector<NamedMaterial>& materials;
    ModelBuilder& builder;
    std::vector<Handle>& handles;
    std::vector<std::shared_ptr<AnimationTrack>>& animations;
    std::vector<Error>& errors;
    std::vector<std::string>& notes; // defaults that were computed, each with its reason
    std::vector<std::string>& files; // read for the objects: "hash  path" each
    PointAttributes& attributes;     // what selections of attachments may name
    std::string path(std::string_view key) const { return object.path + "." + std::string(key); }
};

struct ObjectKind {
    std::string_view name, doc;
    std::string_view body;           // row of the support table: particles, springs, rigid, ...
    std::shared_ptr<void> (*make_params)();
    void (*describe)(void* params, FieldList&);
    void (*build)(const void* params, BuildContext&);
};

std::span<const ObjectKind> object_kinds();
const ObjectKind* find_object_kind(std::string_view name);
// kinds and joints that the language knows and later versions build: they are named as such, not as misspelt
std::span<const std::string_view> future_kinds();

// A row for list.cpp from a struct with name, doc, body, Params, fields and build.
template <class K> ObjectKind make_object_kind() {
    using P = typename K::Params;
    return {K::name, K::doc, K::body, []() -> std::shared_ptr<void> { return std::make_shared<P>(); },
            [](void* p, FieldList& list) { K::fields(*static_cast<P*>(p), FieldCollector{list}); },
            [](const void* p, BuildContext& c) { K::build(*static_cast<const P*>(p), c); }};
}

void add_error(BuildContext&, std::string_view key, const Value& at, std::string message, std::string allowed = {},
               std::string nearest = {});

} // namespace sinew
