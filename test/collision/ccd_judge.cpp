#include "collision/ccd_judge.h"
#include <cmath>

namespace sinew::judge {

namespace {

using judge::operator+, judge::operator-, judge::operator*;

struct Poly3 {
    Poly x, y, z;
    const Poly& operator[](int k) const { return k == 0 ? x : k == 1 ? y : z; }
};
Poly3 operator-(const Poly3& a, const Poly3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Poly3 cross(const Poly3& a, const Poly3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Poly dot(const Poly3& a, const Poly3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// all numbers as integers times one power of two
int lowest_exponent(int points, const CcdPoints& x0, const CcdPoints& x1, double s) {
    int lowest = 2000;
    const auto look = [&](double v) {
        if (v == 0) return;
        int e;
        std::frexp(v, &e);
        lowest = std::min(lowest, e - 53);
    };
    for (int i = 0; i < points; ++i)
        for (int k = 0; k < 3; ++k) look(x0[i][k]), look(x1[i][k]);
    look(s);
    return lowest == 2000 ? 0 : lowest;
}
mpz_class integer(double v, int lowest) {
    if (v == 0) return 0;
    int e;
    const double m = std::frexp(v, &e);
    return mpz_class(std::ldexp(m, 53)) << unsigned(e - 53 - lowest);
}

struct Problem {
    Poly3 d[4]; // difference vectors
    int corners;
    Poly3 e, f, w; // plane
    Poly3 n;       // e x f
    Poly cubic;
    std::vector<std::pair<int, int>> edges; // of the hull
    mpz_class s2;                           // separation squared
    FeaturePair pair;
};

Problem make_problem(FeaturePair pair, const CcdPoints& x0, const CcdPoints& x1, double s) {
    const int points = kPoints[int(pair)], low = lowest_exponent(points, x0, x1, s);
    Poly3 x[4];
    for (int i = 0; i < points; ++i)
        for (int k = 0; k < 3; ++k) {
            const mpz_class a = integer(x0[i][k], low), b = integer(x1[i][k], low);
            (k == 0 ? x[i].x : k == 1 ? x[i].y : x[i].z) = Poly{a, b - a} + Poly{};
        }
    Problem p;
    p.pair = pair;
    if (pair == FeaturePair::vertex_triangle) {
        p.corners = 3;
        for (int i = 0; i < 3; ++i) p.d[i] = x[0] - x[1 + i];
        p.e = x[2] - x[1], p.f = x[3] - x[1];
        p.edges = {{0, 1}, {1, 2}, {2, 0}};
    } else if (pair != FeaturePair::edge_edge) {
        p.corners = points - 1;
        for (int i = 0; i < p.corners; ++i) p.d[i] = x[0] - x[1 + i];
        if (p.corners == 2) p.edges = {{0, 1}};
    } else {
        p.corners = 4;
        for (int i = 0; i < 4; ++i) p.d[i] = x[2 + (i & 1)] - x[i >> 1];
        p.e = x[1] - x[0], p.f = x[3] - x[2];
        p.edges = {{0, 1}, {1, 3}, {3, 2}, {2, 0}};
    }
    p.w = p.d[0];
    p.n = cross(p.e, p.f);
    p.cubic = dot(p.w, p.n);
    const mpz_class si = integer(s, low);
    p.s2 = si * si;
    return p;
}

// origin on the segment D_i D_j
bool on_edge(const Problem& p, int i, int j, Root& at) {
    const Poly3 c = cross(p.d[i], p.d[j]);
    for (int k = 0; k < 3; ++k)
        if (sign_at_root(c[k], at) != 0) return false;
    return sign_at_root(dot(p.d[i], p.d[j]), at) <= 0;
}

// origin in the hull at this time
bool touches(const Problem& p, Root& at) {
    if (sign_at_root(p.cubic, at) != 0) return false;
    for (int k = 0; k < 3; ++k) {
        const int side = sign_at_root(p.n[k], at);
        if (side == 0) continue;
        // the projection along axis k is one to one
        if (p.pair == FeaturePair::vertex_triangle) {
            for (const auto& [i, j] : p.edges)
                if (side * sign_at_root(cross(p.d[i], p.d[j])[k], at) < 0) return false;
            return true;
        }
        const Poly r = cross(p.w, p.f)[k], s = cross(p.w, p.e)[k];
        return side * sign_at_root(r, at) >= 0 && side * sign_at_root(p.n[k] - r, at) >= 0 &&
               side * sign_at_root(s, at) >= 0 && side * sign_at_root(p.n[k] - s, at) >= 0;
    }
    if (p.pair == FeaturePair::vertex_vertex) {
        for (int k = 0; k < 3; ++k)
            if (sign_at_root(p.d[0][k], at) != 0) return false;
        return true;
    }
    for (const auto& [i, j] : p.edges)
        if (on_edge(p, i, j, at)) return true;
    return false;
}

// the closest point of the face (of both lines) is inside, and the formula holds
bool face_inside(const Problem& p, Root& at) {
    const Poly nn = dot(p.n, p.n);
    if (sign_at_root(nn, at) == 0) return false;
    if (p.pair == FeaturePair::vertex_triangle) {
        for (const auto& [i, j] : p.edges)
            if (sign_at_root(dot(p.n, cross(p.d[i], p.d[j])), at) < 0) return false;
        return true;
    }
    const Poly r = dot(p.n, cross(p.w, p.f)), s = dot(p.n, cross(p.w, p.e));
    return sign_at_root(r, at) >= 0 && sign_at_root(nn - r, at) >= 0 && sign_at_root(s, at) >= 0 &&
           sign_at_root(nn - s, at) >= 0;
}
bool edge_inside(const Problem& p, int i, int j, Root& at) {
    const Poly3 e = p.d[j] - p.d[i];
    const Poly s = scaled(dot(p.d[i], e), -1), ee = dot(e, e);
    return sign_at_root(ee, at) > 0 && sign_at_root(s, at) >= 0 && sign_at_root(ee - s, at) >= 0;
}
Poly face_gap(const Problem& p) { return p.cubic * p.cubic - scaled(dot(p.n, p.n), p.s2); }
Poly edge_gap(const Problem& p, int i, int j) {
    const Poly3 c = cross(p.d[i], p.d[j]), e = p.d[j] - p.d[i];
    return dot(c, c) - scaled(dot(e, e), p.s2);
}
Poly corner_gap(const Problem& p, int i) { return dot(p.d[i], p.d[i]) - Poly{p.s2}; }

bool within_at_zero(const Problem& p) {
    Root zero;
    zero.b = {0, 0};
    for (int i = 0; i < p.corners; ++i)
        if (sign_at(corner_gap(p, i), zero.b) <= 0) return true;
    for (const auto& [i, j] : p.edges)
        if (sign_at(edge_gap(p, i, j), zero.b) <= 0 && edge_inside(p, i, j, zero)) return true;
    return sign_at(face_gap(p), zero.b) <= 0 && face_inside(p, zero);
}

// the earlier of two first times: brackets are refined until they are apart, equal ones after 200 bits
bool earlier(Root& a, Root& b) {
    for (int i = 0; i < 200; ++i) {
        const Poly from_b{-b.a.numerator, mpz_class(1) << b.a.exponent},
            from_a{-a.a.numerator, mpz_class(1) << a.a.exponent};
        if (sign_at(from_b, a.b) <= 0) return true;
        if (sign_at(from_a, b.b) <= 0) return false;
        refine(a), refine(b);
    }
    return true;
}

// first root of `poly` that passes the test, if earlier than what is known
template <class Test> void try_poly(const Poly& poly, Truth& out, Test&& test) {
    if (poly.empty()) return;
    const Sturm chain = sturm_chain(poly);
    for (Root& r : isolate_roots(poly, chain)) {
        if (!test(r)) continue;
        if (out.hit && !earlier(r, out.root)) return;
        out.hit = true;
        out.poly = poly, out.chain = chain, out.root = r;
        out.root.of = &out.poly, out.root.chain = &out.chain;
        return;
    }
}

void find_touching(const Problem& p, Truth& out) {
    Root zero;
    zero.b = {0, 0};
    if (touches(p, zero)) {
        out.hit = true;
        return;
    }
    const auto test = [&](Root& r) { return touches(p, r); };
    if (!p.cubic.empty()) return try_poly(p.cubic, out, test);
    for (const auto& [i, j] : p.edges) {
        const Poly3 c = cross(p.d[i], p.d[j]);
        for (int k = 0; k < 3; ++k) try_poly(c[k], out, test);
    }
    for (int i = 0; i < p.corners; ++i)
        for (int k = 0; k < 3; ++k) try_poly(p.d[i][k], out, test);
}

void find_within(const Problem& p, Truth& out) {
    if (within_at_zero(p)) {
        out.hit = true;
        return;
    }
    try_poly(face_gap(p), out, [&](Root& r) { return face_inside(p, r); });
    for (const auto& [i, j] : p.edges)
        try_poly(edge_gap(p, i, j), out, [&, i = i, j = j](Root& r) { return edge_inside(p, i, j, r); });
    for (int i = 0; i < p.corners; ++i) try_poly(corner_gap(p, i), out, [](Root&) { return true; });
}

// numbers with a bound of their error: enough to see that the volume keeps its sign
struct Ball {
    double mid, radius;
};
Ball operator-(const Ball& a, const Ball& b) {
    const double m = a.mid - b.mid;
    return {m, (a.radius + b.radius + std::abs(m) * 0x1p-52) * (1 + 0x1p-50)};
}
Ball operator+(const Ball& a, const Ball& b) {
    const double m = a.mid + b.mid;
    return {m, (a.radius + b.radius + std::abs(m) * 0x1p-52) * (1 + 0x1p-50)};
}
Ball operator*(const Ball& a, const Ball& b) {
    const double m = a.mid * b.mid;
    const double r = std::abs(a.mid) * b.radius + a.radius * std::abs(b.mid) + a.radius * b.radius;
    return {m, (r + std::abs(m) * 0x1p-52) * (1 + 0x1p-50) + 1e-300};
}
Ball volume(const Ball (&u)[3], const Ball (&v)[3], const Ball (&w)[3]) {
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

bool filter_misses(FeaturePair pair, const CcdPoints& x0, const CcdPoints& x1) {
    Ball v[2][3][3]; // time, vector, component
    for (int t = 0; t < 2; ++t) {
        const CcdPoints& x = t ? x1 : x0;
        for (int k = 0; k < 3; ++k) {
            const auto diff = [&](int i, int j) { return Ball{x[i][k], 0} - Ball{x[j][k], 0}; };
            v[t][0][k] = pair == FeaturePair::edge_edge ? diff(2, 0) : diff(0, 1);
            v[t][1][k] = pair == FeaturePair::edge_edge ? diff(1, 0) : diff(2, 1);
            v[t][2][k] = pair == FeaturePair::edge_edge ? diff(3, 2) : diff(3, 1);
        }
    }
    int above = 0, below = 0;
    for (int k = 0; k < 4; ++k) { // Bernstein coefficients times their binomials
        Ball sum{0, 0};
        for (int m = 0; m < 8; ++m)
            if (((m & 1) + (m >> 1 & 1) + (m >> 2)) == k)
                sum = sum + volume(v[m & 1][0], v[m >> 1 & 1][1], v[m >> 2][2]);
        above += sum.mid > sum.radius, below += sum.mid < -sum.radius;
    }
    return above == 4 || below == 4;
}

} // namespace

void find_truth(FeaturePair pair, const CcdPoints& x0, const CcdPoints& x1, double separation, bool filter,
                Truth& out) {
    out = {};
    const bool has_plane = pair == FeaturePair::vertex_triangle || pair == FeaturePair::edge_edge;
    if (filter && has_plane && separation == 0 && filter_misses(pair, x0, x1)) {
        out.filtered = true;
        return;
    }
    const Problem p = make_problem(pair, x0, x1, separation);
    if (separation > 0)
        find_within(p, out);
    else
        find_touching(p, out);
    if (!out.hit || !out.root.of) return;
    refine_to(out.root, 32);
    out.low = to_double(out.root.a), out.high = to_double(out.root.b);
}

bool is_first_before(Truth& truth, double t) {
    if (!truth.root.of) return 0 < t;
    return is_before(truth.root, t);
}

} // namespace sinew::judge
