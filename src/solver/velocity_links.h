// Springs between points in the steps of velocity. Stiff ones are taken implicitly, as soft rows beside joints and contacts:
//   along the spring   r = J u + C/(h + c/k) + p/(h (h k + c))         C = l - L
//   across it          r = J u + p/(h^2 k (1 - L/l))                   while it is stretched
// which is the linearly implicit step with the Hessian projected to be positive; k [N/m], c [N s/m], L, l [m].
// Soft ones are forces at the start of the step, which keeps their energy: a spring is soft where at both of its ends
//   h^2 w 2 sum k < 1 and h w 2 sum c < 1/2     w inverse mass, sums over the springs there
// so that all of them together swing well below the frequency at which explicit steps begin to grow.
#pragma once
#include "core/parallel.h"
#include "solver/velocity_problem.h"
#include "sinew/state.h"

namespace sinew {

struct SpringLink {
    int a = -1, b = -1;                      // points
    Real stiffness = 0, damping = 0, rest = 0;
    bool stiff = false;                      // for the step at hand
};
struct Links {
    int topology = -1, values = -1;          // revisions they belong to
    const void* tables = nullptr;
    std::vector<SpringLink> links;           // in the order of the tables
    std::vector<Real> stiffness, damping;    // per point: sums
};

// springs of the energies `spring` and `spring_strain`; those with an end that may be missing are left out
void refresh_links(const Model&, Links&);
// which are stiff for a step of h; the forces of the others, per point, are added
void add_soft_links(const State&, const RowProblem&, Real h, Links&, std::span<Real> f);
// a group for each stiff one, with `source` counted from `first`
void add_link_groups(const State&, const Links&, int first, RowProblem&);

} // namespace sinew
