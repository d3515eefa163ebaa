#include "scene/compile_text.h"

namespace sinew {

Compiled compile(const std::string& text) {
    const Result<Scene> scene = parse_scene(text, "scene.json");
    for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
    if (!scene) return {};
    Result<Compiled> made = compile_scene(*scene.value);
    for (const Error& e : made.errors) ADD_FAILURE() << to_string(e);
    return made ? std::move(*made.value) : Compiled{};
}

} // namespace sinew
