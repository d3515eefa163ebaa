#include "solver/soft_step.h"
#include "geometry/topology.h"
#include <algorithm>

namespace sinew {

namespace {

struct Soft {
    const Parallel& parallel;
    const SoftOptions& o;
    const SoftProblem& problem;
    const JointSource& source;
    const SoftJointOptions joints;
    SoftScratch& s;
    TouchList& list;
    RowProblem& q;
    Real h;
};

SoftMass mass_of(const RowProblem& q, int b) {
    const Mat3& i = q.inverse_inertia[b];
    return {q.inverse_mass[b], {i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2)}};
}

// bodies stepped and held ones that they touch, with places
int place_of(Soft& d, int b) {
    if (d.s.place[b] < 0) {
        d.s.place[b] = int(d.s.masses.size());
        d.s.masses.push_back(mass_of(d.q, b));
    }
    return d.s.place[b];
}

void add_point(const Soft& d, const Touch& t, int touch, SoftManifold& m, std::array<int, kSoftPoints>& touches) {
    const int k = m.points++;
    m.ra[k] = t.body_a < 0 ? Real3{} : real3(t.at - d.q.x[t.body_a]);
    m.rb[k] = t.body_b < 0 ? Real3{} : real3(t.at - d.q.x[t.body_b]);
    m.gap[k] = t.gap;
    const Real normal = t.n.dot(t.impulse);
    m.impulse[k] = std::max(0.0, normal / d.o.substeps);
    m.friction_impulse = real3(vec(m.friction_impulse) + (t.impulse - normal * t.n) / d.o.substeps);
    m.spin_impulse += t.n.dot(t.torque) / d.o.substeps;
    m.roll_impulse = real3(vec(m.roll_impulse) + (t.torque - t.n.dot(t.torque) * t.n) / d.o.substeps);
    touches[k] = touch;
}

constexpr Real kMostFirm = 100;
// mass of all that joints hold together with a body
void find_joined(Soft& d) {
    SoftScratch& s = d.s;
    s.root.resize(d.problem.bodies.size());
    s.joined.assign(d.problem.bodies.size(), 0);
    for (std::size_t i = 0; i < s.root.size(); ++i) s.root[i] = int(i);
    for (int i : d.problem.groups) {
        const RowGroup& g = d.q.groups[i];
        int first = -1;
        for (int k = 0; k < g.sides; ++k) {
            const int b = d.q.body[g.side + k];
            if (!(d.q.inverse_mass[b] > 0)) continue;
            const int r = find_root(s.root, d.s.place[b]);
            if (first < 0) first = r;
            else if (r != first) s.root[std::max(r, first)] = std::min(r, first), first = std::min(r, first);
        }
    }
    for (std::size_t i = 0; i < s.root.size(); ++i) s.joined[find_root(s.root, int(i))] += 1 / s.masses[i].inverse_mass;
    for (std::size_t i = 0; i < s.root.size(); ++i) s.joined[i] = s.joined[find_root(s.root, int(i))];
}

Real firmness_of(const Soft& d, const SoftManifold& m) {
    Real alone = 0, joined = 0; // inverse masses
    for (int side : {m.a, m.b})
        if (side >= 0 && side < int(d.s.joined.size())) alone += d.s.masses[side].inverse_mass, joined += 1 / d.s.joined[side];
    return joined > 0 ? std::min(kMostFirm, alone / joined) : 1;
}

void begin_manifold(const Soft& d, const Touch& t, SoftManifold& m) {
    m = {};
    m.a = t.body_a < 0 ? -1 : d.s.place[t.body_a];
    m.b = t.body_b < 0 ? -1 : d.s.place[t.body_b];
    m.normal = real3(t.n), m.drive = real3(t.drive);
    m.friction = t.rule.friction;
    m.torsion = t.rule.torsional_friction, m.rolling = t.rule.rolling_friction;
    m.restitution = d.o.bounce_speed >= 0 ? t.rule.restitution : 0;
    m.firmness = d.problem.groups.empty() ? 1 : firmness_of(d, m);
}

// Consecutive contacts of one pair with one normal form a manifold: f(touch, whether it begins one) for the pairs that begin among
// contacts `begin` to `end`.
template <class F> void walk_manifolds(const Soft& d, int begin, int end, F&& f) {
    const auto touch = [&](int k) -> const Touch& { return d.list.touches[d.problem.touches[k]]; };
    const auto same = [&](int k) { return k > 0 && touch(k).key == touch(k - 1).key && touch(k).kind == touch(k - 1).kind; };
    const int count = int(d.problem.touches.size());
    while (begin < end && same(begin)) ++begin;
    if (begin == end) return;
    while (end < count && same(end)) ++end;
    int last = begin, points = 0;
    for (int k = begin; k < end; ++k) {
        const bool goes_on = k > begin && points < kSoftPoints && touch(last).kind == touch(k).kind && touch(last).key == touch(k).key &&
                             touch(last).n.dot(touch(k).n) > 0.9999;
        if (!goes_on) last = k, points = 0;
        ++points;
        f(d.problem.touches[k], !goes_on);
    }
}

// every piece counts its manifolds, then writes them to their place
void build_manifolds(Soft& d) {
    const int count = int(d.problem.touches.size()), pieces = chunk_count(count, kTouchGrain);
    for (int b = 0; b < d.q.body_count(); ++b) // held ones, which any island may touch
        if (!(d.q.inverse_mass[b] > 0)) place_of(d, b);
    d.s.piece.assign(pieces + 1, 0);
    parallel_for(d.parallel, count, kTouchGrain, [&](int begin, int end) {
        int found = 0;
        walk_manifolds(d, begin, end, [&](int, bool begins) { found += begins; });
        d.s.piece[begin / kTouchGrain + 1] = found;
    });
    for (int k = 0; k < pieces; ++k) d.s.piece[k + 1] += d.s.piece[k];
    const auto total = std::size_t(d.s.piece[pieces]);
    if (d.s.manifolds.capacity() < total) d.s.manifolds.reserve(2 * total), d.s.touch.reserve(2 * total);
    d.s.manifolds.resize(total);
    d.s.touch.resize(total);
    parallel_for(d.parallel, count, kTouchGrain, [&](int begin, int end) {
        int at = d.s.piece[begin / kTouchGrain] - 1;
        walk_manifolds(d, begin, end, [&](int i, bool begins) {
            if (begins) begin_manifold(d, d.list.touches[i], d.s.manifolds[++at]);
            add_point(d, d.list.touches[i], i, d.s.manifolds[at], d.s.touch[at]);
        });
    });
}

// of the sub-step rate; with a quarter a tall wall does not come to rest. An eighth lets pyramid20 of sinew-bench rigid sink 2 % more than
// MuJoCo does, this a tenth less
constexpr Real kContactRate = 0.13;

// forces, and what contacts and joints start with
template <class S, int N>
void begin_substep(Soft& d, int step, const std::vector<Vec3>& linear, const std::vector<Vec3>& angular, std::vector<SoftBody<S>>& bodies,
                   std::vector<SoftVelocity<S>>& begin_velocity, SoftContacts<S, N>& contacts) {
    const bool again = step > 0 && d.s.joints.groups.empty();
    parallel_for(d.parallel, int(d.problem.bodies.size()), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end && again; ++i) {
            const SoftBody<S> now = bodies[i];
            for (int k = 0; k < 8; ++k) bodies[i].v[k] = now.v[k] + (now.v[k] - begin_velocity[i].v[k]);
            for (int k = 0; k < 8; ++k) begin_velocity[i].v[k] = now.v[k];
        }
        for (int i = begin; i < end && !again; ++i) {
            S* v = bodies[i].v;
            for (int k = 0; k < 8; ++k) begin_velocity[i].v[k] = v[k];
            for (int k = 0; k < 3; ++k) {
                v[k] += S(d.h * linear[d.problem.bodies[i]][k]);
                v[3 + k] += S(d.h * angular[d.problem.bodies[i]][k]);
            }
        }
    });
    if (again) return;
    refresh_joints(d.parallel, d.joints, d.source, step > 0, d.s.place, d.q, bodies, d.s.joints);
    warm_start_joints(d.parallel, d.s.joints, bodies);
    warm_start_contacts<S, N>(d.parallel, contacts, bodies);
}

template <class S, int N>
void run(Soft& d, const std::vector<Vec3>& linear, const std::vector<Vec3>& angular, std::vector<SoftBody<S>>& bodies,
         std::vector<SoftVelocity<S>>& begin_velocity, SoftContacts<S, N>& contacts, std::vector<Vec3>& shift, std::vector<Vec3>& turn) {
    const int moving = int(d.problem.bodies.size()), count = int(d.s.masses.size());
    bodies.assign(count, {});
    begin_velocity.resize(moving);
    parallel_for(d.parallel, d.q.body_count(), kGrain, [&](int begin, int end) {
        for (int b = begin; b < end; ++b)
            if (const int at = d.s.place[b]; at >= 0)
                for (int k = 0; k < 3; ++k) bodies[at].v[k] = S(d.q.v[b][k]), bodies[at].v[3 + k] = S(d.q.w[b][k]);
    });
    SoftParameters p;
    p.h = d.h;
    p.hertz = d.o.contact_hertz > 0 ? std::min(d.o.contact_hertz, 0.25 / d.h) : kContactRate / d.h;
    p.damping_ratio = d.o.contact_damping;
    p.push_speed = d.o.push_speed;
    p.slop = d.o.slop;
    p.bounce_speed = std::max(0.0, d.o.bounce_speed);
    build_contacts<S, N>(d.parallel, p, d.s.manifolds, d.s.masses, bodies, contacts);
    for (int step = 0; step < d.o.substeps; ++step) {
        begin_substep<S, N>(d, step, linear, angular, bodies, begin_velocity, contacts);
        // joints and contacts in turn; where they pull against each other, until they agree
        const int most = d.s.manifolds.empty() ? 0 : d.s.joints.groups.empty() ? 1 : d.o.joint_sweeps;
        for (int k = 0;; ++k) {
            const Real error = solve_joints(d.parallel, d.joints, k == 0 ? JointPass::first : JointPass::again, d.s.joints, bodies);
            if (k == most || (k > 0 && error < d.o.joint_tolerance)) break; // what is left over goes to the contacts
            solve_contacts<S, N>(d.parallel, p, contacts, bodies);
        }
        parallel_for(d.parallel, count, kGrain, [&](int begin, int end) { // held bodies go on too
            for (int i = begin; i < end; ++i)
                for (int k = 0; k < 6; ++k) bodies[i].d[k] += S(d.h) * bodies[i].v[k];
        });
        solve_joints(d.parallel, d.joints, JointPass::relax, d.s.joints, bodies);
        relax_contacts<S, N>(d.parallel, p, contacts, bodies);
    }
    if (d.o.bounce_speed >= 0) bounce_contacts<S, N>(d.parallel, p, contacts, bodies);
    read_impulses<S, N>(d.parallel, contacts, d.s.manifolds);
    parallel_for(d.parallel, moving, kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const int b = d.problem.bodies[i];
            const SoftBody<S>& x = bodies[d.s.place[b]];
            for (int k = 0; k < 3; ++k) {
                d.q.v[b][k] = x.v[k], d.q.w[b][k] = x.v[3 + k];
                shift[b][k] = x.d[k], turn[b][k] = x.d[3 + k];
            }
        }
    });
}

// impulses back to touches and rows: friction of a manifold in parts of the normal impulses
void store_impulses(const Soft& d) {
    parallel_for(d.parallel, int(d.s.manifolds.size()), kTouchGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const SoftManifold& m = d.s.manifolds[i];
            Real sum = 0;
            for (int k = 0; k < m.points; ++k) sum += m.impulse[k];
            for (int k = 0; k < m.points; ++k) {
                Touch& t = d.list.touches[d.s.touch[i][k]];
                t.torque = d.o.substeps / Real(m.points) * (m.spin_impulse * t.n + vec(m.roll_impulse));
                t.impulse = d.o.substeps * (m.impulse[k] * t.n + (sum > 0 ? m.impulse[k] / sum : 0) * vec(m.friction_impulse));
            }
        }
    });
}

} // namespace

void step_soft(const Parallel& parallel, const SoftOptions& o, const SoftProblem& problem, const JointSource& source,
               const std::vector<Vec3>& linear, const std::vector<Vec3>& angular, SoftScratch& s, TouchList& list, RowProblem& q,
               std::vector<Vec3>& shift, std::vector<Vec3>& turn) {
    const Real h = o.dt / o.substeps;
    Soft d{parallel, o, problem, source, {o.substeps, h, o.joint_pull, o.joint_trace, o.wide}, s, list, q, h};
    s.place.assign(q.body_count(), -1);
    s.masses.clear();
    for (int b : problem.bodies) place_of(d, b); // those that move come first
    if (!problem.groups.empty()) find_joined(d);
    build_manifolds(d);
    for (int g : problem.groups)
        for (int k = 0; k < q.groups[g].sides; ++k) place_of(d, q.body[q.groups[g].side + k]);
    build_joints(parallel, d.joints, source, problem.groups, s.place, q, s.joints);
    if (o.wide) run(d, linear, angular, s.bodies, s.begin, s.contacts, shift, turn);
    else run(d, linear, angular, s.bodies_double, s.begin_double, s.contacts_double, shift, turn);
    store_impulses(d);
    read_joints(o.substeps, s.joints, q);
}

} // namespace sinew
