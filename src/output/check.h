// Is a layout, or a snapshot of it, consistent? Sizes agree, indices are in range, names are printable and
// unique. Exporters and readers rely on it instead of checking each index themselves.
#pragma once
#include "model/snapshot.h"
#include "core/file.h"

namespace sinew {

Errors check_layout(const SnapshotLayout& layout);
Errors check_snapshot(const SnapshotLayout& layout, const Snapshot& snapshot);

inline int polygon_count(const SnapshotObject& object) {
    return object.polygon_begin.empty() ? 0 : int(object.polygon_begin.size()) - 1;
}

} // namespace sinew
