// Continuous collision queries per second against a plain cubic root finder, over two sets of pairs:
//   sheets   what a broad phase hands over: two wrinkled sheets, one pushed through the other's boxes; nearly
//   all misses random   points in a unit box, displacements as large: a tenth are hits
// The plain finder is what a textbook gives: coplanarity cubic in doubles, roots in [0, 1] by monotone pieces
// and Newton, then the inside test with a tolerance. It misses and it alarms; both are counted beside the
// speed, against the conservative answers (hits of which the finder says nothing, and the reverse). Claim: at
// least half of its rate.
#include "collision/ccd.h"
#include "bench.h"
#include "collision/candidates.h"
#include "collision/safe_step.h"
#include "core/random.h"
#include <cmath>
#include <fmt/format.h>

namespace sinew::bench {

namespace {

struct Query {
    bool edges;
    CcdPoints x0, x1;
};

// real roots of c0 + c1 t + c2 t^2 + c3 t^3 in [0, 1], ascending
int plain_roots(const double (&c)[4], double (&root)[3]) {
    const auto value = [&](double t) { return c[0] + t * (c[1] + t * (c[2] + t * c[3])); };
    double stop[4] = {0};
    int stops = 1;
    const double a = 3 * c[3], b = c[2], d = b * b - a * c[1];
    if (d > 0) {
        const double q = -(b + std::copysign(std::sqrt(d), b));
        double r0 = q / a, r1 = c[1] / q;
        if (r1 < r0) std::swap(r0, r1);
        if (r0 > 0 && r0 < 1) stop[stops++] = r0;
        if (r1 > 0 && r1 < 1) stop[stops++] = r1;
    }
    stop[stops++] = 1;
    int count = 0;
    for (int i = 0; i + 1 < stops; ++i) {
        double lo = stop[i], hi = stop[i + 1];
        const double v0 = value(lo), v1 = value(hi);
        if (v0 * v1 > 0) continue;
        double t = v0 == v1 ? lo : lo + (hi - lo) * v0 / (v0 - v1);
        for (int k = 0; k < 30; ++k) {
            const double v = value(t), slope = c[1] + t * (2 * c[2] + t * 3 * c[3]);
            ((v > 0) == (v0 > 0) ? lo : hi) = t;
            double next = t - v / slope;
            if (!(next >= lo && next <= hi)) next = 0.5 * (lo + hi);
            if (std::abs(next - t) < 1e-14) break;
            t = next;
        }
        root[count++] = t;
    }
    return count;
}

bool plain_inside(bool edges, const CcdPoints& x) {
    constexpr double kTolerance = 1e-10;
    const Vec3 e = edges ? Vec3(x[1] - x[0]) : Vec3(x[2] - x[1]),
               f = edges ? Vec3(x[3] - x[2]) : Vec3(x[3] - x[1]);
    const Vec3 w = edges ? Vec3(x[2] - x[0]) : Vec3(x[0] - x[1]), n = e.cross(f);
    const double area = n.squaredNorm(), r = n.dot(w.cross(f)) / area,
                 s = n.dot((edges ? w : e).cross(edges ? e : w)) / area;
    if (r < -kTolerance || s < -kTolerance) return false;
    return edges ? r <= 1 + kTolerance && s <= 1 + kTolerance : r + s <= 1 + kTolerance;
}

double plain_impact(const Query& q) {
    const CcdPoints &x0 = q.x0, &x1 = q.x1;
    const int a = q.edges ? 0 : 1, b = q.edges ? 1 : 2, c = q.edges ? 2 : 1, d = 3, p = q.edges ? 2 : 0,
              o = q.edges ? 0 : 1;
    const Vec3 e = x0[b] - x0[a], f = x0[d] - x0[c], w = x0[p] - x0[o];
    const Vec3 de = x1[b] - x1[a] - e, df = x1[d] - x1[c] - f, dw = x1[p] - x1[o] - w;
    const Vec3 n0 = e.cross(f), n1 = e.cross(df) + de.cross(f), n2 = de.cross(df);
    const double cubic[4] = {w.dot(n0), w.dot(n1) + dw.dot(n0), w.dot(n2) + dw.dot(n1), dw.dot(n2)};
    double root[3];
    const int count = plain_roots(cubic, root);
    for (int i = 0; i < count; ++i) {
        CcdPoints x;
        for (int k = 0; k < 4; ++k) x[k] = x0[k] + root[i] * (x1[k] - x0[k]);
        if (plain_inside(q.edges, x)) return root[i];
    }
    return kNoImpact;
}

double our_impact(const Query& q, Real separation) {
    return q.edges ? find_impact_edge_edge(q.x0, q.x1, {separation})
                   : find_impact_vertex_triangle(q.x0, q.x1, {separation});
}

// the pair of bench/README.md: n x n sheets of side 1, 3.8 h apart, the upper one with wrinkles of 1.5 h and
// pushed by -3 h
struct Sheets {
    std::vector<Real3> x0, x1;
    std::vector<std::array<int, 2>> edges;
    std::vector<std::array<int, 3>> triangles;
};
Sheets make_sheets(int n) {
    Sheets s;
    Rng g{5, 0, 0};
    const double h = 1.0 / (n - 1);
    const auto jitter = [&] { return 0.2 * h * draw_uniform(g, -1, 1); };
    for (int sheet = 0; sheet < 2; ++sheet) {
        const int base = int(s.x0.size());
        const auto at = [&](int i, int k) { return base + k * n + i; };
        for (int k = 0; k < n; ++k)
            for (int i = 0; i < n; ++i) {
                const double wrinkle =
                    sheet ? 3.8 * h + 1.5 * h * std::sin(40 * i * h) * std::cos(30 * k * h) : 0;
                const Real3 p{i * h + jitter(), wrinkle + jitter(), k * h + jitter()};
                s.x0.push_back(p);
                s.x1.push_back(sheet ? Real3{p.x + 0.5 * h, p.y - 3 * h, p.z} : p);
                if (i + 1 < n) s.edges.push_back({at(i, k), at(i + 1, k)});
                if (k + 1 < n) s.edges.push_back({at(i, k), at(i, k + 1)});
                if (i + 1 == n || k + 1 == n) continue;
                s.edges.push_back({at(i + 1, k), at(i, k + 1)});
                s.triangles.push_back({at(i, k), at(i, k + 1), at(i + 1, k)});
                s.triangles.push_back({at(i + 1, k), at(i, k + 1), at(i + 1, k + 1)});
            }
    }
    return s;
}
std::vector<Query> sheet_queries(const Sheets& s, Candidates& c) {
    const auto parallel = make_parallel({.threads = 1});
    const SurfaceTopology topology{int(s.x0.size()), s.edges, s.triangles};
    SurfaceNeighbors neighbors;
    CandidateScratch scratch;
    build_neighbors(topology, 1, neighbors);
    find_candidates(*parallel, topology, neighbors, s.x0, s.x1, 0, scratch, c);
    std::vector<Query> out;
    const auto add_query = [&](bool edges, const std::array<int, 4>& v) {
        Query q{edges, {}, {}};
        for (int i = 0; i < 4; ++i) q.x0[i] = vec(s.x0[v[i]]), q.x1[i] = vec(s.x1[v[i]]);
        out.push_back(q);
    };
    for (const Pair& p : c.edge_edge)
        add_query(true, {s.edges[p[0]][0], s.edges[p[0]][1], s.edges[p[1]][0], s.edges[p[1]][1]});
    for (const Pair& p : c.vertex_triangle) {
        const std::array<int, 3>& t = s.triangles[p[1]];
        add_query(false, {p[0], t[0], t[1], t[2]});
    }
    return out;
}
std::vector<Query> random_queries(int count) {
    std::vector<Query> out(count);
    for (int i = 0; i < count; ++i) {
        Rng g{6, std::uint64_t(i), 0};
        out[i].edges = i % 2;
        const auto box = [&] {
            return Vec3(draw_uniform(g, -1, 1), draw_uniform(g, -1, 1), draw_uniform(g, -1, 1));
        };
        for (int k = 0; k < 4; ++k) out[i].x0[k] = box(), out[i].x1[k] = out[i].x0[k] + box();
    }
    return out;
}

void measure_set(const char* name, const std::vector<Query>& queries, int pairs, Results& out) {
    double sink = 0;
    const auto plain = [&] {
        for (const Query& q : queries) sink += plain_impact(q) < 1;
    };
    const auto ours = [&] {
        for (const Query& q : queries) sink += our_impact(q, 0) < 1;
    };
    const Pairs p = measure_pairs(pairs, 1, plain, ours);
    const double n = double(queries.size());
    const auto rate = [&](const Spread& s) {
        return Spread{n / s.median / 1e6, n / s.high / 1e6, n / s.low / 1e6};
    };
    long hits = 0, unseen = 0, extra = 0;
    for (const Query& q : queries) {
        const bool a = our_impact(q, 0) != kNoImpact, b = plain_impact(q) != kNoImpact;
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
    add(out, name, 1, "rate / plain, separated", "", thick.ratio);
    out.path = fmt::format("{:.0f}", sink > 0 ? 1.0 : 0.0); // keeps the loops
}

} // namespace

void run_ccd(const Options& options, Results& out) {
    const int n = options.size ? options.size : 100;
    const Sheets sheets = make_sheets(n);
    Candidates c;
    add_ceilings(out, "before", measure_ceilings(options.pairs));
    const std::vector<Query> queries = sheet_queries(sheets, c);
    measure_set(fmt::format("sheets {}x{}", n, n).c_str(), queries, options.pairs, out);
    measure_set("random", random_queries(100000), options.pairs, out);

    // the safe step of the whole sheet, whose answer must not depend on the threads
    const SurfaceTopology topology{int(sheets.x0.size()), sheets.edges, sheets.triangles};
    SafeStepScratch scratch;
    Real step[2];
    Spread times[2];
    for (int threads : {1, 2}) {
        const auto parallel = make_parallel({.threads = threads});
        const auto run = [&] {
            step[threads - 1] =
                find_safe_step(*parallel, topology, c, sheets.x0, sheets.x1, {}, scratch).step;
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
