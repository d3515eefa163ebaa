// Programmer errors.
//   SINEW_ASSERT(condition)    everywhere except in Release builds (SINEW_ASSERTS)
//   SINEW_VALIDATE(condition)  heavy checks of whole structures, debug builds only (SINEW_VALIDATES)
// A failed check calls the handler; the default one writes the place to stderr and aborts, tests and
// embedding programs may set their own. Wrong input is never an assertion: it is returned as Error.
#pragma once

namespace sinew {

using AssertHandler = void (*)(const char* condition, const char* file, int line, const char* function);
AssertHandler set_assert_handler(AssertHandler); // nullptr = default; gives back the one before
void assert_failed(const char* condition, const char* file, int line, const char* function);

} // namespace sinew

#define SINEW_CHECK_ALWAYS(...)                                                                              \
    ((__VA_ARGS__) ? void(0) : ::sinew::assert_failed(#__VA_ARGS__, __FILE__, __LINE__, __func__))
#ifdef SINEW_ASSERTS
#define SINEW_ASSERT(...) SINEW_CHECK_ALWAYS(__VA_ARGS__)
#else
#define SINEW_ASSERT(...) (void(sizeof(bool(__VA_ARGS__))))
#endif
#ifdef SINEW_VALIDATES
#define SINEW_VALIDATE(...) SINEW_CHECK_ALWAYS(__VA_ARGS__)
#else
#define SINEW_VALIDATE(...) (void(sizeof(bool(__VA_ARGS__))))
#endif
