// sinew explain and sinew schema: everything with parameters, from the same `fields` that read a scene.
#include "command.h"
#include "scene/language.h"
#include <fmt/format.h>

namespace sinew {

int command_explain(const std::string& name, bool markdown) {
    if (markdown) {
        fmt::print("{}", language_page());
        return kOk;
    }
    const Explanation e = explain(name);
    if (!e.text.empty()) {
        fmt::print("{}", e.text);
        return kOk;
    }
    print_errors({Error{.path = "explain", .value = name, .message = "nothing of this name", .allowed = e.allowed, .nearest = e.nearest}});
    return kBadInput;
}

int command_schema() {
    fmt::print("{}\n", write_value(language_schema()));
    return kOk;
}

} // namespace sinew
