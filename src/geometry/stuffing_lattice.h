// Lattice of isosurface stuffing: corners (kind 0) and centres (kind 1) of nx x ny x nz cubes.
//   id = 2 ((k ny + j) nx + i) + kind      doubled coordinates (2 i + kind, 2 j + kind, 2 k + kind)
// Directions 0 to 5 are long edges (-x, +x, -y, +y, -z, +z), 6 to 13 short ones (bit 0, 1, 2: up along x, y, z).
#pragma once
#include "core/math.h"
#include <vector>

namespace sinew {

struct StuffingLattice {
    Vec3 origin;                   // [m] corner (0, 0, 0)
    Real cell = 0;                 // [m]
    std::array<int, 3> size{};     // nx, ny, nz
    std::vector<signed char> side; // per point: 1 inside, 0 on the surface, -1 outside
    std::vector<float> distance;   // [m] d / cell where the sample was taken, otherwise a bound of its sign
};
inline constexpr int kDirections = 14;

struct LatticePoint {
    int i, j, k, kind;
    int doubled(int axis) const { return 2 * (axis == 0 ? i : axis == 1 ? j : k) + kind; }
};
inline int lattice_id(const StuffingLattice& l, const LatticePoint& p) {
    return 2 * ((p.k * l.size[1] + p.j) * l.size[0] + p.i) + p.kind;
}
inline LatticePoint lattice_point(const StuffingLattice& l, int id) {
    const int c = id / 2, row = c / l.size[0];
    return {c % l.size[0], row % l.size[1], row / l.size[1], id % 2};
}
inline Vec3 lattice_position(const StuffingLattice& l, const LatticePoint& p) {
    return l.origin + 0.5 * l.cell * Vec3(p.doubled(0), p.doubled(1), p.doubled(2));
}
inline LatticePoint lattice_neighbor(const LatticePoint& p, int direction) {
    LatticePoint q = p;
    if (direction < 6) {
        (direction < 2 ? q.i : direction < 4 ? q.j : q.k) += direction % 2 ? 1 : -1;
        return q;
    }
    const int bits = direction - 6;
    q.kind = 1 - p.kind;
    // a corner has its centres at i - 1 and i, a centre its corners at i and i + 1
    q.i += (bits & 1) - q.kind;
    q.j += (bits >> 1 & 1) - q.kind;
    q.k += (bits >> 2 & 1) - q.kind;
    return q;
}
inline bool in_lattice(const StuffingLattice& l, const LatticePoint& p) {
    return p.i >= 0 && p.j >= 0 && p.k >= 0 && p.i < l.size[0] && p.j < l.size[1] && p.k < l.size[2];
}

} // namespace sinew
