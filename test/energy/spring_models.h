// Models of points and springs on which the packed springs are compared with the gather.
#pragma once
#include "energy/list.h"
#include "model/builder.h"

namespace sinew {

void add_spring(ModelBuilder& b, int from, int to, Real stiffness, Real damping = 0);
void add_strain_spring(ModelBuilder& b, int from, int to, Real stiffness, Real damping = 0);
void add_gravity(ModelBuilder& b, int begin, int end);

// moves every point by at most `size`, with velocities of the same order per second
// (fixed points are at rest)
void shake(const Model& m, State& s, Real size);

// rows x columns of points with stretch, shear and bend links, masses and stiffnesses that vary
ModelBuilder make_spring_cloth(int rows, int columns, Real damping = 0, bool gravity = true,
                               std::uint8_t corner_flags = kFixed);

// springs between any two points, some of them twice, some of length zero
ModelBuilder make_spring_tangle(int points, int springs, Real damping = 0);

} // namespace sinew
