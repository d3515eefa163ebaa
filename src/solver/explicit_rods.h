// Rods in explicit steps: what their angles need beyond a force (energy/rod_bend_twist.h).
//   s angle of an edge from its reference frame, w = ds its rate of turning about itself, which has the inertia I [kg m^2]
//   I dw/dt = -dE/ds,   ds/dt = w - dpsi/dt,   dpsi/dt = -(t0 x t) . de/dt / (|e| (1 + t0.t))
// Forces are those of reference frames that are carried along the path of the edge, without turning about it: at each stage the frames
// of the step's start are carried to the stage first, where the term dpsi/de of the energy's gradient vanishes. The angle is counted
// from P(t0 -> t) d1(t0), which follows the great circle instead; psi is the angle between the two. Where an edge drifts straight (Euler,
// leapfrog, Verlet) its direction follows that circle itself and psi is zero; stages of Runge-Kutta take dpsi/dt into account,
// without which their order would end at two.
#pragma once
#include "core/parallel.h"
#include "model/element.h"

namespace sinew {

// Edges that have an angle, each once, and the element that holds their frame: a cache by topology.
struct RodEdges {
    struct Edge {
        int scalar, a, b;   // points a, b
        int element, place; // in its table; 0 = first edge of the element, 1 = second
        const Table* table;
    };
    int topology = -1;
    const Tables* tables = nullptr;
    std::vector<Edge> edges;
};
void refresh_rod_edges(const Model&, RodEdges&);

// Frames of the step's start (ev.memory) carried to the points of `ev`, into the memory of the stage.
void carry_rod_frames(const Parallel&, const Model&, const Evaluation& ev, State& stage);
// rate[i] -= dpsi/dt of every free angle; ev as above, with velocities
void subtract_frame_turn(const Model&, const Evaluation& ev, const RodEdges&, std::span<Real> rate);

} // namespace sinew
