// The contract of a constraint: the form of an energy (energy/energy.h), vector-valued.
//
//   struct Distance {
//       name, doc, points (frames, scalars), Params, Data, fields, prepare, sample   as for an energy
//       static constexpr int rows = 1;
//       static Real compliance(const Data&);          // alpha, inverse stiffness; 0 = rigid
//       static Bound bound(const Data&);              // equality, or one-sided C >= 0
//       template <int Order> static LocalRows<1, 6, Order> eval(const Data&, const StepContext&, const Stencil<2>&);
//   };
//
// Optional, found by `requires`:
//   static Real damping(const Data&);                 // c of a soft row: force -(C/alpha + c dC/dt)
//   static Level level(const Data&);                  // velocity: only the rate is held (motors, friction of joints)
//   static VecN<rows> rate(const Data&, const StepContext&);   // dC/dt that is wanted
//   static Real limit(const Data&);                   // of Bound::box: largest |force| of each row [N or N m]
// One element has one bound: a hinge with limits and a motor is three elements. Frames: dofs are translation, then the
// world rotation vector. Dual solvers leave the mean force of each row in State.memory, "force.<name>".
//
// Order 0: C; 1: also its Jacobian J; 2: also the Hessian of each row. Dual solvers take C and J as Rows (model/rows.h).
// Energy solvers take the same entry as the energy 1/2 C^T C / max(alpha, Params' penalty), see row_of.h.
#pragma once
#include "core/fields.h"
#include "model/local_rows.h"
#include "model/rows.h"
#include "model/stencil.h"
#include <concepts>

namespace sinew {

template <class C>
concept Constraint = requires(typename C::Params p, const typename C::Data& d, const RestView& rest, Rng& rng,
                              const StepContext& c, const StencilOf<C>& x) {
    { C::name } -> std::convertible_to<std::string_view>;
    { C::rows } -> std::convertible_to<int>;
    { C::prepare(p, rest) } -> std::same_as<typename C::Data>;
    { C::compliance(d) } -> std::same_as<Real>;
    { C::bound(d) } -> std::same_as<Bound>;
    { C::template eval<2>(d, c, x).hessian };
    { C::sample(rng, 0) } -> std::same_as<Sample<C>>;
} && std::is_trivially_copyable_v<typename C::Data>;

} // namespace sinew
