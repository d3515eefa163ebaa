// One Gauss-Seidel sweep over the links of a 1000 x 1000 cloth (stretch, shear, bend) against a plain copy.
//   B = 48 N + 40 S   what a sweep must move: positions read and written; per link two indices, rest length, compliance, and
//                     its multiplier read and written
// Claims: at most three times the time of a copy of B; with two threads at least 0.85 of what the copy gains by them.
// And what it costs to take the rows anew in every iteration (X30 of spec U): at most 15 % over the rows of the start, on the same
// packed links, by sweeps and by Jacobi and its relatives.
// And contacts of cloth with a body that nothing moves, four at a time against one by one.
#include "bench.h"
#include "cloth.h"
#include "position_scenes.h"
#include "position_sweep.h"
#include "solver/position_contact_batch.h"
#include "solver/position_problem.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew::bench {

namespace {

struct SweepRun {
    State s;
    PositionProblem p;
    ParallelPtr parallel;

    SweepRun(const ModelBuilder& b, bool chains, int threads) : s(b.state), parallel(make_parallel({.threads = threads})) {
        p.chains = chains;
        refresh_masses(b.model, s, p);
        refresh_tables(b.model, p);
    }
    void sweep() {
        constexpr double h = 1.0 / 60 / 50;
        Sweep w;
        w.to.x = s.point.x.data(), w.to.v = s.point.v.data(), w.to.point_inverse = p.point_inverse.data();
        w.h = h, w.reach = h * h, w.kick = h;
        for (DualTable& t : p.tables) project_pack(*parallel, w, false, false, t.pack);
    }
};

Spread over(const Spread& a, double b) { return {a.median / b, a.low / b, a.high / b}; }

} // namespace

// single links, as `xpbd` and `pbd` take them, or chains, the default of `position`: more work for each link, in far fewer sweeps
static void run_sweep_of(const Options& o, const ModelBuilder& b, int size, bool chains, Results& out) {
    const double bytes = 48.0 * point_count(b.model) + 40.0 * spring_count(b);
    const std::string test = fmt::format("sweep {}x{}, {}", size, size, chains ? "chains" : "single links");
    std::vector<double> from(std::size_t(bytes / 16), 1.0), to(from.size(), 0.0);
    SweepRun one(b, chains, 1), two(b, chains, 2);
    const Pairs memory = measure_pairs(
        o.pairs, 1, [&] { one.sweep(); }, [&] { copy_loop(1, from.data(), to.data(), long(from.size())); });
    for (int k = 0; k <= o.pairs; ++k) two.sweep(); // as many as the other has made
    const bool differ = hash(one.s) != hash(two.s);
    // by the second thread, in wall time: of the sweep, of the copy
    const Spread gain = measure_pairs(
        o.pairs, 2, [&] { one.sweep(); }, [&] { two.sweep(); }).ratio;
    const double copy = measure_pairs(
        o.pairs, 2, [&] { copy_loop(1, from.data(), to.data(), long(from.size())); },
        [&] { copy_loop(2, from.data(), to.data(), long(from.size())); }).ratio.median;
    const double compute = measure_compute_ceiling(o.pairs).median;
    add(out, test, 1, "time of a sweep", "ms", over(memory.a, 1e-3));
    add(out, test, 1, "time per link", "ns", over(memory.a, 1e-9 * spring_count(b)));
    add_at_most(out, test, 1, "sweep / copy of its bytes", memory.ratio, 3, true);
    add(out, test, 2, "speed-up", "", gain);
    add(out, test, 2, "speed-up of the copy", "", exactly(copy));
    add(out, test, 2, "speed-up / ceiling of computing", "", over(gain, compute));
    add_at_least(out, test, 2, "speed-up / ceiling", over(gain, std::min(copy, compute)), 0.85, !out.busy && compute >= kQuiet);
    add_at_most(out, test, 2, "states differ from 1 thread", exactly(differ), 0, true);
}

void run_sweep(const Options& o, int size, Results& out) {
    const ModelBuilder b = make_cloth(size, {});
    for (bool chains : {false, true}) run_sweep_of(o, b, size, chains, out);
}

void run_nonlinear_cost(const Options& o, Results& out) {
    const SoftScene s = make_soft_cloth(30);
    // both sides over the same packed links, which differ in nothing but where the rows are from
    struct Variant {
        const char *name, *method;
        bool chains;
    };
    for (const Variant& v : {Variant{"gauss_seidel", "gauss_seidel", true}, Variant{"gauss_seidel without chains", "gauss_seidel", false},
                             Variant{"jacobi", "jacobi", true}, Variant{"accelerated_jacobi", "accelerated_jacobi", true},
                             Variant{"conjugate_residuals", "conjugate_residuals", true}}) {
        OwnSettings settings;
        settings.method = v.method, settings.chains = v.chains, settings.iterations = 20;
        const auto nonlinear = make_own_soft(s, settings);
        settings.directions = "start";
        const auto linear = make_own_soft(s, settings);
        const Pairs p = measure_pairs(
            o.pairs, 1, [&] { nonlinear->step(1.0 / 60); }, [&] { linear->step(1.0 / 60); });
        add(out, s.name, 1, fmt::format("{}: step with rows of the start", v.name), "ms", over(p.b, 1e-3));
        add_at_most(out, s.name, 1, fmt::format("{}: rows anew / rows of the start", v.name), p.ratio, 1.15, true);
    }
}

namespace {

// n x n points that lie on a sphere of 1 m, a little too deep and on their way along it
struct Draped {
    std::vector<Real3> x, v, frame_p{{0, 0, 0}}, frame_v{{0, 0, 0}}, frame_w{{0, 0, 0}};
    std::vector<Real4> frame_q{Real4{}};
    std::vector<Real> inverse, frame_inverse{0};
    std::vector<Mat3> inertia{Mat3::Zero()};
    PositionContacts all;
    ContactPack pack;

    explicit Draped(int n) {
        const int points = n * n;
        all.body_begin = {0};
        for (int i = 0; i < points; ++i) {
            const Vec3 at = Vec3(1.6 * (i % n) / n - 0.8, 2, 1.6 * (i / n) / n - 0.8).normalized();
            x.push_back(real3((0.999 - 1e-4 * (i % 7)) * at)), v.push_back({0.1, -0.1, 0.05 * (i % 3)});
            inverse.push_back(1e4);
            PositionContact c;
            c.side = 2 * i, c.sides = 2, c.n = at, c.friction = 0.5;
            all.sides.push_back({i, 1, Vec3::Zero()}), all.sides.push_back({points, -1, at});
            all.bodies.insert(all.bodies.end(), {i, points});
            all.body_begin.push_back(int(all.bodies.size()));
            all.contacts.push_back(c);
        }
        std::vector<unsigned char> held(points + 1, 0);
        held[points] = 1;
        colour_contacts(held, all);
    }
    DualState state() {
        DualState s;
        s.x = x.data(), s.v = v.data(), s.p = frame_p.data(), s.q = frame_q.data(), s.frame_v = frame_v.data(), s.frame_w = frame_w.data();
        s.point_inverse = inverse.data(), s.frame_inverse = frame_inverse.data(), s.frame_inverse_inertia = inertia.data();
        return s;
    }
    void one_by_one(const Parallel& p, const PositionContactOptions& o, int sweeps) {
        for (int k = 0; k < sweeps; ++k) project_contacts(p, o, state(), int(x.size()), all);
    }
    void four_at_a_time(const Parallel& p, const PositionContactOptions& o, int sweeps) {
        for (int k = 0; k < sweeps; ++k) project_contacts(p, o, state(), int(x.size()), all, pack);
    }
    void packed(const Parallel& p, const PositionContactOptions& o, int sweeps) {
        pack_contacts(o, state(), int(x.size()), all, pack);
        four_at_a_time(p, o, sweeps);
        store_forces(pack, all);
    }
};

} // namespace

void run_contact_batches(const Options& o, Results& out) {
    constexpr int kSide = 100, kSweeps = 4;
    PositionContactOptions contact;
    contact.h = 1.0 / 600, contact.relaxation = 0.5; // so that every sweep has something to do
    const std::string test = fmt::format("{} contacts with a held sphere", kSide * kSide);
    for (int threads : {1, 2}) {
        const ParallelPtr parallel = make_parallel({.threads = threads});
        Draped four(kSide), one(kSide);
        pack_contacts(contact, four.state(), kSide * kSide, four.all, four.pack);
        const Pairs sweep = measure_pairs(
            o.pairs, threads, [&] { four.four_at_a_time(*parallel, contact, 1); }, [&] { one.one_by_one(*parallel, contact, 1); });
        Draped packed(kSide), plain(kSide);
        const Pairs whole = measure_pairs(
            o.pairs, threads, [&] { packed.packed(*parallel, contact, kSweeps); }, [&] { plain.one_by_one(*parallel, contact, kSweeps); });
        add(out, test, threads, "sweep one by one: time per contact", "ns", over(sweep.b, 1e-9 * kSide * kSide));
        add_at_most(out, test, threads, "sweep, four at a time / one by one", sweep.ratio, 1, true);
        add_at_most(out, test, threads, fmt::format("{} sweeps and packing, four at a time / one by one", kSweeps), whole.ratio, 1, true);
    }
}

} // namespace sinew::bench
