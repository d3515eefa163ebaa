// The choice of objects, fields and frames, in front of any exporter: it hands on smaller layouts and
// snapshots, so that no exporter knows about it. It also checks what it hands on (check.h) and that frame
// numbers grow.
#pragma once
#include "output/output.h"

namespace sinew {

bool matches(std::string_view pattern, std::string_view name); // * any characters (also /), ? one character
bool matches_any(const std::vector<std::string>& patterns, std::string_view name);

bool wants_frame(const ExporterSettings&, int first_frame, int frame); // every, first, last

std::unique_ptr<Exporter> make_selection(const ExporterSettings&, std::unique_ptr<Exporter> inner);

} // namespace sinew
