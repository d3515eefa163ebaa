// What position projection works on: inverse masses of all unknowns, the tables that have rows with their colours and
// multipliers, and the rest of the model as forces.
#pragma once
#include "core/parallel.h"
#include "energy/assemble.h"
#include "model/dual.h"
#include "solver/colour.h"
#include "solver/position_pack.h"
#include "solver/position_whole.h"
#include "sinew/input.h"
#include <algorithm>

namespace sinew {

// One table of the model with rows.
struct DualTable {
    const Table* table = nullptr;
    const DualView* view = nullptr;
    bool is_constraint = false;
    bool own_damping = true;     // false: some element has a damper without a spring, so the damping is a force
    Colours colours;
    std::vector<Real> lambda;    // [N, N m] view->rows per element
    PositionPack pack;           // the same in batches, where there are such for the table
    bool packed = false;         // then there are no colours, and sweeps leave their multipliers in the pack
};

struct PositionProblem {
    std::vector<Real> point_inverse, frame_inverse, scalar_inverse; // 0 = held, dead or passive
    std::vector<Mat3> frame_inverse_inertia;                        // world axes
    std::vector<unsigned char> held;                                // per unknown: points, frames, scalars
    std::vector<unsigned char> jointed;                             // per frame: rows of an energy or constraint move it
    std::vector<DualTable> tables;                                  // energies first, then constraints
    WholeRows whole;                                                // rows of whole surfaces and regions
    Real since_start = 0;                                           // [s] from the start of the step to the end of the sub-step
    bool chains = true;                                             // links that follow each other are solved together
    bool pack_tables = true;                                        // false: tests compare both

    // the rest: potentials without rows, and forces that no rows stand for; weight is the same wherever things are and is
    // summed once per step
    ElementSet weight_set, potential_set, force_set;
    Gather weights, potentials, forces;
    std::vector<Real> weight;                                       // its gradient, tangent layout
    std::vector<Real> f;                                            // tangent layout
    bool weight_is_known = false, f_is_weight = false;

    int topology = -1, values = -1;
    const Tables* owner = nullptr;
};

// [s] rho of an element's rows, whoever solves or judges them: its own or that of all, whichever is larger (as project_element)
inline Real damping_time_of(const DualTable& t, int element, Real of_all) {
    return t.own_damping && t.view->damping_time ? std::max(t.view->damping_time(*t.table, element), of_all) : of_all;
}

// Inverse masses at a state. Dead points are held, whatever their mass.
void refresh_masses(const Model&, const State&, PositionProblem&);
// World inertias at the rotations given.
void refresh_inertias(const Model&, const FrameState&, PositionProblem&);
// Tables, colours and gathers where the model has changed; after refresh_masses. True: they are new.
bool refresh_tables(const Model&, PositionProblem&);
// What elements remember is of the step's start: viscous parts that compare with it last from there on, others from the
// start of the sub-step.
inline Evaluation evaluation_for(const PositionProblem& p, const Table& t, const Evaluation& ev) {
    Evaluation out = ev;
    if (t.row->memory_size > 0 && ev.elapsed > 0) out.elapsed = p.since_start;
    return out;
}
// sweeps: those of packed tables begin at zero by themselves
void clear_multipliers(bool sweeps, PositionProblem&);

// Bodies to where no row acts: momenta by the loads in `f` for the time `kick`, rotation by the midpoint with its angular momentum kept.
void predict_frames(const Model&, const PositionProblem&, Real kick, Real h, FrameState&);

// f = forces of everything that has no rows, and of the input. Weight is taken anew after weight_is_known = false.
void compute_loads(const Parallel&, const Model&, const Input&, const Evaluation&, PositionProblem&);

} // namespace sinew
