// Bounding volumes beside the box of bounds.h: sphere, oriented box, and k-DOP (slabs along k/2 fixed
// directions), all with the same functions, so that a hierarchy or a kinetic broad phase can be written for
// any of them:
//   build_bounds(points, v)    contains all points
//   merge(a, b)                contains both; all volumes are convex, so it also contains everything that
//   moves along swept(at_t0, at_t1)        straight lines from one state to the other, under the name that
//   says so grow(a, r)                 contains all points within r of a overlap(a, b)              false is
//   a proof that no point is in both contains(a, p)
// Every construction is rounded outwards: contains() holds for what went in. The overlap of oriented boxes is
// the separating axis test on 15 axes (Gottschalk et al. 1996) and, like that of spheres, may call apart by
// some 1e-15 of the size an overlap; that of k-DOPs is exact for the slabs, a superset for the sets. No
// points: an empty volume, which contains nothing, overlaps nothing and disappears in a merge. Coordinates
// must be finite.
#pragma once
#include "geometry/bounds.h"
#include <array>
#include <span>

namespace sinew {

struct Sphere {
    Vec3 center = Vec3::Zero(); // [m]
    Real radius = -1;           // [m] negative = empty
};
struct Obb {
    Mat3 axes = Mat3::Identity();   // columns, orthonormal
    Vec3 center = Vec3::Zero();     // [m]
    Vec3 half = Vec3::Constant(-1); // [m] half sides; negative = empty
};
// K = 14: axes and space diagonals; 18: axes and face diagonals; 26: all three. Directions have integer
// components and are not normalised.
template <int K> struct Kdop {
    static_assert(K == 14 || K == 18 || K == 26);
    std::array<Real, K / 2> lo, hi; // [m] times the direction's length
    Kdop() {
        lo.fill(std::numeric_limits<Real>::infinity());
        hi.fill(-std::numeric_limits<Real>::infinity());
    }
};
template <int K> const std::array<Vec3, K / 2>& directions(const Kdop<K>&);

bool is_empty(const Sphere&);
bool is_empty(const Obb&);
template <int K> bool is_empty(const Kdop<K>& a) { return a.lo[0] > a.hi[0]; }

void build_bounds(std::span<const Vec3>, Aabb&);
void build_bounds(std::span<const Vec3>,
                  Sphere&); // Ritter 1990, then centred; near the smallest, not it
void build_bounds(std::span<const Vec3>,
                  Obb&); // principal axes or world axes, whichever has the smaller surface
template <int K> void build_bounds(std::span<const Vec3>, Kdop<K>&);

Sphere merge(const Sphere&, const Sphere&); // the smallest
Obb merge(const Obb&, const Obb&);          // along the axes of either or the principal ones of all corners
template <int K> Kdop<K> merge(const Kdop<K>&, const Kdop<K>&);

Sphere grow(const Sphere&, Real);
Obb grow(const Obb&, Real);
template <int K> Kdop<K> grow(const Kdop<K>&, Real);

bool overlap(const Sphere&, const Sphere&);
bool overlap(const Obb&, const Obb&);
template <int K> bool overlap(const Kdop<K>&, const Kdop<K>&);

bool contains(const Sphere&, const Vec3&);
bool contains(const Obb&, const Vec3&);
template <int K> bool contains(const Kdop<K>&, const Vec3&);

template <class Volume> Volume swept(const Volume& at_t0, const Volume& at_t1) { return merge(at_t0, at_t1); }

} // namespace sinew
