#include "command.h"
#include <cstdio>
#include <fmt/format.h>

namespace sinew {

void print_errors(const std::vector<Error>& errors) {
    for (const Error& e : errors) fmt::print(stderr, "error: {}\n", to_string(e));
    if (errors.size() > 1) fmt::print(stderr, "{} errors\n", errors.size());
}

Context make_context(int threads, bool quiet) {
    Context c;
    c.threads = threads;
    if (!quiet)
        c.log = [](LogLevel level, std::string_view text) {
            if (level != LogLevel::debug) fmt::print(stderr, "{}\n", text);
        };
    return c;
}

Result<Compiled> load_compiled(const std::string& file, const std::string& solver, const std::vector<std::string>& set,
                               bool check_only, Scene* out) {
    Result<Scene> scene = load_scene(file, set);
    if (!scene) return {std::nullopt, std::move(scene.errors)};
    Result<Compiled> compiled = compile_scene(*scene.value, solver, check_only);
    for (Error& e : compiled.errors)
        if (e.file.empty()) e.file = file;
    if (out) *out = std::move(*scene.value);
    return compiled;
}

} // namespace sinew
