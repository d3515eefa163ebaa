// Explicit step (symplectic Euler) of a 1000 x 1000 mass-spring cloth against a plain copy of as many bytes.
//   B = 104 N + 24 S   what a step must move: x, v read and written, mass (104 per point); two indices,
//   stiffness and
//                      rest length (24 per spring)
// Claim: the step moves B at no less than 40 % of the speed of the copy on one thread, 35 % on two.
// Accuracy: change of total energy over the measured steps, and the largest difference of a force from the
// element loops.
#include "bench.h"
#include "cloth.h"
#include "model/visit.h"
#include "solver/explicit.h"
#include "solver/forces.h"
#include "solver/measure.h"
#include <cstring>
#include <fmt/format.h>

namespace sinew::bench {

namespace {

constexpr int kSize = 1000;

// stable for h < 2/omega, omega^2 <= 4 (sum of k at a point)/m; a fifth of that
Real step_length(const ModelBuilder& b, Real stiffness) {
    const Real sum = stiffness * (4 + 4 * 0.3 + 4 * 0.01);
    return 0.2 * 2 / std::sqrt(2 * sum / b.model.point.mass[0]);
}

Real total_energy(const ModelBuilder& b, const State& s) {
    MeasureScratch scratch;
    Report r;
    const auto parallel = make_parallel({.threads = 1});
    measure(*parallel, b.model, s, scratch, r);
    return energy_total(r);
}

// packed springs beside the element loops: largest difference relative to the largest force, and times
struct Compared {
    Spread error, speed;
};
Compared compare_with_gather(const ModelBuilder& b, int pairs) {
    const auto parallel = make_parallel({.threads = 1});
    const Evaluation ev = evaluation_of(b.model, b.state, 0);
    ForceScratch scratch[2];
    std::vector<Real> f[2];
    const auto compute = [&](int packed) {
        scratch[packed].pack_springs = packed;
        f[packed].resize(dofs_of(b.model).size());
        compute_forces(*parallel, b.model, {}, ev, surface_state(b.state), scratch[packed], f[packed]);
    };
    const Pairs times = measure_pairs(
        pairs, 1, [&] { compute(0); }, [&] { compute(1); });
    Real error = 0, largest = 0;
    for (std::size_t i = 0; i < f[0].size(); ++i) {
        error = std::max(error, std::abs(f[0][i] - f[1][i]));
        largest = std::max(largest, std::abs(f[0][i]));
    }
    return {exactly(error / largest), times.ratio};
}

struct Run {
    State now, next;
    std::unique_ptr<Solver> solver;
    std::string_view path;
    Real dt;
};
Run make_run(const ModelBuilder& b, int threads, Real dt) {
    Run r{b.state, b.state, nullptr, {}, dt};
    const ExplicitSettings settings;
    r.solver = make_explicit({.threads = threads}, b.model, r.now, &settings);
    return r;
}
void advance(const ModelBuilder& b, Run& r) {
    r.path = r.solver->step(b.model, {}, r.now, r.next, r.dt).path;
    std::swap(r.now, r.next);
}

} // namespace

void run_springs(const Options& options, Results& out) {
    const int size = options.size ? options.size : kSize;
    const Cloth cloth;
    const ModelBuilder b = make_cloth(size, cloth);
    const Real dt = step_length(b, cloth.stiffness);
    const double bytes = 104.0 * point_count(b.model) + 24.0 * spring_count(b);
    const std::string test = fmt::format("springs {}x{}", size, size);
    add_ceilings(out, "before", measure_ceilings(options.pairs));

    std::vector<double> from(std::size_t(bytes / 16), 1.0), to(from.size(), 0.0);
    Pairs pairs[2], library;
    std::uint64_t hashes[2];
    for (int threads : {1, 2}) {
        Run run = make_run(b, threads, dt);
        const double energy = total_energy(b, run.now);
        const auto step = [&] { advance(b, run); };
        step();
        pairs[threads - 1] = measure_pairs(
            options.pairs, threads, [&] { copy_loop(threads, from.data(), to.data(), long(from.size())); },
            step);
        hashes[threads - 1] = hash(run.now);
        if (threads == 2) continue;
        out.path = run.path;
        add(out, test, 1, "energy change of all steps", "", exactly(total_energy(b, run.now) / energy - 1));
        library = measure_pairs(
            options.pairs, 1, [&] { std::memcpy(to.data(), from.data(), 8 * from.size()); }, step);
    }
    add_ceilings(out, "after", measure_ceilings(options.pairs));
    const auto rate = [&](const Spread& s) {
        return Spread{bytes / s.median / 1e9, bytes / s.high / 1e9, bytes / s.low / 1e9};
    };

    add(out, test, 1, "copy rate", "GB/s", rate(pairs[0].a));
    add(out, test, 1, "step rate", "GB/s", rate(pairs[0].b));
    add_at_least(out, test, 1, "step / copy", pairs[0].ratio, 0.4, true);
    add(out, test, 1, "step / memcpy", "", library.ratio);
    add(out, test, 2, "copy rate", "GB/s", rate(pairs[1].a));
    add(out, test, 2, "step rate", "GB/s", rate(pairs[1].b));
    add_at_least(out, test, 2, "step / copy", pairs[1].ratio, 0.35, !out.busy);
    for (bool shuffled : {false, true}) {
        const Compared c = compare_with_gather(make_cloth(300, {.shuffled = shuffled}), options.pairs);
        const char* name = shuffled ? "springs 300x300 shuffled" : "springs 300x300";
        add(out, name, 1, "forces packed / gather", "", c.speed);
        add_at_most(out, name, 1, "force error", c.error, 1e-12, true);
    }
    add_at_most(out, test, 2, "states differ from 1 thread", exactly(hashes[0] != hashes[1]), 0, true);
    out.hash = fmt::format("{:016x}", hashes[0]);
}

} // namespace sinew::bench
