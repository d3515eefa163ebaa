// All objects of a snapshot as one mesh, for formats that know no objects (PLY, VTK). Vertices, segments and
// polygons keep their order and count, object after object, and say which object they belong to. Only objects
// that are nothing but particles leave out their dead ones.
#pragma once
#include "model/snapshot.h"

namespace sinew {

struct FlatMesh {
    std::vector<Real3> position;    // [m]
    std::vector<int> vertex_object; // index into the layout's objects
    std::vector<std::uint32_t> id;  // identity, empty if no object has any
    std::vector<int> points;        // vertices drawn as points
    std::vector<std::array<int, 2>> segments;
    std::vector<int> segment_object;
    std::vector<int> polygon_begin{0}, polygon_vertex, polygon_object;
    std::vector<std::array<double, 2>>
        corner_uv;                     // per corner, `missing` where none; empty if no object has any
    std::vector<SnapshotField> fields; // union of all objects, `missing` where an object lacks one
    std::vector<std::pair<std::string, std::vector<std::uint8_t>>> groups; // 1 = vertex belongs to it
    // "group_collar", "material_red": 1 = polygon belongs to it, as the input file says
    std::vector<std::pair<std::string, std::vector<std::uint8_t>>> polygon_groups;
};

// nothing but particles: polygons or segments would need the dead vertices to keep their numbers
bool only_particles(const SnapshotObject& object);
// vertices to show, in order: all, or the living ones if the object is only particles
std::vector<int> shown_vertices(const SnapshotObject& object, const SnapshotObjectFrame& frame);

FlatMesh flatten(const SnapshotLayout& layout, const Snapshot& snapshot, double missing);

} // namespace sinew
