// Links between two points (springs and distance constraints), packed by colours: what a sweep over cloth and hair mostly
// is. The same local solve as project_element (model/dual.h) for one row C = l - L of two points:
//   dl = -omega (C + rho u + alpha l)/((reach + rho kick)(w_i + w_j) + alpha),   x_i -= reach w_i n dl,  x_j += reach w_j n dl
// Multipliers are those of C itself [N]; tables of springs hold them for sqrt(k) C (energy/spring_block.h).
#pragma once
#include "core/parallel.h"
#include "model/dual.h"
#include "solver/colour.h"

namespace sinew {

struct LinkPack {
    struct Link {
        int i, j;
        Real rest;       // [m]
        Real alpha;      // [m/N]
        Real rho;        // [s] of its own, 0 = none
        Real w_i, w_j;   // [1/kg]
        Real lambda;     // [N]
    };
    std::vector<Link> links;     // by colour
    std::vector<int> begin{0};   // per colour
    std::vector<int> element;    // of the table, per link
    std::vector<Real> scale;     // per link: multiplier of the table = scale times that of the link
    bool damped = false;         // some link has a rho
    bool last_is_serial = false;
};

// True if all elements of the table are such links; those that cannot move or have no stiffness are left out.
bool build_links(const Table&, const Colours&, const std::vector<Real>& point_inverse, LinkPack&);
void clear_multipliers(LinkPack&);
// One sweep. Velocities are moved along only where `velocities`; otherwise the caller makes them up from the positions.
void project_links(const Parallel&, const Sweep&, bool velocities, LinkPack&);
void store_multipliers(const LinkPack&, std::vector<Real>& lambda);

} // namespace sinew
