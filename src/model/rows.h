// Rows: what every dual solver consumes. Groups of 1 to 6 scalar rows over blocks of unknowns, in CSR form:
//   C  value [m or rad], J Jacobian, rate dC/dt target [1/s], compliance alpha, damping, multiplier lambda, set, key
// Made from constraint tables (constraint/assemble.h); joints, contacts and pins become Rows too.
#pragma once
#include "core/math.h"
#include "model/dofs.h"

namespace sinew {

enum class Bound : std::uint8_t { equality, lower, box, cone, cylinder };
enum class Level : std::uint8_t { position, velocity };

struct Rows {
    std::vector<int> row_begin{0};      // per group: first scalar row
    std::vector<int> block_begin{0};    // per group: first entry of `block`
    std::vector<int> value_begin{0};    // per group: first number in `jacobian`
    std::vector<int> block;             // tangent blocks (Dofs), -1 = absent
    std::vector<Real> jacobian;         // per group dense, row major, rows x (sum of block sizes)
    std::vector<Real> c, rate, compliance, damping, lambda; // per scalar row
    std::vector<Real> friction;         // per group: coefficient of cone and cylinder, largest force of a box
    std::vector<Bound> bound;           // per group
    std::vector<Level> level;           // per group
    std::vector<std::uint64_t> key;     // per group, for warm starting
    int group_count() const { return int(row_begin.size()) - 1; }
    int row_count() const { return row_begin.back(); }
};

// out = J u over all rows; u in the tangent layout
void apply_jacobian(const Rows&, const Dofs&, std::span<const Real> u, std::span<Real> out);
// u += J^T lambda
void add_jacobian_transposed(const Rows&, const Dofs&, std::span<const Real> lambda, std::span<Real> u);
// nearest point of each group's admissible set: lower >= 0; cone |lambda_t| <= mu lambda_n (first row normal); equality free
void project_set(const Rows&, std::span<Real> lambda);

} // namespace sinew
