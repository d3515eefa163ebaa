#include "ccd_queries.h"
#include "core/random.h"
#include <cmath>

namespace sinew::bench {

namespace {

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

} // namespace

Real plain_impact(const Query& q) {
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

std::vector<Query> sheet_queries(const TwoSheets& s, const Candidates& c) {
    std::vector<Query> out;
    const auto add_query = [&](bool edges, const std::array<int, 4>& v) {
        Query q{edges, {}, {}};
        for (int i = 0; i < 4; ++i) q.x0[i] = vec(s.x_t0[v[i]]), q.x1[i] = vec(s.x_t1[v[i]]);
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

#ifndef SINEW_HAVE_FCL
bool find_fcl_impacts(const std::vector<Query>&, bool, std::vector<char>&) { return false; }
#endif

} // namespace sinew::bench
