// Overlap of two contact features seen along the normal.
#pragma once
#include "collision/manifold.h"
#include "geometry/convex_face.h"

namespace sinew {

inline constexpr int kClipPoints = 2 * kFaceCorners + 4;

struct ClipPoints {
    int count = 0;
    std::array<ManifoldPoint, kClipPoints> point;
};

// Corners of the overlap of face a (towards n) and face b (towards -n), both in the same axes; each lies on
// both features along n, the gap is n . (on_b - on_a). roundness [m]: lines that are not quite parallel touch
// along a stretch only where they are nearer than a quarter of it sideways. A point gives nothing.
void clip_faces(const ContactFace& a, const ContactFace& b, const Vec3& n, Real roundness, ClipPoints&);

// Keys: kind 0 vertex of a, 1 vertex of b, 2 edges cross, 3 the nearest points themselves.
std::uint64_t contact_key(int kind, std::uint64_t id_a, std::uint64_t id_b);

// At most four of the points: the deepest, then those that span the largest area. Keeps the order of `in`'s
// ties.
void reduce_points(const ClipPoints& in, const Vec3& n, Manifold&);

} // namespace sinew
