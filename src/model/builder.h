// Builds Model and State object by object: what kinds of scene objects and tests call.
#pragma once
#include "model/element.h"
#include "model/field.h"
#include "model/snapshot.h"
#include "sinew/model.h"
#include "sinew/state.h"

namespace sinew {

struct ModelBuilder {
    Model model;
    State state;
    Tables tables;
    NamedFields fields;
    SnapshotLayout layout;
    ShapeStore shapes;
};

// Objects are filled one after another: everything added until the next begin_object belongs to it.
int begin_object(ModelBuilder&, std::string name, std::string kind, std::string material = {});

// returns the index of the first new point; gravity and drag elements are added by the caller
int add_points(ModelBuilder&, std::span<const Real3> rest, std::span<const Real> mass, std::uint8_t flags = kFree,
               Real3 velocity = {});
int add_frame(ModelBuilder&, const Pose&, Real mass, const Real33& inertia, std::uint8_t flags = kFree,
              Real3 velocity = {}, Real3 angular_velocity = {});
int add_scalar(ModelBuilder&, Real value, Real mass, std::uint8_t flags = kFree);

// prepares an element from the rest state of its stencil (points first, then frames, then scalars)
void add_energy(ModelBuilder&, const ElementRow&, const void* params, std::span<const int> stencil);
void add_constraint(ModelBuilder&, const ElementRow&, const void* params, std::span<const int> stencil);

// every point of the range becomes a surface vertex; returns the first
int add_surface_points(ModelBuilder&, Range points, Real thickness);
int add_surface_vertex_in_frame(ModelBuilder&, int frame, Real3 local, Real thickness);
int add_embedded_vertex(ModelBuilder&, const Embedding&, Real thickness);
// vertices that are moved from outside, all of them surface vertices; returns the first animated vertex
int add_animated_vertices(ModelBuilder&, std::span<const Real3> x, Real thickness);
// triangles and edges of the current object's surface, by index of surface vertices counted from `first`; edges of the
// triangles are added too, each once
void add_surface_triangles(ModelBuilder&, int first, std::span<const std::array<int, 3>> triangles);
void add_surface_edges(ModelBuilder&, int first, std::span<const std::array<int, 2>> edges);
// a shape of the current object
void add_collider(ModelBuilder&, const Shape&, int frame, const Pose& pose = {});

// hands the tables, fields and layout over to the model
void finish_model(ModelBuilder&);

} // namespace sinew
