#include "allocation_counter.h"
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

static std::atomic<long> calls{0};

#if SINEW_COUNTS_ALLOCATIONS
static void* counted(std::size_t size, std::size_t alignment) {
    ++calls;
    void* p = alignment <= alignof(std::max_align_t)
                  ? std::malloc(size ? size : 1)
                  : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (!p) throw std::bad_alloc();
    return p;
}
void* operator new(std::size_t size) { return counted(size, 0); }
void* operator new[](std::size_t size) { return counted(size, 0); }
void* operator new(std::size_t size, std::align_val_t a) { return counted(size, std::size_t(a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return counted(size, std::size_t(a)); }
// std::stable_sort asks for its buffer this way: all that delete frees has to come from here
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return ++calls, std::malloc(size ? size : 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return ++calls, std::malloc(size ? size : 1); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
#endif

long sinew::allocation_count() { return calls; }
