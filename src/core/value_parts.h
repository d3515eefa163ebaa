// A document with errors, as far as it can be read: the rest is looked at too, so that all errors are told at once.
#pragma once
#include "sinew/value.h"

namespace sinew {

struct ValueParts {
    Value value;               // null where a value could not be read; the first of two members of one name
    std::vector<Error> errors; // empty = the document is complete
    std::vector<Place> broken; // values that stand for what could not be read: nothing else is wrong with them
    bool usable = false;       // its structure was read to the end
};
ValueParts parse_value_parts(std::string_view text, std::string_view file_name);

} // namespace sinew
