// Closed intersection tests from orientation signs alone.
//   segment-triangle   the plane's side of both ends, then the three volumes of the segment with the triangle's
//                      edges. In one plane: projected along an axis in which the triangle keeps an area.
//   triangle-triangle  an edge of one meets the other: the intersection is convex and its extreme points lie on
//                      edges.
#include "geometry/exact.h"
#include <algorithm>

namespace sinew {

static Vec2 project(const Vec3& p, int axis) { return {p[(axis + 1) % 3], p[(axis + 2) % 3]}; }

// c is on the line of a and b: is it between them?
static bool between(const Vec2& a, const Vec2& b, const Vec2& c) {
    return std::min(a.x(), b.x()) <= c.x() && c.x() <= std::max(a.x(), b.x()) &&
           std::min(a.y(), b.y()) <= c.y() && c.y() <= std::max(a.y(), b.y());
}

static bool segments_intersect_2d(const Vec2& a0, const Vec2& a1, const Vec2& b0, const Vec2& b1) {
    const int p = orient2d(a0, a1, b0), q = orient2d(a0, a1, b1), r = orient2d(b0, b1, a0),
              s = orient2d(b0, b1, a1);
    if (p * q < 0 && r * s < 0) return true;
    return (p == 0 && between(a0, a1, b0)) || (q == 0 && between(a0, a1, b1)) ||
           (r == 0 && between(b0, b1, a0)) || (s == 0 && between(b0, b1, a1));
}

// an axis along which the triangle projects to something with area, -1 if there is none
static int axis_with_area(const Vec3& a, const Vec3& b, const Vec3& c) {
    for (int k = 0; k < 3; ++k)
        if (orient2d(project(a, k), project(b, k), project(c, k)) != 0) return k;
    return -1;
}

// all four on one line: their boxes along it
static bool collinear_segments_intersect(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
    for (int k = 0; k < 3; ++k)
        if (std::max(a0[k], a1[k]) < std::min(b0[k], b1[k]) ||
            std::max(b0[k], b1[k]) < std::min(a0[k], a1[k]))
            return false;
    return true;
}

bool segments_intersect(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
    if (orient3d(a0, a1, b0, b1) != 0) return false;
    // one plane: any three of the points with an area say along which axis to look
    int axis = axis_with_area(a0, a1, b0);
    if (axis < 0) axis = axis_with_area(a0, a1, b1);
    if (axis < 0) axis = axis_with_area(b0, b1, a0);
    if (axis < 0) axis = axis_with_area(b0, b1, a1);
    if (axis < 0) return collinear_segments_intersect(a0, a1, b0, b1);
    return segments_intersect_2d(project(a0, axis), project(a1, axis), project(b0, axis), project(b1, axis));
}

static bool in_triangle_2d(const Vec2& p, const Vec2 (&t)[3]) {
    const int a = orient2d(t[0], t[1], p), b = orient2d(t[1], t[2], p), c = orient2d(t[2], t[0], p);
    return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

static bool segment_intersects_triangle_2d(const Vec3& s0, const Vec3& s1, const Triangle3& t, int axis) {
    const Vec2 a = project(s0, axis), b = project(s1, axis);
    const Vec2 c[3] = {project(t[0], axis), project(t[1], axis), project(t[2], axis)};
    if (in_triangle_2d(a, c) || in_triangle_2d(b, c)) return true;
    for (int i = 0; i < 3; ++i)
        if (segments_intersect_2d(a, b, c[i], c[(i + 1) % 3])) return true;
    return false;
}

bool segment_intersects_triangle(const Vec3& s0, const Vec3& s1, const Triangle3& t) {
    const int p = orient3d(t[0], t[1], t[2], s0), q = orient3d(t[0], t[1], t[2], s1);
    if (p * q > 0) return false;
    if (p == 0 && q == 0) {
        const int axis = axis_with_area(t[0], t[1], t[2]);
        if (axis >= 0) return segment_intersects_triangle_2d(s0, s1, t, axis);
        return segments_intersect(s0, s1, t[0], t[1]) || segments_intersect(s0, s1, t[1], t[2]) ||
               segments_intersect(s0, s1, t[2], t[0]);
    }
    const int a = orient3d(s0, s1, t[0], t[1]), b = orient3d(s0, s1, t[1], t[2]),
              c = orient3d(s0, s1, t[2], t[0]);
    return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

static bool separated_by_plane(const Triangle3& t, const Triangle3& other) {
    const int a = orient3d(t[0], t[1], t[2], other[0]), b = orient3d(t[0], t[1], t[2], other[1]);
    return a * b > 0 && a * orient3d(t[0], t[1], t[2], other[2]) > 0;
}

bool triangles_intersect(const Triangle3& a, const Triangle3& b) {
    if (separated_by_plane(a, b) || separated_by_plane(b, a)) return false;
    for (int i = 0; i < 3; ++i)
        if (segment_intersects_triangle(a[i], a[(i + 1) % 3], b) ||
            segment_intersects_triangle(b[i], b[(i + 1) % 3], a))
            return true;
    return false;
}

// A common point other than the corner v lies on a ray from v; followed to its end it leaves one of the
// triangles, and that happens on the edge opposite to v.
bool triangles_intersect_beyond_corner(const Triangle3& a, const Triangle3& b) {
    return segment_intersects_triangle(a[1], a[2], b) || segment_intersects_triangle(b[1], b[2], a);
}

bool triangles_intersect_beyond_edge(const Triangle3& a, const Triangle3& b) {
    if (orient3d(a[0], a[1], a[2], b[2]) != 0) return false;
    const int axis = axis_with_area(a[0], a[1], a[2]);
    if (axis < 0)
        return false; // a triangle without area adds nothing to the edge, or is reported as degenerate
    const Vec2 e0 = project(a[0], axis), e1 = project(a[1], axis);
    return orient2d(e0, e1, project(a[2], axis)) * orient2d(e0, e1, project(b[2], axis)) > 0;
}

} // namespace sinew
