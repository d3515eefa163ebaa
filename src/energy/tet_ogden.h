// Ogden's rubber (1972), a member of the Valanis-Landel class (tet_valanis_landel.h) whose functions the scene gives:
//   a(s) = sum_p m_p/n_p (s^n_p - 1),   b(s_i s_j) = sum_q M_q/N_q ((s_i s_j)^N_q - 1),   c(J) = -(sum m_p + 2 sum M_q) log J + k/2 (J - 1)^2
//   m, M [Pa] and exponents n, N up to three each; k [Pa] against change of volume
// Stress-free at rest by the logarithm. For small strain G = 1/2 (sum m_p n_p + sum M_q N_q), lambda = k + sum M_q N_q.
// n = 2: Neo-Hookean; n = 2 and N = 2: Mooney and Rivlin. Infinite for det F <= 0.
// psi >= 0 if m_p n_p > 0 and M_q N_q > 0; with terms of the other sign there may be places of less energy than rest, or no least energy.
#pragma once
#include "energy/tet_valanis_landel.h"
#include <algorithm>
#include <vector>

namespace sinew {

struct OgdenMember {
    static constexpr int kTerms = 3;
    std::array<Real, kTerms> stretch_modulus{}, stretch_exponent{}, area_modulus{}, area_exponent{};
    Real volume = 0, balance = 0; // [Pa] k, sum m + 2 sum M
    Real lower = 0;               // [Pa] psi is never below

    static Series2 sum(const std::array<Real, kTerms>& modulus, const std::array<Real, kTerms>& exponent, const Series2& x) {
        Series2 out;
        for (int p = 0; p < kTerms; ++p)
            if (modulus[p] != 0) out = out + Series2(modulus[p] / exponent[p]) * (pow(x, exponent[p]) - Series2(1));
        return out;
    }
    Series2 a(const Series2& s) const { return sum(stretch_modulus, stretch_exponent, s); }
    Series2 b(const Series2& s) const { return sum(area_modulus, area_exponent, s); }
    Series2 c(const Series2& J) const {
        return Series2(0.5 * volume) * (J - Series2(1)) * (J - Series2(1)) - Series2(balance) * log(J);
    }
};

// Least value of sum m_p ((s^n_p - 1)/n_p - ln s) over stretches s from e^-7 to e^7, -infinity if it falls towards an end of them.
// By u = ln s, in which the slope is sum m_p (e^(n_p u) - 1); terms with m n > 0 have theirs, zero, at u = 0.
inline Real least_of_powers(const std::array<Real, OgdenMember::kTerms>& modulus, const std::array<Real, OgdenMember::kTerms>& exponent) {
    constexpr int kPieces = 280;
    constexpr Real kEnd = 7, kPiece = 2 * kEnd / kPieces;
    const auto sum = [&](auto&& term) {
        Real out = 0;
        for (int p = 0; p < OgdenMember::kTerms; ++p)
            if (modulus[p] != 0) out += modulus[p] * term(exponent[p]);
        return out;
    };
    const auto value = [&](Real u) { return sum([&](Real n) { return std::expm1(n * u) / n - u; }); };
    const auto slope = [&](Real u) { return sum([&](Real n) { return std::expm1(n * u); }); };
    bool positive = true;
    for (int p = 0; p < OgdenMember::kTerms; ++p) positive = positive && modulus[p] * exponent[p] >= 0;
    if (positive) return 0;
    if (!(slope(-kEnd) <= 0 && slope(kEnd) >= 0)) return -std::numeric_limits<Real>::infinity();
    Real least = 0;
    for (int k = 0; k < kPieces; ++k) {
        Real from = -kEnd + k * kPiece, to = from + kPiece;
        least = std::min(least, value(from));
        if (!(slope(from) < 0 && slope(to) >= 0)) continue;
        for (int halved = 0; halved < 50; ++halved) {
            const Real middle = 0.5 * (from + to);
            (slope(middle) < 0 ? from : to) = middle;
        }
        least = std::min(least, value(to));
    }
    return least;
}

struct TetOgden : TetValanisLandel<TetOgden, OgdenMember> {
    static constexpr std::string_view name = "tet_ogden";
    static constexpr std::string_view doc = "tetrahedron of Ogden's rubber: sums of powers of the stretches and of their products";
    static constexpr bool inverts = false;
    struct Params {
        std::vector<Real> moduli{38461.5}, exponents{2}; // of Young's modulus 1e5, Poisson's ratio 0.3
        std::vector<Real> area_moduli, area_exponents;
        Real bulk = 57692.3;
    };
    template <class V> static void fields(Params& p, V&& v) {
        v("moduli", p.moduli, Field{.most_count = 3, .unit = "Pa", .doc = "of powers of stretches"});
        v("exponents", p.exponents, Field{.most_count = 3, .doc = "of stretches, not zero, as many as moduli"});
        v("area_moduli", p.area_moduli, Field{.most_count = 3, .unit = "Pa", .doc = "of powers of products of two stretches"});
        v("area_exponents", p.area_exponents, Field{.most_count = 3, .doc = "of products, not zero, as many as area_moduli"});
        v("bulk", p.bulk, Field{.min = 0, .unit = "Pa", .doc = "against change of volume"});
    }
    static OgdenMember member(const Params& p) {
        OgdenMember m;
        m.volume = p.bulk;
        // terms without exponent are left out
        const auto take = [&](const std::vector<Real>& modulus, const std::vector<Real>& exponent, std::array<Real, 3>& to, std::array<Real, 3>& power,
                              Real weight) {
            for (std::size_t i = 0; i < std::min({modulus.size(), exponent.size(), std::size_t(3)}); ++i) {
                if (exponent[i] == 0) continue;
                to[i] = modulus[i];
                power[i] = exponent[i];
                m.balance += weight * modulus[i];
            }
        };
        take(p.moduli, p.exponents, m.stretch_modulus, m.stretch_exponent, 1);
        take(p.area_moduli, p.area_exponents, m.area_modulus, m.area_exponent, 2);
        m.lower = 3 * (least_of_powers(m.stretch_modulus, m.stretch_exponent) + least_of_powers(m.area_modulus, m.area_exponent));
        return m;
    }
    static Real lower_bound(const Data& d) { return d.shape.volume > 0 ? d.shape.volume * d.member.lower : 0; }
    // Exponents 1, 2, 3 with a second rest of less energy at the stretch b, beyond a hill at a: a' + c' of one stretch = k (s - 1)(s - a)(s - b)/s
    static Params two_rests(Real k, Real a, Real b) {
        Params p;
        p.moduli = {k * (a * b + a + b), -k * (a + b + 1), k};
        p.exponents = {1, 2, 3};
        p.bulk = 0;
        return p;
    }
    static Lame small_strain(const OgdenMember& m) {
        Lame l{0, m.volume};
        for (int p = 0; p < OgdenMember::kTerms; ++p) {
            l.mu += 0.5 * (m.stretch_modulus[p] * m.stretch_exponent[p] + m.area_modulus[p] * m.area_exponent[p]);
            l.lambda += m.area_modulus[p] * m.area_exponent[p];
        }
        return l;
    }
    static OgdenMember draw_member(Rng& rng) {
        if (draw_int(rng, 3) == 0) {
            const Real b = draw_uniform(rng, 1.3, 1.7);
            return member(two_rests(draw_uniform(rng, 5, 20), 0.9 + 0.1 * b, b));
        }
        Params p;
        p.moduli = {draw_uniform(rng, 1, 5), draw_uniform(rng, 0.1, 1)};
        p.exponents = {draw_uniform(rng, 1.2, 2.5), draw_uniform(rng, 3, 5)};
        p.area_moduli = {draw_uniform(rng, 0.1, 1)};
        p.area_exponents = {draw_uniform(rng, 1, 2.5)};
        p.bulk = draw_uniform(rng, 1, 20);
        return member(p);
    }
};

} // namespace sinew
