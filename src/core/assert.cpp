#include "core/assert.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace sinew {

// the one mutable global: an assertion has no context at hand
static std::atomic<AssertHandler> handler{nullptr};

AssertHandler set_assert_handler(AssertHandler h) { return handler.exchange(h); }

void assert_failed(const char* condition, const char* file, int line, const char* function) {
    if (const AssertHandler h = handler.load()) {
        h(condition, file, line, function);
        return;
    }
    std::fprintf(stderr, "%s:%d: %s: assertion failed: %s\n", file, line, function, condition);
    std::abort();
}

} // namespace sinew
