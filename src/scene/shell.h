// Cloth as a shell: membrane elements on triangles, hinge elements over inner edges, from a material's roles `membrane`
// (energies tri_*) and `bend` (energies hinge_*). Also the point maps of sheets and their scripted rest states.
//   "maps": { "stiffness": ..., "density": ..., "thickness": ... }   factors per vertex: the name of a vertex attribute of
//           the mesh, a list with one number per vertex, or an expression of x, y, z at rest in the object's axes
//   "rest": { "scale": "1 - 0.2*t" }                                 factor on all rest lengths, of t, frame, x, y, z
//           { "object": "body", "weight": 0.5 }                      lengths of a moving mesh with the same vertices
#pragma once
#include "geometry/triangulate.h"
#include "scene/deformable.h"

namespace sinew {

struct SheetParams {
    std::string model = "auto";
    Real3 warp{1, 0, 0};
    Value maps, rest;
};
template <class V> void sheet_fields(SheetParams& p, V&& v) {
    v("model", p.model, Field{.allowed = {"auto", "links", "shell"},
                              .doc = "masses and links, or triangles and hinges; auto: shell if the material's membrane "
                                     "is an energy of triangles, otherwise links"});
    v("warp", p.warp, Field{.doc = "direction of the warp in the object's axes; [0, 0, 0]: along u of the texture"});
    v("maps", p.maps, Field{.doc = "factors per vertex: { stiffness, density, thickness }, each an attribute of the mesh, "
                                   "a list, or an expression of x, y, z"});
    v("rest", p.rest, Field{.doc = "scripted rest lengths of a shell: { scale } or { object, weight }"});
}

// Factors per vertex, 1 where the scene says nothing.
struct SheetMaps {
    std::vector<Real> stiffness, density, thickness;
};
SheetMaps read_maps(BuildContext&, const Value& maps, const PolygonMesh&);

bool is_shell(const SheetParams&, const Material&);
// elements of all triangles and inner edges; `mesh` is the sheet in the object's axes
void add_shell(BuildContext&, const SheetParams&, const Material&, const PolygonMesh& mesh, const Triangulation&,
               const SheetMaps&, Range points);
// Triangles of a grid of nx columns of quads whose diagonals alternate like the squares of a chessboard: no direction of
// shear or twist is preferred.
Triangulation alternate_triangles(const PolygonMesh& grid, int nx);

// The two inner ends and the two apexes of every pair of triangles that share an edge: x0, x1, x2, x3 of
// geometry/dihedral.h. An edge of more than two triangles gives a pair of the first with each other one.
std::vector<std::array<int, 4>> find_hinges(std::span<const std::array<int, 3>> triangles);

} // namespace sinew
