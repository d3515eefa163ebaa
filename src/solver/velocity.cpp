// Time stepping at the level of velocities (spec U 3.3 f, 3.8; P 3.18-3.21):
//   v* = v + h M^-1 f                          forces of all energies, explicit
//   v' = v* + M^-1 J^T p                       p complementary to r = J v' + bias + softness p in the sets of the rows
//   x' = x + h v',  q' = exp(h w*) q           rotation by midpoint with the angular momentum kept
// The step as a list: detect, forces, rows, islands, impacts, warm start, solve, move, stabilise, rest, remember.
// Which method solves an island: `method`, or by `auto` what find_way says; the report counts both.
// Deviations: friction of manifolds in soft_step acts at their centre; restitution is a stage of its own before the solve,
// where bodies that meet exchange impulses one after another (impact.h), which no law lets gain energy.
#include "solver/velocity_step.h"
#include "core/crew.h"
#include "model/copy_state.h"
#include "model/visit.h"
#include "solver/free_rotation.h"
#include "solver/measure.h"
#include "solver/velocity_acceleration.h"
#include "solver/velocity_implicit.h"
#include "solver/velocity_reach.h"
#include "solver/velocity_steady.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr Real kSweptSprings = 0.1; // [m/s] error of sweeps over springs that is worth a warning
constexpr Real kSpringTolerance = 1e-4; // [m/s] of islands with springs: cloth gains nothing from more
constexpr Real kLayers = 25;         // of a pile of cubes of a metre that six sub-steps of 1/60 s carry
constexpr Real kFall = 9.81 / 3600;  // pull h^2/size of that pile
constexpr Real kLightRatio = 25;     // of masses that touch, which six sub-steps carry
constexpr int kGroupGrain = 64;      // groups of joints per task
constexpr Real kFarTurn = 1;         // [rad] per step from which a turn is followed too roughly to keep momentum and energy both
constexpr Real kStable = 1.4;        // [rad] of the fastest swing per sub-step

} // namespace

void VelocitySolver::drop_caches() {
    forces = {};
    forces.energies_only = forces.without_springs = true;
    links = {};
    shapes = {};
    surface_scratch = {};
    rows = {};
    topology = values = -1;
    soft_scratch = {};
    tree_scratch = {};
}

// contacts within reach of the step; false if a position is not a number
bool VelocitySolver::detect(const Model& m, const State& s, Real h) {
    constexpr Real kAhead = 2.2; // two bodies towards each other, and gravity
    constexpr Real kShapesAhead = 1.1; // each pair by its own velocities; and gravity
    if (!detect_shapes(*parallel, m, s.frame, {settings.margin, kShapesAhead * h}, shapes, found)) return false;
    if (point_count(m) == 0) return true;
    const Real margin = std::max(settings.margin, kAhead * h * fastest(m, s));
    const Real apart = std::max(settings.margin, kAhead * h * (fastest_apart(m, s, analytic) + h * vec(m.gravity).norm()));
    surface.resize(m.surface.vertices.size());
    surface_positions(*parallel, m, surface_state(s), surface);
    if (!detect_obstacles(*parallel, m, surface, s.point.alive, s.frame, {margin}, obstacles, found)) return false;
    return detect_surface(*parallel, m, surface, s.point.alive, {.margin = std::min(margin, apart)}, surface_scratch, found);
}

void VelocitySolver::accelerate(const Model& m, const Input& input, const State& s, Real h) {
    const Dofs dofs = dofs_of(m);
    f.resize(dofs.size());
    Evaluation ev = evaluation_of(m, s, h);
    compute_forces(*parallel, m, input, ev, surface_state(s), forces, f);
    ++report.evaluations;
    refresh_links(m, links);
    add_soft_links(s, q, h, links, f);
    linear.resize(q.body_count());
    angular.resize(q.body_count());
    const bool implicit = settings.gyroscopic == "implicit";
    parallel_for(*parallel, q.body_count(), kGrain, [&](int begin, int end) {
        for (int b = begin; b < end; ++b) {
            const int i = b - dofs.points;
            linear[b] = angular[b] = Vec3::Zero();
            if (i < 0) linear[b] = q.inverse_mass[b] * Eigen::Map<const Vec3>(f.data() + 3 * b);
            if (i < 0 || !(q.inverse_mass[b] > 0)) continue;
            const Real* at = f.data() + dofs.frame_offset(i);
            linear[b] = q.inverse_mass[b] * Eigen::Map<const Vec3>(at);
            angular[b] = q.inverse_inertia[b] * Eigen::Map<const Vec3>(at + 3);
            if (implicit) angular[b] += implicit_gyroscopic(mat(m.frame.inertia[i]), quat(s.frame.q[i]), vec(s.frame.w[i]), h);
        }
    });
}

BiasOptions VelocitySolver::bias_options() const {
    BiasOptions o;
    if (at_end) {
        o.erp = o.joint_erp = 1;
        return o;
    }
    const std::string& s = stabilisation();
    o.kind = s == "baumgarte" ? BiasOptions::baumgarte : s == "soft" ? BiasOptions::soft : BiasOptions::none;
    o.erp = o.joint_erp = settings.erp;
    o.cfm = settings.cfm;
    o.slop = settings.slop;
    o.push_speed = settings.push_speed;
    return o;
}

SolveOptions VelocitySolver::solve_options() const {
    SolveOptions o;
    o.single_tangent = settings.friction == "single_tangent";
    o.sets.friction = o.single_tangent ? Friction::cylinder : find_friction(settings.friction);
    o.sets.facets = settings.facets;
    o.sets.de_saxce = settings.de_saxce;
    o.iterations = settings.iterations > 0 ? settings.iterations : 50;
    o.tolerance = settings.tolerance;
    o.relaxation = settings.relaxation;
    o.momentum_factor = settings.momentum_factor;
    o.momentum_power = settings.momentum_power;
    o.split_masses = settings.split_masses;
    o.kkt = settings.equalities == "kkt";
    o.trace = settings.rounds > 1 ? nullptr : trace; // which then has the rounds
    return o;
}

void VelocitySolver::build_rows_of(const Model& m, const State& s, Real h) {
    clear_rows(q);
    q.dt = h;
    // what may touch is judged by the velocities with forces
    const Real ahead = at_end ? 0 : h;
    for (int b = 0; b < q.body_count(); ++b) q.v[b] += ahead * linear[b];
    const Real as_is = follows() ? settings.margin : 0;
    list_touches(*parallel, m, s, found, q, {.dt = h, .near = settings.margin, .as_is = as_is}, list);
    for (int b = 0; b < q.body_count(); ++b) q.v[b] -= ahead * linear[b];
    if (settings.warm_start) recall_touches(*parallel, *before, h, list);
    const Dofs dofs = dofs_of(m);
    fresh = false;
    if (m.elements->constraints.empty()) return add_link_groups(s, links, 0, q);
    if (topology != m.topology_revision || values != m.values_revision || tables != m.elements.get()) {
        build_rows(m.elements->constraints, dofs, rows);
        topology = m.topology_revision, values = m.values_revision, tables = m.elements.get();
    }
    list_constraint_groups(dofs, rows, q);
    if (settings.warm_start) recall_constraints(m, s, pairs, q);
    fill_drives(m, s, h);
    add_link_groups(s, links, rows.group_count(), q);
}

// motors at once: whether something rests depends on what they want
void VelocitySolver::fill_drives(const Model& m, const State& s, Real h) {
    if (std::none_of(q.groups.begin(), q.groups.end(), [](const RowGroup& g) { return g.set == RowSet::box; })) return;
    refresh_rows(*parallel, m.elements->constraints, evaluation_of(m, s, h), rows);
    fresh = true;
    const BiasOptions o = bias_options();
    parallel_for(*parallel, int(q.groups.size()), kGroupGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i)
            if (q.groups[i].set == RowSet::box) fill_constraint_group(dofs_of(m), rows, o, q.groups[i], q, false);
    });
}

// numbers of the joints' rows; trees find their own
void VelocitySolver::fill_rows(const Model& m, const State& s, Real h) {
    wanted.resize(q.groups.size());
    bool any = false;
    for (std::size_t i = 0; i < q.groups.size(); ++i) {
        const VelocityWay w = way_of(q.groups[i]);
        wanted[i] = w != VelocityWay::tree && w != VelocityWay::asleep && !q.groups[i].link;
        any = any || wanted[i];
    }
    if (!any) return;
    if (!fresh) refresh_rows(*parallel, m.elements->constraints, evaluation_of(m, s, h), rows);
    const BiasOptions o = bias_options();
    parallel_for(*parallel, int(q.groups.size()), kGroupGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i)
            if (wanted[i]) fill_constraint_group(dofs_of(m), rows, o, q.groups[i], q, way_of(q.groups[i]) != VelocityWay::soft);
    });
    if (stabilisation() == "acceleration" && !at_end)
        set_acceleration_bias(m.elements->constraints, evaluation_of(m, s, h), rows, settings.baumgarte_alpha,
                              settings.baumgarte_beta, q);
}

// A body that joints pull at with f at r resists a turn like a spring K = (r . f) 1 - (r f^T + f r^T)/2; with the spring
// taken at the start of a step, swinging at w^2 <= tr(W K) is stable for h w < 2. Forces are those of the step before.
void VelocitySolver::find_substeps(Real h) {
    substeps.assign(islands.count(), 1);
    if (std::none_of(q.groups.begin(), q.groups.end(), [&](const RowGroup& g) { return way_of(g) == VelocityWay::soft; })) return;
    pull.assign(q.body_count(), Mat3::Zero());
    for (const RowGroup& g : q.groups) {
        if (g.set != RowSet::free || g.link || way_of(g) != VelocityWay::soft || !holds_place(q, g)) continue;
        const Lever* j = q.jacobian.data() + g.lever;
        for (int s = 0; s < g.sides; ++s) {
            Vec3 f = Vec3::Zero();
            for (int k = 0; k < 3; ++k) f += q.impulse[g.row + k] / h * j[k * g.sides + s].linear;
            Vec3 r = lever_arm(j[s].angular, j[g.sides + s].angular, j[2 * g.sides + s].angular);
            if (j[s].linear.x() < 0) r = -r;
            pull[q.body[g.side + s]] += r.dot(f) * Mat3::Identity() - 0.5 * (r * f.transpose() + f * r.transpose());
        }
    }
    for (int b = 0; b < q.body_count(); ++b) {
        if (islands.number[b] < 0) continue;
        const Real w2 = (q.inverse_inertia[b] * pull[b]).trace();
        if (!(w2 > 0)) continue;
        int& n = substeps[islands.number[b]];
        n = std::max(n, int(std::min(Real(kMostSubsteps), std::ceil(h * std::sqrt(w2) / kStable))));
    }
}

// Joints of trees hold the chord of the way (soft_joint.h). Loops may be singular, and have the tangent only.
void VelocitySolver::add_bend() {
    const std::string& kind = stabilisation();
    if (kind != "post" && kind != "split_impulse") return;
    for (const RowGroup& g : q.groups) {
        const int i = islands.number[first_free(g)];
        if (i < 0 || way[i] == VelocityWay::soft || way[i] == VelocityWay::tree || !islands.facts[i].tree) continue;
        if (g.set != RowSet::free || g.link || rows.level[g.source] != Level::position || !holds_place(q, g)) continue;
        const Vec3 bend = place_bend(q, g);
        for (int k = 0; k < 3; ++k) q.bias[g.row + k] += 0.5 * q.dt * bend[k];
    }
}

// rows of contacts where they are needed: soft islands have their own packing, sleeping ones none; impacts need rows
void VelocitySolver::add_groups(const Model& m, const State& s) {
    const BiasOptions o = bias_options();
    for (int i = 0; i < islands.count(); ++i) {
        if (way[i] == VelocityWay::asleep || way[i] == VelocityWay::tree || way[i] == VelocityWay::steady) continue;
        if (way[i] == VelocityWay::soft && !islands.facts[i].bounces && settings.impact != "sticking") continue;
        for (int k = islands.touch_begin[i]; k < islands.touch_begin[i + 1]; ++k) {
            const int t = islands.touch[k];
            const Touch& touch = list.touches[t];
            const auto is_point = [&](int b) { return b >= 0 && b < point_count(m); };
            const bool sticks = settings.impact == "sticking" && (is_point(touch.body_a) || is_point(touch.body_b));
            if (way[i] == VelocityWay::direct || way[i] == VelocityWay::iterative ||
                (way[i] == VelocityWay::soft && (touch.rule.restitution > 0 || sticks) && settings.impact != "newton"))
                add_contact_group(m, s, found, list, t, o, q);
        }
    }
    list_groups(q, islands);
}

void VelocitySolver::add_forces(Real h) {
    parallel_for(*parallel, q.body_count(), kGrain, [&](int begin, int end) {
        for (int b = begin; b < end; ++b) {
            const int i = islands.number[b];
            if (still[b]) {
                q.v[b] = q.w[b] = Vec3::Zero();
                continue;
            }
            if (i >= 0 && (way[i] == VelocityWay::soft || way[i] == VelocityWay::tree)) continue; // in its sub-steps
            if (i >= 0 && way[i] == VelocityWay::steady) continue; // has them
            q.v[b] += h * linear[b];
            q.w[b] += h * angular[b];
        }
    });
}

static SolveResult solve_by_name(const std::string& method, const SolveOptions& o, const IslandView& island, SolveScratch& s,
                          RowProblem& q) {
    if (method == "block") return solve_block(o, island, q);
    if (method == "jacobi") return solve_jacobi(o, island, s, q);
    if (method == "apgd") return solve_apgd(o, island, s, q);
    if (method == "bb") return solve_bb(o, island, s, q);
    if (method == "mlcp") return solve_mlcp(o, island, q);
    return solve_sequential(o, island, q);
}

void VelocitySolver::solve(const Model& m, Real h, State& s) {
    const SolveOptions o = solve_options();
    results.assign(islands.count(), {});
    while (int(workers.size()) < thread_count(*parallel)) workers.push_back(make_solve_scratch());
    parallel_for_workers(*parallel, islands.count(), 1, [&](int worker, int begin, int end) {
        for (int i = begin; i < end; ++i) {
            if (way[i] != VelocityWay::direct && way[i] != VelocityWay::iterative) continue;
            const IslandView island = islands.view(i);
            for (int g : island.groups) // warm start
                for (int k = 0; k < q.groups[g].rows; ++k)
                    if (q.impulse[q.groups[g].row + k] != 0) add_impulse(q, q.groups[g], k, q.impulse[q.groups[g].row + k]);
            if (way[i] == VelocityWay::direct && islands.facts[i].springs) { // sweeps are no help for cloth
                SolveOptions mine = o;
                mine.tolerance = std::max(o.tolerance, kSpringTolerance);
                results[i] = solve_direct(mine, island, *workers[worker], q);
            } else if (way[i] == VelocityWay::direct) {
                SolveOptions mine = o;
                mine.accepts = !unbalanced[i];
                results[i] = solve_direct_or_sweep(mine, island, *workers[worker], q);
            } else results[i] = solve_by_name(settings.method, o, island, *workers[worker], q);
        }
    });
    report.residual = 0;
    for (const SolveResult& r : results) {
        report.iterations = std::max(report.iterations, r.iterations);
        report.residual = std::max(report.residual, r.residual);
    }
    for (int i = 0; i < islands.count(); ++i)
        if (islands.facts[i].springs && way[i] == VelocityWay::iterative && results[i].residual > kSweptSprings)
            report.warnings.emplace_back("springs of a large island are swept over and stretch: another solver, shorter steps or more iterations");
    for (const RowGroup& g : q.groups) {
        if (g.set != RowSet::contact || way[islands.number[first_free(g)]] == VelocityWay::soft) continue;
        Touch& t = list.touches[g.source];
        const ContactFrame frame = contact_frame(real3(t.n));
        const auto vector_of = [&](const Real* p) { return Vec3(p[0] * t.n + p[1] * vec(frame.t0) + p[2] * vec(frame.t1)); };
        t.impulse = vector_of(&q.impulse[g.row]);
        t.torque = g.rows == 6 ? vector_of(&q.impulse[g.row + 3]) : Vec3::Zero();
    }
    shift.resize(q.body_count());
    turn.resize(q.body_count());
    solve_trees(m, h, s);
    solve_soft(m, s, h);
}

// what is solved that way, in one problem
void VelocitySolver::list_soft(VelocityWay kind, SoftProblem& out) const {
    out.bodies.clear();
    out.touches.clear();
    out.groups.clear();
    for (int i = 0; i < islands.count(); ++i) {
        if (way[i] != kind) continue;
        const IslandView island = islands.view(i);
        out.bodies.insert(out.bodies.end(), island.bodies.begin(), island.bodies.end());
        out.touches.insert(out.touches.end(), islands.touch.begin() + islands.touch_begin[i],
                           islands.touch.begin() + islands.touch_begin[i + 1]);
        for (int g : island.groups)
            if (q.groups[g].set != RowSet::contact) out.groups.push_back(g);
    }
    std::sort(out.groups.begin(), out.groups.end()); // in their own order, whatever islands there are
}

void VelocitySolver::solve_trees(const Model& m, Real h, State& s) {
    trees.clear();
    for (int i = 0; i < islands.count(); ++i)
        if (way[i] == VelocityWay::tree) trees.push_back(islands.view(i));
    if (trees.empty()) return;
    build_trees(m, rows, trees, q, tree_scratch);
    step_trees(*parallel, {.dt = h, .momentum = settings.gyroscopic == "momentum", .substeps = settings.substeps},
               {m, m.elements->constraints, linear, angular, rows}, tree_scratch, q, s);
    for (const JointTree& t : tree_scratch.trees) {
        report.iterations = std::max(report.iterations, t.result.iterations);
        report.residual = std::max(report.residual, t.result.residual);
    }
}

// Soft contacts let a pile lean, and its weight makes it lean more: one of n layers buckles when their stiffness m (c N/h)^2, N the number
// of sub-steps, is below a bound m g/L f(n), L the size of a body: what is small or pulled at hard falls over sooner. Six carry kLayers of a
// metre with a margin (pyramids of base 20 and 30 stand for a minute, 40 topples after 40 s), and f(n) is taken as in proportion to n. What is
// larger is given as many: a tower of planks has more layers than their mean size says (Keva's of 176 m swings and gains energy with seven). A heavy body on light ones sinks into them by its weight over the same stiffness,
// which goes with their masses: a pyramid of base 20 with a top of 300 by 12 cm with six, by less than 2 cm with twenty.
int VelocitySolver::find_pile_substeps(const Model& m, Real h, int i) const {
    const Islands::Facts& f = islands.facts[i];
    Real load = f.mass_ratio / kLightRatio;
    if (!f.joints)
        if (const Pile p = find_pile(m, q, islands.view(i), linear); p.layers > 0)
            load = std::max(load, p.layers / kLayers * std::max(1.0, p.pull * h * h / p.size / kFall));
    return int(std::min<Real>(kMostSubsteps, std::ceil(kSoftSubsteps * std::sqrt(std::max(1.0, load)))));
}

void VelocitySolver::solve_soft(const Model& m, const State& s, Real h) {
    list_soft(VelocityWay::soft, soft);
    if (soft.bodies.empty()) return;
    SoftOptions o;
    o.substeps = settings.substeps > 0 ? settings.substeps : kSoftSubsteps;
    if (settings.substeps == 0)
        for (int i = 0; i < islands.count(); ++i)
            if (way[i] == VelocityWay::soft) o.substeps = std::max({o.substeps, substeps[i], find_pile_substeps(m, h, i)});
    o.dt = h;
    o.slop = settings.slop;
    o.push_speed = settings.push_speed;
    o.contact_hertz = settings.contact_hertz;
    o.contact_damping = settings.contact_damping;
    o.wide = settings.precision == "single";
    if (settings.impact == "newton") o.bounce_speed = settings.restitution_threshold;
    const JointSource source{&m.elements->constraints, &rows, dofs_of(m), evaluation_of(m, s, h)};
    step_soft(*parallel, o, soft, source, linear, angular, soft_scratch, list, q, shift, turn);
    report.iterations = std::max(report.iterations, 2 * o.substeps);
}

// positions of all that is awake
void VelocitySolver::move(const Model& m, Real h, State& s) {
    const int n = point_count(m);
    const auto is_soft = [&](int b) { return islands.number[b] >= 0 && way[islands.number[b]] == VelocityWay::soft; };
    const auto has_moved = [&](int b) { return islands.number[b] >= 0 && way[islands.number[b]] == VelocityWay::tree; };
    const bool momentum = settings.gyroscopic == "momentum";
    parallel_for(*parallel, n, kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            if (!(q.inverse_mass[i] > 0) || has_moved(i)) continue;
            s.point.v[i] = real3(q.v[i]);
            if (!still[i]) s.point.x[i] = real3(vec(s.point.x[i]) + (is_soft(i) ? shift[i] : Vec3(h * q.v[i])));
        }
    });
    turned_by.resize(q.body_count());
    parallel_for(*parallel, frame_count(m), 256, [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            const int b = n + f;
            turned_by[b] = is_soft(b) ? turn[b] : Vec3(h * q.w[b]);
            if (!(q.inverse_mass[b] > 0) || has_moved(b)) continue;
            s.frame.v[f] = real3(q.v[b]);
            if (still[b]) {
                s.frame.w[f] = {};
                continue;
            }
            const Quat before = quat(s.frame.q[f]);
            Vec3 w = q.w[b];
            Quat after;
            const Mat3 I = mat(m.frame.inertia[f]);
            if (!momentum || is_round(I)) {
                after = turned(exp_turn(is_soft(b) ? turn[b] : Vec3(h * w)), before);
            } else {
                const Mat3 inverse = I.inverse();
                const Vec3 L = before * (I * (before.conjugate() * w));
                const auto spin = [&](const Quat& r) { return Vec3(r * (inverse * (r.conjugate() * L))); };
                if (is_soft(b)) after = turned(exp_turn(turn[b]), before);
                else after = turned(exp_turn(h * spin(exp_turn(0.5 * h * w) * before)), before);
                const Vec3 kept = spin(after);
                // the momentum about another axis of a slender body may be a spin of a thousand times the energy
                const Real more = h * w.norm() > kFarTurn ? kept.dot(L) / std::max(w.dot(L), 1e-300) : 1;
                w = more > 1 ? Vec3(kept / std::sqrt(more)) : kept;
            }
            s.frame.p[f] = real3(vec(s.frame.p[f]) + (is_soft(b) ? shift[b] : Vec3(h * q.v[b])));
            s.frame.q[f] = real4(after);
            s.frame.w[f] = real3(w);
        }
    });
}

void VelocitySolver::impact() {
    const ImpactOptions o{find_impact_law(settings.impact), settings.restitution_threshold, settings.slop, 100};
    if (settings.impact == "newton") add_restitution_bias(o, q);
    else resolve_impacts(o, list, meetings, q);
}

void VelocitySolver::sub_step(const Model& m, const Input& input, Real h, State& s) {
    if (!detect(m, s, h)) {
        report.status = Status::failed;
        report.message = "contacts cannot be found: a position is not a number";
        return;
    }
    lap(clock, "detect", report);
    if (before == &s) passage.start = s.frame.q;
    build_bodies(*parallel, m, s, q);
    accelerate(m, input, s, h);
    lap(clock, "forces", report);
    build_rows_of(m, s, h);
    lap(clock, "rows", report);
    divide(m, input, s);
    lap(clock, "islands", report);
    fill_rows(m, s, h);
    find_substeps(h);
    add_bend();
    find_steady();
    add_groups(m, s);
    impact();
    add_forces(h);
    const bool goes_on = !follows();
    State start;
    if (goes_on) start.point = s.point, start.frame = s.frame, free_v = q.v, free_w = q.w;
    lap(clock, "start", report);
    solve(m, h, s);
    lap(clock, "solve", report);
    if (stabilisation() == "split_impulse") take_back(m, s, s); // errors at the start, taken back without speed
    move(m, h, s);
    lap(clock, "move", report);
    if (goes_on) go_to_end(m, input, h, start, s);
    else {
        stabilise(m, h, s);
        stop_passages(m, h, s);
    }
    share_room(workers);
    lap(clock, "stabilise", report);
    store_forces(*parallel, m, list, q, pairs, *before, s, report.touches);
    store_rest(*parallel, m, list, q, still, h, pairs, s);
    list_forces(*parallel, list, h, pieces, report, contact_forces);
    lap(clock, "remember", report);
}

Report VelocitySolver::step(const Model& m, const Input& input, const State& now, State& next, double dt, Trace* wanted) {
    begin_clock(clock, report);
    trace = wanted;
    copy_state(*parallel, now, next, kContactMemory); // which are looked up in `before`
    before = &now;
    build_prescribed(m, input, now, dt, prescribed);
    refresh_forces(*parallel, m, forces);
    const bool packs = settings.method == "auto" || settings.method == "soft_step"; // sub-steps of their own
    const int parts = packs ? 1 : std::max(1, settings.substeps);
    const Real h = dt / parts;
    for (int k = 0; k < parts && report.status == Status::ok; ++k) {
        stop_fixed(*parallel, m, next.point);
        place_fixed(m, prescribed, now, k * h, next.point, next.frame);
        place_animated(m, input, now, k * h, dt, next.animated);
        with_crew(*parallel, [&] { sub_step(m, input, h, next); });
        before = &next;
        next.time += h;
    }
    place_fixed(m, prescribed, now, dt, next.point, next.frame);
    place_animated(m, input, now, dt, dt, next.animated);
    advect_passive(*parallel, m, now, dt, next.point);
    next.time = now.time + dt;
    next.step = now.step + 1;
    report.dt = dt;
    for (std::uint8_t b : still) report.asleep += b;
    finish_elements(*parallel, m, now, dt, next);
    return report;
}

Needs velocity_needs() {
    return {.points = true, .frames = true, .scalars = false, .passive = true, .energy_views = kValue | kForce, .row_forces = true};
}

std::unique_ptr<Solver> make_velocity(const Context& context, const Model& m, State& state, const void* settings) {
    auto solver = std::make_unique<VelocitySolver>();
    const auto& chosen = *static_cast<const VelocitySettings*>(settings);
    solver->settings = chosen;
    const bool direct = chosen.method == "auto" || chosen.method == "direct" || chosen.method == "block" || chosen.method == "mlcp";
    solver->stabilises = chosen.stabilisation != "auto" ? chosen.stabilisation : direct ? "post" : "baumgarte";
    solver->parallel = make_parallel(context);
    solver->forces.energies_only = solver->forces.without_springs = true;
    register_velocity_memory(m, state);
    return solver;
}

static std::shared_ptr<void> with_method(const char* method) {
    auto s = std::make_shared<VelocitySettings>();
    s->method = method;
    return s;
}
std::shared_ptr<void> make_soft_step_settings() { return with_method("soft_step"); }
std::shared_ptr<void> make_sequential_impulse_settings() { return with_method("sequential_impulses"); }
std::shared_ptr<void> make_apgd_settings() { return with_method("apgd"); }
std::shared_ptr<void> make_mlcp_settings() { return with_method("mlcp"); }

} // namespace sinew
