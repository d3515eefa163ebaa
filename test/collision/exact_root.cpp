#include "collision/exact_root.h"
#include <cmath>

namespace sinew::judge {

static void trim(Poly& p) {
    while (!p.empty() && p.back() == 0) p.pop_back();
}
Poly operator+(const Poly& a, const Poly& b) {
    Poly r(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < a.size(); ++i) r[i] += a[i];
    for (std::size_t i = 0; i < b.size(); ++i) r[i] += b[i];
    trim(r);
    return r;
}
Poly operator-(const Poly& a, const Poly& b) {
    Poly r(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < a.size(); ++i) r[i] += a[i];
    for (std::size_t i = 0; i < b.size(); ++i) r[i] -= b[i];
    trim(r);
    return r;
}
Poly operator*(const Poly& a, const Poly& b) {
    if (a.empty() || b.empty()) return {};
    Poly r(a.size() + b.size() - 1);
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j) r[i + j] += a[i] * b[j];
    trim(r);
    return r;
}
Poly scaled(const Poly& a, const mpz_class& s) {
    Poly r = a;
    for (mpz_class& c : r) c *= s;
    trim(r);
    return r;
}

Dyadic dyadic(double x) {
    int e;
    const double m = std::frexp(x, &e); // x = m 2^e, m 2^53 integer
    Dyadic d;
    d.numerator = mpz_class(std::ldexp(m, 53));
    if (e >= 53)
        d.numerator <<= unsigned(e - 53);
    else
        d.exponent = unsigned(53 - e);
    return d;
}
double to_double(const Dyadic& d) {
    long e;
    const double m = mpz_get_d_2exp(&e, d.numerator.get_mpz_t());
    return std::ldexp(m, int(e) - int(d.exponent));
}

// p(t) 2^(e deg) = sum c_i n^i 2^(e (deg - i))
static void scaled_value(const Poly& p, const Dyadic& t, mpz_class& v) {
    v = p.back();
    mpz_class term;
    for (std::size_t k = p.size() - 1, shift = t.exponent; k-- > 0; shift += t.exponent) {
        v *= t.numerator;
        mpz_mul_2exp(term.get_mpz_t(), p[k].get_mpz_t(), shift);
        v += term;
    }
}
int sign_at(const Poly& p, const Dyadic& t) {
    if (p.empty()) return 0;
    mpz_class v;
    scaled_value(p, t, v);
    return sgn(v);
}

static Poly derivative(const Poly& p) {
    Poly d;
    for (std::size_t i = 1; i < p.size(); ++i) d.push_back(p[i] * long(i));
    return d;
}
static void divide_content(Poly& p) {
    mpz_class g = 0;
    for (const mpz_class& c : p) g = gcd(g, c);
    if (g > 1)
        for (mpz_class& c : p) mpz_divexact(c.get_mpz_t(), c.get_mpz_t(), g.get_mpz_t());
}
// a positive multiple of the remainder of a by b
static Poly remainder(Poly a, const Poly& b) {
    const mpz_class lead = b.back(), size = abs(lead);
    while (a.size() >= b.size()) {
        const mpz_class q = a.back() * sgn(lead);
        const std::size_t shift = a.size() - b.size();
        for (mpz_class& c : a) c *= size;
        for (std::size_t i = 0; i < b.size(); ++i) a[i + shift] -= q * b[i];
        trim(a);
    }
    divide_content(a);
    return a;
}
static Poly common_divisor(Poly a, Poly b) {
    while (!b.empty()) {
        Poly r = remainder(a, b);
        a = std::move(b), b = std::move(r);
    }
    return a;
}

Sturm sturm_chain(const Poly& p) {
    Sturm s{p, derivative(p)};
    while (!s.back().empty()) {
        Poly r = remainder(s[s.size() - 2], s.back());
        for (mpz_class& c : r) c = -c;
        s.push_back(std::move(r));
    }
    s.pop_back();
    return s;
}
static int variations(const Sturm& s, const Dyadic& t) {
    int last = 0, count = 0;
    for (const Poly& p : s) {
        const int v = sign_at(p, t);
        if (v && last && v != last) ++count;
        if (v) last = v;
    }
    return count;
}
// a multiple root at an end spoils the plain count: divide by the last of the chain's common factor first
int count_roots(const Sturm& s, const Dyadic& a, const Dyadic& b) {
    if (s.back().size() > 1) { // not square free: same roots once each
        Poly quotient, rest = s[0];
        const Poly& d = s.back();
        // exact division over the rationals, scaled by the leading coefficient
        quotient.resize(rest.size() - d.size() + 1);
        while (rest.size() >= d.size()) {
            const std::size_t shift = rest.size() - d.size();
            const mpz_class q = rest.back();
            for (mpz_class& c : quotient) c *= d.back();
            quotient[shift] += q;
            for (mpz_class& c : rest) c *= d.back();
            for (std::size_t i = 0; i < d.size(); ++i) rest[i + shift] -= q * d[i];
            trim(rest);
        }
        divide_content(quotient);
        return count_roots(sturm_chain(quotient), a, b);
    }
    return variations(s, a) - variations(s, b);
}

static Dyadic middle(const Dyadic& a, const Dyadic& b) {
    Dyadic x = a, y = b;
    if (x.exponent < y.exponent) x.numerator <<= y.exponent - x.exponent, x.exponent = y.exponent;
    if (y.exponent < x.exponent) y.numerator <<= x.exponent - y.exponent;
    return {x.numerator + y.numerator, x.exponent + 1};
}

static void isolate(const Poly& p, const Sturm& s, const Dyadic& a, const Dyadic& b, int count,
                    std::vector<Root>& out) {
    if (count == 0) return;
    if (count == 1) {
        out.push_back({&p, &s, a, b});
        return;
    }
    const Dyadic m = middle(a, b);
    const int left = count_roots(s, a, m);
    isolate(p, s, a, m, left, out);
    isolate(p, s, m, b, count - left, out);
}
std::vector<Root> isolate_roots(const Poly& p, const Sturm& s) {
    std::vector<Root> roots;
    const Dyadic zero{0, 0}, one{1, 0};
    isolate(p, s, zero, one, count_roots(s, zero, one), roots);
    return roots;
}

void refine(Root& r) {
    if (!r.of) return;
    const Dyadic m = middle(r.a, r.b);
    const int sa = sign_at(*r.of, r.a), sm = sign_at(*r.of, m);
    bool left; // is the root in (a, m]
    if (sm == 0)
        left = true;
    else if (sa != 0 && r.chain->back().size() <= 1)
        left = sa != sm; // simple root
    else
        left = count_roots(*r.chain, r.a, m) == 1;
    (left ? r.b : r.a) = m;
}
void refine_to(Root& r, unsigned bits) {
    while (r.of && std::max(r.a.exponent, r.b.exponent) < bits) refine(r);
}

int sign_at_root(const Poly& g, Root& r) {
    if (!r.of || g.size() <= 1) return sign_at(g, r.b);
    mpz_class slope = 0; // bound of |g'| on [0, 1]
    for (std::size_t i = 1; i < g.size(); ++i) slope += abs(g[i]) * long(i);
    bool zero_tested = false;
    mpz_class value, bound;
    for (;;) {
        // |g(b)| > slope (b - a)?  (b - a is one unit of the finer exponent)
        const unsigned bits = std::max(r.a.exponent, r.b.exponent);
        scaled_value(g, r.b, value);
        mpz_mul_2exp(bound.get_mpz_t(), slope.get_mpz_t(), r.b.exponent * (g.size() - 1));
        mpz_mul_2exp(value.get_mpz_t(), value.get_mpz_t(), bits);
        if (mpz_cmpabs(value.get_mpz_t(), bound.get_mpz_t()) > 0) return sgn(value);
        if (bits > 90 && !zero_tested) {
            zero_tested = true;
            const Poly d = common_divisor(*r.of, g);
            if (d.size() > 1 && count_roots(sturm_chain(d), r.a, r.b) > 0) return 0;
        }
        for (int i = 0; i < 8; ++i) refine(r);
    }
}

bool is_before(const Root& r, double t) {
    if (!r.of) return to_double(r.b) < t;
    if (t <= to_double(r.a) && t <= 0) return false;
    const Dyadic at = dyadic(t);
    // roots in (a, t), open at t: the count includes t itself
    const Poly compare_a{-at.numerator, mpz_class(1) << at.exponent}; // sign of x - t
    if (sign_at(compare_a, r.a) >= 0) return false;
    if (sign_at(compare_a, r.b) < 0) return true;
    return count_roots(*r.chain, r.a, at) == 1 && sign_at(*r.of, at) != 0;
}

} // namespace sinew::judge
