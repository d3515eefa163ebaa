// Rows that join all points of a surface or of a region (spec U112, U113), which no fixed stencil can hold.
//
// Volume of a closed surface under a law E(V) (energy/pressure_volume.h). The multiplier is the pressure:  l + E'(V) = 0
//   dl = -omega (l + E'(V) + rho E'' dV/dt)/E'' / ((reach + rho kick) sum_i w_i |g_i|^2 + 1/E'')
//   g_i = dV/dx_i, a third of the area vectors around point i: they add up to nothing, and so do their torques
// A constant pressure has no E'': its multiplier is the pressure.
//
// Shape of a region (energy/shape_match.h), rows in the axes of its rotation R, so that no multiplier has a torque:
//   C_i = sqrt(k m_i) (R^T r_i - q_i),  alpha = 1,   r_i = x_i - c
//   J^T l:  f_i = F_i - m_i/M sum_j F_j - m_i R (u x q_i),  F_i = sqrt(k m_i) R l_i,  K u = R^T sum_j r_j x F_j
// with the turning of R in J, K = tr(S) I - S, S = R^T A of shape_match.h. dl_i = -omega (C_i + rho dC_i/dt + l_i)/((reach + rho kick) k m_i w_i + 1): the
// diagonal is never less than the matrix but for the deformation's part in R, so sweeps converge, to C + l = 0: implicit Euler.
// Where R has no derivative (collapsed regions) torque is taken out by the inertia of the points instead.
// Both keep linear and angular momentum to round-off in every change. Regions of one colour share no point and run in parallel. The
// dual methods sweep these rows before each of their iterations and after the last.
#pragma once
#include "core/parallel.h"
#include "model/dual.h"
#include "solver/colour.h"

namespace sinew {

struct VolumeRow {
    const Table* table = nullptr;
    int begin = 0, end = 0;        // elements
    std::vector<int> points;       // of the surface, each once
    std::vector<int> corner;       // per element three of them
    std::vector<Vec3> gradient;    // [m^2] g, per point
    Real lambda = 0;               // [Pa] inside less outside
};
struct ShapeRow {
    const Table* table = nullptr;
    int begin = 0, end = 0;
    std::vector<Vec3> lambda, force; // per element
};
struct WholeRows {
    std::vector<VolumeRow> volumes;
    std::vector<ShapeRow> shapes;
    Colours colours; // of the shapes
    bool empty() const { return volumes.empty() && shapes.empty(); }
};

bool is_whole_table(const Table&);
void clear_whole_rows(WholeRows&);
// held: per point
void add_whole_rows(const Table&, WholeRows&);
void colour_whole_rows(int points, std::span<const unsigned char> held, WholeRows&);
void clear_multipliers(WholeRows&);
void project_whole_rows(const Parallel&, const Sweep&, WholeRows&);
// The second half of a step (position_half.h): velocities by the multipliers, which begin at zero then; after it the part of them that is
// changed, l + r J (v - v_half)/alpha = 0.
void push_whole_rows(const Sweep&, WholeRows&);
void project_whole_velocities(const Parallel&, const Sweep&, std::span<const Real3> v_half, WholeRows&);
// largest |C + rho dC/dt + alpha lambda|: [m^3] of volumes, [J^0.5] of shapes
Real whole_violation(const Sweep&, WholeRows&);

} // namespace sinew
