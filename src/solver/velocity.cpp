// Time stepping at the level of velocities (spec U 3.3 f, 3.8; P 3.18-3.21):
//   v* = v + h M^-1 f                          forces of all energies, explicit
//   v' = v* + M^-1 J^T p                       p complementary to r = J v' + bias + softness p in the sets of the rows
//   x' = x + h v',  q' = exp(h w*) q           rotation by midpoint with the angular momentum kept
// The step as a list: detect, forces, rows, islands, impacts, warm start, solve, move, stabilise, rest, remember.
// Which method solves an island: `method`, or by `auto` what find_way says; the report counts both.
// Deviations: friction of manifolds in soft_step acts at their centre; restitution is a stage of its own before the solve,
// where bodies that meet exchange impulses one after another (impact.h), which no law lets gain energy.
#include "solver/velocity.h"
#include "collision/detect.h"
#include "collision/detect_shapes.h"
#include "core/crew.h"
#include "model/copy_state.h"
#include "model/visit.h"
#include "solver/forces.h"
#include "solver/free_rotation.h"
#include "solver/kinematics.h"
#include "solver/measure.h"
#include "solver/soft_step.h"
#include "solver/stage_clock.h"
#include "solver/velocity_acceleration.h"
#include "solver/velocity_impact.h"
#include "solver/velocity_implicit.h"
#include "solver/velocity_islands.h"
#include "solver/velocity_links.h"
#include "solver/velocity_memory.h"
#include "solver/velocity_reach.h"
#include "solver/velocity_steady.h"
#include "solver/velocity_tree.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

// tree: only joints, without loops and bounds, solved and moved on their own; soft: with contacts
// steady: contacts whose impulses of the step before still hold
enum class Way : std::uint8_t { asleep, soft, tree, direct, steady, iterative };

constexpr Real kPostErp = 0.5;       // of penetration; joints are taken back in full
constexpr int kPostRounds = 2;       // Newton steps of the positions
constexpr Real kSmallError = 1e-5;   // [m, rad]
constexpr Real kNoError = 1e-12;     // [m, rad]
constexpr int kSmallChain = 4;       // bodies
constexpr int kMostWithSprings = 4000; // bodies and points that are solved directly; more are swept over, with a warning
constexpr Real kSweptSprings = 0.1; // [m/s] error of sweeps over springs that is worth a warning
constexpr Real kSpringTolerance = 1e-4; // [m/s] of islands with springs: cloth gains nothing from more
constexpr Real kSpringPush = 0.01;   // softness of penetration there, part of the diagonal: what lies between two bodies may have no room
constexpr int kSoftSubsteps = 6, kMostSubsteps = 32;
constexpr int kLayers = 25;          // of a pile that six sub-steps carry
constexpr int kMostBranches = 32;    // joints at one body of a tree; they couple each with all others
constexpr int kGroupGrain = 64;      // groups of joints per task
constexpr Real kStable = 1.4;        // [rad] of the fastest swing per sub-step

struct VelocitySolver final : Solver {
    VelocitySettings settings;
    std::string stabilises;                // by settings, or what they leave to us
    ParallelPtr parallel;
    ForceScratch forces;
    Prescribed prescribed;
    std::vector<Real> f;
    Contacts found;
    DetectScratch obstacles;
    ShapeScratch shapes;
    SurfaceScratch surface_scratch;
    std::vector<Real3> surface;
    std::vector<std::uint8_t> analytic;    // per object
    Rows rows;                             // constraints
    bool fresh = false;                    // its numbers are those of the start of the step
    int topology = -1, values = -1;
    const void* tables = nullptr;
    RowProblem q, positions;
    Links links;
    TouchList list;
    Islands islands;
    std::vector<Way> way;                  // per island
    std::vector<std::uint8_t> unbalanced;  // per island: its impulses are to be found anew (velocity_steady.h)
    std::vector<std::uint8_t> wanted;      // per group: its numbers are needed
    std::vector<SolveResult> results;      // per island
    std::vector<SolveScratchPtr> workers;
    SoftScratch soft_scratch;
    SoftProblem soft;
    JointTreeScratch tree_scratch;
    std::vector<IslandView> trees;
    std::vector<Mat3> pull;                // [N m/rad] of bodies: what joints under tension resist a turn with
    std::vector<int> substeps;             // per island: so many that what joints pull swings stably
    std::vector<Vec3> linear, angular;     // accelerations of bodies
    std::vector<Vec3> shift, turn;         // displacements of bodies
    bool at_end = false;                   // rows are those of the end of the step (velocity_implicit.h)
    std::vector<Vec3> free_v, free_w, end_v, end_w;
    std::vector<std::uint8_t> still;       // per body: asleep
    std::vector<ContactForce> contact_forces;
    std::vector<ForcePiece> pieces;
    TouchScratch pairs;
    const State* before = nullptr;         // has the contacts of the sub-step before
    Report report;
    StageClock clock;
    Trace* trace = nullptr;

    Report step(const Model&, const Input&, const State& now, State& next, double dt, Trace*) override;
    std::span<const ContactForce> contacts() const override { return contact_forces; }
    void drop_caches() override;

    bool detect(const Model&, const State&, Real h);
    void accelerate(const Model&, const Input&, const State&, Real h);
    void build_rows_of(const Model&, const State&, Real h);
    void fill_drives(const Model&, const State&, Real h);
    void fill_rows(const Model&, const State&, Real h);
    void divide(const Model&, const Input&, const State&);
    void find_steady();
    void add_groups(const Model&, const State&);
    Way find_way(int island) const;
    void choose_direct();
    void add_forces(Real h);
    void impact();
    void solve(const Model&, Real h, State&);
    void list_soft(Way, SoftProblem&) const;
    void solve_soft(const Model&, const State&, Real h);
    void solve_trees(const Model&, Real h, State&);
    void find_substeps(Real h);
    int find_pile_substeps(const Model&, int island) const;
    void add_bend();
    void move(const Model&, Real h, State&);
    void stabilise(const Model&, Real h, State&);
    Real find_errors(const Model&, const State& at, const BiasOptions&);
    Real take_back(const Model&, const State& at, State& to);
    void go_to_end(const Model&, const Input&, Real h, const State& start, State&);
    void sub_step(const Model&, const Input&, Real h, State&);
    BiasOptions bias_options() const;
    SolveOptions solve_options() const;
    int first_free(const RowGroup& g) const { // a body of the group that moves
        for (int k = 0; k < g.sides; ++k)
            if (q.inverse_mass[q.body[g.side + k]] > 0) return q.body[g.side + k];
        return q.body[g.side];
    }
    Way way_of(const RowGroup& g) const {
        const int i = islands.number[first_free(g)];
        return i < 0 ? Way::asleep : way[i];
    }
    const std::string& stabilisation() const { return stabilises; }
};

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
    o.trace = settings.rounds > 1 ? nullptr : trace; // which then has the rounds
    return o;
}

void VelocitySolver::build_rows_of(const Model& m, const State& s, Real h) {
    clear_rows(q);
    q.dt = h;
    // what may touch is judged by the velocities with forces
    const Real ahead = at_end ? 0 : h;
    for (int b = 0; b < q.body_count(); ++b) q.v[b] += ahead * linear[b];
    list_touches(*parallel, m, s, found, q, {.dt = h, .near = settings.margin}, list);
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
        const Way w = way_of(q.groups[i]);
        wanted[i] = w != Way::tree && w != Way::asleep && !q.groups[i].link;
        any = any || wanted[i];
    }
    if (!any) return;
    if (!fresh) refresh_rows(*parallel, m.elements->constraints, evaluation_of(m, s, h), rows);
    const BiasOptions o = bias_options();
    parallel_for(*parallel, int(q.groups.size()), kGroupGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i)
            if (wanted[i]) fill_constraint_group(dofs_of(m), rows, o, q.groups[i], q, way_of(q.groups[i]) != Way::soft);
    });
    if (stabilisation() == "acceleration" && !at_end)
        set_acceleration_bias(m.elements->constraints, evaluation_of(m, s, h), rows, settings.baumgarte_alpha,
                              settings.baumgarte_beta, q);
}

// A body that joints pull at with f at r resists a turn like a spring K = (r . f) 1 - (r f^T + f r^T)/2; with the spring
// taken at the start of a step, swinging at w^2 <= tr(W K) is stable for h w < 2. Forces are those of the step before.
void VelocitySolver::find_substeps(Real h) {
    substeps.assign(islands.count(), 1);
    if (std::none_of(q.groups.begin(), q.groups.end(), [&](const RowGroup& g) { return way_of(g) == Way::soft; })) return;
    pull.assign(q.body_count(), Mat3::Zero());
    for (const RowGroup& g : q.groups) {
        if (g.set != RowSet::free || g.link || way_of(g) != Way::soft || !holds_place(q, g)) continue;
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
        if (i < 0 || way[i] == Way::soft || way[i] == Way::tree || !islands.facts[i].tree) continue;
        if (g.set != RowSet::free || g.link || rows.level[g.source] != Level::position || !holds_place(q, g)) continue;
        const Vec3 bend = place_bend(q, g);
        for (int k = 0; k < 3; ++k) q.bias[g.row + k] += 0.5 * q.dt * bend[k];
    }
}

// auto: what needs the direct method, whatever it costs, and what is open. Needed: only equalities, or very unequal masses.
Way VelocitySolver::find_way(int i) const {
    if (settings.method == "direct" || (settings.rounds > 1 && (settings.method == "auto" || settings.method == "soft_step")))
        return Way::direct;
    if (settings.method != "auto" && settings.method != "soft_step") return Way::iterative;
    const Islands::Facts& f = islands.facts[i];
    if (f.springs && islands.body_begin[i + 1] - islands.body_begin[i] > kMostWithSprings) return Way::iterative;
    if (!f.pairs || f.springs) return Way::direct;
    if (settings.method == "soft_step") return Way::soft;
    const int bodies = islands.body_begin[i + 1] - islands.body_begin[i], touches = islands.touch_begin[i + 1] - islands.touch_begin[i];
    if (touches == 0 && !f.bounded) return f.tree && f.branches <= kMostBranches && stabilisation() == "post" ? Way::tree : Way::direct;
    if (f.joints) return Way::soft; // which has the joints of an island solved directly, and small steps for what they pull
    return bodies <= settings.direct_bodies && f.mass_ratio >= settings.direct_mass_ratio ? Way::direct : Way::soft;
}

// auto: single bodies and small chains of contacts take little time directly and gain much. As long as they have no more
// than direct_bodies bodies in all: a thousand little heaps go the fast way. Longer chains do not pay: an arch of 25
// stones took ten times as long as soft steps.
void VelocitySolver::choose_direct() {
    if (settings.method != "auto") return;
    const auto is_chain = [&](int i) {
        const int bodies = islands.body_begin[i + 1] - islands.body_begin[i];
        return way[i] == Way::soft && bodies <= kSmallChain && islands.facts[i].links <= bodies;
    };
    int bodies = 0;
    for (int i = 0; i < islands.count(); ++i)
        if (is_chain(i)) bodies += islands.body_begin[i + 1] - islands.body_begin[i];
    if (bodies > settings.direct_bodies) return;
    for (int i = 0; i < islands.count(); ++i)
        if (is_chain(i)) way[i] = Way::direct;
}

// islands, and which of them sleep
void VelocitySolver::divide(const Model& m, const Input& input, const State& now) {
    build_islands(*parallel, m, found, list, q, islands);
    find_still(*parallel, m, input, now, settings.sleep && settings.rounds == 1 ? settings.sleep_after : 1e300, list, q, islands, pairs, still);
    way.resize(islands.count());
    unbalanced.assign(islands.count(), 0);
    for (int i = 0; i < islands.count(); ++i)
        way[i] = still[islands.body[islands.body_begin[i]]] ? Way::asleep : find_way(i);
    choose_direct();
    report.islands = report.islands_direct = 0;
    bool any_soft = false;
    for (Way w : way) {
        report.islands += w != Way::asleep;
        report.islands_direct += w == Way::direct || w == Way::tree;
        any_soft = any_soft || w == Way::soft;
    }
    report.path = any_soft ? report.islands_direct ? "soft_step and direct" : "soft_step" : report.islands_direct ? "direct" : "";
}

// directly solved contacts that go on as before
void VelocitySolver::find_steady() {
    if (settings.friction != "cone" || settings.rounds > 1 || !settings.warm_start || trace || stabilisation() != "post") return;
    const SteadyOptions o{q.dt, settings.tolerance, settings.slop, settings.de_saxce};
    for (int i = 0; i < islands.count(); ++i) {
        if (way[i] != Way::direct || islands.facts[i].joints) continue;
        const auto touches = std::span(islands.touch).subspan(islands.touch_begin[i], islands.touch_begin[i + 1] - islands.touch_begin[i]);
        const Steady steady = solve_steady(o, islands.view(i).bodies, touches, list, linear, angular, q);
        if (steady == Steady::yes) way[i] = Way::steady;
        unbalanced[i] = steady == Steady::unbalanced;
    }
}

// rows of contacts where they are needed: soft islands have their own packing, sleeping ones none; impacts need rows
void VelocitySolver::add_groups(const Model& m, const State& s) {
    const BiasOptions o = bias_options();
    for (int i = 0; i < islands.count(); ++i) {
        if (way[i] == Way::asleep || way[i] == Way::tree || way[i] == Way::steady) continue;
        if (way[i] == Way::soft && !islands.facts[i].bounces && settings.impact != "sticking") continue;
        for (int k = islands.touch_begin[i]; k < islands.touch_begin[i + 1]; ++k) {
            const int t = islands.touch[k];
            const Touch& touch = list.touches[t];
            const auto is_point = [&](int b) { return b >= 0 && b < point_count(m); };
            const bool sticks = settings.impact == "sticking" && (is_point(touch.body_a) || is_point(touch.body_b));
            if (way[i] == Way::direct || way[i] == Way::iterative ||
                (way[i] == Way::soft && (touch.rule.restitution > 0 || sticks) && settings.impact != "newton"))
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
            if (i >= 0 && (way[i] == Way::soft || way[i] == Way::tree)) continue; // in its sub-steps
            if (i >= 0 && way[i] == Way::steady) continue; // has them
            q.v[b] += h * linear[b];
            q.w[b] += h * angular[b];
        }
    });
}

SolveResult solve_by_name(const std::string& method, const SolveOptions& o, const IslandView& island, SolveScratch& s,
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
            if (way[i] != Way::direct && way[i] != Way::iterative) continue;
            const IslandView island = islands.view(i);
            for (int g : island.groups) // warm start
                for (int k = 0; k < q.groups[g].rows; ++k)
                    if (q.impulse[q.groups[g].row + k] != 0) add_impulse(q, q.groups[g], k, q.impulse[q.groups[g].row + k]);
            if (way[i] == Way::direct && islands.facts[i].springs) { // sweeps are no help for cloth
                SolveOptions mine = o;
                mine.tolerance = std::max(o.tolerance, kSpringTolerance);
                results[i] = solve_direct(mine, island, *workers[worker], q);
            } else if (way[i] == Way::direct) {
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
        if (islands.facts[i].springs && way[i] == Way::iterative && results[i].residual > kSweptSprings)
            report.warnings.emplace_back("springs of a large island are swept over and stretch: another solver, shorter steps or more iterations");
    for (const RowGroup& g : q.groups) {
        if (g.set != RowSet::contact || way[islands.number[first_free(g)]] == Way::soft) continue;
        Touch& t = list.touches[g.source];
        const ContactFrame frame = contact_frame(real3(t.n));
        t.impulse = q.impulse[g.row] * t.n + q.impulse[g.row + 1] * vec(frame.t0) + q.impulse[g.row + 2] * vec(frame.t1);
    }
    shift.resize(q.body_count());
    turn.resize(q.body_count());
    solve_trees(m, h, s);
    solve_soft(m, s, h);
}

// what is solved that way, in one problem
void VelocitySolver::list_soft(Way kind, SoftProblem& out) const {
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
        if (way[i] == Way::tree) trees.push_back(islands.view(i));
    if (trees.empty()) return;
    build_trees(m, rows, trees, q, tree_scratch);
    step_trees(*parallel, {.dt = h, .momentum = settings.gyroscopic == "momentum", .substeps = settings.substeps},
               {m, m.elements->constraints, linear, angular, rows}, tree_scratch, q, s);
    for (const JointTree& t : tree_scratch.trees) {
        report.iterations = std::max(report.iterations, t.result.iterations);
        report.residual = std::max(report.residual, t.result.residual);
    }
}

// Soft contacts let a pile lean, and its weight makes it lean more: one of n layers buckles when their stiffness, which goes with
// the square of the number of sub-steps, is below a bound that goes with n. Six carry kLayers with a margin (pyramids of base 20
// and 30 stand for a minute, 40 topples after 40 s).
int VelocitySolver::find_pile_substeps(const Model& m, int i) const {
    if (islands.facts[i].joints || int(islands.view(i).bodies.size()) <= kLayers) return kSoftSubsteps;
    const Real layers = find_layers(m, q, islands.view(i), linear);
    return int(std::min<Real>(kMostSubsteps, std::ceil(kSoftSubsteps * std::sqrt(std::max(1.0, layers / kLayers)))));
}

void VelocitySolver::solve_soft(const Model& m, const State& s, Real h) {
    list_soft(Way::soft, soft);
    if (soft.bodies.empty()) return;
    SoftOptions o;
    o.substeps = settings.substeps > 0 ? settings.substeps : kSoftSubsteps;
    if (settings.substeps == 0)
        for (int i = 0; i < islands.count(); ++i)
            if (way[i] == Way::soft) o.substeps = std::max({o.substeps, substeps[i], find_pile_substeps(m, i)});
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
    const auto is_soft = [&](int b) { return islands.number[b] >= 0 && way[islands.number[b]] == Way::soft; };
    const auto has_moved = [&](int b) { return islands.number[b] >= 0 && way[islands.number[b]] == Way::tree; };
    const bool momentum = settings.gyroscopic == "momentum";
    parallel_for(*parallel, n, kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            if (!(q.inverse_mass[i] > 0) || has_moved(i)) continue;
            s.point.v[i] = real3(q.v[i]);
            if (!still[i]) s.point.x[i] = real3(vec(s.point.x[i]) + (is_soft(i) ? shift[i] : Vec3(h * q.v[i])));
        }
    });
    parallel_for(*parallel, frame_count(m), 256, [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            const int b = n + f;
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
                w = spin(after);
            }
            s.frame.p[f] = real3(vec(s.frame.p[f]) + (is_soft(b) ? shift[b] : Vec3(h * q.v[b])));
            s.frame.q[f] = real4(after);
            s.frame.w[f] = real3(w);
        }
    });
}

// largest error of positions in islands that have them taken back [m, rad]; which groups these have goes into `wanted`
Real VelocitySolver::find_errors(const Model& m, const State& at, const BiasOptions& o) {
    wanted.assign(q.groups.size(), 0);
    Real worst = 0;
    for (std::size_t i = 0; i < q.groups.size(); ++i) {
        const RowGroup& g = q.groups[i];
        const Way w = way_of(g);
        wanted[i] = w == Way::direct || w == Way::iterative;
        if (!wanted[i] || g.link) continue;
        if (g.set == RowSet::contact) {
            worst = std::max(worst, -position_bias(o, contact_gap(m, at, found, list, g)));
            continue;
        }
        for (int r = rows.row_begin[g.source]; r < rows.row_begin[g.source + 1]; ++r)
            if (rows.level[g.source] == Level::position && rows.compliance[r] == 0)
                worst = std::max(worst, g.set == RowSet::lower ? -rows.c[r] : std::abs(rows.c[r]));
    }
    return worst;
}

// one Newton step of the positions of `to`, by the errors at `at`; returns the largest of them [m, rad]
Real VelocitySolver::take_back(const Model& m, const State& at, State& to) {
    BiasOptions o = bias_options();
    o.erp = kPostErp;
    o.joint_erp = 1;
    const bool joints = std::any_of(q.groups.begin(), q.groups.end(), [&](const RowGroup& g) {
        return g.set != RowSet::contact && !g.link && (way_of(g) == Way::direct || way_of(g) == Way::iterative);
    });
    if (joints) refresh_rows(*parallel, m.elements->constraints, evaluation_of(m, at, q.dt), rows);
    if (!(find_errors(m, at, o) >= kNoError)) return 0;
    build_position_problem(m, at, found, list, m.elements->constraints.empty() ? nullptr : &rows, o, q, wanted, positions);
    SolveOptions options = solve_options();
    options.sets = {};
    options.tolerance = 1e-12; // [m]
    options.trace = nullptr;
    for (SolveResult& r : results) r.residual = 0;
    parallel_for_workers(*parallel, islands.count(), 1, [&](int worker, int begin, int end) {
        for (int i = begin; i < end; ++i) {
            if (way[i] != Way::direct && way[i] != Way::iterative) continue;
            Real worst = 0, sum = 0;
            for (int g : islands.view(i).groups) {
                const RowGroup& group = positions.groups[g];
                for (int k = 0; k < group.rows; ++k) {
                    if (positions.softness[group.row + k] != 0) continue;
                    const Real bias = positions.bias[group.row + k];
                    const Real error = group.set == RowSet::lower ? std::max(0.0, -bias) : std::abs(bias);
                    worst = std::max(worst, error), sum += error;
                }
            }
            results[i].residual = worst;
            if (worst < kNoError) continue;
            SolveOptions mine = options;
            if (islands.facts[i].springs) {
                mine.tolerance = 1e-6;
                for (int g : islands.view(i).groups)
                    if (q.groups[g].set == RowSet::contact)
                        positions.softness[positions.groups[g].row] = kSpringPush * positions.block[positions.groups[g].block];
            }
            if (way[i] != Way::iterative) solve_direct(mine, islands.view(i), *workers[worker], positions);
            else solve_block(options, islands.view(i), positions);
            // contacts that contradict each other have no solution nearby: what goes further than all errors together is none
            const auto far = [&](int b) { return !(positions.v[b].norm() <= 2 * sum) || !(positions.w[b].norm() <= 1); };
            const IslandView island = islands.view(i);
            if (islands.touch_begin[i] < islands.touch_begin[i + 1] && std::any_of(island.bodies.begin(), island.bodies.end(), far))
                for (int b : island.bodies) positions.v[b] = positions.w[b] = Vec3::Zero();
        }
    });
    const int n = point_count(m);
    for (int b = 0; b < q.body_count(); ++b) {
        if (islands.number[b] < 0 || still[b]) continue;
        if (b < n) to.point.x[b] = real3(vec(to.point.x[b]) + positions.v[b]);
        else {
            to.frame.p[b - n] = real3(vec(to.frame.p[b - n]) + positions.v[b]);
            if (positions.w[b] != Vec3::Zero())
                to.frame.q[b - n] = real4((exp_rotation(positions.w[b]) * quat(to.frame.q[b - n])).normalized());
        }
    }
    Real worst = 0;
    for (const SolveResult& r : results) worst = std::max(worst, r.residual);
    return worst;
}

void VelocitySolver::stabilise(const Model& m, Real, State& s) {
    const bool any = std::any_of(way.begin(), way.end(), [](Way w) { return w == Way::direct || w == Way::iterative; });
    if (any && stabilisation() == "post")
        for (int k = 0; k < kPostRounds; ++k)
            if (take_back(m, s, s) < kSmallError) break; // the next one would find its square
}

void VelocitySolver::impact() {
    const ImpactOptions o{find_impact_law(settings.impact), settings.restitution_threshold, settings.slop, 100};
    if (settings.impact == "newton") add_restitution_bias(o, q);
    else resolve_impacts(o, list, q);
}

// rounds after the first: rows where the step has got to, until velocities do not change
void VelocitySolver::go_to_end(const Model& m, const Input& input, Real h, const State& start, State& s) {
    at_end = true;
    for (int round = 1; round < settings.rounds && report.status == Status::ok; ++round) {
        end_v = q.v, end_w = q.w;
        for (int b = 0; b < q.body_count(); ++b) q.x[b] = b < point_count(m) ? vec(s.point.x[b]) : vec(s.frame.p[b - point_count(m)]);
        if (!detect(m, s, h)) {
            report.status = Status::failed;
            report.message = "contacts cannot be found: a position is not a number";
            break;
        }
        // what may touch is judged from here by the velocities without impulses
        for (int b = 0; b < q.body_count(); ++b)
            if (q.inverse_mass[b] > 0) q.v[b] = free_v[b] - end_v[b], q.w[b] = free_w[b] - end_w[b];
        build_rows_of(m, s, h);
        divide(m, input, s);
        fill_rows(m, s, h);
        add_groups(m, s);
        set_end_bias(rows, end_v, end_w, q);
        q.v = free_v, q.w = free_w;
        if (settings.impact == "newton") impact();
        solve(m, h, s);
        s.point = start.point, s.frame = start.frame;
        move(m, h, s);
        ++report.evaluations;
        Real change = 0;
        for (int b = 0; b < q.body_count(); ++b)
            change = std::max({change, (q.v[b] - end_v[b]).lpNorm<Eigen::Infinity>(), (q.w[b] - end_w[b]).lpNorm<Eigen::Infinity>()});
        if (trace) trace->iterations.push_back({round, 0, change, 1});
        if (change <= settings.tolerance) break;
    }
    at_end = false;
}

void VelocitySolver::sub_step(const Model& m, const Input& input, Real h, State& s) {
    if (!detect(m, s, h)) {
        report.status = Status::failed;
        report.message = "contacts cannot be found: a position is not a number";
        return;
    }
    lap(clock, "detect", report);
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
    const bool goes_on = settings.rounds > 1;
    State start;
    if (goes_on) start.point = s.point, start.frame = s.frame, free_v = q.v, free_w = q.w;
    lap(clock, "start", report);
    solve(m, h, s);
    lap(clock, "solve", report);
    if (stabilisation() == "split_impulse") take_back(m, s, s); // errors at the start, taken back without speed
    move(m, h, s);
    lap(clock, "move", report);
    if (goes_on) go_to_end(m, input, h, start, s);
    else stabilise(m, h, s);
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

} // namespace

Needs velocity_needs() {
    return {.points = true, .frames = true, .scalars = false, .passive = true, .energy_views = kValue | kForce};
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
