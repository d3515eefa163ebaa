#include "solver/forces.h"
#include "collision/sunk.h"
#include "energy/gravity.h"
#include "energy/list.h"
#include "model/surface.h"
#include <algorithm>

namespace sinew {

// the acceleration that every free point has from exactly one gravity element
static UniformGravity find_uniform_gravity(const Model& m) {
    UniformGravity found{UniformGravity::none, {}};
    const ElementRow* row = find_energy(Gravity::name);
    std::vector<std::uint8_t> covered(point_count(m), 0);
    for (const Table& t : m.elements->energies) {
        if (t.row != row) continue;
        for (int e = 0; e < t.count(); ++e) {
            const Gravity::Data& d = ElementsOf<Gravity>::data_of(t, e);
            const int i = t.stencil[e];
            if (found.kind == UniformGravity::none) found = {UniformGravity::uniform, d.acceleration};
            if (covered[i]++ || d.mass != m.point.mass[i] || d.acceleration != found.acceleration) return {};
        }
    }
    if (found.kind == UniformGravity::none) return found;
    for (int i = 0; i < point_count(m); ++i)
        if (!covered[i] && !(m.point.flags[i] & (kFixed | kPassive))) return {};
    return found;
}

void refresh_forces(const Parallel& parallel, const Model& m, ForceScratch& s) {
    if (s.topology == m.topology_revision && s.values == m.values_revision && s.tables == m.elements.get())
        return;
    s.topology = m.topology_revision;
    s.values = m.values_revision;
    s.tables = m.elements.get();
    s.packed = s.pack_springs && !s.without_springs && build_spring_batch(m, s.springs);
    if (s.packed) build_spring_forces(s.springs, thread_count(parallel), s.workers);
    s.gravity = find_uniform_gravity(m);
    collect_elements(*m.elements, s.elements);
    if (s.energies_only) s.elements.tables.resize(m.elements->energies.size()); // they come first
    if (s.packed || s.without_springs) std::erase_if(s.elements.tables, [](const Table* t) { return is_axial_spring(*t->row); });
    const Dofs dofs = dofs_of(m);
    build_gather(s.elements, dofs, kValue, s.potentials);
    build_gather(s.elements, dofs, kForce, s.forces);
    s.gradient.resize(dofs.size());
}

// contacts are few and change every time: evaluated and added one after another in key order
static void add_contacts(const Parallel& parallel, const Model& m, const Evaluation& ev, const SurfaceState& at,
                         ForceScratch& s, std::span<Real> f) {
    s.contacts.point_point.clear();
    s.contacts.rod_pairs.clear();
    if (s.energies_only || (m.obstacles.empty() && !refresh_rod_pairs(m, s.detect.rods))) return;
    detect_points(parallel, m, at, 0, s.detect, s.contacts); // a state that is not finite shows after the step
    if (ev.memory) allow_sunk(*ev.memory, 0, s.contacts);
    build_contact_elements(m, at.frame, s.contacts, s.contact_tables);
    const Dofs dofs = dofs_of(m);
    for (const Table& t : s.contact_tables.energies) {
        const int n = t.row->dofs;
        s.local.resize(std::max(s.local.size(), std::size_t(2) * t.count() * n));
        Real* gradient = s.local.data();
        Real* force = gradient + std::size_t(t.count()) * n;
        t.row->gradient(t, ev, 0, t.count(), gradient);
        if (t.row->force) t.row->force(t, ev, 0, t.count(), force);
        for (int e = 0; e < t.count(); ++e) {
            if (t.row->force) add_contact_part(t, dofs, e, force + std::size_t(e) * n, 1, f);
            add_contact_part(t, dofs, e, gradient + std::size_t(e) * n, -1, f);
        }
    }
}

void add_input_forces(const Model& m, const Input& input, const Real3* x, const Real3* frame_p, std::span<Real> f) {
    const Dofs dofs = dofs_of(m);
    for (const PointForce& p : input.point_forces)
        if (p.point >= 0 && p.point < dofs.points) Eigen::Map<Vec3>(f.data() + dofs.point_offset(p.point)) += vec(p.force);
    for (const Grab& g : input.grabs)
        if (g.point >= 0 && g.point < dofs.points)
            Eigen::Map<Vec3>(f.data() + dofs.point_offset(g.point)) += g.stiffness * (vec(g.target) - vec(x[g.point]));
    for (const BodyForce& b : input.body_forces) {
        const Object* o = object_of(m, b.object);
        if (!o) continue;
        const Range range = o->frames;
        if (range.count() == 0) continue;
        const int i = range.begin;
        Eigen::Map<Vec3>(f.data() + dofs.frame_offset(i)) += vec(b.force);
        Eigen::Map<Vec3>(f.data() + dofs.frame_offset(i) + 3) +=
            vec(b.torque) + (vec(b.at) - vec(frame_p[i])).cross(vec(b.force));
    }
}

void compute_forces(const Parallel& parallel, const Model& m, const Input& input, const Evaluation& ev,
                    const SurfaceState& at, ForceScratch& s, std::span<Real> f) {
    refresh_forces(parallel, m, s);
    const Dofs dofs = dofs_of(m);
    const std::size_t springs_end = s.packed ? 3 * std::size_t(dofs.points) : 0;
    if (s.packed) compute_spring_forces(parallel, s.springs, ev.x, ev.v, s.workers, f.data());
    std::fill(f.begin() + springs_end, f.end(), 0.0);
    add_force(parallel, s.elements, dofs, ev, s.forces, f);
    std::fill(s.gradient.begin(), s.gradient.end(), 0.0);
    add_gradient(parallel, s.elements, dofs, ev, s.potentials, s.gradient);
    parallel_for(parallel, dofs.size(), 3 * kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) f[i] -= s.gradient[i];
    });
    add_contacts(parallel, m, ev, at, s, f);
    add_input_forces(m, input, at.point.x.data(), at.frame.p.data(), f);
}

} // namespace sinew
