// Contacts of the scene's whole collision surface: pairs by boxes (candidates.h), closest features by classification
// (geometry/distance_closest.h), each geometric contact once (spec T 7.6, A 3.3).
//
// A vertex-edge or vertex-vertex contact is recomputed from its own vertices whichever triangle or edge led to it, so
// that all finds of it are equal and the first may stand for them; `count` says how many pairs of elements found it.
// Who meets whom: objects that touch each other (groups, rules), an object itself where it asks for self_contact, never
// two that cannot move. Pairs of bodies that both have shapes, and objects that are analytic obstacles, are left to
// detect_shapes and detect_obstacles unless `everything` is set.
#pragma once
#include "collision/candidates.h"
#include "core/parallel.h"
#include "model/contacts.h"
#include <span>

namespace sinew {

struct SurfaceOptions {
    Real margin = 0;         // [m] contacts with gap < margin
    bool everything = false; // bodies with shapes and obstacles meet by their surfaces too
    bool obstacles = false;  // what meets analytic obstacles only stays in the topology (for steps that judge those too)
    int rings = 1;           // self-collision leaves out neighbours up to this many edges away (candidates.h)
    std::span<const Real> reach{}; // [m] per vertex, empty = none: how far it may go; pairs within the margin and both reaches are contacts too
};

// What depends on the model only, kept until it changes, and memory of the last call. Dropping it changes no result.
struct SurfaceScratch {
    int topology = -1, values = -1; // revisions it belongs to
    const void* owner = nullptr;    // model.elements
    SurfaceOptions options;         // but for the reach
    std::vector<Real> grown;        // [m] per vertex: thickness and reach
    bool valid = false;
    SurfaceNeighbors neighbors;
    std::vector<std::array<int, 3>> triangle_edge; // edge of (t0 t1), (t1 t2), (t2 t0) per triangle
    std::vector<std::uint32_t> group, mask;        // per vertex: roles, not the user's groups
    std::vector<std::uint8_t> alive;               // per vertex
    std::vector<Pair> excluded;
    RuleTable rules;
    Real rule_thickness = 0;                       // [m] largest of all rules

    CandidateScratch boxes;
    Candidates candidates;
    struct Chunk {
        std::vector<SurfaceContact> vertex_triangle, edge_edge, vertex_edge, vertex_vertex;
    };
    std::vector<Chunk> chunks;
};

// What the broad phase sees of the model; spans into model and scratch. `alive` is per point, empty = all. False if an
// edge or triangle names what does not exist, or a triangle lacks one of its edges.
bool build_surface_topology(const Model&, std::span<const std::uint8_t> alive, const SurfaceOptions&, SurfaceScratch&,
                            SurfaceTopology& out);

// Fills the four surface ranges of Contacts from vertex positions x (model/surface.h). False, and no contacts, if the
// surface is malformed, a position is NaN, or there are more than 2^31 - 1 candidates.
bool detect_surface(const Parallel&, const Model&, std::span<const Real3> x, std::span<const std::uint8_t> alive,
                    const SurfaceOptions&, SurfaceScratch&, Contacts&);

} // namespace sinew
