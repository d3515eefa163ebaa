// The choice of objects, fields and frames, in front of any exporter: it hands on smaller layouts and
// snapshots, so that no exporter knows about it. It also checks what it hands on (check.h) and that frame
// numbers grow.
#pragma once
#include "output/output.h"
#include <optional>

namespace sinew {

bool matches(std::string_view pattern, std::string_view name); // * any characters (also /), ? one character
bool matches_any(const std::vector<std::string>& patterns, std::string_view name);

bool wants_frame(const ExporterSettings&, int first_frame, int frame); // every, first, last
// the last wanted one up to `frame`; none if all are later
std::optional<int> find_last_wanted(const ExporterSettings&, int first_frame, int frame);

// Resuming at `frame`: an error if frames are missing after the last one kept. An output without any is not looked at: what was
// begun from a state in the middle of a run may have none yet.
Errors check_kept(const std::string& path, const ExporterSettings&, int first_frame, int frame, std::optional<int> last_kept);

std::unique_ptr<Exporter> make_selection(const ExporterSettings&, std::unique_ptr<Exporter> inner);

} // namespace sinew
