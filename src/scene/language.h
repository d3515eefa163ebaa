// The scene language described from its own `fields`: one entry, the whole page (docs/scene.md), and a JSON Schema.
#pragma once
#include "sinew/value.h"

namespace sinew {

struct Explanation {
    std::string text;             // empty if there is nothing of this name
    std::string allowed, nearest; // then
};
Explanation explain(std::string_view name);
std::string language_page();
Value language_schema();

} // namespace sinew
