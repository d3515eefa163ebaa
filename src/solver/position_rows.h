// All rows at once: what the dual methods of position projection iterate on (spec U 3.6). Rows of the tables in their
// order, then three per contact (normal, two tangents).
//   r = -(C + rho (J u - rate) + alpha lambda) descent direction
//   A = (reach + rho kick) J W J^T + alpha     never built but for the diagonal blocks and the direct methods
// Rows at the level of velocities, friction among them, have C = h (J u - rate), and h kick in place of reach.
#pragma once
#include "core/parallel.h"
#include "solver/position_contact.h"
#include "solver/position_problem.h"

namespace sinew {

struct DualRows {
    // groups: one per element of each table, then one per contact
    std::vector<int> row_begin, block_begin, value_begin;
    std::vector<int> block;             // tangent blocks, -1 = absent
    std::vector<Real> jacobian;         // per group dense, row major
    std::vector<Real> c, lambda;        // per row
    std::vector<Real> alpha, rho;       // per row
    std::vector<Bound> bound;           // per group
    std::vector<unsigned char> velocity; // per row: held at the level of velocities
    std::vector<Real> rate;             // per row: dC/dt that is wanted
    std::vector<Real> limit;            // per group: box, or the coefficient of friction
    std::vector<int> table_group;       // per table, and the end: its first group
    int contact_group = 0;              // first group of contacts
    // per block: where its parts of J are
    std::vector<int> part_begin, part_group, part_column;
    std::vector<Real> diagonal;         // per group rows x rows: of A
    std::vector<int> diagonal_begin;
    bool incidence = false;             // that of a system whose masses are split among the rows that meet at them (spec U071)
    int group_count() const { return int(row_begin.size()) - 1; }
    int row_count() const { return row_begin.empty() ? 0 : row_begin.back(); }
    int rows_of(int g) const { return row_begin[g + 1] - row_begin[g]; }
    int width_of(int g) const { return rows_of(g) ? (value_begin[g + 1] - value_begin[g]) / rows_of(g) : 0; }
};

// Structure, once per step: groups, blocks, what is constant.
void build_dual_rows(const Model&, const PositionProblem&, const PositionContacts&, const PositionContactOptions&, Real damping_time,
                     DualRows&); // options' h is that of the sub-step
// C, and J unless it is frozen, at the unknowns of the evaluation, which `to` points to as well.
void refresh_dual_rows(const Parallel&, const Dofs&, const PositionProblem&, const PositionContacts&, const PositionContactOptions&,
                       const Evaluation&, const DualState& to, bool jacobian, Real h, DualRows&);
// What J W J^T of a row is multiplied by in A: how far its C goes per multiplier.
struct RowReach {
    Real h = 0, reach = 0, kick = 0;
    Real of(const DualRows& r, int row) const { return r.velocity[row] ? h * kick : reach + r.rho[row] * kick; }
};
// Diagonal blocks of A.
void build_diagonal(const Parallel&, const Dofs&, const PositionProblem&, const RowReach&, DualRows&);

// y = J^T z, in the tangent layout, by a gather
void apply_transposed(const Parallel&, const Dofs&, const DualRows&, std::span<const Real> z, std::span<Real> y);
// y <- W y
void apply_inverse_mass(const Parallel&, const Dofs&, const PositionProblem&, std::span<Real> y);
// out = J y
void apply_rows(const Parallel&, const Dofs&, const DualRows&, std::span<const Real> y, std::span<Real> out);
// unknowns and velocities by a tangent vector: reach y, kick y
void move_all(const Parallel&, const Dofs&, const DualState&, std::span<const Real> y, Real reach, Real kick);

// one row: velocity along it, J W J^T, and unknowns and velocities by W J^T times `force`
Real row_velocity(const Dofs&, const DualRows&, int group, int k, const DualState&);
Real row_response(const Dofs&, const PositionProblem&, const DualRows&, int group, int k);
void move_row(const Dofs&, const PositionProblem&, const DualRows&, int group, int k, Real force, const DualState&, Real reach, Real kick);

} // namespace sinew
