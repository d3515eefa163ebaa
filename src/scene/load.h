// A scene with errors, as far as it can be read: the compiler looks at the rest, so that all errors are told at once.
#pragma once
#include "sinew/scene.h"

namespace sinew {

struct LoadedScene {
    Scene scene;               // without the parts that are wrong
    std::vector<Error> errors; // empty = the scene is complete
    std::vector<Place> broken; // values that could not be read: nothing else is wrong with them
    bool usable = false;       // what compiling it says is worth hearing
};
// takes away what later stages say about values that could not be read
void remove_about(const std::vector<Place>& broken, std::vector<Error>&);
LoadedScene make_parts(const Value& document); // includes merged
LoadedScene load_parts(const std::string& file, std::span<const std::string> sets = {});
// origins: of a merged document that was written out (document.h)
LoadedScene parse_parts(std::string_view text, const std::string& file, std::span<const std::string> sets = {},
                        const std::vector<std::string>& origins = {});

} // namespace sinew
