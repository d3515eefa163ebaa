// Reduction of a contact to four points, collision/manifold_clip.h: the deepest; the one furthest from it; the one
// that makes the largest triangle with both; the one that adds the largest area outside that triangle. Seen
// along the normal. A later point replaces an earlier one only if it is better by 1e-6, so that ties do not
// flicker.
#include "collision/manifold_clip.h"
#include "geometry/convex_distance.h"
#include <cmath>

namespace sinew {

namespace {

Real area(const Vec2& a, const Vec2& b, const Vec2& c) {
    return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

// Index of the largest value above `least`, -1 if there is none
template <class F> int find_most(int count, Real least, F&& value) {
    int best = -1;
    Real most = least;
    for (int i = 0; i < count; ++i) {
        const Real v = value(i);
        if (v > most + (best < 0 ? 0 : 1e-6 * std::abs(most))) most = v, best = i;
    }
    return best;
}

} // namespace

int choose_points(int count, const Vec2* u, const Real* gap, int (&kept)[4]) {
    Real lowest = gap[0], reach = 0; // squared
    for (int i = 0; i < count; ++i) {
        lowest = std::min(lowest, gap[i]);
        reach = std::max(reach, (u[i] - u[0]).squaredNorm());
    }
    // the deepest; of those within 1e-5 of the contact's size the first: a disc at rest tilts by less
    int a = 0;
    while (gap[a] > lowest + 1e-5 * std::sqrt(reach)) ++a;
    kept[0] = a;
    const int b = find_most(count, 1e-12 * reach, [&](int i) { return (u[i] - u[a]).squaredNorm(); });
    if (b < 0) return 1;
    kept[1] = b;
    const Real thin = 1e-6 * (u[b] - u[a]).squaredNorm();
    const int c = find_most(count, thin, [&](int i) { return std::abs(area(u[a], u[b], u[i])); });
    if (c < 0) return 2;
    kept[2] = c;
    const Real turn = area(u[a], u[b], u[c]) > 0 ? 1 : -1;
    const int d = find_most(count, thin, [&](int i) {
        // area beyond the side of the triangle that the point is furthest outside of
        return std::max(
            {-turn * area(u[a], u[b], u[i]), -turn * area(u[b], u[c], u[i]), -turn * area(u[c], u[a], u[i])});
    });
    if (d < 0) return 3;
    kept[3] = d;
    return 4;
}

void reduce_points(const ClipPoints& in, const Vec3& n, Manifold& out) {
    out.normal = n;
    out.count = 0;
    if (in.count == 0) return;
    std::array<Vec2, kClipPoints> u;
    std::array<Real, kClipPoints> gap;
    Vec3 s, t;
    contact_frame(n, s, t);
    for (int i = 0; i < in.count; ++i) {
        const Vec3 x = in.point[i].on_a - in.point[0].on_a;
        u[i] = {s.dot(x), t.dot(x)};
        gap[i] = in.point[i].gap;
    }
    int kept[4];
    const int count = choose_points(in.count, u.data(), gap.data(), kept);
    for (int k = 0; k < count; ++k) out.point[out.count++] = in.point[kept[k]];
}

} // namespace sinew
