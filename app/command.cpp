#include "command.h"
#include "core/error.h"
#include "outputs.h"
#include "scene/choose.h"
#include "scene/load.h"
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

namespace sinew {

void print_errors(const std::vector<Error>& errors) {
    for (const Error& e : errors) fmt::print(stderr, "error: {}\n", to_string(e));
    if (errors.size() > 1) fmt::print(stderr, "{} errors\n", errors.size());
}

bool check_free(const std::vector<std::string>& files, bool overwrite) {
    std::error_code ignored;
    std::vector<std::string> there;
    if (!overwrite)
        for (const std::string& f : files)
            if (std::filesystem::exists(f, ignored)) there.push_back(f);
    std::vector<Error> errors;
    for (const std::string& f : describe_files(std::move(there)))
        errors.push_back(Error{.file = f, .message = "exists already", .allowed = "--overwrite, or another --out"});
    print_errors(errors);
    return errors.empty();
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
                               bool check_only, Scene* out, const StateFile* stored) {
    LoadedScene loaded = stored ? parse_parts(stored->scene, file, set, stored->origins) : load_parts(file, set);
    Result<Compiled> result;
    std::vector<Error> errors = std::move(loaded.errors);
    if (loaded.usable) {
        CompiledParts parts = compile_parts(loaded.scene, solver, check_only);
        Errors more = std::move(parts.errors);
        const Errors outputs = check_outputs(loaded.scene, parts.has_all ? &parts.compiled : nullptr);
        more.insert(more.end(), outputs.begin(), outputs.end());
        remove_about(loaded.broken, more);
        errors.insert(errors.end(), more.begin(), more.end());
        result.value = std::move(parts.compiled);
    }
    if (errors.empty() && result) {
        Compiled& c = *result.value;
        if (std::string note = describe_long_step(c.model, c.state, c.solver, c.dt); !note.empty()) c.notes.push_back(std::move(note));
    }
    for (Error& e : errors)
        if (e.file.empty()) e.file = file;
    remove_duplicates(errors);
    if (out) *out = std::move(loaded.scene);
    if (!errors.empty()) result.value.reset();
    result.errors = std::move(errors);
    return result;
}

template <class T> static std::optional<T> parse_all(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

std::optional<int> parse_whole(std::string_view text) { return parse_all<int>(text); }

std::optional<double> parse_real(std::string_view text) {
    const std::optional<double> x = parse_all<double>(text);
    return x && std::isfinite(*x) ? x : std::nullopt;
}

std::optional<FrameRange> parse_frame_range(std::string_view text) {
    if (const auto one = parse_whole(text)) return FrameRange{*one, *one, true};
    const std::size_t dash = text.find('-', 1); // a first one is a sign
    if (dash == std::string_view::npos) return std::nullopt;
    const auto first = parse_whole(text.substr(0, dash)), last = parse_whole(text.substr(dash + 1));
    if (!first || !last) return std::nullopt;
    return FrameRange{*first, *last, false};
}

} // namespace sinew
