// sinew-bench position: cloth and bars by position projection against Bullet's soft body, 300 steps of 1/60 s in turns of 20.
// Time is process time of the step call alone, one thread. Quality is measured by one code for all, after every step. The
// centre of mass of the first second is compared with `newton` of the same model.
#include "bench.h"
#include "position_scenes.h"
#include "position_sweep.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace sinew::bench {

namespace {

constexpr double kStep = 1.0 / 60;
constexpr int kSteps = 300, kTurn = 20, kSecond = 60;

struct Side {
    std::unique_ptr<SoftEngine> engine;
    std::vector<double> turn;         // [s] per step
    double largest = 0, mean = 0;     // stretch: most of all steps
    double mean_of_all = 0;           // edges and steps
    Stretch at_end;
    std::vector<Real3> center;        // of each step
    std::vector<Real3> x, x_before;
    double energy = -1; // kinetic and gravitational, most of all steps, above the start by the energy of a fall of 2 m

    void run_turn(const SoftScene& s) {
        double taken = 0;
        for (int k = 0; k < kTurn; ++k) {
            const double before = cpu_seconds();
            engine->step(kStep);
            taken += cpu_seconds() - before;
            x_before = x.empty() ? s.x : x;
            engine->positions(x);
            energy = std::max(energy, energy_without_strain(s, x_before, x, kStep) / energy_of_fall(s, 2));
            at_end = measure_stretch(s, x);
            largest = std::max(largest, at_end.largest), mean = std::max(mean, at_end.mean);
            mean_of_all += at_end.mean / kSteps;
            center.push_back(center_of_mass(s, x));
        }
        turn.push_back(taken / kTurn);
    }
};

void add_side(Results& out, const SoftScene& s, const std::string& name, const Side& side) {
    Spread ms = spread_of(side.turn);
    for (double* t : {&ms.median, &ms.low, &ms.high}) *t *= 1e3;
    add(out, s.name, 1, name + " time per step", "ms", ms);
    add(out, s.name, 1, name + " largest stretch of all steps", "", exactly(side.largest));
    add(out, s.name, 1, name + " mean stretch of the worst step", "", exactly(side.mean));
    add(out, s.name, 1, name + " mean stretch", "", exactly(side.mean_of_all));
    add(out, s.name, 1, name + " largest stretch at the end", "", exactly(side.at_end.largest));
    add(out, s.name, 1, name + " mean stretch at the end", "", exactly(side.at_end.mean));
    add(out, s.name, 1, name + " lowest point", "m", exactly(lowest_point(side.x)));
    if (const std::string note = side.engine->note(); !note.empty()) fmt::print("{} {}: {}\n", s.name, name, note);
    std::fflush(stdout);
}

// ours over the other's time, turn by turn; no peer: ours alone
Spread run_in_turns(const SoftScene& s, Side& own, Side* other) {
    std::vector<double> ratio;
    for (int k = 0; k < kSteps; k += kTurn) {
        own.run_turn(s);
        if (!other) continue;
        other->run_turn(s);
        ratio.push_back(own.turn.back() / other->turn.back());
    }
    return spread_of(ratio);
}

// Largest distance between the centres of mass in the first second, by how far that of `to` goes in it. Both as they have moved.
double center_difference(const std::vector<Real3>& a, const std::vector<Real3>& to) {
    double difference = 0, way = 0;
    for (std::size_t k = 0; k < std::min({a.size(), to.size(), std::size_t(kSecond)}); ++k) {
        difference = std::max(difference, std::hypot(a[k].x - to[k].x, a[k].y - to[k].y, a[k].z - to[k].z));
        way = std::max(way, std::hypot(to[k].x, to[k].y, to[k].z));
    }
    return difference / way;
}
std::vector<Real3> center_ways(const SoftScene& s, SoftEngine& engine) {
    std::vector<Real3> out, x;
    const Real3 start = center_of_mass(s, s.x);
    for (int k = 0; k < kSecond; ++k) {
        engine.step(kStep);
        engine.positions(x);
        const Real3 c = center_of_mass(s, x);
        out.push_back({c.x - start.x, c.y - start.y, c.z - start.z});
    }
    return out;
}

constexpr int kPeerIterations = 20;

Side compare(Results& out, const SoftScene& s, const OwnSettings& settings, bool claims) {
    Side own, other;
    own.engine = make_own_soft(s, settings);
#ifdef SINEW_HAVE_BULLET
    other.engine = make_bullet_soft(s, kPeerIterations);
#endif
    const Spread ratio = run_in_turns(s, own, other.engine ? &other : nullptr);
    add_side(out, s, fmt::format("{} x {}", settings.substeps, settings.iterations), own);
    if (other.engine) {
        add_side(out, s, fmt::format("Bullet {}", kPeerIterations), other);
        if (claims) add_at_most(out, s.name, 1, "time against Bullet", ratio, 0.5, true);
        else add(out, s.name, 1, "time against Bullet", "", ratio);
    }
    return own;
}

int setting(const char* name, int otherwise) {
    const char* text = std::getenv(name);
    return text ? std::atoi(text) : otherwise;
}

// The centre of mass against newton's. The cloth does the same in all columns but for its diagonals, so newton has a strip of it; the
// difference between strip and cloth is measured with our own steps. Newton ends where no velocity is corrected by more than
// 1 cm/s, on a way of metres per second. What is left of tolerance and of step length: a tenth of the one, half of the other.
void compare_with_newton(Results& out, int n, const OwnSettings& settings, int columns, bool claims) {
    if (columns < 2) return;
    constexpr double kTolerance = 1e-2;
    const SoftScene whole = make_soft_cloth(n), strip = make_soft_cloth(n, columns);
    const auto own = [&](const SoftScene& s) { return center_ways(s, *make_own_soft(s, settings)); };
    const auto newton = [&](int parts, double tolerance) { return center_ways(strip, *make_newton_soft(strip, parts, tolerance)); };
    const int parts = 2 * settings.substeps;
    const std::vector<Real3> ours = own(whole), reference = newton(parts, kTolerance);
    const auto tell = [&](const char* what, const std::vector<Real3>& a, const std::vector<Real3>& to) {
        add(out, whole.name, 1, what, "", exactly(center_difference(a, to)));
    };
    tell("centre of mass: strip off the whole cloth", own(strip), ours);
    tell("centre of mass: newton, tenth of the tolerance", newton(parts, 0.1 * kTolerance), reference);
    tell("centre of mass: newton, half the step", newton(2 * parts, kTolerance), reference);
    tell("centre of mass off newton of the same step", ours, newton(settings.substeps, kTolerance));
    const Spread off = exactly(center_difference(ours, reference));
    if (claims) add_at_most(out, whole.name, 1, "centre of mass off newton", off, 0.05, true);
    else add(out, whole.name, 1, "centre of mass off newton", "", off);
}

void run_cloth(Results& out, int n, const OwnSettings& settings, bool claims) {
    const SoftScene s = make_soft_cloth(n);
    const Side own = compare(out, s, settings, claims);
    compare_with_newton(out, n, settings, setting("SINEW_BENCH_NEWTON", 13), claims);
    if (!claims) return;
    add_at_most(out, s.name, 1, "largest stretch of all steps", exactly(own.largest), 0.05, true);
    add_at_most(out, s.name, 1, "mean stretch of the worst step", exactly(own.mean), 0.005, true);
    // Few iterations stretch, but nothing flies away, as chains and link by link: strain has energy of its own, so that the rest of it is
    // never above that of the start. Velocities are differences of positions, which is worth (g h)^2/8: 0.0002 of the unit, a fall of 2 m.
    for (bool chains : {true, false})
        for (int substeps : {5, 1}) {
            Side few;
            few.engine = make_own_soft(s, {.substeps = substeps, .iterations = 5 / substeps, .chains = chains});
            run_in_turns(s, few, nullptr);
            const std::string name = fmt::format("{} x {}{}", substeps, 5 / substeps, chains ? "" : " without chains");
            add_side(out, s, name, few);
            add_at_most(out, s.name, 1, name + ": energy gained / energy of a fall of 2 m", exactly(few.energy), 0.001, true);
            if (chains) add_at_most(out, s.name, 1, name + ": largest stretch of all steps", exactly(few.largest), 1, true);
        }
}

// The bar sags by most of its ten metres in its first second. Its centre of mass against newton's with the same step and with half of
// it; with one iteration, as the peers' XPBD has it, and with more.
void run_bar(Results& out) {
    const SoftScene s = make_soft_bar();
    constexpr int kSubsteps = 5;
    constexpr double kTolerance = 1e-2; // [m/s]
    compare(out, s, {.substeps = kSubsteps, .iterations = 1}, false);
    const std::vector<Real3> same = center_ways(s, *make_newton_soft(s, kSubsteps, kTolerance));
    const std::vector<Real3> half = center_ways(s, *make_newton_soft(s, 2 * kSubsteps, kTolerance));
    add(out, s.name, 1, "centre of mass: newton, half the step", "", exactly(center_difference(same, half)));
    for (int iterations : {1, 4, 16}) {
        const auto own = center_ways(s, *make_own_soft(s, {.substeps = kSubsteps, .iterations = iterations}));
        const std::string name = fmt::format("{} x {}: centre of mass off newton", kSubsteps, iterations);
        add(out, s.name, 1, name + " of the same step", "", exactly(center_difference(own, same)));
        const Spread off = exactly(center_difference(own, half));
        if (iterations > 1) add_at_most(out, s.name, 1, name, off, 0.05, true);
        else add(out, s.name, 1, name, "", off);
    }
}

} // namespace

// SINEW_BENCH_SCENE picks one part; SINEW_BENCH_SUBSTEPS, _ITERATIONS and _CHAINS another setting, _NEWTON the columns of newton's strip
void run_position(const Options& o, Results& out) {
    const char* only = std::getenv("SINEW_BENCH_SCENE");
    const auto wanted = [&](const char* name) { return !only || std::string_view(only) == name; };
    OwnSettings settings;
    settings.substeps = setting("SINEW_BENCH_SUBSTEPS", 5);
    settings.iterations = setting("SINEW_BENCH_ITERATIONS", 4);
    settings.chains = setting("SINEW_BENCH_CHAINS", 1) != 0;
    add_ceilings(out, "before", measure_ceilings(o.pairs));
    if (wanted("cloth30")) run_cloth(out, 30, settings, false);
    if (wanted("cloth100")) run_cloth(out, 100, settings, true);
    if (wanted("hinges100")) {
        SoftScene s = make_soft_cloth(100);
        s.name = "cloth100 hinges";
        OwnSettings hinged = settings;
        hinged.bend = Bend::hinges;
        compare(out, s, hinged, false);
    }
    if (wanted("bar")) run_bar(out);
    if (wanted("sweep")) run_sweep(o, o.size ? o.size : 1000, out);
    if (wanted("nonlinear")) run_nonlinear_cost(o, out);
    if (wanted("contacts")) run_contact_batches(o, out);
    add_ceilings(out, "after", measure_ceilings(o.pairs));
}

} // namespace sinew::bench
