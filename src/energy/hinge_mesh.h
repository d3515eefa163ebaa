// Bending of a whole triangle mesh at once: half-hinge assembly per triangle (spec T 3.3.5; Tamstorf and Grinspun 2013,
// algorithms 1 and 2). Equal to the sum of the elements of hinge.h, two to three times fewer operations.
//
//   normals        per triangle, once, instead of once per hinge
//   psi', psi''    per hinge, from the normals
//   blocks         per triangle, with c_i = psi' of the hinge on the edge opposite corner i (0 at the boundary):
//       d_i  = c_(i-1) cos a_(i+1) + c_(i+1) cos a_(i-1) - c_i,   R_i = c_i/l_i^2 n m_i^T
//       H_ii = w_ii d_i (M_i + M_i^T) - R_(i+1) - R_(i+2),        H_ij = w_ij (d_i M_j^T + d_j M_i) + R'_k,   w_ij = 1/(h_i h_j)
//       R'_k is R_k^T in the one of the two triangles that has the hinge's edge counter-clockwise, R_k in the other
//       psi'' g g^T of each hinge is added by that triangle: six of its ten blocks are the triangle's own
//   gradient       psi' g, gathered per point
// Diagonal blocks are symmetric only when both neighbours are in. Blocks are written in the orientation of their slot and
// gathered through a GatherPlan: same bits for any number of threads.
//
// Projection::clamp keeps max(psi'', 0) g g^T as hinge.h does, absolute |psi''| g g^T.
#pragma once
#include "energy/hinge.h"
#include "linalg/block_sparse.h"

namespace sinew {

struct HingeMesh {
    struct Triangle {
        std::array<int, 3> point;
        std::array<int, 3> hinge;      // on the edge opposite each corner, -1 = boundary
        std::array<bool, 3> owns;      // the hinge's edge is counter-clockwise here: this is its upper triangle
        std::array<bool, 3> flip;      // block (i, i + 1) is stored transposed
        std::array<std::array<bool, 3>, 3> flip_apex; // of the owned hinge at corner i: blocks (apex, corner j)
        int first_value = 0;           // in the block array: 6 blocks, then 4 per owned hinge
    };
    struct Edge {
        int upper = -1, lower = -1;    // triangles
        int corner = 0, lower_corner = 0; // the corners that face it
        int apex = -1;                 // point x3
    };
    struct Shape { // of one triangle, scratch
        Vec3 n;
        std::array<Vec3, 3> unit;      // edges opposite each corner
        std::array<Real, 3> length, inverse_height;
        bool valid;
    };
    std::vector<Triangle> triangles;
    std::vector<Edge> edges;           // one per hinge, in the order of the table
    int value_count = 0;               // of the block array
    std::vector<Shape> shape;
    std::vector<Psi> psi;              // per hinge
    std::vector<Real> gradient;        // 12 per hinge
    std::vector<Real> blocks;          // value_count
};

// From hinge stencils. False where triangles do not form a consistently oriented mesh with at most one hinge per edge: the
// elements then have to be summed one by one.
bool build_hinge_mesh(std::span<const int> stencils, HingeMesh&);
// Where the blocks go. False: the pattern lacks one.
bool build_hinge_plan(const HingeMesh&, const BlockPattern&, GatherPlan&);

// normals and, through `law`, psi of every hinge; law(hinge, half angle) -> Psi
void compute_hinge_shapes(const Parallel&, const Real3* x, HingeMesh&);
HalfAngle hinge_half_angle(const HingeMesh&, int hinge, bool& valid);
// gradients of all hinges (12 each, into mesh.gradient) from mesh.psi
void compute_hinge_gradients(const Parallel&, HingeMesh&);
// blocks from mesh.psi, which the projection changes
void compute_hinge_blocks(const Parallel&, Projection, HingeMesh&);

// psi of the elements of a law over the mesh made from their stencils
template <class L> void compute_hinge_psi(const Parallel& p, const typename L::Data* data, const StepContext& context,
                                          std::span<const int> stencils, HingeMesh& mesh) {
    parallel_for(p, int(mesh.edges.size()), 512, [&](int begin, int end) {
        StepContext c = context;
        for (int e = begin; e < end; ++e) {
            bool valid;
            const HalfAngle half = hinge_half_angle(mesh, e, valid);
            c.stencil = stencils.data() + 4 * std::size_t(e);
            mesh.psi[e] = valid ? L::psi(data[e], c, half) : Psi{};
        }
    });
}

} // namespace sinew
