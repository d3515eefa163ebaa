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

// Into other axes.
void place_face(const Placement&, ContactFace&);
// [m] of the curves that bound the shape's faces: of its ball and of its discs.
Real roundness(const Convex&);
// The nearest points themselves, where no corner is as deep: rims of discs, crossing lines, single points.
void add_nearest(const Vec3& on_a, const Vec3& on_b, Real distance, ClipPoints&);

// Keys: kind 0 vertex of a, 1 vertex of b, 2 edges cross, 3 the nearest points themselves.
std::uint64_t contact_key(int kind, std::uint64_t id_a, std::uint64_t id_b);

// Which of the points stay, at most four: the deepest, then those that span the largest area. u: seen along the normal.
// Returns how many.
int choose_points(int count, const Vec2* u, const Real* gap, int (&kept)[4]);
// The same for clipped points: the deepest, then those that span the largest area. Keeps the order of `in`'s
// ties.
void reduce_points(const ClipPoints& in, const Vec3& n, Manifold&);

} // namespace sinew
