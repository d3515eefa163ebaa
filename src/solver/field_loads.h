// Bodies and points that named fields act on do not sleep: an attractor that is switched on or a gust moves what rested. Drag alone, in a
// scene without flows, wakes nobody.
#pragma once
#include "model/element.h"
#include "model/field.h"
#include "sinew/model.h"

namespace sinew {

// driven: per body, points first, then frames
template <class Flags> void mark_driven_by_fields(const Model& m, Flags& driven) {
    const bool flows = m.fields && !m.fields->velocity.empty();
    const int points = int(m.point.mass.size());
    for (const Table& t : m.elements->energies) {
        if (t.row->share != Share::field || !((t.row->views & kValue) || flows)) continue;
        for (std::size_t at = 0; at < t.stencil.size(); ++at) {
            const int k = int(at % std::size_t(t.row->stencil)), i = t.stencil[at];
            if (i >= 0 && k < t.row->points) driven[i] = 1;
            else if (i >= 0 && k < t.row->points + t.row->frames) driven[points + i] = 1;
        }
    }
}

} // namespace sinew
