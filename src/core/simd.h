// Which instruction sets this machine has. Faster paths are compiled per function ([[gnu::target("avx2")]])
// and chosen at run time; they use the same IEEE operations in the same order as the plain path, never a
// fused multiply-add, so that the choice does not change bits.
#pragma once

namespace sinew {

#if defined(__x86_64__) && defined(__GNUC__)
#define SINEW_HAVE_AVX2 1
inline bool has_avx2() { return __builtin_cpu_supports("avx2"); }
#else
inline bool has_avx2() { return false; }
#endif

} // namespace sinew
