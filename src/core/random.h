// Counter-based random numbers: a hash of (seed, stream, index), so that item i of a stream can be drawn
// without drawing the ones before it, in any order and on any thread. Same bits on every machine: no std
// distributions, no libm calls (the logarithm of `normal` is a fixed sum of products, sqrt is correctly
// rounded by IEEE 754).
//   bits    = mix(mix(mix(seed + g) ^ stream + g) ^ index + g)   mix = splitmix64's finaliser, g = golden
//   ratio uniform = top 53 bits * 2^-53, in [0, 1) normal  = Marsaglia's polar method, unit vectors by
//   rejection in the ball
#pragma once
#include "core/hash.h"
#include "sinew/types.h"

namespace sinew {

inline constexpr std::uint64_t kGolden64 = 0x9e3779b97f4a7c15ull;

inline constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
    return mix64((mix64((mix64(seed + kGolden64) ^ stream) + kGolden64) ^ index) + kGolden64);
}
inline constexpr double unit_double(std::uint64_t bits) { return double(bits >> 11) * 0x1p-53; }
inline constexpr double random_uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
    return unit_double(random_bits(seed, stream, index));
}

// A position in a stream; each draw advances `index`. Copy it to replay.
struct Rng {
    std::uint64_t seed = 0, stream = 0, index = 0;
};

std::uint64_t draw_bits(Rng&);
double draw_uniform(Rng&);                     // [0, 1)
double draw_uniform(Rng&, double a, double b); // [a, b)
int draw_int(Rng&, int n);                     // 0 .. n-1, unbiased; n >= 1
double draw_normal(Rng&);                      // mean 0, variance 1
Real3 draw_in_ball(Rng&);                      // uniform in the unit ball
Real3 draw_unit_vector(Rng&);                  // uniform on the unit sphere
Real4 draw_rotation(Rng&);                     // uniform rotation

} // namespace sinew
