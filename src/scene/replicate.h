// "replicate" of objects, joints, attachments and contact rules, and names with expressions in them.
//
// "replicate": { "count": [3, 4], "index": ["r", "c"], "at": [..], "rotate": .. }   one to three counts; the last index runs
// fastest; replicas are called "name/r/c". Contact rules and attachments have no place of their own: no at, no rotate.
// "node/{r}/{c+1}"   what stands in braces is an expression of whole value; only where joints, attachments and contact rules
// name objects.
#pragma once
#include "scene/expander.h"
#include <functional>

namespace sinew {

enum class Replicated { placed, unplaced };

struct Replica {
    std::string suffix;      // "/2/5"
    Vars vars;               // with its indices
    InitialPlacement offset; // in front of its own
};

// Makes each replica of something with the cost (in values) given. False: "replicate" is wrong, and the errors say how.
bool make_replicas(Expander&, const Value& replicate, const Vars&, const std::string& path, Replicated, long long cost,
                   const std::function<void(Replica)>& make);

// The name with its expressions evaluated.
bool fill_name(const Value& text, const Scope&, const std::string& path, std::string& out, std::vector<Error>&);

} // namespace sinew
