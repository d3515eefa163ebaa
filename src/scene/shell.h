// Cloth as a shell: membrane elements on triangles, hinge elements over inner edges, from a material's roles `membrane`
// (energies tri_*) and `bend` (energies hinge_*), with the point maps of the sheet (point_maps.h) and its scripted rest state
// (shell_rest.h).
#pragma once
#include "geometry/triangulate.h"
#include "scene/deformable.h"
#include "scene/point_maps.h"

namespace sinew {

struct SheetParams {
    std::string model = "auto";
    Real3 warp{1, 0, 0};
    Value maps, rest, strain_limit;
};
template <class V> void sheet_fields(SheetParams& p, V&& v) {
    v("model", p.model, Field{.allowed = {"auto", "links", "shell"},
                              .doc = "masses and links, or triangles and hinges; auto: shell if the material's membrane "
                                     "is an energy of triangles, otherwise links"});
    v("warp", p.warp, Field{.doc = "direction of the warp in the object's axes; [0, 0, 0]: along u of the texture"});
    v("maps", p.maps, Field{.doc = "factors per vertex: { stiffness, density, thickness }, each an attribute of the mesh, "
                                   "a list, or an expression of x, y, z"});
    v("strain_limit", p.strain_limit, Field{.doc = "largest stretch, or { stretch, compression, compliance }: of links along edges and diagonals, or "
                                                   "of the principal directions of triangles"});
    v("rest", p.rest, Field{.doc = "scripted rest lengths and angles of a shell: { scale, angle, angle_scale, weight } of time and place, or "
                                   "{ object, weight } of a moving mesh; weight may be a map"});
}

bool is_shell(const SheetParams&, const Material&);
// The cells of a grid in the plane y = 0 whose triangles alternate. Zero = no grid.
struct GridCell {
    Real dx = 0, dz = 0; // [m]
};
// Factor on the rigidity of the hinge over an edge of such a grid that makes the sheet the plate it stands for.
// With the same rigidity D at every hinge an alternating grid is softer than that: its points of four edges move out of the
// plane by +-p against those of eight, which takes part of the curvature off the hinges. With a, c the curvatures along
// x and z, b the twist, r = dx/dz and factors v, h on edges across x and across z, d on diagonals, the energy of a cell is
// quadratic in a, b, c and p; minimised over p it is that of an isotropic plate, D/2 (a^2 + c^2 + 2 nu a c + 2 (1 - nu) b^2) per area,
// if and only if nu = -1/3 and
//   v = 8 r^2/(3 (3 r^2 - 1)),   h = 8/(3 (3 - r^2)),   d = 8 r^2/(3 (1 + r^2)^2)          square cells: 4/3, 4/3, 2/3
// Then a sheet that rolls up has the rigidity D in every direction, a strip with free sides D (1 - nu^2) = 8/9 D, as the plate of
// Poisson's ratio 1/3 has. Cells longer than 1.5 times their width keep the factor 1.
Real grid_hinge_factor(const GridCell&, const Vec3& edge);

// elements of all triangles and inner edges; `mesh` is the sheet in the object's axes
void add_shell(BuildContext&, const SheetParams&, const Material&, const PolygonMesh& mesh, const Triangulation&,
               const PointMaps&, Range points, const GridCell& = {});
// Of a sheet of links whose material bends by hinges (model hinge_* of the role `bend`): those, in place of links over two edges.
bool bends_by_hinges(const Material&);
void add_shell_bending(BuildContext&, const SheetParams&, const Material&, const PolygonMesh& mesh, const Triangulation&,
                       const PointMaps&, Range points, const GridCell& = {});
// Triangles of a grid of nx columns of quads whose diagonals alternate like the squares of a chessboard: no direction of
// shear or twist is preferred.
Triangulation alternate_triangles(const PolygonMesh& grid, int nx);

// The two inner ends and the two apexes of every pair of triangles that share an edge: x0, x1, x2, x3 of
// geometry/dihedral.h. An edge of more than two triangles gives a pair of the first with each other one.
std::vector<std::array<int, 4>> find_hinges(std::span<const std::array<int, 3>> triangles);

} // namespace sinew
