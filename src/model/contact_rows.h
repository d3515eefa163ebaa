// A contact as a row over the unknowns (spec U 7.2, 7.7; T 7.6).
//   gap vector  g(q) = sum_j weight_j x_j(q)     over the stencil's surface vertices
//   D_n = (dg/dq)^T n, D_s, D_t likewise         normal and sliding rates are D . q'
// Two bodies: D_n = [n; p_a x n; -n; -p_b x n] with p the contact point from the centre of mass; a triangle side has one
// entry -b_i n per corner.
#pragma once
#include "model/contacts.h"
#include "model/surface.h"

namespace sinew {

struct ContactStencil {
    int count = 0;
    std::array<SurfaceVertex, 4> vertex;
    std::array<Real, 4> weight{};
};
ContactStencil stencil_of(const Model&, const SurfaceContact&);
ContactStencil stencil_of(const Model&, const PointContact&); // a with +1 or the weights of its vertices, b with -1

// D of one direction of the contact frame: `gradient` and `block` of the result.
void build_direction(const Model&, const FrameState&, const Dofs&, const ContactStencil&, const Vec3& direction, PushedBack&);

// n . g of the stencil in a state: gap + thickness for the surface's contacts
Real stencil_distance(const Model&, const SurfaceState&, const ContactStencil&, const Vec3& normal);

} // namespace sinew
