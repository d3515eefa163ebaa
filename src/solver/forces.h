// All forces on all unknowns at one moment: potentials, forces without potential, contacts, input. What explicit schemes
// and the root-finding baselines evaluate.
#pragma once
#include "collision/collision.h"
#include "energy/assemble.h"
#include "energy/contact.h"
#include "sinew/input.h"

namespace sinew {

struct ForceScratch {
    int topology = -1;               // revision the caches belong to
    const Tables* tables = nullptr;
    ElementSet elements;
    Gather potentials, forces;
    std::vector<Real3> surface;
    DetectScratch detect;
    Contacts contacts;
    Tables contact_tables;
    std::vector<Real> local;         // of contact elements
    std::vector<Real> gradient;      // tangent layout
};

// f (tangent layout) = total force. `ev` gives unknowns, velocities and time; `points` and `frames` are the same unknowns.
void compute_forces(const Parallel&, const Model&, const Input&, const Evaluation& ev, const PointState& points,
                    const FrameState& frames, ForceScratch&, std::span<Real> f);

} // namespace sinew
