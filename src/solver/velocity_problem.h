// The problem of one step at the level of velocities (spec U 3.3 f, 3.8; P 3.18-3.19): bodies and groups of rows.
//   u   velocities of all bodies, (v, w) each          u = u* + W J^T p
//   p   impulses [N s], one per row, in the set of their group
//   r = J u + drive + bias + softness p                what complementarity is about [m/s]
// Bodies are points first, then frames; held ones have W = 0 and keep their velocity.
// A group of a contact has the rows n, t0, t1 and, with rolling or torsional friction, the three rows of relative spin
// about n, t0, t1.
#pragma once
#include "core/math.h"
#include "model/contacts.h"
#include "model/rows.h"
#include <cstdint>

namespace sinew {

enum class RowSet : std::uint8_t { free, lower, box, contact };

struct RowGroup {
    int row = 0, rows = 0;     // scalar rows
    int side = 0, sides = 0;   // bodies, in RowProblem.body
    int lever = 0;             // first of rows x sides levers
    int block = 0;             // first of rows x rows numbers
    RowSet set = RowSet::free;
    Real friction = 0;         // coefficient of a contact
    Real rolling = 0, torsion = 0; // [m]
    Real limit = 0;            // [N s] of a box
    Real restitution = 0;
    Real gap = 0;              // [m] of a contact
    Real distance = 0;         // [m] of a contact: n . g of its stencil when found
    bool link = false;         // a spring (velocity_links.h)
    int source = -1;           // contact: index into the list of contacts; otherwise: group of the constraints' Rows, and
                               // behind them the springs
};

struct Lever { // of one row on one body
    Vec3 linear, angular;
};

struct RowProblem {
    Real dt = 0;
    std::vector<Vec3> x;         // [m] centres
    std::vector<Vec3> v, w;
    std::vector<Real> inverse_mass;
    std::vector<Mat3> inverse_inertia; // world axes
    std::vector<RowGroup> groups;
    std::vector<int> body;
    std::vector<Lever> jacobian, response; // J and W J^T
    std::vector<Real> c;         // [m or rad] what position rows keep at zero, gap of contacts
    std::vector<Real> drive;     // rate from outside: animated obstacles, motors with opposite sign
    std::vector<Real> bias, softness, impulse;
    std::vector<Real> correction; // rows of contacts: mu |u_t| of De Saxce, added to the normal row
    std::vector<Real> block;     // J W J^T per group, row major, without softness
    int body_count() const { return int(v.size()); }
    int row_count() const { return int(c.size()); }
};

void clear_rows(RowProblem&);
// A new group with its sides; levers and numbers of its rows are zero.
RowGroup& add_group(RowProblem&, int rows, std::span<const int> bodies);
// W J^T and J W J^T of one group from its levers
void build_response(RowProblem&, const RowGroup&);

// J u + drive of one row
inline Real row_rate(const RowProblem& q, const RowGroup& g, int k) {
    const Lever* j = q.jacobian.data() + g.lever + k * g.sides;
    Real sum = q.drive[g.row + k];
    for (int s = 0; s < g.sides; ++s) {
        const int b = q.body[g.side + s];
        sum += j[s].linear.dot(q.v[b]) + j[s].angular.dot(q.w[b]);
    }
    return sum;
}
// u += W J^T dp of one row. What is held may be touched by islands that are solved at the same time: nobody writes to it.
inline void add_impulse(RowProblem& q, const RowGroup& g, int k, Real dp) {
    const Lever* d = q.response.data() + g.lever + k * g.sides;
    for (int s = 0; s < g.sides; ++s) {
        const int b = q.body[g.side + s];
        if (!(q.inverse_mass[b] > 0)) continue;
        q.v[b] += dp * d[s].linear;
        q.w[b] += dp * d[s].angular;
    }
}
// r of one row, with the correction of De Saxce where it is set
inline Real row_residual(const RowProblem& q, const RowGroup& g, int k) {
    return row_rate(q, g, k) + q.bias[g.row + k] + q.softness[g.row + k] * q.impulse[g.row + k] + q.correction[g.row + k];
}

// whether the first three rows of a group hold a point along the axes of the world (J = +-1): ball, hinge, weld, attachments
bool holds_place(const RowProblem&, const RowGroup&);
// r from the levers r x e_k of forces along the axes; with their signs where the rows have them
inline Vec3 lever_arm(const Vec3& x, const Vec3& y, const Vec3& z) {
    return 0.5 * Vec3(y.z() - z.y(), z.x() - x.z(), x.y() - y.x());
}
// d^2C/dt^2 of such a group by spin alone: the sum of w x (w x r) with the signs of the rows [m/s^2]
Vec3 place_bend(const RowProblem&, const RowGroup&);

enum class Friction { cone, cylinder, box, polyhedral };
Friction find_friction(std::string_view name); // by the name of a setting; what is none of the others is the cone
struct SetOptions {
    Friction friction = Friction::cone;
    int facets = 8;
    bool de_saxce = true;
};
// nearest admissible impulses of a group: free; >= 0; |p| <= limit; friction by its model
void project_impulse(const SetOptions&, const RowGroup&, Real* p);
// the tangential part alone, for a normal impulse that is kept: disc, square or polygon of radius mu p[0], and the
// limits of torsion and rolling
void clamp_friction(const SetOptions&, const RowGroup&, Real* p);
// rows' correction: mu |u_t| in the normal row of contacts, zero elsewhere
void set_correction(const SetOptions&, std::span<const int> groups, RowProblem&);

// Largest |p - proj(p - r/d)| d over rows of the groups: 0 at a solution [m/s] (spec U V13).
Real natural_residual(const SetOptions&, std::span<const int> groups, const RowProblem&);

// A row by implicit Euler, lambda = -(C/alpha + c (J u - rate)) and p = h lambda, C where it is at the start:
//   J u - rate + gain C + softness p = 0
// A spring pulls to where its target is at the end of the step; with the target's speed goes its damping alone. Where a step is cut
// into n parts the target is still that of its end, and a servo is ahead of it by speed times step (n - 1)/(2n). Rigid rows
// have no gain here: what takes their error back is up to the method.
struct RowSpring {
    Real softness = 0, gain = 0, rate = 0;
};
inline RowSpring find_row_spring(const Rows& rows, int row, bool position, Real h) {
    const Real alpha = rows.compliance[row], damping = rows.damping[row], rate = rows.rate[row], rho = alpha * damping;
    if (!position) return {damping > 0 ? 1 / (h * damping) : 0, 0, rate};
    if (alpha > 0) return {alpha / (h * (rho + h)), 1 / (rho + h), rho / (rho + h) * rate};
    return {0, 0, rate};
}

} // namespace sinew
