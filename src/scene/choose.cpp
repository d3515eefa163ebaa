#include "scene/choose.h"
#include "core/assert.h"
#include "collision/rod_pairs.h"
#include "core/math.h"
#include "energy/rod_stretch.h"
#include "energy/spring_batch.h"
#include "model/element.h"
#include "scene/compile.h"
#include "solver/solver.h"
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace sinew {

// Implicit steps keep contact and wind smooth at about this length; measured on hanging and draped sheets.
inline constexpr double kImplicitStep = 0.01;  // [s]
inline constexpr double kVelocityStep = 1.0 / 60; // [s] contacts by impulses: what the engines of the field take
inline constexpr double kParticleStep = 0.01;  // [s] where nothing is stiff
inline constexpr double kStableShare = 0.5;    // of the largest stable step
// Contact begins and ends within a step, each time with an energy error of w h of what is in it: contacts take a step
// shorter by this factor, which keeps bouncing bodies from gaining energy (test/physics/balance_test.cpp).
inline constexpr double kContactShare = 0.4;

std::string choose_solver(const Model& m, std::string& reason) {
    bool stiff = false, only_springs = true;
    for (const auto* tables : {&m.elements->energies, &m.elements->constraints})
        for (const Table& t : *tables) {
            if (t.row->points < 2 || t.count() == 0) continue;
            stiff = true;
            only_springs = only_springs && (is_axial_spring(*t.row) || tables == &m.elements->constraints);
        }
    bool bodies = false;
    for (const Collider& c : m.colliders) bodies = bodies || !(m.frame.flags[c.frame] & kFixed);
    if (const SolverEntry* velocity = find_solver("velocity"); bodies && !stiff && velocity && find_unsupported(*velocity, m).empty()) {
        reason = "bodies that are free to move touch by their shapes, with friction";
        return "velocity";
    }
    const SolverEntry* newton = find_solver("newton");
    if (stiff && newton && find_unsupported(*newton, m).empty()) {
        reason = "the scene has stiff elements, and implicit steps stay stable whatever their stiffness";
        return "newton";
    }
    if (const SolverEntry* velocity = find_solver("velocity");
        bodies && only_springs && velocity && find_unsupported(*velocity, m).empty()) {
        reason = "springs, joints and bodies that touch are in one implicit step there";
        return "velocity";
    }
    if (const SolverEntry* position = find_solver("position"); stiff && bodies && position && find_unsupported(*position, m).empty()) {
        reason = "the scene has stiff elements and free bodies, which are in one implicit step there, with contact between them";
        return "position";
    }
    reason = stiff ? "the scene has stiff elements beside what no implicit solver takes together with them" : "nothing in the scene is stiff";
    return "explicit";
}

std::span<const std::string_view> future_solvers() {
    static constexpr std::string_view names[] = {"projective", "quasi_newton", "admm", "vertex_block", "adonis",
                                                 "asynchronous", "sph", "flip", "mpm", "staggered"};
    return names;
}

bool is_future_solver(std::string_view name) {
    const auto names = future_solvers();
    return std::find(names.begin(), names.end(), name) != names.end() && !find_solver(name);
}

namespace {

// Where the rows of an element matrix belong: three coordinates per point, then the scalars. Masses come in the same blocks.
struct Coordinates {
    std::array<int, 16> block, unknown; // of a row
    int rows = 0;
};
Coordinates coordinates_of(const Table& t, int e, int points) {
    Coordinates out;
    SINEW_ASSERT(t.row->dofs <= int(out.block.size()));
    const int* id = t.stencil.data() + std::size_t(e) * t.row->stencil;
    const auto add = [&](int block, int unknown) {
        out.block[out.rows] = block;
        out.unknown[out.rows++] = unknown;
    };
    for (int i = 0; i < t.row->points; ++i)
        for (int k = 0; k < 3; ++k) add(id[i], 3 * id[i] + k);
    for (int i = 0; i < t.row->scalars; ++i) add(points + id[t.row->points + i], 3 * points + id[t.row->points + i]);
    return out;
}

// adds |row sums| of element matrices to their coordinates, each divided by sqrt(m_i m_j)
void add_row_sums(const Table& t, int points, const std::vector<Real>& mass, const std::vector<Real>& matrices, std::vector<Real>& out) {
    const int n = t.row->pair ? 3 : t.row->dofs;
    for (int e = 0; e < t.count(); ++e) {
        const Real* h = matrices.data() + std::size_t(e) * t.row->matrix_size;
        const Coordinates at = coordinates_of(t, e, points);
        for (int i = 0; i < at.rows; ++i) {
            Real sum = 0;
            if (at.block[i] < 0) continue; // absent
            for (int j = 0; j < at.rows; ++j) {
                if (at.block[j] < 0) continue;
                // a pair stores the one block K of [K -K; -K K]
                const Real entry = t.row->pair ? h[(j % 3) * n + i % 3] : h[j * n + i];
                sum += std::abs(entry) / std::sqrt(mass[at.block[i]] * mass[at.block[j]]);
            }
            out[at.unknown[i]] += sum;
        }
    }
}

// adds the diagonals of element matrices to their points, divided by their masses
void add_diagonals(const Table& t, const std::vector<Real>& mass, const std::vector<Real>& matrices,
                   std::vector<Real>& out) {
    const int n = t.row->pair ? 3 : t.row->dofs;
    for (int e = 0; e < t.count(); ++e) {
        const Real* h = matrices.data() + std::size_t(e) * t.row->matrix_size;
        const int* id = t.stencil.data() + std::size_t(e) * t.row->stencil;
        for (int i = 0; i < t.row->points; ++i)
            for (int k = 0; k < 3 && id[i] >= 0; ++k) {
                const int at = t.row->pair ? k : 3 * i + k;
                out[3 * id[i] + k] += h[at * n + at] / mass[id[i]];
            }
    }
}

// For each free body the largest sum over vertices that can touch at once of n.(1/m + (r x n).I^-1 (r x n)): times the
// stiffness of one vertex the squared frequency of the body on a flat obstacle, an upper bound (trace >= largest
// eigenvalue). Vertices touch together when they lie within 5 % of the body's height of its lowest point; directions n
// are those to the vertices and the axes.
std::vector<Real> contact_inverse_masses(const Model& m) {
    constexpr int kDirections = 200;
    constexpr Real kTogether = 0.05;
    std::vector<std::vector<Vec3>> local(frame_count(m));
    for (const SurfaceVertex& v : m.surface.vertices)
        if (v.kind == SurfaceVertex::frame && !(m.frame.flags[v.index] & kFixed)) local[v.index].push_back(vec(v.local));
    std::vector<Real> out;
    for (int f = 0; f < frame_count(m); ++f) {
        const std::vector<Vec3>& r = local[f];
        if (r.empty()) continue;
        const Mat3 inverse_inertia = mat(m.frame.inertia[f]).inverse();
        std::vector<Vec3> directions{Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ(), -Vec3::UnitX(), -Vec3::UnitY(), -Vec3::UnitZ()};
        for (std::size_t i = 0; i < r.size(); i += 1 + r.size() / kDirections)
            if (r[i].norm() > 0) directions.push_back(r[i].normalized());
        Real largest = 0;
        for (const Vec3& n : directions) {
            Real top = -std::numeric_limits<Real>::infinity(), bottom = -top, sum = 0;
            for (const Vec3& x : r) top = std::max(top, x.dot(n)), bottom = std::min(bottom, x.dot(n));
            for (const Vec3& x : r)
                if (x.dot(n) >= top - kTogether * (top - bottom))
                    sum += 1 / m.frame.mass[f] + x.cross(n).dot(inverse_inertia * x.cross(n));
            largest = std::max(largest, sum);
        }
        out.push_back(largest);
    }
    return out;
}

// Joints and pins of free bodies: twice the trace of M^-1 K of a body's own blocks, summed over the elements at it, bounds the
// squared frequency, as (a + b)^2 <= 2 a^2 + 2 b^2. Likewise for damping.
void add_frame_sums(const Model& m, const State& s, const std::vector<const Table*>& tables,
                    std::vector<Real>& stiffness, std::vector<Real>& damping) {
    Evaluation ev;
    ev.x = s.point.x.data(), ev.v = s.point.v.data(), ev.x_now = ev.x, ev.p = s.frame.p.data(), ev.q = s.frame.q.data();
    ev.frame_v = s.frame.v.data(), ev.frame_w = s.frame.w.data();
    ev.memory = &s.memory, ev.fields = m.fields.get();
    std::vector<Real> by_x(frame_count(m), 0), by_v(frame_count(m), 0), matrix, unused;
    const auto add = [&](const Table& t, int e, Real sign, std::vector<Real>& out) {
        const int n = t.row->dofs, *id = t.stencil.data() + std::size_t(e) * t.row->stencil;
        for (int i = 0; i < t.row->frames; ++i) {
            const int f = id[t.row->points + i], at = 3 * t.row->points + 6 * i;
            if (f < 0 || (m.frame.flags[f] & kFixed)) continue;
            const Eigen::Map<const MatX> h(matrix.data(), n, n);
            const Mat3 turn = quat(s.frame.q[f]).toRotationMatrix();
            const Mat3 inverse = turn * mat(m.frame.inertia[f]).inverse() * turn.transpose();
            const Real sum = h.block<3, 3>(at, at).trace() / m.frame.mass[f] + (inverse * h.block<3, 3>(at + 3, at + 3)).trace();
            out[f] += 2 * std::max(0.0, sign * sum);
        }
    };
    for (const Table* table : tables) {
        const Table& t = *table;
        if (t.row->frames == 0 || t.row->scalars || t.row->dofs == 6) continue;
        matrix.assign(t.row->matrix_size, 0), unused = matrix;
        for (int e = 0; e < t.count(); ++e) {
            if (t.row->hessian)
                t.row->hessian(t, ev, e, e + 1, Projection::clamp, matrix.data()), add(t, e, 1, by_x);
            if (!t.row->force_derivatives) continue;
            t.row->force_derivatives(t, ev, e, e + 1, unused.data(), matrix.data());
            add(t, e, -1, by_v);
        }
    }
    stiffness.insert(stiffness.end(), by_x.begin(), by_x.end());
    damping.insert(damping.end(), by_v.begin(), by_v.end());
}

// Per coordinate (three of a point, then scalars): Gershgorin's bounds of squared frequency and damping; and, of points, the
// diagonal, which no largest eigenvalue is below.
struct CoordinateSums {
    std::vector<Real> stiffness, damping, diagonal;
};

// the tables' part of points and scalars
void add_element_sums(const Model& m, const State& s, const std::vector<const Table*>& tables,
                      const std::vector<Real>& mass, CoordinateSums& out) {
    std::vector<Real> matrices, more;
    const int points = point_count(m);
    for (auto* a : {&out.stiffness, &out.damping, &out.diagonal}) a->assign(3 * points + scalar_count(m), 0);
    Evaluation ev;
    ev.x = m.point.rest.data();
    ev.v = s.point.v.data();
    ev.x_now = ev.x;
    ev.fields = m.fields.get();
    ev.s = s.scalar.s.data();
    ev.ds = s.scalar.ds.data();
    for (const Table* table : tables) {
        const Table& t = *table;
        if (t.row->frames || t.row->points == 0) continue;
        ev.memory = t.row->scalars ? nullptr : &s.memory; // frames of rods: those of the places at rest, where forces are taken
        matrices.assign(std::size_t(t.count()) * t.row->matrix_size, 0);
        if (t.row->hessian) {
            t.row->hessian(t, ev, 0, t.count(), Projection::none, matrices.data());
            add_row_sums(t, points, mass, matrices, out.stiffness);
            add_diagonals(t, mass, matrices, out.diagonal);
        }
        if (t.row->force_derivatives) {
            more.assign(matrices.size(), 0);
            t.row->force_derivatives(t, ev, 0, t.count(), more.data(), matrices.data());
            add_row_sums(t, points, mass, matrices, out.damping);
        }
    }
}

// of points, then scalars; held and passive ones do not oscillate: infinite mass
std::vector<Real> moving_masses(const Model& m) {
    std::vector<Real> mass = m.point.mass;
    for (int i = 0; i < point_count(m); ++i)
        if (m.point.flags[i] & (kFixed | kPassive)) mass[i] = std::numeric_limits<Real>::infinity();
    for (int i = 0; i < scalar_count(m); ++i)
        mass.push_back(m.scalar.flags[i] & kFixed ? std::numeric_limits<Real>::infinity() : m.scalar.mass[i]);
    return mass;
}

// Rods that may touch each other or themselves: EA over the thickness (energy/contact.h), for the edge and for its ends.
void add_rod_contact(const Model& m, const std::vector<Real>& mass, CoordinateSums& out) {
    if (!rods_meet(m)) return;
    std::vector<Real> thickness(point_count(m), 0);
    for (std::size_t v = 0; v < m.surface.vertices.size(); ++v)
        if (m.surface.vertices[v].kind == SurfaceVertex::point) thickness[m.surface.vertices[v].index] = m.surface.thickness[v];
    Real thinnest = std::numeric_limits<Real>::infinity(); // by a rule of the scene, whichever pair it is for
    for (const ContactRule& r : m.contact_rules)
        if (r.thickness > 0) thinnest = std::min(thinnest, r.thickness);
    for (const Table& t : m.elements->energies) {
        if (t.row->name != RodStretch::name) continue;
        for (int e = 0; e < t.count(); ++e) {
            const RodStretch::Data& d = ElementsOf<RodStretch>::data_of(t, e);
            const int* id = t.stencil.data() + 2 * std::size_t(e);
            const Real own = 2 * std::min(thickness[id[0]], thickness[id[1]]), pair = std::min(own > 0 ? own : thinnest, thinnest);
            if (!std::isfinite(pair)) continue;
            const Real k = 2 * d.stiffness * d.rest_length / pair / (kContactShare * kContactShare);
            for (int end = 0; end < 2; ++end)
                for (int c = 0; c < 3; ++c) out.stiffness[3 * id[end] + c] += k / mass[id[end]];
        }
    }
}

Real shortest(const CoordinateSums& s) {
    Real step = std::numeric_limits<Real>::infinity();
    for (std::size_t i = 0; i < s.stiffness.size(); ++i) {
        // damped oscillator under symplectic Euler: h (h w^2 + g)/2 < 2 - h g/2 at the latest; a simple
        // sufficient bound
        const Real w = std::sqrt(s.stiffness[i]), g = s.damping[i];
        if (w > 0 || g > 0) step = std::min(step, 2 / (w + g));
    }
    return step;
}

// What `velocity` takes as forces at the start of a step: all energies but springs, which are rows like
// joints and contacts.
struct ForceSteps {
    Real sure, hopeless;           // [s] up to the one steps are stable, beyond the other they grow
};
ForceSteps force_steps(const Model& m, const State& s) {
    std::vector<const Table*> tables;
    for (const Table& t : m.elements->energies)
        if (!is_axial_spring(*t.row)) tables.push_back(&t);
    CoordinateSums sums;
    add_element_sums(m, s, tables, moving_masses(m), sums);
    Real largest = 0;
    for (Real d : sums.diagonal) largest = std::max(largest, d);
    add_frame_sums(m, s, tables, sums.stiffness, sums.damping);
    return {shortest(sums), largest > 0 ? 2 / std::sqrt(largest) : std::numeric_limits<Real>::infinity()};
}

bool is_velocity(std::string_view solver) {
    const SolverEntry* entry = find_solver(solver);
    return entry && (entry->name == "velocity" || entry->base == "velocity");
}

} // namespace

Real stable_step(const Model& m, const State& s) {
    std::vector<const Table*> tables;
    for (const auto* list : {&m.elements->energies, &m.elements->constraints})
        for (const Table& t : *list) tables.push_back(&t);
    const std::vector<Real> mass = moving_masses(m);
    CoordinateSums sums;
    add_element_sums(m, s, tables, mass, sums);
    Real contact = 0, contact_damping = 0;
    for (const Obstacle& o : m.obstacles) {
        contact = std::max(contact, o.stiffness);
        contact_damping = std::max(contact_damping, o.damping);
    }
    contact /= kContactShare * kContactShare;
    contact_damping /= kContactShare;
    if (!m.surface.vertices.empty())
        for (int i = 0; i < point_count(m); ++i)
            for (int k = 0; k < 3; ++k) {
                sums.stiffness[3 * i + k] += contact / mass[i];
                sums.damping[3 * i + k] += contact_damping / mass[i];
            }
    add_rod_contact(m, mass, sums);
    for (const Real inverse_mass : contact_inverse_masses(m)) {
        sums.stiffness.push_back(contact * inverse_mass);
        sums.damping.push_back(contact_damping * inverse_mass);
    }
    add_frame_sums(m, s, tables, sums.stiffness, sums.damping);
    return shortest(sums);
}

std::string refuse_long_step(const Model& m, const State& s, std::string_view solver, double dt) {
    if (!is_velocity(solver) || point_count(m) == 0) return {};
    const ForceSteps steps = force_steps(m, s);
    if (!(dt > steps.hopeless)) return {};
    return fmt::format(
        "dt = {:.4g} s is too long: {} takes elastic forces at the start of a step, and those of the "
        "stiffest element make steps "
        "beyond {:.3g} s grow without bound; steps up to {:.3g} s are stable, newton takes any",
        dt, solver, steps.hopeless, steps.sure);
}

std::string describe_long_step(const Model& m, const State& s, std::string_view solver, double dt) {
    if (solver != "explicit") return {};
    const Real stable = stable_step(m, s);
    // the chosen step is at most half of it: rounding never brings that above
    if (!(dt > stable * (1 + 1e-9))) return {};
    return fmt::format("dt = {:.4g} s is longer than {:.3g} s, up to which explicit steps are sure to be stable with the stiffest "
                       "link or contact; the run may blow up",
                       dt, stable);
}

int choose_substeps(const Model& m, const State& s, std::string_view solver, double frame, std::string& reason) {
    if (is_velocity(solver)) {
        reason = "steps of at most 1/60 s, which the solver cuts into its own";
        const int n = std::max(1, int(std::ceil(frame / kVelocityStep - 1e-9)));
        const Real sure = point_count(m) == 0 ? frame : force_steps(m, s).sure;
        if (!(frame / n > sure)) return n;
        reason = fmt::format(
            "half of {:.3g} s, up to which forces of the stiffest element are stable at the start of a step",
            sure);
        return std::clamp(int(std::ceil(frame / (kStableShare * sure))), n, 100000);
    }
    if (solver != "explicit") {
        const int n = std::max(1, int(std::ceil(frame / kImplicitStep)));
        reason = fmt::format("implicit steps of at most {} ms", kImplicitStep * 1000);
        return n;
    }
    const Real stable = stable_step(m, s);
    const Real h = std::min(kParticleStep, kStableShare * stable);
    const int n = std::clamp(int(std::ceil(frame / h)), 1, 100000);
    reason = kStableShare * stable < kParticleStep ? fmt::format("half the stable step {:.3g} s of the stiffest link or contact", stable)
                                                   : fmt::format("steps of at most {} ms, nothing is stiffer", kParticleStep * 1000);
    return n;
}

} // namespace sinew
