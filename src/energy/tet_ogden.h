// Ogden's rubber (1972), a member of the Valanis-Landel class (tet_valanis_landel.h) whose functions the scene gives:
//   a(s) = sum_p m_p/n_p (s^n_p - 1),   b(s_i s_j) = sum_q M_q/N_q ((s_i s_j)^N_q - 1),   c(J) = -(sum m_p + 2 sum M_q) log J + k/2 (J - 1)^2
//   m, M [Pa] and exponents n, N up to three each; k [Pa] against change of volume
// Stress-free at rest by the logarithm. For small strain G = 1/2 (sum m_p n_p + sum M_q N_q), lambda = k + sum M_q N_q.
// n = 2: Neo-Hookean; n = 2 and N = 2: Mooney and Rivlin. Infinite for det F <= 0.
#pragma once
#include "energy/tet_valanis_landel.h"
#include <algorithm>
#include <vector>

namespace sinew {

struct OgdenMember {
    static constexpr int kTerms = 3;
    std::array<Real, kTerms> stretch_modulus{}, stretch_exponent{}, area_modulus{}, area_exponent{};
    Real volume = 0, balance = 0; // [Pa] k, sum m + 2 sum M

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
        return m;
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
