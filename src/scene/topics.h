// Everything of the scene language that has a name and parameters: what language.cpp explains and language_schema.cpp turns
// into a schema.
#pragma once
#include "core/fields.h"
#include <memory>

namespace sinew {

struct Topic {
    std::string section, name, doc;
    std::shared_ptr<void> params; // keeps the fields' members alive
    FieldList list;
    bool on_page = true; // of the whole language; presets of materials would make it twice as long
};
std::vector<Topic> all_topics(); // in the order of the page

} // namespace sinew
