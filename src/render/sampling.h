// Where samples lie. One (0,2)-sequence (van der Corput and the second Sobol dimension) is dealt out to
// blocks of 4 x 4 pixels, so that the samples of any 16 neighbouring pixels together are as evenly spread as
// those of one pixel with 16 times as many (interleaved sampling: Keller, Heidrich 2001). Nothing depends on
// time or thread.
#pragma once
#include <cmath>
#include <cstdint>

namespace sinew {

struct Sample2 {
    float u, v; // 0 <= u, v < 1
};

inline std::uint32_t reverse_bits(std::uint32_t i) {
    i = (i << 16) | (i >> 16);
    i = ((i & 0x00ff00ffu) << 8) | ((i & 0xff00ff00u) >> 8);
    i = ((i & 0x0f0f0f0fu) << 4) | ((i & 0xf0f0f0f0u) >> 4);
    i = ((i & 0x33333333u) << 2) | ((i & 0xccccccccu) >> 2);
    return ((i & 0x55555555u) << 1) | ((i & 0xaaaaaaaau) >> 1);
}

// Point i of the sequence; the scrambles (xor of digits) keep its stratification and tell uses of one index
// apart.
inline Sample2 sequence_point(std::uint32_t i, std::uint32_t scramble_u, std::uint32_t scramble_v) {
    std::uint32_t v = scramble_v;
    for (std::uint32_t d = 1u << 31, n = i; n; n >>= 1, d ^= d >> 1)
        if (n & 1) v ^= d;
    const std::uint32_t u = reverse_bits(i) ^ scramble_u;
    return {float(u >> 8) * 0x1p-24f, float(v >> 8) * 0x1p-24f};
}

// 0..15, each once in every 4 x 4 window; neighbours are far apart in the sequence
inline std::uint32_t block_index(int x, int y) {
    static constexpr std::uint8_t order[16] = {0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};
    return order[(y & 3) * 4 + (x & 3)];
}

// Index in the sequence of sample `sample` at a pixel: first `base` samples for every pixel, then the others.
inline std::uint32_t sequence_index(int x, int y, int sample, int base, int most) {
    const std::uint32_t k = block_index(x, y);
    return sample < base ? k * base + sample : 16u * base + k * (most - base) + (sample - base);
}

// Unit disc with stratification kept (Shirley and Chiu 1997)
inline Sample2 on_disc(Sample2 s) {
    const float a = 2 * s.u - 1, b = 2 * s.v - 1;
    if (a == 0 && b == 0) return {0, 0};
    const float quarter = 0.78539816f, half = 1.57079633f;
    const bool wide = std::abs(a) > std::abs(b);
    const float r = wide ? a : b, phi = wide ? quarter * (b / a) : half - quarter * (a / b);
    return {r * std::cos(phi), r * std::sin(phi)};
}

// Offset of a sample within a tent of half width 1 pixel: smoother edges than a box
inline float in_tent(float u) { return u < 0.5f ? std::sqrt(2 * u) - 1 : 1 - std::sqrt(2 - 2 * u); }

} // namespace sinew
