// The scene's "time": fps, frames ([first, last] or a count), seconds, dt, substeps, in any combination that
// does not contradict itself. Steps divide a frame evenly, so that outputs land exactly on frame times.
#pragma once
#include "core/fields.h"
#include "sinew/scene.h"

namespace sinew {

// value may be null (not given); notes: what was chosen, and why; false: there was an error
bool read_time(const Value* value, const Scope&, SceneTime& out, std::vector<std::string>& notes,
               std::vector<Error>&);

// its parameters in words; `owner` keeps them alive
FieldList describe_time(std::shared_ptr<void>& owner);

} // namespace sinew
