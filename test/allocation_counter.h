// How often this executable has asked for memory: operator new, and malloc and its kin called by what is linked into it, which
// is the library sinew with all that it compiles of Eigen. Executables that use it list allocation_counter.cpp; test/CMakeLists.txt then
// has the linker lead their malloc here. Exceptions, by name:
//   shared libraries (CHOLMOD, OpenBLAS, oneTBB, libc)  their own calls of malloc are not seen
//   Eigen's sparse factorisations (LDL^T and LU)        seen; tests of what goes through them look at new_count() alone
//   the method `mlcp` of velocity, a dense reference    seen; there is no test that it allocates nothing
// Sanitizers bring a malloc of their own: there operator new alone is counted, under the thread sanitizer nothing, and tests that
// count begin with SINEW_NEEDS_ALLOCATION_COUNT.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define SINEW_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SINEW_COUNTS_ALLOCATIONS 0
#endif
#endif
#ifndef SINEW_COUNTS_ALLOCATIONS
#define SINEW_COUNTS_ALLOCATIONS 1
#endif
#define SINEW_NEEDS_ALLOCATION_COUNT                                                                         \
    if (!SINEW_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own operator new"

namespace sinew {
long allocation_count(); // all of it
long new_count();        // operator new alone
bool sees_malloc();      // false under sanitizers
}
