// From a recording to any other format.
#pragma once
#include "output/output.h"

namespace sinew {

// Called after each frame; false = stop (the frames so far are kept, the result says that it was stopped).
using ConvertProgress = std::function<bool(int done, int total)>;

// Objects, fields, frames and precision as in `settings`; frames that are not wanted are not read.
Errors convert(const std::string& recording, std::string_view exporter, const std::string& path,
               const ExporterSettings& settings = {}, const ConvertProgress& progress = {});

} // namespace sinew
