#include "solver/measure.h"
#include "collision/sunk.h"
#include "model/surface.h"
#include <algorithm>
#include <limits>

namespace sinew {

Evaluation evaluation_of(const Model& m, const State& s, Real dt) {
    Evaluation ev;
    ev.x = s.point.x.data();
    ev.v = s.point.v.data();
    ev.x_now = s.point.x.data();
    ev.p = s.frame.p.data();
    ev.q = s.frame.q.data();
    ev.p_now = s.frame.p.data();
    ev.q_now = s.frame.q.data();
    ev.frame_v = s.frame.v.data();
    ev.frame_w = s.frame.w.data();
    ev.s = s.scalar.s.data();
    ev.ds = s.scalar.ds.data();
    ev.animated = s.animated.x.data();
    ev.alive = s.point.alive.empty() ? nullptr : s.point.alive.data();
    ev.fields = m.fields.get();
    ev.memory = &s.memory;
    ev.t = s.time;
    ev.dt = dt;
    return ev;
}

// elastic energy of solids that flow, with the memory that `memory` holds
static Real plastic_energy(const Tables& tables, const Model& m, const State& at, const State& memory) {
    Evaluation ev = evaluation_of(m, at, 0);
    ev.memory = &memory.memory;
    Real sum = 0;
    for (const Table& t : tables.energies)
        if (t.row->finish && t.row->inverted) sum += t.row->value(t, ev, 0, t.count());
    return sum;
}

Real finish_elements(const Parallel& parallel, const Model& m, const State& now, Real dt, State& next) {
    if (!m.elements) return 0;
    Evaluation ev = evaluation_of(m, next, dt);
    ev.x_now = now.point.x.data();
    ev.p_now = now.frame.p.data();
    ev.q_now = now.frame.q.data();
    ev.memory = &now.memory;
    const Real before = plastic_energy(*m.elements, m, next, now);
    finish_elements(parallel, *m.elements, ev, next);
    return plastic_energy(*m.elements, m, next, next) - before;
}

// sums over free and fixed points alike: a fixed point that moves carries momentum too
static void measure_points(const Model& m, const State& s, Report& r, Vec3& momentum, Vec3& angular, Vec3& moment) {
    for (int i = 0; i < point_count(m); ++i) {
        if (!s.point.alive.empty() && !s.point.alive[i]) continue;
        ++r.alive;
        const Real mass = m.point.mass[i];
        if (m.point.flags[i] & kPassive) continue;
        const Vec3 x = vec(s.point.x[i]), p = mass * vec(s.point.v[i]);
        r.mass += mass;
        r.energy_kinetic += 0.5 * p.dot(vec(s.point.v[i]));
        momentum += p;
        angular += x.cross(p);
        moment += mass * x;
    }
}

static void measure_frames(const Model& m, const State& s, Report& r, Vec3& momentum, Vec3& angular, Vec3& moment) {
    for (int i = 0; i < frame_count(m); ++i) {
        if (m.frame.flags[i] & kFixed) continue;
        const Real mass = m.frame.mass[i];
        const Vec3 x = vec(s.frame.p[i]), p = mass * vec(s.frame.v[i]), w = vec(s.frame.w[i]);
        const Quat q = quat(s.frame.q[i]);
        const Vec3 spin = q * (mat(m.frame.inertia[i]) * (q.conjugate() * w)); // L = R I R^T w
        r.mass += mass;
        r.energy_kinetic += 0.5 * p.dot(vec(s.frame.v[i])) + 0.5 * spin.dot(w);
        momentum += p;
        angular += x.cross(p) + spin;
        moment += mass * x;
    }
}

static void measure_scalars(const Model& m, const State& s, Report& r) {
    for (int i = 0; i < scalar_count(m); ++i)
        if (!(m.scalar.flags[i] & kFixed)) r.energy_kinetic += 0.5 * m.scalar.mass[i] * s.scalar.ds[i] * s.scalar.ds[i];
}

// Spin of a rod's edges about themselves: reference frames are carried without twist, so that an edge turns at the rate of its
// scalar. An edge belongs to the element of its second point, and that of the first element to it too.
static void measure_spin(const Model& m, const State& s, Vec3& angular) {
    for (const Table& t : m.elements->energies) {
        if (t.row->points != 3 || t.row->scalars != 2) continue;
        std::vector<char> seen(s.scalar.s.size(), 0);
        for (int e = 0; e < t.count(); ++e) {
            const int* id = t.stencil.data() + 5 * std::size_t(e);
            for (int k = 0; k < 2; ++k) {
                const int scalar = id[3 + k];
                if (scalar < 0 || seen[scalar] || (m.scalar.flags[scalar] & kFixed)) continue;
                seen[scalar] = 1;
                const Vec3 edge = vec(s.point.x[id[k + 1]]) - vec(s.point.x[id[k]]);
                const Real length = edge.norm();
                if (length > 0) angular += m.scalar.mass[scalar] * s.scalar.ds[scalar] / length * edge;
            }
        }
    }
}

static void measure_contacts(const Parallel& parallel, const Model& m, const State& s, MeasureScratch& scratch, Report& r) {
    scratch.contacts.point_point.clear();
    scratch.contacts.rod_pairs.clear();
    if (r.islands + r.asleep > 0) return build_contact_elements(m, s.frame, scratch.contacts, scratch.contact_tables); // the solver's own
    const bool finite = detect_points(parallel, m, surface_state(s), 0, scratch.detect, scratch.contacts);
    const int found = int(scratch.contacts.point_point.size() + scratch.contacts.rod_pairs.size());
    r.contact_count = std::max(r.contact_count, found); // a solver may have more: those of meshes with themselves and each other
    r.gap = found > 0 ? std::numeric_limits<Real>::infinity() : 0;
    for (const PointContact& c : scratch.contacts.point_point) r.gap = std::min(r.gap, c.gap);
    for (const RodPair& c : scratch.contacts.rod_pairs) r.gap = std::min(r.gap, c.distance - c.thickness);
    r.penetration = std::max(0.0, -r.gap);
    if (!finite) r.gap = r.penetration = std::numeric_limits<Real>::quiet_NaN(); // nobody can tell
    allow_sunk(s.memory, 0, scratch.contacts); // forces and energies are those of the solver
    build_contact_elements(m, s.frame, scratch.contacts, scratch.contact_tables);
}

void measure(const Parallel& parallel, const Model& m, const State& s, MeasureScratch& scratch, Report& r) {
    r.time = s.time;
    r.mass = r.energy_kinetic = 0;
    r.alive = 0;
    Vec3 momentum = Vec3::Zero(), angular = Vec3::Zero(), moment = Vec3::Zero();
    measure_points(m, s, r, momentum, angular, moment);
    measure_frames(m, s, r, momentum, angular, moment);
    measure_scalars(m, s, r);
    if (scalar_count(m) > 0 && m.elements) measure_spin(m, s, angular);
    r.momentum = real3(momentum);
    r.angular_momentum = real3(angular);
    if (r.mass > 0) r.center = real3(moment / r.mass);
    measure_contacts(parallel, m, s, scratch, r);

    const Evaluation ev = evaluation_of(m, s, 0);
    collect_elements(*m.elements, scratch.contact_tables, scratch.elements);
    const auto share = energy_by_share(parallel, scratch.elements, ev, scratch.partial);
    r.energy_elastic = share[int(Share::elastic)];
    r.energy_gravity = share[int(Share::gravity)];
    r.energy_contact = share[int(Share::contact)];
    r.energy_field = share[int(Share::field)];
    scratch.power_damping = force_power(parallel, scratch.elements, ev, scratch.local, scratch.partial);
    r.inverted = 0;
    for (const Table& t : m.elements->energies)
        if (t.row->inverted) r.inverted += t.row->inverted(t, ev, 0, t.count());
    r.constraint_error = constraint_error(m.elements->constraints, ev, scratch.rows);
}

void measure_power(const Parallel& parallel, const Model& m, const State& s, bool own_contacts, MeasureScratch& scratch) {
    Report contacts;
    contacts.islands = own_contacts; // as after a step
    measure_contacts(parallel, m, s, scratch, contacts);
    collect_elements(*m.elements, scratch.contact_tables, scratch.elements);
    scratch.power_damping = force_power(parallel, scratch.elements, evaluation_of(m, s, 0), scratch.local, scratch.partial);
}

} // namespace sinew
