#include "solver/articulated_smooth.h"
#include "solver/articulated_joint.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

constexpr int kTreeGrain = 16; // trees per chunk

template <class F> void for_trees(const Parallel& parallel, const Forest& f, F&& work) {
    parallel_for(parallel, int(f.trees.size()), kTreeGrain, [&](int begin, int end) {
        for (int t = begin; t < end; ++t) work(t, f.trees[t]);
    });
}

void resize_step(const Forest& f, SmoothStep& out) {
    for (auto* a : {&out.qd, &out.way, &out.tau, &out.diagonal, &out.qdd}) a->resize(f.v_count);
    out.impulse.resize(f.links.size());
    out.a.resize(f.links.size());
    out.pace.assign(f.trees.size(), TreePace::slow);
    out.energy.assign(f.trees.size(), 0);
}

// joint forces, and what is added to H; h = 0: explicit
void joint_forces(const Forest& f, Range links, const ForestState& s, Real h, SmoothStep& out) {
    for (int i = links.begin; i < links.end; ++i) {
        const Link& l = f.links[i];
        Real at[6];
        joint_displacement(l.kind, s.q.data() + l.q_begin, at);
        for (int k = 0; k < l.v_count; ++k) {
            const int n = l.v_begin + k;
            const JointSpring& j = f.springs[n];
            out.tau[n] = -j.stiffness * (at[k] + h * s.qd[n] - j.rest) - j.damping * (s.qd[n] - j.speed);
            out.diagonal[n] = j.armature + h * j.damping + h * h * j.stiffness;
        }
    }
}

// first link whose joint has no inertia, by tree order; -1 = none
int first_bad(const std::vector<Real>& qdd, const Forest& f) {
    for (const Link& l : f.links)
        for (int k = 0; k < l.v_count; ++k)
            if (!std::isfinite(qdd[l.v_begin + k])) return int(&l - f.links.data());
    return -1;
}

} // namespace

static void fill_bad(const Forest& f, int link, std::vector<Real>& qdd) {
    const Link& l = f.links[link];
    std::fill_n(qdd.data() + l.v_begin, l.v_count, std::numeric_limits<Real>::quiet_NaN());
}

// Forces alone, then the free motion; -1 or the link whose joint has no inertia.
static int kick_and_drift(const Forest& f, int tree, Real dt, const ForestState& s, SmoothStep& out) {
    const Range links = f.trees[tree], speeds = f.tree_speeds[tree];
    DriftScratch& d = out.drift;
    for (int i = links.begin; i < links.end; ++i) {
        d.motion[i] = s.motion[i];
        d.motion[i].v.setZero(), d.motion[i].c.setZero();
    }
    compute_accelerations(f, links, s.bases, d.motion.data(), s.factor.data(), out.tau.data(), s.force.data(), out.qdd.data(), out.a.data());
    for (int i = speeds.begin; i < speeds.end; ++i) {
        out.qd[i] = s.qd[i] + dt * out.qdd[i];
        out.way[i] = dt * out.qd[i];
    }
    compute_velocities(f, links, s.bases, s.q.data(), out.qd.data(), d.motion.data());
    const bool fast = dt * largest_spin(links, d.motion.data()) > kFastTurn;
    out.pace[tree] = fast ? TreePace::fast : TreePace::brisk;
    if (fast) return -1;
    out.energy[tree] = motion_energy(f, tree, d.motion.data(), out.qd.data());
    return drift_tree(f, tree, s, dt, out.qd, d, out.qd, out.way);
}

int step_symplectic(const Parallel& parallel, const Forest& f, Real dt, LinkForces& forces, ForestState& s,
                    SmoothStep& out) {
    resize_step(f, out);
    forces.compute(s, 0, s.force);
    resize_drift(f, out.drift);
    for_trees(parallel, f, [&](int tree, Range links) {
        joint_forces(f, links, s, dt, out);
        int bad = factor_inertia(f, links, s.motion.data(), out.diagonal.data(), s.factor.data());
        if (bad >= 0) return fill_bad(f, bad, out.qdd);
        // bodies alone have momentum to keep, which bounds their energy
        const Real most = links.count() == 1 && is_floating(f, tree) ? kFastTurn : kSlowTurn;
        if (dt * largest_spin(links, s.motion.data()) > most) {
            bad = kick_and_drift(f, tree, dt, s, out);
            if (bad >= 0) fill_bad(f, bad, out.qdd);
            return;
        }
        compute_accelerations(f, links, s.bases, s.motion.data(), s.factor.data(), out.tau.data(), s.force.data(),
                              out.qdd.data(), out.a.data());
        for (int i = f.tree_speeds[tree].begin; i < f.tree_speeds[tree].end; ++i) {
            out.qd[i] = s.qd[i] + dt * out.qdd[i];
            out.way[i] = dt * out.qd[i];
        }
    });
    for (std::size_t i = 0; i < f.links.size(); ++i) out.impulse[i] = dt * s.force[i];
    const int bad = first_bad(out.qdd, f);
    return bad >= 0 ? bad : first_bad(out.qd, f);
}

int step_rk4(const Parallel& parallel, const Forest& f, Real dt, LinkForces& forces, ForestState& s, SmoothStep& out) {
    constexpr std::array<Real, 4> c{0, 0.5, 0.5, 1}, b{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    resize_step(f, out);
    out.q_start = s.q, out.qd_start = s.qd;
    for (Vec6& i : out.impulse) i.setZero();
    for (int stage = 0; stage < 4; ++stage) {
        auto &rate = out.rate[stage], &acceleration = out.acceleration[stage];
        rate.resize(f.v_count), acceleration.resize(f.v_count);
        // the stage's coordinates, along the tangent at the start
        for (int i = 0; i < f.v_count; ++i) {
            out.way[i] = stage ? c[stage] * dt * out.rate[stage - 1][i] : 0;
            s.qd[i] = out.qd_start[i] + (stage ? c[stage] * dt * out.acceleration[stage - 1][i] : 0);
        }
        forces.place_bases(c[stage] * dt, s);
        for_trees(parallel, f, [&](int, Range links) {
            retract_links(f, links, out.q_start.data(), out.way.data(), s.q.data());
            compute_positions(f, links, s.bases, s.q.data(), s.motion.data());
            compute_velocities(f, links, s.bases, s.q.data(), s.qd.data(), s.motion.data());
            for (int i = links.begin; i < links.end; ++i) {
                const Link& l = f.links[i];
                tangent_rate(l.kind, out.way.data() + l.v_begin, s.qd.data() + l.v_begin, rate.data() + l.v_begin);
            }
        });
        forces.compute(s, c[stage] * dt, s.force);
        for_trees(parallel, f, [&](int, Range links) {
            joint_forces(f, links, s, 0, out);
            const int bad = factor_inertia(f, links, s.motion.data(), out.diagonal.data(), s.factor.data());
            if (bad >= 0) return fill_bad(f, bad, acceleration);
            compute_accelerations(f, links, s.bases, s.motion.data(), s.factor.data(), out.tau.data(), s.force.data(),
                                  acceleration.data(), out.a.data());
        });
        const int bad = first_bad(acceleration, f);
        if (bad >= 0) return bad;
        for (std::size_t i = 0; i < f.links.size(); ++i) out.impulse[i] += b[stage] * dt * s.force[i];
    }
    for (int i = 0; i < f.v_count; ++i) {
        Real way = 0, change = 0;
        for (int stage = 0; stage < 4; ++stage) {
            way += b[stage] * out.rate[stage][i];
            change += b[stage] * out.acceleration[stage][i];
        }
        out.way[i] = dt * way;
        out.qd[i] = out.qd_start[i] + dt * change;
    }
    // back to the start, with the factors there
    s.q = out.q_start, s.qd = out.qd_start;
    forces.place_bases(0, s);
    for_trees(parallel, f, [&](int, Range links) {
        compute_positions(f, links, s.bases, s.q.data(), s.motion.data());
        compute_velocities(f, links, s.bases, s.q.data(), s.qd.data(), s.motion.data());
        joint_forces(f, links, s, 0, out);
        factor_inertia(f, links, s.motion.data(), out.diagonal.data(), s.factor.data());
    });
    return -1;
}

bool is_floating(const Forest& f, int tree) {
    const Link& root = f.links[f.trees[tree].begin];
    if (root.kind != JointType::free || root.base >= 0) return false;
    for (int k = 0; k < 6; ++k) { // what holds the root to the world is no inner force
        const JointSpring& s = f.springs[root.v_begin + k];
        if (s.stiffness != 0 || s.damping != 0 || s.armature != 0) return false;
    }
    return true;
}

MomentumTarget momentum_target(const Forest& f, Range links, const ForestState& s, const Vec6* impulse, const Vec6* pushing,
                               Real dt) {
    const TreeMomentum m = compute_momentum(f, links, s.motion.data());
    MomentumTarget t{m.linear, m.angular, m.center, m.center};
    Vec3 carrying = m.linear;
    for (int i = links.begin; i < links.end; ++i) {
        const Vec3 linear = impulse[i].head<3>();
        t.linear += linear;
        t.angular += (s.motion[i].p - m.center).cross(linear) + impulse[i].tail<3>();
        carrying += pushing[i].head<3>();
    }
    t.center += dt / m.mass * carrying;
    return t;
}

void correct_center(const Forest& f, Range links, const MomentumTarget& t, Real part, ForestState& s) {
    const TreeMomentum m = compute_momentum(f, links, s.motion.data());
    const Quat axes = s.motion[links.begin].axes_a.conjugate();
    const Vec3 center = part < 1 ? Vec3(t.start + part * (t.center - t.start)) : t.center;
    Eigen::Map<Vec3>(s.q.data() + f.links[links.begin].q_begin) += axes * (center - m.center);
    compute_positions(f, links, s.bases, s.q.data(), s.motion.data());
}

void correct_momentum(const Forest& f, Range links, const MomentumTarget& t, ForestState& s) {
    const TreeMomentum m = compute_momentum(f, links, s.motion.data());
    const Vec3 spin = m.inertia.inverse() * (t.angular - m.angular);
    const Link& root = f.links[links.begin];
    // the root's joint frame A is the world's: its speeds are those of its joint point, spins those of the body
    const Vec3 at = s.motion[links.begin].p - s.motion[links.begin].rho - m.center;
    const Vec3 linear = (t.linear - m.linear) / m.mass + spin.cross(at);
    const Quat axes = s.motion[links.begin].axes_a.conjugate();
    Eigen::Map<Vec3>(s.qd.data() + root.v_begin) += axes * linear;
    Eigen::Map<Vec3>(s.qd.data() + root.v_begin + 3) += axes * spin;
}

} // namespace sinew
