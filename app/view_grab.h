// A hand that holds a part of the scene: a soft spring from where it was taken to where the mouse is, through the step's input.
//
//   points   those within a tenth of the object's size of the vertex taken, k = m w^2 each (Input::grabs), damped by -m w/3 v
//   bodies   one force where it was taken, k (to - x) - c v and the weight, k = m_e w^2, c = 2 m_e w, with the mass m_e that the body
//            has there, 1/m_e = 1/m + tr(r*^T I^-1 r*): no less than in any direction
//
// Both are forces at the start of the step for most solvers, so w is limited by the step: w dt <= 0.8 (points, below 2 of symplectic
// Euler) and 0.5 (bodies: then the damped discrete oscillator has eigenvalues 0 and 0.75).
#pragma once
#include "simulate.h"

namespace sinew {

struct ViewGrab {
    int object = -1;                 // of the model; -1 = nothing is held
    int topology = 0;                // revision of the model when it was taken
    std::vector<int> points;
    std::vector<Real3> offset;       // [m] of the points from where it was taken
    Real3 local;                     // [m] where it was taken, in the body's axes
    Real3 to;                        // [m] where the hand is
};

// object: of the layout. Errors: there is no such vertex, or the scene holds the object itself.
Errors begin_grab(const Simulation&, int object, int vertex, const Real3& at, ViewGrab&);
// Writes the forces of the hand into the input of the next step; clears them when nothing is held.
void apply_grab(ViewGrab&, Simulation&);

} // namespace sinew
