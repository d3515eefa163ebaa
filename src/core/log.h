// One log callback, in the Context; the library itself never prints. Arguments as in fmt:
//   log(context, LogLevel::info, "dt = {} s ({})", dt, reason);
#pragma once
#include "sinew/types.h"
#include <fmt/core.h>

namespace sinew {

void log_formatted(const Context&, LogLevel, fmt::string_view format, fmt::format_args args);

template <class... Args>
void log(const Context& context, LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
    if (context.log) log_formatted(context, level, format, fmt::make_format_args(args...));
}

} // namespace sinew
