#include "solver/articulated_drift.h"
#include "solver/articulated_joint.h"
#include "solver/articulated_smooth.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr Real kSecondOrder = 0.02; // [rad] per step: order 2 will do below
constexpr Real kMostScale = 2;      // of speeds: more is no correction any longer

struct DriftStages {
    int count;
    std::array<Real, 4> c, b;
};
constexpr DriftStages kDriftMidpoint{2, {0, 0.5}, {0, 1}}, kDriftRungeKutta{4, {0, 0.5, 0.5, 1}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};

// one tree on its way
struct Drift {
    const Forest& f;
    int tree;
    Range links, speeds;
    const ForestState& s;
    DriftScratch& d;
    Bases bases;
    bool carried = false;

    Drift(const Forest& forest, int t, const ForestState& state, DriftScratch& scratch)
        : f(forest), tree(t), links(forest.trees[t]), speeds(forest.tree_speeds[t]), s(state), d(scratch), bases(state.bases),
          carried(on_moving_base(forest, t, state.bases)) {
        if (!carried) return;
        bases.moved = f.links[links.begin].base;
        bases.to = &d.bases[tree];
        d.bases[tree] = s.bases[bases.moved];
    }
    // base, positions and velocities after that time
    void place(Real time, const std::vector<Real>& q, const std::vector<Real>& qd) {
        if (carried) {
            const BaseMotion& from = s.bases[bases.moved];
            BaseMotion& to = d.bases[tree];
            to.p = from.p + time * from.v.head<3>();
            to.q = (exp_rotation(time * from.v.tail<3>()) * from.q).normalized();
        }
        compute_positions(f, links, bases, q.data(), d.motion.data());
        compute_velocities(f, links, bases, q.data(), qd.data(), d.motion.data());
    }
    // whether the factors of `s` are those of H itself
    bool has_springs() const {
        return std::any_of(f.springs.begin() + speeds.begin, f.springs.begin() + speeds.end,
                           [](const JointSpring& j) { return j.stiffness != 0 || j.damping != 0; });
    }
    int advance(const DriftStages& scheme, Real time, Real h, bool known);
};

// from q, qd by h, with motion there; `known`: with the factors of `s`
int Drift::advance(const DriftStages& scheme, Real time, Real h, bool known) {
    for (int stage = 0; stage < scheme.count; ++stage) {
        const Real c = scheme.c[stage] * h;
        auto &rate = d.rate[stage], &acceleration = d.acceleration[stage];
        for (int i = speeds.begin; i < speeds.end; ++i) {
            d.way[i] = stage ? c * d.rate[stage - 1][i] : 0;
            d.stage_qd[i] = d.qd[i] + (stage ? c * d.acceleration[stage - 1][i] : 0);
        }
        if (stage > 0) {
            retract_links(f, links, d.q.data(), d.way.data(), d.stage_q.data());
            place(time + c, d.stage_q, d.stage_qd);
        }
        for (int i = links.begin; i < links.end; ++i) {
            const Link& l = f.links[i];
            tangent_rate(l.kind, d.way.data() + l.v_begin, d.stage_qd.data() + l.v_begin, rate.data() + l.v_begin);
        }
        const bool given = known && stage == 0;
        if (!given)
            if (const int bad = factor_inertia(f, links, d.motion.data(), d.armature.data(), d.factor.data()); bad >= 0) return bad;
        compute_accelerations(f, links, bases, d.motion.data(), given ? s.factor.data() : d.factor.data(), nullptr, nullptr,
                              acceleration.data(), d.a.data());
    }
    for (int i = speeds.begin; i < speeds.end; ++i) {
        Real way = 0, change = 0;
        for (int stage = 0; stage < scheme.count; ++stage) {
            way += scheme.b[stage] * d.rate[stage][i];
            change += scheme.b[stage] * d.acceleration[stage][i];
        }
        d.way[i] = h * way;
        d.qd[i] += h * change;
    }
    retract_links(f, links, d.q.data(), d.way.data(), d.q.data());
    place(time + h, d.q, d.qd);
    return -1;
}

} // namespace

void resize_drift(const Forest& f, DriftScratch& d) {
    d.motion.resize(f.links.size()), d.factor.resize(f.links.size()), d.a.resize(f.links.size());
    for (auto* a : {&d.q, &d.stage_q}) a->resize(f.q_count);
    for (auto* a : {&d.qd, &d.stage_qd, &d.way, &d.first, &d.armature}) a->resize(f.v_count);
    for (auto* stages : {&d.rate, &d.acceleration})
        for (auto& a : *stages) a.resize(f.v_count);
    d.bases.resize(f.trees.size());
}

Real largest_spin(Range links, const LinkMotion* motion) {
    Real square = 0;
    for (int i = links.begin; i < links.end; ++i) square = std::max(square, motion[i].v.tail<3>().squaredNorm());
    return std::sqrt(square);
}

bool on_moving_base(const Forest& f, int tree, std::span<const BaseMotion> bases) {
    const int base = f.links[f.trees[tree].begin].base;
    return base >= 0 && bases[base].v != Vec6::Zero();
}

namespace {

Real armature_energy(const Forest& f, Range speeds, const Real* qd) {
    Real e = 0;
    for (int i = speeds.begin; i < speeds.end; ++i) e += 0.5 * f.springs[i].armature * qd[i] * qd[i];
    return e;
}
// of the motion against one of all links together: `linear` at `center`, `spin`
Real energy_against(const Forest& f, Range links, const LinkMotion* motion, const Vec3& center, const Vec3& linear, const Vec3& spin) {
    Real e = 0;
    for (int i = links.begin; i < links.end; ++i) {
        const LinkMotion& m = motion[i];
        const Vec3 v = m.v.head<3>() - linear - spin.cross(m.p - center), w = m.v.tail<3>() - spin;
        e += 0.5 * f.links[i].mass * v.squaredNorm() + 0.5 * w.dot(m.inertia * w);
    }
    return e;
}

} // namespace

Real motion_energy(const Forest& f, int tree, const LinkMotion* motion, const Real* qd) {
    const Range links = f.trees[tree];
    const Real drives = armature_energy(f, f.tree_speeds[tree], qd);
    if (!is_floating(f, tree)) return kinetic_energy(f, links, motion) + drives;
    Real mass = 0;
    Vec3 linear = Vec3::Zero();
    for (int i = links.begin; i < links.end; ++i) mass += f.links[i].mass, linear += f.links[i].mass * motion[i].v.head<3>();
    return energy_against(f, links, motion, Vec3::Zero(), linear / mass, Vec3::Zero()) + drives;
}

int drift_tree(const Forest& f, int tree, const ForestState& s, Real dt, std::span<const Real> qd, DriftScratch& d, std::span<Real> qd_end,
               std::span<Real> way) {
    Drift on(f, tree, s, d);
    const Range links = on.links, speeds = on.speeds;
    for (int i = links.begin; i < links.end; ++i) {
        const Link& l = f.links[i];
        std::copy_n(s.q.data() + l.q_begin, l.q_count, d.q.data() + l.q_begin);
        d.motion[i] = s.motion[i];
    }
    for (int i = speeds.begin; i < speeds.end; ++i) d.qd[i] = qd[i], d.armature[i] = f.springs[i].armature;
    compute_velocities(f, links, on.bases, d.q.data(), d.qd.data(), d.motion.data());
    const bool floats = is_floating(f, tree), known = !on.has_springs();
    const Real energy = motion_energy(f, tree, d.motion.data(), d.qd.data()), turn = dt * largest_spin(links, d.motion.data());
    const int parts = turn < kPartTurn * kMostParts ? std::max(int(std::ceil(turn / kPartTurn)), 1) : kMostParts;
    const DriftStages& scheme = turn > kSecondOrder ? kDriftRungeKutta : kDriftMidpoint;
    for (int part = 0; part < parts; ++part) {
        if (const int bad = on.advance(scheme, part * dt / parts, dt / parts, known && part == 0); bad >= 0) return bad;
        if (part == 0)
            for (int i = speeds.begin; i < speeds.end; ++i) d.first[i] = d.acceleration[0][i];
        if (on.carried) continue;
        // momenta of floating trees are mended at the end of the step; here they only must not gain energy
        const Real now = motion_energy(f, tree, d.motion.data(), d.qd.data());
        if (!(now > 0) || (floats && now <= energy)) continue;
        const Real scale = std::min(kMostScale, std::sqrt(energy / now));
        for (int i = speeds.begin; i < speeds.end; ++i) d.qd[i] *= scale;
        compute_velocities(f, links, on.bases, d.q.data(), d.qd.data(), d.motion.data());
    }
    for (int i = speeds.begin; i < speeds.end; ++i) qd_end[i] = d.qd[i];
    for (int i = links.begin; i < links.end; ++i) {
        const Link& l = f.links[i];
        tangent_to(l.kind, s.q.data() + l.q_begin, d.q.data() + l.q_begin, way.data() + l.v_begin);
    }
    return -1;
}

void keep_energy(const Forest& f, int tree, Real energy, bool both, ForestState& s) {
    const Range links = f.trees[tree], speeds = f.tree_speeds[tree];
    const bool floats = is_floating(f, tree);
    const TreeMomentum m = compute_momentum(f, links, s.motion.data());
    Real now = motion_energy(f, tree, s.motion.data(), s.qd.data()), wanted = energy;
    if (floats) { // what the momenta need is no matter of the joints
        const Vec3 spin = m.inertia.inverse() * m.angular;
        wanted -= 0.5 * spin.dot(m.angular);
        now = energy_against(f, links, s.motion.data(), m.center, m.linear / m.mass, spin) + armature_energy(f, speeds, s.qd.data());
    }
    // rounding of the inner motion of what hardly moves in itself
    if (!(now > 1e-12 * energy) || (!both && now <= wanted)) return;
    const Real scale = std::min(kMostScale, std::sqrt(std::max(0.0, wanted) / now));
    for (int i = speeds.begin + (floats ? 6 : 0); i < speeds.end; ++i) s.qd[i] *= scale;
    compute_velocities(f, links, s.bases, s.q.data(), s.qd.data(), s.motion.data());
    if (!floats) return;
    correct_momentum(f, links, {m.linear, m.angular, m.center, m.center}, s);
    compute_velocities(f, links, s.bases, s.q.data(), s.qd.data(), s.motion.data());
}

} // namespace sinew
