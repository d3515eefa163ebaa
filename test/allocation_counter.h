// How often operator new was called in this executable. Executables that use it compile
// allocation_counter.cpp. What libraries written in C and oneTBB take inside goes through malloc and is not
// counted. The thread sanitizer brings an operator new of its own: there nothing is counted, and tests that
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
long allocation_count();
}
