// Bending of a whole triangle mesh at once: half-hinge assembly per triangle (spec T 3.3.5; Tamstorf and Grinspun 2013,
// algorithms 1 and 2). Equal to the sum of the elements of hinge.h, two to three times fewer operations.
//
//   shapes    per triangle, once, instead of once per hinge: n, edges e_i opposite corner i, products e_j.e_k, 1/(2A)
//   terms     per hinge, from the shapes: psi', psi'', 1/l, and grad theta as factors of the two normals,
//                 at the apex -l^2 w, at the ends -e_0.e_1 w and -e_0.e_2 w,   w = 1/(2 A l): no cosines, no altitudes
//   blocks    per triangle, with c_i = psi'/l of the hinge on the edge opposite corner i (0 at the boundary), t_i = e_i x n:
//       D_i  = -(c_0 e_0 + c_1 e_1 + c_2 e_2).e_i / (2A)^2,       r_i = c_i/l_i^2 t_i
//       H_ii = D_i (n t_i^T + t_i n^T) - n (r_(i+1) + r_(i+2))^T,  H_ij = D_i t_j n^T + D_j n t_i^T + R'_k
//       R'_k is r_k n^T in the one of the two triangles that has the hinge's edge counter-clockwise, n r_k^T in the other
//     This is the published d_i = c_(i-1) cos a_(i+1) + c_(i+1) cos a_(i-1) - c_i with lengths multiplied out: every block is
//     n a^T + b n^T, two vectors until it is stored.
//       psi'' g g^T of each hinge is added by that triangle: six of its ten blocks are the triangle's own, and three of
//       these have a part along the other normal, the rest goes into a and b
//   gradient  psi' g, gathered per point
// Diagonal blocks are symmetric only when both neighbours are in. Blocks are written in the orientation of their slot and
// gathered through a GatherPlan: same bits for any number of threads.
//
// Projection::clamp and gauss_newton keep max(psi'', 0) g g^T as hinge.h does; what needs eigenvalues is not reordered:
// assemble_hessian.cpp takes whole elements then and adds them by add_hinge_element.
// Hinges of collapsed triangles fade (hinge.h): their terms are s psi' and s psi'', and what grad s and Hess s add is kept in `faded`
// and added to the stored blocks. There are none as a rule.
#pragma once
#include "core/simd.h"
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
    struct Shape { // of one triangle, scratch; all zero without area
        Vec3 n;
        Real inverse_area2;            // [1/m^2] 1/(2A), 0 = no area
        std::array<Vec3, 3> edge;      // [m] opposite each corner
        std::array<Real, 3> length2;   // [m^2]
        std::array<Real, 3> product;   // [m^2] of the edges at each corner
    };
    struct Term { // of one hinge, scratch; all zero where a triangle has no area
        Real d, dd;                    // [N m] psi', psi''
        Real c, r;                     // [N], [N/m^2] psi'/l, psi'/l^3
        std::array<Real, 3> upper;     // [1/m] grad theta at apex, x1, x2 along the upper normal
        std::array<Real, 3> lower;     // [1/m] the same at x3, x1, x2 along the lower normal
    };
    struct Faded { // what a fade s adds to gradient and Hessian of s psi with s constant: x0, x1, x2, x3
        int hinge;
        VecN<12> gradient;
        MatN<12> hessian;
    };
    std::vector<Triangle> triangles;
    std::vector<Edge> edges;           // one per hinge, in the order of the table
    int value_count = 0;               // reals of all blocks
    std::vector<Shape> shape;
    std::vector<Term> terms;           // per hinge
    std::vector<Real> gradient;        // 12 per hinge
    std::vector<std::vector<Faded>> faded; // per chunk of hinges
};
inline constexpr int kHingeGrain = 512;

// From hinge stencils. False where triangles do not form a consistently oriented mesh with at most one hinge per edge: the
// elements then have to be summed one by one.
bool build_hinge_mesh(std::span<const int> stencils, HingeMesh&);
// Where the blocks go. False: the pattern lacks one.
bool build_hinge_plan(const HingeMesh&, const BlockPattern&, GatherPlan&);

void compute_hinge_shapes(const Parallel&, const Real3* x, HingeMesh&);
inline HalfAngle hinge_half_angle(const HingeMesh::Edge& e, const HingeMesh& mesh) {
    const HingeMesh::Shape &u = mesh.shape[e.upper], &l = mesh.shape[e.lower];
    return half_angle(u.n, l.n, u.edge[e.corner]);
}
// terms of one hinge whose triangles have area
void compute_hinge_term(const Psi&, int hinge, HingeMesh&);
// psi of a hinge of collapsed triangles as it stays: s psi, s psi', s psi''; the rest goes to `out`
Psi fade_hinge(const Psi&, Real fade_upper, Real fade_lower, int hinge, const HingeMesh&, std::vector<HingeMesh::Faded>& out);
// gradients of all hinges (12 each, into mesh.gradient) from mesh.terms
void compute_hinge_gradients(const Parallel&, HingeMesh&);
// blocks from mesh.terms, all of them (Projection::none) or max(psi'', 0) g g^T (any other): value_count reals. wide: by AVX2, the same bits
void compute_hinge_blocks(const Parallel&, Projection, const HingeMesh&, Real* out, bool wide = has_avx2());
// blocks += the matrix of one element; touches those of its upper triangle only
void add_hinge_element(const HingeMesh&, int hinge, const MatN<12>& hessian, Real* blocks);

// terms of the elements of a law over the mesh made from their stencils
template <class L> void compute_hinge_terms(const Parallel& p, const typename L::Data* data, const StepContext& context,
                                            std::span<const int> stencils, HingeMesh& mesh,
                                            const std::uint8_t* alive = nullptr) {
    mesh.faded.resize((mesh.edges.size() + kHingeGrain - 1) / kHingeGrain);
    parallel_for(p, int(mesh.edges.size()), kHingeGrain, [&](int begin, int end) {
        StepContext c = context;
        std::vector<HingeMesh::Faded>& faded = mesh.faded[begin / kHingeGrain];
        faded.clear();
        for (int h = begin; h < end; ++h) {
            const HingeMesh::Edge& e = mesh.edges[h];
            mesh.terms[h] = {};
            if (mesh.shape[e.upper].inverse_area2 == 0 || mesh.shape[e.lower].inverse_area2 == 0) continue;
            c.stencil = stencils.data() + 4 * std::size_t(h);
            if (alive && !(alive[c.stencil[0]] && alive[c.stencil[1]] && alive[c.stencil[2]] && alive[c.stencil[3]])) continue;
            const auto& d = L::resolve(data[h], c);
            Psi psi = L::Law::psi(d, c, hinge_half_angle(e, mesh));
            if (std::max(mesh.shape[e.upper].inverse_area2 * d.fade_upper, mesh.shape[e.lower].inverse_area2 * d.fade_lower) > 1)
                psi = fade_hinge(psi, d.fade_upper, d.fade_lower, h, mesh, faded);
            compute_hinge_term(psi, h, mesh);
        }
    });
}

// shapes and terms of a table of the law with this name; null = not a law of hinges
using HingeTerms = void (*)(const Parallel&, const Table&, const Evaluation&, HingeMesh&);
HingeTerms find_hinge_terms(std::string_view law);
// whether the law is infinite where a fold has closed within the step: its value with x_now tells (hinge.h)
bool has_fold_barrier(const ElementRow&);

} // namespace sinew
