// The malformed scenes under test/scene/bad/, for this folder's test and for the one of the compiler.
#pragma once
#include "sinew/types.h"

namespace sinew {

struct BadScene {
    std::string file, path, fragment; // expected: an error about `path` whose text holds `fragment`
};
std::vector<BadScene> list_bad_scenes(const std::string& folder);
// empty if one of the errors is as expected and says where; otherwise what is wrong
std::string check_bad_scene(const BadScene&, const std::vector<Error>&);

} // namespace sinew
