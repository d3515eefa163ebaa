// What a run looks like from outside: the geometry and the fields that recordings store, exporters write and
// pictures draw. Nothing here knows about solvers; a SnapshotLayout is made once per run (and again when an edit
// changes the topology), a Snapshot once per frame. Doubles throughout; a format that stores floats says so.
#pragma once
#include "geometry/mesh.h"
#include "sinew/types.h"

namespace sinew {

// A vertex that follows points of its object: x = sum of w_k x_k, points counted from the object's first.
struct Carrier {
    std::array<int, 4> point{};
    std::array<double, 4> weight{}; // their sum is 1
};

// Constant over the run: one entry per object that has geometry, in scene order.
struct SnapshotObject {
    std::string name;                                  // "sheet", "hero/chest"
    std::string kind;                                  // object kind of the scene: "cloth_grid", "sphere", ...
    std::string material;                              // empty if none
    bool rigid = false;                                // vertices are pose * rest; otherwise frame positions
    int point_count = 0;                               // vertices (for an emitter: its capacity)
    std::vector<Real3> rest;                           // [m] rest (deformable) or body-space (rigid) vertices
    std::vector<int> polygon_begin{0};                 // CSR over polygon_vertex, polygon_count + 1 entries
    std::vector<int> polygon_vertex;                   // corners, counter-clockwise seen from outside
    std::vector<std::array<double, 2>> uv;             // texture coordinates, empty if none
    std::vector<int> polygon_uv;                       // per corner index into uv, -1 = none; empty if no corner has one
    std::vector<std::array<int, 2>> segments;          // links drawn as lines (chain, rope, springs without faces)
    std::vector<std::pair<std::string, std::vector<int>>> vertex_groups; // name -> vertex indices
    std::vector<PolygonGroup> polygon_groups;          // of the input file: groups, objects, materials of polygons
    std::vector<Carrier> carriers;                     // per vertex; empty = vertices are the points. Not in recordings
    std::vector<std::pair<std::string, std::vector<int>>> carrier_groups; // with carriers: groups of the points
    bool draw_points = false;                          // vertices are particles drawn as spheres
    double radius = 0.01;                              // [m] of drawn points and segments
    Real3 color{0.7, 0.7, 0.7};                        // linear RGB 0..1
};
struct SnapshotLayout {
    std::string scene_name;
    double fps = 24;
    int first_frame = 0;
    std::string up = "y";       // of the scene: x, y, z, -x, -y or -z
    std::vector<double> camera; // of the scene: eye, look_at, up [m], fov [rad]: 10 numbers; empty = fitted
    std::string look;           // of the scene: render settings as a JSON object (render/settings.h); empty = none
    std::vector<SnapshotObject> objects;
};

// One number or vector per vertex of one object: "velocity" (3), "speed" (1), "strain" (1), "age" (1), user attributes.
struct SnapshotField {
    std::string name;
    int components = 1;
    std::vector<double> values; // point_count * components
};
struct SnapshotObjectFrame {
    Pose pose;                        // rigid objects
    std::vector<Real3> position;      // [m] deformable objects: point_count entries; rigid: empty
    std::vector<std::uint8_t> alive;  // per vertex 0/1; empty = all alive
    std::vector<std::uint32_t> id;    // per vertex identity that survives re-use of a slot; empty = index
    std::vector<SnapshotField> fields;
};
struct Snapshot {
    int frame = 0;                    // frame number as the scene counts them
    double time = 0;                  // [s]
    std::vector<SnapshotObjectFrame> objects; // same order as the layout
    std::vector<std::pair<std::string, double>> numbers; // report of the frame: energies, momenta, gaps ...
};

} // namespace sinew
