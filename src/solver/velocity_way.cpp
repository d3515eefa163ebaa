// Which way each island of a step of `velocity` is solved, and which of them sleep.
#include "solver/velocity_steady.h"
#include "solver/velocity_step.h"
#include <algorithm>

namespace sinew {

namespace {

constexpr int kSmallChain = 4;       // bodies
constexpr int kStack = 12;           // bodies over each other
constexpr int kMostDirect = 4000;    // bodies and points with springs, or rows between more than two, that are solved directly; more are swept over
constexpr int kMostBranches = 32;    // joints at one body of a tree; they couple each with all others

} // namespace

// auto: what needs the direct method, whatever it costs, and what is open. Needed: only equalities, or very unequal masses.
VelocityWay VelocitySolver::find_way(int i) const {
    if (settings.method == "direct" || (settings.rounds > 1 && (settings.method == "auto" || settings.method == "soft_step")))
        return VelocityWay::direct;
    if (settings.method != "auto" && settings.method != "soft_step") return VelocityWay::iterative;
    const Islands::Facts& f = islands.facts[i];
    const int bodies = islands.body_begin[i + 1] - islands.body_begin[i], touches = islands.touch_begin[i + 1] - islands.touch_begin[i];
    if (!f.pairs || f.springs) return bodies > kMostDirect ? VelocityWay::iterative : VelocityWay::direct;
    if (settings.method == "soft_step") return VelocityWay::soft;
    // soft contacts know the disc alone
    if (touches > 0 && (settings.friction == "box" || settings.friction == "polyhedral"))
        return bodies <= settings.direct_bodies ? VelocityWay::direct : VelocityWay::iterative;
    if (touches == 0 && !f.bounded) {
        const bool own = f.tree && f.branches <= kMostBranches && stabilisation() == "post" && settings.equalities == "schur";
        return own ? VelocityWay::tree : VelocityWay::direct;
    }
    if (f.joints) return VelocityWay::soft; // which has the joints of an island solved directly, and small steps for what they pull
    return bodies <= settings.direct_bodies && f.mass_ratio >= settings.direct_mass_ratio ? VelocityWay::direct : VelocityWay::soft;
}

// auto: single bodies and small chains of contacts take little time directly and gain much. As long as they have no more
// than direct_bodies bodies in all: a thousand little heaps go the fast way. Stacks, which touch what is held at their ends alone, may be higher: soft
// steps let ten boxes sink by a hundredth of a box and sway, and solved directly they sleep at once. Longer chains do not pay: an arch of 25
// stones took ten times as long as soft steps, and a row of dominoes that fall, which all touch the floor, twice. Nor do the stray bodies of a
// heap: where more bodies are in soft steps than in such chains they go that way too. A heap of 125 cubes in a turning drum took twelve times as long.
void VelocitySolver::choose_direct() {
    if (settings.method != "auto") return;
    const auto is_chain = [&](int i) {
        const int bodies = islands.body_begin[i + 1] - islands.body_begin[i];
        const Islands::Facts& f = islands.facts[i];
        const bool stack = !f.joints && bodies <= kStack && f.links + f.held <= bodies + 1;
        return way[i] == VelocityWay::soft && (stack || (bodies <= kSmallChain && f.links <= bodies));
    };
    int chains = 0, others = 0; // bodies
    for (int i = 0; i < islands.count(); ++i)
        if (way[i] == VelocityWay::soft) (is_chain(i) ? chains : others) += islands.body_begin[i + 1] - islands.body_begin[i];
    if (chains > settings.direct_bodies || others > chains) return;
    for (int i = 0; i < islands.count(); ++i)
        if (is_chain(i)) way[i] = VelocityWay::direct;
}

// islands, and which of them sleep
void VelocitySolver::divide(const Model& m, const Input& input, const State& now) {
    build_islands(*parallel, m, found, list, q, islands);
    find_still(*parallel, m, input, now, settings.sleep && settings.rounds == 1 ? settings.sleep_after : 1e300, list, q, islands, pairs, still);
    way.resize(islands.count());
    unbalanced.assign(islands.count(), 0);
    for (int i = 0; i < islands.count(); ++i)
        way[i] = still[islands.body[islands.body_begin[i]]] ? VelocityWay::asleep : find_way(i);
    choose_direct();
    report.islands = report.islands_direct = 0;
    bool any_soft = false, any_swept = false;
    for (VelocityWay w : way) {
        report.islands += w != VelocityWay::asleep;
        report.islands_direct += w == VelocityWay::direct || w == VelocityWay::tree;
        any_soft = any_soft || w == VelocityWay::soft;
        any_swept = any_swept || w == VelocityWay::iterative;
    }
    // what was chosen: sweeps too, where nobody asked for them by name
    constexpr const char* kPaths[2][2][2] = {{{"", "sweeps"}, {"direct", "direct and sweeps"}},
                                             {{"soft_step", "soft_step and sweeps"}, {"soft_step and direct", "soft_step, direct and sweeps"}}};
    any_swept = any_swept && (settings.method == "auto" || settings.method == "soft_step");
    report.path = kPaths[any_soft][report.islands_direct > 0][any_swept];
}

// directly solved contacts that go on as before
void VelocitySolver::find_steady() {
    if (settings.friction != "cone" || settings.rounds > 1 || !settings.warm_start || trace || stabilisation() != "post") return;
    const SteadyOptions o{q.dt, settings.tolerance, settings.slop, settings.de_saxce};
    for (int i = 0; i < islands.count(); ++i) {
        if (way[i] != VelocityWay::direct || islands.facts[i].joints) continue;
        const auto touches = std::span(islands.touch).subspan(islands.touch_begin[i], islands.touch_begin[i + 1] - islands.touch_begin[i]);
        const Steady steady = solve_steady(o, islands.view(i).bodies, touches, list, linear, angular, q);
        if (steady == Steady::yes) way[i] = VelocityWay::steady;
        unbalanced[i] = steady == Steady::unbalanced;
    }
}

} // namespace sinew
