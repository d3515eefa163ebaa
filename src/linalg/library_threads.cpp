#include "linalg/library_threads.h"
#if defined(__unix__) || defined(__APPLE__)
#include <dlfcn.h>
#endif

namespace sinew {

// Found at run time, because BLAS and OpenMP come in through CHOLMOD and may be any make of library.
template <class F> static F find_function([[maybe_unused]] const char* name) {
#if defined(__unix__) || defined(__APPLE__)
    return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
#else
    return nullptr;
#endif
}

void pin_blas_threads() {
    static const auto count = find_function<int (*)()>("openblas_get_num_threads");
    static const auto set = find_function<void (*)(int)>("openblas_set_num_threads");
    if (count && set && count() != 1) set(1);
}

static const auto& find_set_levels() {
    static const auto set = find_function<void (*)(int)>("omp_set_max_active_levels");
    return set;
}

SerialOpenmp::SerialOpenmp() {
    static const auto levels = find_function<int (*)()>("omp_get_max_active_levels");
    if (!levels || !find_set_levels()) return;
    levels_before = levels();
    find_set_levels()(0);
}

SerialOpenmp::~SerialOpenmp() {
    if (levels_before >= 0) find_set_levels()(levels_before);
}

} // namespace sinew
