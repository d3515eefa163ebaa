// Model: what is simulated, constant during a step; arrays only. Built by compile(Scene), changed by edits between
// steps, which raise topology_revision (arrays resized, elements changed) or values_revision (numbers changed).
#pragma once
#include "sinew/input.h"
#include "sinew/shape.h"
#include "sinew/types.h"
#include <memory>

namespace sinew {

struct Tables;         // energy and constraint elements (src/model/element.h)
struct FieldSet;       // named wind and velocity fields, what spawned objects take from the scene (src/model/field.h)
struct SnapshotLayout; // what exporters and pictures see (src/model/snapshot.h)
struct Ways;           // how emitters and sinks move (src/model/way.h)

struct Range {
    int begin = 0, end = 0;
    int count() const { return end - begin; }
};

enum Flag : std::uint8_t {
    kFree = 0,
    kFixed = 1,   // eliminated unknown: follows its target, or stays
    kPassive = 2, // massless point carried by a velocity field
    kPooled = 4,  // belongs to an emitter's pool
};

struct PointModel {
    std::vector<Real3> rest;          // [m] rest position
    std::vector<double> mass;         // [kg], 0 for passive points
    std::vector<int> object;          // owner
    std::vector<int> field;           // velocity field that carries a passive point, -1 = none; empty = no passive point
    std::vector<std::uint8_t> flags;  // Flag
};
struct FrameModel {
    std::vector<double> mass;         // [kg]
    std::vector<Real33> inertia;      // [kg m^2] about the centre of mass in body axes
    std::vector<int> object;
    std::vector<std::uint8_t> flags;
};
struct ScalarModel {
    std::vector<double> mass;         // generalised
    std::vector<int> object;
    std::vector<std::uint8_t> flags;
};

// Collision surface: how each surface vertex is obtained from the unknowns.
struct SurfaceVertex {
    enum Kind : int {
        point,                        // x = point index
        frame,                        // x = p + q local of frame index
        embedded,                     // x = sum of weights times points of surface.embeddings[index]
        animated,                     // x = State.animated.x[index]: moved from outside, no unknown
    } kind = point;
    int index = 0;
    Real3 local;                      // [m] body coordinates when fixed in a frame
};
struct Embedding { // barycentric in an element: up to four points, -1 = absent
    std::array<int, 4> point{-1, -1, -1, -1};
    std::array<double, 4> weight{};   // their sum is 1
};
struct Surface {
    std::vector<SurfaceVertex> vertices;
    std::vector<std::array<int, 2>> edges;     // of triangles, each once, and of lines
    std::vector<std::array<int, 3>> triangles; // counter-clockwise from outside
    std::vector<double> thickness;    // [m] per vertex
    std::vector<int> object;          // per vertex
    std::vector<Embedding> embeddings;
};

// A shape that bodies touch with: fixed in the axes of a frame. Pairs of bodies meet by their shapes, everything else by
// the collision surface.
struct Collider {
    Shape shape;                      // big ones in Model.shapes
    Pose pose;                        // in the frame's axes, whose origin is the centre of mass
    int frame = -1;
    int object = -1;
};

// Obstacle met by its true shape, fixed in the axes of a (usually fixed) frame.
struct Obstacle {
    enum Shape : int { plane, sphere, capsule, box, height_field } shape = plane;
    Real3 size;                       // plane: unused (normal = +y of the shape); sphere: radius; capsule: radius, half
                                      // length along y; box: half extents [m]; height field: unused
    int data = -1;                    // of a height field: index into Model.shapes->height_fields
    Pose pose;                        // of the shape in the frame's axes
    int frame = -1;
    int object = -1;
    double friction = 0.5;
    double stiffness = 1e4;           // [N/m] of the penalty per surface vertex
    double damping = 0;               // [N s/m] normal, only while approaching
    double thickness = 0;             // [m] kept around the shape
};

// What a pair of objects does where it differs from the objects' own numbers.
struct ContactRule {
    int a = -1, b = -1;               // objects
    bool off = false;                 // the pair does not touch
    double friction = -1;             // -1 = geometric mean of the two
    double thickness = -1;            // [m] of the deformable side, -1 = its own
    double restitution = -1;          // -1 = the larger of the two
    int joint = -1;                   // object that it goes with, -1 = it stays
};

// Pool of particles with births at a rate. Birth and death flip State.point.alive and change no revision.
struct Emitter {
    int object = -1;
    Range points;                     // the pool
    std::vector<Real3> sites;         // [m] birth places in turn or at random; empty = by shape
    enum Shape : int { box, sphere, grid, mesh } shape = box;
    Pose pose;                        // of the shape; it, sites and velocity are those before the way has moved them
    int way = -1;                     // of Model.ways, that it follows; -1 = it stays
    double inherit = 1;               // part of its own velocity that the newly born get
    Real3 size;                       // [m] box: edge lengths; sphere: radius in x
    double rate = 100;                // [1/s]
    double from = 0, until = 1e300;   // [s]
    Real3 velocity;                   // [m/s] of the newly born
    double spread = 0;                // [m/s] random part of it
    double lifetime = 1e300;          // [s]
    std::uint64_t seed = 1;
    double initial_count = 0;         // born at the start
};
struct Sink { // kills pooled particles inside (or outside) a region
    Real3 center, size;               // box half extents, or radius in x
    bool is_sphere = false, outside = false;
    Real4 rotation;                   // of the box
    int way = -1;                     // of Model.ways, that it follows from there; -1 = it stays
    int object = -1;
};

// Points that are moved from outside and are no unknowns: vertices of animated obstacles.
struct AnimatedModel {
    std::vector<int> object;          // owner
};

struct Object {
    std::string name, kind, material;
    int generation = 0;               // of the slot: raised when its object is removed, so that old ids are refused
    bool alive = true;
    bool spawned = false;             // came after the start; when it is removed, its slot is for others
    bool by_program = false;          // by spawn or connect, not by an event of the scene: a continued run is told again
    Range points, frames, scalars;
    Range animated;                   // animated vertices
    Range surface;                    // surface vertices
    Range edges, triangles;           // of the surface
    double friction = 0.5;            // coefficient; a pair takes the geometric mean unless a rule says otherwise
    double restitution = 0;           // part of the approach speed that comes back, [0, 1]; a pair takes the larger
    double rolling_friction = 0;      // [m] torque against rolling per normal force; a pair takes the larger
    double torsional_friction = 0;    // [m] torque against spinning about the normal per normal force; likewise
    bool self_contact = false;        // its surface touches itself
    std::uint32_t groups = 1;         // collision groups it belongs to, as bits
    std::uint32_t touches = ~0u;      // groups it touches; two objects meet if each touches a group of the other
    int snapshot = -1;                // entry of the snapshot layout, -1 = nothing to see
};

struct Model {
    PointModel point;
    FrameModel frame;
    ScalarModel scalar;
    AnimatedModel animated;
    Surface surface;
    std::vector<Collider> colliders;  // by object
    std::shared_ptr<const ShapeStore> shapes; // data of big shapes; null = none
    std::vector<Obstacle> obstacles;
    std::vector<ContactRule> contact_rules; // later ones win
    std::vector<Emitter> emitters;
    std::vector<Sink> sinks;
    std::vector<Object> objects;
    Real3 gravity{0, -9.81, 0};       // [m/s^2] already in the gravity elements; kept for reports and defaults
    std::shared_ptr<const Tables> elements;
    std::shared_ptr<const FieldSet> fields;
    std::shared_ptr<const SnapshotLayout> layout;
    std::shared_ptr<const Ways> ways; // null = no emitter and no sink moves
    int topology_revision = 0;
    int values_revision = 0;
};

// Names every member once: hash, memory report and the check of sizes go through it.
template <class M, class F> void visit(M& m, F&& f)
    requires std::is_same_v<std::remove_const_t<M>, Model>
{
    f("point.rest", m.point.rest);
    f("point.mass", m.point.mass);
    f("point.object", m.point.object);
    f("point.field", m.point.field);
    f("point.flags", m.point.flags);
    f("frame.mass", m.frame.mass);
    f("frame.inertia", m.frame.inertia);
    f("frame.object", m.frame.object);
    f("frame.flags", m.frame.flags);
    f("scalar.mass", m.scalar.mass);
    f("scalar.object", m.scalar.object);
    f("scalar.flags", m.scalar.flags);
    f("animated.object", m.animated.object);
    f("surface.vertices", m.surface.vertices);
    f("surface.edges", m.surface.edges);
    f("surface.triangles", m.surface.triangles);
    f("surface.thickness", m.surface.thickness);
    f("surface.object", m.surface.object);
    f("surface.embeddings", m.surface.embeddings);
    f("colliders", m.colliders);
    f("shapes", m.shapes);
    f("obstacles", m.obstacles);
    f("contact_rules", m.contact_rules);
    f("emitters", m.emitters);
    f("sinks", m.sinks);
    f("objects", m.objects);
    f("gravity", m.gravity);
    f("elements", m.elements);
    f("fields", m.fields);
    f("layout", m.layout);
    f("ways", m.ways);
    f("topology_revision", m.topology_revision);
    f("values_revision", m.values_revision);
}

inline int point_count(const Model& m) { return int(m.point.mass.size()); }
inline int frame_count(const Model& m) { return int(m.frame.mass.size()); }
inline int scalar_count(const Model& m) { return int(m.scalar.mass.size()); }
inline int animated_count(const Model& m) { return int(m.animated.object.size()); }

Id find(const Model&, std::string_view name); // invalid Id if there is none
// null if the id is of nothing that lives: an old id of a slot that is used again too
inline const Object* object_of(const Model& m, Id id) {
    if (id.index < 0 || id.index >= int(m.objects.size())) return nullptr;
    const Object& o = m.objects[std::size_t(id.index)];
    return o.alive && o.generation == id.generation ? &o : nullptr;
}

} // namespace sinew
