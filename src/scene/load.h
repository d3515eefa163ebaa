// A scene with errors, as far as it can be read: the compiler looks at the rest, so that all errors are told at once.
#pragma once
#include "sinew/scene.h"

namespace sinew {

struct LoadedScene {
    Scene scene;               // without the parts that are wrong
    std::vector<Error> errors; // empty = the scene is complete
    bool usable = false;       // what compiling it says is worth hearing
};
LoadedScene load_parts(const std::string& file, std::span<const std::string> sets = {});
LoadedScene parse_parts(std::string_view text, const std::string& file, std::span<const std::string> sets = {});

} // namespace sinew
