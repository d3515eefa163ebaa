#include "geometry/writhe.h"
#include <algorithm>
#include <cmath>

namespace sinew {

// signed solid angle of the directions in which edges a0 a1 and b0 b1 cross
static Real crossing_angle(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
    const Vec3 r13 = b0 - a0, r14 = b1 - a0, r23 = b0 - a1, r24 = b1 - a1;
    Vec3 n[4] = {r13.cross(r14), r14.cross(r24), r24.cross(r23), r23.cross(r13)};
    for (Vec3& v : n) {
        const Real length = v.norm();
        if (!(length > 0)) return 0; // edges in one plane, or joined
        v /= length;
    }
    Real angle = 0;
    for (int k = 0; k < 4; ++k) angle += std::asin(std::clamp(n[k].dot(n[(k + 1) % 4]), -1.0, 1.0));
    const Real side = (b1 - b0).cross(a1 - a0).dot(r13);
    return side > 0 ? angle : side < 0 ? -angle : 0;
}

Real compute_writhe(std::span<const Real3> points, bool closed) {
    const int n = int(points.size()), edges = closed ? n : n - 1;
    Real sum = 0;
    for (int i = 0; i < edges; ++i)
        for (int j = i + 2; j < edges; ++j)
            sum += crossing_angle(vec(points[i]), vec(points[i + 1]), vec(points[j]), vec(points[(j + 1) % n]));
    return sum / (2 * kPi);
}

} // namespace sinew
