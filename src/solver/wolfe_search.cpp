#include "solver/wolfe_search.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr Real kDelta = 0.1;
constexpr int kMostProbes = 60;
constexpr Real kGrow = 2;    // of lengths that are too short
constexpr Real kShrink = 0.66; // an interval that has not shrunk by this much is halved (Hager and Zhang's gamma)

// a length with what is known there
struct Probe {
    Real a = 0;
    Merit merit;
    Real slope = 0;
};

struct LineProbe {
    const SlopedFunction& phi;
    const Merit& start;
    Real slope0;
    SearchResult result{};

    Probe value(Real a) {
        ++result.evaluations;
        return {a, phi.at(phi.data, a), 0};
    }
    void add_slope(Probe& p) { p.slope = phi.slope(phi.data, p.a); }
    Probe look(Real a) {
        Probe p = value(a);
        if (std::isfinite(p.merit.value)) add_slope(p);
        return p;
    }
    Real rounding(const Probe& p) const { return kMeritRounding * std::max(start.size, p.merit.size); }
    Real rise(const Probe& p) const { return p.merit.value - start.value; }
    bool tries_left() const { return result.evaluations < kMostProbes; }
    SearchResult accept(const Probe& p) {
        result.found = p.a > 0;
        result.length = p.a;
        result.merit = p.merit;
        return result;
    }
};

// ---- strong Wolfe

bool is_high(const LineProbe& l, const Probe& p) {
    return !(l.rise(p) <= kSufficientDecrease * p.a * l.slope0 + l.rounding(p));
}

// lo: the best length so far, its slope points towards hi
SearchResult zoom(LineProbe& l, Probe lo, Probe hi, Real c2) {
    while (l.tries_left()) {
        const Real d = hi.a - lo.a;
        if (std::abs(d) <= 1e-14 * std::max(lo.a, hi.a)) break;
        // minimum of the parabola through lo with its slope and hi
        Real a = lo.a - 0.5 * lo.slope * d * d / (hi.merit.value - lo.merit.value - lo.slope * d);
        const Real nearest = lo.a + 0.1 * d, farthest = lo.a + 0.9 * d;
        if (!std::isfinite(a)) a = lo.a + 0.1 * d;
        a = std::clamp(a, std::min(nearest, farthest), std::max(nearest, farthest));
        Probe p = l.value(a);
        if (!std::isfinite(p.merit.value) || is_high(l, p) || p.merit.value > lo.merit.value + l.rounding(p)) {
            hi = p;
            continue;
        }
        l.add_slope(p);
        if (std::abs(p.slope) <= -c2 * l.slope0) return l.accept(p);
        if (p.slope * (hi.a - lo.a) >= 0) hi = lo;
        lo = p;
    }
    return l.accept(lo); // decreases enough, with too much slope left
}

// ---- approximate Wolfe

bool meets_wolfe(const LineProbe& l, const Probe& p, Real sigma) {
    if (!std::isfinite(p.merit.value) || p.slope < sigma * l.slope0) return false;
    if (l.rise(p) <= kDelta * p.a * l.slope0) return true;
    return p.slope <= (2 * kDelta - 1) * l.slope0 && l.rise(p) <= l.rounding(p);
}
bool is_above(const LineProbe& l, const Probe& p) {
    return !std::isfinite(p.merit.value) || l.rise(p) > l.rounding(p);
}

// slope(a) < 0 and Phi(a) not above the start; slope(b) >= 0
struct Bracket {
    Probe a, b;
};

// a: still going down, not above; b: going down again, above: between them lies a bracket. Stops at `done`.
bool squeeze(LineProbe& l, Bracket& k, Real sigma, Probe& done) {
    while (l.tries_left()) {
        const bool finite = std::isfinite(k.b.merit.value);
        const Probe d = l.look(k.a.a + (finite ? 0.5 : 0.1) * (k.b.a - k.a.a));
        if (meets_wolfe(l, d, sigma)) return done = d, true;
        if (std::isfinite(d.merit.value) && d.slope >= 0) {
            k.b = d;
            return false;
        }
        (is_above(l, d) ? k.b : k.a) = d;
    }
    return false;
}

// takes c into the bracket
bool update(LineProbe& l, Bracket& k, const Probe& c, Real sigma, Probe& done) {
    if (!(c.a > k.a.a && c.a < k.b.a)) return false;
    if (std::isfinite(c.merit.value) && c.slope >= 0) return k.b = c, false;
    if (!is_above(l, c)) return k.a = c, false;
    k.b = c;
    return squeeze(l, k, sigma, done);
}

Real secant(const Probe& a, const Probe& b) { return (a.a * b.slope - b.a * a.slope) / (b.slope - a.slope); }

// a step of the secant method on Phi', and a second one from the end that has moved
bool secant_steps(LineProbe& l, Bracket& k, Real sigma, Probe& done) {
    const Bracket before = k;
    const auto take = [&](Real at) {
        if (!(at > k.a.a && at < k.b.a) || !l.tries_left()) return false;
        const Probe c = l.look(at);
        if (meets_wolfe(l, c, sigma)) return done = c, true;
        return update(l, k, c, sigma, done);
    };
    const Real at = secant(k.a, k.b);
    if (take(at)) return true;
    if (k.b.a == at) return take(secant(before.b, k.b));
    if (k.a.a == at) return take(secant(before.a, k.a));
    return false;
}

} // namespace

SearchResult search_strong_wolfe(const SlopedFunction& phi, const Merit& start, Real slope, Real c2) {
    LineProbe l{phi, start, slope};
    if (!(slope < 0)) return l.result;
    Probe before{0, start, slope};
    Real a = 1;
    while (l.tries_left()) {
        Probe p = l.value(a);
        if (!std::isfinite(p.merit.value)) {
            a = before.a + 0.1 * (a - before.a);
            continue;
        }
        if (is_high(l, p) || (before.a > 0 && p.merit.value >= before.merit.value)) return zoom(l, before, p, c2);
        l.add_slope(p);
        if (std::abs(p.slope) <= -c2 * slope) return l.accept(p);
        if (p.slope >= 0) return zoom(l, p, before, c2);
        before = p;
        a *= kGrow;
    }
    return l.accept(before);
}

SearchResult search_approximate_wolfe(const SlopedFunction& phi, const Merit& start, Real slope, Real sigma) {
    LineProbe l{phi, start, slope};
    if (!(slope < 0)) return l.result;
    Bracket k{{0, start, slope}, {}};
    Probe done;
    // bracket: lengths grow until Phi rises
    for (Real a = 1;; a *= kGrow) {
        if (!l.tries_left()) return l.accept(k.a);
        const Probe c = l.look(a);
        if (meets_wolfe(l, c, sigma)) return l.accept(c);
        const bool finite = std::isfinite(c.merit.value);
        if ((finite && c.slope >= 0) || is_above(l, c)) {
            k.b = c;
            if (!finite || c.slope < 0)
                if (squeeze(l, k, sigma, done)) return l.accept(done);
            break;
        }
        k.a = c;
    }
    while (l.tries_left()) {
        const Real width = k.b.a - k.a.a;
        if (width <= 1e-14 * k.b.a) break;
        if (secant_steps(l, k, sigma, done)) return l.accept(done);
        if (k.b.a - k.a.a > kShrink * width) {
            const Probe middle = l.look(0.5 * (k.a.a + k.b.a));
            if (meets_wolfe(l, middle, sigma)) return l.accept(middle);
            if (update(l, k, middle, sigma, done)) return l.accept(done);
        }
    }
    return l.accept(k.a);
}

} // namespace sinew
