#include "solver/position_damping.h"
#include <Eigen/LU>
#include <cmath>

namespace sinew {

// rows of the tables at the unknowns, without contacts and damping
static void build_plain_rows(const Parallel& parallel, const Model& m, const Evaluation& ev, const DualState& to, DualScratch& s,
                             const PositionProblem& p) {
    static const PositionContacts none; // its colours take memory
    PositionContactOptions o;
    o.h = ev.dt;
    build_dual_rows(m, p, none, o, 0, s.rows);
    refresh_dual_rows(parallel, dofs_of(m), p, none, o, ev, to, true, ev.dt, s.rows);
}

void damp_along_rows(const Parallel& parallel, const Model& m, const Evaluation& ev, Real part, const DualState& to, DualScratch& s,
                     PositionProblem& p) {
    const Dofs dofs = dofs_of(m);
    build_plain_rows(parallel, m, ev, to, s, p);
    const DualRows& r = s.rows;
    for (int g = 0; g < r.group_count(); ++g)
        for (int k = 0; k < r.rows_of(g); ++k) {
            const int row = r.row_begin[g] + k;
            // what does not act does not damp
            if (r.velocity[row] || r.bound[g] == Bound::box || (r.bound[g] == Bound::lower && r.c[row] > 0)) continue;
            const Real u = row_velocity(dofs, r, g, k, to) - r.rate[row], d = row_response(dofs, p, r, g, k);
            if (d > 0) move_row(dofs, p, r, g, k, -part * u / d, to, 0, 1);
        }
}

void damp_to_rigid_motion(const Model& m, Real part, State& s, RigidMotionScratch& scratch) {
    for (const Object& o : m.objects) {
        if (!o.alive || o.points.count() < 3) continue;
        const auto moves = [&](int i) {
            return !(m.point.flags[i] & (kFixed | kPassive)) && (s.point.alive.empty() || s.point.alive[i]);
        };
        Real mass = 0;
        Vec3 center = Vec3::Zero(), momentum = Vec3::Zero();
        for (int i = o.points.begin; i < o.points.end; ++i) {
            if (!moves(i)) continue;
            mass += m.point.mass[i];
            center += m.point.mass[i] * vec(s.point.x[i]);
            momentum += m.point.mass[i] * vec(s.point.v[i]);
        }
        if (!(mass > 0)) continue;
        center /= mass;
        Mat3 inertia = Mat3::Zero();
        Vec3 spin = Vec3::Zero();
        scratch.r.resize(o.points.count());
        for (int i = o.points.begin; i < o.points.end; ++i) {
            if (!moves(i)) continue;
            const Vec3 r = vec(s.point.x[i]) - center;
            scratch.r[i - o.points.begin] = r;
            inertia += m.point.mass[i] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
            spin += m.point.mass[i] * r.cross(vec(s.point.v[i]));
        }
        const Real size = inertia.trace();
        if (!(inertia.determinant() > 1e-12 * size * size * size)) continue;
        const Vec3 w = inertia.inverse() * spin, v = momentum / mass;
        for (int i = o.points.begin; i < o.points.end; ++i)
            if (moves(i)) vec(s.point.v[i]) += part * (v + w.cross(scratch.r[i - o.points.begin]) - vec(s.point.v[i]));
    }
}

} // namespace sinew
