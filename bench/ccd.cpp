// Continuous collision queries per second against a plain cubic root finder (ccd_queries.h), over two sets of
// pairs:
//   sheets   what a broad phase hands over: the two sheets of collision_scenes.h; nearly all misses
//   random   points in a unit box, displacements as large: a tenth are hits
// The plain finder misses and alarms; both are counted beside the speed, against the conservative answers
// (hits of which it says nothing, and the reverse). Claim: at least half of its rate, with and without a
// separation.
#include "bench.h"
#include "ccd_queries.h"
#include "collision/safe_step.h"
#include <fmt/format.h>

namespace sinew::bench {

namespace {

void measure_set(const char* name, const std::vector<Query>& queries, int pairs, Results& out) {
    double sink = 0;
    const auto plain = [&] {
        for (const Query& q : queries) sink += plain_impact(q) < 1;
    };
    const auto ours = [&] {
        for (const Query& q : queries) sink += our_impact(q) < 1;
    };
    const Pairs p = measure_pairs(pairs, 1, plain, ours);
    const double n = double(queries.size());
    const auto rate = [&](const Spread& s) {
        return Spread{n / s.median / 1e6, n / s.high / 1e6, n / s.low / 1e6};
    };
    long hits = 0, unseen = 0, extra = 0;
    for (const Query& q : queries) {
        const bool a = our_impact(q) != kNoImpact, b = plain_impact(q) != kNoImpact;
        hits += a, unseen += a && !b, extra += b && !a;
    }
    add(out, name, 1, "queries", "", exactly(n));
    add(out, name, 1, "hits", "%", exactly(100 * hits / n));
    add(out, name, 1, "plain says none of them", "", exactly(double(unseen)));
    add(out, name, 1, "plain alarms beyond them", "", exactly(double(extra)));
    add(out, name, 1, "plain rate", "M/s", rate(p.a));
    add(out, name, 1, "rate", "M/s", rate(p.b));
    add_at_least(out, name, 1, "rate / plain rate", p.ratio, 0.5, true);
    const Pairs thick = measure_pairs(pairs, 1, plain, [&] {
        for (const Query& q : queries) sink += our_impact(q, 1e-4) < 1;
    });
    add_at_least(out, name, 1, "rate / plain, separated", thick.ratio, 0.5, true);
    out.path = fmt::format("{:.0f}", sink > 0 ? 1.0 : 0.0); // keeps the loops
}

} // namespace

void run_ccd(const Options& options, Results& out) {
    const int n = options.size ? options.size : 100;
    const TwoSheets sheets = make_two_sheets(n);
    const SurfaceTopology topology{int(sheets.x_t0.size()), sheets.edges, sheets.triangles};
    SurfaceNeighbors neighbors;
    CandidateScratch candidate_scratch;
    Candidates c;
    build_neighbors(topology, 1, neighbors);
    find_candidates(*make_parallel({.threads = 1}), topology, neighbors, sheets.x_t0, sheets.x_t1, 0,
                    candidate_scratch, c);
    add_ceilings(out, "before", measure_ceilings(options.pairs));
    measure_set(fmt::format("sheets {}x{}", n, n).c_str(), sheet_queries(sheets, c), options.pairs, out);
    measure_set("random", random_queries(100000), options.pairs, out);

    // the safe step of the whole sheet, whose answer must not depend on the threads
    SafeStepScratch scratch;
    Real step[2];
    Spread times[2];
    for (int threads : {1, 2}) {
        const auto parallel = make_parallel({.threads = threads});
        const auto run = [&] {
            step[threads - 1] =
                find_safe_step(*parallel, topology, c, sheets.x_t0, sheets.x_t1, {}, scratch).step;
        };
        times[threads - 1] = measure_pairs(options.pairs, threads, run, run).a;
    }
    add_ceilings(out, "after", measure_ceilings(options.pairs));
    const double count = double(c.edge_edge.size() + c.vertex_triangle.size());
    for (int k : {0, 1})
        add(out, "safe step", k + 1, "time per candidate", "ns",
            {times[k].median / count * 1e9, times[k].low / count * 1e9, times[k].high / count * 1e9});
    add_at_most(out, "safe step", 2, "differs from 1 thread", exactly(step[0] != step[1]), 0, true);
    out.path = "";
    out.hash = fmt::format("{:a}", step[0]);
}

} // namespace sinew::bench
