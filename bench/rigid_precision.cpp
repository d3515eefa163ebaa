#include "rigid_precision.h"
#include "core/math.h"
#include "rigid_own.h"
#include <algorithm>

namespace sinew::bench {

namespace {

constexpr double kMostAlone = 1e-4; // of the pairs with a load, beyond twice what the oracle makes of the last bit: loads of almost nothing

// Sums of the forces [N] on pairs of bodies that only one of the two solvers loads, and of all, and how many pairs those are: the
// solvers say the contacts that carried a force, sorted by bodies.
struct Loads {
    double alone = 0, all = 0;
    int pairs_alone = 0, pairs = 0;
};
void add_loads(std::span<const ContactForce> a, std::span<const ContactForce> b, Loads& sum) {
    const auto bodies = [](const ContactForce& c) { return std::array{c.object_a, c.object_b}; };
    for (const auto& [own, other] : {std::pair{a, b}, std::pair{b, a}})
        for (std::size_t i = 0; i < own.size(); ++i) {
            const double force = vec(own[i].force).norm();
            const bool alone = !std::ranges::binary_search(other, bodies(own[i]), {}, bodies), next = i == 0 || bodies(own[i]) != bodies(own[i - 1]);
            sum.all += force, sum.alone += alone ? force : 0;
            sum.pairs += next, sum.pairs_alone += next && alone;
        }
}

double root_mean_square(std::span<const double> x) {
    double sum = 0;
    for (double a : x) sum += a * a;
    return std::sqrt(sum / double(std::max<std::size_t>(x.size(), 1)));
}

} // namespace

// The packed single precision of the default against the scalar double oracle. Every turn of the oracle begins from the state
// of the packed one, so that both do the same work; contacts, loads and velocities are compared after the first step of each
// turn. Contacts open and close, so that rounding can decide between two different steps: what the oracle itself makes of
// velocities off by half a unit in the last place of single precision (2^-24) is the yardstick.
void compare_precision(Results& out, const RigidScene& s) {
    OwnEngine packed(s, 1, "single"), scalar(s, 1, "double"), moved(s, 1, "double");
    struct Difference { // from the oracle
        std::vector<double> velocity; // [m/s] per body and turn
        Loads loads;
    } of_packed, of_moved;
    std::vector<double> ratio;
    double fastest = 0;
    const auto compare_step = [&](const OwnEngine& own, Difference& d) {
        for (std::size_t b = 0; b < s.bodies.size(); ++b)
            d.velocity.push_back((vec(own.now.frame.v[b]) - vec(scalar.now.frame.v[b])).norm());
        add_loads(own.solver->contacts(), scalar.solver->contacts(), d.loads);
    };
    for (int turn = 0; turn < kRigidSteps / kRigidTurn; ++turn) {
        scalar.now = moved.now = packed.now;
        for (std::size_t b = 0; b < s.bodies.size(); ++b) vec(moved.now.frame.v[b]) *= 1 + (b % 2 ? 1 : -1) * 0x1p-24;
        moved.step(kRigidStep);
        std::array<double, 2> taken{};
        for (int k = 0; k < kRigidTurn; ++k) {
            for (OwnEngine* side : {&packed, &scalar}) {
                const double start = seconds(1);
                side->step(kRigidStep);
                taken[side == &scalar] += seconds(1) - start;
            }
            if (k > 0) continue;
            compare_step(packed, of_packed), compare_step(moved, of_moved);
            for (const Real3& v : scalar.now.frame.v) fastest = std::max(fastest, vec(v).norm());
        }
        ratio.push_back(taken[1] / taken[0]);
    }
    add(out, s.name, 1, "scalar double / packed single time", "", spread_of(ratio));
    add(out, s.name, 1, "velocity from the oracle's, median", "m/s", spread_of(of_packed.velocity));
    // Twice the yardstick, and where no contact changes the rounding of some ten operations on the fastest velocities; through the joints
    // of bodies whose masses differ by ten to one and more, each of which passes on what the others round, four times that.
    const double least = 10 * 0x1p-24 * (s.joints.empty() ? 1 : 4);
    const double rms = root_mean_square(of_packed.velocity), rms_moved = root_mean_square(of_moved.velocity);
    add(out, s.name, 1, "the oracle off by 2^-24: velocity, root mean square", "m/s", exactly(rms_moved));
    add_at_most(out, s.name, 1, "velocity from the oracle's, root mean square", exactly(rms), 2 * rms_moved + least * fastest, true);
    const auto part_alone = [](const Loads& l) { return l.all > 0 ? l.alone / l.all : 0; };
    const double alone = part_alone(of_packed.loads), alone_moved = part_alone(of_moved.loads);
    add(out, s.name, 1, "the oracle off by 2^-24: part of the load on one side only", "", exactly(alone_moved));
    add_at_most(out, s.name, 1, "part of the load on one side only", exactly(alone), 2 * alone_moved + least, true);
    add(out, s.name, 1, "pairs of bodies with a load, both sides together", "", exactly(of_packed.loads.pairs));
    add(out, s.name, 1, "the oracle off by 2^-24: pairs loaded on one side only", "", exactly(of_moved.loads.pairs_alone));
    add_at_most(out, s.name, 1, "pairs loaded on one side only", exactly(of_packed.loads.pairs_alone),
                2 * of_moved.loads.pairs_alone + kMostAlone * of_packed.loads.pairs, true);
    add(out, s.name, 1, "fastest body in those steps", "m/s", exactly(fastest));
}

} // namespace sinew::bench
