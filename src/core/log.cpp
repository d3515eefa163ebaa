#include "core/log.h"

namespace sinew {

void log_formatted(const Context& context, LogLevel level, fmt::string_view format, fmt::format_args args) {
    context.log(level, fmt::vformat(format, args));
}

} // namespace sinew
