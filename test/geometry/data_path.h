// Meshes that are not part of the sources: $SINEW_DATA, or shared/data beside the source tree. Empty if
// absent.
#pragma once
#include "paths.h"
#include <cstdlib>
#include <filesystem>
#include <string>

namespace sinew {

inline std::string find_data(const std::string& name) {
    std::error_code code;
    std::string places[] = {"", source_dir() + "/../shared/data", source_dir() + "/../../shared/data"};
    if (const char* given = std::getenv("SINEW_DATA")) places[0] = given;
    for (const std::string& place : places)
        if (!place.empty() && std::filesystem::exists(place + "/" + name, code)) return place + "/" + name;
    return {};
}

} // namespace sinew
