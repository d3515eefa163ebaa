// One triangle of a mesh with what is around it, and which contact normals its features may have: those in
// the polar cone of the mesh around the feature (collision/mesh_convex.h says why).
#pragma once
#include "collision/mesh_convex.h"

namespace sinew {

inline constexpr Real kSnap =
    1e-3; // [rad] angle below which a normal is a face's normal: floors bent by less count as flat

inline bool is_near(const Vec3& n, const Vec3& m) { return (n - m).squaredNorm() < kSnap * kSnap; }

struct MeshFace {
    const MeshSurface& s;
    int t;
    std::array<Vec3, 3> x;
    Vec3 normal;
};
inline MeshFace face_of(const MeshSurface& s, int t) {
    return {s, t, {corner(*s.shape, t, 0), corner(*s.shape, t, 1), corner(*s.shape, t, 2)}, s.normal[t]};
}

// Direction in triangle (a, b, third) from the edge ab inwards, perpendicular to it.
Vec3 inward(const Vec3& a, const Vec3& b, const Vec3& third);
// Normal of the triangle across edge k, on the same side as ours; our own at a border.
Vec3 normal_across(const MeshFace&, int k);

inline constexpr Real kPolar = 1e-6; // rounding of the polar cones' half-spaces
bool edge_allows(const MeshFace&, int k, const Vec3& n, Real tolerance = kPolar);
bool vertex_allows(const MeshSurface&, int vertex, const Vec3& n, Real tolerance = kPolar);
// Whether n passes at the feature of the triangle furthest along it; snaps it to a face normal near by.
bool allows(const MeshFace&, Vec3& n);

} // namespace sinew
