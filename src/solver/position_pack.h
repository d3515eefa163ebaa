// Tables of links, hinges, triangles and tetrahedra packed for the sweeps of position projection: four elements at a time
// (position_batch.h) in an order that reads memory once (batch_plan.h). The local solve is that of project_element
// (model/dual.h); multipliers of links are those of C = l - L itself [N], tables of springs hold them for sqrt(k) C.
//   spring, spring_strain, distance (no ropes)                      links
//   hinge_theta, hinge_tan, hinge_willmore, dihedral                hinges
//   tri_stvk, tri_strain (Green's strain)                           triangles, three rows
//   tet_stvk, tet_hooke (Green's strain)                            strains, six rows
//   tet_stable_neohookean                                           two rows
#pragma once
#include "core/parallel.h"
#include "model/dual.h"
#include "solver/batch_plan.h"
#include "solver/position_batch.h"

namespace sinew {

enum class PackKind { none, link, hinge, triangle, strain, neohookean };

struct PositionPack {
    PackKind kind = PackKind::none;
    HingeAngle angle = HingeAngle::theta;
    BatchPlan plan;
    std::vector<LinkBatch> links;
    std::vector<HingeBatch> hinges;
    std::vector<TriangleBatch> triangles;
    std::vector<StrainBatch> strains;
    std::vector<NeohookeanBatch> neohookeans;
    std::vector<Lane4> rho;      // [s] per batch, where one has a damping time of its own
    std::vector<Lane4> unit;     // links per batch: row of the table = unit times C, empty = 1
    bool avx2 = false;
    bool damped() const { return !rho.empty(); }
};

// False: the table is none of these kinds, or has an element that the batches do not know. Elements that cannot move or have
// no stiffness are left out. `rest`: of the points, for chains of links (chain_plan.h); empty = no chains.
// `plan_is_kept`: topology and what is held are as they were, the order stays.
bool build_pack(const Table&, std::span<const Real> point_inverse, std::span<const Real3> rest, bool plan_is_kept, PositionPack&);
// One sweep. Velocities are moved along only where `velocities`; otherwise the caller makes them up from the positions.
// `first`: multipliers begin at zero. `directions`: of links, four to a batch, in place of those at the positions (no velocities then).
void project_pack(const Parallel&, const Sweep&, bool velocities, bool first, PositionPack&, const Lane4* directions = nullptr);
// What a loop over the batches of a table needs, and the loops themselves; runs of batches without a common point that moves, in parallel.
BatchNumbers batch_numbers(const Sweep&, bool velocities, bool first, const PositionPack&);
const BatchLoops& batch_loops(const PositionPack&);
template <class F> void for_each_numbered_task(const Parallel& parallel, const BatchPlan& plan, F&& f) {
    for (int phase = 0; phase < plan.phase_count(); ++phase) {
        const int first = plan.phase_begin[phase];
        parallel_for(parallel, plan.phase_begin[phase + 1] - first, 1, [&](int from, int to) {
            for (int task = first + from; task < first + to; ++task) f(task, plan.task_begin[task], plan.task_begin[task + 1]);
        });
    }
}
template <class F> void for_each_task(const Parallel& parallel, const BatchPlan& plan, F&& f) {
    for_each_numbered_task(parallel, plan, [&](int, int begin, int end) { f(begin, end); });
}
// Multipliers to where the table's rows have theirs.
void store_multipliers(const PositionPack&, std::vector<Real>& lambda);
inline constexpr int kSumBatches = 1024; // per chunk of a sum over batches
// Largest |C + alpha lambda| of the table's rows; lengths: of links that of C = l - L [m].
Real largest_error(const Parallel&, const Sweep&, const PositionPack&, std::vector<Real>& scratch, bool lengths = false);

} // namespace sinew
