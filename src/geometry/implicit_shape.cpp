#include "geometry/implicit_shape.h"

namespace sinew {

static ImplicitHit ball(const Vec3& d, Real radius) {
    const Real l = d.norm();
    return {l - radius, l > 0 ? Vec3(d / l) : Vec3::UnitY()};
}

// outside: distance to the clamped point; inside: the nearest face
static ImplicitHit box_hit(const Vec3& half, const Vec3& x) {
    const Vec3 d = x.cwiseAbs() - half;
    const Vec3 sign = x.unaryExpr([](Real a) { return a < 0 ? -1.0 : 1.0; });
    const Vec3 out = d.cwiseMax(0.0);
    const Real l = out.norm();
    if (l > 0) return {l, (out.array() * sign.array()).matrix() / l};
    int axis = 0;
    d.maxCoeff(&axis);
    return {d[axis], Vec3(Vec3::Unit(axis) * sign[axis])};
}

ImplicitHit evaluate_shape(const ImplicitShape& s, const Vec3& x) {
    switch (s.kind) {
    case ImplicitShape::plane: return {x.y(), Vec3::UnitY()};
    case ImplicitShape::sphere: return ball(x, s.size.x);
    case ImplicitShape::capsule: return ball(x - Vec3(0, std::clamp(x.y(), -s.size.y, s.size.y), 0), s.size.x);
    case ImplicitShape::box: return box_hit(vec(s.size), x);
    }
    return {x.y(), Vec3::UnitY()};
}

} // namespace sinew
