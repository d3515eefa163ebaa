// The one tangent layout of gradients, Jacobians and Hessians: 3 reals per point, then 6 per frame (translation, world
// rotation vector), then 1 per scalar. Blocks: one per point, two per frame, one per scalar.
#pragma once
#include "sinew/model.h"

namespace sinew {

struct Dofs {
    int points = 0, frames = 0, scalars = 0;
    int size() const { return 3 * points + 6 * frames + scalars; }
    int blocks() const { return points + 2 * frames + scalars; }
    int point_offset(int i) const { return 3 * i; }
    int frame_offset(int i) const { return 3 * points + 6 * i; }
    int scalar_offset(int i) const { return 3 * points + 6 * frames + i; }
    int point_block(int i) const { return i; }
    int frame_block(int i) const { return points + 2 * i; }
    int scalar_block(int i) const { return points + 2 * frames + i; }
    int block_offset(int b) const {
        return b < points + 2 * frames ? 3 * b : 3 * points + 6 * frames + (b - points - 2 * frames);
    }
    int block_size(int b) const { return b < points + 2 * frames ? 3 : 1; }
};

inline Dofs dofs_of(const Model& m) { return {point_count(m), frame_count(m), scalar_count(m)}; }

} // namespace sinew
