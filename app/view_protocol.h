// What the viewer's server tells its pages, as bytes; docs/viewer.md has the table. A layout says what there is, once and again
// when something comes or goes; a frame says where it is. Numbers are little endian; positions are float32, which is enough for
// eyes: at 1 km it is 0.06 mm.
#pragma once
#include "core/file.h"
#include "model/snapshot.h"

namespace sinew {

inline constexpr std::uint32_t kViewProtocol = 1;
inline constexpr std::uint32_t kViewLayoutMagic = 0x4c574e53, kViewFrameMagic = 0x46574e53; // "SNWL", "SNWF"

// Names that frames refer to by their place in these lists.
struct ViewNames {
    std::vector<std::string> numbers; // of the report, with units: "energy.total [J]"
    std::vector<std::string> fields;  // numbers per vertex that colours can show: "speed", "strain"
    bool operator==(const ViewNames&) const = default;
};
ViewNames find_view_names(const SnapshotLayout&, const Snapshot&);

// Errors: polygons that cannot be drawn. `first`: the ground is where it is in this frame.
Result<Bytes> encode_view_layout(const SnapshotLayout&, const Snapshot& first, const ViewNames&, std::uint32_t id);

struct ViewFrame {
    std::uint32_t serial = 0, layout = 0;
    double frame = 0;                 // as the scene counts, with fraction within a frame
    double cost = 0;                  // [s] wall time that computing it took, since the frame before
    std::string field;                // whose values go with it; empty = none
    const Snapshot* now = nullptr;
    const Snapshot* before = nullptr; // the frame before: bodies' speeds are means since then; null = unknown
};
Bytes encode_view_frame(const SnapshotLayout&, const ViewNames&, const ViewFrame&);

// Text messages.
std::string view_error(std::string_view about, std::string_view message); // about: the word the client sent, or empty
std::string view_log(std::string_view line);

} // namespace sinew
