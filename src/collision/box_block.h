// Eight boxes side by side, as single-precision numbers, and the comparisons of such blocks.
//
// Boxes are only ever compared, so rounding needs no outward margin: x -> float(x - origin) is monotone,
// hence
//   a <= b  =>  r(a) <= r(b)        a rounded comparison that fails is a proof of no overlap
//   r(a) < r(b)  =>  a < b          one that holds strictly is a proof of overlap
// and only equal rounded numbers need a look at the exact ones. Rounding commutes with minimum and maximum,
// so a tree of rounded boxes is the rounded tree. Rays and distances do arithmetic on the numbers and widen
// them first (exact_lo, exact_hi). Places without a box hold NaN, for which every comparison fails.
#pragma once
#include "geometry/bounds.h"
#include <cmath>
#include <cstdint>

namespace sinew {

inline constexpr int kBlock = 8;

struct alignas(32) BoxBlock {
    float lo[3][kBlock], hi[3][kBlock];
};

// a double beyond every float becomes an infinite one (IEEE 754)
inline float round_monotone(Real x) { return float(x); }

// Bounds in double of the number that was rounded to f: relative error 2^-24 of the rounding to float, 2^-53
// each of subtracting and adding the origin, 2^-150 among denormals.
inline Real exact_slack(Real f, Real origin) { return 6e-8 * std::abs(f) + 3e-16 * std::abs(origin) + 1e-45; }
inline Real exact_lo(float f, Real origin) {
    const Real x = std::fmin(Real(f), std::numeric_limits<float>::max());
    return origin + (x - exact_slack(x, origin));
}
inline Real exact_hi(float f, Real origin) {
    const Real x = std::fmax(Real(f), -Real(std::numeric_limits<float>::max()));
    return origin + (x + exact_slack(x, origin));
}

// Bit 8 i + j: box i of a may meet box j of b. `sure`: it does meet it.
struct Meetings {
    std::uint64_t may = 0, sure = 0;
};
// Comparisons for this machine, the same results by AVX2 and by plain loops.
struct BlockKernels {
    // all against all; only the boxes of a that may meet the whole of b, box `lane` of `bounds`, are looked
    // at
    std::uint64_t (*meet)(const BoxBlock& a, const BoxBlock& b, const BoxBlock& bounds, int lane);
    Meetings (*meet_leaves)(const BoxBlock& a, const BoxBlock& b, const BoxBlock& bounds, int lane);
    // bit j: box j may meet the rounded box q = lo, hi
    unsigned (*meet_box)(const BoxBlock&, const float q[6]);
    // boxes[id[0..8)], -1 = none, copied to `exact` (may be null) and rounded; true if a number is NaN
    bool (*round)(const Aabb* boxes, const int* id, const Vec3& origin, Aabb* exact, BoxBlock& out);
    // box `lane` of `out` becomes the bounds of the block, NaN where the block is empty
    void (*merge)(const BoxBlock&, int lane, BoxBlock& out);
};
const BlockKernels& plain_kernels();
const BlockKernels& block_kernels(); // the fastest

} // namespace sinew
