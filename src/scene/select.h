// Which points of an object are meant. In a scene, wherever points are meant:
//   "all" | "none" | "boundary" | "collar" (a vertex group) | [select, select, ...] any of these
//   { "group": name }                 vertex group
//   { "box": [[x, y, z], [x, y, z]] } opposite corners, borders included
//   { "sphere": { "center": [..], "radius": r } }
//   { "half_space": { "point": [..], "normal": [..] } }   on the side of the normal
//   { "index": i | [i, j, ...] }, { "range": [first, last] }   negative numbers count from the end, as -1 = last
//   { "attribute": name, "min": a, "max": b } or "equals": c   vertex attribute of the mesh, attribute of particles
//   { "boundary": true }, { "all": true }, { "any": [..] }, { "every": [..] }, { "not": select }
//   { "of": object, ... }             the object, where it is not clear from the place
// Several of these in one { } must all hold. Boxes, spheres and half spaces are in world coordinates of the
// initial state.
#pragma once
#include "core/read.h"
#include "geometry/mesh.h"
#include "sinew/scene.h"

namespace sinew {

struct Select {
    enum class Kind {
        all,
        none,
        boundary,
        group,
        box,
        sphere,
        half_space,
        indices,
        range,
        attribute,
        any,
        every,
        complement
    };
    Kind kind = Kind::all;
    std::string name;  // of group or attribute
    Real3 a, b;        // [m] box: lowest, highest corner; sphere: center; half space: point, unit normal
    double radius = 0; // [m]
    double min = 0, max = 0;   // attribute, inclusive
    std::vector<int> indices;  // sorted as written; range: first, last
    std::vector<Select> parts; // any, every, complement (one)
    std::string of;            // object as written, empty if not said
    Place place;               // for messages
};

bool parse_select(const Value&, const Scope&, std::string_view path, Select& out, std::vector<Error>&);

// What a selection is made from; spans may be empty where nothing of the kind exists.
struct SelectSource {
    std::span<const Real3> positions; // [m] world, initial
    std::span<const std::pair<std::string, std::vector<int>>> groups;
    std::span<const std::uint8_t> boundary; // 1 for each point on the boundary
    std::span<const VertexAttribute> attributes; // of several numbers per point the first counts, as in maps
};
// Sorted indices. Unknown groups and attributes, and indices out of range, are errors.
std::vector<int> find_selected(const Select&, const SelectSource&, std::string_view path,
                               std::vector<Error>&);

} // namespace sinew
