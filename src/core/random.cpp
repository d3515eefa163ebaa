#include "core/random.h"
#include <cmath>

namespace sinew {

// Natural logarithm from +, *, / only: x = m 2^k with m in [sqrt(1/2), sqrt(2)), log m = 2 atanh(s), s =
// (m-1)/(m+1). |s| < 0.1716, so that the terms left out are below s^24 < 1e-18 relative.
static double portable_log(double x) {
    int k = 0;
    double m = std::frexp(x, &k); // exact
    if (m < 0.70710678118654752) {
        m *= 2;
        --k;
    }
    const double s = (m - 1) / (m + 1), s2 = s * s;
    double sum = 0;
    for (int n = 23; n >= 1; n -= 2) sum = sum * s2 + 1.0 / n;
    return 2 * s * sum + k * 0.69314718055994531;
}

std::uint64_t draw_bits(Rng& r) { return random_bits(r.seed, r.stream, r.index++); }

double draw_uniform(Rng& r) { return unit_double(draw_bits(r)); }

double draw_uniform(Rng& r, double a, double b) { return a + (b - a) * draw_uniform(r); }

int draw_int(Rng& r, int n) {
    // reject the incomplete last block of 2^32, otherwise small numbers would be a little more frequent
    const std::uint64_t range = 1ull << 32, limit = range - range % std::uint64_t(n);
    for (;;) {
        const std::uint64_t b = draw_bits(r) >> 32;
        if (b < limit) return int(b % std::uint64_t(n));
    }
}

double draw_normal(Rng& r) {
    for (;;) {
        const double u = draw_uniform(r, -1, 1), v = draw_uniform(r, -1, 1), s = u * u + v * v;
        if (s > 0 && s < 1) return u * std::sqrt(-2 * portable_log(s) / s);
    }
}

Real3 draw_in_ball(Rng& r) {
    for (;;) {
        const double x = draw_uniform(r, -1, 1), y = draw_uniform(r, -1, 1), z = draw_uniform(r, -1, 1);
        if (x * x + y * y + z * z < 1) return {x, y, z};
    }
}

Real3 draw_unit_vector(Rng& r) {
    for (;;) {
        const Real3 p = draw_in_ball(r);
        const double n = std::sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
        if (n > 1e-3) return {p.x / n, p.y / n, p.z / n}; // shorter ones would lose digits
    }
}

Real4 draw_rotation(Rng& r) {
    for (;;) {
        const double w = draw_uniform(r, -1, 1), x = draw_uniform(r, -1, 1), y = draw_uniform(r, -1, 1),
                     z = draw_uniform(r, -1, 1);
        const double n2 = w * w + x * x + y * y + z * z;
        if (n2 < 1 && n2 > 1e-6) {
            const double n = std::sqrt(n2);
            return {w / n, x / n, y / n, z / n};
        }
    }
}

} // namespace sinew
