// The dual view of elements: what position projection (solver/position.cpp) sees of a constraint or of an elastic energy.
//   rows C(x) with compliance alpha:  C + rho (dC/dt - rate) + alpha lambda = 0,   force J^T lambda   (spec U 3.5, C 3.9)
// rate: dC/dt that is wanted, of motors that follow a target; zero of all others.
// A constraint has its own rows. An energy E gives rows with 1/2 C^T C = E but for a constant and alpha = 1: by `root`, where it is a sum of
// squares, otherwise by the one row C = sqrt(2 (E - b)), b its lower bound (spec C32), whose gradient is grad E / C.
#pragma once
#include "model/element.h"

namespace sinew {

// The unknowns that a projection moves, and their inverse masses (0 = held).
struct DualState {
    Real3* x = nullptr;
    Real3* v = nullptr;
    Real3* p = nullptr;
    Real4* q = nullptr;
    Real3* frame_v = nullptr;
    Real3* frame_w = nullptr;
    Real* s = nullptr;
    Real* ds = nullptr;
    const Real* point_inverse = nullptr;      // [1/kg]
    const Real* frame_inverse = nullptr;      // [1/kg]
    const Mat3* frame_inverse_inertia = nullptr; // [1/(kg m^2)] world axes
    const Real* scalar_inverse = nullptr;
};

// How the rows of a constraint with compliance are taken.
enum class Softness : int {
    feedback, // C + alpha lambda: the fixed point is implicit Euler
    printed,  // without alpha lambda, as the source prints it: stiffer with every iteration (spec U 3.5.1)
    factor,   // compliance is ignored, a correction is multiplied by `stiffness` (PBD)
};

// One pass over elements. Displacement reach W J^T dlambda, change of velocity kick W J^T dlambda.
struct Sweep {
    DualState to;
    Real h = 0;              // [s]
    Real reach = 0;          // [s^2] h^2, or b h^2 of Newmark
    Real kick = 0;           // [s] h, or g h of Newmark
    Real relaxation = 1;     // omega > 1: SOR
    Real stiffness = 1;      // of Softness::factor
    Real damping_time = 0;   // [s] rho of rows that have less of their own
    bool own_damping = true; // false: rows have no rho of their own (a force does it)
    Softness softness = Softness::feedback;
    Real* lambda = nullptr;  // [N or N m] rows per element of the table
};

// One element as the local solve sees it. C and J are filled by the entry.
inline constexpr int kMaxDualRows = 6, kMaxDualDofs = 18;
struct DualElement {
    int points = 0, frames = 0, scalars = 0, rows = 0, dofs = 0;
    const int* id = nullptr;          // stencil, -1 = absent
    Real c[kMaxDualRows];
    Real jacobian[kMaxDualRows * kMaxDualDofs]; // row major, rows x dofs
    Real compliance = 0, damping_time = 0, limit = 0;
    Real rate[kMaxDualRows] = {};     // dC/dt that is wanted
    Bound bound = Bound::equality;
    Level level = Level::position;
};
// The local solve with all rows of the element (spec U 3.5.1, 3.5.3, 3.7.1), u the velocity along the rows:
//   [ (reach + rho kick) J W J^T + alpha ] dlambda = -omega (C + rho (J u - rate) + alpha lambda)
// and the unknowns moved by it. One-sided and bounded rows are solved one after another and kept in their set. Rows at the
// level of velocities hold h (J u - rate) + (h/c) lambda, c their damping.
void project_element(const DualElement&, const Sweep&, Real* lambda);

// Solves A x = b, A symmetric positive (semi-)definite of n <= 12 rows, row major: L D L^T, pivots that vanish give 0.
void solve_small(int n, const Real* A, const Real* b, Real* x);

struct DualView {
    int rows = 0;
    // C (rows each) and J (rows x dofs each, row major); null J = only C
    void (*evaluate)(const Table&, const Evaluation&, int begin, int end, Real* c, Real* jacobian) = nullptr;
    // nonlinear Gauss-Seidel over the elements named, each solved for all of its rows and applied before the next
    void (*project)(const Table&, const Evaluation&, std::span<const int> elements, const Sweep&) = nullptr;
    Real (*compliance)(const Table&, int element) = nullptr;
    Real (*damping_time)(const Table&, int element) = nullptr; // [s] rho; null = none of its own
    Level (*level)(const Table&, int element) = nullptr;
    Real (*lower_bound)(const Table&, int element) = nullptr; // [J] b of the row above, 0 of other rows; -infinity: no row stands for it
    bool covers_force = false; // rho stands for the entry's force without potential
};
// null: position projection takes the entry as a force
const DualView* find_energy_dual(std::string_view name);
const DualView* find_constraint_dual(std::string_view name);

} // namespace sinew
