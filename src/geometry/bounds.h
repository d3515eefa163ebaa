// Axis-aligned boxes. The empty box has lo = +inf, hi = -inf, so that merging needs no special case; boxes are
// closed: touching counts as overlap.
#pragma once
#include "core/math.h"
#include <limits>

namespace sinew {

inline constexpr Real kEndless = std::numeric_limits<Real>::infinity(); // a side, a distance or a ray without end

struct Aabb {
    Vec3 lo = Vec3::Constant(std::numeric_limits<Real>::infinity());
    Vec3 hi = Vec3::Constant(-std::numeric_limits<Real>::infinity());
};
inline Aabb box_of(const Vec3& p) { return {p, p}; }
inline Aabb merge(const Aabb& a, const Aabb& b) { return {a.lo.cwiseMin(b.lo), a.hi.cwiseMax(b.hi)}; }
inline Aabb merge(const Aabb& a, const Vec3& p) { return {a.lo.cwiseMin(p), a.hi.cwiseMax(p)}; }
inline Aabb grow(const Aabb& a, Real margin) { return {a.lo - Vec3::Constant(margin), a.hi + Vec3::Constant(margin)}; }
inline bool overlap(const Aabb& a, const Aabb& b) {
    return (a.lo.array() <= b.hi.array()).all() && (b.lo.array() <= a.hi.array()).all();
}
inline bool contains(const Aabb& a, const Vec3& p) {
    return (a.lo.array() <= p.array()).all() && (p.array() <= a.hi.array()).all();
}
inline bool encloses(const Aabb& a, const Aabb& b) {
    return (a.lo.array() <= b.lo.array()).all() && (b.hi.array() <= a.hi.array()).all();
}
inline Real squared_distance(const Aabb& b, const Vec3& p) {
    return (b.lo - p).cwiseMax(p - b.hi).cwiseMax(0.0).squaredNorm();
}
inline bool is_empty(const Aabb& a) { return !(a.lo.array() <= a.hi.array()).all(); }

} // namespace sinew
