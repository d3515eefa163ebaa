#include "solver/position_problem.h"
#include "model/visit.h"
#include "solver/forces.h"
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace sinew {

void refresh_masses(const Model& m, const State& s, PositionProblem& p) {
    const int points = point_count(m), frames = frame_count(m), scalars = scalar_count(m);
    p.point_inverse.assign(points, 0);
    p.frame_inverse.assign(frames, 0);
    p.scalar_inverse.assign(scalars, 0);
    for (int i = 0; i < points; ++i) {
        const bool alive = s.point.alive.empty() || s.point.alive[i];
        if (alive && !(m.point.flags[i] & (kFixed | kPassive)) && m.point.mass[i] > 0) p.point_inverse[i] = 1 / m.point.mass[i];
    }
    for (int i = 0; i < frames; ++i)
        if (!(m.frame.flags[i] & kFixed) && m.frame.mass[i] > 0) p.frame_inverse[i] = 1 / m.frame.mass[i];
    for (int i = 0; i < scalars; ++i)
        if (!(m.scalar.flags[i] & kFixed) && m.scalar.mass[i] > 0) p.scalar_inverse[i] = 1 / m.scalar.mass[i];
}

void refresh_inertias(const Model& m, const FrameState& s, PositionProblem& p) {
    p.frame_inverse_inertia.resize(frame_count(m), Mat3::Zero());
    for (int f = 0; f < frame_count(m); ++f) {
        if (!(p.frame_inverse[f] > 0)) {
            p.frame_inverse_inertia[f].setZero();
            continue;
        }
        const Mat3 r = quat(s.q[f]).toRotationMatrix();
        p.frame_inverse_inertia[f] = r * mat(m.frame.inertia[f]).inverse() * r.transpose();
    }
}

namespace {

// a damper beside no spring has no rows to stand for it
bool dampers_have_rows(const Table& t, const DualView& v) {
    if (!v.damping_time) return true;
    for (int e = 0; e < t.count(); ++e)
        if (std::isinf(v.damping_time(t, e))) return false;
    return true;
}

// stencils of a table as unknowns: points, then frames, then scalars
void list_unknowns(const Model& m, const Table& t, std::vector<int>& out) {
    const int points = point_count(m), frames = frame_count(m);
    const ElementRow& r = *t.row;
    out.resize(t.stencil.size());
    for (int e = 0; e < t.count(); ++e)
        for (int i = 0; i < r.stencil; ++i) {
            const std::size_t at = std::size_t(e) * r.stencil + i;
            const int id = t.stencil[at];
            out[at] = id < 0 ? -1 : i < r.points ? id : i < r.points + r.frames ? points + id : points + frames + id;
        }
}

// `before`: the table as it was, where neither topology nor what is held has changed; its order is kept
void add_table(const Model& m, const Table& t, const DualView* view, bool is_constraint, DualTable* before, std::vector<int>& scratch,
               PositionProblem& p) {
    DualTable d;
    if (before) d = std::move(*before);
    d.table = &t;
    d.view = view;
    d.is_constraint = is_constraint;
    d.own_damping = dampers_have_rows(t, *view);
    d.lambda.assign(std::size_t(t.count()) * d.view->rows, 0);
    // particles that are born and die change their inverse masses from step to step
    d.packed = p.pack_tables && m.emitters.empty() && d.own_damping && 
               build_pack(t, p.point_inverse, p.chains ? std::span<const Real3>(m.point.rest) : std::span<const Real3>(), before != nullptr, d.pack);
    if (!d.packed && d.colours.order.size() != std::size_t(t.count())) {
        list_unknowns(m, t, scratch);
        colour_elements(scratch, t.row->stencil, int(p.held.size()), p.held, d.colours);
    }
    p.tables.push_back(std::move(d));
}

bool is_weight(const Table& t) { return t.row->name == "gravity" || t.row->name == "gravity_frame"; }

} // namespace

bool refresh_tables(const Model& m, PositionProblem& p) {
    if (p.topology == m.topology_revision && p.values == m.values_revision && p.owner == m.elements.get()) return false;
    bool same = p.topology == m.topology_revision && p.owner == m.elements.get();
    p.topology = m.topology_revision, p.values = m.values_revision, p.owner = m.elements.get();
    const std::vector<unsigned char> held_before = std::move(p.held);
    std::vector<DualTable> before = std::move(p.tables);
    const int points = point_count(m), frames = frame_count(m);
    p.held.assign(points + frames + scalar_count(m), 0);
    // of a particle that may be born later the flags count, not whether it lives
    for (int i = 0; i < points; ++i) p.held[i] = (m.point.flags[i] & (kFixed | kPassive)) || !(m.point.mass[i] > 0);
    for (int i = 0; i < frames; ++i) p.held[points + i] = !(p.frame_inverse[i] > 0);
    for (int i = 0; i < scalar_count(m); ++i) p.held[points + frames + i] = !(p.scalar_inverse[i] > 0);
    same = same && p.held == held_before;
    p.tables.clear();
    p.weight_set.tables.clear();
    clear_whole_rows(p.whole);
    p.potential_set.tables.clear();
    p.force_set.tables.clear();
    std::vector<int> scratch;
    p.jointed.assign(frames, 0);
    const auto mark_frames = [&](const Table& t) {
        list_unknowns(m, t, scratch);
        for (int id : scratch)
            if (id >= points && id < points + frames) p.jointed[id - points] = 1;
    };
    const auto as_it_was = [&](const Table& t) {
        const std::size_t k = p.tables.size();
        return same && k < before.size() && before[k].table == &t ? &before[k] : nullptr;
    };
    for (const Table& t : m.elements->energies) {
        if (is_whole_table(t)) {
            add_whole_rows(t, p.whole);
            continue;
        }
        const DualView* view = find_energy_dual(t.row->name);
        if (view) add_table(m, t, view, false, as_it_was(t), scratch, p), mark_frames(t);
        else if (is_weight(t)) p.weight_set.tables.push_back(&t);
        else if (t.row->views & kValue) p.potential_set.tables.push_back(&t);
        const bool covered = view && view->covers_force && p.tables.back().own_damping;
        if ((t.row->views & kForce) && !covered) p.force_set.tables.push_back(&t);
    }
    for (const Table& t : m.elements->constraints) {
        add_table(m, t, find_constraint_dual(t.row->name), true, as_it_was(t), scratch, p);
        mark_frames(t);
    }
    colour_whole_rows(points, std::span(p.held).first(points), p.whole);
    const Dofs dofs = dofs_of(m);
    build_gather(p.weight_set, dofs, kValue, p.weights);
    build_gather(p.potential_set, dofs, kValue, p.potentials);
    build_gather(p.force_set, dofs, kForce, p.forces);
    p.f.resize(dofs.size());
    p.weight_is_known = false;
    return true;
}

void clear_multipliers(bool sweeps, PositionProblem& p) {
    for (DualTable& t : p.tables)
        if (!sweeps || !t.packed) std::fill(t.lambda.begin(), t.lambda.end(), 0.0);
    clear_multipliers(p.whole);
}

void predict_frames(const Model& m, const PositionProblem& p, Real kick, Real h, FrameState& s) {
    const Dofs dofs = dofs_of(m);
    for (int f = 0; f < dofs.frames; ++f) {
        if (!(p.frame_inverse[f] > 0)) continue;
        const Real* load = p.f.data() + dofs.frame_offset(f);
        vec(s.v[f]) += kick * p.frame_inverse[f] * Eigen::Map<const Vec3>(load);
        vec(s.p[f]) += h * vec(s.v[f]);
        const Mat3 I = mat(m.frame.inertia[f]), inverse = I.inverse();
        const Quat before = quat(s.q[f]);
        const Vec3 w = vec(s.w[f]) + kick * p.frame_inverse_inertia[f] * Eigen::Map<const Vec3>(load + 3);
        const Vec3 L = before * (I * (before.conjugate() * w));
        const auto spin = [&](const Quat& r) { return Vec3(r * (inverse * (r.conjugate() * L))); };
        const Quat after = (exp_rotation(h * spin(exp_rotation(0.5 * h * w) * before)) * before).normalized();
        s.q[f] = real4(after);
        s.w[f] = real3(spin(after));
    }
}

void compute_loads(const Parallel& parallel, const Model& m, const Input& input, const Evaluation& ev, PositionProblem& p) {
    const Dofs dofs = dofs_of(m);
    const bool only_weight = p.potential_set.tables.empty() && p.force_set.tables.empty() && input.point_forces.empty() &&
                             input.grabs.empty() && input.body_forces.empty();
    if (!p.weight_is_known) {
        p.weight.assign(dofs.size(), 0);
        add_gradient(parallel, p.weight_set, dofs, ev, p.weights, p.weight);
        p.weight_is_known = true;
        p.f_is_weight = false;
    }
    if (only_weight && p.f_is_weight) return;
    p.f = p.weight;
    add_gradient(parallel, p.potential_set, dofs, ev, p.potentials, p.f);
    for (Real& f : p.f) f = -f;
    add_force(parallel, p.force_set, dofs, ev, p.forces, p.f);
    add_input_forces(m, input, ev.x, ev.p, p.f);
    p.f_is_weight = only_weight;
}

} // namespace sinew
