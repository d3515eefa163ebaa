// The matrix of implicit solvers from all elements of a set:
//   A = sum_e  H_e  +  PSD( sym( -dfdx_e - r dfdv_e ) )
//   H_e      Hessian of the potential, projected to positive semi-definite per element as asked
//   dfdx_e   derivative of the force without potential (dampers, drag), dfdv_e likewise
//   r        dv/dx of the time scheme [1/s], 1/dt for implicit Euler
//
// What is dropped: the skew part of the force derivatives (wind gradients, the turning of a damper's axis),
// because the factorisations and conjugate gradients are for symmetric matrices, and their negative part (a
// damper that shortens, a wind that blows together), because a step must be a descent direction. Both are
// small against r dfdv, which is symmetric and negative for every force that takes energy out; dropping them
// costs convergence speed, not accuracy: the residual holds the whole force. With Projection::none the
// negative part stays.
//
// Pattern and plan depend on the stencils only and are made once per topology. Elements are evaluated into
// one flat array, then each block of the matrix gathers its contributions in element order
// (linalg/block_sparse.h): no triplets, no atomics, no allocation, same bits for any number of threads and
// equal to adding triplets in element order. Hinges over whole meshes are summed per triangle (hinge_mesh.h) where their
// triangles are consistently oriented, equal to the sum of elements up to rounding. What needs eigenvalues of whole elements
// (absolute, and clamp where `eigen` is set) is taken element by element there too.
//
// clamp is by a closed form where an entry has one (energy.h `hessian_psd`): of the stretches of a solid, in the plane of a
// triangle, or of psi'' of a hinge. `eigen` takes the eigenvalues of the whole element matrix instead, for every entry: the nearest
// positive semi-definite matrix in the Frobenius norm.
#pragma once
#include "energy/assemble.h"
#include "linalg/block_sparse.h"

namespace sinew {

struct HingeMesh;

// What goes into the matrix.
struct HessianTerms {
    Projection projection = Projection::clamp; // of each element's two parts
    bool potentials = true;                    // H
    Real force_x = 0;                          // weight of -dfdx: 0 or 1
    Real force_v = 0;                          // [1/s] weight of -dfdv: r
    bool eigen = false;                        // clamp: see above
};

// A table of hinges that is evaluated per triangle instead of per element (hinge_mesh.h).
struct HingePart {
    std::vector<int> stencil; // of the table: what the mesh was made from
    std::shared_ptr<HingeMesh> mesh; // null: its triangles do not form a simple mesh
    GatherPlan plan;
};

// Where element matrices go: a cache of the element set.
struct HessianPlan {
    std::vector<int> first; // per table: first number in `local`, -1 = takes no part
    std::vector<HingePart> hinges; // per table; those without a mesh are evaluated by element
    GatherPlan gather;
    std::vector<Real> local;             // element matrices, one after another
    std::vector<int> blocks;             // scratch of build: blocks of all stencils
    std::vector<ElementBlocks> elements; // scratch of build
};

BlockLayout block_layout_of(const Dofs&);

// Pattern of every pair of blocks that meets in an element of either set. False: more than 2^31 - 1 values.
bool build_hessian_pattern(const ElementSet&, const ElementSet& more, const Dofs&, BlockPattern&);
// False: the pattern lacks a pair of the set (contacts that left it): build a new one. Per element: hinges too, as an oracle.
enum class HingeSums { per_triangle, per_element };
bool build_hessian_plan(const ElementSet&, const Dofs&, const BlockPattern&, HessianPlan&, HingeSums = HingeSums::per_triangle);

// A = sum over the set; blocks without a contribution become zero
void compute_hessian(const Parallel&, const ElementSet&, const Evaluation&, const HessianTerms&, HessianPlan&,
                     BlockSparse& A);
// A += sum over the set
void add_hessian(const Parallel&, const ElementSet&, const Evaluation&, const HessianTerms&, HessianPlan&,
                 BlockSparse& A);

// s . H s without assembling H: the curvature along a direction
Real hessian_form(const Parallel&, const ElementSet&, const Dofs&, const Evaluation&, const HessianTerms&,
                  std::span<const Real> s, HessianPlan&, std::vector<Real>& partial);

} // namespace sinew
