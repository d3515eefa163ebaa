#include "solver/objective.h"
#include "collision/sunk.h"
#include "energy/contact_power.h"
#include "model/surface.h"
#include "solver/measure.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {


template <class F> void for_each_point(const StepProblem& p, F&& f) {
    parallel_for(p.parallel, point_count(p.model), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) f(i);
    });
}
template <class F> Real sum_over_points(const StepProblem& p, std::vector<Real>& partial, F&& f) {
    return ordered_sum(p.parallel, point_count(p.model), kGrain, partial, [&](int begin, int end) {
        Real sum = 0;
        for (int i = begin; i < end; ++i) sum += f(i);
        return sum;
    });
}
template <class F> Real max_over_points(const StepProblem& p, std::vector<Real>& partial, F&& f) {
    const int n = point_count(p.model), chunks = chunk_count(n, kGrain);
    if (int(partial.size()) < chunks) partial.resize(chunks);
    parallel_for(p.parallel, n, kGrain, [&](int begin, int end) {
        Real largest = 0;
        for (int i = begin; i < end; ++i) largest = std::max(largest, f(i));
        partial[begin / kGrain] = largest;
    });
    Real largest = 0;
    for (int c = 0; c < chunks; ++c) largest = std::max(largest, partial[c]);
    return largest;
}

template <class F> void for_each_scalar(const StepProblem& p, F&& f) {
    for (int i = 0, n = scalar_count(p.model); i < n; ++i) f(i);
}
template <class F> Real sum_over_scalars(const StepProblem& p, F&& f) {
    Real sum = 0;
    for_each_scalar(p, [&](int i) { sum += f(i); });
    return sum;
}
int first_scalar(const StepProblem& p) { return dofs_of(p.model).scalar_offset(0); }

bool is_free(const Model& m, int i) { return !(m.point.flags[i] & (kFixed | kPassive)); }

// pattern and plan of the model's elements
void build_matrix_caches(const StepProblem& p, Objective& o) {
    const Dofs dofs = dofs_of(p.model);
    BlockPattern pattern;
    if (!build_hessian_pattern(o.elements, o.constraints, dofs, pattern)) pattern = {};
    build_hessian_plan(o.elements, dofs, pattern, o.plan);
    build_hessian_plan(o.constraints, dofs, pattern, o.constraint_plan);
    o.matrix = make_block_sparse(std::move(pattern));
    o.has_contact_pairs = o.is_analysed = false;
}

void refresh_caches(const StepProblem& p, Objective& o) {
    const Dofs dofs = dofs_of(p.model);
    if (o.topology != p.model.topology_revision || o.tables != p.model.elements.get()) {
        o.topology = p.model.topology_revision;
        o.tables = p.model.elements.get();
        collect_elements(*p.model.elements, o.elements);
        o.constraints.tables.clear();
        if (o.constraints_are_rows) {
            for (const Table& t : p.model.elements->constraints) o.constraints.tables.push_back(&t);
            o.elements.tables.resize(o.elements.tables.size() - o.constraints.tables.size()); // they come last
        }
        build_gather(o.elements, dofs, kValue, o.potentials);
        build_gather(o.elements, dofs, kForce, o.forces);
        build_matrix_caches(p, o);
    } else if (o.has_contact_pairs) {
        build_matrix_caches(p, o); // the pattern of a step must not depend on the steps before
    }
    // frames are no unknowns of this solver, only obstacles
    bool changed = int(o.fixed.size()) != dofs.blocks();
    o.fixed.resize(dofs.blocks(), 1);
    for (int i = 0; i < dofs.points; ++i) {
        const unsigned char mask = !is_free(p.model, i);
        changed = changed || o.fixed[i] != mask;
        o.fixed[i] = mask;
    }
    for (int b = dofs.points; b < dofs.blocks(); ++b) {
        const int scalar = b - dofs.scalar_block(0);
        const unsigned char mask = scalar < 0 || !is_unknown_scalar(p.model, scalar);
        changed = changed || o.fixed[b] != mask;
        o.fixed[b] = mask;
    }
    if (changed) o.is_analysed = false;
}

// forces and grabs of the input, inertia on the diagonal
void build_input(const StepProblem& p, Objective& o) {
    const int n = point_count(p.model);
    std::fill(o.input.begin(), o.input.end(), 0.0);
    std::fill(o.mass.begin(), o.mass.end(), 0.0);
    for_each_point(p, [&](int i) {
        // without inertia a dead particle would leave a zero on the diagonal
        const bool alive = p.now.point.alive.empty() || p.now.point.alive[i];
        vec_at(o.mass, i).setConstant(alive ? o.stage.scale * p.model.point.mass[i] : 1);
    });
    Real mass = 0;
    int points = 0;
    for (int i = 0; i < n; ++i)
        if (is_free(p.model, i) && p.model.point.mass[i] > 0) mass += p.model.point.mass[i], ++points;
    o.arm.assign(scalar_count(p.model), 1);
    for_each_scalar(p, [&](int i) {
        o.mass[first_scalar(p) + i] = o.stage.scale * p.model.scalar.mass[i];
        if (points > 0 && p.model.scalar.mass[i] > 0) o.arm[i] = std::sqrt(p.model.scalar.mass[i] * points / mass);
    });
    for (const PointForce& f : p.input.point_forces)
        if (f.point >= 0 && f.point < n && is_unknown(p.model, p.now, f.point))
            vec_at(o.input, f.point) += vec(f.force);
    for (const Grab& g : p.input.grabs)
        if (g.point >= 0 && g.point < n) vec_at(o.mass, g.point).array() += g.stiffness;
}

// contacts that may be met within the step are in the list from the first iteration on
Real contact_margin(const StepProblem& p, Objective& o) {
    const Real travel = max_over_points(p, o.partial, [&](int i) { return vec(o.stage.travel[i]).norm(); });
    Real speed = 0;
    for (const Obstacle& s : p.model.obstacles)
        if (s.frame >= 0) speed = std::max(speed, vec(o.prescribed.frame_velocity[s.frame]).norm());
    for (const Collider& c : p.model.colliders)
        if (c.frame >= 0 && (p.model.frame.flags[c.frame] & kFixed)) speed = std::max(speed, vec(o.prescribed.frame_velocity[c.frame]).norm());
    for (const Real3& v : p.now.animated.v) speed = std::max(speed, vec(v).norm());
    return travel + p.dt * (speed + p.dt * vec(p.model.gravity).norm());
}

// potentials and forces of the contact elements, few and in key order; no `force`: potentials only
void add_contact_forces(const StepProblem& p, const Evaluation& ev, Objective& o, std::span<Real> total_gradient,
                        std::span<Real> total_force) {
    const Dofs dofs = dofs_of(p.model);
    for (const Table& t : o.contact_tables.energies) {
        const int n = t.row->dofs;
        const std::size_t size = std::size_t(t.count()) * n;
        if (o.contact_local.size() < 2 * size) o.contact_local.resize(2 * size);
        Real *gradient = o.contact_local.data(), *force = gradient + size;
        t.row->gradient(t, ev, 0, t.count(), gradient);
        const bool forces = !total_force.empty() && t.row->force;
        if (forces) t.row->force(t, ev, 0, t.count(), force);
        for (int e = 0; e < t.count(); ++e) {
            add_contact_part(t, dofs, e, gradient + std::size_t(e) * n, 1, total_gradient);
            if (forces) add_contact_part(t, dofs, e, force + std::size_t(e) * n, 1, total_force);
        }
    }
}

void add_grabs(const StepProblem& p, const Objective& o, std::span<Real> gradient) {
    for (const Grab& g : p.input.grabs)
        if (g.point >= 0 && g.point < point_count(p.model))
            vec_at(gradient, g.point) += g.stiffness * (vec(o.points.x[g.point]) - vec(g.target));
}

// norm, and the first point that is not finite
void measure_residual(const StepProblem& p, Objective& o) {
    o.residual_norm = max_over_points(p, o.partial, [&](int i) { return vec_at(o.residual, i).norm(); });
    for_each_scalar(p, [&](int i) { o.residual_norm = std::max(o.residual_norm, std::abs(o.residual[first_scalar(p) + i]) / o.arm[i]); });
    const Real sum = sum_over_points(p, o.partial, [&](int i) { return vec_at(o.residual, i).sum(); }) +
                     sum_over_scalars(p, [&](int i) { return o.residual[first_scalar(p) + i]; });
    o.not_finite = -1;
    if (std::isfinite(sum)) return;
    for (int i = 0; i < point_count(p.model) && o.not_finite < 0; ++i)
        if (!vec_at(o.residual, i).allFinite()) o.not_finite = i;
    // a scalar alone: the first point of its object stands for it
    for (int i = 0; i < scalar_count(p.model) && o.not_finite < 0; ++i)
        if (!std::isfinite(o.residual[first_scalar(p) + i])) o.not_finite = p.model.objects[p.model.scalar.object[i]].points.begin;
}

} // namespace

void begin_objective(const StepProblem& p, const SchemeSettings& scheme, Objective& o) {
    refresh_caches(p, o);
    build_stage(p, scheme, o.stage);
    build_prescribed(p.model, p.input, p.now, p.dt, o.prescribed);
    if (o.stage.rate == 0) o.no_velocity.assign(point_count(p.model), {}), o.no_rate.assign(scalar_count(p.model), 0);
    const int n = dofs_of(p.model).size();
    for (auto* a : {&o.mass, &o.input, &o.at, &o.gradient, &o.force, &o.residual, &o.merit_gradient}) a->resize(n);
    std::fill(o.force.begin(), o.force.end(), 0.0);
    build_input(p, o);
    o.force_scale = 0;
    begin_friction_lag(o.friction);
    o.rods_meet = refresh_rod_pairs(p.model, o.detect.rods);
    o.margin = p.model.obstacles.empty() && !o.rods_meet ? 0 : contact_margin(p, o);
    // room for rods to move in, see bound_direction
    if (o.rods_meet) o.margin = 2 * o.margin + std::max(o.detect.rods.thickest, o.detect.rods.longest);

    o.points.x = p.now.point.x;
    o.points.v = p.now.point.v;
    o.points.alive = p.now.point.alive;
    o.frames = p.now.frame;
    o.scalars = p.now.scalar;
    place_given(p, o);
    o.given.assign(point_count(p.model), {});
    for_each_point(p, [&](int i) {
        if (!is_free(p.model, i)) o.given[i] = real3(vec(o.points.x[i]) - vec(p.now.point.x[i]));
    });
    o.contacts.point_point.clear();
    o.contacts.rod_pairs.clear();
    for (Table& t : o.contact_tables.energies) {
        t.stencil.clear();
        t.data.clear();
        t.object.clear();
    }
    collect_elements(o.contact_tables, o.touching);
}

void stop_fixed(const StepProblem& p, PointState& points) {
    for_each_point(p, [&](int i) {
        if (p.model.point.flags[i] & kFixed) points.v[i] = {};
    });
}

void place_given(const StepProblem& p, Objective& o) {
    stop_fixed(p, o.points);
    advect_passive(p.parallel, p.model, p.now, o.stage.elapsed, o.points);
    place_fixed(p.model, o.prescribed, p.now, o.stage.elapsed, o.points, o.frames);
    place_animated(p.model, p.input, p.now, o.stage.elapsed, p.dt, o.animated);
    place_fixed_scalars(p.model, p.input, p.now, p.dt, o.stage.elapsed, o.scalars);
}

void set_given(const StepProblem& p, const Objective& o, std::span<Real> d) {
    for_each_point(p, [&](int i) {
        if (!is_free(p.model, i)) vec_at(d, i) = vec(o.given[i]);
    });
    for_each_scalar(p, [&](int i) {
        if (!is_unknown_scalar(p.model, i)) d[first_scalar(p) + i] = o.stage.elapsed * o.scalars.ds[i];
    });
}

void move_points(const StepProblem& p, std::span<const Real> d, Objective& o) {
    for_each_point(p, [&](int i) {
        if (!is_unknown(p.model, p.now, i)) return;
        o.points.x[i] = real3(vec(p.now.point.x[i]) + vec_at(d, i));
        o.points.v[i] = real3(vec(o.stage.drift[i]) + o.stage.rate * vec_at(d, i));
    });
    for_each_scalar(p, [&](int i) {
        if (!is_unknown_scalar(p.model, i)) return;
        o.scalars.s[i] = p.now.scalar.s[i] + d[first_scalar(p) + i];
        o.scalars.ds[i] = o.stage.scalar_drift[i] + o.stage.rate * d[first_scalar(p) + i];
    });
}

Evaluation evaluation_at(const StepProblem& p, const Objective& o) {
    Evaluation ev = evaluation_of(p.model, p.now, p.dt);
    ev.x = o.points.x.data();
    ev.v = o.points.v.data();
    ev.p = o.frames.p.data();
    ev.q = o.frames.q.data();
    ev.frame_v = o.frames.v.data();
    ev.frame_w = o.frames.w.data();
    ev.s = o.scalars.s.data();
    ev.ds = o.scalars.ds.data();
    ev.t = p.now.time + o.stage.elapsed;
    ev.elapsed = o.stage.rate > 0 ? o.stage.elapsed : 0;
    if (o.stage.rate == 0) ev.v = o.no_velocity.data(), ev.ds = o.no_rate.data(); // statics have no viscosity, moving clamps or not
    if (!o.stage.is_euler || o.dampers_are_forces) ev.dt = 0; // energy/viscous.h
    ev.animated = o.animated.x.data();
    return ev;
}

void detect_contacts(const StepProblem& p, std::span<const Real> d, Objective& o) {
    if ((p.model.obstacles.empty() && !o.rods_meet) || p.model.surface.vertices.empty()) return;
    move_points(p, d, o);
    // positions that are not finite show in the residual
    detect_points(p.parallel, p.model, {o.points, o.frames, o.animated}, o.margin, o.detect, o.contacts);
    allow_sunk(p.now.memory, o.stage.elapsed, o.contacts);
    build_contact_elements(p.model, o.frames, o.contacts, o.contact_tables);
    build_friction_elements(p.model, p.now.point.x, {o.stage.rate > 0 ? o.stage.elapsed : 0, o.still, o.stage.scale}, o.contacts, o.friction,
                            o.contact_tables);
    collect_elements(o.contact_tables, o.touching);
}

Merit compute_merit(const StepProblem& p, std::span<const Real> d, Objective& o) {
    move_points(p, d, o);
    const Evaluation ev = evaluation_at(p, o);
    Merit m;
    const auto add = [&](Real part) {
        m.value += part;
        m.size += std::abs(part);
    };
    for (Real part : energy_by_share(p.parallel, o.elements, ev, o.partial)) add(part);
    for (Real part : energy_by_share(p.parallel, o.touching, ev, o.partial)) add(part);
    add(sum_over_points(p, o.partial, [&](int i) {
        if (!is_unknown(p.model, p.now, i)) return 0.0;
        return 0.5 * o.stage.scale * p.model.point.mass[i] *
               (vec_at(d, i) - vec(o.stage.travel[i])).squaredNorm();
    }));
    add(sum_over_scalars(p, [&](int i) {
        const Real moved = d[first_scalar(p) + i] - o.stage.scalar_travel[i];
        return is_unknown_scalar(p.model, i) ? 0.5 * o.stage.scale * p.model.scalar.mass[i] * moved * moved : 0;
    }));
    add(-sum_over_scalars(p, [&](int i) {
        const int k = first_scalar(p) + i;
        return is_unknown_scalar(p.model, i) ? o.force[k] * (d[k] - o.at[k]) : 0;
    }));
    add(-sum_over_points(p, o.partial, [&](int i) { return vec_at(o.input, i).dot(vec_at(d, i)); }));
    add(-sum_over_points(p, o.partial, [&](int i) { return vec_at(o.force, i).dot(vec_at(d, i) - vec_at(o.at, i)); }));
    for (const Grab& g : p.input.grabs)
        if (g.point >= 0 && g.point < point_count(p.model))
            add(0.5 * g.stiffness * (vec(o.points.x[g.point]) - vec(g.target)).squaredNorm());
    return m;
}

void compute_merit_gradient(const StepProblem& p, std::span<const Real> d, Objective& o) {
    move_points(p, d, o);
    const Evaluation ev = evaluation_at(p, o);
    std::vector<Real>& g = o.merit_gradient;
    std::fill(g.begin(), g.end(), 0.0);
    add_gradient(p.parallel, o.elements, dofs_of(p.model), ev, o.potentials, g);
    add_contact_forces(p, ev, o, g, {});
    add_grabs(p, o, g);
    for_each_point(p, [&](int i) {
        if (!is_unknown(p.model, p.now, i)) {
            vec_at(g, i).setZero();
            return;
        }
        const Vec3 inertia = o.stage.scale * p.model.point.mass[i] * (vec_at(d, i) - vec(o.stage.travel[i]));
        vec_at(g, i) += inertia - vec_at(o.input, i) - vec_at(o.force, i);
    });
    for_each_scalar(p, [&](int i) {
        const int k = first_scalar(p) + i;
        const Real inertia = o.stage.scale * p.model.scalar.mass[i] * (d[k] - o.stage.scalar_travel[i]);
        g[k] = is_unknown_scalar(p.model, i) ? g[k] + inertia - o.force[k] : 0;
    });
}

Real merit_slope(const StepProblem& p, std::span<const Real> direction, Objective& o) {
    return sum_over_points(p, o.partial, [&](int i) { return vec_at(o.merit_gradient, i).dot(vec_at(direction, i)); }) +
           sum_over_scalars(p, [&](int i) { return o.merit_gradient[first_scalar(p) + i] * direction[first_scalar(p) + i]; });
}

Real merit_gradient_square(const StepProblem& p, Objective& o) {
    return sum_over_points(p, o.partial, [&](int i) { return vec_at(o.merit_gradient, i).squaredNorm(); }) + sum_over_scalars(p, [&](int i) {
               const Real g = o.merit_gradient[first_scalar(p) + i] / o.arm[i];
               return g * g;
           });
}

Real merit_curvature(const StepProblem& p, const HessianTerms& terms, std::span<const Real> direction,
                     Objective& o) {
    const Dofs dofs = dofs_of(p.model);
    const Evaluation ev = evaluation_at(p, o);
    Real sum = hessian_form(p.parallel, o.elements, dofs, ev, terms, direction, o.plan, o.partial);
    if (has_contact_elements(o.contact_tables)) {
        build_hessian_plan(o.touching, dofs, o.matrix.pattern, o.contact_plan); // lists the elements
        sum += hessian_form(p.parallel, o.touching, dofs, ev, terms, direction, o.contact_plan, o.partial);
    }
    return sum + sum_over_points(p, o.partial, [&](int i) {
               return vec_at(direction, i).dot(vec_at(o.mass, i).cwiseProduct(vec_at(direction, i)));
           }) + sum_over_scalars(p, [&](int i) {
               const int k = first_scalar(p) + i;
               return o.mass[k] * direction[k] * direction[k];
           });
}

Real lag_curvature(const StepProblem& p, std::span<const Real> direction, Objective& o) {
    const Dofs dofs = dofs_of(p.model);
    const Evaluation ev = evaluation_at(p, o);
    const HessianTerms terms{Projection::clamp, false, 1, o.stage.rate};
    const auto acts = [&](const ElementSet& set) {
        return std::any_of(set.tables.begin(), set.tables.end(), [&](const Table* t) { return t->count() > 0 && has_force(*t, ev); });
    };
    Real sum = acts(o.elements) ? hessian_form(p.parallel, o.elements, dofs, ev, terms, direction, o.plan, o.partial) : 0;
    if (acts(o.touching)) {
        build_hessian_plan(o.touching, dofs, o.matrix.pattern, o.contact_plan); // lists the elements
        sum += hessian_form(p.parallel, o.touching, dofs, ev, terms, direction, o.contact_plan, o.partial);
    }
    return std::max(0.0, sum);
}

void start_from_travel(const StepProblem& p, const Objective& o, std::span<Real> d) {
    set_given(p, o, d);
    for_each_point(p, [&](int i) {
        if (is_unknown(p.model, p.now, i)) vec_at(d, i) = vec(o.stage.travel[i]);
    });
    for_each_scalar(p, [&](int i) {
        if (is_unknown_scalar(p.model, i)) d[first_scalar(p) + i] = o.stage.scalar_travel[i];
    });
}

void compute_residual(const StepProblem& p, std::span<const Real> d, Objective& o) {
    move_points(p, d, o);
    compute_residual_here(p, d, o);
}

void compute_residual_here(const StepProblem& p, std::span<const Real> d, Objective& o) {
    const Dofs dofs = dofs_of(p.model);
    const Evaluation ev = evaluation_at(p, o);
    std::copy(d.begin(), d.end(), o.at.begin());
    std::fill(o.gradient.begin(), o.gradient.end(), 0.0);
    std::fill(o.force.begin(), o.force.end(), 0.0);
    add_gradient(p.parallel, o.elements, dofs, ev, o.potentials, o.gradient);
    add_force(p.parallel, o.elements, dofs, ev, o.forces, o.force);
    add_contact_forces(p, ev, o, o.gradient, o.force);
    add_grabs(p, o, o.gradient);

    // the balance, and the largest of its parts as its scale; without inertia weights count too, because at
    // equilibrium the parts do not show in their sums
    std::fill(o.residual.begin(), o.residual.end(), 0.0);
    const Real weight = o.stage.scale > 0 ? 0 : vec(p.model.gravity).norm();
    const Real largest = max_over_points(p, o.partial, [&](int i) {
        const Vec3 acting = vec_at(o.force, i) + vec_at(o.input, i), gradient = vec_at(o.gradient, i);
        Real size = std::max(acting.norm(), gradient.norm());
        if (!is_unknown(p.model, p.now, i)) return size;
        const Vec3 inertia = o.stage.scale * p.model.point.mass[i] * (vec_at(d, i) - vec(o.stage.travel[i]));
        vec_at(o.residual, i) = inertia + gradient - acting;
        return std::max({size, inertia.norm(), p.model.point.mass[i] * weight});
    });
    o.force_scale = std::max(o.force_scale, largest);
    for_each_scalar(p, [&](int i) {
        const int k = first_scalar(p) + i;
        Real size = std::max(std::abs(o.force[k]), std::abs(o.gradient[k]));
        if (is_unknown_scalar(p.model, i)) {
            const Real inertia = o.stage.scale * p.model.scalar.mass[i] * (d[k] - o.stage.scalar_travel[i]);
            o.residual[k] = inertia + o.gradient[k] - o.force[k];
            size = std::max(size, std::abs(inertia));
        }
        o.force_scale = std::max(o.force_scale, size / o.arm[i]);
    });
    measure_residual(p, o);
}

void take_constraint_forces(const StepProblem& p, std::span<const Real> push, Objective& o) {
    for_each_point(p, [&](int i) {
        vec_at(o.gradient, i) -= vec_at(push, i);
        if (is_unknown(p.model, p.now, i)) vec_at(o.residual, i) -= vec_at(push, i);
    });
    o.force_scale = std::max(o.force_scale, max_over_points(p, o.partial, [&](int i) { return vec_at(push, i).norm(); }));
    measure_residual(p, o);
}

bool compute_matrix(const StepProblem& p, const HessianTerms& terms, Objective& o) {
    const Dofs dofs = dofs_of(p.model);
    const Evaluation ev = evaluation_at(p, o);
    const bool touching = has_contact_elements(o.contact_tables);
    if (touching && !build_hessian_plan(o.touching, dofs, o.matrix.pattern, o.contact_plan)) {
        BlockPattern pattern;
        ElementSet more = o.touching;
        more.tables.insert(more.tables.end(), o.constraints.tables.begin(), o.constraints.tables.end());
        if (!build_hessian_pattern(o.elements, more, dofs, pattern)) return false;
        build_hessian_plan(o.elements, dofs, pattern, o.plan);
        build_hessian_plan(o.constraints, dofs, pattern, o.constraint_plan);
        build_hessian_plan(o.touching, dofs, pattern, o.contact_plan);
        o.matrix = make_block_sparse(std::move(pattern));
        o.has_contact_pairs = true;
        o.is_analysed = false;
    }
    if (block_count(o.matrix.pattern.layout) != dofs.blocks()) return false;
    compute_hessian(p.parallel, o.elements, ev, terms, o.plan, o.matrix);
    if (touching) add_hessian(p.parallel, o.touching, ev, terms, o.contact_plan, o.matrix);
    if (o.gas_apart && terms.projection == Projection::none) split_gas(o.elements, dofs, ev, o.fixed, o.matrix, o.gas); // keeps its memory
    else o.gas.clear();
    return true;
}

// Edges at distance d stay apart if their ends move by less than d/2 each; pairs that are not in the list need more than half the
// margin each before they touch.
static void find_reach(const StepProblem& p, Objective& o) {
    constexpr Real part = 0.45;
    const RodPairScratch& rods = o.detect.rods;
    o.reach.assign(point_count(p.model), std::numeric_limits<Real>::infinity());
    for (int v : rods.vertex) o.reach[p.model.surface.vertices[v].index] = 0.5 * o.margin;
    for (const RodPair& pair : o.contacts.rod_pairs)
        for (int v : pair.vertex) {
            Real& reach = o.reach[p.model.surface.vertices[v].index];
            reach = std::min(reach, part * pair.distance);
        }
}

Real bound_direction(const StepProblem& p, std::span<const Real> direction, Objective& o) {
    if (!o.rods_meet) return 1;
    find_reach(p, o);
    Real part = 1;
    for (int i = 0; i < point_count(p.model); ++i)
        if (const Real length = vec_at(direction, i).norm(); part * length > o.reach[i]) part = o.reach[i] / length;
    return part;
}

// Where all points of rods are free the shortening is spread so that their common motion, and with it their momentum, is kept: moving all of
// them alike brings no two closer.
void bound_start(const StepProblem& p, std::span<Real> d, Objective& o) {
    if (!o.rods_meet) return;
    o.at.assign(d.size(), 0.0);
    detect_contacts(p, o.at, o);
    find_reach(p, o);
    Vec3 common = Vec3::Zero(), lost = Vec3::Zero();
    Real mass = 0;
    bool free = true;
    for (int v : o.detect.rods.vertex) {
        const int i = p.model.surface.vertices[v].index;
        free = free && is_unknown(p.model, p.now, i);
        mass += p.model.point.mass[i];
        common += p.model.point.mass[i] * vec_at(d, i);
    }
    common = free && mass > 0 ? Vec3(common / mass) : Vec3(Vec3::Zero());
    for (int v : o.detect.rods.vertex) {
        const int i = p.model.surface.vertices[v].index;
        const Vec3 own = vec_at(d, i) - common;
        const Real length = own.norm();
        if (!is_unknown(p.model, p.now, i) || length <= o.reach[i]) continue;
        vec_at(d, i) = common + o.reach[i] / length * own;
        lost += p.model.point.mass[i] * (1 - o.reach[i] / length) * own;
    }
    if (!free || !(mass > 0)) return;
    for (int v : o.detect.rods.vertex) vec_at(d, p.model.surface.vertices[v].index) += lost / mass;
}

DirectionSize measure_direction(const StepProblem& p, std::span<const Real> direction, Objective& o) {
    DirectionSize size;
    size.largest = max_over_points(p, o.partial, [&](int i) { return vec_at(direction, i).norm(); });
    size.slope =
        sum_over_points(p, o.partial, [&](int i) { return vec_at(direction, i).dot(vec_at(o.residual, i)); });
    for_each_scalar(p, [&](int i) {
        const int k = first_scalar(p) + i;
        size.largest = std::max(size.largest, o.arm[i] * std::abs(direction[k]));
        size.slope += direction[k] * o.residual[k];
    });
    return size;
}

void add_direction(const StepProblem& p, std::span<const Real> d, Real length,
                   std::span<const Real> direction, std::span<Real> out) {
    parallel_for(p.parallel, int(d.size()), 4 * kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) out[i] = d[i] + length * direction[i];
    });
}

// of viscosity that is part of the potential: V quadratic in the displacement of the stage, whose force works -2 V over it
static Real viscous_work(const StepProblem& p, Objective& o) {
    const Evaluation moving = evaluation_at(p, o);
    if (!(moving.elapsed > 0)) return 0;
    Evaluation still = moving;
    still.elapsed = 0;
    Real potential = 0;
    for (const Table* t : o.elements.tables)
        if (t->row->value && t->row->share == Share::elastic)
            potential += ordered_sum(p.parallel, t->count(), kGrain, o.partial, [&](int begin, int end) {
                return t->row->value(*t, moving, begin, end) - t->row->value(*t, still, begin, end);
            });
    return -2 * potential * p.dt / moving.elapsed;
}

StepWork compute_work(const StepProblem& p, Objective& o, const State& next) {
    StepWork w;
    for (int i = 0; i < point_count(p.model); ++i) {
        if (p.model.point.flags[i] & kPassive) continue;
        const Vec3 moved = vec(next.point.x[i]) - vec(p.now.point.x[i]);
        const Vec3 force = vec_at(o.force, i);
        w.damping += force.dot(moved);
        // what holds a fixed point does work when it moves; its own inertia is not an unknown
        if (is_free(p.model, i))
            w.external += vec_at(o.input, i).dot(moved);
        else
            w.external += (vec_at(o.gradient, i) - force).dot(moved);
    }
    for_each_scalar(p, [&](int i) {
        const int k = first_scalar(p) + i;
        const Real moved = next.scalar.s[i] - p.now.scalar.s[i];
        w.damping += o.force[k] * moved;
        if (!is_unknown_scalar(p.model, i)) w.external += (o.gradient[k] - o.force[k]) * moved;
    });
    for (const Grab& g : p.input.grabs) {
        if (g.point < 0 || g.point >= point_count(p.model) || !is_unknown(p.model, p.now, g.point)) continue;
        const Vec3 moved = vec(next.point.x[g.point]) - vec(p.now.point.x[g.point]);
        w.external += g.stiffness * (vec(g.target) - vec(o.points.x[g.point])).dot(moved);
    }
    // moving obstacles push; what damping takes out is relative to them
    const ContactPower power = contact_power(o.contact_tables, evaluation_at(p, o));
    w.external += p.dt * power.total;
    w.damping += viscous_work(p, o) - p.dt * power.damping;
    const FrictionWork friction = friction_work(o.contact_tables, evaluation_at(p, o), p.now.point.x, next.point.x, p.dt);
    w.friction = friction.lost;
    w.external += friction.put_in;
    return w;
}

// A state of infinite energy (an element that must not invert has, in a step without search or beyond the stage at which forces
// balance) has no forces to go on with: the step fails, and the caller tries a shorter one.
static void refuse_infinite_energy(const StepProblem& p, Objective& o, const State& next, Report& report) {
    if (report.status == Status::failed) return;
    Evaluation ev = evaluation_of(p.model, next, 0);
    ev.x_now = p.now.point.x.data();
    if (std::isfinite(total_energy(p.parallel, o.elements, ev, o.partial))) return;
    report.status = Status::failed;
    report.message = "the energy after the step is not finite";
    for (const Table* t : o.elements.tables)
        for (int e = 0; t->row->value && e < t->count(); ++e) {
            if (std::isfinite(t->row->value(*t, ev, e, e + 1))) continue;
            report.failed_object = p.model.objects[t->object[e]].name;
            report.message += fmt::format(" (object '{}', an element of {})", report.failed_object, t->row->name);
            return;
        }
}

void finish_step(const StepProblem& p, const SchemeSettings& scheme, Objective& o, std::span<const Real> d,
                 State& next, Report& report) {
    finish_stage(p, scheme, o.stage, d, next);
    advect_passive(p.parallel, p.model, p.now, p.dt, next.point);
    stop_fixed(p, next.point);
    place_fixed(p.model, o.prescribed, p.now, p.dt, next.point, next.frame);
    place_fixed_scalars(p.model, p.input, p.now, p.dt, p.dt, next.scalar);
    place_animated(p.model, p.input, p.now, p.dt, p.dt, next.animated);
    refuse_infinite_energy(p, o, next, report);
    o.readings.clear();
    read_contacts(p.model, o.contacts, o.contact_tables, &o.friction, evaluation_at(p, o), 1, o.readings);
    list_contact_forces(o.readings, o.contact_forces);
    const StepWork work = compute_work(p, o, next);
    report.work_damping = work.damping;
    report.has_work_damping = true;
    report.work_friction = work.friction;
    report.work_external = work.external;
    report.dt = p.dt;
    next.time = p.now.time + p.dt;
    next.step = p.now.step + 1;
    report.work_plastic = finish_elements(p.parallel, p.model, p.now, p.dt, next);
}

} // namespace sinew
