// Hulls made thinner all around, geometry/hull.h.
#include "geometry/hull.h"
#include "geometry/mass.h"
#include <algorithm>
#include <cmath>

namespace sinew {

InnerBall inner_ball(const HullShape& h) {
    const auto body = mass_properties(mesh_of(h), 1);
    if (!body.value || h.face_normal.empty()) return {};
    InnerBall out{vec(body.value->center), std::numeric_limits<Real>::infinity()};
    for (std::size_t k = 0; k < h.face_normal.size(); ++k)
        out.radius = std::min(out.radius, h.face_offset[k] - vec(h.face_normal[k]).dot(out.center));
    if (!(out.radius > 0) || !std::isfinite(out.radius)) out.radius = 0;
    return out;
}

std::optional<HullShape> shrink_hull(const HullShape& h, Real by) {
    const InnerBall ball = inner_ball(h);
    if (!(by < ball.radius)) return {};
    std::vector<Real3> points;
    points.reserve(h.face_normal.size());
    for (std::size_t k = 0; k < h.face_normal.size(); ++k) {
        const Vec3 n = vec(h.face_normal[k]);
        points.push_back(real3(n / (h.face_offset[k] - by - n.dot(ball.center))));
    }
    const auto dual = make_hull(points);
    if (!dual.value) return {};
    points.clear();
    for (std::size_t k = 0; k < dual.value->face_normal.size(); ++k) {
        if (!(dual.value->face_offset[k] > 0)) return {};
        points.push_back(real3(ball.center + vec(dual.value->face_normal[k]) / dual.value->face_offset[k]));
    }
    auto out = make_hull(points);
    if (!out.value) return {};
    return std::move(*out.value);
}

} // namespace sinew
