#include "allocation_counter.h"
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

static std::atomic<long> by_new{0}, by_malloc{0};

#if SINEW_COUNTS_ALLOCATIONS
// The linker turns malloc of this executable into __wrap_malloc, and __real_malloc into malloc (test/CMakeLists.txt). Builds that do
// not ask it to have no __real_...: these are null then.
extern "C" {
[[gnu::weak]] void* __real_malloc(std::size_t);
[[gnu::weak]] void* __real_calloc(std::size_t, std::size_t);
[[gnu::weak]] void* __real_realloc(void*, std::size_t);
[[gnu::weak]] void* __real_aligned_alloc(std::size_t, std::size_t);
[[gnu::weak]] void* __real_memalign(std::size_t, std::size_t);
[[gnu::weak]] int __real_posix_memalign(void**, std::size_t, std::size_t);
void* __wrap_malloc(std::size_t size) { return ++by_malloc, __real_malloc(size); }
void* __wrap_calloc(std::size_t count, std::size_t size) { return ++by_malloc, __real_calloc(count, size); }
void* __wrap_realloc(void* p, std::size_t size) { return ++by_malloc, __real_realloc(p, size); }
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) { return ++by_malloc, __real_aligned_alloc(alignment, size); }
void* __wrap_memalign(std::size_t alignment, std::size_t size) { return ++by_malloc, __real_memalign(alignment, size); }
int __wrap_posix_memalign(void** p, std::size_t alignment, std::size_t size) { return ++by_malloc, __real_posix_memalign(p, alignment, size); }
}
bool sinew::sees_malloc() { return __real_malloc != nullptr; }

// memory of operator new is counted here alone
static void* take(std::size_t size, std::size_t alignment) {
    ++by_new;
    if (alignment <= alignof(std::max_align_t)) return __real_malloc ? __real_malloc(size ? size : 1) : std::malloc(size ? size : 1);
    const std::size_t whole = (size + alignment - 1) / alignment * alignment;
    return __real_aligned_alloc ? __real_aligned_alloc(alignment, whole) : std::aligned_alloc(alignment, whole);
}
static void* take_or_throw(std::size_t size, std::size_t alignment) {
    void* p = take(size, alignment);
    if (!p) throw std::bad_alloc();
    return p;
}
void* operator new(std::size_t size) { return take_or_throw(size, 0); }
void* operator new[](std::size_t size) { return take_or_throw(size, 0); }
void* operator new(std::size_t size, std::align_val_t a) { return take_or_throw(size, std::size_t(a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return take_or_throw(size, std::size_t(a)); }
// std::stable_sort asks for its buffer this way: all that delete frees has to come from here
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return take(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return take(size, 0); }
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
#else
bool sinew::sees_malloc() { return false; }
#endif

long sinew::allocation_count() { return by_new + by_malloc; }
long sinew::new_count() { return by_new; }
