// All forces on all unknowns at one moment: potentials, forces without potential, contacts, input. What explicit schemes
// and the root-finding baselines evaluate.
#pragma once
#include "collision/detect_points.h"
#include "energy/assemble.h"
#include "energy/contact.h"
#include "energy/spring_batch.h"
#include "model/surface.h"
#include "sinew/input.h"

namespace sinew {

// Gravity of all free points alike, so that it needs no elements.
struct UniformGravity {
    enum Kind { none, uniform, other } kind = other; // other: differs between points, or acts on some only
    Real3 acceleration;              // [m/s^2]
};

struct ForceScratch {
    bool pack_springs = true;        // false: the gather takes springs too (tests compare both)
    bool energies_only = false;      // constraints and contacts are the caller's business
    bool without_springs = false;    // so are axial springs
    int topology = -1, values = -1;  // revisions the caches belong to
    const Tables* tables = nullptr;
    SpringBatch springs;             // axial springs, if there are enough of them
    bool packed = false;             // the batch is in use
    std::vector<SpringForces> workers;
    UniformGravity gravity;
    ElementSet elements;             // all but packed springs
    Gather potentials, forces;
    PointsScratch detect;
    Contacts contacts;
    Tables contact_tables;
    std::vector<Real> local;         // of contact elements
    std::vector<Real> gradient;      // tangent layout
};

// Brings the caches up to date with the model; compute_forces does it too.
void refresh_forces(const Parallel&, const Model&, ForceScratch&);

// f (tangent layout) = total force. `ev` gives unknowns, velocities and time; `at` holds the same unknowns.
void compute_forces(const Parallel&, const Model&, const Input&, const Evaluation& ev, const SurfaceState& at,
                    ForceScratch&, std::span<Real> f);

// f += forces of the input: on points, grabs, bodies
void add_input_forces(const Model&, const Input&, const Real3* x, const Real3* frame_p, std::span<Real> f);

} // namespace sinew
